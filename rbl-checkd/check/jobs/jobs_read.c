/*
 * When the daemon claims jobs.  It first releases the jobs that its name had
 * before.  Then it makes rounds (jobs_round.c) while partitions are marked and
 * slots are free.  Then it waits for news of a manual check, for a free slot,
 * or for the time of the next sweep.
 */

#include "base/jitter.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "jobs_int.h"

#include <stdio.h>
#include <stdlib.h>

static void recall(jobs_slice_t *slice, int64_t rank, int64_t cursor);


rbl_str_t
jobs_number(char buf[24], double v)
{
    int  n;

    n = snprintf(buf, 24, "%.0f", v);
    return (rbl_str_t) { buf, (size_t) n };
}


rbl_str_t
jobs_key(const rbl_key_t *key)
{
    return (rbl_str_t) { key->s, key->n };
}


static void
after(jobs_t *jobs, double wait)
{
    ev_timer_stop(jobs->checker->loop, &jobs->timer);
    ev_timer_set(&jobs->timer, wait, 0);
    ev_timer_start(jobs->checker->loop, &jobs->timer);
}


void
jobs_later(jobs_t *jobs, double wait)
{
    jobs->phase = JOBS_IDLE;
    after(jobs, wait);
}


int
jobs_usable(const jobs_slice_t *slice)
{
    return slice->recalled && slice->later <= clock_now();
}


/* Partitions that were away when the others were recalled do not delay them. */

static void
go_on(jobs_t *jobs)
{
    double         now;
    unsigned       p;
    jobs_slice_t  *slice;

    now = clock_now();

    for (p = 0; p < jobs->partitions; p++) {
        slice = &jobs->slice[p];

        if (!slice->recalled && slice->later <= now) {
            jobs->phase = JOBS_RECALL;
            jobs->calls++;
            recall(slice, 0, 0);
        }
    }

    if (jobs->calls == 0) {
        jobs_round(jobs);
    }
}


static void
on_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
    jobs_t  *jobs = w->data;

    (void) loop;
    (void) revents;

    if (jobs->phase == JOBS_IDLE || jobs->phase == JOBS_WAITING) {
        go_on(jobs);
    }
}


void
jobs_wake(jobs_t *jobs)
{
    if (!jobs->hungry) {
        return;
    }

    /* A short wait for more room replaces many calls by one; news do not
       wait for it. */

    if (jobs->phase == JOBS_WAITING
        ? ev_timer_remaining(jobs->checker->loop, &jobs->timer) > JOBS_GATHER
        : jobs->phase == JOBS_IDLE && !ev_is_active(&jobs->timer))
    {
        after(jobs, JOBS_GATHER);
    }
}


/* A check of that account waits. */

static void
on_news(void *data, rbl_str_t account)
{
    unsigned   p;
    jobs_t    *jobs = data;

    if (jobs->slice == NULL) {
        return;
    }

    p = rbl_partition(store_keyspace(jobs->checker->store), account);
    jobs->slice[p].marks |= JOBS_MANUAL | JOBS_URGENT;
    jobs->news = 1;

    if (jobs->phase == JOBS_WAITING) {
        ev_timer_stop(jobs->checker->loop, &jobs->timer);
        jobs_round(jobs);
    }
}


void
jobs_rest(jobs_t *jobs)
{
    int     reserved;
    double  wait;

    if (jobs_room(jobs, &reserved) == 0) {
        jobs->hungry = 1;
        jobs->phase = JOBS_IDLE;

    } else {
        jobs->hungry = (unsigned) jobs_marked(jobs);
        jobs->phase = JOBS_WAITING;
        wait = jobs->swept + JOBS_BLOCK - clock_now();
        after(jobs, wait > JOBS_GATHER ? wait : JOBS_GATHER);
    }
}


static void
on_recall(void *data, const redisReply *reply)
{
    jobs_t                   *jobs;
    rbl_str_t                 why;
    jobs_slice_t             *slice = data;
    rbl_check_recall_reply_t  said;

    jobs = slice->jobs;
    rbl_check_recall_reply(&said, reply);

    if (said.word != RBL_CHECK_RECALL_OK) {
        slice->later = clock_now() + JOBS_PAUSE;

        if (reply != NULL) {
            why = rbl_reply_error(reply);
            log_error("cannot reclaim jobs of partition %u: %.*s",
                      slice->partition, (int) why.n, why.p);
        }

    } else if (said.rank <= 0 && said.cursor <= 0) {
        slice->recalled = 1;

    } else if (jobs->phase == JOBS_RECALL) {
        recall(slice, said.rank, said.cursor);
        return;
    }

    jobs_call_ends(jobs);
}


static void
recall(jobs_slice_t *slice, int64_t rank, int64_t cursor)
{
    char                     ranks[24], cursors[24];
    jobs_t                  *jobs;
    rbl_check_recall_args_t  args;

    jobs = slice->jobs;
    args.leases = jobs_key(&slice->leases);
    args.daemon = rbl_str(jobs->checker->conf->name);
    args.rank = jobs_number(ranks, (double) rank);
    args.cursor = jobs_number(cursors, (double) cursor);

    store_call(jobs->checker->store, check_recall, on_recall, slice, args);
}


static void
make_slices(jobs_t *jobs)
{
    unsigned               p;
    rbl_str_t              none;
    jobs_slice_t          *slice;
    const rbl_keyspace_t  *ks;

    if (jobs->slice != NULL) {
        return;
    }

    none = RBL_STR("");
    ks = store_keyspace(jobs->checker->store);
    jobs->slice = xcalloc(ks->partitions, sizeof(jobs_slice_t));

    for (p = 0; p < ks->partitions; p++) {
        slice = &jobs->slice[p];
        slice->jobs = jobs;
        slice->partition = p;
        (void) rbl_key(&slice->leases, ks, p, "leases", none, none);
    }

    jobs->partitions = ks->partitions;
    jobs->alone_partition = (unsigned) (jitter() * jobs->partitions);
    jobs->next = jobs->alone_partition;
    jobs->next_due = jobs->alone_partition;
    jobs->next_reserved = jobs->alone_partition;
}


void
jobs_read_start(jobs_t *jobs)
{
    unsigned  p;

    make_slices(jobs);
    jobs->swept = 0;

    if (jobs->phase == JOBS_OFF) {
        jobs_later(jobs, jobs->calls == 0 ? 0 : JOBS_PAUSE);
        return;
    }

    /* a part of the store is back */

    for (p = 0; p < jobs->partitions; p++) {
        jobs->slice[p].later = 0;
    }

    if (jobs->phase == JOBS_IDLE || jobs->phase == JOBS_WAITING) {
        after(jobs, 0);
    }
}


void
jobs_read_init(jobs_t *jobs)
{
    jobs->listener = store_listen(jobs->checker->store, on_news, jobs);
    ev_timer_init(&jobs->timer, on_timer, 0, 0);
    jobs->timer.data = jobs;
}


void
jobs_read_stop(jobs_t *jobs)
{
    jobs->phase = JOBS_OFF;
    ev_timer_stop(jobs->checker->loop, &jobs->timer);
}


void
jobs_read_free(jobs_t *jobs)
{
    unsigned  p;

    jobs_read_stop(jobs);
    store_forget(jobs->checker->store, jobs);

    for (p = 0; p < jobs->partitions; p++) {
        store_forget(jobs->checker->store, &jobs->slice[p]);
    }

    store_free(jobs->listener);
    free(jobs->slice);
}
