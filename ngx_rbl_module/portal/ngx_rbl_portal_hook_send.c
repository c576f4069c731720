/*
 * webhook/test: queues an event for one receiver.  webhook/replay: queues dead
 * letters of a receiver again, one slice of them per call.
 */

#include "ngx_rbl_portal_hook.h"
#include "ngx_rbl_write.h"

#define NGX_RBL_TESTS_MOST  "20"        /* events that may wait for a receiver
                                           when a test is sent */

#define NGX_RBL_TEST_BODY  1024         /* more than any test event has */

#define NGX_RBL_LETTER_ID  42           /* "(", two numbers, "-" */

enum {                                  /* fields of replay */
    NGX_RBL_REPLAY_EVENT = 0,
    NGX_RBL_REPLAY_FROM,
    NGX_RBL_REPLAY_TO,
    NGX_RBL_REPLAY_ALL,
    NGX_RBL_REPLAY_AFTER
};


static ngx_int_t
ngx_rbl_replay_event(ngx_rbl_ctx_t *ctx, rbl_str_t *text)
{
    char       *room;
    rbl_sid_t   sid;

    if (rbl_sid_parse(&sid, RBL_SID_EVENT, *text) != RBL_OK) {
        return NGX_DECLINED;
    }

    room = ngx_rbl_room(ctx, RBL_SID_LEN);
    if (room == NULL) {
        return NGX_DECLINED;
    }

    ngx_memcpy(room, sid.s, RBL_SID_LEN);
    text->p = room;
    text->n = RBL_SID_LEN;

    return NGX_OK;
}


static ngx_int_t
ngx_rbl_replay_time(ngx_rbl_ctx_t *ctx, rbl_str_t *text)
{
    char     *room;
    int64_t   ms;

    room = ngx_rbl_room(ctx, ngx_max(text->n + 1, RBL_OUT_INT));
    if (room == NULL) {
        return NGX_DECLINED;
    }

    ngx_memcpy(room, text->n ? text->p : "", text->n);
    room[text->n] = '\0';

    if (rbl_hook_time(&ms, room) != RBL_OK || ms < 0) {
        return NGX_DECLINED;
    }

    *text = rbl_out_int_text(room, ms);

    return NGX_OK;
}


/* The id of a letter, "1795167000000-0": the letters behind it. */

static ngx_int_t
ngx_rbl_replay_after(ngx_rbl_ctx_t *ctx, rbl_str_t *text)
{
    char  *room;

    if (!ngx_rbl_letter_id(*text)) {
        return NGX_DECLINED;
    }

    room = ngx_rbl_room(ctx, NGX_RBL_LETTER_ID);
    if (room == NULL) {
        return NGX_DECLINED;
    }

    room[0] = '(';
    ngx_memcpy(room + 1, text->p, text->n);
    text->p = room;
    text->n++;

    return NGX_OK;
}


/* from, to and after become the ids that XRANGE takes. */

static const ngx_rbl_field_t  ngx_rbl_replay_fields[] = {
    NGX_RBL_TEXT("event", 0, ngx_rbl_replay_event,
                 NGX_RBL_ARG(hook_replay, event)),
    NGX_RBL_TEXT("from", 0, ngx_rbl_replay_time,
                 NGX_RBL_ARG(hook_replay, from)),
    NGX_RBL_TEXT("to", 0, ngx_rbl_replay_time, NGX_RBL_ARG(hook_replay, to)),
    NGX_RBL_TEXT("all", 0, ngx_rbl_flag, 0),
    NGX_RBL_TEXT("after", 0, ngx_rbl_replay_after,
                 NGX_RBL_ARG(hook_replay, from)),
    NGX_RBL_END
};


static void
ngx_rbl_hook_test_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_write_t  *write;

    ngx_rbl_test_prepare(ctx, RBL_HOOK_TEST_TYPE, rbl_hook_test_body);

    if (ctx->refusal == 0) {
        write = ctx->data;
        write->argv[NGX_RBL_ARG(hook_test, most)] = RBL_STR(NGX_RBL_TESTS_MOST);
    }
}


const ngx_rbl_op_t  ngx_rbl_op_hook_test = {
    .script = &rbl_script_hook_test,
    .prepare = ngx_rbl_hook_test_prepare,
    .result = ngx_rbl_tested,
    .message = "Test event queued successfully."
};


/* One of event, from and all says which letters are meant. */

static ngx_int_t
ngx_rbl_replay_span(ngx_rbl_ctx_t *ctx)
{
    int               all;
    char             *room;
    ngx_uint_t        from, which;
    ngx_rbl_write_t  *write;

    write = ctx->data;

    if (rbl_flag_parse(&all, ngx_rbl_text(ctx, NGX_RBL_REPLAY_ALL))
        != RBL_OK)
    {
        all = 0;
    }

    from = ngx_rbl_text(ctx, NGX_RBL_REPLAY_FROM).p != NULL;
    which = all + from + (ngx_rbl_text(ctx, NGX_RBL_REPLAY_EVENT).p != NULL);

    if (which != 1
        || (ngx_rbl_text(ctx, NGX_RBL_REPLAY_TO).p != NULL && !from))
    {
        ngx_rbl_refuse(ctx, NGX_HTTP_BAD_REQUEST,
                       "Give an event, or all, or from and perhaps to.");
        return NGX_DECLINED;
    }

    if (write->argv[NGX_RBL_ARG(hook_replay, from)].n == 0) {
        write->argv[NGX_RBL_ARG(hook_replay, from)] = RBL_STR("0");
    }

    if (write->argv[NGX_RBL_ARG(hook_replay, to)].n == 0) {
        room = ngx_rbl_room(ctx, RBL_OUT_INT);
        if (room == NULL) {
            return NGX_DECLINED;
        }

        write->argv[NGX_RBL_ARG(hook_replay, to)] =
            rbl_out_int_text(room, ngx_rbl_now() + 999);
    }

    return NGX_OK;
}


static void
ngx_rbl_replay_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_write_t  *write;

    ngx_rbl_write_prepare(ctx);

    if (ctx->refusal == 0 && ngx_rbl_replay_span(ctx) == NGX_OK) {
        write = ctx->data;
        write->argv[NGX_RBL_ARG(hook_replay, most)] = RBL_STR(RBL_HOOK_SLICE);
    }
}


static void
ngx_rbl_replay_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_write_proceed(ctx);
    ngx_rbl_slow(ctx);
}


static void
ngx_rbl_replayed(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    rbl_hook_replay_reply_t  said;

    rbl_hook_replay_reply(&said, reply);

    ngx_rbl_open(ctx, 0, ctx->route->op->message);
    rbl_doc_object(&ctx->doc, "data");
    rbl_doc_int(&ctx->doc, "deliveries", said.n);
    rbl_doc_str(&ctx->doc, "next", said.last);
    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_hook_replay = {
    .script = &rbl_script_hook_replay,
    .fields = ngx_rbl_replay_fields,
    .prepare = ngx_rbl_replay_prepare,
    .proceed = ngx_rbl_replay_proceed,
    .result = ngx_rbl_replayed,
    .message = "Dead letters queued successfully."
};


static ngx_int_t
ngx_rbl_test_body(ngx_rbl_ctx_t *ctx, const rbl_sid_t *event,
    void (*write)(rbl_out_t *out, const rbl_sid_t *event, int64_t now),
    rbl_str_t *body)
{
    char       *room;
    rbl_out_t   out;

    room = ngx_pnalloc(ctx->request->pool, NGX_RBL_TEST_BODY);
    if (room == NULL) {
        return NGX_ERROR;
    }

    out = (rbl_out_t) { room, room + NGX_RBL_TEST_BODY, NULL, 0 };
    write(&out, event, ngx_rbl_now());

    body->p = room;
    body->n = out.pos - room;

    return out.failed ? NGX_ERROR : NGX_OK;
}


void
ngx_rbl_test_prepare(ngx_rbl_ctx_t *ctx, const char *type,
    void (*body)(rbl_out_t *out, const rbl_sid_t *event, int64_t now))
{
    rbl_sid_t  *event;
    rbl_str_t  *argv;

    ngx_rbl_write_prepare(ctx);

    if (ctx->refusal != 0) {
        return;
    }

    argv = ((ngx_rbl_write_t *) ctx->data)->argv;
    event = ngx_palloc(ctx->request->pool, sizeof(rbl_sid_t));

    if (event == NULL || rbl_sid_make(event, RBL_SID_EVENT) != RBL_OK
        || ngx_rbl_test_body(ctx, event, body,
                             &argv[NGX_RBL_ARG(hook_test, body)])
           != NGX_OK)
    {
        ngx_rbl_internal(ctx);
        return;
    }

    argv[NGX_RBL_ARG(hook_test, event)] = rbl_sid_str(event);
    argv[NGX_RBL_ARG(hook_test, type)] = rbl_str(type);
}


void
ngx_rbl_tested(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_write_t  *write;

    write = ctx->data;

    ngx_rbl_open(ctx, 0, ctx->route->op->message);
    rbl_doc_object(&ctx->doc, "data");
    rbl_doc_str(&ctx->doc, "event", write->argv[NGX_RBL_ARG(hook_test, event)]);
    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


ngx_uint_t
ngx_rbl_letter_id(rbl_str_t text)
{
    int64_t      n;
    rbl_str_t    ms, seq;
    const char  *dash;

    dash = text.n ? memchr(text.p, '-', text.n) : NULL;

    if (dash == NULL) {
        return 0;
    }

    ms.p = text.p;
    ms.n = dash - text.p;
    seq.p = dash + 1;
    seq.n = text.n - ms.n - 1;

    return ms.n < NGX_RBL_LETTER_ID / 2 && seq.n < NGX_RBL_LETTER_ID / 2 - 1
           && rbl_int_parse(&n, ms, 0, INT64_MAX) == RBL_OK
           && rbl_int_parse(&n, seq, 0, INT64_MAX) == RBL_OK;
}
