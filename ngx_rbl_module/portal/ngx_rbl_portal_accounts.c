/*
 * operator/accounts: all accounts, partition after partition, in pages; or the
 * account of an id.
 *
 * The rounds: the number of accounts of each partition; the SIDs of the page;
 * their records, with the numbers of hosts and of listed hosts.  A page costs
 * the same in a store of any size, but for one command a partition.
 *
 * Partitions whose node is not ready are left out, and the answer has their
 * number.
 *
 * A cursor is "<partition>-<rank>" of the next account.  Ranks do not shift:
 * accounts are added at the end, and none is deleted.
 */

#include "ngx_rbl_portal.h"
#include "ngx_rbl_write.h"

#include "rbl_time.h"


#define NGX_RBL_ACCOUNTS_MAX    100     /* of a page */
#define NGX_RBL_ACCOUNTS_PAGE   50      /* the default */
#define NGX_RBL_ACCOUNTS_GUESS  320     /* bytes of one in the answer */
#define NGX_RBL_ACCOUNTS_READS  3       /* commands of an account */

enum {                                  /* fields */
    NGX_RBL_ACCOUNTS_ID = 0,
    NGX_RBL_ACCOUNTS_AFTER,
    NGX_RBL_ACCOUNTS_LIMIT
};

enum {                                  /* reads of an account */
    NGX_RBL_ACCOUNTS_RECORD = 0,
    NGX_RBL_ACCOUNTS_HOSTS,
    NGX_RBL_ACCOUNTS_LISTED
};

typedef struct {
    rbl_sid_t    sid;
    rbl_str_t    raw;                   /* its record; p NULL: gone */
    int64_t      hosts, listed;
} ngx_rbl_accounts_one_t;

typedef enum {
    NGX_RBL_ACCOUNTS_COUNTED = 0,
    NGX_RBL_ACCOUNTS_NAMED,
    NGX_RBL_ACCOUNTS_READ
} ngx_rbl_accounts_round_e;

typedef struct {
    ngx_rbl_accounts_round_e  round;
    int64_t                   p, rank;  /* where to begin; then where the next
                                           page begins, p -1: nowhere */
    int64_t                   limit, left;
    int64_t                  *count;    /* of each partition; -1: away */
    ngx_uint_t                away;     /* partitions that are left out */
    ngx_uint_t                counted;  /* partition of the next count */
    int64_t                   total;
    ngx_uint_t                ranges;   /* commands of the second round */
    ngx_uint_t                n;
    ngx_rbl_accounts_one_t    one[NGX_RBL_ACCOUNTS_MAX];
} ngx_rbl_accounts_t;


static int
ngx_rbl_accounts_sid(rbl_run_t *run, rbl_str_t *text)
{
    ngx_rbl_ctx_t       *ctx;
    ngx_rbl_accounts_t  *all;

    ctx = ngx_rbl_of(run);
    all = ctx->data;

    if (rbl_sid_parse(&all->one[0].sid, RBL_SID_ACCOUNT, *text) != RBL_OK) {
        return NGX_DECLINED;
    }

    all->n = 1;

    return NGX_OK;
}


static int
ngx_rbl_accounts_cursor(rbl_run_t *run, rbl_str_t *text)
{
    rbl_str_t            p, rank;
    const char          *dash;
    ngx_rbl_ctx_t       *ctx;
    ngx_rbl_accounts_t  *all;

    ctx = ngx_rbl_of(run);
    all = ctx->data;
    dash = text->n ? memchr(text->p, '-', text->n) : NULL;

    if (dash == NULL) {
        return NGX_DECLINED;
    }

    p.p = text->p;
    p.n = dash - text->p;
    rank.p = dash + 1;
    rank.n = text->n - p.n - 1;

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


static const rbl_field_t  ngx_rbl_accounts_fields[] = {
    RBL_TEXT("id", 0, ngx_rbl_accounts_sid, 0),
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
ngx_rbl_accounts_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t            text;
    ngx_rbl_accounts_t  *all;
    const rbl_field_t   *f;

    all = ngx_rbl_data(ctx, sizeof(ngx_rbl_accounts_t));
    if (all == NULL) {
        return;
    }

    all->limit = NGX_RBL_ACCOUNTS_PAGE;

    for (f = ngx_rbl_accounts_fields; f->name.n; f++) {
        if (rbl_judged(&ctx->run, f, &text) != NGX_OK) {
            return;
        }
    }
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
                              rbl_key(&key, ks, p, "accounts", RBL_STR(""),
                                      RBL_STR(""))));
    }
}


static void
ngx_rbl_accounts_one(rbl_doc_t *doc, const ngx_rbl_accounts_one_t *one)
{
    char           time[RBL_TIME_LEN];
    rbl_account_t  account;

    if (one->raw.p == NULL || rbl_account_decode(&account, one->raw) != RBL_OK)
    {
        return;
    }

    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "id", rbl_sid_str(&one->sid));
    rbl_doc_str(doc, "name", account.name);
    rbl_doc_str(doc, "status", account.status);
    rbl_doc_str(doc, "plan", account.plan);
    rbl_doc_int(doc, "hosts", one->hosts);
    rbl_doc_int(doc, "listed", one->listed);
    rbl_doc_int(doc, "max_hosts", account.max_hosts);
    rbl_doc_str(doc, "created", rbl_time_rfc3339(time, account.created));
    rbl_doc_close(doc);
}


static void
ngx_rbl_accounts_write(ngx_rbl_ctx_t *ctx)
{
    u_char               buf[2 * NGX_INT64_LEN + 2];
    rbl_str_t            next;
    ngx_uint_t           k;
    ngx_rbl_accounts_t  *all;

    all = ctx->data;
    next.p = (char *) buf;
    next.n = all->p < 0 ? 0 : (size_t) (ngx_sprintf(buf, "%L-%L", all->p,
                                                    all->rank)
                                        - buf);

    ngx_rbl_open(ctx, all->n * NGX_RBL_ACCOUNTS_GUESS, "OK");
    rbl_doc_int(&ctx->doc, "total", ngx_max(all->total - 1, 0));
    rbl_doc_int(&ctx->doc, "partitions_away", (int64_t) all->away);
    rbl_doc_str(&ctx->doc, "next", next);
    rbl_doc_array(&ctx->doc, "data");

    for (k = 0; k < all->n; k++) {
        ngx_rbl_accounts_one(&ctx->doc, &all->one[k]);
    }

    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


static void
ngx_rbl_accounts_records(ngx_rbl_ctx_t *ctx)
{
    rbl_key_t              key;
    rbl_str_t              sid, none = RBL_STR("");
    ngx_uint_t             k;
    ngx_rbl_batch_t       *batch;
    ngx_rbl_accounts_t    *all;
    const rbl_keyspace_t  *ks;

    all = ctx->data;
    all->round = NGX_RBL_ACCOUNTS_READ;
    ks = ngx_rbl_store_keyspace(ctx->store);

    if (all->n == 0) {
        ngx_rbl_accounts_write(ctx);
        return;
    }

    batch = ngx_rbl_next(ctx);
    if (batch == NULL) {
        return;
    }

    for (k = 0; k < all->n; k++) {
        sid = rbl_sid_str(&all->one[k].sid);

        ngx_rbl_batch_command(batch, RBL_COMMAND("GET",
                              rbl_account_key(&key, ks, "acct", sid, none)));
        ngx_rbl_batch_command(batch, RBL_COMMAND("ZCARD",
                              rbl_account_key(&key, ks, "hosts", sid, none)));
        ngx_rbl_batch_command(batch, RBL_COMMAND("ZCARD",
                              rbl_account_key(&key, ks, "listed", sid, none)));
    }
}


static void
ngx_rbl_accounts_range(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch, int64_t n)
{
    char                 text[2][RBL_OUT_INT];
    rbl_key_t            key;
    ngx_rbl_accounts_t  *all;

    all = ctx->data;

    ngx_rbl_batch_command(batch, RBL_COMMAND("ZRANGE",
                          rbl_key(&key, ngx_rbl_store_keyspace(ctx->store),
                                  (unsigned) all->p, "accounts", RBL_STR(""),
                                  RBL_STR("")),
                          rbl_out_int_text(text[0], all->rank),
                          rbl_out_int_text(text[1], all->rank + n - 1)));
    all->ranges++;
}


/* Asks for the SIDs of the page: of as many partitions as it takes. */

static void
ngx_rbl_accounts_ask(ngx_rbl_ctx_t *ctx)
{
    int64_t                n;
    ngx_rbl_batch_t       *batch;
    ngx_rbl_accounts_t    *all;
    const rbl_keyspace_t  *ks;

    all = ctx->data;
    ks = ngx_rbl_store_keyspace(ctx->store);

    if (all->n > 0) {
        all->p = -1;
        ngx_rbl_accounts_records(ctx);
        return;
    }

    for (all->left = all->limit; all->p < ks->partitions; all->p++) {
        n = all->count[all->p] - all->rank;

        if (n > 0 && all->left == 0) {
            break;
        }

        if (n > 0) {
            batch = ngx_rbl_next(ctx);
            if (batch == NULL) {
                return;
            }

            ngx_rbl_accounts_range(ctx, batch, ngx_min(n, all->left));

            if (n > all->left) {
                all->rank += all->left;
                break;
            }

            all->left -= n;
        }

        all->rank = 0;
    }

    if (all->p >= ks->partitions) {
        all->p = -1;
    }

    all->round = NGX_RBL_ACCOUNTS_NAMED;

    if (all->ranges == 0) {
        ngx_rbl_accounts_write(ctx);
    }
}


static void
ngx_rbl_accounts_count(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    int64_t             *count;
    ngx_rbl_accounts_t  *all;

    all = ctx->data;

    while (all->count[all->counted] < 0) {
        all->counted++;
    }

    count = &all->count[all->counted++];
    *count = ngx_max(rbl_reply_int(reply, 0), 0);
    all->total += *count;

    if (i + 1 + all->away == ngx_rbl_store_keyspace(ctx->store)->partitions) {
        ngx_rbl_accounts_ask(ctx);
    }
}


/* The account of the operators is none. */

static void
ngx_rbl_accounts_take(ngx_rbl_accounts_t *all, const redisReply *reply)
{
    size_t      k;
    rbl_sid_t  *sid;

    for (k = 0; k < rbl_reply_len(reply) && all->n < NGX_RBL_ACCOUNTS_MAX; k++)
    {
        sid = &all->one[all->n].sid;

        if (rbl_sid_parse(sid, RBL_SID_ACCOUNT,
                          rbl_reply_str(rbl_reply_at(reply, k)))
            == RBL_OK
            && ngx_memcmp(sid->s, RBL_SID_OPERATORS, RBL_SID_LEN) != 0)
        {
            all->n++;
        }
    }
}


static void
ngx_rbl_accounts_keep(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    u_char                  *p;
    rbl_str_t                raw;
    ngx_rbl_accounts_t      *all;
    ngx_rbl_accounts_one_t  *one;

    all = ctx->data;
    one = &all->one[i / NGX_RBL_ACCOUNTS_READS];

    switch (i % NGX_RBL_ACCOUNTS_READS) {

    case NGX_RBL_ACCOUNTS_RECORD:
        raw = rbl_reply_str(reply);
        p = raw.p ? ngx_pnalloc(ctx->request->pool, raw.n + 1) : NULL;

        if (p != NULL) {
            ngx_memcpy(p, raw.p, raw.n);
            one->raw.p = (char *) p;
            one->raw.n = raw.n;
        }

        break;

    case NGX_RBL_ACCOUNTS_HOSTS:
        one->hosts = rbl_reply_int(reply, 0);
        break;

    case NGX_RBL_ACCOUNTS_LISTED:
        one->listed = rbl_reply_int(reply, 0);
    }
}


static void
ngx_rbl_accounts_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    ngx_rbl_accounts_t  *all;

    all = ctx->data;

    switch (all->round) {

    case NGX_RBL_ACCOUNTS_COUNTED:
        ngx_rbl_accounts_count(ctx, i, reply);
        break;

    case NGX_RBL_ACCOUNTS_NAMED:
        ngx_rbl_accounts_take(all, reply);

        if (i + 1 == all->ranges) {
            ngx_rbl_accounts_records(ctx);
        }

        break;

    default:
        ngx_rbl_accounts_keep(ctx, i, reply);

        if (i + 1 == all->n * NGX_RBL_ACCOUNTS_READS) {
            ngx_rbl_accounts_write(ctx);
        }
    }
}


const ngx_rbl_op_t  ngx_rbl_op_operator_accounts = {
    .fields = ngx_rbl_accounts_fields,
    .prepare = ngx_rbl_accounts_prepare,
    .proceed = ngx_rbl_accounts_proceed,
    .result = ngx_rbl_accounts_result
};
