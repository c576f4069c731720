/*
 * Which partitions are called, and for how many jobs.  A mark says that a
 * partition may have manual checks, or hosts that are due.  A call for main
 * slots takes the marks of its kinds away, unless it brings about as many jobs
 * as it asked for.  News of a manual check mark its partition; a sweep marks
 * all, at least as often as due hosts may wait unnoticed: the cost of a job
 * must not grow with the number of partitions.
 *
 * A round calls some of the marked partitions, in turn.  No call claims more
 * jobs than there is room for.  Few partitions are asked for many jobs each
 * rather than many for one each, because the jobs of a partition are started
 * and finished by common calls; rounds that find no job become wider.  If there
 * is plenty of room, one call claims both kinds.  Otherwise manual checks
 * precede due hosts, and marked partitions without a main slot are called for
 * manual checks that may use a reserved one.
 *
 * After three rounds that brought manual checks, due hosts precede them, until
 * one is found or all partitions were called: an account that starts more
 * manual checks than fit must not stop the scheduled checks of others.  Jobs
 * whose lease has expired come with either kind, and first.
 */

#include "base/log.h"
#include "jobs_int.h"

#define READ_MAX    100                 /* jobs of one partition a call */
#define EACH        16                  /* enough for a common call */
#define SPREAD      4                   /* partitions of a round at least */
#define DUE_FIRST   4                   /* of so many rounds with jobs one */
#define BUSY_MAX    64                  /* accounts that get nothing */
#define PLENTY      2                   /* half of the slots are free */
#define VAIN_MAX    3                   /* news in a row before a pause */
#define WIDER_MAX   8                   /* times that a round is doubled */


/* The marks of a partition that may have anything. */

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


/* How many partitions with one of these marks can be called now. */

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

    jobs->wider = 0;
    jobs->swept = dns_clock();
}


void
jobs_mark_alone(jobs_t *jobs)
{
    next_alone(jobs);

    if (jobs->slice[jobs->alone_partition].waits) {
        jobs->slice[jobs->alone_partition].marks |= JOBS_MANUAL | JOBS_URGENT;
    }
}


/* A call that brought about as many jobs as it asked for may have left some. */

static void
mark_again(jobs_slice_t *slice, unsigned manual, unsigned due)
{
    const char  *kinds = slice->kinds;

    if (manual + due < (slice->asked + 1) / 2) {
        return;
    }

    /* If manual checks came first and none came, none are left. */

    if (kinds[0] == 'm' ? manual > 0 : kinds[1] == 'm') {
        slice->marks |= JOBS_MANUAL | JOBS_URGENT;
    }

    if (kinds[0] == 'd' || kinds[1] == 'd') {
        slice->marks |= JOBS_DUE;
    }
}


/* After a round. */

static void
take_turns(jobs_t *jobs)
{
    jobs->wider = jobs->found ? 0 : jobs->wider + (jobs->wider < WIDER_MAX);

    if (jobs->found & JOBS_DUE) {
        jobs->due_turn = 0;
    }

    if (jobs->found & JOBS_MANUAL && ++jobs->turns % (DUE_FIRST - 1) == 0) {
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

    take_turns(jobs);

    /* News without jobs: other daemons were faster. */

    if (jobs->vain >= VAIN_MAX) {
        jobs->vain = 0;
        jobs_later(jobs, JOBS_GATHER);

    } else {
        jobs_round(jobs);
    }
}


static void
on_jobs(void *data, const redisReply *reply)
{
    size_t             i;
    jobs_t            *jobs;
    unsigned           got[JOB_KINDS] = { 0, 0 };
    rbl_str_t          why;
    jobs_slice_t      *slice = data;
    const redisReply  *taken;

    jobs = slice->jobs;
    jobs->places[slice->reserved].reading -= slice->asked;

    /* Every claimed job is started, even if no more are wanted. */

    if (rbl_str_is(rbl_reply_word(reply), "OK")) {
        slice->waits = 0;

        for (i = 1; i < rbl_reply_len(reply); i++) {
            taken = rbl_reply_at(reply, i);

            if (rbl_str_is(rbl_reply_str(taken), "alone")) {
                slice->waits = 1;

            } else if (taken->type == REDIS_REPLY_ARRAY) {
                got[JOB_DUE] += jobs_start_due(jobs, slice, taken);

            } else {
                got[JOB_MANUAL] += jobs_start(jobs, slice,
                                              rbl_reply_str(taken));
            }
        }

        if (got[JOB_MANUAL] + got[JOB_DUE] > 0) {
            jobs->vain = 0;
        }

        jobs->found |= (got[JOB_MANUAL] > 0 ? JOBS_MANUAL : 0)
                       | (got[JOB_DUE] > 0 ? JOBS_DUE : 0);
        mark_again(slice, got[JOB_MANUAL], got[JOB_DUE]);

    } else {
        slice->later = dns_clock() + JOBS_PAUSE;
        slice->marks = all_marks(jobs);

        if (reply != NULL) {
            why = rbl_reply_error(reply);
            log_error("cannot claim jobs: %.*s", (int) why.n, why.p);
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


/* The kinds to claim, of those that the partition may have. */

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

    return ++slice->turns % DUE_FIRST == 0 ? RBL_STR("dm") : RBL_STR("md");
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
                   && dns_clock() >= jobs->waited;
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
 * Calls n of the partitions with one of these marks for `each` jobs, beginning
 * with *next.  A call for reserved slots leaves out accounts; so it leaves
 * JOBS_MANUAL.
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


/* The same, of many partitions few; returns how many. */

static unsigned
ask_few(jobs_t *jobs, unsigned marks, unsigned *next, unsigned room)
{
    unsigned  n, most;

    most = room / EACH > SPREAD ? room / EACH : SPREAD;
    most <<= jobs->wider;
    most = most < room ? most : room;
    n = marked(jobs, marks);
    n = n < most ? n : most;

    if (n > 0) {
        ask(jobs, marks, next, n, room / n);
    }

    return n;
}


/* room: so many main slots are free, which are not plenty. */

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

    if (dns_clock() >= jobs->swept + JOBS_BLOCK) {
        sweep(jobs);
    }

    jobs->phase = JOBS_READING;
    jobs->vain += jobs->news;
    jobs->news = 0;
    ask_some(jobs);

    if (jobs->calls == 0) {
        jobs_rest(jobs);
    }
}
