/*
 * Rules of both modes, and responses that are no news.
 */

#include "gate.h"


gate_t
gate_unknown(rbl_lookup_err_t error, const char *why)
{
    gate_t  g = { .verdict = RBL_UNKNOWN, .error = error, .why = why };

    return g;
}


gate_t
gate_known(rbl_verdict_t verdict, const char *why)
{
    gate_t  g = { .verdict = verdict, .error = RBL_ERR_NONE, .why = why };

    return g;
}


gate_t
gate_unhealthy(health_state_t state)
{
    switch (state) {

    case HEALTH_RESOLVER:
        return gate_unknown(RBL_ERR_RESOLVER,
                            "the resolver or the network is at fault");

    case HEALTH_BLOCKED:
        return gate_unknown(RBL_ERR_BLOCKED, "the list refuses its test"
                            " points");

    case HEALTH_WILDCARDING:
        return gate_unknown(RBL_ERR_UNHEALTHY,
                            "the list lists names that no list should have, or"
                            " responds outside 127/8");

    default:
        return gate_unknown(RBL_ERR_UNHEALTHY, "the list fails its test"
                            " points");
    }
}


gate_t
gate_dead(void)
{
    return gate_unknown(RBL_ERR_UNHEALTHY, "the list has lost its test point or"
                        " its zone");
}


gate_need_t
gate_need(const gate_answer_t *a, health_need_t *need)
{
    *need = HEALTH_KNOWN;

    if (a->raw != RBL_CLEAR && a->raw != RBL_LISTED) {
        return GATE_NO_VERDICT;
    }

    if ((a->raw == RBL_LISTED) == (a->current != 0)
        && (a->raw == RBL_LISTED || !a->doubted))
    {
        return GATE_AS_KNOWN;
    }

    *need = a->raw == RBL_LISTED ? HEALTH_SAMPLE : HEALTH_BOTH;

    return GATE_NEWS;
}


gate_t
gate_unproven(const gate_answer_t *a)
{
    gate_t  g;

    if (a->cleared == 0 || a->now - a->cleared < GATE_UNPROVEN) {
        return gate_unknown(RBL_ERR_UNCONFIRMED,
                            "end of a listing: without a positive test point"
                            " the list must respond clear for a day");
    }

    g = gate_known(RBL_CLEAR,
                   "end of a listing: the list has responded clear for a day");
    g.evidence = 1;

    return g;
}


int
gate_unsampled(const gate_answer_t *a, const health_verdict_t *v)
{
    return a->own && v->unproven;
}


int
gate_away(const health_verdict_t *v)
{
    return v->state == HEALTH_DOWN && v->unproven && !v->dead;
}


/*
 * An own list may have lost its test point before this daemon was started:
 * others know.
 */

static gate_t
clear(const health_verdict_t *v)
{
    gate_t  g;

    if (v->state == HEALTH_UNSUPPORTED) {
        return gate_known(RBL_SKIPPED,
                          "the list has no data of this family");
    }

    if (v->state != HEALTH_GOOD) {
        return gate_unhealthy(v->state);
    }

    if (v->dead) {
        return gate_dead();
    }

    g = gate_known(RBL_CLEAR, "no listing is known, and the list passes its"
                   " test points");
    g.evidence = v->unproven && !v->recalled;

    return g;
}


/* A current listing ends only by a response of the list, not while the list
   fails. */

static gate_t
listed(const health_verdict_t *v)
{
    switch (v->state) {

    case HEALTH_GOOD:
    case HEALTH_BLOCKED:
    case HEALTH_DOWN:
    case HEALTH_UNSUPPORTED:
        return gate_known(RBL_LISTED,
                          "the current listing stays: the list still lists the"
                          " host and is not wildcarding");

    default:
        return gate_unhealthy(v->state);
    }
}


gate_t
gate_judge(const gate_answer_t *a, const health_verdict_t *v)
{
    health_need_t  need;

    switch (gate_need(a, &need)) {

    case GATE_NO_VERDICT:
        return gate_known(a->raw, "the response is no verdict");

    case GATE_AS_KNOWN:
        return a->raw == RBL_CLEAR ? clear(v) : listed(v);

    default:
        return gate_news(a, v);
    }
}


gate_t
gate_late(const gate_answer_t *a)
{
    gate_t         g;
    health_need_t  need;

    g = gate_unknown(RBL_ERR_UNHEALTHY, "time is up before the test points or"
                     " the confirmation have ended");

    if (gate_need(a, &need) == GATE_NEWS) {
        g.error = RBL_ERR_UNCONFIRMED;
        g.recheck = GATE_RECHECK;
    }

    return g;
}
