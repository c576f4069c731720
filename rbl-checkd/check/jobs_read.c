/*
 * Takes jobs from the store.  A round asks all partitions for manual checks,
 * then for hosts that are due, never for more than there is room; it begins at
 * another partition each time.  Every fourth round asks for those due first:
 * whoever starts more manual checks than can be done must not end the
 * scheduled ones of everybody.  While there is plenty of room, each partition
 * is asked for both at once.  After a round that left nothing, a read that
 * blocks waits for news of manual checks, for as long as hosts may be due
 * unnoticed.  Jobs whose lease has run out come with either kind, and first.
 */

#include "jobs_int.h"
#include "../log.h"

#include <stdio.h>
#include <stdlib.h>

#define PAUSE       0.2                 /* after a failure */
#define GATHER      0.02                /* while there is little room */
#define READ_MAX    100                 /* jobs of one partition a call */
#define DUE_FIRST   4                   /* every so many rounds */
#define BUSY_MAX    64                  /* accounts that get nothing */
#define PLENTY      2                   /* that part of the places is free */

static void take_some(jobs_t *jobs);
static void recall(jobs_slice_t *slice, int64_t rank, int64_t cursor);


static rbl_str_t
number(char buf[24], double v)
{
    int  n;

    n = snprintf(buf, 24, "%.0f", v);
    return (rbl_str_t) { buf, (size_t) n };
}


static rbl_str_t
key_str(const rbl_key_t *key)
{
    return (rbl_str_t) { key->s, key->n };
}


static void
later(jobs_t *jobs, double wait)
{
    jobs->phase = JOBS_IDLE;
    ev_timer_stop(jobs->d->loop, &jobs->timer);
    ev_timer_set(&jobs->timer, wait, 0);
    ev_timer_start(jobs->d->loop, &jobs->timer);
}


static void
on_time(void *data, const redisReply *reply)
{
    int64_t   s, us;
    jobs_t   *jobs = data;

    s = rbl_reply_int(rbl_reply_at(reply, 0), 0);
    us = rbl_reply_int(rbl_reply_at(reply, 1), 0);
    jobs->since = s * 1000 + us / 1000;
}


static void
begin_round(jobs_t *jobs)
{
    int        reserved;
    rbl_str_t  argv[1];

    if (jobs->stopped || !store_ready(jobs->d->store)) {
        jobs->phase = JOBS_OFF;
        return;
    }

    jobs->hungry = 1;

    if (jobs_room(jobs, JOB_MANUAL, &reserved) == 0) {
        jobs->phase = JOBS_IDLE;
        return;
    }

    jobs->hungry = 0;
    jobs->kind = ++jobs->rounds % DUE_FIRST == 0 ? JOB_DUE : JOB_MANUAL;
    jobs->kinds_left = JOB_KINDS;
    jobs->left = jobs->partitions;
    jobs->more = 0;

    argv[0] = RBL_STR("TIME");
    store_command(jobs->d->store, on_time, jobs, 1, argv);
    take_some(jobs);
}


static void
go_on(jobs_t *jobs)
{
    unsigned  p;

    if (jobs->recalled) {
        begin_round(jobs);
        return;
    }

    jobs->phase = JOBS_RECALL;
    jobs->calls = jobs->partitions;
    jobs->failed = 0;

    for (p = 0; p < jobs->partitions; p++) {
        recall(&jobs->slice[p], 0, 0);
    }
}


static void
on_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
    jobs_t  *jobs = w->data;

    (void) loop;
    (void) revents;

    if (jobs->phase == JOBS_IDLE) {
        go_on(jobs);
    }
}


void
jobs_wake(jobs_t *jobs)
{
    if (!jobs->hungry || ev_is_active(&jobs->timer)
        || (jobs->phase != JOBS_IDLE && jobs->phase != JOBS_WAITING))
    {
        return;
    }

    /* A little more room makes one call of what would be many. */

    later(jobs, GATHER);
}


static void
on_news(void *data, const redisReply *reply)
{
    jobs_t  *jobs = data;

    jobs->listening = 0;

    if (jobs->phase != JOBS_WAITING) {
        return;
    }

    if (reply == NULL || reply->type == REDIS_REPLY_ERROR) {
        later(jobs, PAUSE);
        return;
    }

    jobs->phase = JOBS_IDLE;
    jobs->woken = reply->type == REDIS_REPLY_ARRAY;
    begin_round(jobs);
}


static void
wait_for_news(jobs_t *jobs)
{
    int         n, i;
    char        id[64], block[24];
    unsigned    p;
    rbl_str_t  *argv;

    jobs->phase = JOBS_WAITING;

    /* One that still blocks began earlier, and misses nothing. */

    if (jobs->listening) {
        return;
    }

    argv = store_ready(jobs->reader)
           ? malloc((2 * jobs->partitions + 6) * sizeof(rbl_str_t)) : NULL;
    if (argv == NULL) {
        later(jobs, PAUSE);
        return;
    }

    /* Everything that came in the round's first millisecond or later. */

    n = snprintf(id, sizeof(id), "%lld-18446744073709551615",
                 (long long) (jobs->since - 1));
    argv[0] = RBL_STR("XREAD");
    argv[1] = RBL_STR("COUNT");
    argv[2] = RBL_STR("1");
    argv[3] = RBL_STR("BLOCK");
    argv[4] = number(block, JOBS_BLOCK * 1000);
    argv[5] = RBL_STR("STREAMS");
    i = 6;

    for (p = 0; p < jobs->partitions; p++) {
        argv[i++] = key_str(&jobs->slice[p].news);
    }

    for (p = 0; p < jobs->partitions; p++) {
        argv[i++] = (rbl_str_t) { id, (size_t) n };
    }

    jobs->listening = 1;
    store_command(jobs->reader, on_news, jobs, i, argv);
    free(argv);
}


/* A whole round left nothing. */

static void
left_nothing(jobs_t *jobs)
{
    jobs->next = (jobs->next + 1) % jobs->partitions;

    /*
     * News that were no jobs for us: others were faster, or the clock of the
     * store went back and old news look new.
     */

    if (jobs->woken) {
        jobs->woken = 0;
        later(jobs, GATHER);
        return;
    }

    wait_for_news(jobs);
}


static void
batch_ends(jobs_t *jobs)
{
    if (jobs->failed) {
        later(jobs, PAUSE);

    } else if (jobs->left > 0) {
        take_some(jobs);

    } else if (--jobs->kinds_left > 0) {
        jobs->kind = jobs->kind == JOB_MANUAL ? JOB_DUE : JOB_MANUAL;
        jobs->left = jobs->partitions;
        take_some(jobs);

    } else if (jobs->more) {
        begin_round(jobs);

    } else {
        left_nothing(jobs);
    }
}


static void
on_jobs(void *data, const redisReply *reply)
{
    size_t             i;
    jobs_t            *jobs;
    unsigned           asked, got;
    jobs_slice_t      *slice = data;
    const redisReply  *taken;

    jobs = slice->jobs;
    asked = slice->asked;
    jobs->reading -= asked;
    slice->asked = 0;
    got = 0;

    /* Whatever was taken is begun, even if no more is wanted. */

    if (rbl_str_is(rbl_reply_word(reply), "OK")) {
        for (i = 1; i < rbl_reply_len(reply); i++) {
            jobs->woken = 0;
            taken = rbl_reply_at(reply, i);
            got += taken->type == REDIS_REPLY_ARRAY
                   ? jobs_take_due(jobs, slice->partition, taken)
                   : jobs_take(jobs, slice->partition, rbl_reply_str(taken));
        }

        /* In turns that come to an end it may be less than there is. */

        if (got >= (asked + 1) / 2) {
            jobs->more = 1;
        }

    } else {
        jobs->failed = 1;

        if (reply != NULL) {
            log_error("jobs cannot be taken: %.120s",
                      reply->type == REDIS_REPLY_ERROR ? reply->str
                                                       : "nonsense");
        }
    }

    /* The turn stays where there was one: there may be more. */

    if (slice->alone) {
        jobs->alone--;
        jobs->asked_alone--;

        if (jobs->alone == 0) {
            jobs->turn = (jobs->turn + 1) % jobs->partitions;
        }

        slice->alone = 0;
    }

    if (--jobs->calls == 0 && jobs->phase == JOBS_READING) {
        batch_ends(jobs);
    }
}


static void
call_take(jobs_t *jobs, jobs_slice_t *slice, unsigned n, int reserved)
{
    int        i;
    char       most[24], share[24], lease[24];
    rbl_str_t  argv[7 + BUSY_MAX];

    argv[0] = key_str(&slice->leases);
    argv[1] = jobs->kind == JOB_MANUAL ? RBL_STR("md") : RBL_STR("dm");
    argv[1].n -= !jobs->both;
    argv[2] = number(most, n);
    argv[3] = number(share, reserved ? jobs_reserved_share(jobs) : n);
    argv[4] = number(lease, jobs->d->conf->lease * 1000);
    argv[5] = rbl_str(jobs->d->conf->name);
    slice->alone = jobs->alone == 0 && jobs->turn == slice->partition
                   && ev_now(jobs->d->loop) >= jobs->waited;
    jobs->alone += slice->alone;
    jobs->asked_alone += slice->alone;
    argv[6] = slice->alone ? RBL_STR("1") : RBL_STR("0");
    i = 7;

    if (reserved) {
        i += (int) jobs_shares_busy(&jobs->shares, jobs_reserved_share(jobs),
                                    argv + i, BUSY_MAX);
    }

    slice->asked = n;
    jobs->reading += n;
    jobs->calls++;
    store_script(jobs->d->store, &rbl_script_check_take, on_jobs, slice, 1, i,
                 argv);
}


/* From as many partitions, and as much of each, as there is room for. */

static void
take_some(jobs_t *jobs)
{
    int       reserved;
    unsigned  room, each, asked, i;

    room = jobs_room(jobs, jobs->kind, &reserved);

    if (jobs->kind == JOB_DUE && !jobs->d->conf->schedule) {
        room = 0;

    } else if (room == 0 || reserved) {
        jobs->hungry = 1;
    }

    jobs->both = jobs->kinds_left == JOB_KINDS
                 && jobs->left == jobs->partitions
                 && jobs->d->conf->schedule && !reserved
                 && room >= jobs->d->conf->checks_max / PLENTY
                 && room >= jobs->partitions;
    jobs->kinds_left -= jobs->both;

    jobs->phase = JOBS_READING;
    jobs->failed = 0;

    if (room == 0) {
        jobs->left = 0;
        batch_ends(jobs);
        return;
    }

    asked = room < jobs->left ? room : jobs->left;
    each = room / asked;
    each = each > READ_MAX ? READ_MAX : each;

    for (i = 0; i < asked; i++) {
        call_take(jobs, &jobs->slice[jobs->next], each, reserved);
        jobs->next = (jobs->next + 1) % jobs->partitions;
        jobs->left--;
    }

    if (jobs->calls == 0) {
        batch_ends(jobs);
    }
}


static void
on_recall(void *data, const redisReply *reply)
{
    jobs_t        *jobs;
    int64_t        rank, cursor;
    jobs_slice_t  *slice = data;

    jobs = slice->jobs;

    if (!rbl_str_is(rbl_reply_word(reply), "OK")) {
        jobs->failed = 1;

        if (reply != NULL) {
            log_error("jobs cannot be taken back: %.120s",
                      reply->type == REDIS_REPLY_ERROR ? reply->str
                                                       : "nonsense");
        }

    } else {
        rank = rbl_reply_int(rbl_reply_at(reply, 1), -1);
        cursor = rbl_reply_int(rbl_reply_at(reply, 2), -1);

        if ((rank > 0 || cursor > 0) && jobs->phase == JOBS_RECALL) {
            recall(slice, rank, cursor);
            return;
        }
    }

    if (--jobs->calls > 0 || jobs->phase != JOBS_RECALL) {
        return;
    }

    if (jobs->failed) {
        later(jobs, PAUSE);
        return;
    }

    jobs->recalled = 1;
    begin_round(jobs);
}


static void
recall(jobs_slice_t *slice, int64_t rank, int64_t cursor)
{
    char       ranks[24], cursors[24];
    jobs_t    *jobs;
    rbl_str_t  argv[4];

    jobs = slice->jobs;
    argv[0] = key_str(&slice->leases);
    argv[1] = rbl_str(jobs->d->conf->name);
    argv[2] = number(ranks, (double) rank);
    argv[3] = number(cursors, (double) cursor);

    store_script(jobs->d->store, &rbl_script_check_recall, on_recall, slice, 1,
                 4, argv);
}


static int
make_slices(jobs_t *jobs)
{
    unsigned               p;
    rbl_str_t              none;
    jobs_slice_t          *slice;
    const rbl_keyspace_t  *ks;

    if (jobs->slice != NULL) {
        return 0;
    }

    none = RBL_STR("");
    ks = store_keyspace(jobs->d->store);
    jobs->slice = calloc(ks->partitions, sizeof(jobs_slice_t));
    if (jobs->slice == NULL) {
        return -1;
    }

    for (p = 0; p < ks->partitions; p++) {
        slice = &jobs->slice[p];
        slice->jobs = jobs;
        slice->partition = p;
        (void) rbl_key(&slice->leases, ks, p, "leases", none, none);
        (void) rbl_key(&slice->news, ks, p, "news", none, none);
    }

    jobs->partitions = ks->partitions;
    jobs->next = (unsigned) (daemon_jitter() * jobs->partitions);
    jobs->turn = jobs->next;
    return 0;
}


void
jobs_read_start(jobs_t *jobs)
{
    if (make_slices(jobs) != 0) {
        log_error("out of memory: no jobs are taken");
        return;
    }

    if (jobs->phase == JOBS_OFF) {
        later(jobs, jobs->calls == 0 ? 0 : PAUSE);
    }
}


static void
on_reader(void *data, int ready)
{
    (void) data;
    (void) ready;
}


int
jobs_read_init(jobs_t *jobs)
{
    jobs->reader = store_new(jobs->d->loop, jobs->d->conf, JOBS_BLOCK,
                             on_reader, jobs);
    ev_timer_init(&jobs->timer, on_timer, 0, 0);
    jobs->timer.data = jobs;

    return jobs->reader != NULL ? 0 : -1;
}


void
jobs_read_stop(jobs_t *jobs)
{
    jobs->phase = JOBS_OFF;
    ev_timer_stop(jobs->d->loop, &jobs->timer);
}


void
jobs_read_free(jobs_t *jobs)
{
    unsigned  p;

    jobs_read_stop(jobs);
    store_forget(jobs->d->store, jobs);

    for (p = 0; p < jobs->partitions; p++) {
        store_forget(jobs->d->store, &jobs->slice[p]);
    }

    if (jobs->reader != NULL) {
        store_forget(jobs->reader, jobs);
        store_free(jobs->reader);
    }

    free(jobs->slice);
}
