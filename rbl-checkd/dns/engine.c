/*
 * The life of a query: dns_ask makes it, pace.c and udp.c send it; an attempt
 * is followed by others until the query has a response or is lost; then the
 * engine calls back.
 *
 * An overdue attempt is followed by the next, and may still get a response.  A
 * query ends with the first good response; with a failure when no other
 * attempt is under way; or with a timeout.
 *
 * dns_ask() allocates a query.  It is freed just before its call back, by
 * dns_cancel() or with the engine.
 */

#include "base/xalloc.h"
#include "dns_int.h"

#include <stdlib.h>
#include <string.h>

/* Queries in flight without a delay; seconds between two polls: for each query
   in flight, and the maximum. */
#define GATHER_LEAST  16
#define GATHER_EACH   2e-6
#define GATHER_MOST   200e-6

#define PAUSE  0.2              /* s, if no server can be reached */
#define SWEEP  15.0             /* s */


/* --- queries -------------------------------------------------------------- */

int
dns_name_ok(const char *name)
{
    uint8_t  wire[DNS_NAME_MAX];

    return dns_wire_name(wire, name) != 0;
}


static dns_query_t *
engine_make(dns_engine_t *engine, const uint8_t *name, size_t len,
    uint16_t type, const dns_payer_t *payer, dns_done_pt done, void *data)
{
    size_t           flights;
    dns_query_t     *q;

    flights = engine->conf.tries * sizeof(dns_flight_t);
    q = xcalloc(1, sizeof(dns_query_t) + flights + len);
    q->class = dns_class_get(engine, payer);
    q->engine = engine;
    q->type = type;
    q->probe = payer != NULL && payer->probe;
    q->done = done;
    q->data = data;
    q->len = (uint16_t) len;
    q->name = (uint8_t *) q->flight + flights;
    memcpy(q->name, name, len);
    link_init(&q->link);
    link_init(&q->timer);

    return q;
}


static dns_query_t *
engine_ask(dns_engine_t *engine, const char *name, uint16_t type,
    const dns_payer_t *payer, dns_done_pt done, void *data)
{
    size_t           len;
    uint8_t          wire[DNS_NAME_MAX];
    dns_query_t     *q;

    len = dns_wire_name(wire, name);

    if (len == 0) {
        return NULL;
    }

    q = engine_make(engine, wire, len, type, payer, done, data);

    if (!engine->conf.direct || payer == NULL) {
        q->set = dns_set_ref(engine->resolvers);

    } else if (dns_zone_join(q, payer) != 0) {
        dns_class_put(q->class);
        free(q);
        return NULL;
    }

    return q;
}


static dns_query_t *
engine_begin(dns_query_t *q)
{
    q->engine->counters.queries++;

    /* The loop may have slept for long. */
    if (q->class->lost >= DNS_MUTE) {
        q->engine->now = clock_now();
    }

    if (dns_class_hopeless(q)) {
        dns_trace_query(q, "is not sent: the list has not responded lately");
        dns_finish_later(q, DNS_TIMEOUT);

    } else if (q->zone != NULL) {
        dns_zone_ask(q);

    } else {
        dns_pace_queue(q, 0);
    }

    return q;
}


dns_query_t *
dns_ask(dns_engine_t *engine, const char *name, uint16_t type,
    const dns_payer_t *payer, dns_done_pt done, void *data)
{
    dns_query_t  *q;

    q = engine_ask(engine, name, type, payer, done, data);

    return q != NULL ? engine_begin(q) : NULL;
}


dns_query_t *
dns_ask_at(dns_engine_t *engine, uint32_t server, const char *name,
    uint16_t type, const dns_payer_t *payer, dns_done_pt done, void *data)
{
    unsigned         at;
    dns_query_t     *q;

    q = engine_ask(engine, name, type, payer, done, data);

    if (q == NULL) {
        return NULL;
    }

    at = q->set == NULL ? 0 : dns_set_at_id(q->set, server);

    if (q->set == NULL || at == q->set->n) {
        engine->counters.queries++;
        q->search = q->set == NULL ? q->zone->search : DNS_NOERROR;
        dns_finish_later(q, DNS_UNFOUND);
        return q;
    }

    q->fixed = 1;
    q->at = (uint8_t) at;

    if (payer != NULL && payer->tcp) {
        engine->counters.queries++;
        engine->now = clock_now();
        dns_tcp_ask(q);
        return q;
    }

    return engine_begin(q);
}


dns_query_t *
dns_ask_look(dns_engine_t *engine, dns_set_t *set, uint64_t account,
    const dns_name_t *name, uint16_t type, dns_done_pt done, void *data)
{
    dns_payer_t      payer;
    dns_query_t     *q;

    memset(&payer, 0, sizeof(payer));
    payer.account = account;
    q = engine_make(engine, name->wire, name->len, type, &payer, done, data);

    q->set = dns_set_ref(set != NULL ? set : engine->resolvers);
    q->look = 1;

    return engine_begin(q);
}


int
dns_sent(const dns_query_t *q)
{
    return q->sends != 0;
}


/* --- their end ------------------------------------------------------------ */

/* Ends all attempts, and the timer. */
static void
try_end(dns_query_t *q)
{
    unsigned       i;
    dns_flight_t  *f;

    for (i = 0; i < q->engine->conf.tries && q->open; i++) {
        f = &q->flight[i];

        if (f->socket != NULL) {
            dns_flight_end(f);
        }
    }

    link_remove(&q->timer);
}


void
dns_finish_later(dns_query_t *q, dns_status_t status)
{
    try_end(q);
    q->state = DNS_DONE;
    q->status = status;
    dns_wake(q->engine);
    link_add(&q->engine->done, &q->link);
}


/* The query must be off every list. */
static void
engine_end(dns_query_t *q, int timed_out)
{
    dns_class_end(q, timed_out);
    dns_zone_leave(q);
    dns_set_put(q->set);
    dns_set_put(q->from);
    dns_class_put(q->class);
    free(q);
}


void
dns_finish(dns_query_t *q)
{
    void          *data;
    dns_done_pt    done;
    dns_engine_t  *engine;
    dns_answer_t  *answer;

    engine = q->engine;
    answer = &engine->answer;
    answer->tries = q->sends;
    answer->server = q->depth ? q->origin : q->set ? dns_at(q)->id : 0;
    answer->ms = q->first != 0 ? (engine->now - q->first) * 1000 : 0;
    engine->counters.by_status[answer->status]++;
    try_end(q);

    if (q->set != NULL) {
        dns_at(q)->counters.by_status[answer->status]++;
        dns_zone_done(q, answer->status);
    }

    done = q->done;
    data = q->data;
    engine_end(q, answer->status == DNS_TIMEOUT);

    done(data, answer);
}


void
dns_cancel(dns_query_t *q)
{
    if (q == NULL) {
        return;
    }

    dns_trace_query(q, "is cancelled");
    try_end(q);
    dns_cancel(q->sub);

    if (q->state == DNS_WAITING) {
        dns_pace_unqueue(q);

    } else {
        if (q->state == DNS_TCP) {
            dns_tcp_close(q->tcp);
        }

        link_remove(&q->link);
    }

    dns_wake(q->engine);
    engine_end(q, 0);
}


/* --- the step after an attempt -------------------------------------------- */

/*
 * Blames the servers of open flights that were sent so many seconds ago.  If
 * one has responded, those of the others whose response was overdue.
 */
static void
try_blame(dns_query_t *q, double after, const dns_server_t *responded)
{
    unsigned         i;
    dns_flight_t    *f;
    dns_engine_t    *engine;
    dns_server_t    *r;

    engine = q->engine;

    for (i = 0; i < engine->conf.tries && dns_tells(q); i++) {
        f = &q->flight[i];

        if (f->socket == NULL) {
            continue;
        }

        r = f->socket->server;
        after = responded != NULL ? dns_server_wait(r, NULL) : after;

        if (r != responded && engine->now - f->sent >= after) {
            dns_server_lost(r, 0);
        }
    }
}


/* The last attempt is over, and none is under way. */
static void
try_give_up(dns_query_t *q)
{
    try_end(q);
    link_remove(&q->link);
    dns_finish_later(q, q->failed ? q->status
                        : q->timed_out ? DNS_TIMEOUT : DNS_NETWORK);
}


/* Continues to wait for the attempts under way, if there are any. */
static void
try_wait(dns_query_t *q)
{
    if (q->open == 0) {
        try_give_up(q);
        return;
    }

    q->state = DNS_ON_WIRE;
    link_add(&q->engine->wire, &q->link);
    dns_wheel_put(q, q->expires);
}


void
dns_query_lost(dns_query_t *q, dns_status_t why)
{
    q->attempt++;
    q->stay = 0;

    if (q->attempt >= q->engine->conf.tries) {
        try_wait(q);
        return;
    }

    /* No server is left to be queried at once; a server may be restarting. */
    if (why == DNS_NETWORK && dns_set_all(q, q->refused | q->unable)) {
        q->refused = 0;
        q->state = DNS_PAUSED;
        link_add(&q->engine->wire, &q->link);
        dns_wheel_put(q, q->engine->now + PAUSE);
        return;
    }

    dns_pace_queue(q, 1);
}


/* On the wire: the next attempt is due, or the last has timed out. */
static void
try_overdue(dns_query_t *q)
{
    dns_engine_t    *engine;
    dns_server_t  *r;

    engine = q->engine;
    r = dns_at(q);
    dns_trace_query_at(q, r, "has not responded in time");
    q->timed_out = 1;
    engine->counters.timeouts++;
    dns_server_overdue(q);
    dns_case_overdue(q);
    link_remove(&q->link);

    if (q->set->lame[q->at] < engine->now + DNS_LATE) {
        q->set->lame[q->at] = engine->now + DNS_LATE;
    }

    if (q->attempt + 1u >= engine->conf.tries) {
        try_blame(q, 0, NULL);
        try_give_up(q);
        return;
    }

    try_blame(q, engine->period[q->attempt], NULL);
    dns_query_lost(q, DNS_TIMEOUT);
}


static void
try_due(dns_query_t *q)
{
    switch (q->state) {

    case DNS_ON_WIRE:
        try_overdue(q);
        break;

    case DNS_WAITING:
        try_blame(q, 0, NULL);
        try_end(q);
        dns_pace_alone(q);
        break;

    case DNS_PAUSED:
        link_remove(&q->link);
        dns_pace_queue(q, 1);
        break;

    default:
        link_remove(&q->link);
        dns_finish_later(q, DNS_TRUNCATED);
    }
}


/* Takes the query off its list or queue. */
static void
try_leave(dns_query_t *q)
{
    if (q->state == DNS_WAITING) {
        dns_pace_unqueue(q);
    } else {
        link_remove(&q->link);
    }
}


void
dns_query_leave(dns_query_t *q)
{
    try_leave(q);
    try_end(q);
}


/* SERVFAIL or REFUSED may concern one server only. */
static int
try_elsewhere(dns_query_t *q)
{
    q->unable |= (uint8_t) (1u << q->at);
    q->set->lame[q->at] = q->engine->now + DNS_LAME;
    dns_trace_query_at(q, dns_at(q), "is avoided for a minute");

    if (dns_set_all(q, q->unable)) {
        return 0;
    }

    if (q->state == DNS_WAITING) {
        return 1;
    }

    if (q->attempt + 1u >= q->engine->conf.tries) {
        return 0;
    }

    link_remove(&q->link);
    dns_query_lost(q, q->status);
    return 1;
}


static void
try_failed(dns_query_t *q)
{
    q->status = q->engine->answer.status;
    q->failed = 1;

    if (q->status == DNS_SERVFAIL || q->status == DNS_REFUSED) {
        if (try_elsewhere(q)) {
            return;
        }
    }

    if (q->open) {
        return;
    }

    try_leave(q);
    dns_finish(q);
}


/* Repeats the query to the same server. */
static void
try_repeat(dns_query_t *q)
{
    q->stay = 1;
    try_leave(q);
    dns_pace_queue(q, 1);
}


/*
 * The response of an authoritative server is read again, for referrals and
 * aliases, unless it has the queried type or denies it in its own zone's name.
 */
static int
engine_looks(const dns_query_t *q, const dns_answer_t *answer)
{
    if (q->set->recursive || (answer->status != DNS_NOERROR
                              && answer->status != DNS_NXDOMAIN
                              && answer->status != DNS_BADREPLY))
    {
        return q->look;
    }

    return !answer->aa
           || (answer->n_a + answer->n_aaaa + answer->txt_len == 0
               && answer->soa < q->set->labels);
}


dns_wire_t
dns_read(dns_query_t *q, const uint8_t *msg, size_t n)
{
    dns_wire_t     result;
    dns_engine_t  *engine;

    engine = q->engine;
    result = dns_wire_read(&engine->answer, msg, n, q->name, q->len, q->type);
    engine->answer.aa = msg[2] >> 2 & 1;
    engine->answer.search = DNS_NOERROR;
    engine->referred = 0;

    if (result == DNS_WIRE_DONE && engine_looks(q, &engine->answer)) {
        engine->referred = dns_wire_referral(&engine->referral, msg, n,
                                             q->name, q->len, q->type)
                           == 0;
    }

    return result;
}


void
dns_query_answered(dns_query_t *q, dns_wire_t result, unsigned mixed)
{
    if (result == DNS_WIRE_TC) {
        dns_query_leave(q);
        dns_tcp_ask(q);
        return;
    }

    if (result == DNS_WIRE_NO_EDNS && !q->no_edns) {
        q->no_edns = 1;
        try_repeat(q);
        return;
    }

    if (result == DNS_WIRE_DONE && dns_case_again(q, mixed)) {
        try_repeat(q);
        return;
    }

    if (dns_zone_judge(q)) {
        return;
    }

    if (q->engine->answer.status != DNS_NOERROR
        && q->engine->answer.status != DNS_NXDOMAIN)
    {
        try_failed(q);
        return;
    }

    try_blame(q, 0, dns_at(q));
    try_leave(q);
    dns_finish(q);
}


/* --- the engine ----------------------------------------------------------- */

static void
engine_finish_done(dns_engine_t *engine)
{
    dns_query_t     *q;

    while (!link_empty(&engine->done)) {
        q = (dns_query_t *) link_shift(&engine->done);

        engine->referred = 0;
        dns_answer_clear(&engine->answer, q->status);
        engine->answer.search = q->search;
        dns_trace_query(q, "ends, sent %u times: %s", q->sends,
                        dns_trace_status(q->status));
        dns_finish(q);
    }
}


/*
 * Collects responses that come quickly, so that the queries for the freed slots
 * leave in one batch.  If each response woke this process, and each query were
 * sent alone, both would cost twice as much.  With few queries in flight
 * nothing is delayed.
 */
static void
engine_gather(dns_engine_t *engine)
{
    double    wait;
    unsigned  n;

    n = engine->counters.in_flight;
    wait = n < GATHER_LEAST ? 0 : n * GATHER_EACH;
    ev_set_io_collect_interval(engine->loop,
                               wait < GATHER_MOST ? wait : GATHER_MOST);
}


static void
engine_work(dns_engine_t *engine)
{
    if (engine->system.n_ready == 0 && engine->n_owners == 0
        && !engine->reap && !engine->tcp_wake && link_empty(&engine->done))
    {
        return;
    }

    engine->now = clock_now();
    engine_finish_done(engine);
    dns_tcp_run(engine);
    dns_pace_run(engine);
    dns_udp_flush(engine);
    dns_udp_reap(engine);
}


/* Before the loop sleeps: calls back verdicts, then sends all that may go. */
static void
engine_prepare(struct ev_loop *loop, ev_prepare *w, int events)
{
    dns_engine_t  *engine;

    (void) events;

    engine = w->data;
    ev_idle_stop(loop, &engine->idle);
    engine_work(engine);
    engine_gather(engine);
}


/* Does nothing: an active idle watcher makes poll() return at once. */
static void
engine_idle(struct ev_loop *loop, ev_idle *w, int events)
{
    (void) loop;
    (void) w;
    (void) events;
}


static void
engine_sweep(void *data)
{
    dns_engine_t  *engine;

    engine = data;
    engine->now = clock_now();
    dns_zone_sweep(engine, 0);
    dns_udp_sweep(engine);
}


static void
engine_periods(dns_engine_t *engine)
{
    double    period;
    unsigned  i;

    period = engine->conf.timeout;

    for (i = 0; i < engine->conf.tries; i++) {
        engine->period[i] = period;
        period *= 1.5;
    }

    period = 0;

    while (i--) {
        period += engine->period[i];
        engine->rest[i] = period;
    }
}


dns_engine_t *
dns_engine_new(struct ev_loop *loop, const dns_config_t *conf)
{
    dns_engine_t  *engine;

    if (!dns_conf_ok(conf)) {
        return NULL;
    }

    engine = xcalloc(1, sizeof(dns_engine_t));
    engine->loop = loop;
    engine->conf = *conf;
    engine->now = clock_now();
    link_init(&engine->wire);
    link_init(&engine->done);
    link_init(&engine->tcp);
    dns_wheel_init(engine, try_due);
    engine_periods(engine);

    if (dns_pace_init(engine, dns_udp_send, dns_finish_later) != 0) {
        free(engine);
        return NULL;
    }

    dns_udp_init(engine);
    engine->resolvers = dns_set_new(engine, 0, conf->resolver,
                                    conf->n_resolvers, NULL);

    timer_init(&engine->sweeper, loop, engine_sweep, engine);

    if (conf->direct) {
        timer_every(&engine->sweeper, SWEEP, SWEEP);
    }

    ev_idle_init(&engine->idle, engine_idle);
    ev_prepare_init(&engine->prepare, engine_prepare);
    engine->prepare.data = engine;
    ev_prepare_start(loop, &engine->prepare);

    return engine;
}


void
dns_engine_free(dns_engine_t *engine)
{
    link_t  *link;

    if (engine == NULL) {
        return;
    }

    for (link = engine->tcp.next; link != &engine->tcp; link = link->next) {
        dns_tcp_close(((dns_query_t *) link)->tcp);
    }

    timer_stop(&engine->sweeper);
    dns_zone_stop(engine);
    dns_list_free(&engine->wire);
    dns_list_free(&engine->tcp);
    dns_list_free(&engine->done);
    dns_pace_free(engine);
    dns_zone_sweep(engine, 1);
    dns_set_put(engine->resolvers);
    timer_stop(&engine->ticker);
    dns_udp_free(engine);
    ev_prepare_stop(engine->loop, &engine->prepare);
    ev_idle_stop(engine->loop, &engine->idle);
    ev_set_io_collect_interval(engine->loop, 0.);
    free(engine);
}


void
dns_engine_resolvers(dns_engine_t *engine, const struct sockaddr_storage *sa,
    unsigned n)
{
    unsigned    i;
    dns_set_t  *set, *old;

    set = dns_set_new(engine, 0, sa, n, NULL);
    old = engine->resolvers;
    engine->resolvers = set;

    for (i = 0; i < old->n; i++) {
        if (dns_set_at(set, old->server[i]) == set->n) {
            dns_udp_retire(old->server[i]);
        }
    }

    dns_set_put(old);
    dns_zone_retry(engine);
}


const dns_counters_t *
dns_engine_counters(const dns_engine_t *engine)
{
    return &engine->counters;
}
