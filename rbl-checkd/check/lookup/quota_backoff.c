/*
 * Back-off of lists that refuse: no daemon queries them for a while.  While a
 * check needs the list, its test points show when the back-off may end.  They
 * are queried through one resolver after the other, since a resolver may refuse
 * where the list does not.
 */

#include "quota_int.h"


void
quota_refuse(quota_list_t *ql, quota_answer_t why, double seconds)
{
    if (why == QUOTA_BLOCKED && ql->refused != why) {
        ql->probed = clock_now();
    }

    ql->refused = why;
    ql->refused_till = clock_now() + seconds;
}


int
quota_refuses(quota_list_t *ql)
{
    if (ql->refused != QUOTA_GO && clock_now() >= ql->refused_till) {
        ql->refused = QUOTA_GO;
        ql->unreported = 0;
    }

    return ql->refused != QUOTA_GO;
}


int
quota_unreported(quota_list_t *ql)
{
    return ql->unreported && quota_refuses(ql) && ql->refused == QUOTA_BLOCKED
           && (!ql->unsure || health_vouches(ql->quota->health, ql->resolver,
                                             ql->list, ql->since));
}


/* Only responses to queries after the refusal count. */

static void
on_probe(void *data, const health_verdict_t *verdict)
{
    quota_list_t  *ql = data;

    ql->probe = NULL;

    if (verdict->state == HEALTH_GOOD && !verdict->unasked
        && verdict->passed >= ql->probed
        && ql->refused == QUOTA_BLOCKED)
    {
        ql->unreported = 0;
        quota_report(ql, 0);
    }
}


void
quota_probe(quota_list_t *ql)
{
    double        now;
    quota_t      *quota = ql->quota;
    rbl_family_t  family;

    now = clock_now();

    if (quota->health == NULL || ql->probe != NULL || !quota_refuses(ql)
        || ql->refused != QUOTA_BLOCKED
        || now < ql->probed + quota->probe_every)
    {
        return;
    }

    family = ql->list->families & RBL_FAMILY_IPV4 ? RBL_FAMILY_IPV4
             : ql->list->families & RBL_FAMILY_IPV6 ? RBL_FAMILY_IPV6
             : RBL_FAMILY_DOMAIN;
    ql->probed = now;
    ql->probed_by = health_server_next(quota->health, ql->list, ql->probed_by);
    ql->probe = health_ask(quota->health, ql->list, family, ql->probed_by,
                           HEALTH_BOTH, on_probe, ql);
}
