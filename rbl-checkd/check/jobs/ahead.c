/*
 * The partitions take turns (turns.h), and one call is under way at a time.
 */

#include "ahead.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "rbl_out.h"
#include "store/turns.h"

#include <stdlib.h>

#define EVERY  60.0                     /* s */
#define MOST   32                       /* accounts a call, and hosts of each */
#define BACK   5.0                      /* s by which the clock went back */

typedef struct {
    turn_t   turn;
    double   offset;                    /* of the store's clock, s; 0: not
                                           known */
    int64_t  from;                      /* where to go on */
    int      whole;                     /* look at the rest of it at once */
} ahead_part_t;

struct ahead_s {
    const checker_t  *checker;
    turns_t          *turns;
    int               asked;            /* a reply is under way */
    int64_t           pulled;           /* not in the log yet */
};


static void
note_reply(ahead_part_t *part, const rbl_check_ahead_reply_t *said)
{
    double  offset;

    offset = (double) said->now / 1000 - clock_now();

    if (part->offset != 0 && offset < part->offset - BACK) {
        part->whole = 1;
        part->from = 0;

    } else if (said->pulled > 0) {
        part->whole = 1;                /* there may be more of the same */

    } else {
        part->whole &= said->next >= 0;
        part->from = said->next >= 0 ? said->next : 0;
    }

    part->offset = offset;
}


static void
on_look(void *data, const redisReply *reply)
{
    ahead_part_t             *part = data;
    ahead_t                  *a = part->turn.data;
    rbl_check_ahead_reply_t   said;

    a->asked = 0;
    rbl_check_ahead_reply(&said, reply);

    if (said.word == RBL_CHECK_AHEAD_OK) {
        note_reply(part, &said);
        a->pulled += said.pulled;
    }

    turns_done(&part->turn, said.word == RBL_CHECK_AHEAD_OK && part->whole
                            ? 0 : clock_now() + EVERY);
    turns_run(a->turns);

    if (!a->asked && a->pulled > 0) {
        log_warn("%lld hosts, checks, deliveries or bills were due later than"
                 " they can be, since the clock of the store was ahead; they"
                 " are due now, hosts within an interval",
                 (long long) a->pulled);
        a->pulled = 0;
    }
}


static int
look(turn_t *turn)
{
    char                     from[RBL_OUT_INT], most[RBL_OUT_INT];
    char                     lease[RBL_OUT_INT];
    ahead_t                 *a = turn->data;
    rbl_key_t                key;
    ahead_part_t            *part = (ahead_part_t *) turn;
    rbl_check_ahead_args_t   args;

    if (a->asked) {
        return 0;
    }

    a->asked = 1;
    args.due = store_key(a->checker->store, &key, turn->n, "due");
    args.from = rbl_out_int_text(from, part->from);
    args.most = rbl_out_int_text(most, MOST);
    args.lease = rbl_out_int_text(lease, (int64_t) (a->checker->conf->lease
                                                    * 1000));
    store_call(a->checker->store, check_ahead, on_look, part, args);

    return 1;
}


static void
init(turn_t *turn)
{
    ((ahead_part_t *) turn)->whole = 1;
}


static const turns_kind_t  ahead_turns = {
    .size = sizeof(ahead_part_t), .take = look, .init = init
};


ahead_t *
ahead_new(const checker_t *checker)
{
    ahead_t  *a;

    a = xcalloc(1, sizeof(ahead_t));
    a->checker = checker;
    a->turns = turns_new(checker->loop, checker->store, &ahead_turns, EVERY,
                         a);

    return a;
}


void
ahead_wake(ahead_t *a)
{
    turns_all_soon(a->turns);
}


void
ahead_free(ahead_t *a)
{
    if (a != NULL) {
        turns_free(a->turns);
        free(a);
    }
}
