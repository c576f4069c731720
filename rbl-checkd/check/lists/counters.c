/*
 * Counters of lists, in memory.
 */

#include "counters.h"
#include "base/xalloc.h"
#include "sidmap.h"

#include <stdio.h>
#include <stdlib.h>

#define OWN_MAX  (RBL_METRICS_LISTS - 2)

struct counters_s {
    size_t             n;               /* lists with counters of their own */
    sidmap_t           map;
    list_counters_t   *own[OWN_MAX];
    list_counters_t    other, custom;
    uint64_t           outcome[COUNTERS_OUTCOMES];
};


counters_t *
counters_new(void)
{
    counters_t  *counters;

    counters = xcalloc(1, sizeof(counters_t));
    snprintf(counters->other.zone, sizeof(counters->other.zone), "other");
    snprintf(counters->custom.zone, sizeof(counters->custom.zone), "custom");

    return counters;
}


void
counters_free(counters_t *counters)
{
    size_t  i;

    if (counters == NULL) {
        return;
    }

    for (i = 0; i < counters->n; i++) {
        free(counters->own[i]);
    }

    sidmap_free(&counters->map);
    free(counters);
}


static list_counters_t *
add(counters_t *counters, const list_t *list)
{
    list_counters_t  *c;

    c = xcalloc(1, sizeof(list_counters_t));
    snprintf(c->sid, sizeof(c->sid), "%s", list->sid);
    snprintf(c->zone, sizeof(c->zone), "%s", list->zone);

    sidmap_add(&counters->map, c->sid, c);
    counters->own[counters->n++] = c;

    return c;
}


list_counters_t *
counters_list(counters_t *counters, const list_t *list)
{
    list_counters_t  *c;

    if (list->custom) {
        return &counters->custom;
    }

    c = sidmap_find(&counters->map, rbl_str(list->sid));

    if (c == NULL && counters->n < OWN_MAX) {
        c = add(counters, list);
    }

    return c != NULL ? c : &counters->other;
}


list_counters_t *
counters_find(const counters_t *counters, const char *sid)
{
    return sidmap_find(&counters->map, rbl_str(sid));
}


list_counters_t *
counters_next(counters_t *counters, size_t *at)
{
    size_t  i;

    i = (*at)++;

    if (i < counters->n) {
        return counters->own[i];
    }

    return i == counters->n ? &counters->other
           : i == counters->n + 1 ? &counters->custom : NULL;
}


void
counters_answer(counters_t *counters, const list_t *list,
    const dns_answer_t *answer, int refused)
{
    list_counters_t  *c;

    if (counters == NULL) {
        return;
    }

    c = counters_list(counters, list);

    if (refused) {
        counters->outcome[COUNTERS_REFUSED]++;
        c->number[RBL_ML_REFUSED]++;

    } else if (!dns_answered(answer->status)) {
        counters->outcome[answer->status == DNS_TIMEOUT ? COUNTERS_TIMED_OUT
                                                        : COUNTERS_FAILED]++;
        c->number[RBL_ML_FAILED]++;

    } else {
        counters->outcome[COUNTERS_ANSWERED]++;
        c->number[RBL_ML_ANSWERED]++;
        c->number[RBL_ML_TIME] += (int64_t) (answer->ms * 1000);

        if (answer->ms > c->slowest[0]) {
            c->slowest[0] = answer->ms;
        }
    }
}


const uint64_t *
counters_outcomes(const counters_t *counters)
{
    return counters->outcome;
}


void
counters_result(counters_t *counters, const list_t *list, rbl_verdict_t verdict)
{
    static const unsigned  at[] = {
        [RBL_UNKNOWN] = RBL_ML_UNKNOWN,
        [RBL_CLEAR] = RBL_ML_CLEAR,
        [RBL_LISTED] = RBL_ML_LISTED
    };

    if (counters != NULL && verdict != RBL_SKIPPED) {
        counters_list(counters, list)->number[at[verdict]]++;
    }
}


void
counters_rotate(counters_t *counters)
{
    size_t            at = 0;
    list_counters_t  *c;

    while ((c = counters_next(counters, &at)) != NULL) {
        c->slowest[1] = c->slowest[0];
        c->slowest[0] = 0;
    }
}
