/*
 * billing/ledger as a table for a spreadsheet: all movements of the account's
 * money.  billing/source/add: where the gateway leads the customer back to.
 * Both are only in the portal; the other calls are operations (rbl_op_bill.c).
 */

#include "ngx_rbl_stream.h"
#include "ngx_rbl_write.h"

#include "rbl_money.h"
#include "rbl_ops.h"
#include "rbl_time.h"

#define NGX_RBL_LEDGER_SLICE  500       /* movements of a slice of the table */
#define NGX_RBL_BILL_PAGE     "#/billing"

typedef struct {
    ngx_uint_t  begun;
    char        edge[RBL_ENTRY_ID];     /* where to begin: "-" or "(ID" */
    size_t      n;                      /* octets of it */
} ngx_rbl_table_t;


static ngx_str_t  ngx_rbl_disposition = ngx_string("Content-Disposition");
static ngx_str_t  ngx_rbl_attachment =
    ngx_string("attachment; filename=\"ledger.csv\"");


static void
ngx_rbl_table_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_table_t  *table;

    table = ngx_rbl_data(ctx, sizeof(ngx_rbl_table_t));

    if (table != NULL) {
        table->edge[0] = '-';
        table->n = 1;
    }
}


static void
ngx_rbl_table_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch)
{
    char              number[RBL_OUT_INT];
    rbl_key_t         key;
    ngx_rbl_table_t  *table;

    table = ctx->data;

    ngx_rbl_batch_command(batch, RBL_COMMAND("XRANGE",
                          ngx_rbl_account_key(ctx, &key, "ledger", RBL_STR("")),
                          ((rbl_str_t) { table->edge, table->n }),
                          RBL_STR("+"), RBL_STR("COUNT"),
                          rbl_out_int_text(number, NGX_RBL_LEDGER_SLICE)));
}


static void
ngx_rbl_table_begin(ngx_rbl_ctx_t *ctx)
{
    ((ngx_rbl_table_t *) ctx->data)->begun = 1;

    if (ngx_rbl_header(ctx->request, &ngx_rbl_disposition,
                       &ngx_rbl_attachment)
        == NULL)
    {
        ngx_rbl_internal(ctx);
        return;
    }

    ngx_rbl_open_plain(ctx);
    rbl_out_z(&ctx->sink.out,
              "id,at,key,debit,credit,amount,balance,currency,reference\r\n");
}


/* A spreadsheet runs a text that begins with one of these signs, also between
   quotes; not with an apostrophe before it. */

static void
ngx_rbl_table_cell(rbl_out_t *out, rbl_str_t text)
{
    size_t  i;

    rbl_out_char(out, '"');

    if (text.n && memchr("=+-@\t\r\n", text.p[0], 7)) {
        rbl_out_char(out, '\'');
    }

    for (i = 0; i < text.n; i++) {
        if (text.p[i] == '"') {
            rbl_out_char(out, '"');
        }

        rbl_out_char(out, text.p[i]);
    }

    rbl_out_char(out, '"');
}


static void
ngx_rbl_table_row(rbl_out_t *out, const rbl_movement_t *m)
{
    char  time[RBL_TIME_LEN], money[RBL_MONEY_LEN];

    ngx_rbl_table_cell(out, m->id);
    rbl_out_char(out, ',');
    ngx_rbl_table_cell(out, rbl_time_rfc3339(time, m->at));
    rbl_out_char(out, ',');
    ngx_rbl_table_cell(out, m->key);
    rbl_out_char(out, ',');
    ngx_rbl_table_cell(out, m->debit);
    rbl_out_char(out, ',');
    ngx_rbl_table_cell(out, m->credit);
    rbl_out_char(out, ',');
    rbl_out_str(out, rbl_money_text(money, m->amount));
    rbl_out_char(out, ',');
    rbl_out_str(out, rbl_money_text(money, m->balance));
    rbl_out_z(out, ",USD,");
    ngx_rbl_table_cell(out, m->reference);
    rbl_out_z(out, "\r\n");
}


static void
ngx_rbl_table_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    size_t            k, n;
    ngx_rbl_table_t  *table;
    rbl_movement_t    m;

    table = ctx->data;

    if (reply->type != REDIS_REPLY_ARRAY) {
        ngx_rbl_internal(ctx);
        return;
    }

    if (!table->begun) {
        ngx_rbl_table_begin(ctx);
    }

    n = rbl_reply_len(reply);

    for (k = 0; k < n; k++) {
        rbl_movement_read(&m, rbl_reply_at(reply, k));
        ngx_rbl_table_row(&ctx->sink.out, &m);
    }

    if (n < NGX_RBL_LEDGER_SLICE) {
        ctx->stream->over = 1;

    } else {
        table->n = ngx_min(m.id.n, RBL_ENTRY_ID - 1) + 1;
        table->edge[0] = '(';
        ngx_memcpy(table->edge + 1, m.id.p, table->n - 1);
    }
}


static void
ngx_rbl_table_close(ngx_rbl_ctx_t *ctx)
{
}


static void
ngx_rbl_table_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_stream_t  *stream;

    stream = ngx_rbl_stream(ctx);

    if (stream != NULL) {
        stream->ask = ngx_rbl_table_ask;
        stream->read = ngx_rbl_table_read;
        stream->close = ngx_rbl_table_close;
    }
}


const ngx_rbl_op_t  ngx_rbl_op_bill_table = {
    .prepare = ngx_rbl_table_prepare,
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
