/*
 * From the results of a check to records.
 */

#include "result.h"
#include "rbl_record.h"

#include <stdio.h>


static void
pack_codes(rbl_out_t *out, const check_result_t *r)
{
    int       n;
    char      text[16];
    unsigned  i;
    uint32_t  a;

    rbl_mp_put_array(out, r->n_codes);

    for (i = 0; i < r->n_codes; i++) {
        a = r->codes[i];
        n = snprintf(text, sizeof(text), "%u.%u.%u.%u", a >> 24,
                     a >> 16 & 255, a >> 8 & 255, a & 255);
        rbl_mp_put_str(out, (rbl_str_t) { text, (size_t) n });
    }
}


static void
pack_one(rbl_out_t *out, rbl_buf_t *codes, const check_t *check, size_t i)
{
    char                   details[CHECK_DETAILS_MAX];
    rbl_result_t           v;
    const check_result_t  *r;

    r = check_result(check, i);
    rbl_buf_reset(codes);
    pack_codes(&codes->out, r);

    v.list = rbl_str(r->list->sid);
    v.type = rbl_str(r->list->type);
    v.custom = r->list->custom;
    v.zone = rbl_str(r->list->zone);
    v.website = rbl_str(r->list->website);
    v.status = rbl_str(rbl_verdict_names[r->verdict]);
    v.codes = rbl_buf_str(codes);
    v.details = check_details(check, i, details);
    v.reason = rbl_str(r->reason);
    v.error = rbl_str(rbl_lookup_err_names[r->error]);
    v.ms = (int64_t) (r->ms + 0.5);

    rbl_result_encode(out, &v);
    out->failed |= codes->out.failed;
}


void
result_pack(rbl_out_t *out, const check_t *check)
{
    size_t     i;
    rbl_buf_t  codes;

    rbl_buf_init(&codes);
    rbl_mp_put_array(out, check_count(check));

    for (i = 0; i < check_count(check); i++) {
        pack_one(out, &codes, check, i);
    }

    rbl_buf_free(&codes);
}
