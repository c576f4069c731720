/*
 * webhooks: the receivers of the account.  webhook/ID: one of them.
 *
 * The list reads two keys of each receiver in its second round.  An account has
 * at most 100 receivers.
 */

#include "ngx_rbl_portal_hook.h"

#include "ngx_rbl_api.h"
#include "ngx_rbl_list.h"
#include "rbl_time.h"
#include "rbl_view.h"


#define NGX_RBL_HOOK_GUESS   512        /* octets of one in an answer */
#define NGX_RBL_HOOK_PAGE    100        /* receivers of a page */

enum {                                  /* replies of the list */
    NGX_RBL_HOOKS_TOTAL = 0,
    NGX_RBL_HOOKS_PAGE
};

enum {                                  /* replies of one */
    NGX_RBL_HOOK_FOUND = 0,
    NGX_RBL_HOOK_FAILURES,
    NGX_RBL_HOOK_PENDING,
    NGX_RBL_HOOK_DEAD,
    NGX_RBL_HOOK_RECORD
};

typedef struct {
    ngx_rbl_list_t       list;          /* must be first */
    rbl_hook_failing_t   failing;       /* of the receiver that comes next */
} ngx_rbl_hooks_t;

typedef struct {
    rbl_sid_t            sid;
    rbl_hook_failing_t   failing;
    int64_t              pending;
    int64_t              dead;
} ngx_rbl_hook_one_t;


static const ngx_rbl_outcome_t  ngx_rbl_hook_refusals[] = {
    NGX_RBL_UNKNOWN_ID("HOOK", "webhook"),
    { "LATER", NGX_HTTP_TOO_MANY_REQUESTS,
      "Many events wait for this webhook. Please try again in %L seconds." },
    { "DISABLED", NGX_HTTP_CONFLICT,
      "This webhook is disabled. Please enable it first." },
    { "LIMIT", NGX_HTTP_CONFLICT, "An account may have at most %L webhooks." },
    { NULL, 0, NULL }
};


const ngx_rbl_family_t  ngx_rbl_family_hooks = {
    .resource = "webhook",
    .kind = RBL_SID_HOOK,
    .index = "hooks",
    .total = { { "hooks", "total_webhooks" } },
    .guess = NGX_RBL_HOOK_GUESS,
    .refusals = ngx_rbl_hook_refusals
};


static void
ngx_rbl_hooks_prepare(ngx_rbl_ctx_t *ctx)
{
    int64_t           first;
    ngx_rbl_hooks_t  *hooks;

    hooks = ngx_rbl_data(ctx, sizeof(ngx_rbl_hooks_t));
    if (hooks == NULL) {
        return;
    }

    ctx->page_most = ngx_min(NGX_RBL_HOOK_PAGE, ctx->conf->max_page_size);

    if (ngx_rbl_list_paging(ctx, &hooks->list) == NGX_OK) {
        first = (hooks->list.page - 1) * hooks->list.page_size;

        ngx_rbl_ask_count(ctx, "hooks");
        ngx_rbl_ask_range(ctx, "hooks", first,
                          first + hooks->list.page_size - 1);
    }
}


static void
ngx_rbl_hooks_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_list_t  *list;

    list = ctx->data;

    if (i == NGX_RBL_HOOKS_TOTAL) {
        list->total[0] = ngx_rbl_total(ctx, reply);

    } else {
        ngx_rbl_list_add_sids(ctx, &list->n, &list->sids, RBL_SID_HOOK, reply);
    }
}


static void
ngx_rbl_hooks_proceed(ngx_rbl_ctx_t *ctx)
{
    rbl_key_t              key[2];
    ngx_uint_t             i;
    ngx_rbl_list_t        *list;
    ngx_rbl_batch_t       *batch;
    const rbl_keyspace_t  *ks;

    list = ctx->data;

    if (list->n == 0) {
        ngx_rbl_list_open(ctx, 0);
        ngx_rbl_list_close(ctx);
        return;
    }

    batch = ngx_rbl_next(ctx);
    if (batch == NULL) {
        return;
    }

    ks = ngx_rbl_store_keyspace(ctx->store);

    for (i = 0; i < list->n; i++) {
        ngx_rbl_batch_command(batch, RBL_COMMAND("HMGET",
            rbl_account_key(&key[0], ks, "hook", rbl_sid_str(&ctx->account),
                            list->sids[i]),
            RBL_HOOK_FAILING));
        ngx_rbl_batch_command(batch, RBL_COMMAND("GET",
            rbl_account_key(&key[1], ks, "s", rbl_sid_str(&ctx->account),
                            list->sids[i])));
    }
}


/* nil: the receiver was deleted meanwhile. */

static void
ngx_rbl_hooks_write(ngx_rbl_ctx_t *ctx, rbl_str_t raw)
{
    rbl_hook_t        hook;
    ngx_rbl_hooks_t  *hooks;

    hooks = ctx->data;

    if (raw.p == NULL) {
        return;
    }

    if (rbl_hook_decode(&hook, raw) != RBL_OK) {
        (void) ngx_rbl_undecoded(ctx, "webhook");
        return;
    }

    rbl_doc_object(&ctx->doc, NULL);
    ngx_rbl_hook_members(ctx, &hook, &hooks->failing);
    rbl_doc_close(&ctx->doc);
}


static void
ngx_rbl_hooks_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    ngx_rbl_hooks_t  *hooks;

    hooks = ctx->data;

    if (i == 0) {
        ngx_rbl_list_open(ctx, hooks->list.n * NGX_RBL_HOOK_GUESS);
    }

    if (i % 2 == 0) {
        rbl_hook_failing(&hooks->failing, reply, ngx_rbl_now());
        return;
    }

    ngx_rbl_hooks_write(ctx, rbl_reply_str(reply));

    if (i / 2 == hooks->list.n - 1) {
        ngx_rbl_list_close(ctx);
    }
}


const ngx_rbl_op_t  ngx_rbl_op_hooks = {
    .fields = ngx_rbl_list_fields,
    .prepare = ngx_rbl_hooks_prepare,
    .read = ngx_rbl_hooks_read,
    .proceed = ngx_rbl_hooks_proceed,
    .result = ngx_rbl_hooks_result
};


/* Counts the members of the zset "pending" that begin with the receiver. */

static void
ngx_rbl_hook_ask_pending(ngx_rbl_ctx_t *ctx, const rbl_sid_t *sid)
{
    u_char     text[2][RBL_SID_LEN + 2];
    rbl_str_t  span[2];

    span[0].p = (char *) text[0];
    span[0].n = ngx_sprintf(text[0], "[%*s:", sid->n, sid->s) - text[0];
    span[1].p = (char *) text[1];
    span[1].n = ngx_sprintf(text[1], "(%*s;", sid->n, sid->s) - text[1];

    ngx_rbl_ask(ctx, "ZLEXCOUNT", "pending", RBL_STR(""), 2, span);
}


static void
ngx_rbl_hook_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t            failing[] = { RBL_HOOK_FAILING };
    ngx_rbl_hook_one_t  *one;

    one = ngx_rbl_data(ctx, sizeof(ngx_rbl_hook_one_t));

    if (one == NULL || ngx_rbl_owned_ask(ctx, &one->sid) != NGX_OK) {
        return;
    }

    ngx_rbl_ask(ctx, "HMGET", "hook", rbl_sid_str(&one->sid),
                RBL_HOOK_FAILING_N, failing);
    ngx_rbl_hook_ask_pending(ctx, &one->sid);
    ngx_rbl_ask(ctx, "XLEN", "dead", RBL_STR(""), 0, NULL);
    ngx_rbl_ask(ctx, "GET", "s", rbl_sid_str(&one->sid), 0, NULL);
}


static void
ngx_rbl_hook_answer(ngx_rbl_ctx_t *ctx, rbl_str_t raw)
{
    rbl_hook_t           hook;
    ngx_rbl_hook_one_t  *one;

    one = ctx->data;

    if (ngx_rbl_hook_decode(ctx, &hook, raw) != NGX_OK) {
        return;
    }

    ngx_rbl_open(ctx, NGX_RBL_HOOK_GUESS, "OK");
    rbl_doc_object(&ctx->doc, "data");
    ngx_rbl_hook_members(ctx, &hook, &one->failing);
    ngx_rbl_hook_at(ctx, "old_secret_until",
                    hook.old_until > ngx_rbl_now() ? hook.old_until : 0);
    rbl_doc_int(&ctx->doc, "pending", one->pending);
    rbl_doc_int(&ctx->doc, "account_dead_letters", one->dead);
    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


static void
ngx_rbl_hook_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_hook_one_t  *one;

    one = ctx->data;

    switch (i) {

    case NGX_RBL_HOOK_FOUND:
        (void) ngx_rbl_owned_found(ctx, reply);
        return;

    case NGX_RBL_HOOK_FAILURES:
        rbl_hook_failing(&one->failing, reply, ngx_rbl_now());
        return;

    case NGX_RBL_HOOK_PENDING:
        one->pending = rbl_reply_int(reply, 0);
        return;

    case NGX_RBL_HOOK_DEAD:
        one->dead = rbl_reply_int(reply, 0);
        return;

    default:
        ngx_rbl_hook_answer(ctx, rbl_reply_str(reply));
    }
}


const ngx_rbl_op_t  ngx_rbl_op_hook = {
    .prepare = ngx_rbl_hook_prepare,
    .read = ngx_rbl_hook_read
};


ngx_int_t
ngx_rbl_owned_ask(ngx_rbl_ctx_t *ctx, rbl_sid_t *sid)
{
    rbl_str_t                member;
    const ngx_rbl_family_t  *family;

    family = ctx->route->family;

    if (ngx_rbl_path_sid(ctx, family->kind, family->resource, sid) != NGX_OK) {
        return NGX_DECLINED;
    }

    member = rbl_sid_str(sid);
    ngx_rbl_ask(ctx, "ZSCORE", family->index, RBL_STR(""), 1, &member);

    return NGX_OK;
}


ngx_int_t
ngx_rbl_owned_found(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    if (rbl_reply_str(reply).p != NULL) {
        return NGX_OK;
    }

    ngx_rbl_unknown_id(ctx, ctx->route->family->resource);

    return NGX_DECLINED;
}


ngx_int_t
ngx_rbl_hook_decode(ngx_rbl_ctx_t *ctx, rbl_hook_t *hook, rbl_str_t raw)
{
    if (rbl_hook_decode(hook, raw) == RBL_OK) {
        return NGX_OK;
    }

    (void) ngx_rbl_undecoded(ctx, "webhook");
    ngx_rbl_internal(ctx);

    return NGX_DECLINED;
}


void
ngx_rbl_hook_at(ngx_rbl_ctx_t *ctx, const char *key, int64_t ms)
{
    char  text[RBL_TIME_LEN];

    rbl_doc_str(&ctx->doc, key, rbl_time_text(text, ms, ctx->timezone));
}


void
ngx_rbl_hook_members(ngx_rbl_ctx_t *ctx, const rbl_hook_t *hook,
    const rbl_hook_failing_t *failing)
{
    size_t       n;
    rbl_mp_t     mp;
    rbl_doc_t   *doc;
    ngx_uint_t   off;

    doc = &ctx->doc;
    off = !rbl_str_is(hook->status, "active");

    rbl_doc_str(doc, "id", hook->id);
    rbl_doc_str(doc, "name", hook->name);
    rbl_view_url(doc, "url", hook->url, ngx_rbl_sees_path(ctx));

    rbl_doc_array(doc, "types");
    rbl_mp_init(&mp, hook->types);

    for (n = rbl_mp_array(&mp); n > 0 && !mp.failed; n--) {
        rbl_doc_str(doc, NULL, rbl_mp_str(&mp));
    }

    rbl_doc_close(doc);

    rbl_doc_str(doc, "status", hook->status);
    ngx_rbl_hook_at(ctx, "created", hook->created);
    ngx_rbl_hook_at(ctx, "disabled", off ? hook->disabled : 0);
    rbl_doc_str(doc, "reason", off ? hook->reason : RBL_STR(""));
    ngx_rbl_hook_at(ctx, "failing_since", failing->since);
    rbl_doc_int(doc, "failed", failing->fails);
    ngx_rbl_hook_at(ctx, "quiet_until", failing->till);
}
