/*
 * portal: who runs the portal, for the page before and after a sign-in: a name
 * and the path of a logo, as configured.
 */

#include "ngx_rbl_portal.h"


static void
ngx_rbl_portal_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_doc_t  *doc;

    doc = &ctx->doc;

    ngx_rbl_open(ctx, 0, "OK");
    rbl_doc_object(doc, "data");
    rbl_doc_str(doc, "name", ngx_rbl_str(&ctx->conf->portal_name));
    rbl_doc_str(doc, "logo", ngx_rbl_str(&ctx->conf->portal_logo));
    rbl_doc_close(doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_portal = {
    .prepare = ngx_rbl_portal_prepare
};
