/*
 * dnsload PORT IN_FLIGHT < names: the query engine alone, at full speed.  A
 * line is "NAME ADDRESS" or "NAME -": the expected response.
 *
 *     asked=20000 wrong=0 lost=0 wall_us=98213 user_us=61200 system_us=21100
 *
 * `lost` counts queries without a response; the times are for the queries
 * alone, without reading the names.
 */

#include "dns/engine.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define NAMES_MAX  1000000
#define LINE_MAX   512

typedef struct {
    char      *name;
    uint32_t   want;                    /* 0: not listed */
} question_t;

static question_t      *query;
static size_t           n, asked, answered, wrong, lost, window;
static dns_engine_t    *engine;
static struct ev_loop  *loop;

static void feed(void);


static void
answer_in(void *data, const dns_answer_t *answer)
{
    const question_t  *q = data;

    answered++;

    if (answer->status > DNS_NXDOMAIN) {
        lost++;

    } else if (q->want == 0 ? answer->n_a != 0
               : answer->n_a != 1 || answer->a[0] != q->want)
    {
        wrong++;
    }

    feed();
}


static void
feed(void)
{
    while (asked < n && asked - answered < window) {
        if (dns_ask(engine, query[asked].name, DNS_TYPE_A, NULL, answer_in,
                    &query[asked])
            == NULL)
        {
            fprintf(stderr, "dnsload: cannot query %s\n", query[asked].name);
            exit(1);
        }

        asked++;
    }

    if (answered == n) {
        ev_break(loop, EVBREAK_ALL);
    }
}


static void
read_questions(void)
{
    char             line[LINE_MAX], *space;
    struct in_addr   a;

    query = calloc(NAMES_MAX, sizeof(question_t));

    while (query != NULL && n < NAMES_MAX
           && fgets(line, sizeof(line), stdin) != NULL)
    {
        line[strcspn(line, "\n")] = '\0';
        space = strchr(line, ' ');

        if (space == NULL) {
            continue;
        }

        *space = '\0';
        query[n].name = strdup(line);
        query[n].want = inet_pton(AF_INET, space + 1, &a) == 1
                           ? ntohl(a.s_addr) : 0;
        n += query[n].name != NULL;
    }
}


static long
us(struct timeval t)
{
    return (long) t.tv_sec * 1000000 + (long) t.tv_usec;
}


int
main(int argc, char **argv)
{
    char           text[64];
    double         began, wall;
    dns_config_t   conf;
    struct rusage  before, after;

    if (argc != 3) {
        fputs("usage: dnsload PORT IN_FLIGHT < names\n", stderr);
        return 2;
    }

    read_questions();

    memset(&conf, 0, sizeof(conf));
    snprintf(text, sizeof(text), "127.0.0.1@%s", argv[1]);
    conf.n_resolvers = 1;
    conf.timeout = 1;
    conf.tries = 3;
    conf.max_in_flight = (unsigned) atoi(argv[2]);
    conf.socket_uses = 1000;
    conf.max_tcp = 16;
    window = 2 * (size_t) conf.max_in_flight;
    loop = ev_loop_new(EVFLAG_AUTO);

    if (n == 0 || loop == NULL
        || dns_server_parse(&conf.resolver[0], text) != 0
        || (engine = dns_engine_new(loop, &conf)) == NULL)
    {
        fputs("dnsload: no names, no such resolver or no memory\n", stderr);
        return 1;
    }

    getrusage(RUSAGE_SELF, &before);
    began = clock_now();
    feed();
    ev_run(loop, 0);
    wall = clock_now() - began;
    getrusage(RUSAGE_SELF, &after);

    printf("asked=%zu wrong=%zu lost=%zu wall_us=%.0f user_us=%ld"
           " system_us=%ld\n", answered, wrong, lost, wall * 1e6,
           us(after.ru_utime) - us(before.ru_utime),
           us(after.ru_stime) - us(before.ru_stime));

    dns_engine_free(engine);
    ev_loop_destroy(loop);

    while (n > 0) {
        free(query[--n].name);
    }

    free(query);
    return 0;
}
