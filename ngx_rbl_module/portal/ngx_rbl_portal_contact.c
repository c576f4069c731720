/*
 * contact/types: the types of contacts that the running daemons deliver to.
 *
 * An operator configures mail, SMS and some services; without that nothing is
 * delivered to contacts of these types.
 */

#include "ngx_rbl_portal.h"
#include "ngx_rbl_portal_shared.h"
#include "ngx_rbl_write.h"

#include "rbl_contact.h"
#include "rbl_metrics.h"

#define NGX_RBL_TYPES_ALL  ((1u << RBL_CONTACT_TYPES) - 1)


static void
ngx_rbl_types_prepare(ngx_rbl_ctx_t *ctx)
{
    if (ngx_rbl_data(ctx, sizeof(ngx_rbl_lists_t)) != NULL) {
        ngx_rbl_shared_prepare(ctx);
    }
}


/* The answer has all types as long as no daemon has reported its own. */

static void
ngx_rbl_types_answer(ngx_rbl_ctx_t *ctx, ngx_uint_t types)
{
    ngx_uint_t  i;

    types = types ? types : NGX_RBL_TYPES_ALL;

    ngx_rbl_open(ctx, 0, "OK");
    rbl_doc_array(&ctx->doc, "data");

    for (i = 0; i < RBL_CONTACT_TYPES; i++) {
        if (types & 1u << i) {
            rbl_doc_z(&ctx->doc, NULL, rbl_contact_type_name(i));
        }
    }

    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


static void
ngx_rbl_types_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_batch_t  *batch;
    ngx_rbl_lists_t  *lists;

    lists = ctx->data;

    if (lists->ndaemons == 0) {
        ngx_rbl_types_answer(ctx, 0);
        return;
    }

    batch = ngx_rbl_next(ctx);

    if (batch != NULL) {
        ngx_rbl_batch_records(batch, lists->ndaemons, lists->daemons + 1);
    }
}


/* Bits by rbl_contact_type_t, of the record of a daemon. */

static ngx_uint_t
ngx_rbl_types_of(rbl_str_t raw)
{
    size_t              n;
    rbl_mp_t            mp;
    ngx_uint_t          types;
    rbl_daemon_t        daemon;
    rbl_contact_type_t  type;

    types = 0;

    if (raw.n == 0 || raw.n > NGX_RBL_DAEMON_MAX
        || rbl_daemon_decode(&daemon, raw) != RBL_OK)
    {
        return 0;
    }

    rbl_mp_init(&mp, daemon.channels);

    for (n = rbl_mp_array(&mp); n > 0 && !mp.failed; n--) {
        if (rbl_contact_type(&type, rbl_mp_str(&mp)) == RBL_OK) {
            types |= 1u << type;
        }
    }

    return types;
}


static void
ngx_rbl_types_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    size_t      k;
    ngx_uint_t  types;

    types = 0;

    for (k = 0; k < rbl_reply_len(reply); k++) {
        types |= ngx_rbl_types_of(rbl_reply_str(rbl_reply_at(reply, k)));
    }

    ngx_rbl_types_answer(ctx, types);
}


const ngx_rbl_op_t  ngx_rbl_op_contact_types = {
    .prepare = ngx_rbl_types_prepare,
    .read = ngx_rbl_shared_names,
    .proceed = ngx_rbl_types_proceed,
    .result = ngx_rbl_types_result
};
