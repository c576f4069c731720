/*
 * Operations: reads the fields of a call by its table, sends its script,
 * answers.
 */

#include "ngx_rbl_write.h"

#include "rbl_view.h"


static void *
ngx_rbl_run_alloc(rbl_run_t *run, size_t n)
{
    void           *p;
    ngx_rbl_ctx_t  *ctx;

    ctx = ngx_rbl_of(run);
    p = ngx_palloc(ctx->request->pool, n);

    if (p == NULL) {
        ngx_rbl_internal(ctx);
    }

    return p;
}


static void
ngx_rbl_run_note(rbl_run_t *run, const char *text)
{
    ngx_log_error(NGX_LOG_ERR, ngx_rbl_of(run)->request->connection->log, 0,
                  "rbl: %s", text);
}


static void
ngx_rbl_run_refuse(rbl_run_t *run, unsigned status, const char *text)
{
    ngx_rbl_ctx_t  *ctx;

    ctx = ngx_rbl_of(run);

    if (status == NGX_HTTP_INTERNAL_SERVER_ERROR) {
        ngx_rbl_run_note(run, text);
        ngx_rbl_internal(ctx);
        return;
    }

    ngx_rbl_refuse(ctx, status, "%s", text);
}


static const rbl_runner_t  ngx_rbl_runner = {
    ngx_rbl_run_alloc,
    ngx_rbl_run_refuse,
    ngx_rbl_run_note
};


void
ngx_rbl_run_begin(ngx_rbl_ctx_t *ctx)
{
    unsigned             refusal;
    rbl_run_t           *run;
    const ngx_rbl_op_t  *op;

    run = &ctx->run;
    op = ctx->route->op;
    refusal = run->refusal;

    ngx_memzero(run, sizeof(rbl_run_t));

    run->refusal = refusal;
    run->by = &ngx_rbl_runner;
    run->fields = op->op ? op->op->fields : op->fields;
    run->script = op->op ? op->op->script : op->script;
    run->now = ngx_rbl_now();
    run->page_most = ctx->conf->max_page_size;
}


void
ngx_rbl_write_fields(ngx_rbl_ctx_t *ctx)
{
    (void) rbl_run_fields(&ctx->run);
}


void
ngx_rbl_write_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_str_t                path;
    rbl_run_t               *run;
    const char              *value;
    const ngx_rbl_op_t      *op;
    const ngx_rbl_family_t  *family;

    run = &ctx->run;

    if (rbl_run_fields(run) != 0) {
        return;
    }

    op = ctx->route->op;
    family = ctx->route->family;
    path = ctx->route->path;
    value = op->op ? op->op->value : op->value;

    if (path.data[path.len - 1] == '/') {
        (void) ngx_rbl_path_sid(ctx, family->kind, family->resource, &run->id);

    } else if ((op->op == NULL || op->op->makes)
               && rbl_sid_make(&run->id, family->kind) != RBL_OK)
    {
        ngx_rbl_internal(ctx);
    }

    if (run->id.n > 0) {
        run->argv[RBL_ARG_ID] = rbl_sid_str(&run->id);
    }

    if (value) {
        run->argv[RBL_ARG_VALUE] = rbl_str(value);
    }

    if (run->refusal == 0 && op->op) {
        (void) rbl_op_prepare(run, op->op);
    }
}


void
ngx_rbl_write_proceed(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t           *argv;
    const rbl_script_t  *script;

    script = ctx->run.script;
    argv = rbl_run_argv(&ctx->run);

    if (argv == NULL) {
        return;
    }

    ngx_rbl_call(ctx, script, script->argc + (int) ctx->run.n_rest, argv);

    if (ctx->route->op->op && ctx->route->op->op->slow) {
        ngx_rbl_slow(ctx);
    }
}


void
ngx_rbl_write_result(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    const rbl_op_t          *op;
    const ngx_rbl_family_t  *family;

    op = ctx->route->op->op;
    family = ctx->route->family;

    ngx_rbl_open(ctx, op && op->answer && family ? family->guess : 0,
                 op ? op->message : ctx->route->op->message);

    if (op && op->answer) {
        ctx->run.account = rbl_sid_str(&ctx->account);
        ctx->run.timezone = ctx->timezone;
        ctx->run.path = ngx_rbl_sees_path(ctx);
        ctx->run.view = ngx_rbl_host_view(ctx);
        ctx->run.stopped = ngx_rbl_stopped(ctx);
        op->answer(&ctx->run, &ctx->doc, reply);
    }

    ngx_rbl_close(ctx);
}


void
ngx_rbl_write_added(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    const ngx_rbl_family_t  *family;

    family = ctx->route->family;

    ngx_rbl_open(ctx, family->guess, ctx->route->op->message);

    if (family->write(ctx, "data", rbl_reply_str(rbl_reply_rest(reply)))) {
        ngx_rbl_close(ctx);
    }
}
