/*
 * News in direct mode: each server of the list was queried for the name again,
 * for its test points, and for a listing the sample.
 *
 * Only servers that pass have a vote, and only with a response to a query that
 * was sent after those for the test points: a list that was empty, or
 * wildcarding, for a moment may have recovered when these arrive.
 *
 * If all votes are the same, they decide.  If not, the side with the newer data
 * does: its newest serial must be newer than that of the other side.  Otherwise
 * the verdict is unknown until the servers agree.
 */

#include "gate.h"


/* RFC 1982 */

static int
is_newer(uint32_t serial, uint32_t than)
{
    return serial != than && serial - than < UINT32_C(0x80000000);
}


int
gate_in_order(const gate_vote_t *vote)
{
    return vote->sent >= vote->health.sent;
}


/* A server of a list without test points of this family passes as well. */

static const char *
fails(const gate_answer_t *a, const gate_vote_t *vote, double after)
{
    const health_verdict_t  *v = &vote->health;

    if (v->state != HEALTH_GOOD && v->state != HEALTH_UNSUPPORTED) {
        return "it fails its test points";
    }

    if (v->passed < after) {
        return "it has not passed its test points since";
    }

    if (!gate_in_order(vote)) {
        return "its test points were sent after the query";
    }

    if (a->raw == RBL_LISTED && !gate_unsampled(a, v) && v->sampled < after) {
        return "it has not passed a sample since";
    }

    if (v->dead && vote->raw == RBL_CLEAR) {
        return "it has lost its test point or its zone";
    }

    return NULL;
}


static int
passes(const gate_answer_t *a, const gate_vote_t *vote, double after)
{
    return fails(a, vote, after) == NULL;
}


const char *
gate_no_vote(const gate_answer_t *a, const gate_vote_t *vote, double after)
{
    const char  *why;

    why = fails(a, vote, after);

    if (why == NULL && vote->raw != RBL_LISTED && vote->raw != RBL_CLEAR) {
        why = "its response is no verdict";
    }

    return why;
}


typedef struct {
    unsigned  n;
    int       known;                    /* all votes of the side have one */
    uint32_t  serial;                   /* the newest */
} side_t;


static void
add_vote(side_t *side, const gate_vote_t *vote)
{
    if (side->n++ == 0) {
        side->known = vote->has_serial;
        side->serial = vote->serial;
        return;
    }

    side->known &= vote->has_serial;

    if (is_newer(vote->serial, side->serial)) {
        side->serial = vote->serial;
    }
}


/* Why no server has a vote: the least of their faults. */

static gate_t
no_vote(const gate_vote_t *votes, unsigned n, unsigned passed)
{
    gate_t    g;
    unsigned  i, away, blocked, network;

    for (i = away = blocked = network = 0; i < n; i++) {
        away |= gate_away(&votes[i].health) || (votes[i].health.state
                == HEALTH_GOOD && !votes[i].health.dead);
        blocked |= votes[i].health.state == HEALTH_BLOCKED;
        network |= votes[i].health.state == HEALTH_RESOLVER;
    }

    if (passed || away || n == 0) {
        g = gate_unknown(RBL_ERR_UNCONFIRMED, "not confirmed: no server that"
                         " passes has responded to the confirmation");
        g.recheck = GATE_RECHECK;
        return g;
    }

    return gate_unhealthy(network ? HEALTH_RESOLVER : blocked ? HEALTH_BLOCKED
                          : HEALTH_DOWN);
}


static rbl_verdict_t
winner(const side_t *clear, const side_t *listed)
{
    if (clear->n == 0 || listed->n == 0) {
        return clear->n == 0 ? RBL_LISTED : RBL_CLEAR;
    }

    if (!clear->known || !listed->known) {
        return RBL_UNKNOWN;
    }

    return is_newer(listed->serial, clear->serial) ? RBL_LISTED
           : is_newer(clear->serial, listed->serial) ? RBL_CLEAR
           : RBL_UNKNOWN;
}


/* Is there a positive test point that confirms the end? */

static int
proven(const gate_answer_t *a, const gate_vote_t *votes, unsigned n,
    double after)
{
    unsigned  i;

    for (i = 0; i < n; i++) {
        if (passes(a, &votes[i], after) && votes[i].raw == RBL_CLEAR
            && (votes[i].health.state == HEALTH_UNSUPPORTED
                || votes[i].health.unproven))
        {
            return 0;
        }
    }

    return 1;
}


gate_t
gate_votes(const gate_answer_t *a, const gate_vote_t *votes, unsigned n,
    double after)
{
    gate_t         g;
    side_t         clear = { 0, 0, 0 }, listed = { 0, 0, 0 };
    unsigned       i, passed;
    rbl_verdict_t  verdict;

    for (i = passed = 0; i < n; i++) {
        if (passes(a, &votes[i], after)) {
            passed++;

            if (votes[i].raw == RBL_LISTED) {
                add_vote(&listed, &votes[i]);

            } else if (votes[i].raw == RBL_CLEAR) {
                add_vote(&clear, &votes[i]);
            }
        }
    }

    if (clear.n + listed.n == 0) {
        return no_vote(votes, n, passed);
    }

    verdict = winner(&clear, &listed);

    if (verdict == RBL_UNKNOWN) {
        g = gate_unknown(RBL_ERR_DISAGREE,
                         "servers disagree, and their serials do not show"
                         " which data is newer");
        g.recheck = GATE_RECHECK;
        return g;
    }

    if (verdict == RBL_CLEAR && a->current && !proven(a, votes, n, after)) {
        return gate_unproven(a);
    }

    g = gate_known(verdict, clear.n == 0 || listed.n == 0
                   ? "confirmed: all servers that pass agree"
                   : "servers disagree: the side with the newer serial is"
                     " right");
    g.guard = verdict == RBL_LISTED && !a->current;

    return g;
}
