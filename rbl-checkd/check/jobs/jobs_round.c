/*
 * A whole round calls all partitions for manual checks, and for as many due
 * hosts as there is room for; the next round continues with the partition after
 * the last one.  No call claims more jobs than there is room for.  Partitions
 * without a main slot are called for jobs that may use a reserved one, so that
 * all are called even if there is hardly any room.  If there is plenty of room,
 * one call for each partition claims both kinds.
 *
 * Every fourth round claims due hosts first: an account that starts more manual
 * checks than fit must not stop the scheduled checks of others.  Jobs whose
 * lease has expired come with either kind, and first.
 *
 * A round of some partitions only follows the news of manual checks, and a
 * whole round in which some partitions had more jobs than were asked for: the
 * cost of a job must not grow with the number of partitions.  Whole rounds
 * start at least as often as due hosts may wait unnoticed.
 */

#include "base/log.h"
#include "jobs_int.h"

#define READ_MAX    100                 /* jobs of one partition a call */
#define DUE_FIRST   4                   /* one of so many rounds */
#define BUSY_MAX    64                  /* accounts that get nothing */
#define PLENTY      2                   /* half of the slots are free */

static void pass_begin(jobs_pass_t *pass, unsigned partitions);
static void batch_ends(jobs_t *jobs);
static void call_claim(jobs_t *jobs, jobs_slice_t *slice, unsigned n,
    int reserved);
static void take_some(jobs_t *jobs);


static void
pass_begin(jobs_pass_t *pass, unsigned partitions)
{
    pass->next = pass->begin;
    pass->left = partitions;
}


/* 0: there is no slot to claim for. */

static int
round_begin(jobs_t *jobs)
{
    int  reserved;

    if (jobs->stopped || !store_ready(jobs->checker->store)) {
        jobs->phase = JOBS_OFF;
        return 0;
    }

    if (jobs_room(jobs, JOB_MANUAL, &reserved) == 0) {
        jobs->hungry = 1;
        jobs->phase = JOBS_IDLE;
        return 0;
    }

    jobs->phase = JOBS_READING;
    jobs->more = 0;
    jobs->news = 0;
    return 1;
}


void
jobs_round(jobs_t *jobs)
{
    unsigned  p;

    if (!round_begin(jobs)) {
        return;
    }

    for (p = 0; p < jobs->partitions; p++) {
        jobs->slice[p].more = 0;
    }

    jobs->whole = dns_clock();
    jobs->hungry = 0;
    jobs->kind = ++jobs->rounds % DUE_FIRST == 0 ? JOB_DUE : JOB_MANUAL;
    jobs->kinds_left = JOB_KINDS;
    pass_begin(&jobs->pass[JOB_MANUAL], jobs->partitions);

    if (jobs->pass[JOB_DUE].left == 0) {
        pass_begin(&jobs->pass[JOB_DUE], jobs->partitions);
        jobs->more_due = 0;
    }

    take_some(jobs);
}


/* Is the partition called in a round of some? */

static int
is_wanted(const jobs_slice_t *slice, int more)
{
    return (slice->notified || (more && slice->more)) && jobs_usable(slice);
}


/* 0: a whole round is the better one.  *n: partitions to call. */

static int
some_begin(jobs_t *jobs, int more, unsigned *n)
{
    int       reserved;
    unsigned  p, room;

    if (dns_clock() >= jobs->whole + JOBS_BLOCK) {
        return 0;
    }

    for (p = 0, *n = 0; p < jobs->partitions; p++) {
        *n += (unsigned) is_wanted(&jobs->slice[p], more);
    }

    room = jobs_room(jobs, JOB_MANUAL, &reserved);

    return !more || (*n > 0 && !reserved && room >= *n);
}


static void
ask_some(jobs_t *jobs, int more, unsigned n)
{
    int       reserved;
    unsigned  p, room;

    for (p = 0; p < jobs->partitions; p++) {
        if (!is_wanted(&jobs->slice[p], more)) {
            continue;
        }

        room = jobs_room(jobs, JOB_MANUAL, &reserved);
        jobs->hungry |= reserved || room == 0;

        if (room == 0) {
            break;
        }

        jobs->slice[p].more = 0;
        call_claim(jobs, &jobs->slice[p], room < n ? 1 : room / n, reserved);
        n--;
    }
}


/* more: of those that had more jobs, too, and for jobs of both kinds. */

static void
round_of_some(jobs_t *jobs, int more)
{
    unsigned  n;

    if (!some_begin(jobs, more, &n)) {
        jobs_round(jobs);
        return;
    }

    if (!round_begin(jobs)) {
        return;
    }

    jobs->kind = JOB_MANUAL;
    jobs->kinds_left = 1;
    jobs->pass[JOB_MANUAL].left = 0;
    jobs->both = more && jobs->checker->conf->schedule;

    if (jobs->both) {
        jobs->kind = ++jobs->rounds % DUE_FIRST == 0 ? JOB_DUE : JOB_MANUAL;
        jobs->more_due = 0;
    }

    ask_some(jobs, more, n);

    if (jobs->calls == 0) {
        batch_ends(jobs);
    }
}


void
jobs_round_news(jobs_t *jobs)
{
    round_of_some(jobs, 0);
}


/* The next partition in which a job waits to go alone; none: the same. */

static void
next_alone(jobs_t *jobs)
{
    unsigned  i, p;

    for (i = 1; i <= jobs->partitions; i++) {
        p = (jobs->alone_partition + i) % jobs->partitions;

        if (jobs->slice[p].waits) {
            jobs->alone_partition = p;
            return;
        }
    }
}


/* 1: no partition is to be called now. */

static int
all_away(const jobs_t *jobs)
{
    unsigned  p;

    for (p = 0; p < jobs->partitions; p++) {
        if (jobs_usable(&jobs->slice[p])) {
            return 0;
        }
    }

    return 1;
}


static void
batch_ends(jobs_t *jobs)
{
    int  left, go_on;

    if (jobs->alone == 0) {
        next_alone(jobs);
    }

    /* New manual checks do not wait for the rest of a pass of due hosts. */

    left = jobs->pass[jobs->kind].left > 0;
    go_on = left && jobs->called
            && (jobs->kind == JOB_MANUAL || !jobs->claimed || !jobs->news);
    jobs->more |= jobs->kind == JOB_DUE && left && jobs->claimed && !go_on;

    if (all_away(jobs)) {
        jobs_later(jobs, JOBS_PAUSE);

    } else if (go_on) {
        take_some(jobs);

    } else if (--jobs->kinds_left > 0) {
        jobs->kind = jobs->kind == JOB_MANUAL ? JOB_DUE : JOB_MANUAL;
        take_some(jobs);

    } else if (jobs->more || jobs->more_due) {
        if (jobs->pass[JOB_MANUAL].left + jobs->pass[JOB_DUE].left == 0) {
            round_of_some(jobs, 1);

        } else {
            jobs_round(jobs);
        }

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

    /* Every claimed job is started, even if no more are wanted. */

    if (rbl_str_is(rbl_reply_word(reply), "OK")) {
        slice->waits = 0;

        for (i = 1; i < rbl_reply_len(reply); i++) {
            taken = rbl_reply_at(reply, i);

            if (rbl_str_is(rbl_reply_str(taken), "alone")) {
                slice->waits = 1;
                continue;
            }

            jobs->vain = 0;
            got += taken->type == REDIS_REPLY_ARRAY
                   ? jobs_start_due(jobs, slice, taken)
                   : jobs_start(jobs, slice, rbl_reply_str(taken));
        }

        jobs->claimed |= got > 0;

        /* Near the end of a round the room may be less. */

        if (got >= (asked + 1) / 2) {
            slice->more = 1;
            jobs->more = 1;
            jobs->more_due |= jobs->kind == JOB_DUE;
        }

    } else {
        slice->later = dns_clock() + JOBS_PAUSE;

        if (reply != NULL) {
            why = rbl_reply_error(reply);
            log_error("cannot claim jobs: %.*s", (int) why.n, why.p);
        }
    }

    /* This partition is called again, since it may have more jobs. */

    if (slice->alone) {
        jobs->alone--;
        jobs->asked_alone--;
        slice->alone = 0;
    }

    if (--jobs->calls == 0 && jobs->phase == JOBS_READING) {
        batch_ends(jobs);
    }
}


static void
call_claim(jobs_t *jobs, jobs_slice_t *slice, unsigned n, int reserved)
{
    char      most[24], share[24], lease[24];
    unsigned  busy;

    struct {
        rbl_check_take_args_t  args;
        rbl_str_t              accounts[BUSY_MAX];
    } call;

    n = n < READ_MAX ? n : READ_MAX;
    call.args.leases = jobs_key(&slice->leases);
    call.args.kinds = jobs->kind == JOB_MANUAL ? RBL_STR("md")
                                               : RBL_STR("dm");
    call.args.kinds.n -= !jobs->both;
    call.args.most = jobs_number(most, n);
    call.args.share = jobs_number(share, reserved ? jobs_reserved_share(jobs)
                                                  : n);
    call.args.lease = jobs_number(lease, jobs->checker->conf->lease * 1000);
    call.args.daemon = rbl_str(jobs->checker->conf->name);
    slice->alone = jobs->alone == 0 && jobs->alone_partition == slice->partition
                   && dns_clock() >= jobs->waited;
    jobs->alone += slice->alone;
    jobs->asked_alone += slice->alone;
    call.args.alone = slice->alone ? RBL_STR("1") : RBL_STR("0");
    busy = !reserved ? 0 : jobs_shares_busy(&jobs->shares,
                                            jobs_reserved_share(jobs),
                                            call.accounts, BUSY_MAX);

    slice->notified = 0;
    slice->asked = n;
    slice->reserved = reserved != 0;
    jobs->places[slice->reserved].reading += n;
    jobs->calls++;
    store_script(jobs->checker->store, &rbl_script_check_take, on_jobs, slice,
                 RBL_ARGC(call.args) + (int) busy, call.args.argv);
}


/* Asks the next n partitions for as many jobs each; those that are away are
   left out. */

static void
ask_next(jobs_t *jobs, jobs_pass_t *pass, unsigned n, unsigned each,
    int reserved)
{
    for (; n > 0; n--) {
        if (jobs_usable(&jobs->slice[pass->next])) {
            call_claim(jobs, &jobs->slice[pass->next], each, reserved);
        }

        pass->next = (pass->next + 1) % jobs->partitions;
        pass->left--;
    }
}


/* Calls as many of the remaining partitions as there are main slots, and the
   others for manual checks that may use a reserved one. */

static void
ask_all(jobs_t *jobs, jobs_pass_t *pass, unsigned room, int reserved)
{
    unsigned  n, each;

    if (!reserved) {
        n = room < pass->left ? room : pass->left;
        each = room / n;
        ask_next(jobs, pass, n, each, 0);
        pass->begin = pass->next;
        room = jobs_room(jobs, jobs->kind, &reserved);
    }

    if (reserved && room > 0 && pass->left > 0) {
        n = room < pass->left ? room : pass->left;
        each = room / n;
        ask_next(jobs, pass, n, each, 1);
    }
}


static void
take_some(jobs_t *jobs)
{
    int           reserved;
    unsigned      room;
    jobs_pass_t  *pass;

    pass = &jobs->pass[jobs->kind];
    room = jobs_room(jobs, jobs->kind, &reserved);

    if (jobs->kind == JOB_DUE && !jobs->checker->conf->schedule) {
        room = 0;
        pass->left = 0;

    } else if (room == 0 || reserved) {
        jobs->hungry = 1;
    }

    jobs->both = jobs->kinds_left == JOB_KINDS
                 && pass->left == jobs->partitions
                 && jobs->checker->conf->schedule && !reserved
                 && room >= jobs->checker->conf->checks_max / PLENTY
                 && room >= jobs->partitions;

    if (jobs->both) {
        jobs->kinds_left--;
        jobs->pass[JOB_MANUAL + JOB_DUE - jobs->kind].left = 0;
    }

    jobs->called = room > 0;
    jobs->claimed = 0;

    if (room > 0) {
        ask_all(jobs, pass, room, reserved);

    } else if (jobs->kind == JOB_MANUAL) {
        pass->left = 0;
    }

    if (jobs->calls == 0) {
        batch_ends(jobs);
    }
}
