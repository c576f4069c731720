/*
 * A tick: packs the record and sends it, and reads the waiting times of the
 * queues of some partitions.  There may be a thousand partitions, so one tick
 * reads at most QUEUES_MAX; for the others the last known values are used.
 */

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/timer.h"
#include "base/xalloc.h"
#include "check/lookup/lookup.h"
#include "check/lookup/quota.h"
#include "check/verdict/guard.h"
#include "check/verdict/health.h"
#include "conditions.h"
#include "metrics.h"
#include "rbl_metrics.h"
#include "rbl_version.h"
#include "series.h"
#include "service.h"
#include "store/turns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVERY        5.0                /* s */
#define ROTATION     6                  /* ticks between counters_rotate */
#define QUEUES_MAX   64
#define SINCE_SLACK  1000               /* ms */

typedef struct {
    turn_t   turn;
    int64_t  manual_ms, due_ms, deliver_ms;
    int64_t  payments[2 * RBL_M_PAYMENT_STATES];
} queue_age_t;

struct metrics_s {
    const checker_t         *checker;
    const jobs_t            *jobs;
    loop_timer_t             timer;
    metrics_queues_t         queues;
    conditions_t            *conditions;
    series_t                *series;
    const rbl_conditions_t  *rows;      /* of the last tick */
    int64_t                  started;   /* ms since 1970 */
    int64_t                  rate;      /* checks in 1000 seconds */
    uint64_t                 checks;    /* at the last tick */
    double                   at;
    unsigned                 ticks;
    turns_t                 *ages;      /* of the queues */
    unsigned                 room;      /* for queues, during a tick */
};


static void
on_queue(void *data, const redisReply *reply)
{
    size_t                 i;
    queue_age_t           *q = data;
    rbl_queue_age_reply_t  said;

    rbl_queue_age_reply(&said, reply);
    q->manual_ms = said.word == RBL_QUEUE_AGE_OK ? said.manual : -1;
    q->due_ms = said.word == RBL_QUEUE_AGE_OK ? said.due : -1;
    q->deliver_ms = said.word == RBL_QUEUE_AGE_OK ? said.deliver : -1;

    for (i = 0; i < RBL_M_PAYMENT_STATES; i++) {
        q->payments[i] = rbl_reply_int(rbl_reply_at(said.payments, 2 * i), 0);
        q->payments[RBL_M_PAYMENT_STATES + i] =
            rbl_reply_int(rbl_reply_at(said.payments, 2 * i + 1), 0);
    }

    turns_done(&q->turn, 0);
}


static void
init_queue(turn_t *turn)
{
    queue_age_t  *q = (queue_age_t *) turn;

    q->manual_ms = q->due_ms = q->deliver_ms = -1;
}


static int
ask_queue(turn_t *turn)
{
    metrics_t             *m = turn->data;
    store_t               *store = m->checker->store;
    rbl_key_t              key;
    rbl_queue_age_args_t   args;

    if (m->room == 0) {
        return 0;
    }

    m->room--;
    args.leases = store_key(store, &key, turn->n, "leases");
    store_call(store, queue_age, on_queue, turn, args);

    return 1;
}


static const turns_kind_t  queues_turns = {
    .size = sizeof(queue_age_t),
    .take = ask_queue,
    .init = init_queue
};


static void
sum_payments(int64_t *sum, const int64_t *of)
{
    unsigned  i;

    for (i = 0; i < RBL_M_PAYMENT_STATES; i++) {
        sum[i] += of[i];
    }

    for ( /* void */ ; i < 2 * RBL_M_PAYMENT_STATES; i++) {
        sum[i] = of[i] > sum[i] ? of[i] : sum[i];
    }
}


static void
sum_queues(metrics_t *m)
{
    unsigned            i;
    const queue_age_t  *q;

    memset(m->queues.payments, 0, sizeof(m->queues.payments));
    m->queues.manual_ms = -1;
    m->queues.due_ms = -1;
    m->queues.deliver_ms = -1;

    for (i = 0; i < turns_parts(m->ages); i++) {
        q = (const queue_age_t *) turns_part(m->ages, i);
        m->queues.manual_ms = q->manual_ms > m->queues.manual_ms
                              ? q->manual_ms : m->queues.manual_ms;
        m->queues.due_ms = q->due_ms > m->queues.due_ms ? q->due_ms
                                                        : m->queues.due_ms;
        m->queues.deliver_ms = q->deliver_ms > m->queues.deliver_ms
                               ? q->deliver_ms : m->queues.deliver_ms;
        sum_payments(m->queues.payments, q->payments);
    }
}


static void
rate(metrics_t *m)
{
    double    now, passed;
    uint64_t  checks;

    now = clock_now();
    passed = now - m->at;
    checks = m->checker->checks.completed + m->checker->checks.failed
             + m->checker->checks.left;

    if (passed >= EVERY / 2) {
        m->rate = (int64_t) ((double) (checks - m->checks) * 1000 / passed);
        m->checks = checks;
        m->at = now;
    }
}


/* --- the record: each part has its own counters -------------------------- */

static void
add_checks(int64_t *number, const checker_t *checker, const jobs_t *jobs)
{
    number[RBL_M_CHECKS_COMPLETED] = (int64_t) checker->checks.completed;
    number[RBL_M_CHECKS_FAILED] = (int64_t) checker->checks.failed;
    number[RBL_M_CHECKS_LEFT] = (int64_t) checker->checks.left;
    number[RBL_M_CHECKS_IN_FLIGHT] = jobs_in_flight(jobs);
    number[RBL_M_CHECKS_MAX] = checker->conf->checks_max;
}


static void
add_queries(int64_t *number, const dns_engine_t *dns)
{
    unsigned               i;
    const dns_counters_t  *c;

    c = dns_engine_counters(dns);
    number[RBL_M_QUESTIONS] = (int64_t) c->queries;
    number[RBL_M_QUESTIONS_IN_FLIGHT] = c->in_flight;
    number[RBL_M_QUESTIONS_WAITING] = c->waiting;
    number[RBL_M_TRIES] = (int64_t) c->sent;
    number[RBL_M_TRIES_TIMED_OUT] = (int64_t) c->timeouts;
    number[RBL_M_TCP] = (int64_t) c->tcp;
    number[RBL_M_DROPPED] = (int64_t) c->dropped;

    _Static_assert(RBL_M_ANSWERS_LAST - RBL_M_ANSWERS == DNS_NETWORK,
                   "a number for every status");

    for (i = 0; i <= DNS_NETWORK; i++) {
        number[RBL_M_ANSWERS + i] = (int64_t) c->by_status[i];
    }

    /* A zone whose servers cannot be found corresponds to SERVFAIL of a
       resolver. */
    number[RBL_M_ANSWERS + DNS_SERVFAIL] += (int64_t) c->by_status[DNS_UNFOUND];
}


static void
add_lookups(int64_t *number, lookup_t *lookup)
{
    const lookup_counters_t  *c;

    c = lookup_counters(lookup);
    number[RBL_M_LOOKUPS_ASKED] = (int64_t) c->asked;
    number[RBL_M_LOOKUPS_KEPT] = (int64_t) c->hits;
    number[RBL_M_LOOKUPS_JOINED] = (int64_t) c->joined;
    number[RBL_M_LOOKUPS_REFUSED] = (int64_t) c->refused;
    number[RBL_M_CACHE_ENTRIES] = (int64_t) c->entries;
    number[RBL_M_CACHE_OCTETS] = (int64_t) c->octets;
}


static void
add_deliveries(int64_t *number, const deliver_t *deliver)
{
    const deliver_counters_t  *c;

    if (deliver == NULL) {
        return;
    }

    c = deliver_counters(deliver);
    number[RBL_M_DELIVERED] = (int64_t) c->delivered;
    number[RBL_M_RETRIED] = (int64_t) c->retried;
    number[RBL_M_DEAD] = (int64_t) c->dead;
    number[RBL_M_DELIVERIES_OPEN] = deliver_in_flight(deliver);
    number[RBL_M_DIGESTS] = (int64_t) c->digests;
}


static void
resolver_numbers(int64_t *number, const dns_server_counters_t *c)
{
    unsigned  i;

    memset(number, 0, RBL_MR__N * sizeof(int64_t));

    for (i = 0; i < DNS_STATUSES; i++) {
        number[i == DNS_NOERROR || i == DNS_NXDOMAIN ? RBL_MR_ANSWERED
                                                     : RBL_MR_FAILED]
            += (int64_t) c->by_status[i];
    }

    number[RBL_MR_TIME] = (int64_t) (c->seconds * 1e6);

    for (i = 0; i < DNS_LATENCIES; i++) {
        number[RBL_MR_LATENCY + i] = (int64_t) c->latency[i];
    }
}


static void
pack_resolvers(rbl_out_t *out, const checker_t *checker)
{
    char                    text[DNS_SERVER_TEXT];
    uint32_t                id[DNS_MAX_SERVERS];
    unsigned                i, n;
    rbl_resolver_metrics_t  m;

    n = dns_servers(checker->dns, NULL, id);
    rbl_mp_put_array(out, n);

    for (i = 0; i < n; i++) {
        dns_server_text(checker->dns, id[i], text);
        m.address = rbl_str(text);
        resolver_numbers(m.number, dns_server_counters(checker->dns, id[i]));
        rbl_resolver_metrics_encode(out, &m);
    }
}


/* Collects counters from elsewhere for the lists in the table. */

static unsigned
note_lists(const checker_t *checker)
{
    int               ice;
    size_t            i;
    list_t           *list;
    unsigned          frozen;
    list_counters_t  *c;

    for (i = 0, frozen = 0; i < table_count(checker->table); i++) {
        list = table_at(checker->table, i);
        ice = guard_frozen(checker->env.guard, list);
        frozen += ice != 0;
        c = counters_list(checker->env.counters, list);

        if (c->sid[0] != '\0') {
            c->number[RBL_ML_QUOTA_LEFT] = quota_left(checker->env.quota, list);
            c->number[RBL_ML_FROZEN] = ice;
        }
    }

    return frozen;
}


/* From the least known to the worst. */
static const unsigned  health_rank[] = {
    [HEALTH_UNTRIED] = 0, [HEALTH_UNSUPPORTED] = 1, [HEALTH_GOOD] = 2,
    [HEALTH_RESOLVER] = 3, [HEALTH_BLOCKED] = 4, [HEALTH_DOWN] = 5,
    [HEALTH_WILDCARDING] = 6, [HEALTH_UNREACHABLE] = 7
};


/* One good server is enough for a list. */

static int
better(unsigned state, unsigned than)
{
    if (state == HEALTH_UNTRIED || than == HEALTH_UNTRIED) {
        return than == HEALTH_UNTRIED;
    }

    if (state == HEALTH_GOOD || than == HEALTH_GOOD) {
        return state == HEALTH_GOOD;
    }

    return health_rank[state] < health_rank[than];
}


/*
 * Takes the health of another server of the family, or through another
 * resolver.  In direct mode the list is what its best server is, since the
 * others are not used, and its trouble began when the last good one failed.  In
 * resolver mode it is what it is through the worst resolver.
 */

static void
take_health(list_health_t *h, const health_known_t *known, int direct)
{
    int     both, earlier;
    double  since = h->since;

    both = health_bad((health_state_t) h->state) && health_bad(known->state);
    earlier = since == 0 || known->since < since;

    if (direct ? better(known->state, h->state)
        : health_rank[known->state] > health_rank[h->state])
    {
        h->state = known->state;
        h->why = known->why;
        h->since = known->since;

    } else if (known->state == h->state && earlier) {
        h->since = known->since;
    }

    if (both) {
        h->since = earlier == direct ? since : known->since;
    }
}


/* The health of each family of a list. */

static void
find_health(const checker_t *checker)
{
    size_t            at;
    list_health_t    *h;
    list_counters_t  *c;
    health_known_t    known;

    at = 0;

    while ((c = counters_next(checker->env.counters, &at)) != NULL) {
        memset(c->health, 0, sizeof(c->health));
        c->tried = c->unreachable = c->unsure = 0;
    }

    for (at = 0; health_each(checker->env.health, &at, &known); /* void */) {
        c = counters_find(checker->env.counters, known.sid);
        if (c == NULL) {
            continue;
        }

        c->tried = 1;
        c->unsure |= known.unsure;
        h = &c->health[counters_family(known.family)];

        /* No server of an unreachable list can be queried. */

        if (known.server == HEALTH_NO_SERVER) {
            memset(c->health, 0, sizeof(c->health));
            c->unreachable = 0;
        }

        if (!c->unreachable) {
            take_health(h, &known, dns_direct(checker->dns) != 0);
        }

        c->unreachable |= known.server == HEALTH_NO_SERVER;
    }
}


const list_health_t *
metrics_health_of(const list_counters_t *c)
{
    unsigned              i;
    const list_health_t  *worst;

    for (i = 0, worst = c->health; i < COUNTERS_FAMILIES; i++) {
        worst = health_rank[c->health[i].state] > health_rank[worst->state]
                ? &c->health[i] : worst;
    }

    return worst;
}


/* The two clocks drift apart; a time that is known stays as it is. */

static int64_t
since_ms(int64_t was, double since, int64_t now)
{
    int64_t  ms;

    ms = now - (int64_t) ((clock_now() - since) * 1000);

    return was > 0 && ms - was < SINCE_SLACK && was - ms < SINCE_SLACK ? was
                                                                       : ms;
}


static void
pack_lists(rbl_out_t *out, const checker_t *checker, int64_t now)
{
    size_t                at, n;
    double                ms;
    list_counters_t      *c;
    rbl_list_metrics_t    m;
    const list_health_t  *h;

    n = at = 0;

    while (counters_next(checker->env.counters, &at) != NULL) {
        n++;
    }

    rbl_mp_put_array(out, n);
    at = 0;

    while ((c = counters_next(checker->env.counters, &at)) != NULL) {
        ms = c->slowest[0] > c->slowest[1] ? c->slowest[0] : c->slowest[1];
        c->number[RBL_ML_SLOWEST] = (int64_t) (ms * 1000);

        if (c->sid[0] == '\0') {
            c->number[RBL_ML_QUOTA_LEFT] = -1;
        }

        h = metrics_health_of(c);
        c->number[RBL_ML_SINCE] = c->tried
            ? since_ms(c->number[RBL_ML_SINCE], h->since, now) : -1;

        m.list = rbl_str(c->sid);
        m.zone = rbl_str(c->zone);
        m.health = rbl_str(c->tried ? health_state_names[h->state] : "");
        m.reason = rbl_str(rbl_list_reasons[h->why].name);
        memcpy(m.number, c->number, sizeof(m.number));
        rbl_list_metrics_encode(out, &m);
    }
}


static void
pack_dns(rbl_out_t *out, const checker_t *checker)
{
    health_dns_t       dns;
    rbl_dns_metrics_t  m;

    (void) health_dns(checker->env.health, &dns);
    m.state = rbl_str(health_dns_names[dns.kind]);
    m.since = dns.since;
    m.lists = dns.lists;
    m.server = rbl_str(dns.server);
    m.why = rbl_str(dns.why);
    m.command = rbl_str(dns.command);
    rbl_dns_metrics_encode(out, &m);
}


static void
add_store(int64_t *number, const metrics_t *m)
{
    const store_facts_t      *facts = conditions_facts(m->conditions);
    const store_sentinels_t  *sentinels = store_sentinels(m->checker->store);

    number[RBL_M_STORE_REPLICAS] = facts->nodes > 0 ? (int64_t) facts->replicas
                                                    : -1;
    number[RBL_M_STORE_LAG] = facts->nodes > 0 && facts->replicas > 0
                              ? facts->lag * 1000 : -1;
    number[RBL_M_STORE_MEMORY] = facts->nodes > 0 ? facts->memory : -1;
    number[RBL_M_STORE_MEMORY_MAX] = facts->nodes > 0
                                     && facts->limits == facts->nodes
                                     ? facts->memory_max : -1;
    number[RBL_M_STORE_SENTINELS] = sentinels->n > 0 ? (int64_t) sentinels->up
                                                     : -1;
}


static void
pack(rbl_out_t *out, const metrics_t *m)
{
    int64_t           now, number[RBL_M__N] = { 0 };
    const checker_t  *checker = m->checker;

    add_checks(number, checker, m->jobs);
    add_queries(number, checker->dns);
    add_lookups(number, checker->env.lookup);
    add_deliveries(number, m->queues.deliver);
    number[RBL_M_CHECKS_RATE] = m->rate;
    number[RBL_M_QUEUE_MANUAL] = m->queues.manual_ms;
    number[RBL_M_QUEUE_DUE] = m->queues.due_ms;
    add_store(number, m);
    number[RBL_M_LISTS_FROZEN] = note_lists(checker);
    memcpy(&number[RBL_M_PAYMENTS], m->queues.payments,
           sizeof(m->queues.payments));

    now = clock_date();

    rbl_mp_put_array(out, RBL_DAEMON__N);
    rbl_mp_put_int(out, 1);             /* version of the record */
    rbl_mp_put_z(out, checker->conf->name);
    rbl_mp_put_z(out, RBL_VERSION);
    rbl_mp_put_int(out, m->started);
    rbl_mp_put_int(out, now);
    rbl_metrics_encode(out, number, RBL_M__N);
    pack_resolvers(out, checker);
    pack_lists(out, checker, now);
    deliver_types(m->queues.deliver, out);
    pack_dns(out, checker);
    rbl_conditions_encode(out, m->rows);
    rbl_mp_put_z(out, checker->conf->gateway);
}


static void
on_put(void *data, const redisReply *reply)
{
    rbl_str_t  why;

    (void) data;

    if (reply != NULL && reply->type == REDIS_REPLY_ERROR) {
        why = rbl_reply_error(reply);
        log_warn("the store refused the metrics of this daemon: %.*s",
                 (int) why.n, why.p);
    }
}


static void
put(metrics_t *m)
{
    char       ttl[16];
    rbl_buf_t  buf;
    rbl_key_t  key;

    rbl_buf_init(&buf);
    pack(&buf.out, m);

    snprintf(ttl, sizeof(ttl), "%d", RBL_METRICS_TTL);
    store_command(m->checker->store, on_put, m, RBL_COMMAND("SET",
                  rbl_key(&key, store_keyspace(m->checker->store), 0, "daemon",
                          rbl_str(m->checker->conf->name), RBL_STR("")),
                  rbl_buf_str(&buf), RBL_STR("PX"), rbl_str(ttl)));
    rbl_buf_free(&buf);
}


static void
on_tick(void *data)
{
    metrics_t  *m = data;

    if (++m->ticks % ROTATION == 0) {
        counters_rotate(m->checker->env.counters);
    }

    rate(m);
    sum_queues(m);
    find_health(m->checker);
    m->rows = conditions_look(m->conditions, &m->queues);
    put(m);
    series_tick(m->series, &m->queues);
    service_busy(jobs_in_flight(m->jobs), m->checker->conf->checks_max,
                 dns_engine_counters(m->checker->dns)->in_flight);
    m->room = QUEUES_MAX;
    turns_run(m->ages);
    m->room = 0;
}


metrics_t *
metrics_new(const checker_t *checker, const jobs_t *jobs,
    const deliver_t *deliver)
{
    metrics_t  *m;

    m = xcalloc(1, sizeof(metrics_t));
    m->conditions = conditions_new(checker);
    m->series = series_new(checker, deliver);
    m->checker = checker;
    m->jobs = jobs;
    m->queues.deliver = deliver;
    m->at = clock_now();
    m->ages = turns_new(checker->loop, checker->store, &queues_turns, EVERY,
                          m);
    m->started = clock_date();
    timer_init(&m->timer, checker->loop, on_tick, m);

    return m;
}


void
metrics_free(metrics_t *m)
{
    if (m == NULL) {
        return;
    }

    timer_stop(&m->timer);
    store_forget(m->checker->store, m);

    turns_free(m->ages);
    series_free(m->series);
    conditions_free(m->conditions);
    free(m);
}


/* Writes the first record at once, so that a new daemon is visible at once. */

void
metrics_state(metrics_t *m, int ready)
{
    if (ready) {
        timer_every(&m->timer, 0.2, EVERY);

    } else {
        timer_stop(&m->timer);
    }
}
