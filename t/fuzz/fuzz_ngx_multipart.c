/*
 * A body of the type multipart/form-data (ngx_rbl_multipart.c).  A line with
 * the Content-Type behind its media type; the rest is the body.
 *
 * Values are valid, trimmed text, one for a field that is no list.  Written as
 * parts and read again they are the same.  A body without the end of a boundary
 * is refused, with 400, or 415 for a file.
 */

#include "fuzz_ngx.h"
#include "ngx_rbl_write.h"

#define FIELDS  3
#define MEDIA   "multipart/form-data"
#define AGAIN   "=again="

static const rbl_field_t  fields[] = {
    RBL_TEXT("host", 0, NULL, 0),
    RBL_TEXT("name", 0, NULL, 0),
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
    fuzz_check(status == 400 || status == 415);
    ctx->run.refusal = status;
}


void
ngx_rbl_internal(ngx_rbl_ctx_t *ctx)
{
    (void) ctx;
    fuzz_check(!"out of memory");
}


/* All given fields as parts. */
static rbl_str_t
as_parts(ngx_rbl_ctx_t *ctx)
{
    u_char       *p, *start;
    size_t        size;
    ngx_uint_t    i;
    rbl_value_t  *v;

    size = 64;

    for (i = 0; i < FIELDS; i++) {
        for (v = ctx->run.given[i].first; v; v = v->next) {
            size += v->text.n + 128;
        }
    }

    start = p = ngx_pnalloc(ctx->request->pool, size);
    fuzz_check(p != NULL);

    for (i = 0; i < FIELDS; i++) {
        for (v = ctx->run.given[i].first; v; v = v->next) {
            p = ngx_sprintf(p, "--" AGAIN "\r\nContent-Disposition: form-data; "
                            "name=\"%*s\"\r\n\r\n", fields[i].name.n,
                            fields[i].name.p);
            p = ngx_cpymem(p, v->text.p, v->text.n);
            p = ngx_cpymem(p, "\r\n", 2);
        }
    }

    p = ngx_sprintf(p, "--" AGAIN "--\r\n");

    return (rbl_str_t) { (const char *) start, (size_t) (p - start) };
}


static void
check_again(ngx_rbl_ctx_t *ctx)
{
    ngx_uint_t           i;
    ngx_rbl_ctx_t        again;
    ngx_table_elt_t      h;
    rbl_value_t         *v, *w;
    ngx_http_request_t   r;

    r = *ctx->request;
    ngx_str_set(&h.value, MEDIA "; boundary=\"" AGAIN "\"");
    r.headers_in.content_type = &h;

    memset(&again, 0, sizeof(again));
    again.request = &r;
    again.route = ctx->route;
    again.run.by = ctx->run.by;
    again.run.fields = fields;
    again.body = as_parts(ctx);

    fuzz_check(ngx_rbl_params_parse(&again) == NGX_OK && !again.run.refusal);

    for (i = 0; i < FIELDS; i++) {
        w = again.run.given[i].first;

        for (v = ctx->run.given[i].first; v; v = v->next, w = w->next) {
            fuzz_check(w != NULL && rbl_str_eq(v->text, w->text));
            fuzz_check(rbl_text_ok(v->text));
            fuzz_check(rbl_str_eq(rbl_trim(v->text), v->text));
            fuzz_check(v->next == NULL || (fields[i].flags & RBL_LIST));
        }

        fuzz_check(w == NULL);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    u_char           *p;
    fuzz_t            f;
    rbl_str_t         type;
    ngx_table_elt_t   h;

    fuzz_init(&f, data, size);
    fuzz_ngx_init();

    type = fuzz_line(&f);
    p = ngx_pnalloc(fuzz_request.pool, sizeof(MEDIA) + type.n);
    fuzz_check(p != NULL);
    h.value.data = p;
    p = ngx_cpymem(p, MEDIA ";", sizeof(MEDIA));
    p = ngx_cpymem(p, type.p, type.n);
    h.value.len = (size_t) (p - h.value.data);

    fuzz_request.headers_in.content_type = &h;
    fuzz_ctx.body = fuzz_rest(&f);
    fuzz_ctx.route = &route;
    fuzz_ctx.run.by = &fuzz_runner;
    fuzz_ctx.run.fields = fields;

    fuzz_check(ngx_rbl_params_parse(&fuzz_ctx) == NGX_OK);

    if (!fuzz_ctx.run.refusal && fuzz_ctx.body.n > 0) {
        fuzz_check(memmem(fuzz_ctx.body.p, fuzz_ctx.body.n, "--", 2) != NULL);
        check_again(&fuzz_ctx);
    }

    fuzz_ngx_done();
    fuzz_done(&f);

    return 0;
}
