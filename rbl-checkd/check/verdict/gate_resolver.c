/*
 * News in resolver mode.  Any response may come from a cache, and a cache does
 * not say when it fetched it.
 *
 * The end of a listing: the list says "clear" for the first time at t0, and
 * passes its test points.  After the largest TTL that the positive one is known
 * to have, another pass shows that the list was alive after t0.  After the TTL
 * of a negative response, another response "clear" was fetched after that pass.
 * With a last run of test points that passes, the end is confirmed.  If the
 * list fails in between, the waits begin again.  Without TTLs no cache holds
 * anything, and there are no waits.
 *
 * A listing: test points and a sample, which no cache has, must pass.  Then the
 * list must say so again, and pass again, after the TTL of the listing: a cache
 * may have it from a moment in which the list was wildcarding and its test
 * points were not queried.  If a check in between says "clear", the wait begins
 * again: each listing may be from such a moment.  While caches may hold
 * responses of a time when the list was known to be wildcarding, a listing
 * counts only if its TTL ends after theirs.
 *
 * The store keeps the waits (zone_ask), so that any daemon that uses the same
 * resolver continues them.
 */

#include "gate.h"


static double
within(double wait)
{
    return wait < GATE_RECHECK_MIN ? GATE_RECHECK_MIN
           : wait > GATE_RECHECK_MAX ? GATE_RECHECK_MAX : wait;
}


/* The longest time that a cache keeps such a response. */

static double
whole(const gate_answer_t *a, const health_verdict_t *v)
{
    uint32_t  ttl = a->addresses ? v->positive_ttl : v->negative_ttl;

    ttl = a->minimum > ttl ? a->minimum : ttl;

    return a->ttl > ttl ? a->ttl : ttl;
}


static gate_t
not_yet(const gate_answer_t *a, double when, const char *why)
{
    gate_t  g;

    g = gate_unknown(RBL_ERR_UNCONFIRMED, why);
    g.recheck = within(when - a->now + 0.2);

    return g;
}


/*
 * Waits that began before the list recovered do not count.  The first one often
 * begins in the moment of the recovery, and the store counts back from when a
 * call arrives, so a call that takes longer than the first must not make it
 * begin again.  A wait has more slack than this.
 */

static double
since_recovery(const health_verdict_t *v)
{
    return v->recovered == 0 ? 0 : v->recovered - GATE_SLACK / 2;
}


static gate_t
end(const gate_answer_t *a, const health_verdict_t *v)
{
    gate_t  g;

    if (v->passed < a->at) {
        return not_yet(a, a->now + GATE_RECHECK, "end of a listing: the test"
                       " points have not passed since the response");
    }

    if (a->cleared != 0 && a->now - a->cleared >= GATE_UNPROVEN) {
        return gate_known(RBL_CLEAR,
                          "end of a listing: the list has responded clear for"
                          " a day");
    }

    /* The zone above denies the name: this may be from a time when the list was
       gone. */

    if (!a->addresses && a->soa < v->negative_soa) {
        return not_yet(a, a->now + whole(a, v), "end of a listing: the"
                       " response is of the zone above the list's");
    }

    if (v->positive_ttl == 0 && whole(a, v) == 0) {
        return gate_known(RBL_CLEAR,
                          "end of a listing: no cache keeps the responses of"
                          " the list");
    }

    g = gate_known(RBL_CLEAR,
                   "end of a listing: to be confirmed when no cache has older"
                   " responses");
    g.evidence = 1;
    g.waits.n = 2;
    g.waits.wait[0] = v->positive_ttl + GATE_SLACK;
    g.waits.wait[1] = whole(a, v) + GATE_SLACK;
    g.waits.since = a->cleared == 0 ? a->at : since_recovery(v);

    return g;
}


static gate_t
clear(const gate_answer_t *a, const health_verdict_t *v)
{
    if (v->state == HEALTH_UNSUPPORTED) {
        return gate_unproven(a);
    }

    if (gate_away(v)) {
        return gate_unknown(RBL_ERR_UNCONFIRMED, "end of a listing: the list"
                            " does not respond");
    }

    if (v->state != HEALTH_GOOD) {
        return gate_unhealthy(v->state);
    }

    if (v->dead) {
        return gate_dead();
    }

    return v->unproven ? gate_unproven(a) : end(a, v);
}


/* A response that expires before wild_until may be of a wildcard. */

static gate_t
if_not_wild(const gate_answer_t *a, double wild_until)
{
    gate_t  g;

    if (a->now + a->ttl <= wild_until) {
        g = gate_unknown(RBL_ERR_UNHEALTHY,
                         "a cache may have stored the listing while the list"
                         " was wildcarding");
        g.recheck = within(wild_until - a->now + 1);
        return g;
    }

    g = gate_known(RBL_LISTED, "confirmed: test points and sample pass");
    g.guard = 1;

    return g;
}


static gate_t
listed(const gate_answer_t *a, const health_verdict_t *v)
{
    gate_t  g;

    if (v->state != HEALTH_GOOD && v->state != HEALTH_UNSUPPORTED) {
        return gate_unhealthy(v->state);
    }

    if (v->passed < a->at || (!gate_unsampled(a, v) && v->sampled < a->at)) {
        return not_yet(a, a->now + GATE_RECHECK, "not confirmed: test points"
                       " or sample have not passed since the response");
    }

    g = if_not_wild(a, v->wild_until);
    g.evidence = g.guard;

    if (g.evidence && !a->once && whole(a, v) != 0) {
        g.waits.n = 1;
        g.waits.wait[0] = whole(a, v) + GATE_SLACK;
        g.waits.since = a->pending ? 0 : a->at;
    }

    return g;
}


gate_t
gate_news(const gate_answer_t *a, const health_verdict_t *v)
{
    return a->raw == RBL_CLEAR ? clear(a, v) : listed(a, v);
}


/* The end of a listing at a list without a positive test point. */

static gate_t
end_unproven(const gate_answer_t *a, const evidence_known_t *known)
{
    if (known->had_point || (!a->addresses && a->soa < known->soa)) {
        return gate_dead();
    }

    return gate_known(RBL_CLEAR,
                      "the list passes its test points, and no other daemon"
                      " has newer evidence");
}


gate_t
gate_evidence(const gate_answer_t *a, const gate_t *news,
    const evidence_known_t *known)
{
    gate_t  g;

    if (a->raw == RBL_CLEAR && news->waits.n == 0) {
        return end_unproven(a, known);
    }

    if (a->raw == RBL_LISTED) {
        g = if_not_wild(a, known->wild_until);

        if (g.verdict != RBL_LISTED) {
            return g;
        }
    }

    if (known->wait > 0) {
        return not_yet(a, a->now + known->wait,
                       "not confirmed: the list must respond so again, because"
                       " a cache may have older responses");
    }

    if (a->raw == RBL_CLEAR) {
        return gate_known(RBL_CLEAR, "end of a listing: the response and the"
                          " test points are newer than any cache's");
    }

    g.why = "no daemon has evidence of a wildcard that a cache may have";

    return g;
}
