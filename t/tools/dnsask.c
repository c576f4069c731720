/*
 * Queries through the query engine: names on standard input, one per line
 * ("NAME", "NAME ZONE[!][=ACCOUNT]"), verdicts on standard output, one per
 * line, in the order of arrival:
 *
 *     NAME STATUS tries=N ttl=N ms=N server=N ... a=A,A aaaa=A,A txt="..."
 *
 * For tests and measurements; -h prints the options.
 */

#include "dns/engine.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>


static const char *const  status_name[] = {
    "NOERROR", "NXDOMAIN", "SERVFAIL", "REFUSED", "BADREPLY", "TIMEOUT",
    "TRUNCATED", "NETWORK", "UNFOUND"
};

static struct ev_loop  *loop;
static dns_engine_t    *engine;
static uint16_t         type = DNS_TYPE_A;
static unsigned         open_now, window = 2000;
static unsigned         most_in_flight;
static uint64_t         asked, answered, listed, repeat = 1;
static int              quiet, input_done, pinned = -1;
static const char      *distrusted;
static unsigned         n_given;
static struct sockaddr_storage  given[DNS_MAX_SERVERS];
static char           **line;
static size_t           n_lines;


static void
usage(void)
{
    fputs("usage: dnsask [options] < names\n"
          "  -r ADDR[@PORT]  a resolver; up to 8 times\n"
          "  -T a|aaaa|txt   type\n"
          "  -t SECONDS      of the first try (2)\n"
          "  -n TRIES        (3)\n"
          "  -f N            queries in flight per resolver (100)\n"
          "  -z RATE         queries a second per pacing class (no limit)\n"
          "  -o RATE         queries a second of an account (no limit)\n"
          "  -u N            uses of a socket (1000)\n"
          "  -c N            parallel TCP exchanges (16)\n"
          "  -w N            queries given to the engine at a time (2000)\n"
          "  -R N            goes through the names N times\n"
          "  -p N            queries only that resolver, the first being 0\n"
          "  -D              direct: queries the servers of ZONE\n"
          "  -A CIDR         where these may be, although it is not public\n"
          "  -S ADDR[@PORT]  the servers of all zones; up to 8 times\n"
          "  -d ADDR@PORT    that server is not used\n"
          "  -q              no verdicts\n"
          "  -s              a summary on standard error\n", stderr);
    exit(2);
}


static void
print_txt(const dns_answer_t *answer)
{
    size_t         i;
    unsigned char  c;

    fputs(" txt=\"", stdout);

    for (i = 0; i < answer->txt_len; i++) {
        c = (unsigned char) answer->txt[i];

        if (c >= ' ' && c < 127 && c != '"' && c != '\\') {
            putchar(c);
        } else {
            printf("\\x%02x", c);
        }
    }

    putchar('"');
}


static void
print_answer(const char *name, const dns_answer_t *answer)
{
    char       text[INET6_ADDRSTRLEN];
    unsigned   i;
    uint32_t   a;

    printf("%s %s tries=%u ttl=%u ms=%.1f server=%u", name,
           status_name[answer->status], answer->tries, (unsigned) answer->ttl,
           answer->ms, answer->server);
    printf("%s%s%s", answer->aa ? " aa=1" : "", answer->alias ? " alias=1" : "",
           answer->search == DNS_NXDOMAIN ? " gone=1" : "");

    if (answer->has_serial) {
        printf(" serial=%u minimum=%u", answer->serial, answer->minimum);
    }

    for (i = 0; i < answer->n_a; i++) {
        a = answer->a[i];
        printf("%s%u.%u.%u.%u", i ? "," : " a=", a >> 24, a >> 16 & 255,
               a >> 8 & 255, a & 255);
    }

    for (i = 0; i < answer->n_aaaa; i++) {
        printf("%s%s", i ? "," : " aaaa=",
               inet_ntop(AF_INET6, &answer->aaaa[i], text, sizeof(text)));
    }

    if (answer->txt_len) {
        print_txt(answer);
    }

    putchar('\n');
}


static void feed(void);


static void
answer_in(void *data, const dns_answer_t *answer)
{
    char  *name;

    name = data;
    answered++;
    open_now--;
    listed += answer->n_a != 0;

    if (!quiet) {
        print_answer(name, answer);
    }

    feed();
}


/* Marks the server with that address as distrusted, as soon as it is known. */
static void
distrust_now(const dns_payer_t *payer)
{
    char      text[DNS_SERVER_TEXT];
    uint32_t  ids[DNS_MAX_SERVERS];
    unsigned  i, n;

    n = dns_servers(engine, payer, ids);

    for (i = 0; i < n; i++) {
        dns_server_text(engine, ids[i], text);

        if (strcmp(text, distrusted) == 0) {
            dns_server_trust(engine, payer, ids[i], 0);
        }
    }
}


/* "ZONE" is a system list, "ZONE=ACCOUNT" an own one, "ZONE!..." a probe. */
static dns_query_t *
ask(char *name, const char *pace)
{
    char          zone[256];
    size_t        n;
    dns_payer_t   payer;

    memset(&payer, 0, sizeof(payer));
    n = strcspn(pace, "=!");
    snprintf(zone, sizeof(zone), "%.*s", (int) n, pace);
    payer.zone = zone;
    payer.probe = pace[n] == '!';
    n += payer.probe;
    payer.account = pace[n] == '=' ? strtoull(pace + n + 1, NULL, 10) : 0;

    payer.n_servers = n_given;
    payer.server = given;

    if (distrusted != NULL) {
        distrust_now(&payer);
    }

    if (pinned < 0) {
        return dns_ask(engine, name, type, &payer, answer_in, name);
    }

    return dns_ask_at(engine, (unsigned) pinned, name, type, &payer, answer_in,
                      name);
}


/* Keeps the engine supplied with queries. */
static void
feed(void)
{
    char        *name;
    const char  *pace;
    unsigned     now;

    while (open_now < window && asked < n_lines * repeat) {
        name = line[asked++ % n_lines];
        pace = name + strlen(name) + 1;

        if (ask(name, pace) == NULL) {
            printf("%s BADNAME\n", name);
            answered++;
            continue;
        }

        open_now++;
    }

    now = dns_engine_counters(engine)->in_flight;
    most_in_flight = now > most_in_flight ? now : most_in_flight;
    input_done = asked == n_lines * repeat;

    if (input_done && open_now == 0) {
        ev_break(loop, EVBREAK_ALL);
    }
}


static void *
memory(void *p)
{
    if (p == NULL) {
        fputs("dnsask: out of memory\n", stderr);
        exit(2);
    }

    return p;
}


/* "NAME\0PACE\0" for every line. */
static void
read_names(void)
{
    char     *text, *name, *space;
    size_t    n, size;
    ssize_t   got;

    text = NULL;
    size = 0;

    while ((got = getline(&text, &size, stdin)) > 0) {
        n = (size_t) got;

        while (n && isspace((unsigned char) text[n - 1])) {
            text[--n] = '\0';
        }

        if (n == 0) {
            continue;
        }

        line = memory(realloc(line, (n_lines + 1) * sizeof(char *)));
        name = memory(calloc(1, n + 2));
        memcpy(name, text, n);
        line[n_lines++] = name;
        space = strchr(name, ' ');

        if (space) {
            *space = '\0';
        }
    }

    free(text);
}


static double
cpu_now(void)
{
    struct rusage  ru;

    getrusage(RUSAGE_SELF, &ru);
    return (double) (ru.ru_utime.tv_sec + ru.ru_stime.tv_sec)
           + (double) (ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6;
}


/* "rN_sent=..." and so on, for each resolver. */
static void
resolvers(void)
{
    unsigned                        i, k;
    uint64_t                        n;
    const dns_server_counters_t  *r;

    for (i = 0; (r = dns_server_counters(engine, i)) != NULL; i++) {
        for (n = 0, k = 0; k < DNS_LATENCIES; k++) {
            n += r->latency[k];
        }

        fprintf(stderr, "r%u_sent=%llu r%u_replies=%llu r%u_timeouts=%llu "
                "r%u_latencies=%llu r%u_in_flight=%u r%u_down=%u "
                "r%u_good=%llu r%u_srtt=%.4f r%u_rto=%.4f\n",
                i, (unsigned long long) r->sent,
                i, (unsigned long long) r->replies,
                i, (unsigned long long) r->timeouts,
                i, (unsigned long long) n, i, r->in_flight, i, r->down,
                i, (unsigned long long) (r->by_status[DNS_NOERROR]
                                         + r->by_status[DNS_NXDOMAIN]),
                i, r->srtt, i, r->rto);
    }
}


static void
summary(double wall, double cpu)
{
    int                    i;
    struct rusage          ru;
    const dns_counters_t  *c;

    c = dns_engine_counters(engine);
    fprintf(stderr, "questions=%llu answered=%llu listed=%llu sent=%llu "
            "replies=%llu dropped=%llu timeouts=%llu tcp=%llu in_flight=%u "
            "waiting=%u most_in_flight=%u hedged=%llu\n",
            (unsigned long long) c->queries, (unsigned long long) answered,
            (unsigned long long) listed, (unsigned long long) c->sent,
            (unsigned long long) c->replies, (unsigned long long) c->dropped,
            (unsigned long long) c->timeouts, (unsigned long long) c->tcp,
            c->in_flight, c->waiting, most_in_flight,
            (unsigned long long) c->hedged);

    resolvers();

    for (i = 0; i < DNS_STATUSES; i++) {
        fprintf(stderr, "%s=%llu ", status_name[i],
                (unsigned long long) c->by_status[i]);
    }

    getrusage(RUSAGE_SELF, &ru);
    fprintf(stderr, "\nrss_kb=%ld seconds=%.3f rate=%.0f cpu_us=%.2f\n",
            ru.ru_maxrss, wall, (double) answered / wall,
            cpu * 1e6 / (double) answered);
}


static uint16_t
type_of(const char *name)
{
    if (strcmp(name, "a") == 0) {
        return DNS_TYPE_A;
    }

    if (strcmp(name, "aaaa") == 0) {
        return DNS_TYPE_AAAA;
    }

    if (strcmp(name, "txt") != 0) {
        usage();
    }

    return DNS_TYPE_TXT;
}


static int
options(int argc, char **argv, dns_config_t *conf)
{
    static const char  letters[] = "r:T:t:n:f:z:o:u:c:w:R:p:qsDA:S:d:";

    int  opt, want_summary;

    want_summary = 0;

    while ((opt = getopt(argc, argv, letters)) != -1) {
        switch (opt) {

        case 'r':
            if (conf->n_resolvers == DNS_MAX_RESOLVERS
                || dns_server_parse(&conf->resolver[conf->n_resolvers++],
                                    optarg) != 0)
            {
                usage();
            }

            break;

        case 'A':
            if (conf->n_allow == DNS_MAX_ALLOW
                || rbl_subnet_parse(&conf->allow[conf->n_allow++],
                                    rbl_str(optarg))
                   != RBL_OK)
            {
                usage();
            }

            break;

        case 'S':
            if (n_given == DNS_MAX_SERVERS
                || dns_server_parse(&given[n_given++], optarg) != 0)
            {
                usage();
            }

            break;

        case 'D': conf->direct = 1;                               break;
        case 'd': distrusted = optarg;                            break;
        case 'T': type = type_of(optarg);                         break;
        case 't': conf->timeout = strtod(optarg, NULL);           break;
        case 'n': conf->tries = (unsigned) atoi(optarg);          break;
        case 'f': conf->max_in_flight = (unsigned) atoi(optarg);  break;
        case 'z': conf->zone_rate = strtod(optarg, NULL);         break;
        case 'o': conf->own_rate = strtod(optarg, NULL);          break;
        case 'u': conf->socket_uses = (unsigned) atoi(optarg);    break;
        case 'c': conf->max_tcp = (unsigned) atoi(optarg);        break;
        case 'w': window = (unsigned) atoi(optarg);               break;
        case 'R': repeat = strtoull(optarg, NULL, 10);            break;
        case 'p': pinned = atoi(optarg);                          break;
        case 'q': quiet = 1;                                      break;
        case 's': want_summary = 1;                               break;

        default:
            usage();
        }
    }

    return want_summary;
}


int
main(int argc, char **argv)
{
    int           want_summary;
    double        wall, cpu;
    dns_config_t  conf = { .timeout = 2, .tries = 3, .max_in_flight = 100,
                           .socket_uses = 1000, .max_tcp = 16 };

    want_summary = options(argc, argv, &conf);
    read_names();
    loop = ev_default_loop(0);
    engine = dns_engine_new(loop, &conf);

    if (engine == NULL) {
        fputs("dnsask: the engine refuses this configuration\n", stderr);
        return 2;
    }

    wall = clock_now();
    cpu = cpu_now();
    feed();

    if (!input_done || open_now) {
        ev_run(loop, 0);
    }

    wall = clock_now() - wall;
    cpu = cpu_now() - cpu;

    if (want_summary) {
        summary(wall, cpu);
    }

    dns_engine_free(engine);
    ev_loop_destroy(loop);

    while (n_lines) {
        free(line[--n_lines]);
    }

    free(line);
    return 0;
}
