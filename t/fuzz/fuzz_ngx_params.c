/*
 * Fields of a call from query and body (ngx_rbl_params.c), as the call reads
 * them (ngx_rbl_fields.c).  Lines: Content-Type ("-": none) and the query; the
 * rest is the body.
 *
 * Values are valid, trimmed text, one for a field that is not a list; the
 * elements of a list have no commas.  Written as a form and read again they are
 * the same.  A refusal is made once, with 400 or 415.
 */

#include "fuzz_ngx.h"
#include "ngx_rbl_write.h"

#define FIELDS  5

static const rbl_field_t  fields[] = {
    RBL_TEXT("host", 0, rbl_flag, 0),
    RBL_TEXT("name", 0, NULL, 0),
    RBL_TEXT("type", 0, NULL, 0),
    RBL_TEXT("rbl_profile", 0, NULL, 0),
    RBL_TEXT("contact_group", RBL_LIST, NULL, 0),
    RBL_END
};

static const ngx_rbl_op_t     op = { .fields = fields };
static const ngx_rbl_route_t  route = {
    ngx_string("host/add"), ngx_string("host/add"), NGX_HTTP_POST,
    NGX_RBL_DOCUMENT, &op, NULL
};


void
ngx_rbl_refuse(ngx_rbl_ctx_t *ctx, ngx_uint_t status, const char *fmt, ...)
{
    u_char   text[512];
    va_list  ap;

    va_start(ap, fmt);
    (void) ngx_vslprintf(text, text + sizeof(text), fmt, ap);
    va_end(ap);

    fuzz_check(ctx->run.refusal == 0);
    fuzz_check(status == 400 || status == 415 || status == 404);
    ctx->run.refusal = status;
}


void
ngx_rbl_internal(ngx_rbl_ctx_t *ctx)
{
    (void) ctx;
    fuzz_check(!"out of memory");
}


static void
check_list(ngx_rbl_ctx_t *ctx, ngx_uint_t field)
{
    size_t      commas;
    ngx_int_t   i, n;
    rbl_str_t  *part;

    n = rbl_list(&ctx->run, field, &part);
    fuzz_check(n >= 0 && (n == 0) == (ctx->run.given[field].first == NULL));

    for (i = 0; i < n; i++) {
        for (commas = 0; commas < part[i].n; commas++) {
            fuzz_check(part[i].p[commas] != ',');
        }

        fuzz_check(rbl_str_eq(rbl_trim(part[i]), part[i]));
        fuzz_check(rbl_text_ok(part[i]));
    }
}


static size_t
encode(u_char *p, rbl_str_t s)
{
    size_t  i, n;

    for (i = n = 0; i < s.n; i++) {
        n += (size_t) (ngx_sprintf(p + n, "%%%02Xd", (u_char) s.p[i])
                       - (p + n));
    }

    return n;
}


/* All given fields as a form of percent signs. */
static ngx_str_t
as_form(ngx_rbl_ctx_t *ctx)
{
    u_char       *p;
    size_t        size;
    ngx_str_t     form;
    ngx_uint_t    i;
    rbl_value_t  *v;

    size = 1;

    for (i = 0; i < FIELDS; i++) {
        for (v = ctx->run.given[i].first; v; v = v->next) {
            size += fields[i].name.n + 3 * v->text.n + 4;
        }
    }

    form.data = p = ngx_pnalloc(ctx->request->pool, size);
    fuzz_check(p != NULL);

    for (i = 0; i < FIELDS; i++) {
        for (v = ctx->run.given[i].first; v; v = v->next) {
            p = ngx_cpymem(p, fields[i].name.p, fields[i].name.n);
            p = ngx_cpymem(p, fields[i].flags ? "[]=" : "=",
                           fields[i].flags ? 3 : 1);
            p += encode(p, v->text);
            *p++ = '&';
        }
    }

    form.len = (size_t) (p - form.data);

    return form;
}


static void
check_same(ngx_rbl_ctx_t *ctx)
{
    ngx_uint_t           i;
    ngx_rbl_ctx_t        again;
    rbl_value_t         *v, *w;
    ngx_http_request_t   r;

    r = *ctx->request;
    r.args = as_form(ctx);

    memset(&again, 0, sizeof(again));
    again.request = &r;
    again.route = ctx->route;
    again.run.by = ctx->run.by;
    again.run.fields = fields;

    fuzz_check(ngx_rbl_params_parse(&again) == NGX_OK && !again.run.refusal);

    for (i = 0; i < FIELDS; i++) {
        w = again.run.given[i].first;

        for (v = ctx->run.given[i].first; v; v = v->next, w = w->next) {
            fuzz_check(w != NULL && rbl_str_eq(v->text, w->text));
        }

        fuzz_check(w == NULL);
    }
}


static void
check_given(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t     flag;
    ngx_uint_t    i;
    rbl_value_t  *v;

    for (i = 0; i < RBL_FIELDS_MAX; i++) {
        v = ctx->run.given[i].first;

        if (i >= FIELDS) {
            fuzz_check(v == NULL);
            continue;
        }

        fuzz_check(v == NULL || v->next == NULL || fields[i].flags);
        fuzz_check((rbl_text(&ctx->run, i).p == NULL) == (v == NULL));

        for ( /* void */ ; v; v = v->next) {
            fuzz_check(v->text.p != NULL && rbl_text_ok(v->text));
            fuzz_check(rbl_str_eq(rbl_trim(v->text), v->text));
        }

        check_list(ctx, i);
    }

    check_same(ctx);

    fuzz_check((rbl_judged(&ctx->run, &fields[0], &flag) == NGX_OK)
               == (ctx->run.refusal == 0));
    fuzz_check(ctx->run.refusal || flag.p == NULL || rbl_str_is(flag, "0")
               || rbl_str_is(flag, "1"));
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_t           f;
    rbl_str_t        type, query;
    ngx_table_elt_t  h;

    fuzz_init(&f, data, size);
    fuzz_ngx_init();

    type = fuzz_line(&f);
    query = fuzz_line(&f);
    fuzz_ctx.body = fuzz_rest(&f);
    fuzz_ctx.route = &route;
    fuzz_ctx.run.by = &fuzz_runner;
    fuzz_ctx.run.fields = fields;

    if (!rbl_str_is(type, "-")) {
        h.value.data = (u_char *) type.p;
        h.value.len = type.n;
        fuzz_request.headers_in.content_type = &h;
    }

    fuzz_request.args.data = (u_char *) query.p;
    fuzz_request.args.len = query.n;

    fuzz_check(ngx_rbl_params_parse(&fuzz_ctx) == NGX_OK);

    if (!fuzz_ctx.run.refusal) {
        fuzz_ctx.body.n = 0;
        check_given(&fuzz_ctx);
    }

    fuzz_ngx_done();
    fuzz_done(&f);

    return 0;
}
