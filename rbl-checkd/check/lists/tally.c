/*
 * Counters of lists, in memory.
 */

#include "tally.h"
#include "sidmap.h"

#include <stdio.h>
#include <stdlib.h>

#define OWN_MAX  (RBL_METRICS_LISTS - 2)

struct tally_s {
    size_t             n;               /* lists with a tally of their own */
    sidmap_t           map;
    tally_list_t      *own[OWN_MAX];
    tally_list_t       other, custom;
};


tally_t *
tally_new(void)
{
    tally_t  *tally;

    tally = calloc(1, sizeof(tally_t));
    if (tally == NULL) {
        return NULL;
    }

    snprintf(tally->other.zone, sizeof(tally->other.zone), "other");
    snprintf(tally->custom.zone, sizeof(tally->custom.zone), "custom");

    return tally;
}


void
tally_free(tally_t *tally)
{
    size_t  i;

    if (tally == NULL) {
        return;
    }

    for (i = 0; i < tally->n; i++) {
        free(tally->own[i]);
    }

    sidmap_free(&tally->map);
    free(tally);
}


static tally_list_t *
add(tally_t *tally, const list_t *list)
{
    tally_list_t  *t;

    t = calloc(1, sizeof(tally_list_t));
    if (t == NULL) {
        return NULL;
    }

    snprintf(t->sid, sizeof(t->sid), "%s", list->sid);
    snprintf(t->zone, sizeof(t->zone), "%s", list->zone);

    if (sidmap_add(&tally->map, t->sid, t) != 0) {
        free(t);
        return NULL;
    }

    tally->own[tally->n++] = t;

    return t;
}


tally_list_t *
tally_list(tally_t *tally, const list_t *list)
{
    tally_list_t  *t;

    if (list->custom) {
        return &tally->custom;
    }

    t = sidmap_find(&tally->map, list->sid);

    if (t == NULL && tally->n < OWN_MAX) {
        t = add(tally, list);
    }

    return t != NULL ? t : &tally->other;
}


tally_list_t *
tally_find(const tally_t *tally, const char *sid)
{
    return sidmap_find(&tally->map, sid);
}


tally_list_t *
tally_next(tally_t *tally, size_t *at)
{
    size_t  i;

    i = (*at)++;

    if (i < tally->n) {
        return tally->own[i];
    }

    return i == tally->n ? &tally->other
           : i == tally->n + 1 ? &tally->custom : NULL;
}


static int
answered(const dns_answer_t *answer)
{
    return answer->status == DNS_NOERROR || answer->status == DNS_NXDOMAIN;
}


void
tally_answer(tally_t *tally, const list_t *list, const dns_answer_t *answer,
    int refused)
{
    tally_list_t  *t;

    if (tally == NULL) {
        return;
    }

    t = tally_list(tally, list);

    if (refused) {
        t->number[RBL_ML_REFUSED]++;

    } else if (!answered(answer)) {
        t->number[RBL_ML_FAILED]++;

    } else {
        t->number[RBL_ML_ANSWERED]++;
        t->number[RBL_ML_TIME] += (int64_t) (answer->ms * 1000);

        if (answer->ms > t->slowest[0]) {
            t->slowest[0] = answer->ms;
        }
    }
}


void
tally_result(tally_t *tally, const list_t *list, rbl_verdict_t verdict)
{
    tally_list_t  *t;

    if (tally == NULL) {
        return;
    }

    t = tally_list(tally, list);

    switch (verdict) {

    case RBL_LISTED:
        t->number[RBL_ML_LISTED]++;
        break;

    case RBL_CLEAR:
        t->number[RBL_ML_CLEAR]++;
        break;

    case RBL_UNKNOWN:
        t->number[RBL_ML_UNKNOWN]++;
        break;

    default:
        break;
    }
}


void
tally_turn(tally_t *tally)
{
    size_t         at = 0;
    tally_list_t  *t;

    while ((t = tally_next(tally, &at)) != NULL) {
        t->slowest[1] = t->slowest[0];
        t->slowest[0] = 0;
    }
}
