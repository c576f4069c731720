/*
 * acls: the source addresses of checks, as the daemons report them
 * (daemon_greet).  Needs one round trip.
 */

#include "ngx_rbl_api.h"


#define NGX_RBL_ACL_GUESS  96           /* octets of an address in an answer */


static void
ngx_rbl_acls_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_ask_system(ctx, ctx->batch, "ZRANGE", "daemons:addr",
                       RBL_WORDS(RBL_STR("0"), RBL_STR("-1")));
}


static int ngx_libc_cdecl
ngx_rbl_acls_order(const void *one, const void *two)
{
    ngx_int_t         rc;
    const rbl_str_t  *a, *b;

    a = one;
    b = two;

    rc = a->n && b->n ? ngx_memcmp(a->p, b->p, ngx_min(a->n, b->n)) : 0;

    return rc ? rc : (a->n > b->n) - (a->n < b->n);
}


/* "<address> <host name>" */

static void
ngx_rbl_acls_write(ngx_rbl_ctx_t *ctx, rbl_str_t acl)
{
    rbl_str_t  ip;

    ip = rbl_until(&acl, ' ');

    rbl_doc_object(&ctx->doc, NULL);
    rbl_doc_str(&ctx->doc, "host", acl);
    rbl_doc_str(&ctx->doc, "ip", ip);
    rbl_doc_close(&ctx->doc);
}


/* Sorts the addresses; the store has them in the order of their last report,
   which changes. */

static void
ngx_rbl_acls_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    size_t      k, n;
    rbl_str_t  *acls;

    if (reply->type != REDIS_REPLY_ARRAY) {
        ngx_rbl_internal(ctx);
        return;
    }

    n = rbl_reply_len(reply);

    acls = ngx_palloc(ctx->request->pool, (n + 1) * sizeof(rbl_str_t));
    if (acls == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    for (k = 0; k < n; k++) {
        acls[k] = rbl_reply_str(rbl_reply_at(reply, k));
    }

    ngx_qsort(acls, n, sizeof(rbl_str_t), ngx_rbl_acls_order);

    ngx_rbl_open(ctx, n * NGX_RBL_ACL_GUESS, "OK");
    rbl_doc_int(&ctx->doc, "total_acls", n);
    rbl_doc_array(&ctx->doc, "data");

    for (k = 0; k < n; k++) {
        ngx_rbl_acls_write(ctx, acls[k]);
    }

    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_acls = {
    .prepare = ngx_rbl_acls_prepare,
    .read = ngx_rbl_acls_read
};
