/*
 * The rules of the gate.
 *
 * The end of a listing is the hard one: a list that was emptied says "clear"
 * to everything, while a resolver's cache still says that its test entry is
 * there.  So the test entry must have been fetched after the list first said
 * "clear", and that must be said again in an answer that was fetched after the
 * test entry, or together with it: an older one may be of the time when the
 * list was dead.
 *
 * A new listing needs no test entry, but that what nobody lists is not listed.
 * What a list told while it listed the world is kept by caches for a while.
 */

#include "gate.h"

#include <math.h>

#define TOGETHER   10.0                 /* s */
#define TTL_SLACK  1u                   /* s */


static gate_t
unknown(rbl_lookup_err_t error)
{
    gate_t  g = { RBL_UNKNOWN, error, 0, 0, 0 };

    return g;
}


static gate_t
known(rbl_verdict_t verdict)
{
    gate_t  g = { verdict, RBL_ERR_NONE, 0, 0, 0 };

    return g;
}


static gate_t
unhealthy(health_state_t state)
{
    switch (state) {

    case HEALTH_RESOLVER:
        return unknown(RBL_ERR_RESOLVER);

    case HEALTH_BLOCKED:
        return unknown(RBL_ERR_BLOCKED);

    default:
        return unknown(RBL_ERR_UNHEALTHY);
    }
}


int
gate_need(const gate_answer_t *a, health_need_t *need)
{
    switch (a->raw) {

    case RBL_CLEAR:
        *need = a->stands ? HEALTH_BOTH : HEALTH_KNOWN;
        return 1;

    case RBL_LISTED:
        *need = a->stands ? HEALTH_KNOWN : HEALTH_NEGATIVE;
        return 1;

    default:
        return 0;
    }
}


/* Does the resolver keep to itself how old it is? */

static int
ageless(const gate_answer_t *a, const health_verdict_t *v)
{
    return !a->addresses && a->soa == 0 && v->ageless;
}


/*
 * When the answer was fetched from the list, at the earliest: what it lacks of
 * the whole TTL, which is that of the controls, it has spent in caches.  One
 * with more has another TTL; one of the zone above the list's is of a time when
 * that was gone; some resolvers tell no SOA.  Nothing tells how old these are,
 * until the same has been told for a day.
 */

static double
fetched(const gate_answer_t *a, const health_verdict_t *v)
{
    double    at;
    uint32_t  whole = a->addresses ? v->positive_ttl : v->negative_ttl;

    if (a->cleared != 0 && a->told - a->cleared >= GATE_UNPROVEN) {
        return a->at;
    }

    if (a->ttl > whole + TTL_SLACK
        || (!a->addresses && a->soa < v->negative_soa) || ageless(a, v))
    {
        return -HUGE_VAL;
    }

    at = a->told - (whole > a->ttl ? whole - a->ttl : 0);

    return at < a->at ? at : a->at;
}


static double
within(double wait)
{
    return wait < GATE_RECHECK_MIN ? GATE_RECHECK_MIN
           : wait > GATE_RECHECK_MAX ? GATE_RECHECK_MAX : wait;
}


/*
 * When both the test entry and the answer will have run out of caches.  The
 * test entry has to be seen once after the store has noted the end: whatever
 * a cache has then is newer once that has run out.  Else it would take two
 * whole TTLs.
 */

static double
recheck(const gate_answer_t *a, const health_verdict_t *v)
{
    double  wait = 0;

    if (a->cleared == 0) {
        return GATE_RECHECK_NEW;
    }

    if (v->expires > a->told) {
        wait = v->expires - a->told;
    }

    if (a->ttl > wait) {
        wait = a->ttl;
    }

    return within(wait != 0 ? wait + 1 : GATE_RECHECK);
}


static gate_t
delisting(const gate_answer_t *a, const health_verdict_t *v)
{
    double  first, answer;
    gate_t  g;

    first = a->cleared != 0 && a->cleared < a->at ? a->cleared : a->at;
    first = v->recovered > first ? v->recovered : first;
    answer = fetched(a, v);

    if (v->positive != 0 && v->positive > first
        && v->positive - answer <= TOGETHER)
    {
        return known(RBL_CLEAR);
    }

    g = unknown(RBL_ERR_UNCONFIRMED);
    g.recheck = ageless(a, v) ? 0 : recheck(a, v);

    return g;
}


/*
 * The list has no test entry of this family, though it has entries: one of them
 * stood.  If it had one before, it is dead.
 */

static gate_t
unproven(const gate_answer_t *a)
{
    gate_t  g;

    if (a->cleared == 0 || a->told - a->cleared < GATE_UNPROVEN) {
        return unknown(RBL_ERR_UNCONFIRMED);
    }

    g = known(RBL_CLEAR);
    g.trust = 1;

    return g;
}


/*
 * A list without a test entry whose servers are away for a moment: that says
 * nothing against what it said before.
 */

static int
away(const health_verdict_t *v)
{
    return v->state == HEALTH_DOWN && v->unproven && !v->dead;
}


static gate_t
clear(const gate_answer_t *a, const health_verdict_t *v)
{
    if (v->state == HEALTH_UNSUPPORTED) {
        return a->stands ? unproven(a) : known(RBL_SKIPPED);
    }

    if (a->stands && away(v)) {
        return unknown(RBL_ERR_UNCONFIRMED);
    }

    if (v->state != HEALTH_GOOD) {
        return unhealthy(v->state);
    }

    if (!a->stands) {
        return known(RBL_CLEAR);
    }

    if (v->dead) {
        return unhealthy(HEALTH_DOWN);
    }

    return v->unproven ? unproven(a) : delisting(a, v);
}


/* An answer that is gone before all lies are may be one of them. */

static gate_t
if_no_lie(const gate_answer_t *a, double lies)
{
    gate_t  g;

    if (a->told + a->ttl <= lies) {
        g = unknown(RBL_ERR_UNHEALTHY);
        g.recheck = within(lies - a->told + 1);
        return g;
    }

    g = known(RBL_LISTED);
    g.guard = 1;

    return g;
}


static gate_t
listed(const gate_answer_t *a, const health_verdict_t *v)
{
    gate_t  g;

    if (a->stands) {
        switch (v->state) {

        case HEALTH_GOOD:
        case HEALTH_BLOCKED:
        case HEALTH_DOWN:
        case HEALTH_UNSUPPORTED:
            return known(RBL_LISTED);

        default:
            return unhealthy(v->state);
        }
    }

    if ((v->state != HEALTH_GOOD && v->state != HEALTH_UNSUPPORTED)
        || v->negative < a->at)
    {
        return unhealthy(v->state);
    }

    g = if_no_lie(a, v->lies);
    g.trust = g.guard;

    return g;
}


gate_t
gate_judge(const gate_answer_t *a, const health_verdict_t *v)
{
    switch (a->raw) {

    case RBL_CLEAR:
        return clear(a, v);

    case RBL_LISTED:
        return listed(a, v);

    default:
        return known(a->raw);
    }
}


gate_t
gate_trust(const gate_answer_t *a, const trust_told_t *told)
{
    if (a->raw == RBL_LISTED) {
        return if_no_lie(a, told->lies);
    }

    if (told->entry || (!a->addresses && a->soa < told->soa)) {
        return unhealthy(HEALTH_DOWN);
    }

    return known(RBL_CLEAR);
}


gate_t
gate_late(const gate_answer_t *a)
{
    gate_t  g;

    g = unknown(RBL_ERR_UNHEALTHY);

    if (a->raw == RBL_CLEAR && a->stands) {
        g.error = RBL_ERR_UNCONFIRMED;
        g.recheck = GATE_RECHECK;
    }

    return g;
}
