/*
 * A list that fails its test points is only suspected, since its resolver may
 * have failed.  Other lists that were good are tested through the same
 * resolver.  If they fail too and none passes, the resolver is at fault; then
 * no list is marked, and all of them are tested again when the resolver works.
 * In direct mode that is DNS as a whole, and a search for name servers that
 * fails is a failure of the list, too.
 *
 * Where fewer than three lists of different owners can be tested, the lists are
 * at fault, unless the resolver does not answer at all.  The same holds for
 * lists that do not exist, or have no name servers, as the resolver says.
 *
 * Lists whose servers the operator gave may be on this machine, so that they
 * answer without the rest of DNS (health_apart).  In direct mode they are
 * judged alone.  Behind a resolver that is at fault, such as one without
 * Internet that serves a local copy, they are used while they pass, and their
 * failures are those of the resolver.
 *
 * If DNS is at fault, queries to the resolvers themselves find out which part
 * of it; one line in the log reports when that begins, and one when it ends.
 */

#include "base/log.h"
#include "dns/trace.h"
#include "health_int.h"

#include <stdio.h>
#include <time.h>

#define RECENT  1.0                     /* s before a suspicion in which results
                                           count as well */
#define FAILED  10.0                    /* and for failures */
#define GRACE   0.5                     /* s to wait for other lists, if none is
                                           known to be good */
#define ALWAYS  "root-servers.net"      /* a name that any resolver knows */

/* The result of a suspicion. */
typedef struct {
    double    from;                     /* start of the results that count */
    double    till;                     /* latest start of their queries */
    unsigned  good, bad, open, empty;   /* lists: good, failed, under way,
                                           failed with an empty response */
    unsigned  unfound, tcp;             /* failed: no servers found, silent over
                                           TCP only */
    unsigned  denied;                   /* lists besides, by whose failure only
                                           a resolver that denies all names
                                           would be at fault */
    const health_entry_t  *first;       /* a list that failed; NULL: none */
} health_blame_t;

const char *const  health_dns_names[] = { "works", "resolver", "udp", "tcp" };


static void on_resolver(void *data, const dns_answer_t *answer);


static int
is_searched(const health_t *health)
{
    return health->searched != 0
           && clock_now() - health->searched < HEALTH_SEARCHED;
}


int
health_apart(const health_t *health, const list_t *list)
{
    return list->n_servers != 0 && is_searched(health);
}


double
health_heard_at(const health_t *health, unsigned group)
{
    const health_resolver_t  *r = &health->resolver[group];

    return r->heard_given > r->heard && !is_searched(health) ? r->heard_given
                                                             : r->heard;
}


int
health_lost(const health_entry_t *e)
{
    return e->health->resolver[e->group].since != 0
           && !(health_apart(e->health, e->list)
                && (dns_direct(e->health->dns) || !health_bad(e->last.state)));
}


/* An account may choose any names for its own lists. */

static int
same_owner(const health_entry_t *a, const health_entry_t *b)
{
    if (a->list->custom || b->list->custom) {
        return a->list->custom && b->list->custom
               && a->list->account == b->list->account;
    }

    return strcmp(a->owner, b->owner) == 0;
}


/* In direct mode any response shows that the network works. */

static int
failed(const health_entry_t *e)
{
    return health_bad(e->last.state)
           && (e->last.silent || !dns_direct(e->health->dns));
}


/* Says the entry nothing of its resolver, or of DNS? */

static int
is_mum(const health_entry_t *e)
{
    return health_apart(e->health, e->list)
           && (dns_direct(e->health->dns) || e->run.open || !failed(e));
}


/* Walks over the entries of a resolver, or of direct mode; *at is 0 at first.
   NULL: no more. */

static health_entry_t *
next_of(const health_t *health, unsigned group, size_t *at)
{
    while (*at < health->n) {
        if (health->all[(*at)++]->group == group) {
            return health->all[*at - 1];
        }
    }

    return NULL;
}


/* Is there one before it in the table that counts for the same owner? */

static int
counted(const health_t *health, const health_entry_t *e, double from)
{
    size_t                 i;
    const health_entry_t  *o;

    for (i = 0; i < e->index; i++) {
        o = health->all[i];

        if (o->group == e->group && o->last.at >= from
            && !o->run.open && failed(o) && same_owner(o, e))
        {
            return 1;
        }
    }

    return 0;
}


/*
 * A filter that removes addresses leaves empty responses; a list without a
 * positive test point cannot refute that.
 */

static void
gather(const health_t *health, unsigned resolver, int empty,
    health_blame_t *v)
{
    size_t                 i;
    const health_entry_t  *e;

    v->good = v->bad = v->open = v->empty = v->unfound = v->tcp = 0;
    v->denied = 0;
    v->first = NULL;

    if (dns_direct(health->dns)) {
        v->good += health_heard_at(health, resolver) >= v->from + RECENT;
    }

    for (i = 0; (e = next_of(health, resolver, &i)) != NULL; /* void */) {
        if (is_mum(e)) {
            continue;
        }

        if (e->run.open) {
            v->open += e->run.sibling == NULL && e->run.began <= v->till;

        } else if (!failed(e)) {
            v->good += e->last.at >= v->from && (e->last.proven || !empty);

        } else if (e->last.denied) {
            v->denied += e->last.at >= v->from - FAILED;

        } else if (v->bad < HEALTH_BLAME && e->last.at >= v->from - FAILED
                   && !counted(health, e, v->from - FAILED))
        {
            v->bad++;
            v->empty += e->last.empty;
            v->unfound += e->server == HEALTH_NO_SERVER;
            v->tcp += e->server != HEALTH_NO_SERVER && e->last.tcp;
            v->first = e->server != HEALTH_NO_SERVER ? e : v->first;
        }
    }
}


/* --- the report ---------------------------------------------------------- */

static const char *
time_text(int64_t ms, char text[32])
{
    time_t     t = (time_t) (ms / 1000);
    struct tm  tm;

    gmtime_r(&t, &tm);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);

    return text;
}


/* "ADDRESS@PORT" as arguments of dig. */

static void
dig(char *to, size_t n, const char *options, const char *server,
    const char *what)
{
    int          len;
    const char  *at = strrchr(server, '@');

    len = at != NULL ? (int) (at - server) : (int) strlen(server);

    if (at == NULL || strcmp(at, "@53") == 0) {
        snprintf(to, n, "dig +tries=1 %s@%.*s %s", options, len, server, what);

    } else {
        snprintf(to, n, "dig +tries=1 %s-p %s @%.*s %s", options, at + 1, len,
                 server, what);
    }
}


static void
report(health_t *health, unsigned group, health_dns_kind_t kind)
{
    char           since[32], server[DNS_SERVER_TEXT];
    health_dns_t  *dns = &health->resolver[group].dns;

    dns->kind = kind;

    if (kind == HEALTH_DNS_RESOLVER) {
        dns_server_text(health->dns, group, server);
        memcpy(dns->server, server, sizeof(server));
        dig(dns->command, sizeof(dns->command), "", server, ". NS");
        snprintf(dns->why, sizeof(dns->why), "resolver %s is at fault: %u lists"
                 " fail their test points and none passes%s", server,
                 dns->lists, dns->denies
                 ? "; it denies that any name exists"
                 : health->resolver[group].empty
                 ? "; it removes addresses of 127.0.0.0/8 from responses, as"
                   " with private-address: 127.0.0.0/8 or another filter"
                   " against rebinding" : "");

    } else {
        snprintf(dns->why, sizeof(dns->why), "the resolver answers, but no name"
                 " server of %u lists does: port 53 may be closed over %s",
                 dns->lists, kind == HEALTH_DNS_TCP ? "TCP" : "UDP");
    }

    dns_trace(health->dns, "DNS does not work, not the lists: %s", dns->why);
    log_notice("DNS does not work here since %s: %s; try: %s",
               time_text(dns->since, since), dns->why, dns->command);
}


/* --- which part of DNS --------------------------------------------------- */

/*
 * Do the resolvers answer at all?  Queries them for a name that always exists;
 * in direct mode any of them will do, and no other answer counts.  0: they
 * cannot be queried.
 */

static int
ask_resolvers(health_t *health, unsigned group)
{
    int                 direct = dns_direct(health->dns);
    uint32_t            id[DNS_MAX_SERVERS];
    unsigned            i, n;
    health_ask_t       *ask;
    health_resolver_t  *r = &health->resolver[group];

    if (r->asking != 0) {
        return 1;
    }

    r->answers = 0;
    n = direct ? dns_servers(health->dns, NULL, id) : 1;

    for (i = 0; i < n; i++) {
        ask = &r->ask[i];
        ask->health = health;
        ask->group = group;
        ask->query = dns_ask_at(health->dns, direct ? id[i] : group, ALWAYS,
                                DNS_TYPE_SOA, NULL, on_resolver, ask);
        r->asking += ask->query != NULL;
    }

    return r->asking != 0;
}


/* DNS is to blame: reports it, once. */

static void
begin(health_t *health, unsigned group, const health_blame_t *v)
{
    char                zone[256 + 4], server[DNS_SERVER_TEXT];
    health_dns_t       *dns = &health->resolver[group].dns;
    health_resolver_t  *r = &health->resolver[group];

    r->first = 0;

    if (dns->kind != HEALTH_DNS_WORKS) {
        return;
    }

    dns->since = clock_date() - (int64_t) ((clock_now() - v->from) * 1000);
    dns->lists = v->bad + v->denied;
    dns->denies = v->bad == 0;

    if (!dns_direct(health->dns) || v->unfound == v->bad || v->first == NULL) {
        report(health, group, HEALTH_DNS_RESOLVER);
        return;
    }

    r->suspect = v->tcp == v->bad ? HEALTH_DNS_TCP : HEALTH_DNS_UDP;
    dns_server_text(health->dns, v->first->server, server);
    memcpy(dns->server, server, sizeof(server));
    snprintf(zone, sizeof(zone), "%s SOA", v->first->owner);
    dig(dns->command, sizeof(dns->command),
        r->suspect == HEALTH_DNS_TCP ? "+tcp +norec " : "+norec ", server,
        zone);

    if (!ask_resolvers(health, group)) {
        report(health, group, r->suspect);
    }
}


/* --- lists or DNS -------------------------------------------------------- */

/* If its responses were false for one list, they may be false for any list. */

static void
spread_wild_ttl(health_t *health, unsigned resolver)
{
    size_t           i;
    uint32_t         wild_ttl = 0;
    health_entry_t  *e;

    for (i = 0; (e = next_of(health, resolver, &i)) != NULL; /* void */) {
        wild_ttl = e->wild_ttl > wild_ttl ? e->wild_ttl : wild_ttl;
    }

    for (i = 0; (e = next_of(health, resolver, &i)) != NULL; /* void */) {
        health_wild_listing(e, wild_ttl);
    }
}


static void
blame_resolver(health_t *health, unsigned n, const health_blame_t *v)
{
    size_t              i;
    health_entry_t     *e;
    health_resolver_t  *r = &health->resolver[n];

    r->since = clock_now();
    r->wait = HEALTH_LOST_MIN;
    r->retry = r->since + r->wait;
    r->empty = v->bad != 0 && v->empty == v->bad;

    begin(health, n, v);
    spread_wild_ttl(health, n);

    for (i = 0; (e = next_of(health, n, &i)) != NULL; /* void */) {
        e->suspect = 0;
        e->checked = 0;                 /* tested again when the resolver
                                           works */
        health_serve(e);
    }
}


/* A failure of the time when DNS did not work is not one of the list. */

void
health_blame_clear(health_t *health, unsigned n)
{
    size_t           i;
    health_entry_t  *e;

    health->resolver[n].since = 0;
    spread_wild_ttl(health, n);

    for (i = 0; (e = next_of(health, n, &i)) != NULL; /* void */) {
        if (e->state == HEALTH_UNTRIED && health_bad(e->last.state)) {
            e->last.state = HEALTH_UNTRIED;
            e->last.at = 0;
        }

        e->v.recovered = clock_now();
        health_wild_over(e);
        health_serve(e);
    }
}


/*
 * Queries other lists that were good, or any, if they were not queried since,
 * or not for the test point that refutes empty responses; not more than needed.
 */

static void
ask_peers(health_t *health, unsigned resolver, double from, int any)
{
    size_t           i;
    unsigned         asked;
    health_entry_t  *e;

    for (i = 0, asked = 0; asked < HEALTH_BLAME
         && (e = next_of(health, resolver, &i)) != NULL; /* void */)
    {
        if (!e->run.open
            && e->server != HEALTH_NO_SERVER && !health_apart(health, e->list)
            && e->last.at < from
            && (any || (e->state == HEALTH_GOOD && e->checked != 0))
            && e->has_positive)
        {
            asked++;
            health->resolver[resolver].peers = clock_now();
            health_run(e, 0);
        }
    }
}


static void
settle_suspects(health_t *health, unsigned resolver)
{
    size_t           i;
    health_entry_t  *e;

    for (i = 0; (e = next_of(health, resolver, &i)) != NULL; /* void */) {
        if (e->suspect != 0) {
            health_settle(e, e->last.state, e->last.why);
            health_serve(e);
        }
    }
}


/* The lists that are tested because of a suspicion count as well. */

static double
till(const health_t *health, unsigned resolver, double suspect)
{
    double  peers = health->resolver[resolver].peers;

    return (peers > suspect ? peers : suspect) + RECENT;
}


/* Sets the times of the results that count.  0: no list is suspected. */

static int
suspects(const health_t *health, unsigned resolver, health_blame_t *v,
    int *empty)
{
    size_t                 i;
    const health_entry_t  *e;

    v->from = v->till = 0;
    *empty = 1;

    for (i = 0; (e = next_of(health, resolver, &i)) != NULL; /* void */) {
        if (e->suspect != 0) {
            *empty &= e->last.empty;
            v->from = v->from == 0 || e->last.at < v->from ? e->last.at
                                                            : v->from;
            v->till = v->till == 0 || e->suspect < v->till ? e->suspect
                                                           : v->till;
        }
    }

    return v->from != 0;
}


static void
weigh(health_t *health, unsigned resolver)
{
    int             empty;
    double          wait;
    health_blame_t  v;

    if (!suspects(health, resolver, &v, &empty)) {
        return;
    }

    wait = v.till + GRACE - clock_now();
    v.from -= RECENT;
    v.till = till(health, resolver, v.till);
    gather(health, resolver, empty, &v);

    if (v.good == 0 && v.open == 0) {
        ask_peers(health, resolver, v.from, 0);
        v.till = till(health, resolver, v.till);
        gather(health, resolver, empty, &v);
    }

    if (v.good == 0 && v.open != 0) {
        return;                         /* more results will come */
    }

    /* Failures may be quick while a good response needs its time. */

    if (v.good == 0 && wait > 0) {
        timer_arm(&health->resolver[resolver].grace, wait);
        return;
    }

    if (v.good == 0 && v.bad >= HEALTH_BLAME) {
        blame_resolver(health, resolver, &v);

    } else if (v.good != 0
               || health_heard_at(health, resolver) >= v.from - FAILED
               || !ask_resolvers(health, resolver))
    {
        settle_suspects(health, resolver);
    }
}


/* The resolvers have been asked because of suspected lists. */

static void
on_asked(health_t *health, unsigned group, int answered)
{
    int             empty;
    health_blame_t  v;

    if (!suspects(health, group, &v, &empty)) {
        return;
    }

    v.from -= RECENT;
    v.till = till(health, group, v.till);
    gather(health, group, empty, &v);

    if (v.good == 0 && (!answered || v.bad >= HEALTH_BLAME)) {
        v.unfound = answered ? v.unfound : v.bad;
        blame_resolver(health, group, &v);

    } else {
        settle_suspects(health, group);
    }
}


static void
on_resolver(void *data, const dns_answer_t *answer)
{
    health_ask_t       *ask = data;
    health_resolver_t  *r = &ask->health->resolver[ask->group];

    ask->query = NULL;
    r->answers += dns_direct(ask->health->dns)
                  ? answer->status == DNS_NOERROR
                  : dns_answered(answer->status);

    if (--r->asking != 0) {
        return;
    }

    if (r->since == 0) {
        on_asked(ask->health, ask->group, r->answers != 0);

    } else if (r->dns.kind == HEALTH_DNS_WORKS) {
        report(ask->health, ask->group, r->answers != 0 ? r->suspect
                                                        : HEALTH_DNS_RESOLVER);
    }
}


static void
on_grace(void *data)
{
    health_resolver_t  *r = data;

    weigh(r->health, (unsigned) (r - r->health->resolver));
}


void
health_blame_init(health_t *health)
{
    unsigned  i;

    for (i = 0; i < DNS_MAX_RESOLVERS; i++) {
        timer_init(&health->resolver[i].grace, health->loop, on_grace,
                   &health->resolver[i]);
        health->resolver[i].health = health;
    }
}


void
health_blame_stop(health_t *health)
{
    unsigned       i, k;
    health_ask_t  *ask;

    for (i = 0; i < DNS_MAX_RESOLVERS; i++) {
        timer_stop(&health->resolver[i].grace);

        for (k = 0; k < DNS_MAX_RESOLVERS; k++) {
            ask = &health->resolver[i].ask[k];
            dns_cancel(ask->query);
            ask->query = NULL;
        }
    }
}


int
health_vouches(const health_t *health, uint32_t server, const list_t *list,
    double since)
{
    unsigned               group;
    size_t                 i;
    const health_entry_t  *e;

    group = dns_direct(health->dns) ? 0 : server;

    if (health->resolver[group].since != 0) {
        return 0;
    }

    for (i = 0; (e = next_of(health, group, &i)) != NULL; /* void */) {
        if (e->last.proven && !health_bad(e->last.state)
            && e->last.at >= since - RECENT && !health_apart(health, e->list)
            && strcmp(e->list->zone, list->zone) != 0)
        {
            return 1;
        }
    }

    return 0;
}


uint32_t
health_server_next(const health_t *health, const list_t *list,
    uint32_t server)
{
    unsigned     i, n;
    uint32_t     id[DNS_MAX_SERVERS];
    dns_payer_t  payer;

    payer = list_payer(list, 0);
    n = dns_servers(health->dns, &payer, id);

    for (i = 0; i + 1 < n; i++) {
        if (id[i] == server) {
            return id[i + 1];
        }
    }

    return n != 0 ? id[0] : 0;
}


/* The resolver is at fault: has this run shown that it works again? */

static void
try_resolver(health_entry_t *e)
{
    health_t           *health = e->health;
    health_resolver_t  *r = &health->resolver[e->group];

    if (!health_bad(e->last.state)
        && (e->last.proven || !r->empty))
    {
        health_settle(e, e->last.state, e->last.why);
        health_blame_clear(health, e->group);
        return;
    }

    if (!health_bad(e->last.state)) {
        ask_peers(health, e->group, clock_now() - RECENT, 1);
    }

    if (clock_now() >= r->retry) {
        r->wait = r->wait * 2 < HEALTH_LOST_MAX ? r->wait * 2
                                                : HEALTH_LOST_MAX;
        r->retry = clock_now() + r->wait;
    }

    health_serve(e);
}


void
health_blame(health_entry_t *e)
{
    if (health_lost(e)) {
        try_resolver(e);
        return;
    }

    if (failed(e) && !is_mum(e)) {
        e->suspect = clock_now();
        health_trace(e,
                     "fails; other lists show whether the list or the %s is at"
                     " fault",
                     dns_direct(e->health->dns) ? "network" : "resolver");

    } else {
        health_settle(e, e->last.state, e->last.why);
    }

    weigh(e->health, e->group);
    health_serve(e);
}


int
health_resolver_go(const health_entry_t *e, double now)
{
    return !health_lost(e) || now >= e->health->resolver[e->group].retry;
}


/* --- the end ------------------------------------------------------------- */

void
health_dns_heard(health_t *health, unsigned group)
{
    char                since[32];
    health_resolver_t  *r = &health->resolver[group];

    if (r->dns.kind == HEALTH_DNS_WORKS || r->since != 0) {
        return;
    }

    if (r->first == 0) {
        r->first = clock_now();
    }

    if (clock_now() - r->first >= HEALTH_DNS_SURE) {
        log_notice("DNS works here again; it did not since %s (%s)",
                   time_text(r->dns.since, since),
                   r->dns.kind == HEALTH_DNS_RESOLVER ? r->dns.server
                   : "the servers of the lists");
        dns_trace(health->dns, "DNS works again");
        memset(&r->dns, 0, sizeof(health_dns_t));
        r->first = 0;
    }
}


unsigned
health_dns(const health_t *health, health_dns_t *dns)
{
    unsigned  i, n;

    memset(dns, 0, sizeof(health_dns_t));

    for (i = n = 0; i < DNS_MAX_RESOLVERS; i++) {
        if (health->resolver[i].dns.kind != HEALTH_DNS_WORKS && n++ == 0) {
            *dns = health->resolver[i].dns;
        }
    }

    return n;
}
