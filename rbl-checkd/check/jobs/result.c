/*
 * From the results of a check to records.
 */

#include "answers.h"
#include "check/lists/text.h"
#include "check/texts.h"
#include "rbl_record.h"
#include "result.h"

#include <stdio.h>

#define RECHECK_MAX  86400              /* s */


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

    answers_pack(&p->asks.out, check, lists, last, now);

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
            rbl_out_str(&p->clear.out, rbl_str(r->list->sid));

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
