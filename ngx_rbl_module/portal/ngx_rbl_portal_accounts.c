/*
 * operator/accounts: all accounts, partition after partition, in pages; those
 * of a page with a text in their name; or the account of an id.
 * operator/payments: the payments of all accounts that are in one state of
 * those that are not done.
 *
 * The rounds: the number of rows of each partition; the rows of the page, by a
 * script for each partition that has some.  A page costs the same in a store of
 * any size, but for one command a partition.
 *
 * Partitions whose node is not ready are left out, and the answer has their
 * number.
 *
 * A cursor is "<partition>-<rank>" of the next row.  Ranks of accounts do not
 * shift: accounts are added at the end, and none is deleted.  A payment that
 * ends meanwhile may hide another one until the page is read again.
 */

#include "ngx_rbl_portal.h"
#include "ngx_rbl_write.h"

#include "rbl_codes.h"
#include "rbl_ops.h"


#define NGX_RBL_ACCOUNTS_MAX    100     /* of a page */
#define NGX_RBL_ACCOUNTS_PAGE   50      /* the default */
#define NGX_RBL_ACCOUNTS_GUESS  380     /* bytes of one in the answer */
#define NGX_RBL_ACCOUNTS_NAME   255
#define NGX_RBL_ACCOUNTS_INDEX  "accounts"
#define NGX_RBL_UNPAID_INDEX    "unpaid:"   /* a state is behind it */

typedef struct {
    const char  *index;                 /* of the partitions: key */
    rbl_sid_t    id;                    /* the only one; n 0: a page */
    rbl_str_t    name;                  /* in the names; n 0: any */
    int64_t      p, rank;               /* where to begin; then where the next
                                           page begins, p -1: nowhere */
    int64_t      limit, left;
    int64_t     *count;                 /* of each partition; -1: away */
    ngx_uint_t   away;                  /* partitions that are left out */
    ngx_uint_t   counted;               /* partition of the next count */
    int64_t      total;
    ngx_uint_t   asking;                /* 1: the second round */
    ngx_uint_t   scripts;               /* of it */
} ngx_rbl_accounts_t;


static int
ngx_rbl_accounts_sid(rbl_run_t *run, rbl_str_t *text)
{
    ngx_rbl_ctx_t       *ctx;
    ngx_rbl_accounts_t  *all;

    ctx = ngx_rbl_of(run);
    all = ctx->data;

    return rbl_sid_parse(&all->id, RBL_SID_ACCOUNT, *text) == RBL_OK
           ? NGX_OK : NGX_DECLINED;
}


static int
ngx_rbl_accounts_cursor(rbl_run_t *run, rbl_str_t *text)
{
    rbl_str_t            p, rank;
    ngx_rbl_ctx_t       *ctx;
    ngx_rbl_accounts_t  *all;

    ctx = ngx_rbl_of(run);
    all = ctx->data;
    rank = *text;
    p = rbl_until(&rank, '-');

    return rbl_int_parse(&all->p, p, 0, RBL_PARTITIONS_MAX - 1) == RBL_OK
           && rbl_int_parse(&all->rank, rank, 0, NGX_RBL_TOTAL_MAX) == RBL_OK
           ? NGX_OK : NGX_DECLINED;
}


static int
ngx_rbl_accounts_limit(rbl_run_t *run, rbl_str_t *text)
{
    ngx_rbl_ctx_t       *ctx;
    ngx_rbl_accounts_t  *all;

    ctx = ngx_rbl_of(run);
    all = ctx->data;

    return rbl_int_parse(&all->limit, *text, 1, NGX_RBL_ACCOUNTS_MAX) == RBL_OK
           ? NGX_OK : NGX_DECLINED;
}


static int
ngx_rbl_accounts_name(rbl_run_t *run, rbl_str_t *text)
{
    ngx_rbl_ctx_t       *ctx;
    ngx_rbl_accounts_t  *all;

    ctx = ngx_rbl_of(run);
    all = ctx->data;
    all->name = *text;

    return text->n <= NGX_RBL_ACCOUNTS_NAME ? NGX_OK : NGX_DECLINED;
}


static const rbl_field_t  ngx_rbl_accounts_fields[] = {
    RBL_TEXT("id", 0, ngx_rbl_accounts_sid, 0),
    RBL_TEXT("name", 0, ngx_rbl_accounts_name, 0),
    RBL_TEXT("after", 0, ngx_rbl_accounts_cursor, 0),
    RBL_TEXT("limit", 0, ngx_rbl_accounts_limit, 0),
    RBL_END
};

/* The name of the index is all that a state of payments changes. */

static int
ngx_rbl_payments_state(rbl_run_t *run, rbl_str_t *text)
{
    char                *index;
    ngx_rbl_ctx_t       *ctx;
    ngx_rbl_accounts_t  *all;

    ctx = ngx_rbl_of(run);
    all = ctx->data;
    index = rbl_room(run, sizeof(NGX_RBL_UNPAID_INDEX) + text->n);

    if (index == NULL) {
        return NGX_ERROR;
    }

    ngx_sprintf((u_char *) index, NGX_RBL_UNPAID_INDEX "%*s%Z", text->n,
                text->p);
    all->index = index;

    return rbl_words_have(RBL_STR(RBL_UNPAID_STATES),
                          index + sizeof(NGX_RBL_UNPAID_INDEX) - 1)
           ? NGX_OK : NGX_DECLINED;
}


static const rbl_field_t  ngx_rbl_payments_fields[] = {
    RBL_TEXT("state", 0, ngx_rbl_payments_state, 0),
    RBL_TEXT("after", 0, ngx_rbl_accounts_cursor, 0),
    RBL_TEXT("limit", 0, ngx_rbl_accounts_limit, 0),
    RBL_END
};

const ngx_rbl_family_t  ngx_rbl_family_accounts = {
    .resource = "account",
    .kind = RBL_SID_ACCOUNT
};


/* Nothing is read for others than operators. */

static void
ngx_rbl_rows_prepare(ngx_rbl_ctx_t *ctx, const rbl_field_t *f,
    const char *index)
{
    rbl_str_t            text;
    ngx_rbl_accounts_t  *all;

    all = ngx_rbl_data(ctx, sizeof(ngx_rbl_accounts_t));
    if (all == NULL) {
        return;
    }

    all->index = index;
    all->limit = NGX_RBL_ACCOUNTS_PAGE;

    for ( /* void */ ; f->name.n; f++) {
        if (rbl_judged(&ctx->run, f, &text) != NGX_OK) {
            return;
        }
    }
}


static void
ngx_rbl_accounts_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_rows_prepare(ctx, ngx_rbl_accounts_fields, NGX_RBL_ACCOUNTS_INDEX);
}


static void
ngx_rbl_payments_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_rows_prepare(ctx, ngx_rbl_payments_fields,
                         NGX_RBL_UNPAID_INDEX "open");
}


static void
ngx_rbl_accounts_proceed(ngx_rbl_ctx_t *ctx)
{
    unsigned               p;
    rbl_key_t              key;
    ngx_rbl_batch_t       *batch;
    ngx_rbl_accounts_t    *all;
    const rbl_keyspace_t  *ks;

    all = ctx->data;
    ks = ngx_rbl_store_keyspace(ctx->store);
    batch = ngx_rbl_next(ctx);
    all->count = ngx_pcalloc(ctx->request->pool,
                             ks->partitions * sizeof(int64_t));

    if (batch == NULL || all->count == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    for (p = 0; p < ks->partitions; p++) {

        /* partition 0 has just answered, since it has the operators */

        if (p > 0 && !ngx_rbl_store_has(ctx->store, p)) {
            all->count[p] = -1;
            all->away++;
            continue;
        }

        ngx_rbl_batch_command(batch, RBL_COMMAND("ZCARD",
                              rbl_key(&key, ks, p, all->index, RBL_STR(""),
                                      RBL_STR(""))));
    }
}


static ngx_uint_t
ngx_rbl_rows_accounts(const ngx_rbl_accounts_t *all)
{
    return strcmp(all->index, NGX_RBL_ACCOUNTS_INDEX) == 0;
}


/* The rows of a script: p, its partition, is that of the id if there is one. */

static void
ngx_rbl_accounts_script(ngx_rbl_ctx_t *ctx, unsigned p, int64_t n)
{
    char                       first[RBL_OUT_INT], last[RBL_OUT_INT];
    rbl_key_t                  key;
    ngx_rbl_accounts_t        *all;
    rbl_accounts_show_args_t   args;
    rbl_payments_show_args_t   unpaid;

    all = ctx->data;
    args.accounts = unpaid.accounts =
        rbl_key(&key, ngx_rbl_store_keyspace(ctx->store), p,
                NGX_RBL_ACCOUNTS_INDEX, RBL_STR(""), RBL_STR(""));
    args.id = rbl_sid_str(&all->id);
    args.name = all->name.n > 0 ? all->name : RBL_STR("");
    args.first = unpaid.first = rbl_out_int_text(first, all->rank);
    args.last = unpaid.last = rbl_out_int_text(last, all->rank + n - 1);

    if (ngx_rbl_rows_accounts(all)) {
        ngx_rbl_next_script(ctx, &rbl_script_accounts_show, RBL_ARGC(args),
                            args.argv);
    } else {
        unpaid.state = rbl_str(all->index + sizeof(NGX_RBL_UNPAID_INDEX) - 1);
        ngx_rbl_next_script(ctx, &rbl_script_payments_show, RBL_ARGC(unpaid),
                            unpaid.argv);
    }

    all->scripts++;
}


/* Asks for the accounts of the page: of as many partitions as it takes. */

static void
ngx_rbl_accounts_page(ngx_rbl_ctx_t *ctx)
{
    int64_t              n, partitions;
    ngx_rbl_accounts_t  *all;

    all = ctx->data;
    partitions = ngx_rbl_store_keyspace(ctx->store)->partitions;

    for (all->left = all->limit; all->p < partitions; all->p++) {
        n = all->count[all->p] - all->rank;

        if (n > 0 && all->left == 0) {
            return;
        }

        if (n > 0) {
            ngx_rbl_accounts_script(ctx, (unsigned) all->p,
                                    ngx_min(n, all->left));

            if (n > all->left) {
                all->rank += all->left;
                return;
            }

            all->left -= n;
        }

        all->rank = 0;
    }

    all->p = -1;
}


static void
ngx_rbl_accounts_open(ngx_rbl_ctx_t *ctx)
{
    u_char               buf[2 * NGX_INT64_LEN + 2];
    rbl_str_t            next;
    ngx_rbl_accounts_t  *all;

    all = ctx->data;
    next.p = (char *) buf;
    next.n = all->p < 0 ? 0 : (size_t) (ngx_sprintf(buf, "%L-%L", all->p,
                                                    all->rank)
                                        - buf);

    ngx_rbl_open(ctx, (size_t) all->limit * NGX_RBL_ACCOUNTS_GUESS, "OK");
    rbl_doc_int(&ctx->doc, "total", ngx_rbl_rows_accounts(all)
                                    ? ngx_max(all->total - 1, 0) : all->total);
    rbl_doc_int(&ctx->doc, "partitions_away", (int64_t) all->away);
    rbl_doc_str(&ctx->doc, "next", next);
    rbl_doc_array(&ctx->doc, "data");
}


static void
ngx_rbl_accounts_close(ngx_rbl_ctx_t *ctx)
{
    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


static void
ngx_rbl_accounts_count(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    int64_t               *count;
    ngx_rbl_accounts_t    *all;
    const rbl_keyspace_t  *ks;

    all = ctx->data;
    ks = ngx_rbl_store_keyspace(ctx->store);

    while (all->count[all->counted] < 0) {
        all->counted++;
    }

    count = &all->count[all->counted++];
    *count = ngx_max(rbl_reply_int(reply, 0), 0);
    all->total += *count;

    if (i + 1 + all->away < ks->partitions) {
        return;
    }

    all->asking = 1;

    if (all->id.n > 0) {
        all->p = -1;
        ngx_rbl_accounts_script(ctx, rbl_partition(ks, rbl_sid_str(&all->id)),
                                1);

    } else {
        ngx_rbl_accounts_page(ctx);
    }

    if (all->scripts == 0) {
        ngx_rbl_accounts_open(ctx);
        ngx_rbl_accounts_close(ctx);
    }
}


/* The account of the operators is none. */

static void
ngx_rbl_accounts_one(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    rbl_doc_t                    *doc;
    rbl_account_t                 account;
    rbl_accounts_show_account_t   row;

    rbl_accounts_show_account(&row, reply);

    if (rbl_account_decode(&account, row.record) != RBL_OK
        || rbl_str_is(row.id, RBL_SID_OPERATORS))
    {
        return;
    }

    doc = &ctx->doc;

    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "id", row.id);
    rbl_doc_str(doc, "name", account.name);
    rbl_doc_str(doc, "status", account.status);
    rbl_doc_str(doc, "plan", account.plan);
    rbl_doc_int(doc, "hosts", row.hosts);
    rbl_doc_int(doc, "listed", row.listed);
    rbl_doc_z(doc, "worst", rbl_weight_word((rbl_weight_t) row.weight));
    rbl_doc_int(doc, "worst_hosts", row.worst);
    rbl_doc_int(doc, "unknown", row.unknown);
    rbl_doc_int(doc, "max_hosts", account.max_hosts);
    rbl_run_at(&ctx->run, doc, "created", account.created);
    rbl_doc_close(doc);
}


static void
ngx_rbl_payments_one(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    rbl_doc_t                    *doc;
    rbl_bill_t                    bill;
    rbl_account_t                 account;
    rbl_payments_show_payment_t   row;

    rbl_payments_show_payment(&row, reply);

    if (rbl_account_decode(&account, row.account) != RBL_OK
        || rbl_bill_decode(&bill, row.bill) != RBL_OK)
    {
        return;
    }

    doc = &ctx->doc;

    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "account", row.id);
    rbl_doc_str(doc, "name", account.name);
    rbl_doc_str(doc, "status", account.status);
    rbl_doc_str(doc, "plan", bill.plan);
    rbl_doc_str(doc, "gateway", bill.gateway);
    rbl_bill_payment(&ctx->run, doc, "payment", row.payment);
    rbl_doc_close(doc);
}


static void
ngx_rbl_accounts_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    size_t                      k;
    ngx_rbl_accounts_t         *all;
    rbl_accounts_show_reply_t   said;
    rbl_payments_show_reply_t   unpaid;

    all = ctx->data;

    if (!all->asking) {
        ngx_rbl_accounts_count(ctx, i, reply);
        return;
    }

    if (i == 0) {
        ngx_rbl_accounts_open(ctx);
    }

    if (ngx_rbl_rows_accounts(all)) {
        rbl_accounts_show_reply(&said, reply);

        for (k = 0; k < rbl_reply_len(said.accounts); k++) {
            ngx_rbl_accounts_one(ctx, rbl_reply_at(said.accounts, k));
        }

    } else {
        rbl_payments_show_reply(&unpaid, reply);

        for (k = 0; k < rbl_reply_len(unpaid.payments); k++) {
            ngx_rbl_payments_one(ctx, rbl_reply_at(unpaid.payments, k));
        }
    }

    if (i + 1 == all->scripts) {
        ngx_rbl_accounts_close(ctx);
    }
}


const ngx_rbl_op_t  ngx_rbl_op_operator_accounts = {
    .fields = ngx_rbl_accounts_fields,
    .prepare = ngx_rbl_accounts_prepare,
    .proceed = ngx_rbl_accounts_proceed,
    .result = ngx_rbl_accounts_result
};

const ngx_rbl_op_t  ngx_rbl_op_operator_payments = {
    .fields = ngx_rbl_payments_fields,
    .prepare = ngx_rbl_payments_prepare,
    .proceed = ngx_rbl_accounts_proceed,
    .result = ngx_rbl_accounts_result
};
