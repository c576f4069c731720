/*
 * The entries, each for a list, a family and a server, and the callers that
 * wait for their state.  A verdict is passed on from the loop, never from
 * inside a call.
 *
 * The entry of a list that fails is not tested for a while, longer each time;
 * callers get its state at once meanwhile.
 */

#include "base/log.h"
#include "base/xalloc.h"
#include "health_int.h"

#include <stdlib.h>

#define NO_SOA_TTL    5u                /* s */

const char *const  health_state_names[] = {
    "untried", "good", "blocked", "wildcarding", "down", "unsupported",
    "resolver", "unreachable"
};


int
health_bad(health_state_t state)
{
    return state == HEALTH_BLOCKED || state == HEALTH_WILDCARDING
           || state == HEALTH_DOWN || state == HEALTH_UNREACHABLE;
}


/* --- waiting callers ----------------------------------------------------- */

/* Calls back with q->verdict, later. */
static void
q_reply(health_q_t *q)
{
    health_t  *health = q->health;

    link_remove(&q->link);
    link_add(&health->ready, &q->link);

    timer_arm(&health->ready_timer, 0);
}


/* The call backs may make and drop requests; new ones are served next time. */

static void
on_ready(void *timed)
{
    void              *data;
    link_t             now;
    health_t          *health = timed;
    health_q_t        *q;
    health_done_pt     done;
    health_verdict_t   verdict;

    link_init(&now);
    link_move(&now, &health->ready);

    while (!link_empty(&now)) {
        q = (health_q_t *) link_shift(&now);
        done = q->done;
        data = q->data;
        verdict = q->verdict;
        free(q);
        done(data, &verdict);
    }
}


/* --- what is known ------------------------------------------------------- */

static void
log_change(const health_entry_t *e, health_state_t from)
{
    int          level;
    char         server[DNS_SERVER_TEXT];
    const char  *why = rbl_list_reasons[e->why].text;

    if (e->server == HEALTH_NO_SERVER) {
        log_notice("list %s: %s (%s)", e->list->zone,
                   health_state_names[e->state], why);
        return;
    }

    level = from == HEALTH_UNTRIED && e->state == HEALTH_GOOD ? LOG_L_INFO
                                                              : LOG_L_NOTICE;

    dns_server_text(e->health->dns, e->server, server);
    log_msg(level, "list %s, %s, %s %s: %s, was %s (%s)",
            e->list->zone, list_family_name(e->family),
            dns_direct(e->health->dns) ? "server" : "through resolver", server,
            health_state_names[e->state], health_state_names[from], why);
}


/* Waits for news go on through any resolver, so a failure that one of them has
   shown concerns the others, too. */

static void
note_recovery(health_entry_t *e, double now)
{
    uint32_t         id[DNS_MAX_SERVERS];
    unsigned         i, n;
    health_entry_t  *other;

    n = dns_direct(e->health->dns) ? 0 : dns_servers(e->health->dns, NULL, id);

    for (i = 0; i < n; i++) {
        other = health_entry_find(e->health, e->list, e->family, id[i]);

        if (other != NULL) {
            other->v.recovered = now;
        }
    }

    e->v.recovered = now;
}


static void
trace_state(const health_entry_t *e)
{
    const char  *why = rbl_list_reasons[e->why].text;

    if (!health_bad(e->state)) {
        health_trace(e, "is %s (%s): its responses count",
                     health_state_names[e->state], why);

    } else {
        health_trace(e, "is %s (%s): %s; tested again after %.0f s",
                     health_state_names[e->state], why,
                     dns_direct(e->health->dns)
                     ? "distrusted, its responses are discarded"
                     : "its responses are no verdict", e->wait);
    }
}


void
health_settle(health_entry_t *e, health_state_t state, rbl_list_reason_t why)
{
    double          now;
    dns_payer_t     payer;
    health_state_t  from = e->state;

    now = clock_now();
    e->suspect = 0;
    e->why = why;

    if (health_bad(from) && !health_bad(state)) {
        note_recovery(e, now);
    }

    if (e->server != HEALTH_NO_SERVER) {
        payer = list_payer(e->list, 0);
        dns_server_trust(e->health->dns, &payer, e->server,
                         !health_bad(state));
    }

    if (!health_bad(state)) {
        health_wild_over(e);

    } else if (state == HEALTH_WILDCARDING) {
        health_report_wild(e);
    }

    if (state != from) {
        e->state = state;
        e->since = now;
        log_change(e, from);
    }

    e->checked = e->last.at;

    if (health_bad(state)) {
        e->wait = e->wait == 0 ? e->health->bad_min : e->wait * 2;
        e->wait = e->wait < HEALTH_BAD_MAX ? e->wait : HEALTH_BAD_MAX;
        e->retry = now + e->wait;

    } else {
        e->wait = 0;
    }

    trace_state(e);
}


/*
 * If other lists have an SOA, a response without one is cached only for a
 * moment (RFC 2308, section 5); a resolver that hides all of them may cache as
 * it likes.
 */

static uint32_t
negative_ttl(const health_entry_t *e)
{
    const health_resolver_t  *r = &e->health->resolver[e->group];

    if (r->soa == SOA_REWRITES || r->soa == SOA_STRIPS) {
        return HEALTH_NONE_MAX;
    }

    if (e->v.negative_soa != 0) {
        return e->v.negative_ttl;
    }

    return r->soas ? NO_SOA_TTL : HEALTH_NONE_MAX;
}


static void
verdict_of(const health_entry_t *e, health_verdict_t *v)
{
    *v = e->v;
    v->state = health_lost(e) ? HEALTH_RESOLVER : e->state;
    v->negative_ttl = negative_ttl(e);
    v->keeps_soa = e->health->resolver[e->group].soa == SOA_KEEPS;
    v->soa_asked = e->soa.query != NULL && !e->soa.over;
    v->recalled = e->recalled != 0
                  && clock_now() - e->recalled < HEALTH_RECALL;
    v->dead = e->lost
              || (!e->has_positive && e->v.negative_soa < e->deepest);

    v->unproven = !e->has_positive;
}


int
health_is_known(const health_entry_t *e, double now)
{
    if (!health_resolver_go(e, now)) {
        return 1;
    }

    if (e->suspect != 0 || e->checked == 0 || health_lost(e)) {
        return 0;
    }

    return health_bad(e->state) ? now < e->retry
                                : now - e->checked < HEALTH_KEEP;
}


/* See health.h. */

static int
is_sampled(const health_entry_t *e)
{
    return !e->list->custom || e->has_positive;
}


/* 1: the present result satisfies `need`, from queries that began after
   `after`. */

static int
will_do(health_entry_t *e, health_need_t need, double after, double now)
{
    if (!health_is_known(e, now)) {
        return 0;
    }

    if (need == HEALTH_KNOWN || health_bad(e->state) || health_lost(e)) {
        return 1;
    }

    return e->checked >= after
           && (need == HEALTH_BOTH || e->tried >= after || !is_sampled(e));
}


int
health_is_free(const health_entry_t *e, double now, health_verdict_t *v)
{
    if (e->has_negative || e->has_positive) {
        return 0;
    }

    memset(v, 0, sizeof(health_verdict_t));
    v->state = HEALTH_GOOD;
    v->passed = v->sampled = now;
    v->unproven = v->unasked = v->recalled = 1;

    return 1;
}


/* 1: it can be called back. */

static int
q_ready(health_entry_t *e, health_q_t *q, double now)
{
    if (!will_do(e, q->need, q->after, now)) {
        return 0;
    }

    verdict_of(e, &q->verdict);
    q_reply(q);

    return 1;
}


/*
 * The time when the budget of the account allows a run of an own list without
 * delay.  News needs a run that begins and ends within one check.  If all lists
 * of an account shared the budget, no run would end in time.
 */

static double
budget_at(const health_entry_t *e, double now)
{
    dns_payer_t  payer;

    payer = list_payer(e->list, 1);

    return now + dns_behind(e->health->dns, &payer);
}


void
health_serve(health_entry_t *e)
{
    int          sample;
    double       now, at, want;
    link_t      *link, *next;
    health_q_t  *q;

    if (e->run.open || e->suspect != 0) {
        return;
    }

    now = clock_now();
    at = now + HEALTH_PACE;
    sample = 0;

    for (link = e->waiting.next; link != &e->waiting; link = next) {
        next = link->next;
        q = (health_q_t *) link;

        if (q_ready(e, q, now)) {
            continue;
        }

        want = q->after + (q->need == HEALTH_KNOWN ? 0 : HEALTH_GATHER);
        at = want < at ? want : at;
        sample |= q->need >= HEALTH_SAMPLE && is_sampled(e);
    }

    timer_stop(&e->timer);

    if (link_empty(&e->waiting)) {
        return;
    }

    at = e->run.began != 0 && e->run.began + HEALTH_PACE > at
         ? e->run.began + HEALTH_PACE : at;
    at = at <= now ? budget_at(e, now) : at;

    if (at <= now) {
        health_run(e, sample);
        return;
    }

    timer_in(&e->timer, at - now);
}


/* A list without test points has responded. */
static void
answers(health_entry_t *e)
{
    if (e->last.state != HEALTH_GOOD) {
        e->last.state = HEALTH_GOOD;
        e->last.at = clock_now();
        health_settle(e, HEALTH_GOOD, RBL_LIST_RESPONDS);
    }
}


int
health_look(health_t *health, const list_t *list, rbl_family_t family,
    uint32_t server, health_verdict_t *verdict)
{
    double           now = clock_now();
    health_entry_t  *e;

    e = health_entry(health, list, family, server);
    if (e == NULL) {
        return 0;
    }

    if (e->mute) {
        health_hear(e);
    }

    if (health_is_free(e, now, verdict)) {
        answers(e);
        return 1;
    }

    if (!health_is_known(e, now)) {
        return 0;
    }

    verdict_of(e, verdict);
    return 1;
}


health_q_t *
health_ask(health_t *health, const list_t *list, rbl_family_t family,
    uint32_t server, health_need_t need, health_done_pt done, void *data)
{
    health_q_t      *q;
    health_entry_t  *e;

    e = health_entry(health, list, family, server);
    if (e == NULL) {
        return NULL;
    }

    q = xcalloc(1, sizeof(health_q_t));
    link_init(&q->link);
    q->health = health;
    q->need = need;
    q->after = clock_now();
    q->done = done;
    q->data = data;

    if (need != HEALTH_FORCE && health_is_free(e, q->after, &q->verdict)) {
        q_reply(q);
        return q;
    }

    link_add(&e->waiting, &q->link);
    health_serve(e);

    return q;
}


void
health_drop(health_q_t *q)
{
    if (q != NULL) {
        link_remove(&q->link);
        free(q);
    }
}


static void
drop_all(link_t *list)
{
    while (!link_empty(list)) {
        health_drop((health_q_t *) list->next);
    }
}


int
health_each(const health_t *health, size_t *at, health_known_t *known)
{
    const health_entry_t  *e;

    if (*at >= health->n) {
        return 0;
    }

    e = health->all[(*at)++];
    known->sid = e->list->sid;
    known->zone = e->list->zone;
    known->family = e->family;
    known->server = e->server;
    known->state = e->state;
    known->unsure = 0;
    known->why = e->why;
    known->since = e->since;

    if (e->state == HEALTH_UNTRIED && e->last.state != HEALTH_UNTRIED) {
        known->state = e->last.state;
        known->unsure = e->suspect != 0;
        known->why = e->last.why;
        known->since = e->last.at;
    }

    if (e->mute && !health_bad(e->state)) {
        known->state = HEALTH_DOWN;
        known->why = RBL_LIST_MUTE;
        known->since = e->mute_since;
    }

    if (health_lost(e)) {
        known->state = HEALTH_RESOLVER;
        known->why = RBL_LIST_DNS;
        known->since = health->resolver[e->group].since;
    }

    return 1;
}


health_t *
health_new(struct ev_loop *loop, dns_engine_t *dns)
{
    health_t  *health;

    health = xcalloc(1, sizeof(health_t));
    health->loop = loop;
    health->dns = dns;
    health->bad_min = HEALTH_BAD_MIN;
    health->started = clock_now();
    link_init(&health->used);
    link_init(&health->ready);
    timer_init(&health->ready_timer, loop, on_ready, health);
    health_blame_init(health);

    return health;
}


void
health_retry_after(health_t *health, double seconds)
{
    health->bad_min = seconds;
}


void
health_free(health_t *health)
{
    size_t  i;

    if (health == NULL) {
        return;
    }

    for (i = 0; i < health->n; i++) {
        health_run_stop(health->all[i]);
        drop_all(&health->all[i]->waiting);
    }

    drop_all(&health->ready);

    while (health->n != 0) {
        health_entry_free(health->all[0]);
    }

    timer_stop(&health->ready_timer);
    health_blame_stop(health);
    free(health->all);
    free(health);
}
