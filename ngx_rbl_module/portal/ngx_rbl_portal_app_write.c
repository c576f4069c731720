/*
 * Changes of applications.  Token and secret are made here and are in the
 * answer of the call that makes them; the store gets the SHA-256 of the token,
 * and the secret, with which callbacks are signed.
 */

#include "ngx_rbl_apps.h"
#include "ngx_rbl_auth.h"
#include "ngx_rbl_portal.h"
#include "ngx_rbl_write.h"

#define NGX_RBL_APP_QUOTED  60          /* octets of a wrong network */


typedef struct {
    u_char  text[NGX_RBL_SECRET_LEN];
    u_char  digest[32];
    char    field[NGX_RBL_FIELD_LEN];
} ngx_rbl_made_t;


static const ngx_rbl_field_t  ngx_rbl_app_add_fields[] = {
    NGX_RBL_TEXT("name", NGX_RBL_NEEDED, ngx_rbl_label,
                 NGX_RBL_ARG(app_put, name)),
    NGX_RBL_END
};

static const ngx_rbl_field_t  ngx_rbl_app_rotate_fields[] = {
    NGX_RBL_TEXT("keep", NGX_RBL_ZERO, ngx_rbl_flag,
                 NGX_RBL_ARG(app_token, alone)),
    NGX_RBL_END
};


static ngx_int_t
ngx_rbl_app_digits(ngx_rbl_ctx_t *ctx, rbl_str_t *text)
{
    char  *buf;

    buf = ngx_rbl_room(ctx, RBL_TOKEN_FIELD + 1);

    return buf != NULL && rbl_token_digits(buf, text, *text) == RBL_OK
           ? NGX_OK : NGX_DECLINED;
}


static const ngx_rbl_field_t  ngx_rbl_token_revoke_fields[] = {
    NGX_RBL_TEXT("token", NGX_RBL_NEEDED, ngx_rbl_app_digits,
                 NGX_RBL_ARG(app_token_revoke, digits)),
    NGX_RBL_END
};

static const ngx_rbl_field_t  ngx_rbl_app_allow_fields[] = {
    NGX_RBL_TEXT("allow", NGX_RBL_LIST, NULL, 0),
    NGX_RBL_END
};


static ngx_int_t
ngx_rbl_app_hour(ngx_rbl_ctx_t *ctx, rbl_str_t *text)
{
    int64_t  n;

    return rbl_int_parse(&n, *text, 0, RBL_HOUR_MAX) == RBL_OK ? NGX_OK
                                                               : NGX_DECLINED;
}


static ngx_int_t
ngx_rbl_app_rate(ngx_rbl_ctx_t *ctx, rbl_str_t *text)
{
    int64_t  n;

    return rbl_int_parse(&n, *text, 0, RBL_RATE_MAX) == RBL_OK ? NGX_OK
                                                               : NGX_DECLINED;
}


static const ngx_rbl_field_t  ngx_rbl_app_limit_fields[] = {
    NGX_RBL_TEXT("hour", 0, ngx_rbl_app_hour, NGX_RBL_ARG(app_limit, hour)),
    NGX_RBL_TEXT("reads", 0, ngx_rbl_app_rate, NGX_RBL_ARG(app_limit, reads)),
    NGX_RBL_TEXT("writes", 0, ngx_rbl_app_rate,
                 NGX_RBL_ARG(app_limit, writes)),
    NGX_RBL_TEXT("starts", 0, ngx_rbl_app_rate,
                 NGX_RBL_ARG(app_limit, starts)),
    NGX_RBL_END
};


/* Makes a token in ctx->more.  In the arguments of both scripts the digest
   follows the field.  NULL: refused (500). */

static ngx_rbl_made_t *
ngx_rbl_app_make(ngx_rbl_ctx_t *ctx, ngx_uint_t field)
{
    ngx_rbl_made_t   *made;
    ngx_rbl_write_t  *write;

    write = ctx->data;
    made = ngx_pcalloc(ctx->request->pool, sizeof(ngx_rbl_made_t));

    if (made == NULL
        || ngx_rbl_auth_make(made->text, made->digest) != NGX_OK)
    {
        ngx_rbl_internal(ctx);
        return NULL;
    }

    write->argv[field] = ngx_rbl_auth_field(made->field, made->digest);
    write->argv[field + 1] = (rbl_str_t) { (char *) made->digest,
                                           sizeof(made->digest) };
    ctx->more = made;

    return made;
}


static void
ngx_rbl_app_add(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_write_t  *write;

    write = ctx->data;

    if (ngx_rbl_app_make(ctx, NGX_RBL_ARG(app_put, field)) != NULL
        && ngx_rbl_portal_secret(ctx, &write->argv[NGX_RBL_ARG(app_put,
                                                               secret)])
           == NGX_OK)
    {
        ngx_rbl_write_proceed(ctx);
    }
}


static void
ngx_rbl_app_made(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_made_t  *made;

    made = ctx->more;

    rbl_doc_str(&ctx->doc, "token",
                (rbl_str_t) { (char *) made->text, NGX_RBL_SECRET_LEN });
}


static void
ngx_rbl_app_added(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    rbl_app_t             app;
    rbl_doc_t            *doc;
    ngx_rbl_made_t       *made;
    ngx_rbl_write_t      *write;
    rbl_app_put_reply_t   said;

    rbl_app_put_reply(&said, reply);

    doc = &ctx->doc;
    made = ctx->more;
    write = ctx->data;

    ngx_rbl_open(ctx, 2 * ctx->route->family->guess, ctx->route->op->message);

    if (rbl_app_decode(&app, said.record) != RBL_OK
        || ngx_rbl_app_open(ctx, "data", said.record) != NGX_OK)
    {
        return;
    }

    rbl_doc_array(doc, "tokens");
    ngx_rbl_app_token(ctx, (rbl_str_t) { made->field, NGX_RBL_FIELD_LEN },
                      app.status, app.created);
    rbl_doc_close(doc);

    ngx_rbl_app_made(ctx);
    rbl_doc_str(doc, "secret", write->argv[NGX_RBL_ARG(app_put, secret)]);
    rbl_doc_close(doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_app_add = {
    .script = &rbl_script_app_put,
    .fields = ngx_rbl_app_add_fields,
    .proceed = ngx_rbl_app_add,
    .result = ngx_rbl_app_added,
    .message = "Application added successfully."
};


static void
ngx_rbl_app_rotate(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t        *alone;
    ngx_rbl_write_t  *write;

    write = ctx->data;

    if (ngx_rbl_app_make(ctx, NGX_RBL_ARG(app_token, field)) == NULL) {
        return;
    }

    /* the argument still has the value of "keep", which is its opposite */

    alone = &write->argv[NGX_RBL_ARG(app_token, alone)];
    *alone = ngx_rbl_digit(rbl_str_is(*alone, "0"));

    ngx_rbl_write_proceed(ctx);
}


static void
ngx_rbl_app_rotated(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    rbl_doc_t        *doc;
    ngx_rbl_made_t   *made;
    ngx_rbl_write_t  *write;

    doc = &ctx->doc;
    made = ctx->more;
    write = ctx->data;

    ngx_rbl_open(ctx, 0, ctx->route->op->message);
    rbl_doc_object(doc, "data");
    rbl_doc_str(doc, "id", rbl_sid_str(&write->id));
    rbl_doc_str(doc, "digits",
                (rbl_str_t) { made->field, NGX_RBL_APP_DIGITS });
    ngx_rbl_app_made(ctx);
    rbl_doc_close(doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_app_rotate = {
    .script = &rbl_script_app_token,
    .fields = ngx_rbl_app_rotate_fields,
    .proceed = ngx_rbl_app_rotate,
    .result = ngx_rbl_app_rotated,
    .message = "Token made successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_app_revoke = {
    .script = &rbl_script_app_revoke,
    .message = "Application revoked successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_token_revoke = {
    .script = &rbl_script_app_token_revoke,
    .fields = ngx_rbl_token_revoke_fields,
    .message = "Token revoked successfully."
};


static ngx_int_t
ngx_rbl_app_network(ngx_rbl_ctx_t *ctx, rbl_str_t *net, rbl_str_t text)
{
    char    *buf;
    size_t   n;

    buf = ngx_rbl_room(ctx, RBL_VALUE_MAX);
    if (buf == NULL) {
        return NGX_ERROR;
    }

    /* the beginning of the text, up to the end of a character */

    for (n = ngx_min(text.n, NGX_RBL_APP_QUOTED);
         n > 0 && n < text.n && (text.p[n] & 0xc0) == 0x80;
         n--)
    {
        /* void */
    }

    switch (rbl_network_parse(buf, net, text)) {

    case RBL_OK:
        return NGX_OK;

    case RBL_EHOSTBITS:
        ngx_rbl_refuse(ctx, NGX_HTTP_BAD_REQUEST,
                       "Invalid allow value provided: %*s has host bits set. "
                       "The network is %s.", n, text.p, buf);
        return NGX_DECLINED;

    default:
        ngx_rbl_refuse(ctx, NGX_HTTP_BAD_REQUEST,
                       "Invalid allow value provided: %*s is not a network "
                       "such as 192.0.2.0/24, 192.0.2.7, 2001:db8::/32 or "
                       "unix:.", n, text.p);
        return NGX_DECLINED;
    }
}


/* The networks stand behind the arguments of the script; an empty list allows
   every address. */

static void
ngx_rbl_app_allow(ngx_rbl_ctx_t *ctx)
{
    ngx_int_t         i, n;
    rbl_str_t        *parts;
    ngx_uint_t        k;
    ngx_rbl_write_t  *write;

    ngx_rbl_write_prepare(ctx);

    if (ctx->refusal) {
        return;
    }

    if (ngx_rbl_text(ctx, 0).p == NULL) {
        ngx_rbl_missing(ctx, "allow");
        return;
    }

    write = ctx->data;
    n = ngx_rbl_list(ctx, 0, &parts);

    if (n == 1 && parts[0].n == 0) {
        return;
    }

    write->rest = parts;

    for (i = 0; i < n; i++) {
        if (ngx_rbl_app_network(ctx, &parts[write->n], parts[i]) != NGX_OK) {
            return;
        }

        for (k = 0; !rbl_str_eq(parts[k], parts[write->n]); k++) { /* void */ }

        write->n += k == write->n;

        if (write->n > RBL_NETWORKS_MAX) {
            ngx_rbl_refuse(ctx, NGX_HTTP_BAD_REQUEST,
                           "An application may have at most %d networks.",
                           RBL_NETWORKS_MAX);
            return;
        }
    }
}


const ngx_rbl_op_t  ngx_rbl_op_app_allow = {
    .script = &rbl_script_app_allow,
    .fields = ngx_rbl_app_allow_fields,
    .prepare = ngx_rbl_app_allow,
    .message = "Allowed networks updated successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_app_limit = {
    .script = &rbl_script_app_limit,
    .fields = ngx_rbl_app_limit_fields,
    .message = "Limits updated successfully."
};
