/*
 * A sample of names that no list should contain, queried with the test points
 * of a run.
 *
 * A server that is wildcarding for half of its queries passes a sample of 22
 * names, and the test points, less often than once in a million times; the
 * names alternate between the two domains.  Some lists do list a network of the
 * root name servers: such hits are confined to that network.
 */

#include "base/xalloc.h"
#include "health_int.h"

#include <stdlib.h>

#define DRAWS   2

typedef struct {
    struct health_sample_s  *sample;
    dns_query_t             *query;     /* NULL: none is under way */
    unsigned                 network;
} sample_q_t;

struct health_sample_s {
    health_entry_t  *entry;
    unsigned         draws;
    unsigned         unanswered;
    unsigned         hit[DRAWS];
    uint32_t         ttl;               /* the largest of a listing */
    sample_q_t       ask[HEALTH_SAMPLE_N];
};


static unsigned
count(unsigned set)
{
    unsigned  n;

    for (n = 0; set != 0; set &= set - 1) {
        n++;
    }

    return n;
}


/*
 * No list contains three of these networks, or both of the domains.  Fewer hits
 * may be regular listings: then a second draw has no hits elsewhere.
 */

sample_verdict_t
health_sample_judge(rbl_family_t family, const unsigned *hit, unsigned draws)
{
    unsigned  most = family == RBL_FAMILY_DOMAIN ? 1 : 2;

    if (hit[0] == 0) {
        return SAMPLE_PASSED;
    }

    if (count(hit[0]) > most) {
        return SAMPLE_WILD;
    }

    if (draws < DRAWS) {
        return SAMPLE_AGAIN;
    }

    return count(hit[0] | hit[1]) > most ? SAMPLE_WILD : SAMPLE_PASSED;
}


static void
on_answer(void *data, const dns_answer_t *answer)
{
    sample_q_t              *ask = data;
    health_found_t           found;
    struct health_sample_s  *s = ask->sample;

    ask->query = NULL;
    found = health_judge(s->entry->list->codes, 0, answer);

    if (found.state == POINT_WILDCARD) {
        health_trace(s->entry, "a name of the sample fails: %s",
                     rbl_list_reasons[found.why].text);
        s->hit[s->draws - 1] |= 1u << ask->network;
        s->ttl = found.wildcard && answer->ttl > s->ttl ? answer->ttl : s->ttl;

    } else if (found.state != POINT_OK) {
        s->unanswered++;
    }

    health_run_answered(s->entry, answer);
}


static void
draw(struct health_sample_s *s)
{
    size_t           i;
    names_t          name;
    uint64_t         random;
    dns_payer_t      payer;
    health_entry_t  *e = s->entry;

    payer = list_payer(e->list, 1);
    s->draws++;

    for (i = 0; i < HEALTH_SAMPLE_N; i++) {
        random = health_random(e->health);

        if (e->family == RBL_FAMILY_DOMAIN) {
            random = (random & ~UINT64_C(1)) | (i & 1);
        }

        s->ask[i].sample = s;
        s->ask[i].network = names_network(e->family, random);

        if (names_point(&name, e->list, e->family, NAMES_ROOT, random)) {
            s->ask[i].query = dns_ask_at(e->health->dns, e->server, name.s,
                                            DNS_TYPE_A, &payer, on_answer,
                                            &s->ask[i]);
        }

        if (s->ask[i].query != NULL) {
            e->running++;

        } else {
            s->unanswered++;
        }
    }
}


void
health_sample_begin(health_entry_t *e)
{
    struct health_sample_s  *s;

    s = xcalloc(1, sizeof(struct health_sample_s));
    s->entry = e;
    e->sample = s;
    draw(s);
}


int
health_sample_again(health_entry_t *e)
{
    unsigned                 before = e->running;
    struct health_sample_s  *s = e->sample;

    if (s == NULL || s->unanswered != 0
        || health_sample_judge(e->family, s->hit, s->draws) != SAMPLE_AGAIN)
    {
        return 0;
    }

    health_trace(e,
                 "the list may really list these names: a second sample"
                 " decides");
    draw(s);

    return e->running != before;
}


/* Hits count however many names were not answered. */

sample_verdict_t
health_sample_end(health_entry_t *e, int *sound, uint32_t *ttl)
{
    sample_verdict_t         verdict;
    struct health_sample_s  *s = e->sample;

    verdict = health_sample_judge(e->family, s->hit, s->draws);
    *sound = s->unanswered == 0 && verdict != SAMPLE_AGAIN;
    *ttl = s->ttl;
    health_sample_stop(e);

    return verdict;
}


void
health_sample_stop(health_entry_t *e)
{
    size_t                   i;
    struct health_sample_s  *s = e->sample;

    if (s == NULL) {
        return;
    }

    for (i = 0; i < HEALTH_SAMPLE_N; i++) {
        if (s->ask[i].query != NULL) {
            dns_cancel(s->ask[i].query);
        }
    }

    free(s);
    e->sample = NULL;
}
