/*
 * operator/status: the verdict, the daemons and the addresses that they query
 * from, what waits, and the size of the store.
 *
 * The partitions are counted in slices, one batch each on the slow link, so
 * that other requests go between them.  Partitions whose node is not ready are
 * left out, and the answer has their number.  Of a partition the queues of the
 * first accounts are counted, which have waited longest; with more accounts the
 * answer says that there is more.
 *
 * Measured: a partition with that many accounts takes 0.3 ms of Redis,
 * more than half of it to check the rights of the user (ACL).
 */

#include "ngx_rbl_portal.h"
#include "ngx_rbl_status.h"
#include "ngx_rbl_verdict.h"


#define NGX_RBL_STATUS_SLICE     8      /* partitions of a batch */
#define NGX_RBL_STATUS_ACCOUNTS  "8"    /* of a partition */
#define NGX_RBL_STATUS_GUESS     1024   /* bytes of a daemon in the answer */
#define NGX_RBL_STATUS_FROM      64     /* addresses in the answer */
#define NGX_RBL_STATUS_FROM_LAST "63"


/* Counts of each partition, besides the queues of accounts. */

enum {
    NGX_RBL_COUNT_RUNNING = 0,
    NGX_RBL_COUNT_OPENED,
    NGX_RBL_COUNT_OUTBOX,
    NGX_RBL_COUNT_DELIVERIES,
    NGX_RBL_COUNT_DIGESTS,
    NGX_RBL_COUNT_ACCOUNTS,
    NGX_RBL_COUNT_PAYMENTS,
    NGX_RBL_COUNTS
};

static const struct {
    const char  *verb, *key;
} ngx_rbl_status_counts[NGX_RBL_COUNTS] = {
    { "ZCARD", "leases" }, { "HLEN", "flight:due" }, { "XLEN", "outbox" },
    { "ZCARD", "retry" }, { "ZCARD", "digests" }, { "ZCARD", "accounts" },
    { "ZCARD", "unpaid:operator" }
};

/* Replies of a partition: those, and the script. */
#define NGX_RBL_STATUS_REPLIES  (NGX_RBL_COUNTS + 1)

enum {                                  /* of the first round */
    NGX_RBL_FIRST_NAMES = 0,
    NGX_RBL_FIRST_LISTS,
    NGX_RBL_FIRST_FROM,
    NGX_RBL_FIRST_ACTIVE
};

typedef struct {
    ngx_rbl_fleet_t  fleet;
    ngx_uint_t       slices;            /* 1: the partitions are being
                                           counted */
    ngx_uint_t       daemons;           /* of this round: 1 if it begins with
                                           their records */
    ngx_uint_t       from;              /* the first of the next round */
    ngx_uint_t       n;                 /* partitions of this round */
    ngx_uint_t       away;              /* left out */
    int64_t          lists, active;
    ngx_uint_t       nfrom;
    rbl_str_t        from_at[NGX_RBL_STATUS_FROM];  /* "<address> <host name>"
                                           of daemons */
    int64_t          sum[NGX_RBL_COUNTS];
    int64_t          manual, due, oldest, soon, scheduled;
    ngx_uint_t       more;
} ngx_rbl_operator_status_t;

/* The counters of a daemon that the answer has. */

static const struct {
    const char  *key;
    ngx_uint_t   n;
} ngx_rbl_status_counters[] = {
    { "checks", RBL_M_CHECKS_COMPLETED },
    { "checks_failed", RBL_M_CHECKS_FAILED },
    { "checks_running", RBL_M_CHECKS_IN_FLIGHT },
    { "checks_per_1000s", RBL_M_CHECKS_RATE },
    { "queries", RBL_M_QUESTIONS },
    { "queries_waiting", RBL_M_QUESTIONS_WAITING },
    { "timeouts", RBL_M_TRIES_TIMED_OUT },
    { "delivered", RBL_M_DELIVERED },
    { "deliveries_failed", RBL_M_RETRIED },
    { "deliveries_dead", RBL_M_DEAD },
    { NULL, 0 }
};


/* Nothing is read for others than operators. */

static void
ngx_rbl_operator_status_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_batch_t            *batch;
    ngx_rbl_operator_status_t  *st;

    st = ngx_rbl_data(ctx, sizeof(ngx_rbl_operator_status_t));
    batch = ngx_rbl_next(ctx);

    if (st == NULL || batch == NULL) {
        return;
    }

    st->fleet.pool = ctx->request->pool;
    st->fleet.store = ctx->store;

    ngx_rbl_fleet_ask_names(&st->fleet, batch);
    ngx_rbl_ask_system(ctx, batch, "ZCARD", "lists", 0, NULL);
    ngx_rbl_ask_system(ctx, batch, "ZRANGE", "daemons:addr",
                       RBL_WORDS(RBL_STR("0"),
                                 RBL_STR(NGX_RBL_STATUS_FROM_LAST)));
    ngx_rbl_ask_system(ctx, batch, "ZCARD", "lists:active", 0, NULL);
}


/* 1: `from` is a partition that can be counted; 0: there are no more. */

static ngx_uint_t
ngx_rbl_operator_status_more(ngx_rbl_ctx_t *ctx)
{
    ngx_uint_t                  partitions;
    ngx_rbl_operator_status_t  *st;

    st = ctx->data;
    partitions = ngx_rbl_store_keyspace(ctx->store)->partitions;

    while (st->from < partitions
           && !ngx_rbl_store_has(ctx->store, (unsigned) st->from))
    {
        st->from++;
        st->away++;
    }

    return st->from < partitions;
}


static void
ngx_rbl_operator_status_queues(rbl_doc_t *doc,
    const ngx_rbl_operator_status_t *st)
{
    rbl_doc_object(doc, "queues");
    rbl_doc_int(doc, "manual", st->manual);
    rbl_doc_int(doc, "due", st->due);
    rbl_doc_int(doc, "oldest", st->oldest / 1000);
    rbl_doc_int(doc, "soon", st->soon);
    rbl_doc_int(doc, "scheduled", st->scheduled);
    rbl_doc_bool(doc, "more", (int) st->more);
    rbl_doc_int(doc, "running", st->sum[NGX_RBL_COUNT_RUNNING]
                                + st->sum[NGX_RBL_COUNT_OPENED]);
    rbl_doc_int(doc, "outbox", st->sum[NGX_RBL_COUNT_OUTBOX]);
    rbl_doc_int(doc, "deliveries", st->sum[NGX_RBL_COUNT_DELIVERIES]);
    rbl_doc_int(doc, "digests", st->sum[NGX_RBL_COUNT_DIGESTS]);
    rbl_doc_int(doc, "payments", st->sum[NGX_RBL_COUNT_PAYMENTS]);
    rbl_doc_close(doc);
}


static void
ngx_rbl_operator_status_daemon(ngx_rbl_ctx_t *ctx, const ngx_rbl_daemon_t *d)
{
    rbl_doc_t                     *doc;
    ngx_uint_t                     i;
    const rbl_resolver_metrics_t  *m;

    doc = &ctx->doc;

    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "name", d->record.name);
    rbl_doc_str(doc, "version", d->record.release);
    rbl_run_at(&ctx->run, doc, "started", d->record.started);
    rbl_run_at(&ctx->run, doc, "seen", d->record.told);

    for (i = 0; ngx_rbl_status_counters[i].key != NULL; i++) {
        rbl_doc_int(doc, ngx_rbl_status_counters[i].key,
                    ngx_max(d->number[ngx_rbl_status_counters[i].n], 0));
    }

    rbl_doc_array(doc, "resolvers");

    for (i = 0; i < d->nresolvers; i++) {
        m = &d->resolver[i];

        rbl_doc_object(doc, NULL);
        rbl_doc_str(doc, "address", m->address);
        rbl_doc_int(doc, "answered", ngx_max(m->number[RBL_MR_ANSWERED], 0));
        rbl_doc_int(doc, "failed", ngx_max(m->number[RBL_MR_FAILED], 0));
        rbl_doc_int(doc, "latency_us", m->number[RBL_MR_ANSWERED] > 0
                    ? m->number[RBL_MR_TIME] / m->number[RBL_MR_ANSWERED] : 0);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
    rbl_doc_close(doc);
}


/* The largest number that a daemon reports; 0: none knows it. */

static int64_t
ngx_rbl_operator_status_most(const ngx_rbl_operator_status_t *st, ngx_uint_t m)
{
    int64_t     most;
    ngx_uint_t  i;

    most = 0;

    for (i = 0; i < st->fleet.n; i++) {
        most = ngx_max(most, st->fleet.daemon[i].number[m]);
    }

    return most;
}


/* Some lists answer registered addresses only, and have to know these. */

static void
ngx_rbl_operator_status_from(rbl_doc_t *doc,
    const ngx_rbl_operator_status_t *st)
{
    rbl_str_t   host;
    ngx_uint_t  i;

    rbl_doc_array(doc, "addresses");

    for (i = 0; i < st->nfrom; i++) {
        host = st->from_at[i];

        rbl_doc_object(doc, NULL);
        rbl_doc_str(doc, "address", rbl_until(&host, ' '));
        rbl_doc_str(doc, "host", host);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}


/* The account of the operators is none. */

static void
ngx_rbl_operator_status_write(ngx_rbl_ctx_t *ctx)
{
    rbl_doc_t                  *doc;
    ngx_uint_t                  i;
    ngx_rbl_operator_status_t  *st;

    st = ctx->data;
    doc = &ctx->doc;

    ngx_rbl_open(ctx, st->fleet.n * NGX_RBL_STATUS_GUESS, "OK");
    rbl_doc_object(doc, "data");
    ngx_rbl_verdict_write(doc, ctx->conf->store_index,
                          NGX_RBL_VERDICT_REASONS);

    rbl_doc_object(doc, "store");
    rbl_doc_int(doc, "partitions",
                ngx_rbl_store_keyspace(ctx->store)->partitions);
    rbl_doc_int(doc, "partitions_away", (int64_t) st->away);
    rbl_doc_int(doc, "accounts",
                ngx_max(st->sum[NGX_RBL_COUNT_ACCOUNTS] - 1, 0));
    rbl_doc_int(doc, "lists", st->lists);
    rbl_doc_int(doc, "lists_active", st->active);
    rbl_doc_int(doc, "memory", ngx_rbl_operator_status_most(st,
                                   RBL_M_STORE_MEMORY));
    rbl_doc_int(doc, "memory_max", ngx_rbl_operator_status_most(st,
                                       RBL_M_STORE_MEMORY_MAX));
    rbl_doc_int(doc, "replicas", ngx_rbl_operator_status_most(st,
                                     RBL_M_STORE_REPLICAS));
    rbl_doc_close(doc);

    ngx_rbl_operator_status_queues(doc, st);

    rbl_doc_array(doc, "daemons");

    for (i = 0; i < st->fleet.n; i++) {
        ngx_rbl_operator_status_daemon(ctx, &st->fleet.daemon[i]);
    }

    rbl_doc_close(doc);
    ngx_rbl_operator_status_from(doc, st);
    rbl_doc_close(doc);
    ngx_rbl_close(ctx);
}


static void
ngx_rbl_operator_status_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch,
    ngx_uint_t p)
{
    rbl_key_t               key;
    ngx_uint_t              i;
    const rbl_keyspace_t   *ks;
    rbl_queue_count_args_t  args;

    ks = ngx_rbl_store_keyspace(ctx->store);

    for (i = 0; i < NGX_RBL_COUNTS; i++) {
        ngx_rbl_batch_command(batch, RBL_WORDS(
                              rbl_str(ngx_rbl_status_counts[i].verb),
                              rbl_key(&key, ks, p, ngx_rbl_status_counts[i].key,
                                      RBL_STR(""), RBL_STR(""))));
    }

    args.lists = rbl_key(&key, ks, p, "lists", RBL_STR(""), RBL_STR(""));
    args.rank = RBL_STR("0");
    args.accounts = RBL_STR(NGX_RBL_STATUS_ACCOUNTS);

    ngx_rbl_batch_script(batch, &rbl_script_queue_count, RBL_ARGC(args),
                         args.argv);
}


static void
ngx_rbl_operator_status_slice(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_batch_t            *batch;
    ngx_rbl_operator_status_t  *st;

    st = ctx->data;

    if (!ngx_rbl_operator_status_more(ctx) && !st->daemons) {
        ngx_rbl_operator_status_write(ctx);
        return;
    }

    batch = ngx_rbl_next(ctx);

    if (batch == NULL) {
        return;
    }

    if (st->daemons) {
        ngx_rbl_fleet_ask_records(&st->fleet, batch);
    }

    for (st->n = 0;
         st->n < NGX_RBL_STATUS_SLICE && ngx_rbl_operator_status_more(ctx);
         st->n++)
    {
        ngx_rbl_operator_status_ask(ctx, batch, st->from++);
    }

    ngx_rbl_slow(ctx);
}


static void
ngx_rbl_operator_status_first(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    ngx_uint_t                  k;
    ngx_rbl_operator_status_t  *st;

    st = ctx->data;

    switch (i) {

    case NGX_RBL_FIRST_NAMES:
        ngx_rbl_fleet_names(&st->fleet, 0, reply);
        break;

    case NGX_RBL_FIRST_LISTS:
        st->lists = rbl_reply_int(reply, 0);
        break;

    case NGX_RBL_FIRST_FROM:
        for (k = 0; k < rbl_reply_len(reply) && k < NGX_RBL_STATUS_FROM; k++) {
            st->from_at[k] = ngx_rbl_keep(ctx->request->pool,
                                          rbl_reply_str(rbl_reply_at(reply,
                                                                     k)));
            st->nfrom += st->from_at[k].p != NULL;
        }

        break;

    default:
        st->active = rbl_reply_int(reply, 0);
        st->slices = 1;
        st->daemons = st->fleet.nnames > 0;
        ngx_rbl_operator_status_slice(ctx);
    }
}


static void
ngx_rbl_operator_status_add(ngx_rbl_operator_status_t *st, ngx_uint_t i,
    const redisReply *reply)
{
    rbl_queue_count_reply_t  said;

    if (i < NGX_RBL_COUNTS) {
        st->sum[i] += rbl_reply_int(reply, 0);
        return;
    }

    rbl_queue_count_reply(&said, reply);

    st->manual += said.manual;
    st->due += said.due;
    st->oldest = ngx_max(st->oldest, said.oldest);
    st->soon += said.soon;
    st->scheduled += said.scheduled;
    st->more |= said.rank >= 0;
}


static void
ngx_rbl_operator_status_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    ngx_rbl_operator_status_t  *st;

    st = ctx->data;

    if (!st->slices) {
        ngx_rbl_operator_status_first(ctx, i, reply);
        return;
    }

    if (st->daemons && i == 0) {
        ngx_rbl_fleet_records(&st->fleet, 0, reply);

    } else {
        ngx_rbl_operator_status_add(st, (i - st->daemons)
                                        % NGX_RBL_STATUS_REPLIES, reply);
    }

    if (i + 1 == st->daemons + st->n * NGX_RBL_STATUS_REPLIES) {
        st->daemons = 0;
        ngx_rbl_operator_status_slice(ctx);
    }
}


const ngx_rbl_op_t  ngx_rbl_op_operator_status = {
    .proceed = ngx_rbl_operator_status_proceed,
    .result = ngx_rbl_operator_status_result
};
