/*
 * The response: a document written directly into nginx's buffers, or a refusal
 * in the requested format.
 */

#include "ngx_rbl_http.h"
#include "ngx_rbl_stream.h"


#define NGX_RBL_ENVELOPE  256


static ngx_str_t  ngx_rbl_types[] = {
    ngx_string("application/json; charset=utf-8"),
    ngx_string("application/xml; charset=utf-8"),
    ngx_string("text/plain; charset=utf-8"),
    ngx_string("text/plain; charset=utf-8"),
    ngx_string("text/csv; charset=utf-8")
};

/* length without the charset parameter, as gzip_types and others compare it */

static const size_t  ngx_rbl_type_lens[] = { 16, 15, 10, 10, 8 };


static void
ngx_rbl_refuse_args(ngx_rbl_ctx_t *ctx, ngx_uint_t status, const char *fmt,
    va_list args)
{
    u_char  buf[RBL_REFUSAL_MAX], *last;

    last = ngx_vslprintf(buf, buf + sizeof(buf), fmt, args);

    ctx->run.refusal = status;
    ctx->message.len = last - buf;
    ctx->message.data = ngx_pnalloc(ctx->request->pool, last - buf);

    if (ctx->message.data == NULL) {
        ctx->message.len = 0;
        return;
    }

    ngx_memcpy(ctx->message.data, buf, last - buf);
}


void
ngx_rbl_refuse(ngx_rbl_ctx_t *ctx, ngx_uint_t status, const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    ngx_rbl_refuse_args(ctx, status, fmt, args);
    va_end(args);

    ctx->retry_after = 1;
}


void
ngx_rbl_refuse_later(ngx_rbl_ctx_t *ctx, ngx_uint_t status,
    ngx_uint_t seconds, const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    ngx_rbl_refuse_args(ctx, status, fmt, args);
    va_end(args);

    ctx->retry_after = seconds;
}


void
ngx_rbl_refuse_by(ngx_rbl_ctx_t *ctx, const rbl_outcome_t *refusals,
    const redisReply *reply)
{
    if (rbl_refuse_by(&ctx->run, refusals, reply) == 0
        && ctx->run.refusal == NGX_HTTP_TOO_MANY_REQUESTS)
    {
        ctx->retry_after = ngx_max(rbl_reply_number(reply), 1);
    }
}


void
ngx_rbl_unauthorized(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_refuse(ctx, NGX_HTTP_UNAUTHORIZED,
                   ctx->conf->portal ? "Please sign in."
                                     : "Invalid credentials.");
}


void
ngx_rbl_internal(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_refuse(ctx, NGX_HTTP_INTERNAL_SERVER_ERROR, "Internal error.");
}


/* If this fails, output is discarded and the call is refused. */

static ngx_int_t
ngx_rbl_response_open(ngx_rbl_ctx_t *ctx, size_t size)
{
    if (ngx_rbl_sink_open(&ctx->sink, ctx->request->pool, size,
                          (ngx_buf_tag_t) &ngx_rbl_module)
        != NGX_OK)
    {
        ngx_rbl_internal(ctx);
        return NGX_ERROR;
    }

    return NGX_OK;
}


void
ngx_rbl_open(ngx_rbl_ctx_t *ctx, size_t guess, const char *message)
{
    /* without a sink the call is refused, and its output is discarded */

    (void) ngx_rbl_response_open(ctx, NGX_RBL_ENVELOPE + guess);

    rbl_doc_begin(&ctx->doc, &ctx->sink.out,
                  ctx->format == NGX_RBL_XML ? RBL_XML : RBL_JSON);
    rbl_doc_int(&ctx->doc, "status_code", NGX_HTTP_OK);
    rbl_doc_z(&ctx->doc, "status_message", message);
    rbl_doc_z(&ctx->doc, "version", NGX_RBL_VERSION);
}


void
ngx_rbl_close(ngx_rbl_ctx_t *ctx)
{
    if (ctx->run.refusal == 0) {
        rbl_doc_end(&ctx->doc);
        ctx->answered = 1;
    }
}


void
ngx_rbl_open_plain(ngx_rbl_ctx_t *ctx)
{
    if (ngx_rbl_response_open(ctx, NGX_RBL_ENVELOPE) == NGX_OK) {
        ctx->answered = 1;
    }
}


static void
ngx_rbl_render_refusal(ngx_rbl_ctx_t *ctx)
{
    rbl_out_t   *out;
    rbl_str_t    message;
    ngx_uint_t   code;

    if (ngx_rbl_response_open(ctx, NGX_RBL_ENVELOPE) != NGX_OK) {
        return;
    }

    out = &ctx->sink.out;
    message = ngx_rbl_str(&ctx->message);

    switch (ctx->format) {

    case NGX_RBL_NAGIOS:
        rbl_out_z(out, "UNKNOWN - ");
        rbl_out_str(out, message);
        return;

    case NGX_RBL_ZABBIX:
        rbl_out_z(out, "-1");
        return;

    case NGX_RBL_CSV:
        ctx->format = NGX_RBL_JSON;     /* a refusal is no table */
        /* fall through */

    default:
        code = ctx->conf->legacy_errors ? NGX_HTTP_INTERNAL_SERVER_ERROR
                                        : ctx->run.refusal;

        rbl_doc_begin(&ctx->doc, out, ctx->format == NGX_RBL_XML ? RBL_XML
                                                                 : RBL_JSON);
        rbl_doc_int(&ctx->doc, "status_code", code);
        rbl_doc_str(&ctx->doc, "status_message", message);
        rbl_doc_end(&ctx->doc);
    }
}


/* Applies the limit on large responses of an account.  A write is answered in
   any case. */

static void
ngx_rbl_send_large(ngx_rbl_ctx_t *ctx)
{
    off_t  length;

    length = ngx_rbl_sink_length(&ctx->sink);

    if (ctx->run.refusal == 0 && ctx->place == NULL
        && length > NGX_RBL_PLACE_LARGE
        && ctx->route->method == NGX_HTTP_GET
        && ngx_rbl_place_take(ctx, length, NULL) == NGX_ERROR)
    {
        ngx_rbl_internal(ctx);
    }
}


ngx_int_t
ngx_rbl_send_head(ngx_rbl_ctx_t *ctx)
{
    ngx_buf_t           *b;
    ngx_http_request_t  *r;

    r = ctx->request;

    if (ctx->run.refusal == 0 && (!ctx->answered || ctx->sink.out.failed)) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "rbl: the store's reply could not be understood");
        ngx_rbl_internal(ctx);
    }

    ngx_rbl_send_large(ctx);

    if (ctx->run.refusal) {
        ngx_rbl_render_refusal(ctx);
    }

    if (ctx->sink.out.failed) {
        return NGX_ERROR;
    }

    b = ngx_rbl_sink_flush(&ctx->sink);
    if (b == NULL) {
        return NGX_ERROR;
    }

    b->last_buf = (r == r->main);
    b->last_in_chain = 1;

    ctx->status = ctx->run.refusal ? ctx->run.refusal : NGX_HTTP_OK;

    return ngx_rbl_send_headers(ctx, ngx_rbl_sink_length(&ctx->sink));
}


ngx_int_t
ngx_rbl_send_body(ngx_rbl_ctx_t *ctx)
{
    return ngx_http_output_filter(ctx->request, ctx->sink.chain);
}


ngx_int_t
ngx_rbl_send_headers(ngx_rbl_ctx_t *ctx, off_t length)
{
    ngx_http_request_t  *r;

    r = ctx->request;

    r->headers_out.status = ctx->status;
    r->headers_out.content_length_n = length;
    r->headers_out.content_type = ngx_rbl_types[ctx->format];
    r->headers_out.content_type_len = ngx_rbl_type_lens[ctx->format];
    r->headers_out.content_type_lowcase = NULL;

    if (ngx_rbl_headers(ctx) != NGX_OK || ngx_rbl_etag(ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_http_send_header(r);
}


int64_t
ngx_rbl_now(void)
{
    ngx_time_t  *tp;

    tp = ngx_timeofday();

    return (int64_t) tp->sec * 1000 + tp->msec;
}
