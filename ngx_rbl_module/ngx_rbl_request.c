/*
 * The way of a request.
 *
 *   handler -> [body] -> start -> rounds with the store -> finish
 *
 * From `start` on the request holds one reference, which the only ngx_rbl_end,
 * in finish, releases.  If the request ends before its rounds, the cleanup
 * handler cancels them; no callback follows.
 *
 * This file has the steps from the last one to the first.  The rounds are:
 *
 *   [store ready] -> [proof -> [gate]] -> first round -> [gate]
 *                 -> [second round] -> finish, or slices (ngx_rbl_stream.c)
 *
 * The first round reads account and token together with the data.  It is sent
 * at once only for credentials that recently succeeded in this worker and that
 * no rate limit applies to (ngx_rbl_login_proven).  For other credentials a
 * round of proof comes first, which reads only account and token, and a gate,
 * which counts the request if the application has limits.  So a client with a
 * wrong token, or over its limit, causes no other reads.  Calls that read no
 * data in the first round need no proof.
 *
 * Before credentials are refused, another round may read the meta data of the
 * store (ngx_rbl_unproven).
 *
 * A call that signs in has no credentials: its rounds are those that it adds.
 *
 * A request of an operator that names an account always has a round of proof,
 * in the operators' account; the other rounds act in the account named
 * (ngx_rbl_visit.c).
 *
 * The first round is repeated (ngx_rbl_again) if the worker's caches are out of
 * date, if the totals must be made, and if the page must be smaller: at most
 * once for each reason.  No request is counted twice.
 *
 * ctx->batch is the batch in flight.  Its completion resets the pointer first.
 * Its deadline ends the wait.
 */

#include "ngx_rbl_module.h"

#include "ngx_rbl_auth.h"
#include "ngx_rbl_cache.h"
#include "ngx_rbl_session.h"
#include "ngx_rbl_stream.h"
#include "ngx_rbl_usage.h"
#include "ngx_rbl_visit.h"
#include "ngx_rbl_write.h"

#include <assert.h>


#define NGX_RBL_WORK_TIME   30000       /* ms that a request waits for the
                                           work */
#define NGX_RBL_WORK_RETRY  1           /* Retry-After, s */


static ngx_int_t ngx_rbl_round(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_arrived(ngx_rbl_ctx_t *ctx);


void
ngx_rbl_wait(ngx_rbl_ctx_t *ctx)
{
    assert(ctx->batch != NULL);

    ctx->asked = ngx_current_msec;

    if (ctx->route->flags & NGX_RBL_DURABLE) {
        ngx_rbl_batch_durable(ctx->batch);
    }

    ngx_rbl_batch_submit(ctx->batch);
    ngx_rbl_watch(ctx->request);
}


void
ngx_rbl_waited(ngx_rbl_ctx_t *ctx)
{
    ngx_http_set_log_request(ctx->request->connection->log, ctx->request);

    ctx->batch = NULL;
    ctx->store_time += ngx_current_msec - ctx->asked;
}


static void
ngx_rbl_cancel(ngx_rbl_batch_t **batch)
{
    if (*batch) {
        ngx_rbl_batch_cancel(*batch);
        *batch = NULL;
    }
}


void
ngx_rbl_round_cancel(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_cancel(&ctx->batch);
    ngx_rbl_cancel(&ctx->gate);
    ngx_rbl_cancel(&ctx->next);
}


/* --- the end ------------------------------------------------------------- */

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


void
ngx_rbl_finish(ngx_rbl_ctx_t *ctx)
{
    ngx_http_request_t  *r;

    r = ctx->request;

    ngx_rbl_round_cancel(ctx);

    ngx_rbl_end(r, ngx_rbl_answer(ctx));
}


/* --- work that is too large for one script ------------------------------- */

/*
 * The script that begins a change makes all checks that can refuse, and puts
 * the rest into the account's work queue.  The request then calls work_step for
 * one slice after the other until its own item is done.  If this worker exits
 * or the client closes its connection, a daemon finishes the work.
 */

/* The request stops waiting. */

static void
ngx_rbl_work_late(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_refuse_later(ctx, NGX_HTTP_SERVICE_UNAVAILABLE, 0,
                         "The change was accepted and is not finished yet. It "
                         "will be finished, please do not try again.");
}


static void
ngx_rbl_work_step(ngx_rbl_ctx_t *ctx)
{
    char                  id[RBL_OUT_INT];
    rbl_work_step_args_t  args;

    args.id = rbl_out_int_text(id, ctx->work);

    ngx_rbl_run(ctx, work_step, &args, 0);
    ngx_rbl_slow(ctx);
}


/* Handles a script's reply WORK (work is left; its id) or BUSY (refused,
   because too much work waits).  NGX_DECLINED: another word.  Each round does
   one slice of the work; then `result` gets the reply of the last slice and the
   replies of the rounds that it begins. */

static ngx_int_t
ngx_rbl_work_begin(ngx_rbl_ctx_t *ctx, rbl_str_t word, const redisReply *reply)
{
    if (rbl_str_is(word, "BUSY")) {
        ngx_rbl_refuse_later(ctx, NGX_HTTP_TOO_MANY_REQUESTS,
                             NGX_RBL_WORK_RETRY,
                             "Too many changes of many records wait for this "
                             "account. Nothing was changed, please try again.");
        return NGX_OK;
    }

    if (!rbl_str_is(word, "WORK")) {
        return NGX_DECLINED;
    }

    ctx->work = rbl_reply_number(reply);
    ctx->work_until = ngx_current_msec + NGX_RBL_WORK_TIME;
    ctx->working = 1;

    ngx_rbl_work_step(ctx);

    return NGX_OK;
}


/* Handles the reply of a slice.  NGX_OK: the work is over. */

static ngx_int_t
ngx_rbl_work_reply(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    rbl_work_step_reply_t  said;

    rbl_work_step_reply(&said, reply);

    switch (said.word) {

    case RBL_WORK_STEP_OK:
        break;

    case RBL_WORK_STEP_KIND:
        ngx_rbl_work_late(ctx);
        return NGX_DECLINED;

    default:
        ngx_log_error(NGX_LOG_ERR, ctx->request->connection->log, 0,
                      "rbl: work of the account cannot be done: %*s",
                      said.why.n, said.why.p);
        ngx_rbl_internal(ctx);
        return NGX_ERROR;
    }

    if (said.over) {
        ctx->working = 0;
        ctx->worked = 1;
        return NGX_OK;
    }

    if ((ngx_msec_int_t) (ctx->work_until - ngx_current_msec) <= 0) {
        ngx_rbl_work_late(ctx);
        return NGX_DECLINED;
    }

    ngx_rbl_work_step(ctx);

    return NGX_AGAIN;
}


/* --- the store gives no answer ------------------------------------------- */

/* The store, or the part of it that the call needs.  The answer tells whether
   the call has changed something, so that the client knows whether to repeat
   it. */

void
ngx_rbl_unavailable(ngx_rbl_ctx_t *ctx, ngx_rbl_store_rc_e rc)
{
    if (ctx->worked) {
        ngx_rbl_refuse_later(ctx, NGX_HTTP_SERVICE_UNAVAILABLE, 0,
                             "The store gave no answer that can be used. The "
                             "change was made.");
        return;
    }

    if (ctx->working) {
        ngx_rbl_work_late(ctx);
        return;
    }

    if (ctx->partly) {
        ngx_rbl_refuse(ctx, NGX_HTTP_SERVICE_UNAVAILABLE,
                       "The store cannot be reached or is too busy. The change "
                       "was made in a part of it: please repeat the call.");
        return;
    }

    if (rc == NGX_RBL_STORE_BUSY) {
        ngx_rbl_refuse(ctx, NGX_HTTP_TOO_MANY_REQUESTS,
                       "Too many calls that take long at once: %d of this "
                       "account wait. Nothing was changed, please try again.",
                       NGX_RBL_LANE_WAITING);
        return;
    }

    if (rc == NGX_RBL_STORE_LOST && ctx->round.writes) {
        ngx_rbl_refuse(ctx, NGX_HTTP_SERVICE_UNAVAILABLE,
                       "The store gave no answer that can be used. The outcome "
                       "is unknown: please look before you try again.");
        return;
    }

    ngx_rbl_refuse(ctx, NGX_HTTP_SERVICE_UNAVAILABLE,
                   "The store cannot be reached. Nothing was changed, "
                   "please try again.");
}


/* --- the second round ---------------------------------------------------- */

/* 1: the script has succeeded; 0: the call is refused. */

static int
ngx_rbl_script_done(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    rbl_str_t        word;
    const rbl_op_t  *op;

    word = rbl_reply_word(reply);

    if (rbl_str_is(word, "OK")) {
        return 1;
    }

    if (rbl_str_is(word, "ACCOUNT")) {
        ngx_rbl_unauthorized(ctx);

    } else if (ngx_rbl_work_begin(ctx, word, reply) != NGX_OK) {
        op = ctx->route->op->op;
        ngx_rbl_refuse_by(ctx, op ? op->refusals
                                  : ctx->route->family->refusals, reply);
    }

    return 0;
}


static void
ngx_rbl_second_reply(void *data, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_ctx_t       *ctx = data;
    const ngx_rbl_op_t  *op;

    op = ctx->route->op;

    if (ctx->round.again) {
        ngx_rbl_totals_made(ctx, reply);
        return;
    }

    if (ctx->run.refusal != 0
        || (ctx->working && ngx_rbl_work_reply(ctx, reply) != NGX_OK)
        || (ctx->run.script != NULL && !ctx->worked
            && !ngx_rbl_script_done(ctx, reply)))
    {
        return;
    }

    if (op->result != NULL) {
        op->result(ctx, i, reply);
        return;
    }

    ngx_rbl_write_result(ctx, reply);
}


static void
ngx_rbl_second_done(void *data, ngx_rbl_store_rc_e rc)
{
    ngx_rbl_ctx_t  *ctx = data;

    if (rc != NGX_RBL_STORE_OK
        && (ctx->route->op->failed == NULL || ctx->run.refusal != 0
            || ctx->route->op->failed(ctx) != NGX_OK))
    {
        ngx_rbl_unavailable(ctx, rc);
    }

    ngx_rbl_arrived(ctx);
}


/* The change was made and answered before. */

static void
ngx_rbl_after_done(void *data, ngx_rbl_store_rc_e rc)
{
    ngx_rbl_arrived(data);
}


/* --- the first round, the round of proof, the gate ----------------------- */

/* The store has become ready, or has not in time. */

static void
ngx_rbl_ready(void *data, ngx_rbl_store_rc_e rc)
{
    ngx_rbl_ctx_t  *ctx = data;

    ctx->batch = NULL;

    if (rc != NGX_RBL_STORE_OK) {
        ngx_rbl_unavailable(ctx, NGX_RBL_STORE_AWAY);

    } else if (ngx_rbl_round(ctx) != NGX_OK) {
        ngx_rbl_internal(ctx);

    } else {
        ngx_http_set_log_request(ctx->request->connection->log, ctx->request);
        ngx_rbl_wait(ctx);
        return;
    }

    ngx_rbl_round_cancel(ctx);
    ngx_rbl_arrived(ctx);
}


/* The first round of a call without credentials: what the call adds, or nothing
   if it is refused. */

static ngx_int_t
ngx_rbl_sign_in(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_run_begin(ctx);

    if (ngx_rbl_params_parse(ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    if (ctx->run.refusal == 0) {
        ctx->route->op->prepare(ctx);
    }

    if (ctx->run.refusal == 0) {
        ctx->batch = ctx->next;
        ctx->next = NULL;

    } else {
        ctx->batch = ngx_rbl_batch_create(ctx->store, NULL,
                                          ngx_rbl_second_done, ctx);
    }

    return ctx->batch ? NGX_OK : NGX_ERROR;
}


/* True if the account may get an answer and nothing was refused so far. */

static ngx_int_t
ngx_rbl_admitted(const ngx_rbl_ctx_t *ctx)
{
    return ctx->round.authenticated && !ctx->suspended && !ctx->denied
           && ctx->run.refusal == 0;
}


/* With `records`, the calls of `read` precede authentication. */

static void
ngx_rbl_first_reply(void *data, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_ctx_t       *ctx = data;
    const ngx_rbl_op_t  *op;

    op = ctx->route->op;

    if (ctx->round.proving) {
        ngx_rbl_auth_reply(ctx, reply);
        return;
    }

    if (i < ctx->round.account_at) {
        if (ctx->run.refusal == 0) {
            op->read(ctx, i, reply);
        }

        return;
    }

    if (i > ctx->round.account_at) {
        if (ngx_rbl_admitted(ctx)) {
            op->read(ctx, i - 1, reply);
        }

        return;
    }

    ngx_rbl_auth_reply(ctx, reply);

    if (op->records && ngx_rbl_admitted(ctx)) {
        op->records(ctx, ctx->round.n_records,
                    reply->element + ctx->n_auth);
    }
}


static void
ngx_rbl_meta_done(void *data, ngx_rbl_store_rc_e rc)
{
    ngx_rbl_unproven_done(data);
    ngx_rbl_arrived(data);
}


/* Refuses what the plan of the account or the role of the user forbids. */

static void
ngx_rbl_allowed(ngx_rbl_ctx_t *ctx)
{
    if (ctx->route->family && ctx->route->family->paid && !ctx->paid) {
        ngx_rbl_refuse(ctx, NGX_HTTP_FORBIDDEN,
                       "This call is for accounts on a paid plan.");
    }

    if (ctx->conf->portal) {
        ngx_rbl_session_may(ctx);
    }
}


static void
ngx_rbl_proceed(ngx_rbl_ctx_t *ctx)
{
    const ngx_rbl_op_t  *op;

    op = ctx->route->op;

    if (ctx->run.refusal != 0 || ctx->round.proving) {
        return;
    }

    if (op->proceed) {
        op->proceed(ctx);

    } else if (ctx->run.script) {
        ngx_rbl_write_proceed(ctx);
    }
}


static void
ngx_rbl_gate_reply(void *data, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_admit_reply(data, reply);
}


static void
ngx_rbl_gate_done(void *data, ngx_rbl_store_rc_e rc)
{
    ngx_rbl_ctx_t  *ctx = data;

    /* AWAY even if the request was counted: it has changed nothing.  A session
       may be read although it cannot be kept alive; a visit must be logged. */

    if (rc != NGX_RBL_STORE_OK
        && (!ctx->conf->portal || ctx->actor.n
            || ctx->route->method != NGX_HTTP_GET))
    {
        ngx_rbl_unavailable(ctx, NGX_RBL_STORE_AWAY);
    }

    ctx->admitted = 1;
    ngx_rbl_proceed(ctx);
    ngx_rbl_arrived(ctx);
}


/*
 * The request is authenticated.  A request that must be counted does nothing
 * before it is counted: a range would create a thousand hosts.
 */

static void
ngx_rbl_known(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_share_seen(ctx->store, &ctx->account);

    if (ctx->visiting) {
        ngx_rbl_visit_judge(ctx);

    } else {
        ngx_rbl_allowed(ctx);
    }

    if (!ctx->round.limited || ctx->admitted) {
        ngx_rbl_proceed(ctx);
        return;
    }

    ctx->gate = ngx_rbl_batch_create(ctx->store, ngx_rbl_gate_reply,
                                     ngx_rbl_gate_done, ctx);

    if (ctx->gate == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    ngx_rbl_admit_ask(ctx, ctx->gate);
}


static void
ngx_rbl_first_done(void *data, ngx_rbl_store_rc_e rc)
{
    ngx_rbl_ctx_t  *ctx = data;

    if (rc != NGX_RBL_STORE_OK) {
        ngx_rbl_unavailable(ctx, rc);

    } else if (ctx->round.again) {

        /* not authenticated yet, or the round is repeated */

    } else if (!ctx->round.authenticated && ctx->actor.n) {
        ngx_rbl_unknown_id(ctx, "account");

    } else if (!ctx->round.authenticated) {
        ngx_rbl_unproven(ctx, ngx_rbl_meta_done);

    } else if (ctx->suspended) {
        ngx_rbl_refuse(ctx, NGX_HTTP_FORBIDDEN, "The account is suspended.");

    } else if (ctx->denied) {
        ngx_rbl_refuse(ctx, NGX_HTTP_FORBIDDEN,
                       "The application may not be used from this address.");

    } else {
        ngx_rbl_known(ctx);
    }

    ngx_rbl_arrived(ctx);
}


/* An error in the fields stays in ctx->run.refusal until the account is
   authenticated and may see it. */

static ngx_int_t
ngx_rbl_first(ngx_rbl_ctx_t *ctx)
{
    const ngx_rbl_op_t  *op;

    op = ctx->route->op;
    ngx_rbl_run_begin(ctx);

    if (ngx_rbl_params_parse(ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    if (op->records == NULL) {
        ngx_rbl_auth_ask(ctx);
    }

    if (ctx->run.refusal == 0 && op->prepare) {
        op->prepare(ctx);

    } else if (ctx->run.refusal == 0 && ctx->run.script) {
        ngx_rbl_write_prepare(ctx);
    }

    if (op->records) {
        ngx_rbl_auth_ask(ctx);
    }

    return NGX_OK;
}


/* Builds the first round or the round of proof.  If the store is not ready, the
   number of partitions is unknown and no key can be built; an empty batch waits
   for it. */

static ngx_int_t
ngx_rbl_round(ngx_rbl_ctx_t *ctx)
{
    assert(ctx->batch == NULL);

    if (!ngx_rbl_store_ready(ctx->store)) {
        ctx->batch = ngx_rbl_batch_create(ctx->store, NULL, ngx_rbl_ready,
                                          ctx);

        return ctx->batch ? NGX_OK : NGX_ERROR;
    }

    if (ctx->route->flags & NGX_RBL_SIGN_IN) {
        return ngx_rbl_sign_in(ctx);
    }

    ctx->batch = ngx_rbl_batch_create(ctx->store, ngx_rbl_first_reply,
                                      ngx_rbl_first_done, ctx);

    if (ctx->batch == NULL) {
        return NGX_ERROR;
    }

    ctx->round.proving = !ctx->proved
                         && (ctx->visiting
                             || (ctx->route->op->read != NULL
                                 && !ngx_rbl_login_proven(ctx)));

    if (ctx->round.proving) {
        ctx->round.counted = !ctx->visiting && ngx_rbl_totals_stamped(ctx);
        ngx_rbl_auth_ask(ctx);
        return NGX_OK;
    }

    return ngx_rbl_first(ctx);
}


/* Begins the first round after the round of proof, or repeats it; the state of
   the round before is discarded. */

static ngx_int_t
ngx_rbl_anew(ngx_rbl_ctx_t *ctx)
{
    ctx->repeated += ctx->round.again;
    ctx->proved |= ctx->round.proving && !ctx->round.again;

    if (ctx->proved && ctx->visiting) {
        ngx_rbl_visit_begin(ctx);
    }

    ngx_memzero(&ctx->round, sizeof(ngx_rbl_round_t));

    if (ngx_rbl_round(ctx) != NGX_OK) {
        ngx_rbl_internal(ctx);
        ngx_rbl_round_cancel(ctx);
        return NGX_ERROR;
    }

    ngx_rbl_wait(ctx);

    return NGX_OK;
}


/* A round has ended: begins the next one, or ends the request.  Called by the
   event loop. */

static void
ngx_rbl_arrived(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_batch_t   **next;
    ngx_connection_t   *c;

    c = ctx->request->connection;

    ngx_rbl_waited(ctx);

    if (ctx->gate || (ctx->next && ctx->run.refusal == 0)) {
        next = ctx->gate ? &ctx->gate : &ctx->next;
        ctx->batch = *next;
        *next = NULL;
        ngx_rbl_wait(ctx);
        return;
    }

    if ((ctx->round.again || ctx->round.proving) && ctx->run.refusal == 0
        && ngx_rbl_anew(ctx) == NGX_OK)
    {
        return;
    }

    if (ctx->stream && ctx->run.refusal == 0) {
        ngx_rbl_stream_begin(ctx);

    } else {
        ngx_rbl_finish(ctx);
    }

    ngx_http_run_posted_requests(c);
}


/* --- the beginning ------------------------------------------------------- */

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

    ctx->next_reply = ngx_rbl_second_reply;
    ctx->next_done = ngx_rbl_second_done;
    ctx->after_done = ngx_rbl_after_done;

    if (ngx_rbl_round(ctx) != NGX_OK) {
        ngx_rbl_internal(ctx);
        ngx_rbl_finish(ctx);
        return;
    }

    ngx_rbl_wait(ctx);
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


/* Makes the checks that can refuse before the body is read, or answers a call
   for everybody. */

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

    if (ctx->route->flags & NGX_RBL_OPEN) {
        ctx->route->op->prepare(ctx);
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

    if (ctx->run.refusal || ctx->route->flags & NGX_RBL_OPEN) {
        return ngx_rbl_answer(ctx);
    }

    r->main->count++;

    ngx_rbl_start(ctx);

    return NGX_DONE;
}
