/*
 * News in resolver mode.  Any response may come from a cache, and a cache does
 * not say when it fetched it.
 *
 * The end of a listing: the list says "clear" for the first time at t0.  From
 * t0 + (TTL of the positive test point) on, a passed run of test points shows
 * that the list was alive after t0.  From (TTL of a negative response) after
 * such a run on, a response "clear" was fetched after it.  With a last run of
 * test points that passes, the end is confirmed.  If the list fails in between,
 * t0 is when it has recovered.  What has no TTL is in no cache: then there is
 * nothing to wait for.
 *
 * A listing: test points and a sample, which no cache has, must pass.  Then the
 * list must say so again, and pass again, after the TTL of the listing: a cache
 * may have it from a moment in which the list was wildcarding and nobody asked
 * for its test points.  While caches may have what the list said when it was
 * known to be wildcarding, a listing counts only if it outlives these.
 */

#include "gate.h"


static double
within(double wait)
{
    return wait < GATE_RECHECK_MIN ? GATE_RECHECK_MIN
           : wait > GATE_RECHECK_MAX ? GATE_RECHECK_MAX : wait;
}


/* How long a cache keeps such a response at most. */

static double
whole(const gate_answer_t *a, const health_verdict_t *v)
{
    uint32_t  ttl = a->addresses ? v->positive_ttl : v->negative_ttl;

    ttl = a->minimum > ttl ? a->minimum : ttl;

    return a->ttl > ttl ? a->ttl : ttl;
}


/* The first run from `from` on that the list has passed; 0: none. */

static double
passed_since(const health_verdict_t *v, double from)
{
    unsigned  i;

    for (i = 0; i < v->n_passes; i++) {
        if (v->pass[i] >= from) {
            return v->pass[i];
        }
    }

    return 0;
}


static gate_t
not_yet(const gate_answer_t *a, double when, const char *why)
{
    gate_t  g;

    g = gate_unknown(RBL_ERR_UNCONFIRMED, why);
    g.recheck = within(when - a->told + 0.2);

    return g;
}


static gate_t
end(const gate_answer_t *a, const health_verdict_t *v)
{
    double  first, alive, pass;

    first = a->cleared != 0 && a->cleared < a->at ? a->cleared : a->at;
    first = v->recovered > first ? v->recovered : first;

    if (v->passed < a->at) {
        return not_yet(a, a->told + GATE_RECHECK, "end of a listing: the test"
                       " points have not passed since the response");
    }

    if (a->cleared != 0 && a->told - a->cleared >= GATE_UNPROVEN) {
        return gate_known(RBL_CLEAR, "end of a listing: the list has said clear"
                          " for a day");
    }

    /* The zone above says it: that may be of a time when the list was gone. */

    if (!a->addresses && a->soa < v->negative_soa) {
        return not_yet(a, a->told + whole(a, v), "end of a listing: the"
                       " response is of the zone above the list's");
    }

    if (v->positive_ttl == 0 && whole(a, v) == 0) {
        return gate_known(RBL_CLEAR, "end of a listing: no cache keeps what the"
                          " list says");
    }

    alive = first + v->positive_ttl + GATE_SLACK;
    pass = a->cleared != 0 ? passed_since(v, alive) : 0;

    if (pass == 0) {
        return not_yet(a, alive, "end of a listing: a cache may still have the"
                       " test point of an earlier time");
    }

    if (pass > a->at - whole(a, v) - GATE_SLACK) {
        return not_yet(a, pass + whole(a, v) + GATE_SLACK, "end of a listing:"
                       " the response may be from a cache");
    }

    return gate_known(RBL_CLEAR, "end of a listing: the response and the test"
                      " points are newer than any cache's");
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


/* A response that expires before all lies do may be one of them. */

static gate_t
if_no_lie(const gate_answer_t *a, double lies)
{
    gate_t  g;

    if (a->told + a->ttl <= lies) {
        g = gate_unknown(RBL_ERR_UNHEALTHY, "the listing may be from a cache,"
                         " of a time when the list was wildcarding");
        g.recheck = within(lies - a->told + 1);
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
        return not_yet(a, a->told + GATE_RECHECK, "not confirmed: test points"
                       " or sample have not passed since the response");
    }

    g = if_no_lie(a, v->lies);
    g.trust = g.guard;

    if (g.trust && !a->once && whole(a, v) != 0) {
        g.kept = whole(a, v) + GATE_SLACK;
    }

    return g;
}


gate_t
gate_news(const gate_answer_t *a, const health_verdict_t *v)
{
    return a->raw == RBL_CLEAR ? clear(a, v) : listed(a, v);
}


gate_t
gate_trust(const gate_answer_t *a, const trust_told_t *told)
{
    gate_t  g;

    if (a->raw == RBL_LISTED) {
        g = if_no_lie(a, told->lies);

        if (g.verdict == RBL_LISTED && told->wait > 0) {
            return not_yet(a, a->told + told->wait, "not confirmed: the list"
                           " must say so again, for a cache may have the"
                           " listing");
        }

        g.why = g.verdict == RBL_LISTED ? "no daemon knows of a wildcard that a"
                                          " cache may have" : g.why;
        return g;
    }

    if (told->entry || (!a->addresses && a->soa < told->soa)) {
        return gate_dead();
    }

    return gate_known(RBL_CLEAR, "the list passes its test points, and no other"
                      " daemon knows better");
}
