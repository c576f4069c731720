/*
 * A round asks all partitions for manual checks, then for hosts that are due,
 * never for more than there is room; it begins at another partition each time.
 * Every fourth round asks for those due first: whoever starts more manual
 * checks than can be done must not end the scheduled ones of everybody.  While
 * there is plenty of room, each partition is asked for both at once.  Jobs
 * whose lease has run out come with either kind, and first.
 */

#include "base/log.h"
#include "jobs_int.h"

#define READ_MAX    100                 /* jobs of one partition a call */
#define DUE_FIRST   4                   /* every so many rounds */
#define BUSY_MAX    64                  /* accounts that get nothing */
#define PLENTY      2                   /* that part of the places is free */

static void take_some(jobs_t *jobs);


static void
on_time(void *data, const redisReply *reply)
{
    int64_t   s, us;
    jobs_t   *jobs = data;

    s = rbl_reply_int(rbl_reply_at(reply, 0), 0);
    us = rbl_reply_int(rbl_reply_at(reply, 1), 0);
    jobs->since = s * 1000 + us / 1000;
}


void
jobs_round(jobs_t *jobs)
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
batch_ends(jobs_t *jobs)
{
    if (jobs->failed) {
        jobs_later(jobs, JOBS_PAUSE);

    } else if (jobs->left > 0) {
        take_some(jobs);

    } else if (--jobs->kinds_left > 0) {
        jobs->kind = jobs->kind == JOB_MANUAL ? JOB_DUE : JOB_MANUAL;
        jobs->left = jobs->partitions;
        take_some(jobs);

    } else if (jobs->more) {
        jobs_round(jobs);

    } else {
        jobs_left_nothing(jobs);
    }
}


static void
on_jobs(void *data, const redisReply *reply)
{
    size_t             i;
    jobs_t            *jobs;
    unsigned           asked, got;
    rbl_str_t          why;
    jobs_slice_t      *slice = data;
    const redisReply  *taken;

    jobs = slice->jobs;
    asked = slice->asked;
    jobs->places[slice->reserved].reading -= asked;
    slice->asked = 0;
    got = 0;

    /* Whatever was taken is begun, even if no more is wanted. */

    if (rbl_str_is(rbl_reply_word(reply), "OK")) {
        for (i = 1; i < rbl_reply_len(reply); i++) {
            jobs->woken = 0;
            taken = rbl_reply_at(reply, i);
            got += taken->type == REDIS_REPLY_ARRAY
                   ? jobs_take_due(jobs, slice, taken)
                   : jobs_take(jobs, slice, rbl_reply_str(taken));
        }

        /* In turns that come to an end it may be less than there is. */

        if (got >= (asked + 1) / 2) {
            jobs->more = 1;
        }

    } else {
        jobs->failed = 1;

        if (reply != NULL) {
            why = rbl_reply_error(reply);
            log_error("cannot claim jobs: %.*s", (int) why.n, why.p);
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

    argv[0] = jobs_key(&slice->leases);
    argv[1] = jobs->kind == JOB_MANUAL ? RBL_STR("md") : RBL_STR("dm");
    argv[1].n -= !jobs->both;
    argv[2] = jobs_number(most, n);
    argv[3] = jobs_number(share, reserved ? jobs_reserved_share(jobs) : n);
    argv[4] = jobs_number(lease, jobs->d->conf->lease * 1000);
    argv[5] = rbl_str(jobs->d->conf->name);
    slice->alone = jobs->alone == 0 && jobs->turn == slice->partition
                   && dns_clock() >= jobs->waited;
    jobs->alone += slice->alone;
    jobs->asked_alone += slice->alone;
    argv[6] = slice->alone ? RBL_STR("1") : RBL_STR("0");
    i = 7;

    if (reserved) {
        i += (int) jobs_shares_busy(&jobs->shares, jobs_reserved_share(jobs),
                                    argv + i, BUSY_MAX);
    }

    slice->asked = n;
    slice->reserved = reserved != 0;
    jobs->places[slice->reserved].reading += n;
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
