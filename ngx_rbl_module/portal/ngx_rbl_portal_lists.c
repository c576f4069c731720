/*
 * list: one list, and what the daemons know of it together.
 * lists/state: the same state of all active system lists.
 * operator/lists: all system lists with that, and what the operator changed in
 * the catalogue by hand.
 *
 * The first round reads the names of the daemons seen last, of all lists their
 * SIDs, and of operator/lists the fields of the overrides, which also name the
 * lists that were killed.  The second round reads the records of the daemons,
 * how queries ended, the state of each list, and the records of the lists.
 * Custom lists have no such state.
 *
 * Measured: it takes 0.2 ms of Redis for 160 lists and 8 daemons.
 */

#include "ngx_rbl_portal.h"
#include "ngx_rbl_verdict.h"

#include "rbl_list_state.h"
#include "rbl_view.h"


#define NGX_RBL_TESTERS_LAST  "7"       /* rank of the last daemon read */
#define NGX_RBL_LISTS_LAST    "199"     /* rank of the last system list */
#define NGX_RBL_KILLED_MOST   824       /* killed lists in the answer */
#define NGX_RBL_LISTS_GUESS   480       /* octets of a list in an answer */
#define NGX_RBL_DAY           86400000  /* ms */
#define NGX_RBL_HOUR          3600000

enum {                                  /* commands about how queries ended */
    NGX_RBL_ENDED_TODAY = 0,
    NGX_RBL_ENDED_YESTERDAY,
    NGX_RBL_ENDED_LAST,                 /* when each list last answered */
    NGX_RBL_ENDED_ASKS
};

enum {                                  /* of the first round */
    NGX_RBL_LISTS_DAEMONS = 0,
    NGX_RBL_LISTS_SIDS,
    NGX_RBL_LISTS_HAND
};

typedef struct {
    ngx_uint_t         n;
    rbl_str_t         *sids;
    rbl_sid_t         *sid;             /* their bytes */
    rbl_list_state_t  *state;
    ngx_uint_t         most;            /* of operator/lists: room, */
    ngx_uint_t        *hand;            /* bits of ngx_rbl_hand of each list */
    int64_t            now;             /* ms, of the second round */
    ngx_uint_t         at;              /* the list of the next state */
    ngx_uint_t         partial;         /* states that are away are left out */
    ngx_uint_t         away;            /* partitions that are away */
    ngx_uint_t         blind;           /* 1: the daemons are not read */
    ngx_uint_t         ndaemons;
    rbl_str_t         *daemons;         /* keys, behind a free element */
} ngx_rbl_lists_t;

/* Fields of a list in lists:override, behind its SID (_override.lua). */
static const char *const  ngx_rbl_hand[] = {
    "", ":killed", ":names", ":min_interval", ":rate", ":day_quota", ":weight",
    ":control", ":codes", ":servers", NULL
};

#define NGX_RBL_HAND_KILLED  2          /* bit of ":killed" */

/* True of operator/lists, false of lists/state. */
#define ngx_rbl_lists_whole(ctx)                                              \
    ((ctx)->route->op == &ngx_rbl_op_operator_lists)


const ngx_rbl_family_t  ngx_rbl_family_lists = {
    .resource = "list",
    .kind = RBL_SID_LIST
};


/* Adds the first read, the names of daemons, unless their partition is away.
   They report in partition 0. */

static void
ngx_rbl_lists_begin(ngx_rbl_ctx_t *ctx)
{
    rbl_key_t         key;
    ngx_rbl_lists_t  *lists;

    lists = ctx->data;
    lists->blind = !ngx_rbl_store_has(ctx->store, 0);

    if (lists->blind) {
        return;
    }

    ngx_rbl_batch_command(ctx->batch, RBL_COMMAND("ZRANGE",
                          rbl_key(&key, ngx_rbl_store_keyspace(ctx->store), 0,
                                  "daemons", RBL_STR(""), RBL_STR("")),
                          RBL_STR("0"), RBL_STR(NGX_RBL_TESTERS_LAST),
                          RBL_STR("REV")));
    ctx->round.asks++;
}


static void
ngx_rbl_lists_add(ngx_rbl_lists_t *lists, rbl_str_t name)
{
    rbl_sid_t  *sid;

    sid = &lists->sid[lists->n];

    if (rbl_sid_parse(sid, RBL_SID_LIST, name) == RBL_OK) {
        lists->sids[lists->n++] = rbl_sid_str(sid);
    }
}


/* For operator/lists, makes room for killed lists behind the others. */

static void
ngx_rbl_lists_sids(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    size_t            k, n, room;
    ngx_pool_t       *pool;
    ngx_rbl_lists_t  *lists;

    lists = ctx->data;
    pool = ctx->request->pool;
    n = rbl_reply_len(reply);
    room = n + 1 + (ngx_rbl_lists_whole(ctx) ? NGX_RBL_KILLED_MOST : 0);

    lists->sids = ngx_palloc(pool, room * sizeof(rbl_str_t));
    lists->sid = ngx_palloc(pool, room * sizeof(rbl_sid_t));
    lists->hand = ngx_pcalloc(pool, room * sizeof(ngx_uint_t));

    if (lists->sids == NULL || lists->sid == NULL || lists->hand == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    for (k = 0; k < n; k++) {
        ngx_rbl_lists_add(lists, rbl_reply_str(rbl_reply_at(reply, k)));
    }

    lists->most = lists->n + NGX_RBL_KILLED_MOST;
}


/* A list that is not in the index was killed. */

static void
ngx_rbl_lists_field(ngx_rbl_lists_t *lists, rbl_str_t field)
{
    rbl_str_t   name;
    ngx_uint_t  k, bit;

    name.p = field.p;
    name.n = ngx_min(field.n, RBL_SID_LEN);

    for (bit = 0; ngx_rbl_hand[bit] != NULL; bit++) {
        if (field.n == RBL_SID_LEN + ngx_strlen(ngx_rbl_hand[bit])
            && ngx_memcmp(field.p + RBL_SID_LEN, ngx_rbl_hand[bit],
                          field.n - RBL_SID_LEN)
               == 0)
        {
            break;
        }
    }

    for (k = 0; k < lists->n; k++) {
        if (rbl_str_eq(lists->sids[k], name)) {
            lists->hand[k] |= 1 << bit;
            return;
        }
    }

    if (1 << bit == NGX_RBL_HAND_KILLED && lists->n < lists->most) {
        ngx_rbl_lists_add(lists, name);
    }
}


static void
ngx_rbl_lists_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    size_t            k;
    ngx_rbl_lists_t  *lists;

    lists = ctx->data;

    if (reply->type != REDIS_REPLY_ARRAY) {
        ngx_rbl_internal(ctx);
        return;
    }

    switch (i + lists->blind) {

    case NGX_RBL_LISTS_DAEMONS:
        lists->daemons = ngx_rbl_daemon_keys(ctx->request->pool, ctx->store,
                                             reply, 1, &lists->ndaemons);
        break;

    case NGX_RBL_LISTS_SIDS:
        ngx_rbl_lists_sids(ctx, reply);
        break;

    default:
        for (k = 0; k < rbl_reply_len(reply); k++) {
            ngx_rbl_lists_field(lists, rbl_reply_str(rbl_reply_at(reply, k)));
        }
    }
}


/* Adds the reads of how the queries to the lists ended. */

static void
ngx_rbl_lists_ended_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch)
{
    char                   day[RBL_OUT_INT];
    rbl_key_t              key;
    rbl_str_t             *words;
    ngx_uint_t             i;
    ngx_rbl_lists_t       *lists;
    const rbl_keyspace_t  *ks;

    lists = ctx->data;
    ks = ngx_rbl_store_keyspace(ctx->store);
    words = ngx_palloc(ctx->request->pool, (lists->n + 2) * sizeof(rbl_str_t));

    if (words == NULL) {
        lists->blind = 1;
        return;
    }

    words[0] = RBL_STR("HMGET");
    ngx_memcpy(&words[2], lists->sids, lists->n * sizeof(rbl_str_t));

    for (i = 0; i < NGX_RBL_ENDED_ASKS; i++) {
        words[1] = i == NGX_RBL_ENDED_LAST
                   ? rbl_key(&key, ks, 0, "responded", RBL_STR(""), RBL_STR(""))
                   : rbl_key(&key, ks, 0, "responses", rbl_out_int_text(day,
                                 lists->now / NGX_RBL_DAY - (int64_t) i),
                             RBL_STR(""));
        ngx_rbl_batch_command(batch, (int) lists->n + 2, words);
    }
}


/* Adds the hours of a day, from the first to the last, to the state of a list;
   `now` is the hour of now on that day. */

static void
ngx_rbl_lists_hours(rbl_list_state_t *state, rbl_str_t day, unsigned first,
    unsigned last, unsigned now)
{
    unsigned  hour;

    rbl_responses_add(state->responses, day, first, last);

    for (hour = first; hour <= last; hour++) {
        state->hours[sizeof(state->hours) - 1 + hour - now] =
            rbl_responses_hour(day, hour);
    }
}


static void
ngx_rbl_lists_ended(ngx_rbl_lists_t *lists, ngx_uint_t i,
    const redisReply *reply)
{
    unsigned           hour;
    ngx_uint_t         k;
    const redisReply  *of;

    hour = (unsigned) (lists->now % NGX_RBL_DAY / NGX_RBL_HOUR);

    for (k = 0; k < lists->n; k++) {
        of = rbl_reply_at(reply, k);

        switch (i) {

        case NGX_RBL_ENDED_TODAY:
            ngx_rbl_lists_hours(&lists->state[k], rbl_reply_str(of), 0, hour,
                                hour);
            break;

        case NGX_RBL_ENDED_YESTERDAY:
            ngx_rbl_lists_hours(&lists->state[k], rbl_reply_str(of), hour + 1,
                                23, hour + 24);
            break;

        default:
            lists->state[k].responded = ngx_max(rbl_reply_int(of, 0), 0);
        }
    }
}


/* Adds the reads of the daemons, of how queries ended, and of the state of each
   list.  The caller adds one command.  NULL: refused. */

static ngx_rbl_batch_t *
ngx_rbl_lists_ask(ngx_rbl_ctx_t *ctx)
{
    rbl_key_t              key;
    rbl_str_t              sid;
    ngx_uint_t             k;
    ngx_rbl_batch_t       *batch;
    ngx_rbl_lists_t       *lists;
    const rbl_keyspace_t  *ks;

    lists = ctx->data;
    batch = ngx_rbl_next(ctx);
    ks = ngx_rbl_store_keyspace(ctx->store);
    lists->now = ngx_rbl_now();
    lists->state = ngx_pcalloc(ctx->request->pool,
                               lists->n * sizeof(rbl_list_state_t));

    if (batch == NULL || lists->state == NULL) {
        ngx_rbl_internal(ctx);
        return NULL;
    }

    if (lists->ndaemons > 0) {
        lists->daemons[0] = RBL_STR("MGET");
        ngx_rbl_batch_command(batch, (int) lists->ndaemons + 1,
                              lists->daemons);
    }

    if (!lists->blind) {
        ngx_rbl_lists_ended_ask(ctx, batch);
    }

    for (k = 0; k < lists->n; k++) {
        sid = lists->sids[k];
        ngx_memset(lists->state[k].hours, '-', sizeof(lists->state[k].hours));
        lists->state[k].away = lists->partial
                               && !ngx_rbl_store_has(ctx->store,
                                                     rbl_partition(ks, sid));
        if (lists->state[k].away) {
            continue;
        }

        ngx_rbl_batch_command(batch, RBL_COMMAND("HMGET",
                              rbl_key(&key, ks, rbl_partition(ks, sid), "list",
                                      sid, RBL_STR("")),
                              RBL_LIST_STATE_FIELDS));
    }

    return batch;
}


/* 1: the reply was read; 0: it has the records of the lists. */

static ngx_uint_t
ngx_rbl_lists_state(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    size_t            k;
    ngx_uint_t        daemons;
    ngx_rbl_lists_t  *lists;

    lists = ctx->data;
    daemons = lists->ndaemons > 0;

    if (i < daemons) {
        for (k = 0; k < rbl_reply_len(reply); k++) {
            rbl_list_reports(lists->state, lists->n, lists->sids,
                             rbl_reply_str(rbl_reply_at(reply, k)));
        }

        return 1;
    }

    if (!lists->blind && i - daemons < NGX_RBL_ENDED_ASKS) {
        ngx_rbl_lists_ended(lists, i - daemons, reply);
        return 1;
    }

    while (lists->at < lists->n && lists->state[lists->at].away) {
        lists->at++;
    }

    if (lists->at < lists->n) {
        rbl_list_state_read(&lists->state[lists->at++], reply, ngx_rbl_now());
        return 1;
    }

    return 0;
}


static void
ngx_rbl_portal_list_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_lists_t  *lists;

    lists = ngx_rbl_data(ctx, sizeof(ngx_rbl_lists_t) + sizeof(rbl_str_t)
                              + sizeof(rbl_sid_t));
    if (lists == NULL) {
        return;
    }

    lists->sids = (rbl_str_t *) (lists + 1);
    lists->sid = (rbl_sid_t *) (lists->sids + 1);

    if (ngx_rbl_path_sid(ctx, RBL_SID_LIST, "list", lists->sid) == NGX_OK) {
        lists->sids[0] = rbl_sid_str(lists->sid);
        lists->n = 1;
        ngx_rbl_lists_begin(ctx);
    }
}


/* Reads both records that may have this SID; at most one exists. */

static void
ngx_rbl_portal_list_proceed(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t        *own, *system;
    ngx_rbl_batch_t  *batch;
    ngx_rbl_lists_t  *lists;

    lists = ctx->data;
    batch = ngx_rbl_lists_ask(ctx);
    own = ngx_rbl_record_keys(ctx, rbl_sid_str(&ctx->account), 1, lists->sids);
    system = ngx_rbl_record_keys(ctx, RBL_STR("SYS"), 1, lists->sids);

    if (batch != NULL && own != NULL && system != NULL) {
        ngx_rbl_batch_command(batch, RBL_COMMAND("MGET", *own, *system));
    }
}


/* A killed list is shown, too: its users want to know why it has ended. */

static void
ngx_rbl_portal_list_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    rbl_str_t         raw;
    rbl_list_t        list;
    ngx_rbl_lists_t  *lists;

    if (ngx_rbl_lists_state(ctx, i, reply)) {
        return;
    }

    lists = ctx->data;
    raw = rbl_reply_str(rbl_reply_at(reply, 0));

    if (raw.p == NULL) {
        raw = rbl_reply_str(rbl_reply_at(reply, 1));
    }

    if (raw.p == NULL) {
        ngx_rbl_unknown_id(ctx, "list");

    } else if (rbl_list_decode(&list, raw) != RBL_OK) {
        ngx_rbl_internal(ctx);

    } else {
        ngx_rbl_open(ctx, 0, "OK");
        rbl_doc_object(&ctx->doc, "data");
        rbl_view_list_all(&ctx->doc, &list, &lists->state[0], ctx->timezone);
        rbl_view_list_responses(&ctx->doc, &lists->state[0], ctx->timezone);
        rbl_doc_close(&ctx->doc);
        ngx_rbl_close(ctx);
    }
}


const ngx_rbl_op_t  ngx_rbl_op_portal_list = {
    .prepare = ngx_rbl_portal_list_prepare,
    .read = ngx_rbl_lists_read,
    .proceed = ngx_rbl_portal_list_proceed,
    .result = ngx_rbl_portal_list_result
};


static void
ngx_rbl_lists_prepare(ngx_rbl_ctx_t *ctx)
{
    if (ngx_rbl_data(ctx, sizeof(ngx_rbl_lists_t)) == NULL) {
        return;
    }

    ngx_rbl_lists_begin(ctx);
    ngx_rbl_ask_system(ctx, ctx->batch, "ZRANGE", ngx_rbl_lists_whole(ctx)
                       ? "lists" : "lists:active",
                       RBL_WORDS(RBL_STR("0"), RBL_STR(NGX_RBL_LISTS_LAST)));

    if (ngx_rbl_lists_whole(ctx)) {
        ngx_rbl_ask_system(ctx, ctx->batch, "HKEYS", "lists:override", 0, NULL);
    }
}


static void
ngx_rbl_lists_proceed(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t        *keys;
    ngx_rbl_batch_t  *batch;
    ngx_rbl_lists_t  *lists;

    lists = ctx->data;

    if (lists->n == 0) {
        ngx_rbl_open(ctx, 0, "OK");
        rbl_doc_int(&ctx->doc, "partitions_away", 0);
        rbl_doc_array(&ctx->doc, "data");
        rbl_doc_close(&ctx->doc);
        ngx_rbl_close(ctx);
        return;
    }

    lists->partial = 1;
    lists->away = ngx_rbl_store_partitions_away(ctx->store);
    batch = ngx_rbl_lists_ask(ctx);
    keys = ngx_rbl_record_keys(ctx, RBL_STR("SYS"), lists->n, lists->sids);

    if (batch != NULL && keys != NULL) {
        ngx_rbl_batch_records(batch, lists->n, keys);
        ngx_rbl_slow(ctx);
    }
}


/* The k-th list of operator/lists. */

static void
ngx_rbl_lists_write(ngx_rbl_ctx_t *ctx, ngx_uint_t k, const rbl_list_t *list)
{
    rbl_doc_t        *doc;
    ngx_uint_t        bit;
    ngx_rbl_lists_t  *lists;

    lists = ctx->data;
    doc = &ctx->doc;

    rbl_view_list_all(doc, list, &lists->state[k], ctx->timezone);
    rbl_view_list_responses(doc, &lists->state[k], ctx->timezone);
    rbl_view_list_own(doc, list);
    rbl_doc_array(doc, "by_hand");

    if (lists->hand[k] & 1) {
        rbl_doc_z(doc, NULL, "status");
    }

    for (bit = 2; ngx_rbl_hand[bit] != NULL; bit++) {
        if (lists->hand[k] & 1 << bit) {
            rbl_doc_z(doc, NULL, ngx_rbl_hand[bit] + 1);
        }
    }

    rbl_doc_close(doc);
}


/* A list whose state is away is written as one without a state. */

static void
ngx_rbl_lists_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    ngx_uint_t        k;
    rbl_doc_t        *doc;
    rbl_list_t        list;
    ngx_rbl_lists_t  *lists;

    if (ngx_rbl_lists_state(ctx, i, reply)) {
        return;
    }

    doc = &ctx->doc;
    lists = ctx->data;

    ngx_rbl_open(ctx, lists->n * NGX_RBL_LISTS_GUESS, "OK");
    rbl_doc_int(doc, "partitions_away", (int64_t) lists->away);
    rbl_doc_array(doc, "data");

    for (k = 0; k < lists->n; k++) {
        if (rbl_list_decode(&list, rbl_reply_str(rbl_reply_at(reply, k)))
            != RBL_OK)
        {
            continue;
        }

        rbl_doc_object(doc, NULL);

        if (ngx_rbl_lists_whole(ctx)) {
            ngx_rbl_lists_write(ctx, k, &list);

        } else {
            rbl_doc_str(doc, "id", lists->sids[k]);
            rbl_doc_str(doc, "weight", list.weight);
            rbl_view_list_found(doc, &list, &lists->state[k], ctx->timezone);
            rbl_view_list_responses(doc, &lists->state[k], ctx->timezone);
        }

        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
    ngx_rbl_close(ctx);
}


#define NGX_RBL_LISTS                                                         \
    { .prepare = ngx_rbl_lists_prepare, .read = ngx_rbl_lists_read,           \
      .proceed = ngx_rbl_lists_proceed, .result = ngx_rbl_lists_result }

const ngx_rbl_op_t  ngx_rbl_op_lists_state = NGX_RBL_LISTS;
const ngx_rbl_op_t  ngx_rbl_op_operator_lists = NGX_RBL_LISTS;
