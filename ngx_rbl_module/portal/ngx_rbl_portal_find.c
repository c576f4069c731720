/*
 * hosts/find: hosts by the beginning of their value or name, by state, group
 * and profile, from a cursor on.
 * counts: how many hosts are in each state.
 */

#include "ngx_rbl_api.h"
#include "ngx_rbl_cache.h"
#include "ngx_rbl_portal.h"
#include "ngx_rbl_write.h"

#include "rbl_view.h"


#define NGX_RBL_FIND_LIMIT  "100"       /* default */
#define NGX_RBL_FIND_MAX    500
#define NGX_RBL_FIND_GUESS  640         /* octets of a host in an answer */
#define NGX_RBL_AFTER_MAX   2400        /* a cursor has the name of a host in
                                           hex digits */

enum {                                  /* the replies of counts; those of the
                                           states but clear and range follow */
    NGX_RBL_COUNT_HOSTS = 0,
    NGX_RBL_COUNT_OTHERS,               /* not clear, and ranges */
    NGX_RBL_COUNT_FIRST
};

typedef struct {
    int64_t  hosts, others;
    int64_t  of[RBL_STATES];
} ngx_rbl_hosts_count_t;


/* The script gets the number of the state. */

static int
ngx_rbl_find_state(rbl_run_t *run, rbl_str_t *text)
{
    rbl_state_t  state;

    for (state = RBL_STATE_CLEAR; state < RBL_STATE_RANGE; state++) {
        if (rbl_str_is(*text, rbl_state_names[state])) {
            *text = rbl_digit(state);
            return NGX_OK;
        }
    }

    return NGX_DECLINED;
}


static ngx_int_t
ngx_rbl_find_sid(ngx_rbl_ctx_t *ctx, rbl_sid_kind_t kind, rbl_str_t *text)
{
    rbl_sid_t  *sid;

    sid = ngx_palloc(ctx->request->pool, sizeof(rbl_sid_t));

    if (sid == NULL) {
        ngx_rbl_internal(ctx);
        return NGX_DECLINED;
    }

    if (rbl_sid_parse(sid, kind, *text) != RBL_OK) {
        return NGX_DECLINED;
    }

    *text = rbl_sid_str(sid);

    return NGX_OK;
}


static int
ngx_rbl_find_group(rbl_run_t *run, rbl_str_t *text)
{
    ngx_rbl_ctx_t  *ctx;

    ctx = ngx_rbl_of(run);

    return ngx_rbl_find_sid(ctx, RBL_SID_GROUP, text);
}


static int
ngx_rbl_find_profile(rbl_run_t *run, rbl_str_t *text)
{
    ngx_rbl_ctx_t  *ctx;

    ctx = ngx_rbl_of(run);

    return ngx_rbl_find_sid(ctx, RBL_SID_PROFILE, text);
}


static int
ngx_rbl_find_sort(rbl_run_t *run, rbl_str_t *text)
{
    return rbl_str_is(*text, "created") || rbl_str_is(*text, "name")
           || rbl_str_is(*text, "since") ? NGX_OK : NGX_DECLINED;
}


/* The script judges the rest. */

static int
ngx_rbl_find_after(rbl_run_t *run, rbl_str_t *text)
{
    return text->n <= NGX_RBL_AFTER_MAX ? NGX_OK : NGX_DECLINED;
}


static int
ngx_rbl_find_limit(rbl_run_t *run, rbl_str_t *text)
{
    int64_t  limit;

    return rbl_int_parse(&limit, *text, 1, NGX_RBL_FIND_MAX) == RBL_OK
           ? NGX_OK : NGX_DECLINED;
}


static const rbl_field_t  ngx_rbl_find_fields[] = {
    RBL_TEXT("text", 0, rbl_label, RBL_ARG(host_find, text)),
    RBL_TEXT("state", 0, ngx_rbl_find_state,
             RBL_ARG(host_find, state)),
    RBL_TEXT("group", 0, ngx_rbl_find_group,
             RBL_ARG(host_find, group)),
    RBL_TEXT("profile", 0, ngx_rbl_find_profile,
             RBL_ARG(host_find, profile)),
    RBL_TEXT("sort", 0, ngx_rbl_find_sort, RBL_ARG(host_find, sort)),
    RBL_TEXT("after", 0, ngx_rbl_find_after,
             RBL_ARG(host_find, after)),
    RBL_TEXT("limit", 0, ngx_rbl_find_limit,
             RBL_ARG(host_find, limit)),
    RBL_END
};

static const rbl_outcome_t  ngx_rbl_find_refusals[] = {
    RBL_INVALID("GROUP", "group"),
    RBL_INVALID("PROFILE", "profile"),
    RBL_INVALID("AFTER", "after"),
    { NULL, 0, NULL }
};


const ngx_rbl_family_t  ngx_rbl_family_find = {
    .refusals = ngx_rbl_find_refusals
};


/* A field that is empty is as good as one that is not given. */

static void
ngx_rbl_find_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t              text;
    rbl_host_find_args_t  *args;
    const rbl_field_t     *f;

    args = ngx_rbl_data(ctx, sizeof(rbl_host_find_args_t));
    if (args == NULL) {
        return;
    }

    for (f = ngx_rbl_find_fields; f->name.n; f++) {
        args->argv[f->arg] = RBL_STR("");

        if (rbl_text(&ctx->run, f - ngx_rbl_find_fields).n == 0) {
            continue;
        }

        if (rbl_judged(&ctx->run, f, &text) != NGX_OK) {
            return;
        }

        args->argv[f->arg] = text;
    }

    if (args->limit.n == 0) {
        args->limit = RBL_STR(NGX_RBL_FIND_LIMIT);
    }
}


static void
ngx_rbl_find_proceed(ngx_rbl_ctx_t *ctx)
{
    rbl_host_find_args_t  *args;

    args = ctx->data;
    args->stopped = ctx->lapsed && !ctx->settled ? RBL_STR("1") : RBL_STR("");

    ngx_rbl_run(ctx, host_find, args, 0);

    ngx_rbl_slow(ctx);
}


static void
ngx_rbl_find_host(ngx_rbl_ctx_t *ctx, rbl_str_t raw)
{
    rbl_host_t  host;

    if (ngx_rbl_host_read(ctx, &host, raw) != RBL_OK) {
        (void) ngx_rbl_undecoded(ctx, "host");
        return;
    }

    rbl_view_host(&ctx->doc, NULL, &host, ctx->timezone, ngx_rbl_now(),
                  ngx_rbl_host_flags(ctx));
}


static void
ngx_rbl_find_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    size_t                 k, n;
    rbl_host_find_reply_t  said;

    rbl_host_find_reply(&said, reply);
    n = rbl_reply_len(said.hosts);

    ngx_rbl_open(ctx, n * NGX_RBL_FIND_GUESS, "OK");

    if (said.next.n) {
        rbl_doc_str(&ctx->doc, "next", said.next);
    } else {
        rbl_doc_json(&ctx->doc, "next", RBL_STR("null"));
    }

    rbl_doc_int(&ctx->doc, "looked", said.looked);
    rbl_doc_array(&ctx->doc, "data");

    for (k = 0; k < n; k++) {
        ngx_rbl_find_host(ctx, rbl_reply_str(rbl_reply_at(said.hosts, k)));
    }

    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_hosts_find = {
    .script = &rbl_script_host_find,
    .fields = ngx_rbl_find_fields,
    .prepare = ngx_rbl_find_prepare,
    .proceed = ngx_rbl_find_proceed,
    .result = ngx_rbl_find_result
};


static void
ngx_rbl_hosts_count_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_state_t  state;

    if (ngx_rbl_data(ctx, sizeof(ngx_rbl_hosts_count_t)) == NULL) {
        return;
    }

    ngx_rbl_ask_count(ctx, "hosts");
    ngx_rbl_ask_count(ctx, "states");

    for (state = RBL_STATE_LISTED; state < RBL_STATE_RANGE; state++) {
        ngx_rbl_ask_state(ctx, state);
    }
}


/* If no host is checked, all but the paused ones are unknown: the index may not
   have that yet. */

static void
ngx_rbl_hosts_count_answer(ngx_rbl_ctx_t *ctx)
{
    int64_t                 ranges, clear;
    rbl_state_t             state;
    ngx_rbl_hosts_count_t  *count;

    count = ctx->data;
    ranges = count->others;

    for (state = RBL_STATE_LISTED; state < RBL_STATE_RANGE; state++) {
        ranges -= count->of[state];
    }

    clear = count->hosts - count->others;

    if (ngx_rbl_stops_all(ctx)) {
        count->of[RBL_STATE_UNKNOWN] += count->of[RBL_STATE_LISTED]
                                        + count->of[RBL_STATE_UNCOVERED]
                                        + ngx_max(clear, 0);
        count->of[RBL_STATE_LISTED] = 0;
        count->of[RBL_STATE_UNCOVERED] = 0;
        clear = 0;
    }

    ngx_rbl_open(ctx, NGX_RBL_FIND_GUESS, "OK");
    rbl_doc_object(&ctx->doc, "data");
    rbl_doc_int(&ctx->doc, "hosts", count->hosts);

    for (state = RBL_STATE_LISTED; state < RBL_STATE_RANGE; state++) {
        rbl_doc_int(&ctx->doc, rbl_state_names[state], count->of[state]);
    }

    rbl_doc_int(&ctx->doc, "clear", ngx_max(clear, 0));
    rbl_doc_int(&ctx->doc, "ranges", ngx_max(ranges, 0));
    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


/* Hosts that are added or deleted between two commands may count in one of
   them only. */

static void
ngx_rbl_hosts_count_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    int64_t                 n;
    rbl_state_t             state;
    ngx_rbl_hosts_count_t  *count;

    count = ctx->data;
    n = ngx_rbl_total(ctx, reply);

    if (i == NGX_RBL_COUNT_HOSTS) {
        count->hosts = n;
        return;
    }

    if (i == NGX_RBL_COUNT_OTHERS) {
        count->others = n;
        return;
    }

    state = RBL_STATE_LISTED + i - NGX_RBL_COUNT_FIRST;
    count->of[state] = n;

    if (state + 1 == RBL_STATE_RANGE && ctx->run.refusal == 0) {
        ngx_rbl_hosts_count_answer(ctx);
    }
}


const ngx_rbl_op_t  ngx_rbl_op_counts = {
    .prepare = ngx_rbl_hosts_count_prepare,
    .read = ngx_rbl_hosts_count_read
};
