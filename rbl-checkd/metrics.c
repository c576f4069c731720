/*
 * A tick: packs the record and sends it, and reads the waiting times of the
 * queues of some partitions.  There may be a thousand partitions, so one tick
 * reads at most QUEUES_MAX; for the others the last known values are used.
 */

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "check/lists/counters.h"
#include "conditions.h"
#include "metrics.h"
#include "metrics_pack.h"
#include "service.h"
#include "store/turns.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define EVERY       5.0                 /* s */
#define ROTATION    6                   /* ticks between counters_rotate */
#define QUEUES_MAX  64

typedef struct {
    turn_t   turn;
    int64_t  manual_ms, due_ms, deliver_ms;
} queue_age_t;

struct metrics_s {
    const checker_t  *checker;
    const jobs_t     *jobs;
    ev_timer          timer;
    metrics_more_t    more;
    conditions_t     *conditions;
    uint64_t          checks;           /* at the last tick */
    double            at;
    unsigned          ticks;
    turns_t          *queues;
    unsigned          room;             /* for queues, during a tick */
};


static void
on_queue(void *data, const redisReply *reply)
{
    queue_age_t           *q = data;
    rbl_queue_age_reply_t  said;

    rbl_queue_age_reply(&said, reply);
    q->manual_ms = said.word == RBL_QUEUE_AGE_OK ? said.manual : -1;
    q->due_ms = said.word == RBL_QUEUE_AGE_OK ? said.due : -1;
    q->deliver_ms = said.word == RBL_QUEUE_AGE_OK ? said.deliver : -1;
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
sum_queues(metrics_t *m)
{
    unsigned            i;
    const queue_age_t  *q;

    m->more.manual_ms = -1;
    m->more.due_ms = -1;
    m->more.deliver_ms = -1;

    for (i = 0; i < turns_parts(m->queues); i++) {
        q = (const queue_age_t *) turns_part(m->queues, i);
        m->more.manual_ms = q->manual_ms > m->more.manual_ms
                            ? q->manual_ms : m->more.manual_ms;
        m->more.due_ms = q->due_ms > m->more.due_ms ? q->due_ms
                                                    : m->more.due_ms;
        m->more.deliver_ms = q->deliver_ms > m->more.deliver_ms
                             ? q->deliver_ms : m->more.deliver_ms;
    }
}


static void
rate(metrics_t *m)
{
    double    now, passed;
    uint64_t  checks;

    now = clock_now();
    passed = now - m->at;
    checks = metrics_checks(m->checker);

    if (passed >= EVERY / 2) {
        m->more.rate = (int64_t) ((double) (checks - m->checks) * 1000
                                  / passed);
        m->checks = checks;
        m->at = now;
    }
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
    metrics_pack(&buf.out, m->checker, m->jobs, &m->more);

    snprintf(ttl, sizeof(ttl), "%d", RBL_METRICS_TTL);
    store_command(m->checker->store, on_put, m, RBL_COMMAND("SET",
                  rbl_key(&key, store_keyspace(m->checker->store), 0, "daemon",
                          rbl_str(m->checker->conf->name), RBL_STR("")),
                  rbl_buf_str(&buf), RBL_STR("PX"), rbl_str(ttl)));
    rbl_buf_free(&buf);
}


static void
note_store(metrics_t *m)
{
    const store_facts_t      *facts = conditions_facts(m->conditions);
    const store_sentinels_t  *sentinels = store_sentinels(m->checker->store);

    m->more.replicas = facts->nodes > 0 ? (int64_t) facts->replicas : -1;
    m->more.lag_ms = facts->nodes > 0 && facts->replicas > 0
                     ? facts->lag * 1000 : -1;
    m->more.sentinels = sentinels->n > 0 ? (int64_t) sentinels->up : -1;
}


static void
on_tick(struct ev_loop *loop, ev_timer *w, int revents)
{
    metrics_t  *m = w->data;

    (void) loop;
    (void) revents;

    if (++m->ticks % ROTATION == 0) {
        counters_rotate(m->checker->env.counters);
    }

    rate(m);
    sum_queues(m);
    metrics_health(m->checker);
    m->more.conditions = conditions_look(m->conditions, &m->more);
    note_store(m);
    put(m);
    service_busy(jobs_in_flight(m->jobs), m->checker->conf->checks_max,
                 dns_engine_counters(m->checker->dns)->in_flight);
    m->room = QUEUES_MAX;
    turns_run(m->queues);
    m->room = 0;
}


metrics_t *
metrics_new(const checker_t *checker, const jobs_t *jobs,
    const deliver_t *deliver)
{
    metrics_t        *m;
    struct timespec   ts;

    m = xcalloc(1, sizeof(metrics_t));
    m->conditions = conditions_new(checker);
    clock_gettime(CLOCK_REALTIME, &ts);
    m->checker = checker;
    m->jobs = jobs;
    m->more.deliver = deliver;
    m->at = clock_now();
    m->queues = turns_new(checker->loop, checker->store, &queues_turns, EVERY,
                          m);
    m->more.started = (int64_t) ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
    ev_timer_init(&m->timer, on_tick, EVERY, EVERY);
    m->timer.data = m;

    return m;
}


void
metrics_free(metrics_t *m)
{
    if (m == NULL) {
        return;
    }

    ev_timer_stop(m->checker->loop, &m->timer);
    store_forget(m->checker->store, m);

    turns_free(m->queues);
    conditions_free(m->conditions);
    free(m);
}


/* Writes the first record at once, so that a new daemon is visible at once. */

void
metrics_state(metrics_t *m, int ready)
{
    ev_timer_stop(m->checker->loop, &m->timer);

    if (ready) {
        ev_timer_set(&m->timer, 0.2, EVERY);
        ev_timer_start(m->checker->loop, &m->timer);
    }
}
