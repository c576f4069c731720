/*
 * The ledger and the payments of an account as CSV.
 */

#include "rbl_ops.h"

#include "rbl_money.h"
#include "rbl_time.h"


/* A spreadsheet runs a text that begins with one of these signs, also between
   quotes; not with an apostrophe before it. */

static void
rbl_csv_cell(rbl_out_t *out, rbl_str_t text)
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

    rbl_out_z(out, "\",");
}


static void
rbl_csv_time(rbl_out_t *out, int64_t ms)
{
    char  time[RBL_TIME_LEN];

    rbl_csv_cell(out, rbl_time_rfc3339(time, ms));
}


static void
rbl_csv_money(rbl_out_t *out, int64_t amount)
{
    char  money[RBL_MONEY_LEN];

    rbl_out_str(out, rbl_money_text(money, amount));
    rbl_out_char(out, ',');
}


void
rbl_csv_ledger(rbl_out_t *out)
{
    rbl_out_z(out, "id,at,key,debit,credit,amount,balance,about,reference,"
              "currency\r\n");
}


void
rbl_csv_movement(rbl_out_t *out, const rbl_movement_t *m)
{
    rbl_csv_cell(out, m->id);
    rbl_csv_time(out, m->at);
    rbl_csv_cell(out, m->key);
    rbl_csv_cell(out, m->debit);
    rbl_csv_cell(out, m->credit);
    rbl_csv_money(out, m->amount);
    rbl_csv_money(out, m->balance);
    rbl_csv_cell(out, m->about);
    rbl_csv_cell(out, m->reference);
    rbl_out_z(out, "USD\r\n");
}


void
rbl_csv_payments(rbl_out_t *out)
{
    rbl_out_z(out, "account,id,kind,plan,begins,ends,amount,refunded,state,"
              "reason,gateway,reference,created,done,currency\r\n");
}


void
rbl_csv_payment(rbl_out_t *out, rbl_str_t account, const rbl_payment_t *p)
{
    rbl_csv_cell(out, account);
    rbl_csv_cell(out, p->id);
    rbl_csv_cell(out, p->kind);
    rbl_csv_cell(out, p->plan);
    rbl_csv_time(out, p->begins);
    rbl_csv_time(out, p->ends);
    rbl_csv_money(out, p->amount);
    rbl_csv_money(out, p->refunded);
    rbl_csv_cell(out, p->state);
    rbl_csv_cell(out, p->reason);
    rbl_csv_cell(out, p->gateway);
    rbl_csv_cell(out, p->reference);
    rbl_csv_time(out, p->created);
    rbl_csv_time(out, p->done);
    rbl_out_z(out, "USD\r\n");
}
