/*
 * The identity that nginx vouches for.
 *
 * It counts only from connections of the networks of rbl_portal_trust, if there
 * are any.  Their address is that of the connection itself: an address that the
 * realip module has set comes from a header.
 *
 * A header that comes twice is that of a proxy beside that of its client, and
 * counts as none.  So does a client certificate that nginx has not verified
 * (ssl_verify_client optional_no_ca), whatever variable it was made into.
 */

#include "ngx_rbl_auth.h"
#include "ngx_rbl_identity.h"

#include <openssl/crypto.h>


/* Sets the address of the connection; RBL_FAMILY_NONE: a unix socket.  0: it is
   not known. */

static ngx_uint_t
ngx_rbl_identity_from(ngx_rbl_ctx_t *ctx, rbl_addr_t *addr)
{
    rbl_str_t                   text;
    ngx_rbl_main_conf_t        *rmcf;
    ngx_http_variable_value_t  *v;

    rmcf = ngx_http_get_module_main_conf(ctx->request, ngx_rbl_module);

    if (rmcf->realip < 0) {
        (void) ngx_rbl_admit_address(ctx->request, addr);
        return 1;
    }

    v = ngx_http_get_flushed_variable(ctx->request, rmcf->realip);

    if (v == NULL || v->not_found || !v->valid) {
        return 0;
    }

    text.p = (char *) v->data;
    text.n = v->len;

    if (rbl_str_is(text, "unix:")) {
        ngx_memzero(addr, sizeof(rbl_addr_t));
        return 1;
    }

    return rbl_addr_parse(addr, text) == RBL_OK;
}


static ngx_uint_t
ngx_rbl_identity_trusted(ngx_rbl_ctx_t *ctx)
{
    ngx_uint_t     i;
    rbl_addr_t     addr;
    rbl_subnet_t  *net;

    if (ctx->conf->portal_trust == NULL) {
        return 1;
    }

    if (!ngx_rbl_identity_from(ctx, &addr)) {
        return 0;
    }

    net = ctx->conf->portal_trust->elts;

    for (i = 0; i < ctx->conf->portal_trust->nelts; i++) {
        if (rbl_subnet_has(&net[i], &addr)) {
            return 1;
        }
    }

    return 0;
}


/* As nginx finds the header of a variable. */

static ngx_uint_t
ngx_rbl_identity_named(const ngx_str_t *header, const ngx_str_t *variable)
{
    u_char      ch;
    ngx_uint_t  i;

    if (header->len != variable->len) {
        return 0;
    }

    for (i = 0; i < header->len; i++) {
        ch = header->data[i] == '-' ? '_' : ngx_tolower(header->data[i]);

        if (ch != variable->data[i]) {
            return 0;
        }
    }

    return 1;
}


static ngx_uint_t
ngx_rbl_identity_once(ngx_rbl_ctx_t *ctx)
{
    ngx_str_t         name;
    ngx_uint_t        i, n;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *h;

    name = ctx->conf->portal_user_name;

    if (name.len <= 5 || ngx_strncmp(name.data, "http_", 5) != 0) {
        return 1;
    }

    name.data += 5;
    name.len -= 5;
    n = 0;

    for (part = &ctx->request->headers_in.headers.part; part;
         part = part->next)
    {
        h = part->elts;

        for (i = 0; i < part->nelts; i++) {
            n += ngx_rbl_identity_named(&h[i].key, &name);
        }
    }

    return n == 1;
}


ngx_int_t
ngx_rbl_identity(ngx_rbl_ctx_t *ctx, ngx_rbl_mail_t *mail)
{
    rbl_str_t                   text;
    ngx_http_request_t         *r;
    ngx_http_variable_value_t  *v;

    r = ctx->request;

    if (ctx->conf->portal_user < 0 || !ngx_rbl_identity_trusted(ctx)
        || !ngx_rbl_identity_once(ctx))
    {
        return NGX_DECLINED;
    }

#if (NGX_HTTP_SSL)
    if (r->connection->ssl
        && SSL_get_verify_result(r->connection->ssl->connection) != X509_V_OK)
    {
        return NGX_DECLINED;
    }
#endif

    v = ngx_http_get_flushed_variable(r, ctx->conf->portal_user);

    if (v == NULL || v->not_found || !v->valid) {
        return NGX_DECLINED;
    }

    text.p = (char *) v->data;
    text.n = v->len;

    return ngx_rbl_mail_parse(ctx, mail, text);
}


ngx_uint_t
ngx_rbl_identity_same(ngx_rbl_ctx_t *ctx, const ngx_rbl_user_t *user)
{
    ngx_rbl_mail_t  mail;

    return !user->bound
           || (ngx_rbl_identity(ctx, &mail) == NGX_OK
               && CRYPTO_memcmp(mail.digest, user->identity,
                                sizeof(mail.digest)) == 0);
}
