/*
 * From the results of a check to records; which lists gave an answer, and when
 * the others did last.
 */

#include "result.h"
#include "base/xalloc.h"
#include "check/lists/text.h"
#include "check/texts.h"
#include "rbl_answers.h"
#include "rbl_coverage.h"
#include "rbl_record.h"

#include <stdio.h>
#include <stdlib.h>

#define RECHECK_MAX  86400              /* s */


static int
all_answered(const check_t *check, const check_lists_t *lists)
{
    return check_verdicts(check, RBL_CLEAR) + check_verdicts(check, RBL_LISTED)
           == lists->n;
}


int
result_needs_coverage(const check_t *check, const check_lists_t *lists,
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
result_last(const check_lists_t *lists, const current_t *current,
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
pack_codes(rbl_out_t *out, const check_result_t *r, unsigned max)
{
    int       n;
    char      text[16];
    unsigned  i;
    uint32_t  a;

    max = r->n_codes < max ? r->n_codes : max;
    rbl_mp_put_array(out, max);

    for (i = 0; i < max; i++) {
        a = r->codes[i];
        n = snprintf(text, sizeof(text), "%u.%u.%u.%u", a >> 24,
                     a >> 16 & 255, a >> 8 & 255, a & 255);
        rbl_mp_put_str(out, (rbl_str_t) { text, (size_t) n });
    }
}


static void
about_list(rbl_result_t *v, const list_t *list, rbl_verdict_t verdict)
{
    memset(v, 0, sizeof(rbl_result_t));
    v->list = rbl_str(list->sid);
    v->type = rbl_str(list->type);
    v->custom = list->custom;
    v->zone = rbl_str(list->zone);
    v->website = rbl_str(list->website);
    v->status = rbl_str(rbl_verdict_names[verdict]);
}


static void
pack_one(rbl_out_t *out, rbl_buf_t *codes, const check_t *check, size_t i,
    const texts_caps_t *caps)
{
    char                   details[CHECK_DETAILS_MAX];
    char                   cut[CHECK_DETAILS_MAX], reason[CHECK_REASON_MAX];
    rbl_result_t           v;
    const texts_cap_t     *cap;
    const check_result_t  *r;

    r = check_result(check, i);
    cap = r->list->custom ? &caps->own : &caps->system;
    rbl_buf_reset(codes);
    pack_codes(&codes->out, r, cap->codes);

    about_list(&v, r->list, r->verdict);
    v.codes = rbl_buf_str(codes);
    v.details = check_shorten(cut, cap->details,
                              check_details(check, i, details));
    v.reason = check_shorten(reason, cap->reason,
                             rbl_str(r->reason != NULL ? r->reason : ""));
    v.error = rbl_str(rbl_lookup_err_names[r->error]);
    v.ms = (int64_t) (r->ms + 0.5);
    v.weight = r->verdict == RBL_LISTED ? (int64_t) r->weight : 0;

    rbl_result_encode(out, &v);
}


/* In whole seconds, not before the first of them. */

static size_t
soonest(const check_t *check, size_t n)
{
    size_t  i;
    double  s, least;

    least = 0;

    for (i = 0; i < n; i++) {
        s = check_result(check, i)->recheck;

        if (s > 0 && (least == 0 || s < least)) {
            least = s;
        }
    }

    return least < RECHECK_MAX ? (size_t) (least + 0.999) : RECHECK_MAX;
}


void
result_init(result_pack_t *p)
{
    p->n = 0;
    p->recheck = 0;
    rbl_buf_init(&p->told);
    rbl_buf_init(&p->clear);
    rbl_buf_init(&p->all);
    rbl_buf_init(&p->asks);
}


void
result_free(result_pack_t *p)
{
    rbl_buf_free(&p->told);
    rbl_buf_free(&p->clear);
    rbl_buf_free(&p->all);
    rbl_buf_free(&p->asks);
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


/* Writes nothing without a check, or if the digest of the lists is unknown. */

static void
pack_asks(rbl_out_t *out, const check_t *check, const check_lists_t *lists,
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


static void
pack_left_out(result_pack_t *p, const check_lists_t *lists, int whole)
{
    size_t        i;
    rbl_result_t  v;

    for (i = lists->due; i < lists->n; i++) {
        about_list(&v, lists->list[i], RBL_SKIPPED);
        rbl_result_encode(&p->told.out, &v);

        if (whole) {
            rbl_result_encode(&p->all.out, &v);
        }
    }
}


void
result_pack(result_pack_t *p, const check_t *check, const check_lists_t *lists,
    const int64_t *last, int64_t now, int whole)
{
    size_t                 i, n, left;
    rbl_buf_t              codes, one;
    texts_caps_t           caps;
    const check_result_t  *r;

    n = check != NULL ? check_count(check) : 0;
    left = check != NULL ? lists->n - lists->due : 0;

    rbl_buf_reset(&p->told);
    rbl_buf_reset(&p->clear);
    rbl_buf_reset(&p->all);
    rbl_buf_reset(&p->asks);
    rbl_buf_init(&codes);
    rbl_buf_init(&one);

    pack_asks(&p->asks.out, check, lists, last, now);

    p->n = n + left;
    p->recheck = soonest(check, n);
    rbl_mp_put_array(&p->all.out, whole ? p->n : 0);
    rbl_mp_put_array(&p->told.out, check == NULL ? 0 : p->n
                     - check_verdicts(check, RBL_CLEAR));

    if (check != NULL) {
        texts_caps(&caps, check, lists);
    }

    for (i = 0; i < n; i++) {
        r = check_result(check, i);

        if (r->verdict == RBL_CLEAR) {
            /* That the new zone is clear does not end the listing: the old one
               did not say so (_judge.lua). */

            if (!r->moved) {
                rbl_out_str(&p->clear.out, rbl_str(r->list->sid));
            }

            if (!whole) {
                continue;
            }
        }

        rbl_buf_reset(&one);
        pack_one(&one.out, &codes, check, i, &caps);

        if (r->verdict != RBL_CLEAR) {
            rbl_out_str(&p->told.out, rbl_buf_str(&one));
        }

        if (whole) {
            rbl_out_str(&p->all.out, rbl_buf_str(&one));
        }
    }

    if (left > 0) {
        pack_left_out(p, lists, whole);
    }

    rbl_buf_free(&codes);
    rbl_buf_free(&one);
}
