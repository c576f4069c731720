/*
 * billing/ledger and billing/payments as tables for a spreadsheet, the oldest
 * row first.  billing/source/add: where the gateway leads the customer back to.
 * These are only in the portal; the other calls are operations (rbl_op_bill.c).
 */

#include "ngx_rbl_stream.h"
#include "ngx_rbl_write.h"

#include "rbl_ops.h"

#define NGX_RBL_TABLE_SLICE   500       /* rows of a slice */
#define NGX_RBL_BILL_PAGE     "#/billing"

typedef struct ngx_rbl_table_s  ngx_rbl_table_t;

struct ngx_rbl_table_s {
    ngx_str_t    name;                  /* of the file */
    void       (*head)(rbl_out_t *out);

    /* Adds the command of the next slice; writes its rows and returns how many
       there are. */
    void       (*ask)(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch);
    size_t     (*rows)(ngx_rbl_ctx_t *ctx, const redisReply *reply);
    ngx_uint_t   begun;
    int64_t      rank;                  /* where the next slice begins: of
                                           payments; */
    char         edge[RBL_ENTRY_ID];    /* of movements, "-" or "(ID" */
    size_t       n;                     /* octets of it */
};


static ngx_str_t  ngx_rbl_disposition = ngx_string("Content-Disposition");


static void
ngx_rbl_ledger_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch)
{
    char              number[RBL_OUT_INT];
    rbl_key_t         key;
    ngx_rbl_table_t  *table;

    table = ctx->data;

    ngx_rbl_batch_command(batch, RBL_COMMAND("XRANGE",
                          ngx_rbl_account_key(ctx, &key, "ledger", RBL_STR("")),
                          ((rbl_str_t) { table->edge, table->n }),
                          RBL_STR("+"), RBL_STR("COUNT"),
                          rbl_out_int_text(number, NGX_RBL_TABLE_SLICE)));
}


static size_t
ngx_rbl_ledger_rows(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    size_t            k, n;
    ngx_rbl_table_t  *table;
    rbl_movement_t    m;

    table = ctx->data;
    n = rbl_reply_len(reply);

    for (k = 0; k < n; k++) {
        rbl_movement_read(&m, rbl_reply_at(reply, k));
        rbl_csv_movement(&ctx->sink.out, &m);
    }

    if (n > 0) {
        table->n = ngx_min(m.id.n, RBL_ENTRY_ID - 1) + 1;
        table->edge[0] = '(';
        ngx_memcpy(table->edge + 1, m.id.p, table->n - 1);
    }

    return n;
}


static void
ngx_rbl_payments_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch)
{
    char                       first[RBL_OUT_INT], last[RBL_OUT_INT];
    rbl_key_t                  key;
    ngx_rbl_table_t           *table;
    rbl_bill_payments_args_t   args;

    table = ctx->data;
    args.acct = ngx_rbl_account_key(ctx, &key, "acct", RBL_STR(""));
    args.first = rbl_out_int_text(first, table->rank);
    args.last = rbl_out_int_text(last, table->rank + NGX_RBL_TABLE_SLICE - 1);
    args.oldest = RBL_STR("1");

    ngx_rbl_batch_script(batch, &rbl_script_bill_payments, RBL_ARGC(args),
                         args.argv);
}


/* A payment whose record is damaged is left out. */

static size_t
ngx_rbl_payments_rows(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    size_t                      k, n;
    rbl_payment_t               payment;
    ngx_rbl_table_t            *table;
    rbl_bill_payments_reply_t   said;

    table = ctx->data;
    rbl_bill_payments_reply(&said, reply);

    if (said.word != RBL_BILL_PAYMENTS_OK) {
        ngx_rbl_internal(ctx);
        return 0;
    }

    n = rbl_reply_len(said.payments);

    for (k = 0; k < n; k++) {
        if (rbl_payment_decode(&payment,
                               rbl_reply_str(rbl_reply_at(said.payments, k)))
            == RBL_OK)
        {
            rbl_csv_payment(&ctx->sink.out, rbl_sid_str(&ctx->account),
                            &payment);
        }
    }

    table->rank += NGX_RBL_TABLE_SLICE;

    return table->rank < said.total ? NGX_RBL_TABLE_SLICE : n;
}


static const ngx_rbl_table_t  ngx_rbl_ledger_table = {
    .name = ngx_string("attachment; filename=\"ledger.csv\""),
    .head = rbl_csv_ledger,
    .ask = ngx_rbl_ledger_ask,
    .rows = ngx_rbl_ledger_rows,
    .edge = "-",
    .n = 1
};

static const ngx_rbl_table_t  ngx_rbl_payments_table = {
    .name = ngx_string("attachment; filename=\"payments.csv\""),
    .head = rbl_csv_payments,
    .ask = ngx_rbl_payments_ask,
    .rows = ngx_rbl_payments_rows
};


static void
ngx_rbl_table_begin(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_table_t  *table;

    table = ctx->data;
    table->begun = 1;

    if (ngx_rbl_header(ctx->request, &ngx_rbl_disposition, &table->name)
        == NULL)
    {
        ngx_rbl_internal(ctx);
        return;
    }

    ngx_rbl_open_plain(ctx);
    table->head(&ctx->sink.out);
}


static void
ngx_rbl_table_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_table_t  *table;

    table = ctx->data;

    if (reply->type != REDIS_REPLY_ARRAY) {
        ngx_rbl_internal(ctx);
        return;
    }

    if (!table->begun) {
        ngx_rbl_table_begin(ctx);
    }

    if (table->rows(ctx, reply) < NGX_RBL_TABLE_SLICE) {
        ctx->stream->over = 1;
    }
}


static void
ngx_rbl_table_close(ngx_rbl_ctx_t *ctx)
{
}


static void
ngx_rbl_table_proceed(ngx_rbl_ctx_t *ctx, const ngx_rbl_table_t *kind)
{
    ngx_rbl_table_t   *table;
    ngx_rbl_stream_t  *stream;

    table = ngx_rbl_data(ctx, sizeof(ngx_rbl_table_t));
    stream = table == NULL ? NULL : ngx_rbl_stream(ctx);

    if (stream != NULL) {
        *table = *kind;
        stream->ask = kind->ask;
        stream->read = ngx_rbl_table_read;
        stream->close = ngx_rbl_table_close;
    }
}


static void
ngx_rbl_ledger_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_table_proceed(ctx, &ngx_rbl_ledger_table);
}


static void
ngx_rbl_payments_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_table_proceed(ctx, &ngx_rbl_payments_table);
}


const ngx_rbl_op_t  ngx_rbl_op_bill_table = {
    .proceed = ngx_rbl_ledger_proceed
};

const ngx_rbl_op_t  ngx_rbl_op_bill_payments_table = {
    .proceed = ngx_rbl_payments_proceed
};


/* The gateway sends the customer back to the page of the portal.  A Host that a
   client sends is not trusted for that. */

static void
ngx_rbl_bill_source_prepare(ngx_rbl_ctx_t *ctx)
{
    char       *room;
    ngx_str_t  *url;

    url = &ctx->conf->portal_url;

    if (url->len == 0) {
        ngx_rbl_refuse(ctx, NGX_HTTP_FORBIDDEN,
                       "Payment sources cannot be added here: rbl_portal_url"
                       " is not configured.");
        return;
    }

    room = rbl_room(&ctx->run, url->len + sizeof(NGX_RBL_BILL_PAGE));
    if (room == NULL) {
        return;
    }

    ngx_memcpy(room, url->data, url->len);
    ngx_memcpy(room + url->len, NGX_RBL_BILL_PAGE, sizeof(NGX_RBL_BILL_PAGE));

    ctx->run.back = rbl_str(room);
    ngx_rbl_write_prepare(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_bill_source_add = {
    .op = &rbl_op_bill_source_add,
    .prepare = ngx_rbl_bill_source_prepare
};
