/*
 * Hosts: reads (the families of ngx_rbl_api_read.c) and changes.  The scripts
 * make all checks that need the store (does the host exist, does the profile).
 */

#include "ngx_rbl_api.h"
#include "ngx_rbl_list.h"

#include "rbl_view.h"


#define NGX_RBL_HOST_GUESS  640         /* octets of a host in an answer */


static const rbl_field_t  ngx_rbl_host_update_fields[] = {
    RBL_TEXT("name", RBL_TOLD, rbl_label,
             RBL_ARG(host_update, name)),
    RBL_SIDS("rbl_profile", RBL_ONE, RBL_SID_PROFILE,
             RBL_ARG(host_update, profile)),
    RBL_SIDS("contact_group", RBL_LIST, RBL_SID_GROUP, 0),
    RBL_END
};

static const rbl_outcome_t  ngx_rbl_host_refusals[] = {
    RBL_UNKNOWN_ID("HOST", "host"),
    RBL_INVALID("PROFILE", "rbl_profile"),
    RBL_INVALID("GROUP", "contact_group"),
    NGX_RBL_LAPSED,
    { "GROUPS", NGX_HTTP_CONFLICT,
      "A host may have at most %L contact groups." },
    { "EXISTS", NGX_HTTP_CONFLICT,
      "The account has this host already." },
    { "LIMIT", NGX_HTTP_CONFLICT,
      "The plan allows at most %L hosts." },
    { NULL, 0, NULL }
};


/* With `only`, skips a host without a listing. */

static int
ngx_rbl_host_row(ngx_rbl_ctx_t *ctx, rbl_str_t raw, ngx_uint_t only)
{
    int64_t     now, from, until;
    rbl_host_t  host;

    if (rbl_host_read(&host, raw, ngx_rbl_stopped(ctx)) != RBL_OK) {
        return ngx_rbl_undecoded(ctx, "host");
    }

    if (only
        && (host.listed_count == 0 || !rbl_str_is(host.status, "active")))
    {
        return 1;
    }

    now = ngx_rbl_now();
    rbl_view_host_while(&host, now, &from, &until);
    ctx->shown_from = ngx_max(ctx->shown_from, from);
    ctx->shown_until = ngx_min(ctx->shown_until, until);

    rbl_view_host(&ctx->doc, NULL, &host, ctx->timezone, now,
                  ngx_rbl_host_view(ctx));

    return 1;
}


static int
ngx_rbl_host_write(ngx_rbl_ctx_t *ctx, const char *key, rbl_str_t raw)
{
    return ngx_rbl_host_row(ctx, raw, 0);
}


const ngx_rbl_family_t  ngx_rbl_family_hosts = {
    .resource = "host",
    .kind = RBL_SID_HOST,
    .index = "hosts",
    .total = { { "hosts", "total_hosts" }, { "listed", "total_listed" } },
    .guess = NGX_RBL_HOST_GUESS,
    .write = ngx_rbl_host_write,
    .refusals = ngx_rbl_host_refusals
};


/* The listing may have ended, or the host may be paused, since the index was
   read. */

static int
ngx_rbl_listing_write(ngx_rbl_ctx_t *ctx, const char *key, rbl_str_t raw)
{
    return ngx_rbl_host_row(ctx, raw, 1);
}


const ngx_rbl_family_t  ngx_rbl_family_listings = {
    .resource = "host",
    .kind = RBL_SID_HOST,
    .index = "listed",
    .total = { { "hosts", "total_hosts" }, { "listed", "total_listed" } },
    .pages = 1,
    .guess = NGX_RBL_HOST_GUESS,
    .write = ngx_rbl_listing_write
};

const ngx_rbl_op_t  ngx_rbl_op_host_update = {
    .script = &rbl_script_host_update,
    .fields = ngx_rbl_host_update_fields,
    .message = "Host updated successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_host_pause = {
    .script = &rbl_script_host_status,
    .value = "paused",
    .message = "Host paused successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_host_resume = {
    .script = &rbl_script_host_status,
    .value = "active",
    .message = "Host resumed successfully."
};


static void
ngx_rbl_host_delete(ngx_rbl_ctx_t *ctx)
{
    char  keep[RBL_OUT_INT];

    ctx->run.argv[RBL_ARG(host_delete, keep)] =
                              rbl_out_int_text(keep, ctx->conf->check_keep);

    ngx_rbl_write_proceed(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_host_delete = {
    .script = &rbl_script_host_delete,
    .proceed = ngx_rbl_host_delete,
    .message = "Host deleted successfully."
};
