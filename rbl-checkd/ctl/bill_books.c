/*
 * rblctl bill payments, bill ledger: for the operator's books, as tables or as
 * CSV (rbl_op_bill_csv.c), of some days or of all.
 */

#include "op.h"

#include <stdio.h>
#include <time.h>


static const char  payment_rows[] =
    "id:PAYMENT, kind, amount:USD, refunded, state, begins:FROM, ends:UNTIL,"
    " reference, reason";

static const char  all_rows[] =
    "account:ACCOUNT, id:PAYMENT, kind, plan, gateway, amount:USD, refunded,"
    " state, begins:FROM, ends:UNTIL, reference";

static const char  ledger_rows[] =
    "at:TIME, debit, credit, amount:USD, balance, about:FOR, reference";

typedef struct {
    const char  *from, *to;             /* days (UTC); NULL: all */
    const char  *csv;                   /* names of the columns; NULL: rows are
                                           collected instead */
    json_t      *rows;
} books_t;


/* The day of an option; NULL: not given.  -1: error printed. */
static int
books_day(const ctl_t *ctl, const char *option, const char **day)
{
    time_t       begin;
    struct tm    given, real;
    const char  *end;

    *day = ctl_option(ctl, option);

    if (*day == NULL) {
        return 0;
    }

    memset(&given, 0, sizeof(given));
    end = strptime(*day, "%Y-%m-%d", &given);
    real = given;
    begin = timegm(&real);

    if (end == NULL || *end != '\0' || strlen(*day) != 10
        || given.tm_year < 71 || begin == -1 || real.tm_mday != given.tm_mday)
    {
        ctl_fail("--%s must be a day, as 2026-11-01", option);
        return -1;
    }

    return 0;
}


/* -1: error printed. */
static int
books_begin(const ctl_t *ctl, books_t *b, const char *csv)
{
    memset(b, 0, sizeof(*b));

    if (books_day(ctl, "from", &b->from) != 0
        || books_day(ctl, "to", &b->to) != 0)
    {
        return -1;
    }

    b->csv = ctl_option(ctl, "csv") ? csv : NULL;
    b->rows = json_array();

    if (b->csv != NULL) {
        printf("%s" RBL_CSV_HEAD_END, csv);
    }

    return 0;
}


static const char *
books_text(const json_t *row, const char *name)
{
    const char  *text;

    text = json_string_value(json_object_get(row, name));

    return text != NULL ? text : "";
}


/* A movement is of the day when it was booked, use of that on which it was
   used; a payment of that when it was done, or else opened. */
static int
books_want(const books_t *b, const json_t *row)
{
    const char  *day;

    day = strncmp(books_text(row, "key"), "use:", 4) == 0
          ? books_text(row, "about")
          : *books_text(row, "at") ? books_text(row, "at")
          : *books_text(row, "done") ? books_text(row, "done")
          : books_text(row, "created");

    return (b->from == NULL || strcmp(day, b->from) >= 0)
           && (b->to == NULL || strcmp(day, b->to) < 0);
}


static void
books_line(const books_t *b, const json_t *row)
{
    int        n;
    char       name[16];
    rbl_buf_t  buf;
    rbl_str_t  names, line, cells[RBL_CSV_MAX];

    names = rbl_str(b->csv);
    rbl_buf_init(&buf);

    for (n = 0; names.p != NULL && n < RBL_CSV_MAX; n++) {
        rbl_copy(name, sizeof(name), rbl_until(&names, ','));
        cells[n] = rbl_str(books_text(row, name));
    }

    rbl_csv_row(&buf.out, n, cells);
    line = rbl_buf_str(&buf);
    ctl_put(stdout, line.p, line.n - 2);
    fputs("\r\n", stdout);
    rbl_buf_free(&buf);
}


/* Takes the rows of an account, newest first.  0; -1: of NULL.  account: to be
   shown, or "". */
static int
books_add(books_t *b, json_t *all, rbl_str_t account)
{
    size_t   i;
    json_t  *row;

    for (i = json_array_size(all); i-- > 0; /* void */ ) {
        row = json_array_get(all, i);

        if (!books_want(b, row)) {
            continue;
        }

        if (account.n > 0) {
            json_object_set_new(row, "account", ctl_text(account));
        }

        if (b->csv != NULL) {
            books_line(b, row);

        } else {
            json_array_append(b->rows, row);
        }
    }

    json_decref(all);

    return all == NULL ? -1 : 0;
}


static int
books_end(ctl_t *ctl, books_t *b, int rc, const char *columns)
{
    if (rc == 0 && b->csv == NULL) {
        return ctl_print_parts(ctl, columns, b->rows);
    }

    json_decref(b->rows);

    return rc == 0
           && ctl_away_note(ctl, "cannot be used, and is not shown") == 0
           ? CTL_OK : CTL_ERROR;
}


/* The payments of an account, args[0]. */
static int
payments_of(ctl_t *ctl, rbl_str_t account, rbl_str_t raw, void *data)
{
    (void) raw;

    ctl->args[0] = account;

    return books_add(data, ctl_op_pages(ctl, &rbl_op_bill_payments), account);
}


int
ctl_bill_payments(ctl_t *ctl)
{
    int        rc, all;
    books_t    b;
    rbl_sid_t  account;

    all = ctl->n_args == 0;

    if ((!all && (ctl_sid(&account, RBL_SID_ACCOUNT, ctl->args[0]) != 0
                  || ctl_account_exists(ctl, &account) != 0))
        || books_begin(ctl, &b, RBL_CSV_PAYMENTS) != 0)
    {
        return CTL_ERROR;
    }

    rc = all ? ctl_each_account(ctl, "acct", RBL_STR(""), payments_of, &b)
         : payments_of(ctl, rbl_sid_str(&account), RBL_STR(""), &b);

    return books_end(ctl, &b, rc, all ? all_rows : payment_rows);
}


int
ctl_bill_ledger(ctl_t *ctl)
{
    int           rc;
    books_t       b;
    rbl_sid_t     account;
    ctl_given_t   given[] = { { "limit", NULL }, { "before", NULL } };

    if (ctl_sid(&account, RBL_SID_ACCOUNT, ctl->args[0]) != 0
        || ctl_account_exists(ctl, &account) != 0
        || books_begin(ctl, &b, RBL_CSV_LEDGER) != 0)
    {
        return CTL_ERROR;
    }

    rc = books_add(&b, ctl_op_log(ctl, &rbl_op_bill_ledger, RBL_STR(""),
                                  INT64_MAX, RBL_LEDGER_PAGE, 2, given),
                   RBL_STR(""));

    return books_end(ctl, &b, rc, ledger_rows);
}
