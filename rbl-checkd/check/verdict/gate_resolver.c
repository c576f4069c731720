/*
 * News in resolver mode.  Any response may come from a cache, and a cache does
 * not say when it fetched it.
 *
 * The end of a listing needs three looks.  In each of them a response says
 * "clear", and the test points pass that are queried after it.  P is the
 * largest TTL of the positive test point, N that of a negative response.
 *
 *   1. The store gets the first look at t1.  Its "clear" is from f1 <= t1.
 *   2. The second "clear" comes at t1 + P + 2 s or later.  The test point that
 *      is queried after it was fetched at p > t1, so the list was alive then.
 *      The store gets this look at t2 >= p.
 *   3. The third "clear" comes at t2 + N + 2 s or later: it is from f3 > t2.
 *
 * f1 <= t1 < p <= t2 < f3.  A list that was empty for one moment was not empty
 * at both f1 and f3, since it was alive at p.  So one "clear" is true, and the
 * listing has ended.  Two such moments, one before t1 and one after t2, are not
 * recognized, unless a test run hits one: if the list fails through any
 * resolver of this daemon, the waits begin again.
 *
 * The looks may go through different caches, as no two responses of one cache
 * are compared.  P must bound the TTL in the cache of the second look, and N
 * the TTL in the cache of the third one:
 *
 *   N  A negative response shows the MINIMUM of its SOA record, and no cache
 *      keeps it longer (RFC 2308, section 5), so the third look knows N.
 *   P  A cache shows the rest of a TTL only.  P is the largest that a daemon
 *      has reported through any resolver; the daemon that makes a cache fetch
 *      the test point sees all of it.  A cache may hold it, with a larger TTL,
 *      when a daemon looks for the first time: the resolver was added, or
 *      replaces one that fails.  This look reports the rest, so what the cache
 *      held then has gone P later: the wait counts from that look if it is
 *      later than t1.  The rule assumes that no other client makes the cache
 *      fetch a larger TTL after it than the daemons have seen.
 *
 * There is no such bound if the resolver does not keep SOA records, or is not
 * known to; if MINIMUM is an hour, or P a day, where caches have limits of
 * their own; and if the response has addresses, whose whole TTL no look shows.
 * Then the waits go on through the same resolver only.  The daemon that begins
 * one has just seen how long this cache keeps its response, and sets the
 * length; a daemon that starts later may see only the rest.
 *
 * Without TTLs no cache holds anything, and there are no waits.
 *
 * A listing: test points and a sample, which no cache has, must pass.  Then the
 * list must say so again, through the same resolver, and pass again, after the
 * TTL of the listing: a cache may have it from a moment in which the list was
 * wildcarding and its test points were not queried.  If a check in between says
 * "clear", the wait begins again: each listing may be from such a moment.
 * While caches may hold responses of a time when the list was known to be
 * wildcarding, a listing counts only if its TTL ends after theirs.
 *
 * The store keeps the waits (zone_ask), so that any daemon continues them.
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


/* Do P and N bound what any cache may hold? */

static int
bounded(const gate_answer_t *a, const health_verdict_t *v)
{
    return v->keeps_soa && !a->addresses && a->soa != 0
           && a->minimum < HEALTH_NONE_MAX && v->negative_ttl < HEALTH_NONE_MAX
           && v->positive_ttl < HEALTH_TTL_MAX;
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

    /* A daemon that has just started: the waits that it finds may go on. */

    if (v->soa_asked && !v->keeps_soa) {
        return not_yet(a, a->now + GATE_RECHECK_MIN, "end of a listing: it is"
                       " not known yet how the resolver treats SOA records");
    }

    g = gate_known(RBL_CLEAR,
                   "end of a listing: to be confirmed when no cache has older"
                   " responses");
    g.evidence = 1;
    g.waits.n = 2;
    g.waits.wait[0] = v->positive_ttl + GATE_SLACK;
    g.waits.wait[1] = whole(a, v) + GATE_SLACK;
    g.waits.since = a->cleared == 0 ? a->at : since_recovery(v);
    g.waits.any = bounded(a, v);
    g.waits.ttl = v->positive_ttl;

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
