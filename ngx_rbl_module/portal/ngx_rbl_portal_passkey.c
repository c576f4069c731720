/*
 * The site, challenges and fields, for all calls of passkeys.
 *
 * A passkey is bound to the name of a site.  The browser says in the client
 * data which origin it was at, and the authenticator signs them, together with
 * the SHA-256 of that name.
 */

#include "ngx_rbl_portal_passkey.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#define NGX_RBL_ORIGIN_MORE  16         /* octets of scheme and port */


/* rbl_portal_url; or that of the request, whose Host has to be the first
   server_name, since a client can send any. */

static ngx_int_t
ngx_rbl_passkey_url(ngx_rbl_ctx_t *ctx, rbl_url_t *url)
{
    u_char                    *p;
    ngx_str_t                 *host, *set;
    rbl_str_t                  text;
    ngx_http_request_t        *r;
    ngx_http_core_srv_conf_t  *cscf;

    r = ctx->request;
    set = &ctx->conf->portal_url;

    if (set->len) {
        return rbl_url_parse(url, ngx_rbl_str(set)) == RBL_OK ? NGX_OK
                                                              : NGX_DECLINED;
    }

    cscf = ngx_http_get_module_srv_conf(r, ngx_http_core_module);
    host = &r->headers_in.server;

    if (r->headers_in.host == NULL || host->len == 0
        || cscf->server_name.len != host->len
        || ngx_memcmp(cscf->server_name.data, host->data, host->len) != 0)
    {
        return NGX_DECLINED;
    }

    host = &r->headers_in.host->value;
    p = ngx_pnalloc(r->pool, host->len + sizeof("https:///"));

    if (p == NULL) {
        return NGX_DECLINED;
    }

    text.p = (char *) p;
    text.n = ngx_sprintf(p, "http%s://%V/",
                         ngx_rbl_session_tls(r) ? "s" : "", host)
             - p;

    return rbl_url_parse(url, text) == RBL_OK ? NGX_OK : NGX_DECLINED;
}


ngx_int_t
ngx_rbl_passkey_site(ngx_rbl_ctx_t *ctx, ngx_rbl_site_t *site)
{
    u_char     *p, *last;
    ngx_str_t   name;
    rbl_url_t   url;

    if (ngx_rbl_passkey_url(ctx, &url) != NGX_OK) {
        ngx_rbl_refuse(ctx, NGX_HTTP_FORBIDDEN,
                       "Passkeys cannot be used under this name of the site.");
        return NGX_DECLINED;
    }

    p = (u_char *) rbl_room(&ctx->run, 2 * url.host.n + NGX_RBL_ORIGIN_MORE);

    if (p == NULL) {
        return NGX_DECLINED;
    }

    ngx_strlow(p, (u_char *) url.host.p, url.host.n);
    name.data = p;
    name.len = url.host.n;
    site->name = (rbl_str_t) { (char *) p, url.host.n };

    /* a browser leaves the usual port out */

    p += name.len;
    last = ngx_sprintf(p, "http%s://%V", url.tls ? "s" : "", &name);

    if (url.port != (url.tls ? 443 : 80)) {
        last = ngx_sprintf(last, ":%ui", (ngx_uint_t) url.port);
    }

    site->origin = (rbl_str_t) { (char *) p, last - p };

    if (ngx_rbl_sha256(site->name, site->digest) != NGX_OK) {
        ngx_rbl_internal(ctx);
        return NGX_DECLINED;
    }

    return NGX_OK;
}


ngx_int_t
ngx_rbl_challenge_make(ngx_rbl_ctx_t *ctx, ngx_rbl_challenge_t *challenge,
    const u_char *digest)
{
    u_char     octets[RBL_PASSKEY_CHALLENGE];
    unsigned   mask;
    ngx_str_t  from, to;

    if (RAND_bytes(octets, sizeof(octets)) != 1) {
        ngx_rbl_internal(ctx);
        return NGX_ERROR;
    }

    if (digest != NULL) {
        mask = ngx_rbl_store_keyspace(ctx->store)->partitions - 1;
        octets[0] ^= (octets[0] ^ digest[0]) & mask >> 8;
        octets[1] ^= (octets[1] ^ digest[1]) & mask;
    }

    from.data = octets;
    from.len = sizeof(octets);
    to.data = (u_char *) challenge->text;
    ngx_encode_base64url(&to, &from);
    challenge->n = to.len;

    ngx_hex_dump((u_char *) challenge->hex, octets, sizeof(octets));

    return NGX_OK;
}


rbl_str_t
ngx_rbl_challenge_key(ngx_rbl_ctx_t *ctx, rbl_key_t *key,
    const char hex[NGX_RBL_CHALLENGE_HEX])
{
    unsigned               p;
    rbl_str_t              name = { hex, NGX_RBL_CHALLENGE_HEX };
    const rbl_keyspace_t  *ks;

    ks = ngx_rbl_store_keyspace(ctx->store);
    p = (unsigned) ngx_hextoi((u_char *) hex, 4) & (ks->partitions - 1);

    return rbl_key(key, ks, p, "challenge", name, RBL_STR(""));
}


ngx_int_t
ngx_rbl_passkey_field(ngx_rbl_ctx_t *ctx, ngx_uint_t field, size_t size,
    rbl_str_t *octets)
{
    rbl_str_t  text;

    text = rbl_text(&ctx->run, field);
    size = ngx_min(size, ngx_base64_decoded_length(text.n));
    octets->p = rbl_room(&ctx->run, size + 1);

    if (octets->p == NULL) {
        return NGX_DECLINED;
    }

    if (text.n == 0
        || rbl_passkey_text((u_char *) octets->p, size, &octets->n, text)
           != RBL_OK)
    {
        rbl_invalid(&ctx->run, ctx->run.fields[field].name.p);
        return NGX_DECLINED;
    }

    return NGX_OK;
}


ngx_int_t
ngx_rbl_passkey_sid(ngx_rbl_ctx_t *ctx, rbl_sid_t *sid, rbl_str_t credential)
{
    u_char  digest[32];

    if (ngx_rbl_sha256(credential, digest) != NGX_OK) {
        ngx_rbl_internal(ctx);
        return NGX_ERROR;
    }

    rbl_sid_from_digest(sid, RBL_SID_PASSKEY, digest);

    return NGX_OK;
}


ngx_int_t
ngx_rbl_passkey_client(char hex[NGX_RBL_CHALLENGE_HEX], rbl_str_t client,
    const char *type, const ngx_rbl_site_t *site)
{
    u_char  octets[RBL_PASSKEY_CHALLENGE];

    if (rbl_passkey_client(octets, client, type, site->origin) != RBL_OK) {
        return NGX_DECLINED;
    }

    ngx_hex_dump((u_char *) hex, octets, sizeof(octets));

    return NGX_OK;
}


ngx_uint_t
ngx_rbl_passkey_right(const rbl_passkey_auth_t *auth,
    const ngx_rbl_site_t *site)
{
    return (auth->flags & (RBL_PASSKEY_PRESENT|RBL_PASSKEY_VERIFIED))
           == (RBL_PASSKEY_PRESENT|RBL_PASSKEY_VERIFIED)
           && CRYPTO_memcmp(auth->rp.p, site->digest, sizeof(site->digest))
              == 0;
}


void
ngx_rbl_passkey_write(ngx_rbl_ctx_t *ctx, const char *key, rbl_str_t octets)
{
    u_char     text[ngx_base64_encoded_length(RBL_PASSKEY_ID_MAX)];
    ngx_str_t  from, to;

    from.data = (u_char *) octets.p;
    from.len = ngx_min(octets.n, RBL_PASSKEY_ID_MAX);
    to.data = text;
    ngx_encode_base64url(&to, &from);

    rbl_doc_str(&ctx->doc, key, (rbl_str_t) { (char *) text, to.len });
}
