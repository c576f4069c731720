/*
 * The scheduler.  Each partition has a time when it is asked next; one tick
 * looks at all of them.  The number of check SIDs sent grows only where there
 * is work for them.  Jobs are made a little ahead of what is being done, so
 * that a daemon full of manual checks does not keep hosts from being queued.
 */

#include "schedule.h"
#include "../log.h"
#include "rbl_sid.h"

#include <stdio.h>
#include <stdlib.h>

#define TICK      0.1
#define WAIT_MIN  0.05
#define WAIT_MAX  0.4                   /* a new host is due at once */
#define FEW       8
#define MANY      128
#define AHEAD     4                     /* times checks_max, jobs made ahead */

typedef struct {
    schedule_t  *schedule;
    unsigned     partition;
    unsigned     asked;                 /* SIDs in the call under way */
    unsigned     want;                  /* SIDs in the next one */
    double       at;
    int          busy;
} slice_t;

struct schedule_s {
    daemon_t  *d;
    ev_timer   timer;
    unsigned   n;
    slice_t   *slice;
};


double
schedule_wait(unsigned asked, int64_t claimed, int64_t wait)
{
    double  s;

    if (claimed >= (int64_t) asked) {
        return 0;                       /* there may be more */
    }

    s = (double) wait / 1000;

    if (wait < 0 || s > WAIT_MAX) {
        return WAIT_MAX;
    }

    return s < WAIT_MIN ? WAIT_MIN : s;
}


static void
on_due(void *data, const redisReply *reply)
{
    double    now;
    int64_t   claimed;
    slice_t  *slice = data;

    now = ev_now(slice->schedule->d->loop);
    slice->busy = 0;

    if (!rbl_str_is(rbl_reply_word(reply), "OK")) {
        if (reply != NULL) {
            log_error("hosts that are due cannot be claimed: %.120s",
                      reply->type == REDIS_REPLY_ERROR ? reply->str
                                                       : "nonsense");
        }

        slice->at = now + 1;
        return;
    }

    claimed = rbl_reply_int(rbl_reply_at(reply, 1), 0);

    slice->at = now + schedule_wait(slice->asked, claimed,
                                    rbl_reply_int(rbl_reply_at(reply, 2), -1));
    slice->want = claimed >= (int64_t) slice->asked ? slice->asked * 4 : FEW;
    if (slice->want > MANY) {
        slice->want = MANY;
    }
}


static void
ask(slice_t *slice, unsigned n)
{
    unsigned    i;
    daemon_t   *d;
    rbl_key_t   key;
    rbl_sid_t   sid[MANY];
    char        max[24];
    rbl_str_t   argv[2 + MANY];

    d = slice->schedule->d;
    argv[0] = rbl_key(&key, store_keyspace(d->store), slice->partition, "due",
                      RBL_STR(""), RBL_STR(""));

    argv[1].p = max;
    argv[1].n = (size_t) snprintf(max, sizeof(max), "%u",
                                  AHEAD * d->conf->checks_max + FEW);

    for (i = 0; i < n; i++) {
        if (rbl_sid_make(&sid[i], RBL_SID_CHECK) != RBL_OK) {
            log_error("the system gives no random bytes");
            return;
        }

        argv[2 + i] = rbl_sid_str(&sid[i]);
    }

    slice->busy = 1;
    slice->asked = n;
    store_script(d->store, &rbl_script_check_due, on_due, slice, 1,
                 2 + (int) n, argv);
}


static void
on_tick(struct ev_loop *loop, ev_timer *w, int revents)
{
    double       now;
    unsigned     i;
    slice_t     *slice;
    schedule_t  *schedule = w->data;

    (void) revents;

    now = ev_now(loop);

    for (i = 0; i < schedule->n; i++) {
        slice = &schedule->slice[i];

        if (!slice->busy && now >= slice->at) {
            ask(slice, slice->want);
        }
    }
}


static int
make_slices(schedule_t *schedule)
{
    unsigned  i, n;

    if (schedule->n != 0) {
        return 0;
    }

    n = store_keyspace(schedule->d->store)->partitions;
    schedule->slice = calloc(n, sizeof(slice_t));
    if (schedule->slice == NULL) {
        return -1;
    }

    schedule->n = n;

    for (i = 0; i < n; i++) {
        schedule->slice[i].schedule = schedule;
        schedule->slice[i].partition = i;
        schedule->slice[i].want = FEW;
        schedule->slice[i].at = ev_now(schedule->d->loop)
                                + daemon_jitter() * WAIT_MAX;
    }

    return 0;
}


schedule_t *
schedule_new(daemon_t *d)
{
    schedule_t  *schedule;

    schedule = calloc(1, sizeof(schedule_t));
    if (schedule == NULL) {
        return NULL;
    }

    schedule->d = d;
    ev_timer_init(&schedule->timer, on_tick, TICK, TICK);
    schedule->timer.data = schedule;

    return schedule;
}


void
schedule_state(schedule_t *schedule, int ready)
{
    if (!ready || !schedule->d->conf->schedule) {
        schedule_stop(schedule);
        return;
    }

    if (make_slices(schedule) != 0) {
        log_error("out of memory: nothing is scheduled");
        return;
    }

    ev_timer_again(schedule->d->loop, &schedule->timer);
}


void
schedule_stop(schedule_t *schedule)
{
    ev_timer_stop(schedule->d->loop, &schedule->timer);
}


void
schedule_free(schedule_t *schedule)
{
    unsigned  i;

    if (schedule == NULL) {
        return;
    }

    schedule_stop(schedule);

    for (i = 0; i < schedule->n; i++) {
        store_forget(schedule->d->store, &schedule->slice[i]);
    }

    free(schedule->slice);
    free(schedule);
}
