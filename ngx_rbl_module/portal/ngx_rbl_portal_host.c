/*
 * host/lists: a host, and its state at each of its lists.
 * host/history: when lists began and ceased to list it.
 * changes: the same of all hosts of the account, the last ones.
 */

#include "ngx_rbl_api.h"
#include "ngx_rbl_portal.h"
#include "ngx_rbl_write.h"

#include "rbl_host_state.h"
#include "rbl_query.h"
#include "rbl_time.h"
#include "rbl_view.h"


#define NGX_RBL_HISTORY_MAX  "1000"     /* more than the store keeps */
#define NGX_RBL_CHANGES_MAX  "50"
#define NGX_RBL_LIST_GUESS   300        /* octets of a list in an answer */
#define NGX_RBL_URL_MAX      2560       /* a lookup URL with a host */

enum {                                  /* of the first round of host/history */
    NGX_RBL_HISTORY_HOST = 0,
    NGX_RBL_HISTORY_CHANGES
};


typedef struct {
    rbl_sid_t   host;
    ngx_uint_t  found;
} ngx_rbl_history_t;

typedef void (*ngx_rbl_entry_pt)(ngx_rbl_ctx_t *ctx, const redisReply *entry);


static void
ngx_rbl_host_lists_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_sid_t  *host;

    host = ngx_rbl_data(ctx, sizeof(rbl_sid_t));

    if (host != NULL) {
        (void) ngx_rbl_path_sid(ctx, RBL_SID_HOST, "host", host);
    }
}


static void
ngx_rbl_host_lists_proceed(ngx_rbl_ctx_t *ctx)
{
    rbl_host_lists_args_t  args;

    args.host = rbl_sid_str(ctx->data);

    ngx_rbl_run(ctx, host_lists, &args, 0);

    ngx_rbl_slow(ctx);
}


static void
ngx_rbl_host_list_links(ngx_rbl_ctx_t *ctx, const rbl_host_t *host,
    const rbl_list_t *list)
{
    char       buf[NGX_RBL_URL_MAX];
    rbl_str_t  url;

    if (list->lookup.n == 0
        || rbl_lookup_url(buf, sizeof(buf), &url, list->lookup, host->value)
           != RBL_OK)
    {
        url = RBL_STR("");
    }

    rbl_doc_str(&ctx->doc, "lookup", url);
    rbl_doc_str(&ctx->doc, "delisting", list->delist);
}


static void
ngx_rbl_host_list_write(ngx_rbl_ctx_t *ctx, const rbl_host_lists_t *lists,
    rbl_str_t sid, rbl_str_t raw)
{
    char               time[2][RBL_TIME_LEN];
    rbl_doc_t         *doc;
    rbl_list_t         list;
    rbl_host_state_t   state;

    if (rbl_list_decode(&list, raw) != RBL_OK) {
        ngx_memzero(&list, sizeof(rbl_list_t));
    }

    rbl_host_state(&state, lists, sid, list.min_interval);

    doc = &ctx->doc;

    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "id", sid);
    rbl_doc_str(doc, "host", list.zone.n ? list.zone : state.listing.zone);
    rbl_doc_str(doc, "name", list.name);
    rbl_doc_str(doc, "website", list.website);
    rbl_doc_str(doc, "tier", list.tier);
    rbl_doc_str(doc, "health", list.health);
    rbl_doc_str(doc, "status", state.status);
    rbl_doc_str(doc, "since",
                rbl_time_text(time[0], state.since, ctx->timezone));
    rbl_doc_str(doc, "asked",
                rbl_time_text(time[1], state.asked, ctx->timezone));
    rbl_doc_str(doc, "error", state.error);
    rbl_doc_int(doc, "errors", state.errors);
    (void) rbl_view_texts(doc, "codes", state.listing.codes.n
                          ? state.listing.codes : RBL_STR("\x90"));
    rbl_doc_str(doc, "details", state.listing.details);
    ngx_rbl_host_list_links(ctx, lists->host, &list);
    rbl_doc_close(doc);
}


static void
ngx_rbl_host_lists_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    size_t                  k, n;
    rbl_host_t              host;
    rbl_host_lists_t        lists;
    rbl_host_lists_reply_t  said;

    rbl_host_lists_reply(&said, reply);

    if (said.word == RBL_HOST_LISTS_HOST) {
        ngx_rbl_unknown_id(ctx, "host");
        return;
    }

    if (said.word != RBL_HOST_LISTS_OK
        || ngx_rbl_host_read(ctx, &host, said.host) != RBL_OK)
    {
        return;
    }

    n = rbl_reply_len(said.lists);
    rbl_host_lists(&lists, &host, said.coverage);

    ngx_rbl_open(ctx, n * NGX_RBL_LIST_GUESS, "OK");
    rbl_doc_object(&ctx->doc, "data");
    rbl_view_host(&ctx->doc, "host", &host, ctx->timezone, ngx_rbl_now(),
                  ngx_rbl_host_flags(ctx));
    rbl_doc_array(&ctx->doc, "lists");

    for (k = 0; k < n; k++) {
        ngx_rbl_host_list_write(ctx, &lists,
                                rbl_reply_str(rbl_reply_at(said.lists, k)),
                                rbl_reply_str(rbl_reply_at(said.records, k)));
    }

    rbl_doc_close(&ctx->doc);
    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_host_lists = {
    .prepare = ngx_rbl_host_lists_prepare,
    .proceed = ngx_rbl_host_lists_proceed,
    .result = ngx_rbl_host_lists_result
};


static void
ngx_rbl_history_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t           host, last[4];
    ngx_rbl_history_t  *history;

    history = ngx_rbl_data(ctx, sizeof(ngx_rbl_history_t));

    if (history == NULL
        || ngx_rbl_path_sid(ctx, RBL_SID_HOST, "host", &history->host)
           != NGX_OK)
    {
        return;
    }

    host = rbl_sid_str(&history->host);
    ngx_rbl_ask(ctx, "ZSCORE", "hosts", RBL_STR(""), 1, &host);

    last[0] = RBL_STR("+");
    last[1] = RBL_STR("-");
    last[2] = RBL_STR("COUNT");
    last[3] = RBL_STR(NGX_RBL_HISTORY_MAX);
    ngx_rbl_ask(ctx, "XREVRANGE", "hist", host, 4, last);
}


/* Writes the answer: the entries of a stream, each by `write`. */

static void
ngx_rbl_entries(ngx_rbl_ctx_t *ctx, const redisReply *reply,
    ngx_rbl_entry_pt write)
{
    size_t  k, n;

    if (reply->type != REDIS_REPLY_ARRAY) {
        ngx_rbl_internal(ctx);
        return;
    }

    n = rbl_reply_len(reply);

    ngx_rbl_open(ctx, n * NGX_RBL_LIST_GUESS, "OK");
    rbl_doc_array(&ctx->doc, "data");

    for (k = 0; k < n; k++) {
        write(ctx, rbl_reply_at(reply, k));
    }

    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


/* The time of an entry of a stream is in its id. */

static int64_t
ngx_rbl_entry_time(const redisReply *entry)
{
    rbl_str_t  id;

    id = rbl_reply_name(entry);

    return id.p != NULL ? ngx_atoof((u_char *) id.p, strcspn(id.p, "-")) : 0;
}


/* The four fields of a change. */

static void
ngx_rbl_change_write(ngx_rbl_ctx_t *ctx, rbl_mp_t *mp)
{
    rbl_doc_str(&ctx->doc, "id", rbl_mp_str(mp));
    rbl_doc_str(&ctx->doc, "host", rbl_mp_str(mp));
    rbl_doc_str(&ctx->doc, "status", rbl_mp_str(mp));
    rbl_doc_str(&ctx->doc, "codes", rbl_mp_str(mp));
}


/* One check: {id, {c, PP, t, packed {list, zone, status, codes}...}}. */

static void
ngx_rbl_history_entry(ngx_rbl_ctx_t *ctx, const redisReply *entry)
{
    char               time[RBL_TIME_LEN];
    size_t             n;
    rbl_mp_t           mp;
    const redisReply  *of;

    of = rbl_reply_rest(entry);
    rbl_mp_init(&mp, rbl_reply_str(rbl_reply_field(of, "t")));

    for (n = rbl_mp_array(&mp); n > 0 && !mp.failed; n--) {
        if (rbl_mp_array(&mp) != 4) {
            return;
        }

        rbl_doc_object(&ctx->doc, NULL);
        rbl_doc_str(&ctx->doc, "time",
                    rbl_time_text(time, ngx_rbl_entry_time(entry),
                                  ctx->timezone));
        ngx_rbl_change_write(ctx, &mp);
        rbl_doc_str(&ctx->doc, "check",
                    rbl_reply_str(rbl_reply_field(of, "c")));
        rbl_doc_close(&ctx->doc);
    }
}


static void
ngx_rbl_history_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_history_t  *history;

    history = ctx->data;

    if (i == NGX_RBL_HISTORY_HOST) {
        history->found = rbl_reply_str(reply).p != NULL;
        return;
    }

    if (!history->found) {
        ngx_rbl_unknown_id(ctx, "host");
        return;
    }

    ngx_rbl_entries(ctx, reply, ngx_rbl_history_entry);
}


const ngx_rbl_op_t  ngx_rbl_op_host_history = {
    .prepare = ngx_rbl_history_prepare,
    .read = ngx_rbl_history_read
};


static void
ngx_rbl_changes_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t  last[4];

    last[0] = RBL_STR("+");
    last[1] = RBL_STR("-");
    last[2] = RBL_STR("COUNT");
    last[3] = RBL_STR(NGX_RBL_CHANGES_MAX);

    ngx_rbl_ask(ctx, "XREVRANGE", "changes", RBL_STR(""), 4, last);
}


/* One check: {id, {h, HT, v, value, n, number, t, the first ones}}. */

static void
ngx_rbl_changes_entry(ngx_rbl_ctx_t *ctx, const redisReply *entry)
{
    char               time[RBL_TIME_LEN];
    size_t             n;
    rbl_mp_t           mp;
    rbl_doc_t         *doc;
    const redisReply  *of;

    doc = &ctx->doc;
    of = rbl_reply_rest(entry);

    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "time",
                rbl_time_text(time, ngx_rbl_entry_time(entry), ctx->timezone));
    rbl_doc_str(doc, "id", rbl_reply_str(rbl_reply_field(of, "h")));
    rbl_doc_str(doc, "host", rbl_reply_str(rbl_reply_field(of, "v")));
    rbl_doc_int(doc, "total", rbl_reply_int(rbl_reply_field(of, "n"), 0));
    rbl_doc_array(doc, "changes");

    rbl_mp_init(&mp, rbl_reply_str(rbl_reply_field(of, "t")));

    for (n = rbl_mp_array(&mp); n > 0 && !mp.failed; n--) {
        if (rbl_mp_array(&mp) != 4) {
            break;
        }

        rbl_doc_object(doc, NULL);
        ngx_rbl_change_write(ctx, &mp);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
    rbl_doc_close(doc);
}


static void
ngx_rbl_changes_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_entries(ctx, reply, ngx_rbl_changes_entry);
}


const ngx_rbl_op_t  ngx_rbl_op_changes = {
    .prepare = ngx_rbl_changes_prepare,
    .read = ngx_rbl_changes_read
};
