/*
 * service: the verdict about the service and its conditions, for a banner on
 * every screen.  Users get names and times; reasons and remedies have addresses
 * of servers and are for operators.  This worker knows all of it, so the store
 * is asked for nothing but the session.
 */

#include "ngx_rbl_portal.h"
#include "ngx_rbl_verdict.h"

#include "rbl_time.h"

#define NGX_RBL_SERVICE_GUESS  1024


static void
ngx_rbl_service_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_open(ctx, NGX_RBL_SERVICE_GUESS, "OK");
    rbl_doc_object(&ctx->doc, "data");
    ngx_rbl_service_write(ctx, 0);
    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_service = {
    .proceed = ngx_rbl_service_proceed
};


void
ngx_rbl_service_write(ngx_rbl_ctx_t *ctx, ngx_uint_t whole)
{
    char                     since[RBL_TIME_LEN];
    rbl_doc_t               *doc;
    ngx_uint_t               i;
    const rbl_condition_t   *row;
    const rbl_conditions_t  *all;

    doc = &ctx->doc;
    all = ngx_rbl_verdict(ctx->conf->store_index);

    rbl_doc_z(doc, "verdict", ngx_rbl_verdict_name(all));
    rbl_doc_array(doc, "conditions");

    for (i = 0; all != NULL && i < all->n; i++) {
        row = &all->row[i];

        rbl_doc_object(doc, NULL);
        rbl_doc_z(doc, "name", row->name);
        rbl_doc_z(doc, "state", rbl_service_names[row->severity]);
        rbl_doc_str(doc, "since", rbl_time_rfc3339(since, row->since));

        if (whole) {
            rbl_doc_z(doc, "reason", row->reason);
            rbl_doc_z(doc, "remedy", row->remedy);
        }

        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}
