/*
 * Answers of the lists of a check.
 */

#include "answers.h"
#include "base/xalloc.h"
#include "rbl_answers.h"
#include "rbl_coverage.h"

#include <stdlib.h>


static int
all_answered(const check_t *check, const check_lists_t *lists)
{
    return check_verdicts(check, RBL_CLEAR) + check_verdicts(check, RBL_LISTED)
           == lists->n;
}


int
answers_moved(const check_t *check, const check_lists_t *lists,
    const current_t *current)
{
    return check != NULL && lists->digest[0] != '\0'
           && !all_answered(check, lists)
           && rbl_answers_of(current->answers, current->checked)
           && !rbl_answers_in(current->answers, lists->digest);
}


/* The place of a list in the order; n: it is not there. */

static size_t
place_in(const rbl_coverage_order_t *order, const list_t *list)
{
    size_t         i;
    unsigned char  id[16];

    if (rbl_sid_to_digest(id, rbl_str(list->sid)) != RBL_OK) {
        return order->n;
    }

    for (i = 0; i < order->n; i++) {
        if (memcmp(rbl_coverage_list(order, i), id, sizeof(id)) == 0) {
            break;
        }
    }

    return i;
}


int64_t *
answers_last(const check_lists_t *lists, const current_t *current,
    rbl_str_t coverage)
{
    int                    same;
    size_t                 i, at;
    int64_t               *last;
    rbl_answer_t           a[RBL_ANSWERS_LISTS];
    rbl_coverage_order_t   order;

    same = rbl_answers_in(current->answers, lists->digest);
    order.n = lists->n;

    if (!rbl_answers_of(current->answers, current->checked)
        || (!same && rbl_coverage_order(&order, coverage, current->answers)
                     != RBL_OK)
        || rbl_answers_read(a, order.n, current->answers, current->checked)
           != RBL_OK)
    {
        return NULL;
    }

    last = xcalloc(lists->n + 1, sizeof(int64_t));

    for (i = 0; i < lists->n; i++) {
        at = same ? lists->place[i] : place_in(&order, lists->list[i]);
        last[lists->place[i]] = at < order.n ? a[at].at : 0;
    }

    return last;
}


static void
take_result(rbl_answer_t *a, const check_result_t *r)
{
    switch (r->verdict) {

    case RBL_CLEAR:
    case RBL_LISTED:
        a->given = 1;
        break;

    case RBL_UNKNOWN:
        a->error = r->error != RBL_ERR_NONE ? (unsigned) r->error
                                            : RBL_ERR_BADREPLY;
        break;

    default:
        break;
    }
}


void
answers_pack(rbl_out_t *out, const check_t *check, const check_lists_t *lists,
    const int64_t *last, int64_t now)
{
    size_t         i, n;
    rbl_answer_t   a[RBL_ANSWERS_LISTS];
    unsigned char  bits[RBL_ANSWERS_LISTS / 8];
    unsigned char  rest[RBL_ANSWERS_REST(RBL_ANSWERS_LISTS)];

    if (check == NULL || lists->n == 0 || lists->n > RBL_ANSWERS_LISTS
        || lists->digest[0] == '\0')
    {
        return;
    }

    memset(a, 0, lists->n * sizeof(rbl_answer_t));
    memset(bits, 0, sizeof(bits));

    for (i = 0; i < lists->n; i++) {
        if (i < lists->due) {
            take_result(&a[lists->place[i]], check_result(check, i));
        }

        a[i].at = last != NULL ? last[i] : 0;
    }

    for (i = 0; i < lists->n; i++) {
        bits[i / 8] |= (unsigned char) (!a[i].given << (i % 8));
    }

    rbl_out_z(out, lists->digest);

    n = rbl_answers_rest(rest, a, lists->n, now);

    if (n > 0) {
        rbl_out_char(out, (char) ((lists->n + 7) / 8));
        rbl_out_bytes(out, bits, (lists->n + 7) / 8);
        rbl_out_bytes(out, rest, n);
    }
}
