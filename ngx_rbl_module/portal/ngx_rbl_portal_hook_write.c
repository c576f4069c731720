/*
 * webhook/add, webhook/update, webhook/rotate, webhook/enable, webhook/disable,
 * webhook/delete: changes of a receiver.  A secret is made here and is in the
 * answer once.
 */

#include "ngx_rbl_portal_hook.h"
#include "ngx_rbl_write.h"

#include "rbl_secret.h"

#include <openssl/rand.h>

enum {                                  /* fields of add and update */
    NGX_RBL_HOOK_NAME = 0,
    NGX_RBL_HOOK_URL,
    NGX_RBL_HOOK_TYPES
};


static ngx_int_t
ngx_rbl_hook_url(ngx_rbl_ctx_t *ctx, rbl_str_t *text)
{
    rbl_url_t  url;

    if (rbl_url_parse(&url, *text) == RBL_OK) {
        return NGX_OK;
    }

    ngx_rbl_refuse(ctx, NGX_HTTP_BAD_REQUEST,
                   "Invalid url value provided: it must be http or https, with "
                   "a host, and without a user name and a fragment.");

    return NGX_DECLINED;
}


static const ngx_rbl_field_t  ngx_rbl_hook_add_fields[] = {
    NGX_RBL_TEXT("name", NGX_RBL_NEEDED, ngx_rbl_label,
                 NGX_RBL_ARG(hook_put, name)),
    NGX_RBL_TEXT("url", NGX_RBL_NEEDED|NGX_RBL_SECRET, ngx_rbl_hook_url,
                 NGX_RBL_ARG(hook_put, url)),
    NGX_RBL_TEXT("types", NGX_RBL_LIST, NULL, 0),
    NGX_RBL_END
};

static const ngx_rbl_field_t  ngx_rbl_hook_update_fields[] = {
    NGX_RBL_TEXT("name", 0, ngx_rbl_label, NGX_RBL_ARG(hook_update, name)),
    NGX_RBL_TEXT("url", NGX_RBL_SECRET, ngx_rbl_hook_url,
                 NGX_RBL_ARG(hook_update, url)),
    NGX_RBL_TEXT("types", NGX_RBL_LIST, NULL, 0),
    NGX_RBL_END
};


/* Seconds become ms. */

static ngx_int_t
ngx_rbl_hook_overlap(ngx_rbl_ctx_t *ctx, rbl_str_t *text)
{
    char     *room;
    int64_t   s;

    if (rbl_int_parse(&s, *text, 0, RBL_HOOK_OVERLAP_MAX) != RBL_OK) {
        return NGX_DECLINED;
    }

    room = ngx_rbl_room(ctx, RBL_OUT_INT);
    if (room == NULL) {
        return NGX_DECLINED;
    }

    *text = rbl_out_int_text(room, s * 1000);

    return NGX_OK;
}


static const ngx_rbl_field_t  ngx_rbl_hook_rotate_fields[] = {
    NGX_RBL_TEXT("overlap", 0, ngx_rbl_hook_overlap,
                 NGX_RBL_ARG(hook_secret, stays)),
    NGX_RBL_END
};


/* The types stand behind the arguments of the script; none: every type. */

static ngx_int_t
ngx_rbl_hook_types(ngx_rbl_ctx_t *ctx)
{
    ngx_int_t         i, n;
    rbl_str_t        *types;
    ngx_rbl_write_t  *write;

    n = ngx_rbl_list(ctx, NGX_RBL_HOOK_TYPES, &types);

    if (n == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (n == 1 && types[0].n == 0) {
        n = 0;
    }

    for (i = 0; i < n; i++) {
        if (n > RBL_HOOK_TYPES_MAX || !rbl_hook_type_known(types[i])) {
            ngx_rbl_invalid(ctx, "types");
            return NGX_DECLINED;
        }
    }

    write = ctx->data;
    write->rest = types;
    write->n = n;

    return NGX_OK;
}


static void
ngx_rbl_hook_add_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_write_t  *write;

    ngx_rbl_write_prepare(ctx);

    if (ctx->refusal == 0 && ngx_rbl_hook_types(ctx) == NGX_OK) {
        write = ctx->data;
        (void) ngx_rbl_portal_secret(ctx,
                   &write->argv[NGX_RBL_ARG(hook_put, secret)]);
    }
}


static void
ngx_rbl_hook_added(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    rbl_hook_t             hook;
    rbl_hook_put_reply_t   said;

    static const rbl_hook_failing_t  none;

    rbl_hook_put_reply(&said, reply);

    if (ngx_rbl_hook_decode(ctx, &hook, said.record) != NGX_OK) {
        return;
    }

    ngx_rbl_open(ctx, 0, ctx->route->op->message);
    rbl_doc_object(&ctx->doc, "data");
    ngx_rbl_hook_members(ctx, &hook, &none);
    rbl_doc_str(&ctx->doc, "secret", hook.secret);
    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_hook_add = {
    .script = &rbl_script_hook_put,
    .fields = ngx_rbl_hook_add_fields,
    .prepare = ngx_rbl_hook_add_prepare,
    .result = ngx_rbl_hook_added,
    .message = "Webhook added successfully."
};


static void
ngx_rbl_hook_update_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_write_t  *write;

    ngx_rbl_write_prepare(ctx);

    if (ctx->refusal == 0 && ngx_rbl_hook_types(ctx) == NGX_OK) {
        write = ctx->data;
        write->argv[NGX_RBL_ARG(hook_update, typed)] =
            ngx_rbl_digit(ctx->round.given[NGX_RBL_HOOK_TYPES].first != NULL);
    }
}


const ngx_rbl_op_t  ngx_rbl_op_hook_update = {
    .script = &rbl_script_hook_update,
    .fields = ngx_rbl_hook_update_fields,
    .prepare = ngx_rbl_hook_update_prepare,
    .message = "Webhook updated successfully."
};


static void
ngx_rbl_hook_rotate_prepare(ngx_rbl_ctx_t *ctx)
{
    char             *room;
    rbl_str_t        *stays;
    ngx_rbl_write_t  *write;

    ngx_rbl_write_prepare(ctx);

    if (ctx->refusal != 0) {
        return;
    }

    write = ctx->data;
    stays = &write->argv[NGX_RBL_ARG(hook_secret, stays)];

    if (stays->n == 0) {
        room = ngx_rbl_room(ctx, RBL_OUT_INT);
        if (room == NULL) {
            return;
        }

        *stays = rbl_out_int_text(room, RBL_HOOK_OVERLAP * INT64_C(1000));
    }

    (void) ngx_rbl_portal_secret(ctx,
               &write->argv[NGX_RBL_ARG(hook_secret, secret)]);
}


static void
ngx_rbl_hook_rotated(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_write_t          *write;
    rbl_hook_secret_reply_t   said;

    write = ctx->data;
    rbl_hook_secret_reply(&said, reply);

    ngx_rbl_open(ctx, 0, ctx->route->op->message);
    rbl_doc_object(&ctx->doc, "data");
    rbl_doc_str(&ctx->doc, "secret",
                write->argv[NGX_RBL_ARG(hook_secret, secret)]);
    ngx_rbl_hook_at(ctx, "old_secret_until", said.until);
    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_hook_rotate = {
    .script = &rbl_script_hook_secret,
    .fields = ngx_rbl_hook_rotate_fields,
    .prepare = ngx_rbl_hook_rotate_prepare,
    .result = ngx_rbl_hook_rotated,
    .message = "Secret changed successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_hook_enable = {
    .script = &rbl_script_hook_status,
    .prepare = ngx_rbl_write_prepare,
    .value = "active",
    .message = "Webhook enabled successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_hook_disable = {
    .script = &rbl_script_hook_status,
    .prepare = ngx_rbl_write_prepare,
    .value = "disabled",
    .message = "Webhook disabled successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_hook_delete = {
    .script = &rbl_script_hook_delete,
    .prepare = ngx_rbl_write_prepare,
    .message = "Webhook deleted successfully."
};


ngx_int_t
ngx_rbl_portal_secret(ngx_rbl_ctx_t *ctx, rbl_str_t *secret)
{
    char    *room;
    u_char   bytes[RBL_SECRET_BYTES];

    room = ngx_rbl_room(ctx, RBL_SECRET_LEN + 1);

    if (room == NULL || RAND_bytes(bytes, sizeof(bytes)) != 1) {
        ngx_rbl_internal(ctx);
        return NGX_DECLINED;
    }

    *secret = rbl_secret_text(room, bytes);
    ngx_explicit_memzero(bytes, sizeof(bytes));

    return NGX_OK;
}
