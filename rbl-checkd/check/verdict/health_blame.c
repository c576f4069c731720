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
 */

#include "health_int.h"

#define RECENT  1.0                     /* s before a suspicion in which results
                                           count as well */
#define FAILED  10.0                    /* and for failures */
#define GRACE   0.5                     /* s to wait for other lists, if none is
                                           known to be good */

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

    for (i = 0; i < health->n; i++) {
        e = health->all[i];

        if (e->group != resolver || is_mum(e)) {
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


/* If its responses were false for one list, they may be false for any list. */

static void
spread_wild_ttl(health_t *health, unsigned resolver)
{
    size_t    i;
    uint32_t  wild_ttl;

    for (i = 0, wild_ttl = 0; i < health->n; i++) {
        if (health->all[i]->group == resolver
            && health->all[i]->wild_ttl > wild_ttl)
        {
            wild_ttl = health->all[i]->wild_ttl;
        }
    }

    for (i = 0; i < health->n; i++) {
        if (health->all[i]->group == resolver
            && health->all[i]->wild_ttl < wild_ttl)
        {
            health_wild_listing(health->all[i], wild_ttl);
        }
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

    health_dns_begin(health, n, v);
    spread_wild_ttl(health, n);

    for (i = 0; i < health->n; i++) {
        e = health->all[i];

        if (e->group == n) {
            e->suspect = 0;
            e->checked = 0;             /* tested again when the resolver
                                           works */
            health_serve(e);
        }
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

    for (i = 0; i < health->n; i++) {
        e = health->all[i];

        if (e->group != n) {
            continue;
        }

        if (e->state == HEALTH_UNTRIED && health_bad(e->last.state)) {
            e->last.state = HEALTH_UNTRIED;
            e->last.at = 0;
        }

        e->recovered = clock_now();
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

    for (i = 0, asked = 0; i < health->n && asked < HEALTH_BLAME; i++) {
        e = health->all[i];

        if (e->group == resolver && !e->run.open
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

    for (i = 0; i < health->n; i++) {
        e = health->all[i];

        if (e->group == resolver && e->suspect != 0) {
            health_settle(e, e->last.state, e->last.why);
            health_serve(e);
        }
    }
}


static void
grace(health_t *health, unsigned resolver, double wait)
{
    ev_timer  *timer = &health->resolver[resolver].grace;

    if (!ev_is_active(timer)) {
        ev_timer_set(timer, wait, 0);
        ev_timer_start(health->loop, timer);
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

    for (i = 0; i < health->n; i++) {
        e = health->all[i];

        if (e->group == resolver && e->suspect != 0) {
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
        grace(health, resolver, wait);
        return;
    }

    if (v.good == 0 && v.bad >= HEALTH_BLAME) {
        blame_resolver(health, resolver, &v);

    } else if (v.good != 0
               || health_heard_at(health, resolver) >= v.from - FAILED
               || !health_dns_ask(health, resolver))
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
on_grace(struct ev_loop *loop, ev_timer *w, int revents)
{
    health_t  *health = w->data;

    (void) loop;
    (void) revents;

    weigh(health, (unsigned) ((health_resolver_t *) ((char *) w
          - offsetof(health_resolver_t, grace)) - health->resolver));
}


void
health_blame_init(health_t *health)
{
    unsigned  i;

    for (i = 0; i < DNS_MAX_RESOLVERS; i++) {
        ev_timer_init(&health->resolver[i].grace, on_grace, 0, 0);
        health->resolver[i].grace.data = health;
    }

    health->asked = on_asked;
}


void
health_blame_stop(health_t *health)
{
    unsigned  i;

    for (i = 0; i < DNS_MAX_RESOLVERS; i++) {
        ev_timer_stop(health->loop, &health->resolver[i].grace);
    }

    health_dns_stop(health);
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

    for (i = 0; i < health->n; i++) {
        e = health->all[i];

        if (e->group == group && e->last.proven && !health_bad(e->last.state)
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
