/*
 * operator/receivers: the webhooks, contacts and applications with callbacks
 * for which most deliveries wait, of all accounts.
 *
 * The first round reads the deliveries of each partition that are due first, so
 * the numbers are lower bounds, and those of other receivers are not known.
 * The second one reads the accounts and the receivers of the answer.
 * Partitions whose node is not ready are left out, and the answer has their
 * number.
 *
 * Names of webhooks and types of contacts are in the answer, URLs and addresses
 * are not.
 */

#include "ngx_rbl_portal.h"


#define NGX_RBL_WAITING_LAST   "63"     /* rank of the last delivery that is
                                           read of a partition */
#define NGX_RBL_WAITING_MOST   512      /* receivers that are counted */
#define NGX_RBL_WAITING_SHOWN  10
#define NGX_RBL_WAITING_READS  3        /* of each that is shown */

enum {
    NGX_RBL_WAITING_ACCOUNT = 0,
    NGX_RBL_WAITING_RECORD,
    NGX_RBL_WAITING_FAILS
};

typedef struct {
    rbl_sid_t   account, receiver;      /* receiver.n 0: callbacks */
    int64_t     waiting;
    rbl_str_t   name, label;            /* of the account; of the receiver */
    int64_t     since, fails;           /* of a webhook that fails; 0 */
} ngx_rbl_waiting_t;

typedef struct {
    ngx_uint_t          asks;           /* replies of the first round */
    ngx_uint_t          away;
    ngx_uint_t          second;         /* 1: the second round */
    ngx_uint_t          n;
    ngx_rbl_waiting_t  *of;
    ngx_uint_t          shown;
} ngx_rbl_receivers_t;


/* Nothing is read for others than operators. */

static void
ngx_rbl_receivers_proceed(ngx_rbl_ctx_t *ctx)
{
    unsigned               p;
    rbl_key_t              key;
    ngx_rbl_batch_t       *batch;
    ngx_rbl_receivers_t   *all;
    const rbl_keyspace_t  *ks;

    all = ngx_rbl_data(ctx, sizeof(ngx_rbl_receivers_t));
    batch = ngx_rbl_next(ctx);

    if (all == NULL || batch == NULL) {
        return;
    }

    all->of = ngx_pcalloc(ctx->request->pool, NGX_RBL_WAITING_MOST
                                              * sizeof(ngx_rbl_waiting_t));
    if (all->of == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    ks = ngx_rbl_store_keyspace(ctx->store);

    for (p = 0; p < ks->partitions; p++) {

        /* partition 0 has just answered, since it has the operators */

        if (p > 0 && !ngx_rbl_store_has(ctx->store, p)) {
            all->away++;
            continue;
        }

        ngx_rbl_batch_command(batch, RBL_COMMAND("ZRANGE",
                              rbl_key(&key, ks, p, "retry", RBL_STR(""),
                                      RBL_STR("")),
                              RBL_STR("0"), RBL_STR(NGX_RBL_WAITING_LAST)));
        all->asks++;
    }

    ngx_rbl_slow(ctx);
}


/* "<AC>:<EV>:<target>".  from: the first receiver of the same partition; no
   other one has the account. */

static void
ngx_rbl_receivers_count(ngx_rbl_receivers_t *all, ngx_uint_t from,
    rbl_str_t entry)
{
    ngx_uint_t          i;
    rbl_str_t           account;
    ngx_rbl_waiting_t  *w;
    ngx_rbl_waiting_t   is = { .waiting = 0 };

    account = rbl_until(&entry, ':');
    (void) rbl_until(&entry, ':');

    if (rbl_sid_parse(&is.account, RBL_SID_ACCOUNT, account) != RBL_OK) {
        return;
    }

    if (rbl_sid_parse(&is.receiver, RBL_SID_HOOK, entry) != RBL_OK
        && rbl_sid_parse(&is.receiver, RBL_SID_CONTACT, entry) != RBL_OK)
    {
        is.receiver.n = 0;
    }

    for (i = from; i < all->n; i++) {
        w = &all->of[i];

        if (rbl_str_eq(rbl_sid_str(&w->account), rbl_sid_str(&is.account))
            && rbl_str_eq(rbl_sid_str(&w->receiver), rbl_sid_str(&is.receiver)))
        {
            w->waiting++;
            return;
        }
    }

    if (all->n < NGX_RBL_WAITING_MOST) {
        is.waiting = 1;
        all->of[all->n++] = is;
    }
}


static int ngx_libc_cdecl
ngx_rbl_receivers_order(const void *one, const void *two)
{
    const ngx_rbl_waiting_t  *a, *b;

    a = one;
    b = two;

    return (a->waiting < b->waiting) - (a->waiting > b->waiting);
}


/* A record that does not exist reads as "". */

static void
ngx_rbl_receivers_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch,
    const ngx_rbl_waiting_t *w)
{
    rbl_key_t              key;
    rbl_str_t              account, receiver;
    const rbl_keyspace_t  *ks;

    ks = ngx_rbl_store_keyspace(ctx->store);
    account = rbl_sid_str(&w->account);
    receiver = rbl_sid_str(&w->receiver);

    ngx_rbl_batch_command(batch, RBL_COMMAND("GET",
                          rbl_account_key(&key, ks, "acct", account,
                                          RBL_STR(""))));
    ngx_rbl_batch_command(batch, RBL_COMMAND("GET",
                          rbl_account_key(&key, ks, w->receiver.n > 0
                                          && receiver.p[0] == 'W' ? "s" : "r",
                                          account, w->receiver.n > 0
                                                   ? receiver : account)));
    ngx_rbl_batch_command(batch, RBL_COMMAND("HMGET",
                          rbl_account_key(&key, ks, "hook", account,
                                          w->receiver.n > 0 ? receiver
                                                            : account),
                          RBL_STR("since"), RBL_STR("fails")));
}


static void
ngx_rbl_receivers_write(ngx_rbl_ctx_t *ctx)
{
    rbl_doc_t                *doc;
    ngx_uint_t                i;
    ngx_rbl_receivers_t      *all;
    const ngx_rbl_waiting_t  *w;

    all = ctx->data;
    doc = &ctx->doc;

    ngx_rbl_open(ctx, 0, "OK");
    rbl_doc_int(doc, "partitions_away", (int64_t) all->away);
    rbl_doc_array(doc, "data");

    for (i = 0; i < all->shown; i++) {
        w = &all->of[i];

        rbl_doc_object(doc, NULL);
        rbl_doc_str(doc, "account", rbl_sid_str(&w->account));
        rbl_doc_str(doc, "account_name", w->name);
        rbl_doc_str(doc, "id", rbl_sid_str(&w->receiver));
        rbl_doc_str(doc, "name", w->label);
        rbl_doc_int(doc, "waiting", w->waiting);
        rbl_doc_int(doc, "fails", w->fails);
        rbl_run_at(&ctx->run, doc, "failing", w->since);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
    ngx_rbl_close(ctx);
}


/* The end of the first round. */

static void
ngx_rbl_receivers_second(ngx_rbl_ctx_t *ctx)
{
    ngx_uint_t            i;
    ngx_rbl_batch_t      *batch;
    ngx_rbl_receivers_t  *all;

    all = ctx->data;
    ngx_qsort(all->of, all->n, sizeof(ngx_rbl_waiting_t),
              ngx_rbl_receivers_order);
    all->shown = ngx_min(all->n, NGX_RBL_WAITING_SHOWN);
    all->second = 1;

    if (all->shown == 0) {
        ngx_rbl_receivers_write(ctx);
        return;
    }

    batch = ngx_rbl_next(ctx);

    for (i = 0; batch != NULL && i < all->shown; i++) {
        ngx_rbl_receivers_ask(ctx, batch, &all->of[i]);
    }
}


static void
ngx_rbl_receivers_read(ngx_rbl_ctx_t *ctx, ngx_rbl_waiting_t *w, ngx_uint_t i,
    const redisReply *reply)
{
    rbl_str_t      raw;
    rbl_hook_t     hook;
    rbl_account_t  account;
    rbl_contact_t  contact;

    raw = rbl_reply_str(reply);

    switch (i) {

    case NGX_RBL_WAITING_ACCOUNT:
        if (rbl_account_decode(&account, raw) == RBL_OK) {
            w->name = ngx_rbl_keep(ctx->request->pool, account.name);
        }

        return;

    case NGX_RBL_WAITING_RECORD:
        if (w->receiver.n == 0) {
            return;
        }

        if (rbl_sid_str(&w->receiver).p[0] == 'W') {
            if (rbl_hook_decode(&hook, raw) == RBL_OK) {
                w->label = ngx_rbl_keep(ctx->request->pool, hook.name);
            }

        } else if (rbl_contact_decode(&contact, raw) == RBL_OK) {
            w->label = ngx_rbl_keep(ctx->request->pool, contact.type);
        }

        return;

    default:
        w->since = ngx_max(rbl_reply_int(rbl_reply_at(reply, 0), 0), 0);
        w->fails = ngx_max(rbl_reply_int(rbl_reply_at(reply, 1), 0), 0);
    }
}


static void
ngx_rbl_receivers_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    size_t                k;
    ngx_uint_t            from;
    ngx_rbl_receivers_t  *all;

    all = ctx->data;

    if (all->second) {
        ngx_rbl_receivers_read(ctx, &all->of[i / NGX_RBL_WAITING_READS],
                               i % NGX_RBL_WAITING_READS, reply);

        if (i + 1 == all->shown * NGX_RBL_WAITING_READS) {
            ngx_rbl_receivers_write(ctx);
        }

        return;
    }

    from = all->n;

    for (k = 0; k < rbl_reply_len(reply); k++) {
        ngx_rbl_receivers_count(all, from, rbl_reply_str(rbl_reply_at(reply,
                                                                      k)));
    }

    if (i + 1 == all->asks) {
        ngx_rbl_receivers_second(ctx);
    }
}


const ngx_rbl_op_t  ngx_rbl_op_operator_receivers = {
    .proceed = ngx_rbl_receivers_proceed,
    .result = ngx_rbl_receivers_result
};
