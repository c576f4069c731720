/*
 * Claims of jobs.  The partitions take turns: each is looked at by check_take
 * every JOBS_POLL seconds, at once if a look has brought all that it asked for,
 * and at once when news say that a manual check waits there.  A look asks for
 * no more jobs than there are free slots; without a free slot the partition
 * keeps its turn, and the look for the next slot begins with the partition
 * behind the last one that had a turn (turns.h).
 *
 * The main slots take manual checks and due hosts; of four looks at a partition
 * one takes due hosts first, so that no flood of manual checks stops them.  The
 * reserved slots have turns of their own, and use them only while checks run on
 * all main slots.  They leave out accounts with many manual checks in flight.
 *
 * Before its first claim in a partition the daemon ends the leases of the jobs
 * that its name had there before (check_recall).
 */

#include "base/log.h"
#include "jobs_int.h"
#include "rbl_out.h"

#include <string.h>

#define JOBS_POLL    0.4                /* s that a job may wait unnoticed */
#define JOBS_PAUSE   0.2                /* after a failure */
#define JOBS_MOMENT  0.02               /* s: while more slots become free;
                                           between a look that found nothing
                                           and one for news */
#define JOBS_LEAST   8                  /* jobs of a look, if there is room */
#define JOBS_MOST    32                 /* as many as start together
                                           (batches.c) */
#define DUE_FIRST    4                  /* every fourth look */
#define BUSY_MAX     64                 /* accounts that are left out */

/* One partition. */
typedef struct {
    turn_t     turn;                    /* data: jobs_slots_t */
    int64_t    rank, cursor;            /* of check_recall, to go on with */
    unsigned   asked;                   /* slots kept for the look under way */
    unsigned   looks;
    unsigned   recalled:1;              /* main slots: the leases that this name
                                           had before have ended */
    unsigned   waits:1;                 /* a job waits to go alone */
    unsigned   alone:1;                 /* the look under way may bring it */
    unsigned   news:1;                  /* since the look was sent */
    ev_tstamp  quiet;                   /* no look for news before */
} claim_t;


static void
on_recalled(void *data, const redisReply *reply)
{
    claim_t                   *claim = data;
    rbl_str_t                  why;
    rbl_check_recall_reply_t   said;

    rbl_check_recall_reply(&said, reply);

    if (said.word != RBL_CHECK_RECALL_OK) {
        if (reply != NULL) {
            why = rbl_reply_error(reply);
            log_error("cannot end earlier leases of partition %u: %.*s",
                      claim->turn.n, (int) why.n, why.p);
        }

        turns_done(&claim->turn, clock_now() + JOBS_PAUSE);
        return;
    }

    claim->rank = said.rank;
    claim->cursor = said.cursor;
    claim->recalled = said.rank <= 0 && said.cursor <= 0;
    turns_done(&claim->turn, 0);
}


static void
recall(claim_t *claim, checker_t *checker)
{
    char                     rank[RBL_OUT_INT], cursor[RBL_OUT_INT];
    rbl_key_t                key;
    rbl_check_recall_args_t  args;

    args.leases = store_key(checker->store, &key, claim->turn.n, "leases");
    args.daemon = rbl_str(checker->conf->name);
    args.rank = rbl_out_int_text(rank, claim->rank);
    args.cursor = rbl_out_int_text(cursor, claim->cursor);

    store_call(checker->store, check_recall, on_recalled, claim, args);
}


/* An account with damaged keys.  Returns 0 if the entry is none. */

static int
is_damaged(const claim_t *claim, rbl_str_t entry)
{
    size_t  n = sizeof("damaged ") - 1;

    if (entry.n < n || memcmp(entry.p, "damaged ", n) != 0) {
        return 0;
    }

    log_error("partition %u: no checks of account %.*s (rblctl fsck)",
              claim->turn.n, (int) (entry.n - n), entry.p + n);

    return 1;
}


/* Every claimed job is started, even if the daemon stops.  Returns how many. */

static unsigned
start_claimed(claim_t *claim, const redisReply *reply)
{
    size_t             i;
    unsigned           n, p = claim->turn.n;
    jobs_slots_t      *slots = claim->turn.data;
    const redisReply  *taken;

    n = 0;
    claim->waits = 0;

    for (i = 1; i < rbl_reply_len(reply); i++) {
        taken = rbl_reply_at(reply, i);

        if (rbl_str_is(rbl_reply_str(taken), "alone")) {
            claim->waits = 1;

        } else if (taken->type == REDIS_REPLY_ARRAY) {
            n += jobs_start_due(slots, p, taken);

        } else if (!is_damaged(claim, rbl_reply_str(taken))) {
            jobs_start(slots, p, rbl_reply_str(taken));
            n++;
        }
    }

    return n;
}


static void
on_claimed(void *data, const redisReply *reply)
{
    int            full;
    double         wait;
    claim_t       *claim = data;
    unsigned       n;
    rbl_str_t      why;
    jobs_slots_t  *slots = claim->turn.data;

    full = jobs_room(slots) == 0;
    slots->asked -= claim->asked;
    slots->jobs->checker->alone -= claim->alone;
    claim->alone = 0;

    if (rbl_str_is(rbl_reply_word(reply), "OK")) {
        n = start_claimed(claim, reply);
        claim->quiet = n > 0 ? 0 : clock_now() + JOBS_MOMENT;
        wait = n >= claim->asked ? 0
               : !claim->news ? JOBS_POLL
               : n > 0 ? 0 : JOBS_MOMENT;

    } else {
        wait = JOBS_PAUSE;

        if (reply != NULL) {
            why = rbl_reply_error(reply);
            log_error("cannot claim jobs of partition %u: %.*s",
                      claim->turn.n, (int) why.n, why.p);
        }
    }

    turns_done(&claim->turn, clock_now() + wait);

    if (full) {
        turns_by(slots->claims, 0);     /* others have a turn */
    }
}


/* The argument "kinds" of check_take. */

static rbl_str_t
kinds_of(claim_t *claim, const jobs_slots_t *slots)
{
    if (slots->reserved || !slots->jobs->checker->conf->schedule) {
        return RBL_STR("m");
    }

    return ++claim->looks % DUE_FIRST == 0 ? RBL_STR("dm") : RBL_STR("md");
}


/* A part of the room, so that several partitions are looked at together; but
   not a small one, since jobs of one partition start and finish together. */

static unsigned
part_of(unsigned room)
{
    unsigned  n = room / 4;

    n = n > JOBS_LEAST ? n : JOBS_LEAST;
    n = n < JOBS_MOST ? n : JOBS_MOST;

    return n < room ? n : room;
}


static void
look(claim_t *claim, jobs_slots_t *slots, unsigned room)
{
    char        most[RBL_OUT_INT], share[RBL_OUT_INT], lease[RBL_OUT_INT];
    jobs_t     *jobs = slots->jobs;
    unsigned    n = part_of(room), busy;
    rbl_key_t   key;
    checker_t  *checker = jobs->checker;

    struct {
        rbl_check_take_args_t  args;
        rbl_str_t              accounts[BUSY_MAX];
    } call;

    claim->alone = claim->waits && checker->alone == 0;
    claim->news = 0;
    claim->asked = n;
    slots->asked += n;
    checker->alone += claim->alone;
    busy = !slots->reserved ? 0 : jobs_busy(jobs, claim->turn.n, call.accounts,
                                            BUSY_MAX);

    call.args.leases = store_key(checker->store, &key, claim->turn.n,
                                 "leases");
    call.args.kinds = kinds_of(claim, slots);
    call.args.most = rbl_out_int_text(most, n);
    call.args.share = rbl_out_int_text(share, slots->reserved ? jobs_share(jobs)
                                                              : n);
    call.args.lease = rbl_out_int_text(lease, (int64_t) (checker->conf->lease
                                                         * 1000));
    call.args.daemon = rbl_str(checker->conf->name);
    call.args.alone = claim->alone ? RBL_STR("1") : RBL_STR("0");

    store_script(checker->store, &rbl_script_check_take, on_claimed, claim,
                 RBL_ARGC(call.args) + (int) busy, call.args.argv);
}


static int
take_main(turn_t *turn)
{
    unsigned       room;
    claim_t       *claim = (claim_t *) turn;
    jobs_slots_t  *slots = turn->data;

    if (!claim->recalled) {
        recall(claim, slots->jobs->checker);
        return 1;
    }

    room = jobs_room(slots);

    if (room > 0) {
        look(claim, slots, room);

    } else if (jobs_main_full(slots->jobs)) {
        turns_by(slots->jobs->reserved.claims, 0);
    }

    return room > 0;
}


static int
take_reserved(turn_t *turn)
{
    unsigned       room;
    turns_t       *claims;
    jobs_slots_t  *slots = turn->data;

    room = jobs_room(slots);
    claims = slots->jobs->main.claims;

    if (room == 0 || !jobs_main_full(slots->jobs)
        || turn->n >= turns_parts(claims)
        || !((claim_t *) turns_part(claims, turn->n))->recalled)
    {
        return 0;
    }

    look((claim_t *) turn, slots, room);

    return 1;
}


static const turns_kind_t  claims_main = {
    .size = sizeof(claim_t), .take = take_main
};

static const turns_kind_t  claims_reserved = {
    .size = sizeof(claim_t), .take = take_reserved
};


static void
note_news(jobs_slots_t *slots, unsigned partition)
{
    claim_t  *claim;

    if (partition >= turns_parts(slots->claims)) {
        return;
    }

    claim = (claim_t *) turns_part(slots->claims, partition);
    claim->news = 1;

    if (claim->quiet < claim->turn.next) {
        claim->turn.next = claim->quiet;
    }

    turns_by(slots->claims, claim->quiet);
}


/* A check of that account waits. */

static void
on_news(void *data, rbl_str_t account)
{
    jobs_t    *jobs = data;
    unsigned   partition;

    if (turns_parts(jobs->main.claims) > 0) {
        partition = rbl_partition(store_keyspace(jobs->checker->store),
                                  account);
        note_news(&jobs->main, partition);
        note_news(&jobs->reserved, partition);
    }
}


void
jobs_claims_soon(jobs_slots_t *slots)
{
    turns_by(slots->claims, clock_now() + JOBS_MOMENT);
}


void
jobs_claims_init(jobs_t *jobs)
{
    checker_t  *checker = jobs->checker;

    jobs->main.claims = turns_new(checker->loop, checker->store, &claims_main,
                                  JOBS_POLL, &jobs->main);
    jobs->reserved.claims = turns_new(checker->loop, checker->store,
                                      &claims_reserved, JOBS_POLL,
                                      &jobs->reserved);
    jobs->listener = store_listen(checker->store, on_news, jobs);
}


void
jobs_claims_free(jobs_t *jobs)
{
    turns_free(jobs->main.claims);
    turns_free(jobs->reserved.claims);
    store_forget(jobs->checker->store, jobs);
    store_free(jobs->listener);
}
