/*
 * audit: the audit log of the account, for its admins and owners, one page per
 * call, newest first.
 */

#include "ngx_rbl_portal_hook.h"
#include "ngx_rbl_write.h"

#include "rbl_time.h"


#define NGX_RBL_AUDIT_LAST   50         /* default */
#define NGX_RBL_AUDIT_MAX    200        /* entries of a page */
#define NGX_RBL_AUDIT_GUESS  400        /* octets of an entry in an answer */

enum {                                  /* fields */
    NGX_RBL_AUDIT_BEFORE = 0,
    NGX_RBL_AUDIT_LIMIT,
    NGX_RBL_AUDIT_WHO,
    NGX_RBL_AUDIT_TARGET
};

typedef struct {
    rbl_str_t  before;
    int64_t    limit;
    rbl_sid_t  who, target;             /* n 0: all */
} ngx_rbl_audit_ask_t;


static const ngx_rbl_field_t  ngx_rbl_audit_fields[] = {
    NGX_RBL_TEXT("before", 0, NULL, 0),
    NGX_RBL_TEXT("limit", 0, NULL, 0),
    NGX_RBL_TEXT("who", 0, NULL, 0),
    NGX_RBL_TEXT("target", 0, NULL, 0),
    NGX_RBL_END
};


static void
ngx_rbl_audit_sid(ngx_rbl_ctx_t *ctx, ngx_uint_t field, rbl_sid_t *sid)
{
    rbl_str_t  text;

    text = ngx_rbl_text(ctx, field);

    if (text.p != NULL && rbl_audit_sid(sid, text) != RBL_OK) {
        ngx_rbl_invalid(ctx, (char *) ngx_rbl_audit_fields[field].name.data);
    }
}


static void
ngx_rbl_audit_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t             text;
    ngx_rbl_audit_ask_t  *ask;

    ask = ngx_rbl_data(ctx, sizeof(ngx_rbl_audit_ask_t));
    if (ask == NULL) {
        return;
    }

    ask->limit = NGX_RBL_AUDIT_LAST;
    text = ngx_rbl_text(ctx, NGX_RBL_AUDIT_LIMIT);

    if (text.p != NULL
        && rbl_int_parse(&ask->limit, text, 1, NGX_RBL_AUDIT_MAX) != RBL_OK)
    {
        ngx_rbl_invalid(ctx, "limit");
        return;
    }

    ask->before = ngx_rbl_text(ctx, NGX_RBL_AUDIT_BEFORE);

    if (ask->before.p != NULL && !ngx_rbl_letter_id(ask->before)) {
        ngx_rbl_invalid(ctx, "before");
        return;
    }

    ngx_rbl_audit_sid(ctx, NGX_RBL_AUDIT_WHO, &ask->who);
    ngx_rbl_audit_sid(ctx, NGX_RBL_AUDIT_TARGET, &ask->target);
}


static void
ngx_rbl_audit_proceed(ngx_rbl_ctx_t *ctx)
{
    char                    most[RBL_OUT_INT];
    ngx_rbl_audit_ask_t    *ask;
    rbl_audit_show_args_t   args;

    ask = ctx->data;

    args.before = ask->before;
    args.most = rbl_out_int_text(most, ask->limit);
    args.looks = RBL_STR(RBL_AUDIT_LOOKS);
    args.who = rbl_sid_str(&ask->who);
    args.target = rbl_sid_str(&ask->target);

    ngx_rbl_run(ctx, audit_show, &args, 0);

    ctx->round.writes = 0;              /* this script reads */
    ngx_rbl_slow(ctx);
}


static void
ngx_rbl_audit_named(ngx_rbl_ctx_t *ctx, rbl_str_t id, rbl_str_t name)
{
    rbl_doc_str(&ctx->doc, "id", id);
    rbl_doc_str(&ctx->doc, "name", name);
}


static void
ngx_rbl_audit_entry(ngx_rbl_ctx_t *ctx, const rbl_audit_t *entry)
{
    char                 time[RBL_TIME_LEN];
    rbl_doc_t           *doc;
    rbl_str_t            name, value;
    rbl_audit_fields_t   fields;

    doc = &ctx->doc;

    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "id", entry->id);
    rbl_doc_str(doc, "at", rbl_time_rfc3339(time, entry->at));
    rbl_doc_object(doc, "who");
    rbl_doc_str(doc, "kind", rbl_str(entry->kind));
    ngx_rbl_audit_named(ctx, entry->by.who, entry->by.name);
    rbl_doc_close(doc);
    rbl_doc_str(doc, "from", entry->by.from);
    rbl_doc_str(doc, "call", entry->by.call);
    rbl_doc_int(doc, "count", entry->count);
    rbl_doc_object(doc, "target");
    ngx_rbl_audit_named(ctx, entry->target, entry->target_name);
    rbl_doc_close(doc);
    rbl_doc_array(doc, "fields");

    rbl_audit_fields(&fields, entry);

    while (rbl_audit_next(&fields, &name, &value)) {
        rbl_doc_object(doc, NULL);
        rbl_doc_str(doc, "name", name);
        rbl_doc_str(doc, "value", value);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
    rbl_doc_close(doc);
}


static void
ngx_rbl_audit_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    size_t                  k, n;
    rbl_audit_t             entry;
    rbl_audit_show_reply_t  said;

    rbl_audit_show_reply(&said, reply);

    if (said.word != RBL_AUDIT_SHOW_OK) {
        ngx_rbl_internal(ctx);
        return;
    }

    n = rbl_reply_len(said.entries);

    ngx_rbl_open(ctx, n * NGX_RBL_AUDIT_GUESS, "OK");
    rbl_doc_str(&ctx->doc, "next", said.before);
    rbl_doc_array(&ctx->doc, "data");

    for (k = 0; k < n; k++) {
        if (rbl_audit_decode(&entry, rbl_reply_at(said.entries, k))
            == RBL_OK)
        {
            ngx_rbl_audit_entry(ctx, &entry);
        }
    }

    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_audit = {
    .fields = ngx_rbl_audit_fields,
    .prepare = ngx_rbl_audit_prepare,
    .proceed = ngx_rbl_audit_proceed,
    .result = ngx_rbl_audit_result
};
