/*
 * Sessions of the portal.
 *
 * The cookie's name begins with "__Host-", so that a browser takes it only over
 * TLS, from this host, for all paths (RFC 6265bis, 4.1.3.2).  Without TLS it
 * has another name and no attribute Secure; that is allowed only on loopback
 * addresses, where others cannot read the connection.
 *
 * A session ends after 12 hours without a request, by the TTL of its record,
 * and 7 days after the sign-in.  One that began by the identity that nginx
 * vouches for is valid only in requests with the same identity.
 */

#include "ngx_rbl_identity.h"
#include "ngx_rbl_logins.h"
#include "ngx_rbl_session.h"
#include "ngx_rbl_visit.h"

#include <openssl/crypto.h>

#define NGX_RBL_SESSION_IDLE  "43200000"                        /* ms */

/* ms; also before its date, or a session that a wrong clock has made would have
   no end */
#define NGX_RBL_SESSION_LIFE  (7 * 24 * 3600 * (int64_t) 1000)

#define NGX_RBL_SESSION_RECENT  (10 * 60 * (int64_t) 1000)      /* ms */

/* Sign-ins are dated by the store, whose clock may be ahead (ms). */
#define NGX_RBL_SESSION_AHEAD   (60 * (int64_t) 1000)

#define NGX_RBL_SET_MAX  (NGX_RBL_COOKIE_LEN + 128)


static ngx_str_t  ngx_rbl_cookie_names[] = {
    ngx_string("rbl"),
    ngx_string("__Host-rbl")
};

static const char  *ngx_rbl_roles[] = { "", "viewer", "admin", "owner" };

static ngx_str_t  ngx_rbl_set_cookie = ngx_string("Set-Cookie");


ngx_uint_t
ngx_rbl_session_tls(ngx_http_request_t *r)
{
    ngx_rbl_loc_conf_t  *conf;

    conf = ngx_http_get_module_loc_conf(r, ngx_rbl_module);

    if (conf->portal_url.len > 6
        && ngx_strncasecmp(conf->portal_url.data, (u_char *) "https:", 6) == 0)
    {
        return 1;
    }

#if (NGX_HTTP_SSL)
    return r->connection->ssl != NULL;
#else
    return 0;
#endif
}


/* Finds "name=value" in one Cookie header (RFC 6265, 4.2.1).  nginx would also
   find it behind a comma within another value, and in other letters. */

static ngx_uint_t
ngx_rbl_session_find(const ngx_str_t *header, const ngx_str_t *name,
    ngx_str_t *value)
{
    u_char      *p, *end, *last;
    ngx_uint_t   n;

    n = 0;
    last = header->data + header->len;

    for (p = header->data; p < last; p = end + 1) {
        while (p < last && *p == ' ') {
            p++;
        }

        end = ngx_strlchr(p, last, ';');
        end = end ? end : last;

        if ((size_t) (end - p) > name->len && p[name->len] == '='
            && ngx_memcmp(p, name->data, name->len) == 0)
        {
            value->data = p + name->len + 1;
            value->len = end - value->data;
            n++;
        }
    }

    return n;
}


/* A name that is there twice may come from another host of the domain. */

ngx_int_t
ngx_rbl_session_cookie(ngx_http_request_t *r, ngx_str_t *value)
{
    ngx_str_t   *name;
    ngx_uint_t   n;

    name = &ngx_rbl_cookie_names[ngx_rbl_session_tls(r)];
    n = 0;

#if (nginx_version >= 1023000)
    {
    ngx_table_elt_t  *h;

    for (h = r->headers_in.cookie; h; h = h->next) {
        n += ngx_rbl_session_find(&h->value, name, value);
    }
    }
#else
    {
    ngx_uint_t         i;
    ngx_table_elt_t  **h;

    h = r->headers_in.cookies.elts;

    for (i = 0; i < r->headers_in.cookies.nelts; i++) {
        n += ngx_rbl_session_find(&h[i]->value, name, value);
    }
    }
#endif

    return n == 1 ? NGX_OK : NGX_DECLINED;
}


ngx_int_t
ngx_rbl_session_parse(const ngx_str_t *text, rbl_sid_t *account,
    ngx_str_t *secret)
{
    if (text->len != NGX_RBL_COOKIE_LEN || text->data[RBL_SID_LEN] != '.') {
        return NGX_DECLINED;
    }

    secret->data = text->data + RBL_SID_LEN + 1;
    secret->len = NGX_RBL_SECRET_LEN;

    /* in one spelling, so that a session has one place in the cache */

    return rbl_sid_parse(account, RBL_SID_ACCOUNT,
                         (rbl_str_t) { (char *) text->data, RBL_SID_LEN })
           == RBL_OK
           && ngx_memcmp(account->s, text->data, RBL_SID_LEN) == 0
           ? NGX_OK : NGX_DECLINED;
}


void
ngx_rbl_session_before(ngx_rbl_ctx_t *ctx, char hex[NGX_RBL_FIELD_LEN],
    u_char digest[32], rbl_str_t *field, rbl_str_t *was)
{
    ngx_str_t  value, secret;
    rbl_sid_t  account;

    *field = RBL_STR("");
    *was = RBL_STR("");

    if (ngx_rbl_session_cookie(ctx->request, &value) == NGX_OK
        && ngx_rbl_session_parse(&value, &account, &secret) == NGX_OK
        && rbl_str_eq(rbl_sid_str(&account), rbl_sid_str(&ctx->account))
        && ngx_rbl_secret_ok(&secret)
        && ngx_rbl_sha256(ngx_rbl_str(&secret), digest) == NGX_OK)
    {
        *field = ngx_rbl_secret_field(hex, digest);
        *was = (rbl_str_t) { (char *) digest, 32 };
    }
}


ngx_rbl_role_e
ngx_rbl_role(rbl_str_t name)
{
    ngx_uint_t  i;

    for (i = NGX_RBL_ROLE_VIEWER; i <= NGX_RBL_ROLE_OWNER; i++) {
        if (rbl_str_is(name, ngx_rbl_roles[i])) {
            return i;
        }
    }

    return NGX_RBL_ROLE_NONE;
}


const char *
ngx_rbl_role_name(ngx_rbl_role_e role)
{
    return ngx_rbl_roles[role];
}


void
ngx_rbl_session_record(ngx_rbl_ctx_t *ctx, rbl_str_t raw)
{
    rbl_session_t  session;

    if (rbl_session_decode(&session, raw) != RBL_OK
        || session.digest.n != sizeof(ctx->digest)
        || CRYPTO_memcmp(session.digest.p, ctx->digest, sizeof(ctx->digest))
           != 0
        || llabs(ngx_rbl_now() - session.made) > NGX_RBL_SESSION_LIFE
        || (session.identity.n
            && session.identity.n != sizeof(ctx->user.identity))
        || rbl_sid_parse(&ctx->user.sid, RBL_SID_USER, session.user) != RBL_OK)
    {
        return;
    }

    ctx->user.bound = session.identity.n > 0;

    if (ctx->user.bound) {
        ngx_memcpy(ctx->user.identity, session.identity.p,
                   sizeof(ctx->user.identity));
    }

    if (!ngx_rbl_identity_same(ctx, &ctx->user)) {
        return;
    }

    ctx->user.role = ngx_rbl_role(session.role);
    ctx->user.since = session.made;

    /* the record is gone when a script is called */

    if (ctx->route->method == NGX_HTTP_POST || ctx->visiting) {
        ctx->mail = ngx_rbl_keep(ctx->request->pool, session.mail);
    }

    ctx->round.authenticated = 1;

    ngx_rbl_admit_limits(ctx);
}


void
ngx_rbl_session_touch(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch)
{
    char       hex[NGX_RBL_FIELD_LEN];
    rbl_key_t  key;

    ngx_rbl_batch_command(batch, RBL_COMMAND("PEXPIRE",
                          ngx_rbl_account_key(ctx, &key, "session",
                              ngx_rbl_secret_field(hex, ctx->digest)),
                          RBL_STR(NGX_RBL_SESSION_IDLE)));
}


void
ngx_rbl_session_touched(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    if (reply->type == REDIS_REPLY_INTEGER && reply->integer == 1) {
        ngx_rbl_login_touched(ctx);
        return;
    }

    /* it has ended since its record was read */

    ngx_rbl_unauthorized(ctx);
}


void
ngx_rbl_session_may(ngx_rbl_ctx_t *ctx)
{
    int64_t         age;
    ngx_uint_t      flags;
    ngx_rbl_role_e  needed;

    flags = ctx->route->flags;
    age = ngx_rbl_now() - ctx->user.since;

    if (ngx_rbl_visit_may(ctx) != NGX_OK) {
        return;
    }

    needed = flags & NGX_RBL_OWNERS ? NGX_RBL_ROLE_OWNER
             : flags & NGX_RBL_VIEWERS
               || (ctx->route->method == NGX_HTTP_GET
                   && !(flags & NGX_RBL_ADMINS)) ? NGX_RBL_ROLE_VIEWER
             : NGX_RBL_ROLE_ADMIN;

    if (ctx->user.role < needed) {
        ngx_rbl_refuse(ctx, NGX_HTTP_FORBIDDEN, "Your role does not allow "
                       "this: it needs the role %s.",
                       ngx_rbl_roles[needed]);
        return;
    }

    if (flags & NGX_RBL_RECENT
        && (age > NGX_RBL_SESSION_RECENT || age < -NGX_RBL_SESSION_AHEAD))
    {
        ctx->stale = 1;
        ngx_rbl_refuse(ctx, NGX_HTTP_UNAUTHORIZED,
                       "Please sign in again: this needs a sign-in of the "
                       "last 10 minutes.");
    }
}


static ngx_str_t *
ngx_rbl_session_header(ngx_http_request_t *r, const char *name)
{
    size_t            n;
    ngx_uint_t        i;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *h;

    n = ngx_strlen(name);

    for (part = &r->headers_in.headers.part; part; part = part->next) {
        h = part->elts;

        for (i = 0; i < part->nelts; i++) {
            if (h[i].key.len == n
                && ngx_strncasecmp(h[i].key.data, (u_char *) name, n) == 0)
            {
                return &h[i].value;
            }
        }
    }

    return NULL;
}


/* Origin and Host of a page of rbl_portal_url, as browsers write them: without
   the usual port. */

static void
ngx_rbl_session_site(const ngx_str_t *url, ngx_str_t *origin, ngx_str_t *host)
{
    u_char     *path;
    size_t      scheme;
    ngx_str_t   port;

    if (ngx_strncasecmp(url->data, (u_char *) "https:", 6) == 0) {
        scheme = sizeof("https://") - 1;
        ngx_str_set(&port, ":443");

    } else {
        scheme = sizeof("http://") - 1;
        ngx_str_set(&port, ":80");
    }

    path = ngx_strlchr(url->data + scheme, url->data + url->len, '/');
    host->data = url->data + scheme;
    host->len = (path ? path : url->data + url->len) - host->data;

    if (host->len > port.len
        && ngx_memcmp(host->data + host->len - port.len, port.data, port.len)
           == 0)
    {
        host->len -= port.len;
    }

    origin->data = url->data;
    origin->len = scheme + host->len;
}


static ngx_uint_t
ngx_rbl_session_equal(const ngx_str_t *a, const ngx_str_t *b)
{
    return a->len == b->len && ngx_strncasecmp(a->data, b->data, a->len) == 0;
}


/* With rbl_portal_url, a page is of this site if it is at that URL, and not
   because it has the same name as the request: a foreign name can lead here. */

static ngx_uint_t
ngx_rbl_session_same(ngx_http_request_t *r)
{
    ngx_str_t           *site, *origin, *host, at, name;
    ngx_rbl_loc_conf_t  *conf;

    static ngx_str_t  same = ngx_string("same-origin");

    conf = ngx_http_get_module_loc_conf(r, ngx_rbl_module);
    site = ngx_rbl_session_header(r, "Sec-Fetch-Site");
    origin = ngx_rbl_session_header(r, "Origin");
    host = r->headers_in.host ? &r->headers_in.host->value : NULL;

    if (conf->portal_url.len) {
        ngx_rbl_session_site(&conf->portal_url, &at, &name);

        return host && ngx_rbl_session_equal(host, &name)
               && (site || origin)
               && (!origin || ngx_rbl_session_equal(origin, &at))
               && (!site || ngx_rbl_session_equal(site, &same));
    }

    if (site) {
        return ngx_rbl_session_equal(site, &same);
    }

    if (!origin || !host) {
        return 0;
    }

    if (ngx_rbl_session_tls(r)) {
        ngx_str_set(&at, "https://");

    } else {
        ngx_str_set(&at, "http://");
    }

    name.data = origin->data + at.len;
    name.len = origin->len - at.len;

    return origin->len > at.len
           && ngx_strncmp(origin->data, at.data, at.len) == 0
           && ngx_rbl_session_equal(&name, host);
}


void
ngx_rbl_session_origin(ngx_rbl_ctx_t *ctx)
{
    ngx_str_t           *value;
    ngx_http_request_t  *r;

    r = ctx->request;
    value = r->headers_in.content_type ? &r->headers_in.content_type->value
                                       : NULL;

    if (value == NULL || value->len < 16
        || ngx_strncasecmp(value->data, (u_char *) "application/json", 16) != 0)
    {
        ngx_rbl_refuse(ctx, NGX_HTTP_UNSUPPORTED_MEDIA_TYPE,
                       "The request body must be of type application/json.");
        return;
    }

    if (!ngx_rbl_session_same(r)) {
        ngx_rbl_refuse(ctx, NGX_HTTP_FORBIDDEN,
                       "This call must come from a page of this site.");
    }
}


ngx_int_t
ngx_rbl_session_secret(ngx_rbl_ctx_t *ctx, u_char text[NGX_RBL_COOKIE_LEN],
    u_char digest[32])
{
    ngx_memcpy(text, ctx->account.s, RBL_SID_LEN);
    text[RBL_SID_LEN] = '.';

    if (ngx_rbl_secret_make(text + RBL_SID_LEN + 1, digest) != NGX_OK) {
        ngx_rbl_internal(ctx);
        return NGX_ERROR;
    }

    return NGX_OK;
}


ngx_int_t
ngx_rbl_session_set(ngx_rbl_ctx_t *ctx, rbl_str_t value)
{
    ngx_str_t            set, *name;
    ngx_uint_t           tls;
    ngx_http_request_t  *r;

    r = ctx->request;
    tls = ngx_rbl_session_tls(r);
    name = &ngx_rbl_cookie_names[tls];

    set.data = ngx_pnalloc(r->pool, NGX_RBL_SET_MAX);

    if (set.data == NULL) {
        ngx_rbl_internal(ctx);
        return NGX_ERROR;
    }

    set.len = ngx_snprintf(set.data, NGX_RBL_SET_MAX,
                           "%V=%*s; Path=/; Max-Age=%d%s; HttpOnly; "
                           "SameSite=Strict", name, value.n,
                           value.n ? value.p : "",
                           value.n ? (int) (NGX_RBL_SESSION_LIFE / 1000) : 0,
                           tls ? "; Secure" : "")
              - set.data;

    if (ngx_rbl_header(r, &ngx_rbl_set_cookie, &set) == NULL) {
        ngx_rbl_internal(ctx);
        return NGX_ERROR;
    }

    return NGX_OK;
}
