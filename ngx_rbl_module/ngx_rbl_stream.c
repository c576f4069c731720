/*
 * A response that is read from the store and sent slice by slice.
 *
 *   [place] -> slice -> header -> slice sent -> next slice -> ... -> end
 *
 * The next slice is read when the slice before it has been sent, so a client
 * that does not read occupies the memory of one slice.  The header is sent
 * after the first slice is read.  An error before that is an ordinary refusal.
 * An error after that closes the connection: the client sees a truncated
 * response, never a shorter one that looks complete.
 *
 * The length is not known at the beginning, so the response is chunked and has
 * no ETag, unless it is one slice.  With rbl_etag, slices are collected up to a
 * limit.  In a subrequest all slices are collected, because its parent decides
 * when it may write.
 */

#include "ngx_rbl_module.h"

#include "ngx_rbl_stream.h"
#include "ngx_rbl_usage.h"

#include <assert.h>


static void ngx_rbl_stream_written(ngx_rbl_ctx_t *ctx, ngx_int_t rc);
static void ngx_rbl_stream_next(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_stream_wait(ngx_rbl_ctx_t *ctx);


#define NGX_RBL_ETAG_MOST  524288       /* bytes of a response with ETag */


static void
ngx_rbl_stream_reply(void *data, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_ctx_t  *ctx = data;

    if (ctx->run.refusal == 0) {
        ctx->stream->read(ctx, i, reply);
    }
}


/* Before the header: an ordinary refusal.  After it: closes the connection. */

static void
ngx_rbl_stream_fail(ngx_rbl_ctx_t *ctx)
{
    if (!ctx->stream->headed) {
        ngx_rbl_finish(ctx);
        return;
    }

    ngx_log_error(NGX_LOG_ERR, ctx->request->connection->log, 0,
                  "rbl: an answer was cut off: %V", &ctx->message);

    ngx_rbl_end(ctx->request, NGX_ERROR);
}


static ngx_int_t
ngx_rbl_stream_out(ngx_rbl_ctx_t *ctx, ngx_chain_t *out)
{
    ngx_int_t            rc;
    ngx_http_request_t  *r;

    r = ctx->request;

    rc = ngx_http_output_filter(r, out);

    ngx_chain_update_chains(r->pool, &ctx->sink.free, &ctx->stream->busy, &out,
                            (ngx_buf_tag_t) &ngx_rbl_module);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    return ctx->stream->busy ? NGX_AGAIN : NGX_OK;
}


/* Sends the written output.  NGX_OK: all of it was sent. */

static ngx_int_t
ngx_rbl_stream_send(ngx_rbl_ctx_t *ctx, ngx_uint_t last)
{
    ngx_int_t     rc;
    ngx_chain_t  *out;

    if (!ctx->stream->headed) {
        ctx->stream->headed = 1;
        ctx->status = NGX_HTTP_OK;

        rc = ngx_rbl_send_headers(ctx, -1);
        ngx_rbl_gather(ctx);

        if (rc == NGX_ERROR || rc > NGX_OK) {
            return NGX_ERROR;
        }

        if (ctx->request->header_only) {
            return NGX_DONE;
        }
    }

    if (ngx_rbl_sink_take(&ctx->sink, &out, last) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_rbl_stream_out(ctx, out);
}


static void
ngx_rbl_stream_last(ngx_rbl_ctx_t *ctx)
{
    ctx->stream->close(ctx);

    if (ctx->run.refusal || ctx->sink.out.failed) {
        ngx_rbl_stream_fail(ctx);

    } else if (!ctx->stream->headed) {
        ngx_rbl_finish(ctx);

    } else {
        ngx_rbl_end(ctx->request, ngx_rbl_stream_send(ctx, 1));
    }
}


static ngx_uint_t
ngx_rbl_stream_collects(const ngx_rbl_ctx_t *ctx)
{
    return ctx->request != ctx->request->main
           || (ctx->conf->etag && !ctx->stream->headed
               && ngx_rbl_sink_length(&ctx->sink) < NGX_RBL_ETAG_MOST);
}


static void
ngx_rbl_stream_write(ngx_http_request_t *r)
{
    ngx_int_t       rc;
    ngx_event_t    *wev;
    ngx_rbl_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_rbl_module);
    wev = r->connection->write;

    if (wev->timedout) {
        ngx_log_error(NGX_LOG_INFO, r->connection->log, NGX_ETIMEDOUT,
                      "client timed out");
        r->connection->timedout = 1;
        ngx_rbl_end(r, NGX_HTTP_REQUEST_TIME_OUT);
        return;
    }

    if (wev->delayed || r->aio) {
        ngx_rbl_stream_wait(ctx);
        return;
    }

    rc = ngx_rbl_stream_out(ctx, NULL);

    if (rc != NGX_AGAIN) {
        r->write_event_handler = ngx_http_request_empty_handler;

        /* the timer of limit_rate must still fire */

        if (wev->timer_set && !wev->delayed) {
            ngx_del_timer(wev);
        }
    }

    ngx_rbl_stream_written(ctx, rc);
}


/* Not all output was sent: waits for nginx's write event. */

static void
ngx_rbl_stream_wait(ngx_rbl_ctx_t *ctx)
{
    ngx_event_t               *wev;
    ngx_http_request_t        *r;
    ngx_http_core_loc_conf_t  *clcf;

    r = ctx->request;
    wev = r->connection->write;
    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    r->write_event_handler = ngx_rbl_stream_write;

    if (!wev->delayed) {
        ngx_add_timer(wev, clcf->send_timeout);
    }

    if (ngx_handle_write_event(wev, clcf->send_lowat) != NGX_OK) {
        ngx_rbl_end(r, NGX_ERROR);
    }
}


static void
ngx_rbl_stream_written(ngx_rbl_ctx_t *ctx, ngx_int_t rc)
{
    switch (rc) {

    case NGX_OK:
        ngx_rbl_stream_next(ctx);
        return;

    case NGX_AGAIN:
        ngx_rbl_stream_wait(ctx);
        return;

    case NGX_DONE:                      /* HEAD */
        ngx_rbl_end(ctx->request, NGX_OK);
        return;

    default:
        ngx_rbl_end(ctx->request, NGX_ERROR);
    }
}


static void
ngx_rbl_stream_done(void *data, ngx_rbl_store_rc_e rc)
{
    ngx_rbl_ctx_t     *ctx = data;
    ngx_connection_t  *c;

    c = ctx->request->connection;

    ngx_rbl_waited(ctx);

    if (rc != NGX_RBL_STORE_OK) {
        ngx_rbl_unavailable(ctx, rc);
    }

    if (ctx->run.refusal || ctx->sink.out.failed) {
        ngx_rbl_stream_fail(ctx);

    } else if (ctx->stream->over) {
        ngx_rbl_stream_last(ctx);

    } else if (ngx_rbl_stream_collects(ctx)) {
        ngx_rbl_stream_next(ctx);

    } else {
        ngx_rbl_stream_written(ctx, ngx_rbl_stream_send(ctx, 0));
    }

    ngx_http_run_posted_requests(c);
}


static void
ngx_rbl_stream_next(ngx_rbl_ctx_t *ctx)
{
    assert(ctx->batch == NULL);

    ctx->batch = ngx_rbl_batch_create(ctx->store, ngx_rbl_stream_reply,
                                      ngx_rbl_stream_done, ctx);

    if (ctx->batch == NULL) {
        ngx_rbl_internal(ctx);
        ngx_rbl_stream_fail(ctx);
        return;
    }

    ngx_rbl_batch_slow(ctx->batch, &ctx->account);
    ctx->stream->ask(ctx, ctx->batch);

    if (ctx->run.refusal) {
        ngx_rbl_round_cancel(ctx);
        ngx_rbl_stream_fail(ctx);
        return;
    }

    ngx_rbl_wait(ctx);
}


static void
ngx_rbl_stream_placed(ngx_rbl_ctx_t *ctx)
{
    ngx_connection_t  *c;

    c = ctx->request->connection;

    ngx_http_set_log_request(c->log, ctx->request);

    if (ctx->run.refusal) {
        ngx_rbl_finish(ctx);

    } else {
        ngx_rbl_stream_next(ctx);
    }

    ngx_http_run_posted_requests(c);
}


void
ngx_rbl_stream_begin(ngx_rbl_ctx_t *ctx)
{
    switch (ngx_rbl_place_take(ctx, NGX_RBL_PLACE_SLICE,
                               ngx_rbl_stream_placed))
    {
    case NGX_OK:
        ngx_rbl_stream_next(ctx);
        return;

    case NGX_AGAIN:
        ngx_rbl_watch(ctx->request);
        return;

    default:
        ngx_rbl_internal(ctx);
        ngx_rbl_finish(ctx);
    }
}
