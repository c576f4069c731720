/*
 * One check: its lists in random order, one deadline for all, the call back at
 * the end.  item.c handles one list.
 */

#include "base/xalloc.h"
#include "check/lists/text.h"
#include "check_int.h"
#include "rbl_query.h"
#include "texts.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/random.h>

#define PATIENCE  0.8                   /* share of the remaining time to wait
                                           for a quota */


/* The call back may free the check, which is not used afterwards. */

static void
ended(check_t *check)
{
    size_t  i;

    for (i = 0; i < check->n; i++) {
        counters_result(check->env->counters, check->item[i].result.list,
                        check->item[i].result.verdict);
    }

    check->progress(check->data, check, 1);
}


void
check_item_done(item_t *item)
{
    check_t  *check = item->check;

    item->result.done = 1;
    check->done++;

    if (check->done == check->n) {
        timer_stop(&check->deadline);
        ended(check);
        return;
    }

    check->progress(check->data, check, 0);
}


/* Queries the lists in random order, so that no list is always first or
   last. */

static void
ask_all(check_t *check)
{
    size_t    i, j, t, *order;
    uint64_t  seed;

    order = xcalloc(check->n + 1, sizeof(size_t));

    if (getrandom(&seed, sizeof(seed), 0) != (ssize_t) sizeof(seed)) {
        seed = (uintptr_t) check;
    }

    for (i = 0; i < check->n; i++) {
        order[i] = i;
    }

    for (i = check->n; i > 1; i--) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        j = (size_t) (seed >> 33) % i;
        t = order[i - 1];
        order[i - 1] = order[j];
        order[j] = t;
    }

    for (i = 0; i < check->n; i++) {
        if (item_ask(&check->item[order[i]])) {
            check->item[order[i]].result.done = 1;
            check->done++;
        }
    }

    free(order);
}


/* The deadline has passed, or all was known at once. */

static void
on_deadline(void *data)
{
    size_t    i;
    item_t   *item;
    check_t  *check = data;

    for (i = 0; i < check->n; i++) {
        item = &check->item[i];

        if (item->result.done) {
            continue;
        }

        item_late(item);
        item->result.done = 1;
        check->done++;
    }

    ended(check);
}


/* Gives each list its current listing.  Converts times of the store to
   clock_now(). */

static void
take_before(check_t *check, const check_before_t *before)
{
    size_t                  i, k;
    double                  ago;
    item_t                 *item;
    rbl_str_t               sid;
    const check_listing_t  *s;

    for (i = 0; i < check->n; i++) {
        item = &check->item[i];
        sid = rbl_str(item->result.list->sid);
        item->pending = sid.n != 0 && before->pending.n != 0
                        && memmem(before->pending.p, before->pending.n, sid.p,
                                  sid.n)
                           != NULL;
    }

    for (k = 0; k < before->n; k++) {
        s = &before->listing[k];

        for (i = 0; i < check->n; i++) {
            item = &check->item[i];

            if (!rbl_str_is(s->sid, item->result.list->sid)) {
                continue;
            }

            item->current = 1;
            item->same_zone = rbl_str_is(s->zone, item->result.list->zone);
            item->result.moved = !item->same_zone;

            if (s->cleared > 0 && item->same_zone) {
                ago = (double) (s->now - s->cleared) / 1000;
                item->cleared = clock_now() - (ago > 0 ? ago : 0);
            }
        }
    }
}


check_t *
check_start(const check_env_t *env, rbl_family_t family, rbl_str_t value,
    const list_t *const *lists, size_t n, const check_before_t *before,
    double timeout, unsigned how, check_progress_pt progress, void *data)
{
    size_t    i, own;
    check_t  *check;

    assert(value.n < RBL_VALUE_MAX);

    check = xcalloc(1, sizeof(check_t) + n * sizeof(item_t));
    check->env = env;
    check->family = family;
    check->patience = timeout * PATIENCE;
    check->how = how;
    check->progress = progress;
    check->data = data;
    check->n = n;

    memcpy(check->value_buf, value.p, value.n);
    check->value = (rbl_str_t) { check->value_buf, value.n };

    (void) names_host(&check->host, family, check->value);

    for (i = 0, own = 0; i < n; i++) {
        check->item[i].check = check;
        check->item[i].result.list = lists[i];
        own += lists[i]->custom != 0;
    }

    check->own_text = texts_own(own);

    if (before != NULL) {
        take_before(check, before);
    }

    timer_init(&check->deadline, env->loop, on_deadline, check);

    ask_all(check);

    timer_in(&check->deadline, check->done == n ? 0 : timeout);

    return check;
}


void
check_free(check_t *check)
{
    size_t  i;

    if (check == NULL) {
        return;
    }

    for (i = 0; i < check->n; i++) {
        item_stop(&check->item[i]);
        free(check->item[i].result.reason);
    }

    timer_stop(&check->deadline);
    free(check);
}


size_t
check_count(const check_t *check)
{
    return check->n;
}


const check_result_t *
check_result(const check_t *check, size_t i)
{
    return i < check->n ? &check->item[i].result : NULL;
}


size_t
check_done(const check_t *check)
{
    return check->done;
}


size_t
check_verdicts(const check_t *check, rbl_verdict_t verdict)
{
    return check->verdicts[verdict];
}


rbl_str_t
check_details(const check_t *check, size_t i, char buf[CHECK_DETAILS_MAX])
{
    rbl_str_t              out;
    const check_result_t  *r;

    r = check_result(check, i);
    buf[0] = '\0';
    out = (rbl_str_t) { buf, 0 };

    if (r == NULL || r->verdict != RBL_LISTED) {
        return out;
    }

    if (r->list->lookup[0] != '\0'
        && rbl_lookup_url(buf, CHECK_DETAILS_MAX, &out,
                          rbl_str(r->list->lookup), check->value)
           == RBL_OK)
    {
        return out;
    }

    out.p = buf;
    out.n = check_cut(buf, CHECK_DETAILS_MAX,
                      rbl_str(r->reason != NULL ? r->reason : r->means));
    return out;
}
