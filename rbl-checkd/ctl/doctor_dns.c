/*
 * rblctl doctor: what is asked of the DNS, by the daemon's own query engine:
 * the resolvers, the lists' name servers, the domain of the sender of mails,
 * and the hosts of webhook receivers.  Nothing is sent to a host itself.
 */

#include "doctor.h"
#include "probe.h"

#include "base/timer.h"
#include "deliver/transport/address.h"
#include "dns/servers.h"

#include <inttypes.h>
#include <sys/random.h>

#define DNS_TIMEOUT_S  1.0              /* of the first attempt, of two */
#define DNS_TCP_MAX     32
#define DNS_NAMES        3              /* lists whose servers are asked for */
#define DNS_POINTS       2              /* test points */
#define DNS_LISTS        8              /* whose name servers are tried, */
#define DNS_TRIED       16              /* and how many of these; two of one
                                           list and family */

#define NO_ENGINE  "the query engine cannot be started"
#define RESOLVER_REMEDY                                                       \
    "repair the resolver, or set another one by resolver in " CONFIG_FILE     \
    " and restart rbl-checkd; try: dig . NS"
#define FROM_REMEDY                                                           \
    "give the domain an MX record, or correct smtp_from in " CONFIG_FILE      \
    "; try: systemctl restart rbl-checkd"

/* A query, and what came of it. */
typedef struct {
    dns_status_t  status;
    int           found;                /* records of the type */
} asked_t;

/* One try runs at a time: its engine, and its queries under way. */
static check_env_t  engine;
static unsigned     asking;


/* --- queries -------------------------------------------------------------- */

/* Starts the engine.  0; -1. */
static int
ask_open(doctor_t *d)
{
    int            rc;
    dns_config_t  *conf = &d->ctl->conf.dns, before = *conf;

    *conf = d->daemon.dns;
    conf->timeout = DNS_TIMEOUT_S;
    conf->tries = 2;
    conf->max_tcp = DNS_TCP_MAX;
    rc = conf->n_resolvers > 0 ? ctl_probe_open(d->ctl, &engine) : -1;
    *conf = before;

    return rc;
}


static void
ask_late(void *data)
{
    (void) data;

    ev_break(engine.loop, EVBREAK_ALL);
}


static void
ask_ended(void)
{
    if (--asking == 0) {
        ev_break(engine.loop, EVBREAK_ALL);
    }
}


/* Waits for all answers, and stops the engine. */
static void
ask_run(void)
{
    loop_timer_t  late;

    if (asking > 0) {
        timer_init(&late, engine.loop, ask_late, NULL);
        timer_in(&late, DOCTOR_TRY - 1);
        ev_run(engine.loop, 0);
        timer_stop(&late);
    }

    ctl_probe_close(&engine);
    memset(&engine, 0, sizeof(engine));
    asking = 0;
}


static void
on_answer(void *data, const dns_answer_t *answer)
{
    asked_t  *asked = data;

    asked->status = answer->status;
    asked->found = answer->found;
    ask_ended();
}


/* A query to a server of the payer, or to a resolver (payer NULL). */
static void
ask(asked_t *asked, uint32_t server, const char *name, uint16_t type,
    const dns_payer_t *payer)
{
    asked->status = DNS_TIMEOUT;
    asking += dns_ask_at(engine.dns, server, name, type, payer, on_answer,
                         asked) != NULL;
}


/* NULL: it was answered. */
static const char *
ask_trouble(const asked_t *asked)
{
    static const char *const  words[DNS_STATUSES] = {
        [DNS_NOERROR] = NULL,
        [DNS_NXDOMAIN] = NULL,
        [DNS_SERVFAIL] = "answers SERVFAIL",
        [DNS_REFUSED] = "refuses the query (REFUSED)",
        [DNS_BADREPLY] = "sends what is no answer",
        [DNS_TIMEOUT] = "does not answer",
        [DNS_TRUNCATED] = "refused the connection, or did not answer",
        [DNS_NETWORK] = "Connection refused, or no route",
        [DNS_UNFOUND] = "is not known"
    };

    return words[asked->status];
}


/* --- resolvers ------------------------------------------------------------ */

typedef struct {
    unsigned  names, points;
    asked_t   name[DNS_NAMES], nowhere, point[DNS_POINTS];
} resolver_t;


/* A resolver is asked for the name servers of some lists, or of "com" if none
   are known; for a name that does not exist; and, if the daemons query lists
   through it, for test points, whose responses are in 127.0.0.0/8. */
static void
resolver_ask(const doctor_t *d, resolver_t *r, uint32_t id)
{
    char           name[RBL_VALUE_MAX + 16];
    size_t         i;
    uint64_t       random = 0;
    const list_t  *list;

    (void) !getrandom(&random, sizeof(random), 0);
    snprintf(name, sizeof(name), "%016" PRIx64 ".com", random);
    ask(&r->nowhere, id, name, DNS_TYPE_A, NULL);

    for (i = 0; i < d->n_lists; i++) {
        list = d->list[i];

        if (list->ask == NULL || list->ask[0] == '\0') {
            continue;
        }

        if (r->names < DNS_NAMES) {
            ask(&r->name[r->names++], id, list->ask, DNS_TYPE_NS, NULL);
        }

        if (r->points < DNS_POINTS && !d->daemon.dns.direct
            && (list->families & RBL_FAMILY_IPV4)
            && strncmp(list->control, "ip", 2) == 0)
        {
            snprintf(name, sizeof(name), "2.0.0.127.%s", list->ask);
            ask(&r->point[r->points++], id, name, DNS_TYPE_A, NULL);
        }
    }

    if (r->names == 0) {
        ask(&r->name[r->names++], id, "com", DNS_TYPE_NS, NULL);
    }
}


/* Judges the answers of a resolver.  1: it can be used. */
static int
resolver_judge(doctor_t *d, const char *server, const resolver_t *r)
{
    unsigned     i, empty;
    const char  *why = ask_trouble(&r->name[0]);

    for (i = 1; i < r->names && why != NULL; i++) {
        why = ask_trouble(&r->name[i]);
    }

    if (why != NULL) {
        doctor_say(d, "resolver", DEGRADED, RESOLVER_REMEDY, "%s %s", server,
                   why);
        return 0;
    }

    if (r->nowhere.status == DNS_NOERROR && r->nowhere.found) {
        doctor_say(d, "resolver", DEGRADED, RESOLVER_REMEDY, "%s answers with"
                   " an address for a name that does not exist", server);
    }

    for (i = empty = 0; i < r->points; i++) {
        empty += r->point[i].status == DNS_NOERROR && !r->point[i].found;
    }

    if (r->points > 0 && empty == r->points) {
        doctor_say(d, "resolver", BROKEN, "let the resolver return addresses of"
                   " 127.0.0.0/8 (private-address of unbound, stop-dns-rebind"
                   " of dnsmasq), or set lookup direct in " CONFIG_FILE "; try:"
                   " dig 2.0.0.127.zen.spamhaus.org", "%s removes addresses of"
                   " 127.0.0.0/8, by which lists answer", server);
    }

    return 1;
}


/* Resolvers for everybody ask for too many clients: large lists refuse them. */
static int
resolver_public(const char *server)
{
    size_t  i, n;

    static const char *const  of_all[] = {
        "1.0.0.1", "1.1.1.1", "8.8.4.4", "8.8.8.8", "9.9.9.9",
        "149.112.112.112", "208.67.220.220", "208.67.222.222",
        "2001:4860:4860::8844", "2001:4860:4860::8888", "2606:4700:4700::1001",
        "2606:4700:4700::1111", "2620:fe::fe"
    };

    for (i = 0; i < sizeof(of_all) / sizeof(of_all[0]); i++) {
        n = strlen(of_all[i]);

        if (strncmp(server, of_all[i], n) == 0 && server[n] == '@') {
            return 1;
        }
    }

    return 0;
}


const char *
doctor_resolver(doctor_t *d)
{
    char                 server[DNS_SERVER_TEXT];
    unsigned             i;
    const dns_config_t  *dns = &d->daemon.dns;
    static resolver_t    resolver[DNS_MAX_RESOLVERS];

    if (ask_open(d) != 0) {
        doctor_say(d, "resolver", BROKEN, RESOLVER_REMEDY, "there is no"
                   " resolver");
        return NULL;
    }

    for (i = 0; i < dns->n_resolvers; i++) {
        resolver_ask(d, &resolver[i], i);
    }

    ask_run();

    for (i = 0; i < dns->n_resolvers; i++) {
        dns_address_text(&dns->resolver[i], server);

        if (!dns->direct && resolver_public(server)) {
            doctor_say(d, "resolver", DEGRADED, "set lookup direct, or a"
                       " resolver of your own, in " CONFIG_FILE "; try:"
                       " systemctl restart rbl-checkd", "%s is a public"
                       " resolver, which many lists refuse", server);
        }

        d->resolves |= resolver_judge(d, server, &resolver[i]);
    }

    if (!d->resolves) {
        doctor_say(d, "resolver", BROKEN, RESOLVER_REMEDY, "no resolver can be"
                   " used");
    }

    return NULL;
}


/* --- name servers of lists ------------------------------------------------ */

typedef struct {
    struct sockaddr_storage  at;
    asked_t                  asked[2];  /* over UDP, and over TCP */
} server_t;

static server_t  servers[DNS_TRIED];
static unsigned  n_servers;


/* Its answer counts, whatever it says. */
static int
server_answered(const server_t *server, int tcp)
{
    dns_status_t  status = server->asked[tcp].status;

    return status != DNS_TIMEOUT && status != DNS_NETWORK
           && status != DNS_UNFOUND && !(tcp && status == DNS_TRUNCATED);
}


/* The engine has found the servers of a list: each gets a query over UDP and
   one over TCP. */
static void
on_servers(void *data, const dns_answer_t *answer)
{
    char                     text[DNS_SERVER_TEXT];
    unsigned                 i, k, n, of[2] = { 0, 0 };
    uint32_t                 id[DNS_MAX_SERVERS];
    dns_payer_t              payer = list_payer(data, 1);
    struct sockaddr_storage  at;

    (void) answer;

    n = dns_servers(engine.dns, &payer, id);

    for (i = 0; i < n && n_servers < DNS_TRIED; i++) {
        dns_server_text(engine.dns, id[i], text);

        if (dns_server_parse(&at, text) != 0
            || of[at.ss_family == AF_INET6]++ >= 2)
        {
            continue;
        }

        for (k = 0; k < n_servers && !dns_address_same(&servers[k].at, &at);
             k++)
        {
            /* void */
        }

        if (k == n_servers) {
            servers[n_servers++].at = at;
            payer.tcp = 0;
            ask(&servers[k].asked[0], id[i], payer.name, DNS_TYPE_SOA, &payer);
            payer.tcp = 1;
            ask(&servers[k].asked[1], id[i], payer.name, DNS_TYPE_SOA, &payer);
        }
    }

    ask_ended();
}


/* Asks the servers of some lists, critical ones first. */
static void
servers_ask(const doctor_t *d)
{
    int            turn;
    size_t         i, n;
    list_t        *list;
    dns_payer_t    payer;

    for (turn = 0, n = 0; turn < 2; turn++) {
        for (i = 0; i < d->n_lists && n < DNS_LISTS; i++) {
            list = d->list[i];

            if (list->ask != NULL && list->ask[0] != '\0'
                && (list->weight == RBL_WEIGHT_CRITICAL) == (turn == 0))
            {
                n++;
                payer = list_payer(list, 1);
                asking += dns_ask(engine.dns, list->ask, DNS_TYPE_SOA, &payer,
                                  on_servers, list) != NULL;
            }
        }
    }

    ask_run();
}


/* Lists without any answer are no fault of this machine as long as half of the
   servers answer; few have an address of IPv6. */
static void
servers_judge(doctor_t *d, const char *row, int tcp, int v6)
{
    int              host;
    char             at[DNS_SERVER_TEXT], number[CTL_DECIMAL] = "none";
    const char      *over = v6 ? "IPv6" : tcp ? "TCP" : "UDP";
    unsigned         i, good = 0, all = 0;
    const server_t  *bad = NULL, *server;

    for (i = 0; i < n_servers; i++) {
        server = &servers[i];

        if ((server->at.ss_family == AF_INET6) != v6) {
            continue;
        }

        all++;

        if (server_answered(server, tcp)) {
            good++;
        } else if (bad == NULL) {
            bad = server;
        }
    }

    if (all == 0) {
        doctor_say(d, row, UNKNOWN, "", "no name server of a list has an IPv%c"
                   " address", v6 ? '6' : '4');

    } else if (v6 ? good == 0 : good * 2 < all) {
        dns_address_text(&bad->at, at);
        host = (int) strcspn(at, "@");

        if (good > 0) {
            (void) ctl_decimal(number, good);
        }

        doctor_say(d, row, good == 0 && !tcp && !v6 ? BROKEN : DEGRADED,
                   doctor_text("%s; try: dig %s@%.*s -p %s . NS", v6
                               ? "repair the route, or turn IPv6 off"
                               : "let this machine send to port 53 of any"
                                 " address over UDP and TCP",
                               tcp ? "+tcp " : "", host, at, at + host + 1),
                   "%s of %u name servers of lists answer%s over %s: %s: %s",
                   number, all, good == 0 ? "s" : "", over, at,
                   ask_trouble(&bad->asked[tcp]));
    }
}


const char *
doctor_servers(doctor_t *d)
{
    struct sockaddr_storage  far;

    if (!d->daemon.dns.direct) {
        return "lookup is resolver: only the resolvers ask the lists' servers";
    }

    if (d->n_lists == 0) {
        return "no active list is known";
    }

    if (ask_open(d) != 0) {
        return NO_ENGINE;
    }

    servers_ask(d);

    if (n_servers == 0) {
        return "the name servers of no list can be found";
    }

    servers_judge(d, "dns_udp", 0, 0);
    servers_judge(d, "dns_tcp", 1, 0);

    /* is there a route to the global range? */

    if (dns_server_parse(&far, "2000::1") == 0 && dns_address_routed(&far)) {
        servers_judge(d, "ipv6", 0, 1);
    }

    return NULL;
}


/* --- the sender's address ------------------------------------------------- */

const char *
doctor_mail_from(doctor_t *d)
{
    char         domain[RBL_VALUE_MAX];
    size_t       i;
    asked_t      asked[3];
    rbl_str_t    name;
    const char  *at = strrchr(d->daemon.smtp_from, '@');

    static const uint16_t  types[] = { DNS_TYPE_MX, DNS_TYPE_A, DNS_TYPE_AAAA };

    if (d->daemon.smtp_url[0] == '\0' || at == NULL) {
        return at == NULL ? "smtp_from is not set" : DOCTOR_NO_MAIL;
    }

    at++;

    if (rbl_domain_parse(domain, &name, (rbl_str_t) { at, strcspn(at, "> ") })
        != RBL_OK)
    {
        doctor_say(d, "mail_from", DEGRADED, FROM_REMEDY, "%s is not below a"
                   " domain", d->daemon.smtp_from);
        return NULL;
    }

    domain[name.n] = '\0';

    if (ask_open(d) != 0) {
        return NO_ENGINE;
    }

    for (i = 0; i < 3; i++) {
        asked[i] = (asked_t) { DNS_TIMEOUT, 0 };
        asking += dns_ask(engine.dns, domain, types[i], NULL, on_answer,
                          &asked[i]) != NULL;
    }

    ask_run();

    if (ask_trouble(&asked[0]) != NULL && ask_trouble(&asked[1]) != NULL) {
        return doctor_text("no resolver answers for %s", domain);
    }

    if (!asked[0].found && !asked[1].found && !asked[2].found) {
        doctor_say(d, "mail_from", DEGRADED, FROM_REMEDY, "the domain of"
                   " smtp_from, %s, has neither MX nor address: receivers"
                   " refuse such mails, and no bounce comes back", domain);
    }

    return NULL;
}


/* --- webhook receivers ---------------------------------------------------- */

typedef struct {
    doctor_t  *d;
    unsigned   port;
    int        usable;                  /* it has a permitted address */
    char       host[RBL_VALUE_MAX];
    char       why[DOCTOR_REASON];      /* why not, lately; "": no address */
} receiver_t;


static void
receiver_judge(receiver_t *r, const rbl_addr_t *addr)
{
    char                   text[RBL_VALUE_MAX];
    rbl_str_t              shown;
    const char            *what;
    const config_reach_t  *reach = &r->d->daemon.reach;

    what = address_refused(addr, r->port, reach);
    what = what == NULL ? address_refused_own(addr, r->port, reach) : what;
    shown = rbl_addr_text(text, addr);
    r->usable |= what == NULL;

    if (what != NULL) {
        snprintf(r->why, sizeof(r->why), "address %.*s refused: %s",
                 (int) shown.n, shown.p, what);
    }
}


static void
on_addresses(void *data, const dns_answer_t *answer)
{
    unsigned     i;
    rbl_addr_t   addr;
    receiver_t  *r = data;

    if (!dns_answered(answer->status) && r->why[0] == '\0') {
        snprintf(r->why, sizeof(r->why), "the name cannot be resolved");
    }

    for (i = 0; i < answer->n_a && i < DNS_MAX_A; i++) {
        address_from_ipv4(&addr, answer->a[i]);
        receiver_judge(r, &addr);
    }

    for (i = 0; i < answer->n_aaaa; i++) {
        address_from_in6(&addr, &answer->aaaa[i]);
        receiver_judge(r, &addr);
    }

    ask_ended();
}


/* A URL that the API would refuse is not looked at. */
static void
receiver_ask(receiver_t *r, const char *text)
{
    size_t      i;
    rbl_url_t   url;
    rbl_str_t   name;
    rbl_addr_t  literal;

    static const uint16_t  types[] = { DNS_TYPE_A, DNS_TYPE_AAAA };

    r->usable = rbl_url_parse(&url, rbl_str(text)) != RBL_OK
                || address_host(&literal, r->host, &name, url.host) != RBL_OK;

    if (r->usable) {
        return;
    }

    r->port = url.port;

    if (literal.family != RBL_FAMILY_NONE) {
        rbl_copy(r->host, sizeof(r->host), url.host);
        receiver_judge(r, &literal);
        return;
    }

    r->host[name.n] = '\0';

    for (i = 0; i < 2; i++) {
        asking += dns_ask(engine.dns, r->host, types[i], NULL, on_addresses, r)
                  != NULL;
    }
}


/* Each name is resolved, and its addresses are judged as before a delivery. */
const char *
doctor_receivers(doctor_t *d)
{
    size_t             i;
    receiver_t        *r;
    static receiver_t  receiver[DOCTOR_URLS];

    if (ask_open(d) != 0) {
        return NO_ENGINE;
    }

    for (i = 0; i < d->n_urls; i++) {
        receiver[i].d = d;
        receiver_ask(&receiver[i], d->url_of[i]);
    }

    ask_run();

    for (i = 0, r = receiver; i < d->n_urls; i++, r++) {
        if (!r->usable) {
            doctor_say(d, "receiver_names", DEGRADED, doctor_text("correct the"
                       " name or the receiver; an address of your own network"
                       " has to be allowed by deliver_allow in " CONFIG_FILE
                       "; try: dig %.120s", r->host), "%s: %s", r->host,
                       r->why[0] != '\0' ? r->why : "the name has no address");
        }
    }

    return NULL;
}
