/*
 * Takes over what was left behind: jobs that a daemon read and did not end
 * within the lease.  A sweep walks the streams one by one: XPENDING tells what
 * is idle, XCLAIM brings it in; the store sees to it that only one daemon gets
 * each.  The first sweep takes back at once what this daemon's own name holds,
 * for nobody else runs it.
 */

#include "jobs.h"
#include "jobs_entry.h"
#include "../log.h"

#include <stdio.h>
#include <stdlib.h>

#define CLAIM_MAX      64
#define DELIVERED_MAX  3                /* deliveries, then a job is ended */
#define SOON           1.0              /* when a sweep found no room */

struct takeover_s {
    daemon_t    *d;
    jobs_t      *jobs;
    ev_timer     timer;
    unsigned     running:1;
    unsigned     busy:1;                /* a sweep is under way */
    unsigned     own_done:1;
    unsigned     short_of_room:1;
    unsigned     at;                    /* 2 x partition + kind */
    unsigned     n;                     /* what is being claimed */
    char         id[CLAIM_MAX][JOB_ID_MAX];
    unsigned char  spent[CLAIM_MAX];    /* 1: delivered too often */
};

static void look(takeover_t *t);


static job_kind_t
kind_at(const takeover_t *t)
{
    return (job_kind_t) (t->at % JOB_KINDS);
}


static unsigned
partition_at(const takeover_t *t)
{
    return t->at / JOB_KINDS;
}


static rbl_str_t
lease_ms(const takeover_t *t, char buf[24])
{
    int  n;

    n = snprintf(buf, 24, "%.0f", t->own_done ? t->d->conf->lease * 1000 : 0);
    return (rbl_str_t) { buf, (size_t) n };
}


static void
arm(takeover_t *t, double wait)
{
    ev_timer_stop(t->d->loop, &t->timer);
    ev_timer_set(&t->timer, wait, 0);
    ev_timer_start(t->d->loop, &t->timer);
}


static void
sweep_ends(takeover_t *t, int whole)
{
    double  wait;

    t->busy = 0;
    if (!t->running) {
        return;
    }

    if (whole) {
        t->own_done = 1;
    }

    wait = t->d->conf->lease / 4 * (0.75 + daemon_jitter() / 2);
    if (t->short_of_room && wait > SOON) {
        wait = SOON;
    }

    arm(t, wait);
}


static unsigned
streams(const takeover_t *t)
{
    return JOB_KINDS * store_keyspace(t->d->store)->partitions;
}


static void
next_stream(takeover_t *t)
{
    t->at++;

    if (t->at == streams(t)) {
        t->at = 0;
        sweep_ends(t, 1);
        return;
    }

    look(t);
}


static const char *
verdict_of(const takeover_t *t, rbl_str_t id)
{
    unsigned  i;

    for (i = 0; i < t->n; i++) {
        if (rbl_str_is(id, t->id[i]) && t->spent[i]) {
            return "The check ended its checker 3 times.";
        }
    }

    return NULL;
}


static void
on_claim(void *data, const redisReply *reply)
{
    size_t             i;
    rbl_str_t          id;
    takeover_t        *t = data;
    const redisReply  *entry;

    jobs_reserve(t->jobs, -(int) t->n);

    for (i = 0; i < rbl_reply_len(reply); i++) {
        entry = rbl_reply_at(reply, i);
        id = rbl_reply_str(rbl_reply_at(entry, 0));

        if (id.p == NULL || jobs_has(t->jobs, kind_at(t), partition_at(t), id))
        {
            continue;
        }

        log_notice("taking over job %.*s of %s, partition %u", (int) id.n,
                   id.p, job_streams[kind_at(t)], partition_at(t));
        jobs_take(t->jobs, kind_at(t), partition_at(t), entry,
                  verdict_of(t, id));
    }

    jobs_wake(t->jobs);                 /* reserved room may be free again */

    if (reply == NULL || !t->running) {
        sweep_ends(t, 0);
        return;
    }

    next_stream(t);
}


static void
claim(takeover_t *t)
{
    char       idle[24];
    unsigned   i;
    rbl_str_t  argv[5 + CLAIM_MAX];

    argv[0] = RBL_STR("XCLAIM");
    argv[1] = jobs_key(t->jobs, kind_at(t), partition_at(t));
    argv[2] = RBL_STR(JOBS_GROUP);
    argv[3] = rbl_str(t->d->conf->name);
    argv[4] = lease_ms(t, idle);

    for (i = 0; i < t->n; i++) {
        argv[5 + i] = rbl_str(t->id[i]);
    }

    jobs_reserve(t->jobs, (int) t->n);
    store_command(t->d->store, on_claim, t, 5 + (int) t->n, argv);
}


/* Notes the entries [id, consumer, idle, deliveries] that may be claimed. */

static void
pick(takeover_t *t, const redisReply *reply)
{
    size_t             i;
    unsigned           room;
    rbl_str_t          id;
    const redisReply  *entry;

    t->n = 0;
    room = jobs_claim_room(t->jobs);

    for (i = 0; i < rbl_reply_len(reply); i++) {
        entry = rbl_reply_at(reply, i);
        id = rbl_reply_str(rbl_reply_at(entry, 0));

        if (id.p == NULL || !jobs_id_ok(id)
            || jobs_has(t->jobs, kind_at(t), partition_at(t), id))
        {
            continue;
        }

        if (t->n == room || t->n == CLAIM_MAX) {
            t->short_of_room = 1;
            return;
        }

        memcpy(t->id[t->n], id.p, id.n);
        t->id[t->n][id.n] = '\0';
        t->spent[t->n] = rbl_reply_int(rbl_reply_at(entry, 3), 0)
                         >= DELIVERED_MAX;
        t->n++;
    }
}


static void
on_pending(void *data, const redisReply *reply)
{
    takeover_t  *t = data;

    if (!t->running || rbl_reply_class(reply) != RBL_REPLY_OK
        || reply->type != REDIS_REPLY_ARRAY)
    {
        /* the next sweep goes on behind it */

        t->at = (t->at + 1) % streams(t);
        sweep_ends(t, 0);
        return;
    }

    pick(t, reply);

    if (t->n > 0) {
        claim(t);
        return;
    }

    next_stream(t);
}


/*
 * What this daemon has in flight shows too when it reads its own name, so more
 * is asked for than can be claimed.
 */

static void
look(takeover_t *t)
{
    int        n;
    char       idle[24], count[24];
    rbl_str_t  argv[9];

    if (jobs_claim_room(t->jobs) == 0) {
        t->short_of_room = 1;
        sweep_ends(t, 0);
        return;
    }

    n = snprintf(count, sizeof(count), "%u",
                 CLAIM_MAX + jobs_in_flight(t->jobs));

    argv[0] = RBL_STR("XPENDING");
    argv[1] = jobs_key(t->jobs, kind_at(t), partition_at(t));
    argv[2] = RBL_STR(JOBS_GROUP);
    argv[3] = RBL_STR("IDLE");
    argv[4] = lease_ms(t, idle);
    argv[5] = RBL_STR("-");
    argv[6] = RBL_STR("+");
    argv[7] = (rbl_str_t) { count, (size_t) n };
    argv[8] = rbl_str(t->d->conf->name);

    store_command(t->d->store, on_pending, t, t->own_done ? 8 : 9, argv);
}


static void
on_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
    takeover_t  *t = w->data;

    (void) loop;
    (void) revents;

    if (t->busy || !t->running) {
        return;
    }

    t->busy = 1;
    t->short_of_room = 0;
    look(t);
}


takeover_t *
takeover_new(daemon_t *d, jobs_t *jobs)
{
    takeover_t  *t;

    t = calloc(1, sizeof(takeover_t));
    if (t == NULL) {
        return NULL;
    }

    t->d = d;
    t->jobs = jobs;
    ev_timer_init(&t->timer, on_timer, 0, 0);
    t->timer.data = t;

    return t;
}


void
takeover_free(takeover_t *t)
{
    if (t == NULL) {
        return;
    }

    takeover_stop(t);
    store_forget(t->d->store, t);
    free(t);
}


void
takeover_start(takeover_t *t)
{
    if (t->running) {
        return;
    }

    t->running = 1;
    arm(t, 0);
}


void
takeover_stop(takeover_t *t)
{
    t->running = 0;
    ev_timer_stop(t->d->loop, &t->timer);
}
