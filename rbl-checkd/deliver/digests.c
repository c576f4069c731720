/*
 * The digests of contacts: a digest is claimed when its window is over, made
 * into messages (digest_make.c) and stored; then it is a delivery like any
 * other.
 *
 * A contact may have a rhythm and quiet hours.  The store knows no time zones,
 * so digest_claim asks from when on such a digest may go.
 *
 * A partition is looked at when its next digest is due, and at the latest after
 * one window: a digest that any daemon begins meanwhile is due later than that.
 * A digest that is claimed and not stored comes back after its lease, with
 * another event; only digest_store counts.
 */

#include "base/xalloc.h"
#include "deliver_int.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "deliver/message/message.h"
#include "digest_make.h"
#include "rbl_rhythm.h"


#define DIGESTS_TAKE      4             /* of a partition at a time */
#define DIGESTS_POLL      0.5           /* s, at least */
#define DIGESTS_AGAIN     5.0           /* s after trouble */
#define DIGESTS_PAUSE     0.01          /* s between calls for a large one */
#define DIGESTS_LEASE_MS  "30000"

typedef struct {
    turn_t    turn;
    unsigned  storing;
} digests_part_t;


static void
digests_stored(void *data, const redisReply *reply)
{
    rbl_str_t                 why;
    digests_part_t           *part = data;
    deliver_t                *d = part->turn.data;
    rbl_digest_store_reply_t  said;

    part->storing--;

    if (reply == NULL) {
        return;
    }

    if (rbl_reply_class(reply) != RBL_REPLY_OK) {
        why = rbl_reply_error(reply);
        log_error("cannot store a digest: %.*s", (int) why.n, why.p);
        return;
    }

    rbl_digest_store_reply(&said, reply);

    if (said.n > 0) {
        d->counters.digests++;
        turns_soon(d->claims, part->turn.n);
    }

    if (said.word == RBL_DIGEST_STORE_MORE) {   /* the claims go on with it */
        part->turn.next = clock_now() + DIGESTS_PAUSE;
        turns_by(part->turn.turns, part->turn.next);
    }
}


static void
digests_store(digests_part_t *part, const digest_t *digest)
{
    int         n;
    char        limit[RBL_OUT_INT];
    size_t      i;
    deliver_t  *d = part->turn.data;
    rbl_key_t   key;

    struct {
        rbl_digest_store_args_t  args;
        rbl_digest_store_each_t  each[];
    } *call;

    call = xcalloc(1, sizeof(*call) + digest->n * sizeof(call->each[0]));

    call->args.digests = store_key(d->store, &key, part->turn.n, "digests");
    call->args.member = digest->member;
    call->args.claimed = digest->event;
    call->args.limit = rbl_out_int_text(limit, d->conf->contact_limit);

    for (i = 0; i < digest->n; i++) {
        call->each[i].event = rbl_sid_str(&digest->message[i].event);
        call->each[i].body = rbl_buf_str(&digest->message[i].body);
        call->each[i].host = digest->message[i].host;
    }

    n = RBL_ARGC(call->args) + (int) digest->n * RBL_ARGC(call->each[0]);
    part->storing++;
    store_script(d->store, &rbl_script_digest_store, digests_stored, part, n,
                 call->args.argv);
    free(call);
}


static void
digests_one(digests_part_t *part, const redisReply *reply)
{
    digest_t    digest;
    deliver_t  *d = part->turn.data;

    if (digest_make(&digest, reply, d->timezones, d->conf->portal_url)
        != RBL_OK)
    {
        log_error("a digest in partition %u is dropped: it is malformed",
                  part->turn.n);
        return;
    }

    digests_store(part, &digest);
    digest_free(&digest);
}


/* Without a reply the digest is claimed again after its lease. */

static void
digests_on_when(void *data, const redisReply *reply)
{
    rbl_str_t  why;

    (void) data;

    if (reply != NULL && rbl_reply_class(reply) != RBL_REPLY_OK) {
        why = rbl_reply_error(reply);
        log_error("cannot store when a digest may go: %.*s", (int) why.n,
                  why.p);
    }
}


/* Member, rhythm, quiet hours, time zone. */

static void
digests_when(digests_part_t *part, const redisReply *ask)
{
    char                    text[RBL_OUT_INT];
    rbl_key_t               key;
    deliver_t              *d = part->turn.data;
    rbl_digest_when_args_t  args;

    args.digests = store_key(d->store, &key, part->turn.n, "digests");
    args.member = rbl_reply_str(rbl_reply_at(ask, 0));
    args.at = rbl_out_int_text(text, rbl_rhythm_next(
                  rbl_reply_str(rbl_reply_at(ask, 1)),
                  rbl_reply_str(rbl_reply_at(ask, 2)), clock_date(),
                  timezones_find(d->timezones,
                                 rbl_reply_str(rbl_reply_at(ask, 3)))));
    store_script(d->store, &rbl_script_digest_when, digests_on_when, part,
                 RBL_ARGC(args), args.argv);
}


/* OK, ms until the next, what is asked, then the digests. */

static void
digests_claimed(void *data, const redisReply *reply)
{
    size_t                    i, n, asks;
    double                    wait;
    rbl_str_t                 why;
    digests_part_t           *part = data;
    rbl_digest_claim_reply_t  said;

    rbl_digest_claim_reply(&said, reply);
    wait = DIGESTS_AGAIN;

    if (reply != NULL && rbl_reply_class(reply) != RBL_REPLY_OK) {
        why = rbl_reply_error(reply);
        log_error("cannot claim digests: %.*s", (int) why.n, why.p);

    } else if (said.word == RBL_DIGEST_CLAIM_OK) {
        n = rbl_reply_len(reply);
        asks = rbl_reply_len(said.asks);
        wait = turns_interval(part->turn.turns);

        if (said.wait >= 0 && (double) said.wait < wait * 1000.0) {
            wait = said.wait > 0 ? (double) said.wait / 1000.0 : DIGESTS_PAUSE;
        }

        for (i = 0; i < asks; i++) {
            digests_when(part, rbl_reply_at(said.asks, i));
        }

        for (i = 3; i < n; i++) {
            digests_one(part, rbl_reply_at(reply, i));
        }
    }

    turns_done(&part->turn, clock_now() + wait);
}


static int
digests_claim(turn_t *turn)
{
    char        window[24], most[RBL_OUT_INT];
    unsigned    i;
    deliver_t  *d = turn->data;
    rbl_key_t   key;
    rbl_sid_t   sid[DIGESTS_TAKE];

    struct {
        rbl_digest_claim_args_t  args;
        rbl_str_t                events[DIGESTS_TAKE];
    } call;

    snprintf(window, sizeof(window), "%.0f", d->conf->digest_window * 1000.0);

    call.args.digests = store_key(d->store, &key, turn->n, "digests");
    call.args.window = rbl_str(window);
    call.args.lease = RBL_STR(DIGESTS_LEASE_MS);
    call.args.most = rbl_out_int_text(most, MESSAGE_HOSTS);

    for (i = 0; i < DIGESTS_TAKE; i++) {
        if (rbl_sid_make(&sid[i], RBL_SID_EVENT) != RBL_OK) {
            turns_done(turn, clock_now() + DIGESTS_AGAIN);
            return 1;
        }

        call.events[i] = rbl_sid_str(&sid[i]);
    }

    store_script(d->store, &rbl_script_digest_claim, digests_claimed, turn,
                 RBL_ARGC(call.args) + DIGESTS_TAKE, call.args.argv);

    return 1;
}


static const turns_kind_t  digests_claims = {
    .size = sizeof(digests_part_t),
    .take = digests_claim
};


turns_t *
digests_new(deliver_t *d)
{
    double  window = d->conf->digest_window;

    return turns_new(d->loop, d->store, &digests_claims,
                     window > DIGESTS_POLL ? window : DIGESTS_POLL, d);
}


unsigned
digests_pending(const turns_t *digests)
{
    unsigned               p, n;
    const digests_part_t  *part;

    n = 0;

    for (p = 0; p < turns_parts(digests); p++) {
        part = (const digests_part_t *) turns_part(digests, p);
        n += part->storing + (unsigned) part->turn.busy;
    }

    return n;
}
