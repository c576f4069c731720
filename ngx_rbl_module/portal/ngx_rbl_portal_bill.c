/*
 * billing/ledger and billing/payments as tables for a spreadsheet, the oldest
 * row first.  billing/source/add: where the gateway leads the customer back to.
 * These are only in the portal; the other calls are operations (rbl_op_bill.c).
 */

#include "ngx_rbl_stream.h"
#include "ngx_rbl_write.h"

#include "rbl_ops.h"

#define NGX_RBL_TABLE_SLICE   250       /* rows of a slice */
#define NGX_RBL_BILL_PAGE     "#/billing"

typedef struct {
    ngx_str_t    name;                  /* of the file */
    const char  *what;                  /* for the script */
    const char  *columns;
    ngx_uint_t   begun;
    char         next[RBL_ENTRY_ID];    /* where the next slice begins */
} ngx_rbl_table_t;


static ngx_str_t  ngx_rbl_disposition = ngx_string("Content-Disposition");

static const ngx_rbl_table_t  ngx_rbl_ledger_table = {
    .name = ngx_string("attachment; filename=\"ledger.csv\""),
    .what = "ledger",
    .columns = RBL_CSV_LEDGER
};

static const ngx_rbl_table_t  ngx_rbl_payments_table = {
    .name = ngx_string("attachment; filename=\"payments.csv\""),
    .what = "payments",
    .columns = RBL_CSV_PAYMENTS
};


static void
ngx_rbl_table_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch)
{
    char                    most[RBL_OUT_INT];
    rbl_key_t               key;
    ngx_rbl_table_t        *table;
    rbl_bill_table_args_t   args;

    table = ctx->data;
    args.acct = ngx_rbl_account_key(ctx, &key, "acct", RBL_STR(""));
    args.what = rbl_str(table->what);
    args.cursor = rbl_str(table->next);
    args.most = rbl_out_int_text(most, NGX_RBL_TABLE_SLICE);

    ngx_rbl_batch_script(batch, &rbl_script_bill_table, RBL_ARGC(args),
                         args.argv);
}


/* A payment whose record is damaged is left out. */

static void
ngx_rbl_table_row(ngx_rbl_ctx_t *ctx, const redisReply *row)
{
    rbl_payment_t    payment;
    rbl_movement_t   m;

    if (row->type == REDIS_REPLY_ARRAY) {
        rbl_movement_read(&m, row);
        rbl_csv_movement(&ctx->sink.out, &m);

    } else if (rbl_payment_decode(&payment, rbl_reply_str(row)) == RBL_OK) {
        rbl_csv_payment(&ctx->sink.out, rbl_sid_str(&ctx->account), &payment);
    }
}


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
    rbl_out_z(&ctx->sink.out, table->columns);
    rbl_out_z(&ctx->sink.out, RBL_CSV_HEAD_END);
}


static void
ngx_rbl_table_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    size_t                   k;
    ngx_rbl_table_t         *table;
    rbl_bill_table_reply_t   said;

    table = ctx->data;
    rbl_bill_table_reply(&said, reply);

    if (said.word != RBL_BILL_TABLE_OK) {
        ngx_rbl_internal(ctx);
        return;
    }

    if (!table->begun) {
        ngx_rbl_table_begin(ctx);
    }

    for (k = 0; k < rbl_reply_len(said.rows); k++) {
        ngx_rbl_table_row(ctx, rbl_reply_at(said.rows, k));
    }

    rbl_copy(table->next, sizeof(table->next), said.next);
    ctx->stream->over = said.next.n == 0;
}


static void
ngx_rbl_table_close(ngx_rbl_ctx_t *ctx)
{
}


static void
ngx_rbl_table_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_table_t   *table;
    ngx_rbl_stream_t  *stream;

    table = ngx_rbl_data(ctx, sizeof(ngx_rbl_table_t));
    stream = table == NULL ? NULL : ngx_rbl_stream(ctx);

    if (stream != NULL) {
        *table = rbl_str_is(ngx_rbl_str(&ctx->route->endpoint),
                            "billing/ledger")
                 ? ngx_rbl_ledger_table : ngx_rbl_payments_table;
        stream->ask = ngx_rbl_table_ask;
        stream->read = ngx_rbl_table_read;
        stream->close = ngx_rbl_table_close;
    }
}


const ngx_rbl_op_t  ngx_rbl_op_bill_table = {
    .proceed = ngx_rbl_table_proceed
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
