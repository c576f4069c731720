/*
 * Sessions of the portal (ngx_rbl_session.c).  Lines: two Cookie headers; the
 * rest is the record of a session, whose digest is that of the request if the
 * first byte of the first line is "=".  If the second byte of the second line
 * is "s", the portal has an address of https.
 *
 * A cookie is a part of one header, without a semicolon.  An account is in its
 * one spelling.  A session counts only if its record has the digest of the
 * request, is younger than 7 days, and its identity is that of the request.
 */

#include "fuzz_ngx.h"
#include "ngx_rbl_identity.h"
#include "ngx_rbl_logins.h"
#include "ngx_rbl_session.h"
#include "ngx_rbl_visit.h"

#define NOW   INT64_C(1795167000000)
#define WEEK  INT64_C(604800000)

ngx_module_t  ngx_rbl_module;

static ngx_uint_t  same;                /* the identity */
static ngx_str_t   https = ngx_string("https://portal.example");


void
ngx_rbl_refuse(ngx_rbl_ctx_t *ctx, ngx_uint_t status, const char *fmt, ...)
{
    (void) ctx;
    (void) status;
    (void) fmt;
    fuzz_check(!"refused");
}


void
ngx_rbl_internal(ngx_rbl_ctx_t *ctx)
{
    (void) ctx;
    fuzz_check(!"out of memory");
}


void
ngx_rbl_unauthorized(ngx_rbl_ctx_t *ctx)
{
    (void) ctx;
    fuzz_check(!"refused");
}


int64_t
ngx_rbl_now(void)
{
    return NOW;
}


ngx_uint_t
ngx_rbl_identity_same(ngx_rbl_ctx_t *ctx, const ngx_rbl_user_t *user)
{
    (void) ctx;

    return !user->bound || same;
}


ngx_int_t
ngx_rbl_visit_may(ngx_rbl_ctx_t *ctx)
{
    (void) ctx;

    return NGX_OK;
}


void
ngx_rbl_admit_limits(ngx_rbl_ctx_t *ctx)
{
    (void) ctx;
}


void
ngx_rbl_login_touched(ngx_rbl_ctx_t *ctx)
{
    (void) ctx;
}


rbl_str_t
ngx_rbl_secret_field(char hex[NGX_RBL_FIELD_LEN], const u_char *digest)
{
    (void) digest;

    return (rbl_str_t) { hex, 0 };
}


ngx_uint_t
ngx_rbl_secret_ok(const ngx_str_t *secret)
{
    (void) secret;

    return 0;
}


ngx_int_t
ngx_rbl_sha256(rbl_str_t secret, u_char *digest)
{
    (void) secret;
    (void) digest;

    return NGX_ERROR;
}


ngx_int_t
ngx_rbl_secret_make(u_char text[NGX_RBL_SECRET_LEN], u_char digest[32])
{
    (void) text;
    (void) digest;

    return NGX_ERROR;
}


ngx_table_elt_t *
ngx_rbl_header(ngx_http_request_t *r, ngx_str_t *key, ngx_str_t *value)
{
    (void) r;
    (void) key;
    (void) value;

    return NULL;
}


rbl_str_t
ngx_rbl_account_key(const ngx_rbl_ctx_t *ctx, rbl_key_t *key,
    const char *name, rbl_str_t sid)
{
    (void) ctx;
    (void) key;
    (void) name;
    (void) sid;

    return RBL_STR("");
}


void
ngx_rbl_batch_command(ngx_rbl_batch_t *batch, int argc, const rbl_str_t *argv)
{
    (void) batch;
    (void) argc;
    (void) argv;
}


static ngx_table_elt_t  header[2];

#if (nginx_version < 1023000)
static ngx_table_elt_t  *headers[2] = { &header[0], &header[1] };
#endif


static void
set_headers(rbl_str_t a, rbl_str_t b)
{
    header[0].value.data = (u_char *) a.p;
    header[0].value.len = a.n;
    header[1].value.data = (u_char *) b.p;
    header[1].value.len = b.n;

#if (nginx_version < 1023000)
    fuzz_request.headers_in.cookies.elts = headers;
    fuzz_request.headers_in.cookies.nelts = 2;
#else
    header[0].next = &header[1];
    fuzz_request.headers_in.cookie = &header[0];
#endif
}


static void
try_cookie(rbl_str_t a, rbl_str_t b)
{
    size_t       i;
    ngx_str_t    value, secret;
    rbl_sid_t    account;
    const char  *p;

    set_headers(a, b);

    if (ngx_rbl_session_cookie(&fuzz_request, &value) != NGX_OK) {
        return;
    }

    p = (const char *) value.data;
    fuzz_check((p >= a.p && p + value.len <= a.p + a.n)
               || (p >= b.p && p + value.len <= b.p + b.n));
    fuzz_check(memchr(p, ';', value.len) == NULL);
    fuzz_check(memcmp(p - 4, "rbl=", 4) == 0);

    if (ngx_rbl_session_parse(&value, &account, &secret) == NGX_OK) {
        fuzz_check(secret.len == NGX_RBL_SECRET_LEN
                   && secret.data + secret.len == value.data + value.len);
        fuzz_check(account.n == RBL_SID_LEN
                   && memcmp(account.s, p, RBL_SID_LEN) == 0);

        for (i = 2; i < RBL_SID_LEN; i++) {
            fuzz_check(account.s[i] < 'A' || account.s[i] > 'F');
        }
    }
}


static void
try_record(rbl_str_t raw, int mine)
{
    int            good;
    rbl_session_t  s;

    static const ngx_rbl_route_t  post = { .method = NGX_HTTP_POST };

    fuzz_ctx.route = &post;
    good = rbl_session_decode(&s, raw) == RBL_OK && s.digest.n == 32;

    if (good && mine) {
        memcpy(fuzz_ctx.digest, s.digest.p, 32);
    }

    ngx_rbl_session_record(&fuzz_ctx, raw);

    if (!fuzz_ctx.round.authenticated) {
        return;
    }

    fuzz_check(good && memcmp(fuzz_ctx.digest, s.digest.p, 32) == 0);
    fuzz_check(NOW - s.made <= WEEK);
    fuzz_check(s.identity.n == 0 || (same && s.identity.n == 32));
    fuzz_check(fuzz_ctx.user.bound == (s.identity.n > 0));
    fuzz_check(fuzz_ctx.user.role <= NGX_RBL_ROLE_OWNER);
    fuzz_check(fuzz_ctx.user.sid.n == RBL_SID_LEN);
    fuzz_check(rbl_str_eq(fuzz_ctx.mail, s.mail));
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int        mine;
    fuzz_t     f;
    rbl_str_t  a, b;

    fuzz_init(&f, data, size);
    fuzz_ngx_init();

    a = fuzz_line(&f);
    b = fuzz_line(&f);
    mine = a.n > 0 && a.p[0] == '=';
    same = b.n > 0 && b.p[0] == '=';

    if (b.n > 1 && b.p[1] == 's') {
        fuzz_conf.portal_url = https;
    }

    try_cookie(a, b);
    try_record(fuzz_rest(&f), mine);

    fuzz_ngx_done();
    fuzz_done(&f);

    return 0;
}
