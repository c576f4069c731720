/*
 * billing/payments: the payments of the account.  billing/ledger: the movements
 * of its money, a page per call, or all of them as a table for a spreadsheet.
 */

#include "ngx_rbl_portal_bill.h"

#include "ngx_rbl_list.h"
#include "ngx_rbl_portal.h"
#include "ngx_rbl_stream.h"
#include "ngx_rbl_write.h"

#include "rbl_time.h"

#define NGX_RBL_PAYMENT_GUESS  512      /* octets of a payment in an answer */
#define NGX_RBL_PAYMENTS_SMALL  100     /* more are read on the slow link */
#define NGX_RBL_LEDGER_LAST    50       /* default */
#define NGX_RBL_LEDGER_MAX     200      /* movements of a page */
#define NGX_RBL_LEDGER_GUESS   256      /* octets of one */
#define NGX_RBL_LEDGER_SLICE   500      /* movements of a slice of the table */
#define NGX_RBL_LEDGER_ID      44       /* "(", two numbers, "-" */

enum {                                  /* commands of billing/payments */
    NGX_RBL_PAYMENTS_TOTAL = 0,
    NGX_RBL_PAYMENTS_PAGE
};

enum {                                  /* fields of billing/ledger */
    NGX_RBL_LEDGER_BEFORE = 0,
    NGX_RBL_LEDGER_LIMIT
};

typedef struct {
    int64_t    limit;
    ngx_uint_t begun;                   /* of the table */
    char       edge[NGX_RBL_LEDGER_ID]; /* where to begin: "-", "+" or "(ID" */
    size_t     n;                       /* octets of it */
} ngx_rbl_ledger_t;

typedef struct {
    rbl_str_t  id, key, debit, credit, reference;
    int64_t    at, amount, balance;
} ngx_rbl_movement_t;


static ngx_str_t  ngx_rbl_disposition = ngx_string("Content-Disposition");
static ngx_str_t  ngx_rbl_attachment =
    ngx_string("attachment; filename=\"ledger.csv\"");


static const rbl_field_t  ngx_rbl_ledger_fields[] = {
    RBL_TEXT("before", 0, NULL, 0),
    RBL_TEXT("limit", 0, NULL, 0),
    RBL_END
};

const ngx_rbl_family_t  ngx_rbl_family_payments = {
    .resource = "payment",
    .kind = RBL_SID_PAYMENT,
    .total = { { "payments", "total_payments" } }
};


/* Newest first: ranks from the end of the index. */

static void
ngx_rbl_payments_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_list_t  *list;

    list = ngx_rbl_data(ctx, sizeof(ngx_rbl_list_t));

    if (list == NULL || ngx_rbl_list_paging(ctx, list) != NGX_OK) {
        return;
    }

    ngx_rbl_ask_count(ctx, "payments");
    ngx_rbl_ask_range(ctx, "payments", -list->page * list->page_size,
                      -(list->page - 1) * list->page_size - 1);
}


static void
ngx_rbl_payments_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    ngx_rbl_list_t  *list;

    list = ctx->data;

    if (i == NGX_RBL_PAYMENTS_TOTAL) {
        list->total[0] = ngx_rbl_total(ctx, reply);

    } else {
        ngx_rbl_list_add_sids(ctx, &list->n, &list->sids, RBL_SID_PAYMENT,
                              reply);
    }
}


static void
ngx_rbl_payments_answer(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    size_t  n;

    n = rbl_reply_len(reply);

    ngx_rbl_list_open(ctx, n * NGX_RBL_PAYMENT_GUESS);

    while (n-- > 0) {
        ngx_rbl_bill_payment(ctx, NULL, rbl_reply_str(rbl_reply_at(reply, n)));
    }

    ngx_rbl_list_close(ctx);
}


static void
ngx_rbl_payments_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_list_t  *list;

    list = ctx->data;

    if (list->n == 0) {
        ngx_rbl_payments_answer(ctx, NULL);
        return;
    }

    ngx_rbl_next_records(ctx, "pay", list->n, list->sids);

    if (list->n > NGX_RBL_PAYMENTS_SMALL) {
        ngx_rbl_slow(ctx);
    }
}


static void
ngx_rbl_payments_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    ngx_rbl_payments_answer(ctx, reply);
}


const ngx_rbl_op_t  ngx_rbl_op_bill_payments = {
    .fields = rbl_page_fields,
    .prepare = ngx_rbl_payments_prepare,
    .read = ngx_rbl_payments_read,
    .proceed = ngx_rbl_payments_proceed,
    .result = ngx_rbl_payments_result
};


/* id: of a movement, which is not read again. */

static void
ngx_rbl_ledger_edge(ngx_rbl_ledger_t *ledger, rbl_str_t id)
{
    ledger->n = ngx_min(id.n, NGX_RBL_LEDGER_ID - 1) + 1;
    ledger->edge[0] = '(';
    ngx_memcpy(ledger->edge + 1, id.p, ledger->n - 1);
}


static void
ngx_rbl_ledger_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t          text;
    ngx_rbl_ledger_t  *ledger;

    ledger = ngx_rbl_data(ctx, sizeof(ngx_rbl_ledger_t));
    if (ledger == NULL) {
        return;
    }

    ledger->limit = NGX_RBL_LEDGER_LAST;
    text = rbl_text(&ctx->run, NGX_RBL_LEDGER_LIMIT);

    if (text.p != NULL
        && rbl_int_parse(&ledger->limit, text, 1, NGX_RBL_LEDGER_MAX)
           != RBL_OK)
    {
        rbl_invalid(&ctx->run, "limit");
        return;
    }

    text = rbl_text(&ctx->run, NGX_RBL_LEDGER_BEFORE);

    if (text.p != NULL && !rbl_entry_id(text)) {
        rbl_invalid(&ctx->run, "before");
        return;
    }

    ledger->edge[0] = '+';
    ledger->n = 1;

    if (text.p != NULL) {
        ngx_rbl_ledger_edge(ledger, text);
    }
}


static void
ngx_rbl_ledger_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch,
    const char *verb, const char *end, int64_t most)
{
    char               number[RBL_OUT_INT];
    rbl_key_t          key;
    rbl_str_t          argv[6];
    ngx_rbl_ledger_t  *ledger;

    ledger = ctx->data;

    argv[0] = rbl_str(verb);
    argv[1] = rbl_account_key(&key, ngx_rbl_store_keyspace(ctx->store),
                              "ledger", rbl_sid_str(&ctx->account),
                              RBL_STR(""));
    argv[2] = (rbl_str_t) { ledger->edge, ledger->n };
    argv[3] = rbl_str(end);
    argv[4] = RBL_STR("COUNT");
    argv[5] = rbl_out_int_text(number, most);

    ngx_rbl_batch_command(batch, 6, argv);
}


static void
ngx_rbl_ledger_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_batch_t   *batch;
    ngx_rbl_ledger_t  *ledger;

    ledger = ctx->data;

    batch = ngx_rbl_next(ctx);
    if (batch == NULL) {
        return;
    }

    ngx_rbl_ledger_ask(ctx, batch, "XREVRANGE", "-", ledger->limit);
    ngx_rbl_slow(ctx);
}


/* A balance may be below zero. */

static int64_t
ngx_rbl_ledger_amount(const redisReply *reply)
{
    int64_t    n;
    rbl_str_t  text;
    ngx_int_t  minus;

    text = rbl_reply_str(reply);
    minus = text.n && text.p[0] == '-';
    text.p += minus;
    text.n -= minus;

    if (rbl_int_parse(&n, text, 0, INT64_MAX) != RBL_OK) {
        return 0;
    }

    return minus ? -n : n;
}


/* The id begins with the time (ms). */

static void
ngx_rbl_ledger_read(ngx_rbl_movement_t *m, const redisReply *entry)
{
    rbl_str_t          ms;
    const redisReply  *fields;

    fields = rbl_reply_rest(entry);
    ms = m->id = rbl_reply_name(entry);
    ms.n = strcspn(ms.p ? ms.p : "", "-");

    if (rbl_int_parse(&m->at, ms, 0, INT64_MAX) != RBL_OK) {
        m->at = 0;
    }

    m->key = rbl_reply_str(rbl_reply_field(fields, "k"));
    m->debit = rbl_reply_str(rbl_reply_field(fields, "d"));
    m->credit = rbl_reply_str(rbl_reply_field(fields, "c"));
    m->reference = rbl_reply_str(rbl_reply_field(fields, "r"));
    m->amount = ngx_rbl_ledger_amount(rbl_reply_field(fields, "a"));
    m->balance = ngx_rbl_ledger_amount(rbl_reply_field(fields, "b"));
}


static void
ngx_rbl_ledger_write(ngx_rbl_ctx_t *ctx, const ngx_rbl_movement_t *m)
{
    rbl_doc_t  *doc;

    doc = &ctx->doc;

    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "id", m->id);
    ngx_rbl_bill_at(ctx, "at", m->at);
    rbl_doc_str(doc, "key", m->key);
    rbl_doc_str(doc, "debit", m->debit);
    rbl_doc_str(doc, "credit", m->credit);
    ngx_rbl_bill_money(ctx, "amount", m->amount);
    ngx_rbl_bill_money(ctx, "balance", m->balance);
    rbl_doc_str(doc, "reference", m->reference);
    rbl_doc_close(doc);
}


static void
ngx_rbl_ledger_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    size_t               k, n;
    rbl_str_t            next;
    ngx_rbl_ledger_t    *ledger;
    ngx_rbl_movement_t   m;

    ledger = ctx->data;
    n = rbl_reply_len(reply);
    next = n < (size_t) ledger->limit
           ? RBL_STR("") : rbl_reply_name(rbl_reply_at(reply, n - 1));

    ngx_rbl_open(ctx, n * NGX_RBL_LEDGER_GUESS, "OK");
    rbl_doc_str(&ctx->doc, "next", next);
    rbl_doc_array(&ctx->doc, "data");

    for (k = 0; k < n; k++) {
        ngx_rbl_ledger_read(&m, rbl_reply_at(reply, k));
        ngx_rbl_ledger_write(ctx, &m);
    }

    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_bill_ledger = {
    .fields = ngx_rbl_ledger_fields,
    .prepare = ngx_rbl_ledger_prepare,
    .proceed = ngx_rbl_ledger_proceed,
    .result = ngx_rbl_ledger_result
};


static void
ngx_rbl_table_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_ledger_t  *ledger;

    ledger = ngx_rbl_data(ctx, sizeof(ngx_rbl_ledger_t));

    if (ledger != NULL) {
        ledger->edge[0] = '-';
        ledger->n = 1;
    }
}


static void
ngx_rbl_table_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch)
{
    ngx_rbl_ledger_ask(ctx, batch, "XRANGE", "+", NGX_RBL_LEDGER_SLICE);
}


static void
ngx_rbl_table_begin(ngx_rbl_ctx_t *ctx)
{
    ((ngx_rbl_ledger_t *) ctx->data)->begun = 1;

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
ngx_rbl_table_row(rbl_out_t *out, const ngx_rbl_movement_t *m)
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
    size_t               k, n;
    ngx_rbl_ledger_t    *ledger;
    ngx_rbl_movement_t   m;

    ledger = ctx->data;

    if (reply->type != REDIS_REPLY_ARRAY) {
        ngx_rbl_internal(ctx);
        return;
    }

    if (!ledger->begun) {
        ngx_rbl_table_begin(ctx);
    }

    n = rbl_reply_len(reply);

    for (k = 0; k < n; k++) {
        ngx_rbl_ledger_read(&m, rbl_reply_at(reply, k));
        ngx_rbl_table_row(&ctx->sink.out, &m);
    }

    if (n < NGX_RBL_LEDGER_SLICE) {
        ctx->stream->over = 1;

    } else {
        ngx_rbl_ledger_edge(ledger, m.id);
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
