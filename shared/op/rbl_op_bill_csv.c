/*
 * The ledger and the payments of an account as CSV.
 */

#include "rbl_ops.h"

#include "rbl_money.h"
#include "rbl_time.h"


/* An amount of money: digits with a point between them. */

static int
rbl_csv_number(rbl_str_t text)
{
    size_t  i, points;

    for (i = points = 0; i < text.n; i++) {
        if (text.p[i] == '.') {
            points++;

        } else if ((text.p[i] < '0' || text.p[i] > '9')
                   && (text.p[i] != '-' || i > 0))
        {
            return 0;
        }
    }

    return points == 1;
}


/* A spreadsheet runs a text that begins with one of these signs, also between
   quotes; not with an apostrophe before it. */

static void
rbl_csv_cell(rbl_out_t *out, rbl_str_t text)
{
    size_t  i;

    if (rbl_csv_number(text)) {
        rbl_out_str(out, text);
        rbl_out_char(out, ',');
        return;
    }

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


void
rbl_csv_row(rbl_out_t *out, int n, const rbl_str_t *cells)
{
    int  i;

    for (i = 0; i < n; i++) {
        rbl_csv_cell(out, cells[i]);
    }

    rbl_out_z(out, "USD\r\n");
}


void
rbl_csv_movement(rbl_out_t *out, const rbl_movement_t *m)
{
    char  at[RBL_TIME_LEN], amount[RBL_MONEY_LEN], balance[RBL_MONEY_LEN];

    rbl_csv_row(out, RBL_WORDS(
        m->id, rbl_time_rfc3339(at, m->at), m->key, m->debit, m->credit,
        rbl_money_text(amount, m->amount), rbl_money_text(balance, m->balance),
        m->about, m->reference));
}


void
rbl_csv_payment(rbl_out_t *out, rbl_str_t account, const rbl_payment_t *p)
{
    char  times[4][RBL_TIME_LEN], money[2][RBL_MONEY_LEN];

    rbl_csv_row(out, RBL_WORDS(
        account, p->id, p->kind, p->plan, rbl_time_rfc3339(times[0], p->begins),
        rbl_time_rfc3339(times[1], p->ends),
        rbl_money_text(money[0], p->amount),
        rbl_money_text(money[1], p->refunded), p->state, p->reason, p->gateway,
        p->reference, rbl_time_rfc3339(times[2], p->created),
        rbl_time_rfc3339(times[3], p->done)));
}
