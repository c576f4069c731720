/*
 * Calls that this worker answers by what it knows, so the store is asked for
 * nothing but the session.
 * portal: who runs the portal, a name and the path of a logo, as configured;
 * for the page before and after a sign-in, so it needs no session either.
 * service: the verdict about the service and its conditions, for a banner on
 * every screen.  Users get names and times, without reasons and remedies.
 * contact/types: the types of contacts that the running daemons deliver to.  An
 * operator configures mail, SMS and some services; without that nothing is
 * delivered to contacts of these types.
 */

#include "ngx_rbl_portal.h"
#include "ngx_rbl_verdict.h"

#include "rbl_contact.h"

#define NGX_RBL_SERVICE_GUESS  1024
#define NGX_RBL_TYPES_ALL      ((1u << RBL_CONTACT_TYPES) - 1)


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


static void
ngx_rbl_service_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_open(ctx, NGX_RBL_SERVICE_GUESS, "OK");
    rbl_doc_object(&ctx->doc, "data");
    ngx_rbl_verdict_write(&ctx->doc, ctx->conf->store_index, 0);
    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_service = {
    .proceed = ngx_rbl_service_proceed
};


/* The answer has all types as long as no daemon has reported its own. */

static void
ngx_rbl_types_proceed(ngx_rbl_ctx_t *ctx)
{
    unsigned    types;
    ngx_uint_t  i;

    types = ngx_rbl_verdict_types(ctx->conf->store_index);
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


const ngx_rbl_op_t  ngx_rbl_op_contact_types = {
    .proceed = ngx_rbl_types_proceed
};
