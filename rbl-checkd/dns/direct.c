/*
 * Judges responses of authoritative servers.  A response counts if it is
 * authoritative and from the zone.  A referral to a zone below is followed.
 * Any other response is lame and treated as SERVFAIL.  A server does not
 * resolve an alias that leaves its zones; the resolvers are queried for the
 * target.
 */

#include "dns_int.h"

#include <string.h>


static int
direct_lame(dns_query_t *q, const char *why)
{
    dns_trace_query_at(q, dns_at(q), why);
    dns_answer_clear(&q->engine->answer, DNS_SERVFAIL);

    return 0;
}


/* The response for the target of an alias; `answer` is engine->answer. */
static void
direct_target(void *data, const dns_answer_t *told)
{
    dns_answer_t    *answer;
    dns_query_t     *q;

    (void) told;

    q = data;
    q->sub = NULL;
    link_remove(&q->link);

    answer = &q->engine->answer;
    answer->soa = 0;
    answer->has_serial = 0;
    answer->alias = answer->n_a + answer->n_aaaa != 0 || answer->txt_len != 0;
    answer->ttl = q->sub_ttl < answer->ttl ? q->sub_ttl : answer->ttl;

    /* The resolvers were silent, not the list. */
    if (answer->status == DNS_TIMEOUT || answer->status == DNS_NETWORK) {
        answer->status = DNS_SERVFAIL;
    }

    dns_trace_query(q, "takes the response to its alias' target: %s",
                    dns_trace_status(answer->status));
    dns_finish(q);
}


static void
direct_alias(dns_query_t *q)
{
    const dns_referral_t  *referral;

    referral = &q->engine->referral;
    q->sub_ttl = referral->target_ttl;
    q->sub = dns_ask_look(q->engine, NULL, q->class->owner->account,
                          &referral->target, q->type, direct_target, q);
    dns_trace_query(q,
                    "is an alias out of the zone; the resolver is queried for"
                    " its target");
    dns_query_leave(q);
    q->state = DNS_ALIAS;
    link_add(&q->engine->wire, &q->link);
}


static int
direct_refer(dns_query_t *q)
{
    const dns_referral_t  *referral;

    referral = &q->engine->referral;

    if (!q->engine->referred || referral->found || referral->target.len
        || referral->zone.len <= q->set->apex.len || q->set->given
        || !dns_name_within(&referral->zone, &q->set->apex))
    {
        return direct_lame(q, "is lame: its response is not authoritative");
    }

    return dns_zone_refer(q, &referral->zone) == 0
           ? 1 : direct_lame(q, "is lame: its referral leads nowhere");
}


static int
direct_authority(dns_query_t *q)
{
    dns_server_t          *r;
    const dns_answer_t    *answer;
    const dns_referral_t  *referral;

    answer = &q->engine->answer;
    referral = &q->engine->referral;

    if (q->engine->referred && !referral->found) {
        if (referral->target.len
            && (!referral->apex.len
                || !dns_name_within(&referral->apex, &q->set->apex)))
        {
            direct_alias(q);
            return 1;
        }

        /* A referral of the parent or the root: the server does not know the
           zone. */
        if (!q->set->given && referral->apex.len
            && !dns_name_within(&referral->apex, &q->set->apex))
        {
            return direct_lame(q, "is lame: its SOA is of a zone above the"
                               " list's");
        }
    }

    if (answer->has_serial) {
        r = dns_at(q);
        r->has_serial = 1;
        r->serial = answer->serial;
    }

    q->set->lame[q->at] = 0;
    return 0;
}


int
dns_direct_judge(dns_query_t *q)
{
    dns_answer_t  *answer;

    answer = &q->engine->answer;

    if (q->set->recursive || answer->status == DNS_SERVFAIL
        || answer->status == DNS_REFUSED)
    {
        return 0;
    }

    /* The search for name servers follows referrals itself. */
    if (q->look) {
        answer->status = q->engine->referred && answer->status == DNS_BADREPLY
                         ? DNS_NOERROR : answer->status;
        return 0;
    }

    if (!answer->aa) {
        return direct_refer(q);
    }

    return answer->status == DNS_BADREPLY ? 0 : direct_authority(q);
}


void
dns_direct_referred(dns_query_t *q, const dns_set_t *set)
{
    if (q->from != NULL && set->apex.len <= q->from->apex.len) {
        dns_trace_query_at(q, q->from->server[q->from_at],
                           "is lame: there is no zone where it refers to");
        q->from->lame[q->from_at] = q->engine->now + DNS_LAME;
    }
}
