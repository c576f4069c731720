/*
 * Life of a request.
 *
 *   handler -> [body] -> start -> rounds with the store -> finish
 *
 * From `start` on the request holds one reference, which the only ngx_rbl_end,
 * in finish, releases.  If the request ends before its rounds, the cleanup
 * handler cancels them; no callback follows.
 */

#include "ngx_rbl_module.h"

#include "ngx_rbl_auth.h"
#include "ngx_rbl_gather.h"
#include "ngx_rbl_session.h"
#include "ngx_rbl_stream.h"
#include "ngx_rbl_visit.h"
#include "ngx_rbl_write.h"


/* Cancels the rounds: no callback may follow. */

static void
ngx_rbl_cleanup(void *data)
{
    ngx_rbl_round_cancel(data);
    ngx_rbl_place_leave(data);
}


static void
ngx_rbl_start(ngx_rbl_ctx_t *ctx)
{
    ngx_http_cleanup_t  *cln;

    ctx->store = ngx_rbl_store_of(ctx->request);

    if (ctx->store == NULL) {
        ngx_rbl_unavailable(ctx, NGX_RBL_STORE_AWAY);
        ngx_rbl_finish(ctx);
        return;
    }

    cln = ngx_http_cleanup_add(ctx->request, 0);

    if (cln == NULL) {
        ngx_rbl_internal(ctx);
        ngx_rbl_finish(ctx);
        return;
    }

    cln->handler = ngx_rbl_cleanup;
    cln->data = ctx;

    if (ngx_rbl_round_begin(ctx) != NGX_OK) {
        ngx_rbl_internal(ctx);
        ngx_rbl_finish(ctx);
    }
}


static void
ngx_rbl_refuse_body(ngx_rbl_ctx_t *ctx, ngx_int_t rc)
{
    switch (rc) {

    case NGX_HTTP_REQUEST_ENTITY_TOO_LARGE:
        ngx_rbl_refuse(ctx, rc, "The request body is larger than %d bytes.",
                       NGX_RBL_BODY_MAX);
        break;

    case NGX_HTTP_BAD_REQUEST:
        ngx_rbl_refuse(ctx, rc, "Invalid request body.");
        break;

    default:
        ngx_rbl_refuse(ctx, NGX_HTTP_INTERNAL_SERVER_ERROR,
                       "The request body could not be read.");
    }

    /* more of the body may arrive: let the client read the response */

    ctx->request->lingering_close = 1;
}


static void
ngx_rbl_body_done(ngx_rbl_ctx_t *ctx, ngx_int_t rc)
{
    ngx_connection_t  *c;

    ctx->data = NULL;
    c = ctx->request->connection;

    if (rc == NGX_OK) {
        ngx_rbl_start(ctx);
        return;
    }

    if (c->error || c->timedout) {
        ngx_rbl_end(ctx->request, c->error ? NGX_HTTP_CLIENT_CLOSED_REQUEST
                                           : NGX_HTTP_REQUEST_TIME_OUT);
        return;
    }

    ngx_rbl_refuse_body(ctx, rc);
    ngx_rbl_finish(ctx);
}


static ngx_rbl_ctx_t *
ngx_rbl_create_ctx(ngx_http_request_t *r)
{
    ngx_rbl_ctx_t  *ctx;

    ctx = ngx_pcalloc(r->pool, sizeof(ngx_rbl_ctx_t));
    if (ctx == NULL) {
        return NULL;
    }

    ctx->request = r;
    ctx->body_done = ngx_rbl_body_done;
    ctx->conf = ngx_http_get_module_loc_conf(r, ngx_rbl_module);

    ngx_http_set_ctx(r, ctx, ngx_rbl_module);

    return ctx;
}


/* Makes the checks that can refuse before the body is read. */

static void
ngx_rbl_judge(ngx_rbl_ctx_t *ctx)
{
    ngx_int_t            rc;
    ngx_http_request_t  *r;

    r = ctx->request;

    if (ngx_rbl_route(ctx) != NGX_OK) {
        ngx_rbl_refuse(ctx, NGX_HTTP_NOT_FOUND, "Unknown path.");
        return;
    }

    ngx_rbl_run_begin(ctx);

    if (!(r->method & ctx->allow)) {
        ngx_rbl_refuse(ctx, NGX_HTTP_NOT_ALLOWED,
                       "This call is made by %s.",
                       ctx->route->method == NGX_HTTP_POST ? "POST" : "GET");
        return;
    }

    if (ctx->conf->portal && ctx->route->method == NGX_HTTP_POST) {
        ngx_rbl_session_origin(ctx);
    }

    if (ctx->run.refusal || ctx->route->flags & NGX_RBL_SIGN_IN) {
        return;
    }

    rc = ngx_rbl_auth_parse(ctx);

    if (rc == NGX_ERROR) {
        ngx_rbl_internal(ctx);
        return;
    }

    if (rc != NGX_OK) {
        ngx_log_error(NGX_LOG_INFO, r->connection->log, 0,
                      "rbl: login refused, credentials missing or malformed");
        ngx_rbl_unauthorized(ctx);
        return;
    }

    ngx_rbl_visit_named(ctx);
}


/* Counts the response before the client can see it. */

static ngx_int_t
ngx_rbl_answer(ngx_rbl_ctx_t *ctx)
{
    ngx_int_t  rc;

    rc = ngx_rbl_send_head(ctx);

    if (ctx->status) {
        ngx_rbl_gather(ctx);
    }

    if (rc == NGX_ERROR || rc > NGX_OK || ctx->request->header_only) {
        return rc;
    }

    return ngx_rbl_send_body(ctx);
}


ngx_int_t
ngx_rbl_handler(ngx_http_request_t *r)
{
    ngx_int_t       rc;
    ngx_rbl_ctx_t  *ctx;

    ngx_log_debug0(NGX_LOG_DEBUG_HTTP, r->connection->log, 0, "rbl handler");

    ctx = ngx_rbl_create_ctx(r);
    if (ctx == NULL) {
        return NGX_ERROR;
    }

    ngx_rbl_judge(ctx);

    if (ctx->run.refusal == 0 && ctx->route->method == NGX_HTTP_POST) {
        rc = ngx_rbl_body_read(ctx);

        if (rc == NGX_OK) {
            return NGX_DONE;
        }

        ngx_rbl_refuse_body(ctx, rc);
    }

    rc = ngx_http_discard_request_body(r);

    if (rc != NGX_OK) {
        ngx_rbl_refuse_body(ctx, rc);
    }

    /* the client closed the connection before or during the body */

    if (r->connection->error) {
        return NGX_HTTP_CLIENT_CLOSED_REQUEST;
    }

    if (ctx->run.refusal) {
        return ngx_rbl_answer(ctx);
    }

    r->main->count++;

    ngx_rbl_start(ctx);

    return NGX_DONE;
}


void
ngx_rbl_finish(ngx_rbl_ctx_t *ctx)
{
    ngx_http_request_t  *r;

    r = ctx->request;

    ngx_rbl_round_cancel(ctx);

    ngx_rbl_end(r, ngx_rbl_answer(ctx));
}
