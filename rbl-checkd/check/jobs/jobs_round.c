/*
 * Rounds of claims.  A mark on a partition says that it may have manual checks
 * or due hosts.  News of a manual check mark its partition, and a sweep marks
 * all partitions every JOBS_BLOCK.  A claim for main slots removes the marks of
 * its kinds, unless it brings about as many jobs as it asked for.  So the cost
 * of a job does not grow with the number of partitions.
 *
 * A round calls some marked partitions, in turn, and never claims more jobs
 * than there are free slots.  It asks few partitions for many jobs each,
 * because the jobs of one partition are started and finished by common calls.
 * Each round that finds no job doubles the number of partitions of the next.
 *
 * If plenty of slots are free, one call claims both kinds.  Otherwise manual
 * checks precede due hosts, and marked partitions without a main slot are
 * called for manual checks that may use a reserved slot.
 *
 * An account that starts more manual checks than fit must not stop the
 * scheduled checks of others.  Therefore due hosts precede manual checks after
 * three rounds that brought manual checks, until a due host is found or all
 * partitions were called.  They do so, too, after as many calls for manual
 * checks as there are partitions: if the store is far away, a sweep may set the
 * marks again before all partitions were called.  Jobs whose lease has expired
 * come with either kind, and first.
 */

#include "base/log.h"
#include "jobs_int.h"

#include <string.h>

#define READ_MAX    100                 /* jobs of one partition a call */
#define EACH        16                  /* jobs that make a good batch */
#define SPREAD      4                   /* fewest partitions of a round */
#define DUE_FIRST   4                   /* every fourth time */
#define BUSY_MAX    64                  /* accounts that are left out */
#define PLENTY      2                   /* half of the slots are free */
#define USELESS_MAX 3                   /* news without jobs before a pause */
#define DOUBLE_MAX  8                   /* how often a round is doubled */


/* The marks of a partition about which nothing is known. */

static unsigned
all_marks(const jobs_t *jobs)
{
    return JOBS_MANUAL | JOBS_URGENT
           | (jobs->checker->conf->schedule ? JOBS_DUE : 0);
}


static int
can_ask(const jobs_slice_t *slice, unsigned marks)
{
    return (slice->marks & marks) != 0 && slice->asked == 0
           && jobs_usable(slice);
}


/* The number of partitions that have one of these marks and can be called. */

static unsigned
marked(const jobs_t *jobs, unsigned marks)
{
    unsigned  n, p;

    for (n = 0, p = 0; p < jobs->partitions; p++) {
        n += can_ask(&jobs->slice[p], marks);
    }

    return n;
}


int
jobs_marked(const jobs_t *jobs)
{
    return marked(jobs, JOBS_MANUAL | JOBS_DUE) > 0;
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


static void
sweep(jobs_t *jobs)
{
    unsigned  p;

    for (p = 0; p < jobs->partitions; p++) {
        jobs->slice[p].marks = all_marks(jobs);
    }

    if (jobs->alone == 0) {
        next_alone(jobs);
    }

    jobs->empty = 0;
    jobs->swept = clock_now();
}


void
jobs_mark_alone(jobs_t *jobs)
{
    next_alone(jobs);

    if (jobs->slice[jobs->alone_partition].waits) {
        jobs->slice[jobs->alone_partition].marks |= JOBS_MANUAL | JOBS_URGENT;
    }
}


/* Sets the marks again if the call may have left jobs. */

static void
mark_again(jobs_slice_t *slice, unsigned manual, unsigned due)
{
    const char  *kinds = slice->kinds;

    if (manual + due < (slice->asked + 1) / 2) {
        return;
    }

    /* "md" that brought no manual check has left none. */

    if (kinds[0] == 'm' ? manual > 0 : kinds[1] == 'm') {
        slice->marks |= JOBS_MANUAL | JOBS_URGENT;
    }

    if (kinds[0] == 'd' || kinds[1] == 'd') {
        slice->marks |= JOBS_DUE;
    }
}


/* Decides by the jobs of this round what the next one may do. */

static void
round_ends(jobs_t *jobs)
{
    if (jobs->found) {
        jobs->empty = 0;

    } else if (jobs->empty < DOUBLE_MAX) {
        jobs->empty++;
    }

    if (jobs->found & JOBS_DUE) {
        jobs->due_turn = 0;
    }

    if ((jobs->found & JOBS_MANUAL)
        && ++jobs->manual_rounds % (DUE_FIRST - 1) == 0)
    {
        jobs->due_turn = jobs->partitions;
    }

    jobs->found = 0;
}


void
jobs_call_ends(jobs_t *jobs)
{
    if (--jobs->calls > 0
        || (jobs->phase != JOBS_READING && jobs->phase != JOBS_RECALL))
    {
        return;
    }

    round_ends(jobs);

    /* Other daemons were faster. */

    if (jobs->useless >= USELESS_MAX) {
        jobs->useless = 0;
        jobs_later(jobs, JOBS_GATHER);

    } else {
        jobs_round(jobs);
    }
}


/* An account with damaged keys.  Returns 0 if the entry is none. */

static int
is_damaged(const jobs_slice_t *slice, rbl_str_t entry)
{
    size_t  n = sizeof("damaged ") - 1;

    if (entry.n < n || memcmp(entry.p, "damaged ", n) != 0) {
        return 0;
    }

    log_error("partition %u: no checks of account %.*s (rblctl fsck)",
              slice->partition, (int) (entry.n - n), entry.p + n);

    return 1;
}


/* Every claimed job is started, even if the daemon wants no more. */

static void
start_claimed(jobs_t *jobs, jobs_slice_t *slice, const redisReply *reply)
{
    size_t             i;
    unsigned           manual, due;
    const redisReply  *taken;

    manual = 0;
    due = 0;
    slice->waits = 0;

    for (i = 1; i < rbl_reply_len(reply); i++) {
        taken = rbl_reply_at(reply, i);

        if (rbl_str_is(rbl_reply_str(taken), "alone")) {
            slice->waits = 1;

        } else if (taken->type == REDIS_REPLY_ARRAY) {
            due += jobs_start_due(jobs, slice, taken);

        } else if (!is_damaged(slice, rbl_reply_str(taken))) {
            manual += jobs_start(jobs, slice, rbl_reply_str(taken));
        }
    }

    jobs->found |= (manual > 0 ? JOBS_MANUAL : 0) | (due > 0 ? JOBS_DUE : 0);

    if (manual + due > 0) {
        jobs->useless = 0;
    }

    mark_again(slice, manual, due);
}


static void
on_jobs(void *data, const redisReply *reply)
{
    jobs_t        *jobs;
    rbl_str_t      why;
    jobs_slice_t  *slice = data;

    jobs = slice->jobs;
    jobs->places[slice->reserved].reading -= slice->asked;

    if (rbl_str_is(rbl_reply_word(reply), "OK")) {
        start_claimed(jobs, slice, reply);

    } else {
        slice->later = clock_now() + JOBS_PAUSE;
        slice->marks = all_marks(jobs);

        if (reply != NULL) {
            why = rbl_reply_error(reply);
            log_error("cannot claim jobs of partition %u: %.*s",
                      slice->partition, (int) why.n, why.p);
        }
    }

    slice->asked = 0;

    if (slice->alone) {
        jobs->alone--;
        jobs->asked_alone--;
        slice->alone = 0;
    }

    jobs_call_ends(jobs);
}


/* The argument "kinds" of a claim: kinds that are asked for and marked. */

static rbl_str_t
kinds_of(jobs_slice_t *slice, unsigned marks)
{
    marks &= slice->marks;

    if ((marks & JOBS_DUE) == 0) {
        return RBL_STR("m");
    }

    if ((marks & JOBS_MANUAL) == 0) {
        return RBL_STR("d");
    }

    return ++slice->both % DUE_FIRST == 0 ? RBL_STR("dm") : RBL_STR("md");
}


static void
call_claim(jobs_t *jobs, jobs_slice_t *slice, rbl_str_t kinds, unsigned n,
    int reserved)
{
    char      most[24], share[24], lease[24];
    unsigned  busy;

    struct {
        rbl_check_take_args_t  args;
        rbl_str_t              accounts[BUSY_MAX];
    } call;

    n = n < READ_MAX ? n : READ_MAX;
    call.args.leases = jobs_key(&slice->leases);
    call.args.kinds = kinds;
    call.args.most = jobs_number(most, n);
    call.args.share = jobs_number(share, reserved ? jobs_reserved_share(jobs)
                                                  : n);
    call.args.lease = jobs_number(lease, jobs->checker->conf->lease * 1000);
    call.args.daemon = rbl_str(jobs->checker->conf->name);
    slice->alone = jobs->alone == 0 && jobs->alone_partition == slice->partition
                   && clock_now() >= jobs->waited;
    jobs->alone += slice->alone;
    jobs->asked_alone += slice->alone;
    call.args.alone = slice->alone ? RBL_STR("1") : RBL_STR("0");
    busy = !reserved ? 0 : jobs_shares_busy(&jobs->shares,
                                            jobs_reserved_share(jobs),
                                            call.accounts, BUSY_MAX);

    slice->kinds = kinds.p;
    slice->asked = n;
    slice->reserved = reserved != 0;
    jobs->places[slice->reserved].reading += n;
    jobs->calls++;
    store_script(jobs->checker->store, &rbl_script_check_take, on_jobs, slice,
                 RBL_ARGC(call.args) + (int) busy, call.args.argv);
}


/*
 * Calls n of the partitions with one of these marks, from *next on, for `each`
 * jobs.  JOBS_URGENT alone asks for reserved slots; such a call leaves out busy
 * accounts, and therefore it does not remove JOBS_MANUAL.
 */

static void
ask(jobs_t *jobs, unsigned marks, unsigned *next, unsigned n, unsigned each)
{
    unsigned       left;
    rbl_str_t      kinds;
    jobs_slice_t  *slice;

    for (left = jobs->partitions; left > 0 && n > 0; left--) {
        slice = &jobs->slice[*next];
        *next = (*next + 1) % jobs->partitions;

        if (can_ask(slice, marks)) {
            kinds = kinds_of(slice, marks);
            slice->marks &= ~marks;
            call_claim(jobs, slice, kinds, each, marks == JOBS_URGENT);
            n--;
        }
    }
}


/* Calls few of these partitions for all free main slots; returns how many. */

static unsigned
ask_few(jobs_t *jobs, unsigned marks, unsigned *next, unsigned room)
{
    unsigned  n, most;

    most = room / EACH > SPREAD ? room / EACH : SPREAD;
    most <<= jobs->empty;
    most = most < room ? most : room;
    n = marked(jobs, marks);
    n = n < most ? n : most;

    if (n > 0) {
        ask(jobs, marks, next, n, room / n);
    }

    return n;
}


/* room: the number of free main slots, which are few. */

static void
ask_by_kind(jobs_t *jobs, unsigned room)
{
    unsigned  n;

    n = marked(jobs, JOBS_MANUAL);

    if (n == 0 || (jobs->due_turn > 0 && marked(jobs, JOBS_DUE) > 0)) {
        n = ask_few(jobs, JOBS_DUE, &jobs->next_due, room);
        jobs->due_turn -= n < jobs->due_turn ? n : jobs->due_turn;

    } else {
        n = n < room ? n : room;
        ask(jobs, JOBS_MANUAL | JOBS_URGENT, &jobs->next, n, room / n);
        jobs->manual_calls += n;

        if (jobs->manual_calls >= jobs->partitions) {
            jobs->manual_calls = 0;
            jobs->due_turn = jobs->partitions;
        }
    }
}


static void
ask_some(jobs_t *jobs)
{
    int       reserved;
    unsigned  n, room;

    room = jobs_room(jobs, &reserved);

    if (!reserved && room >= SPREAD
        && room >= jobs->checker->conf->checks_max / PLENTY)
    {
        (void) ask_few(jobs, all_marks(jobs), &jobs->next, room);
        return;
    }

    if (!reserved) {
        ask_by_kind(jobs, room);
        room = jobs_room(jobs, &reserved);
    }

    n = marked(jobs, JOBS_URGENT);
    n = n < room ? n : room;

    if (reserved && n > 0) {
        ask(jobs, JOBS_URGENT, &jobs->next_reserved, n, room / n);
    }
}


void
jobs_round(jobs_t *jobs)
{
    if (jobs->stopped || !store_ready(jobs->checker->store)) {
        jobs->phase = JOBS_OFF;
        return;
    }

    if (clock_now() >= jobs->swept + JOBS_BLOCK) {
        sweep(jobs);
    }

    jobs->phase = JOBS_READING;
    jobs->useless += jobs->news;
    jobs->news = 0;
    ask_some(jobs);

    if (jobs->calls == 0) {
        jobs_rest(jobs);
    }
}
