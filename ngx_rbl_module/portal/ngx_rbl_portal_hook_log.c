/*
 * webhook/log, contact/log: the attempts of deliveries to a receiver or
 * contact.  webhook/dead: the dead letters of a receiver, one page per call.
 * All with the newest first.
 */

#include "ngx_rbl_portal_hook.h"
#include "ngx_rbl_write.h"
#include "ngx_rbl_api.h"

#define NGX_RBL_LOG_LAST    20          /* default */
#define NGX_RBL_LOG_SMALL   100         /* more are read on the slow link */
#define NGX_RBL_LOG_GUESS   512         /* octets of an attempt */
#define NGX_RBL_LOG_AGE     (RBL_HOOK_DAYS_MAX * (int64_t) 86400000)    /* ms */
#define NGX_RBL_DEAD_MAX    100         /* dead letters of a page */
#define NGX_RBL_DEAD_GUESS  256

enum {                                  /* fields */
    NGX_RBL_LOG_N = 0,
    NGX_RBL_DEAD_BEFORE
};

typedef struct {
    rbl_sid_t   sid;
    int64_t     last;
    rbl_str_t   before;
} ngx_rbl_hook_log_t;


static const ngx_rbl_field_t  ngx_rbl_hook_log_fields[] = {
    NGX_RBL_TEXT("last", 0, NULL, 0),
    NGX_RBL_END
};

static const ngx_rbl_field_t  ngx_rbl_hook_dead_fields[] = {
    NGX_RBL_TEXT("last", 0, NULL, 0),
    NGX_RBL_TEXT("before", 0, NULL, 0),
    NGX_RBL_END
};


/* Reads the id and how many are wanted; NULL: refused. */

static ngx_rbl_hook_log_t *
ngx_rbl_hook_last(ngx_rbl_ctx_t *ctx, int64_t max)
{
    rbl_str_t            text;
    ngx_rbl_hook_log_t  *log;

    log = ngx_rbl_data(ctx, sizeof(ngx_rbl_hook_log_t));
    if (log == NULL) {
        return NULL;
    }

    log->last = NGX_RBL_LOG_LAST;
    text = ngx_rbl_text(ctx, NGX_RBL_LOG_N);

    if (text.p != NULL && rbl_int_parse(&log->last, text, 1, max) != RBL_OK) {
        ngx_rbl_invalid(ctx, "last");
        return NULL;
    }

    return ngx_rbl_owned_ask(ctx, &log->sid) == NGX_OK ? log : NULL;
}


static void
ngx_rbl_hook_log_prepare(ngx_rbl_ctx_t *ctx)
{
    (void) ngx_rbl_hook_last(ctx, RBL_HOOK_LOG_MAX);
}


static void
ngx_rbl_hook_log_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    (void) ngx_rbl_owned_found(ctx, reply);
}


static void
ngx_rbl_hook_log_proceed(ngx_rbl_ctx_t *ctx)
{
    char                 from[RBL_OUT_INT];
    rbl_key_t            key;
    ngx_rbl_batch_t     *batch;
    ngx_rbl_hook_log_t  *log;

    log = ctx->data;

    batch = ngx_rbl_next(ctx);
    if (batch == NULL) {
        return;
    }

    ngx_rbl_batch_command(batch, RBL_COMMAND("LRANGE",
        rbl_account_key(&key, ngx_rbl_store_keyspace(ctx->store), "log",
                        rbl_sid_str(&ctx->account), rbl_sid_str(&log->sid)),
        rbl_out_int_text(from, -log->last), RBL_STR("-1")));

    if (log->last > NGX_RBL_LOG_SMALL) {
        ngx_rbl_slow(ctx);
    }
}


/* Damaged and old entries are left out.  A test is sent once.  A receiver may
   answer with what it got, and its URL and headers may be secret. */

static void
ngx_rbl_hook_try(ngx_rbl_ctx_t *ctx, rbl_str_t raw)
{
    rbl_try_t    t;
    rbl_doc_t   *doc;
    ngx_uint_t   again;

    if (rbl_try_decode(&t, raw) != RBL_OK
        || t.at <= ngx_rbl_now() - NGX_RBL_LOG_AGE)
    {
        return;
    }

    doc = &ctx->doc;
    again = (rbl_str_is(t.outcome, "retry") || rbl_str_is(t.outcome, "unsure"))
            && !rbl_str_is(t.type, RBL_HOOK_TEST_TYPE)
            && !rbl_str_is(t.type, NGX_RBL_CONTACT_TEST);

    rbl_doc_object(doc, NULL);
    ngx_rbl_hook_at(ctx, "time", t.at);
    rbl_doc_str(doc, "event", t.event);
    rbl_doc_str(doc, "type", t.type);
    rbl_doc_int(doc, "attempt", t.number);
    rbl_doc_str(doc, "outcome", t.outcome);
    rbl_doc_int(doc, "http", t.status);
    rbl_doc_int(doc, "ms", t.took);
    ngx_rbl_hook_at(ctx, "next", again ? t.at + t.next : 0);
    rbl_doc_str(doc, "error", t.error);
    rbl_doc_str(doc, "answer", t.answer.n == 0 || ngx_rbl_sees_path(ctx)
                               ? t.answer : RBL_STR("****"));
    rbl_doc_close(doc);
}


static void
ngx_rbl_hook_log_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    size_t  n;

    n = rbl_reply_len(reply);

    ngx_rbl_open(ctx, n * NGX_RBL_LOG_GUESS, "OK");
    rbl_doc_array(&ctx->doc, "data");

    while (n-- > 0) {
        ngx_rbl_hook_try(ctx, rbl_reply_str(rbl_reply_at(reply, n)));
    }

    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_delivery_log = {
    .fields = ngx_rbl_hook_log_fields,
    .prepare = ngx_rbl_hook_log_prepare,
    .read = ngx_rbl_hook_log_read,
    .proceed = ngx_rbl_hook_log_proceed,
    .result = ngx_rbl_hook_log_result
};


static void
ngx_rbl_hook_dead_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_hook_log_t  *log;

    log = ngx_rbl_hook_last(ctx, NGX_RBL_DEAD_MAX);
    if (log == NULL) {
        return;
    }

    log->before = ngx_rbl_text(ctx, NGX_RBL_DEAD_BEFORE);

    if (log->before.p == NULL) {
        log->before = RBL_STR("");

    } else if (!ngx_rbl_letter_id(log->before)) {
        ngx_rbl_invalid(ctx, "before");
    }
}


static void
ngx_rbl_hook_dead_proceed(ngx_rbl_ctx_t *ctx)
{
    char                   most[RBL_OUT_INT];
    rbl_key_t              key;
    ngx_rbl_batch_t       *batch;
    ngx_rbl_hook_log_t    *log;
    rbl_hook_dead_args_t   args;

    log = ctx->data;

    batch = ngx_rbl_next(ctx);
    if (batch == NULL) {
        return;
    }

    args.acct = rbl_account_key(&key, ngx_rbl_store_keyspace(ctx->store),
                                "acct", rbl_sid_str(&ctx->account),
                                RBL_STR(""));
    args.of = rbl_sid_str(&log->sid);
    args.before = log->before;
    args.most = rbl_out_int_text(most, log->last);

    ngx_rbl_batch_script(batch, &rbl_script_hook_dead, RBL_ARGC(args),
                         args.argv);
    ngx_rbl_slow(ctx);
}


/* The id begins with the time (ms). */

static void
ngx_rbl_hook_letter(ngx_rbl_ctx_t *ctx, const rbl_hook_dead_letter_t *letter)
{
    int64_t     at;
    rbl_str_t   ms;
    rbl_doc_t  *doc;

    ms = letter->id;
    ms.n = strcspn(ms.p ? ms.p : "", "-");

    if (rbl_int_parse(&at, ms, 0, INT64_MAX) != RBL_OK) {
        at = 0;
    }

    doc = &ctx->doc;

    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "id", letter->id);
    ngx_rbl_hook_at(ctx, "time", at);
    rbl_doc_str(doc, "event", letter->event);
    rbl_doc_str(doc, "type", letter->type);
    rbl_doc_int(doc, "attempts", letter->attempts);
    rbl_doc_int(doc, "http", letter->status);
    rbl_doc_str(doc, "error", letter->error);
    rbl_doc_int(doc, "kept", letter->kept);
    rbl_doc_close(doc);
}


static void
ngx_rbl_hook_dead_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    size_t                   k, n;
    rbl_hook_dead_reply_t    said;
    rbl_hook_dead_letter_t   letter;

    rbl_hook_dead_reply(&said, reply);

    if (said.word != RBL_HOOK_DEAD_OK) {
        ngx_rbl_internal(ctx);
        return;
    }

    n = rbl_reply_len(said.letters);

    ngx_rbl_open(ctx, n * NGX_RBL_DEAD_GUESS, "OK");
    rbl_doc_str(&ctx->doc, "next", said.before);
    rbl_doc_array(&ctx->doc, "data");

    for (k = 0; k < n; k++) {
        rbl_hook_dead_letter(&letter, rbl_reply_at(said.letters, k));
        ngx_rbl_hook_letter(ctx, &letter);
    }

    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_hook_dead = {
    .fields = ngx_rbl_hook_dead_fields,
    .prepare = ngx_rbl_hook_dead_prepare,
    .read = ngx_rbl_hook_log_read,
    .proceed = ngx_rbl_hook_dead_proceed,
    .result = ngx_rbl_hook_dead_result
};
