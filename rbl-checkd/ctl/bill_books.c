/*
 * rblctl bill payments, bill ledger: for the operator's books, as tables or as
 * CSV (rbl_op_bill_csv.c), of some days or of all.
 */

#include "op.h"

#include "rbl_time.h"

#include <stdio.h>
#include <time.h>

#define BOOKS_PAGE  "1000"              /* movements a command */
#define BOOKS_ID    48


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
    json_t      *rows;                  /* NULL: CSV is printed */
    rbl_buf_t    csv;
    rbl_str_t    account;
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


static int
books_begin(const ctl_t *ctl, books_t *b)
{
    memset(b, 0, sizeof(*b));

    if (books_day(ctl, "from", &b->from) != 0
        || books_day(ctl, "to", &b->to) != 0)
    {
        return -1;
    }

    rbl_buf_init(&b->csv);
    b->rows = ctl_option(ctl, "csv") ? NULL : json_array();

    return 0;
}


/* Is a day, or a time that begins with it, among those that are wanted? */
static int
books_want(const books_t *b, const char *day)
{
    return (b->from == NULL || strcmp(day, b->from) >= 0)
           && (b->to == NULL || strcmp(day, b->to) < 0);
}


/* Prints the line in the buffer. */
static void
books_line(books_t *b)
{
    rbl_str_t  line;

    line = rbl_buf_str(&b->csv);
    ctl_put(stdout, line.p, line.n - 2);
    fputs("\r\n", stdout);
    rbl_buf_reset(&b->csv);
}


static int
books_end(ctl_t *ctl, books_t *b, int rc, const char *columns)
{
    rbl_buf_free(&b->csv);

    if (rc != 0) {
        json_decref(b->rows);
        return CTL_ERROR;
    }

    return b->rows != NULL ? ctl_print_parts(ctl, columns, b->rows)
           : ctl_away_note(ctl, "cannot be used, and is not shown") == 0
           ? CTL_OK : CTL_ERROR;
}


/* A payment is of the day when it was done, or else opened. */
static int
payments_row(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    char            day[RBL_TIME_LEN];
    books_t        *b = data;
    rbl_payment_t   p;

    (void) ctl;

    if (rbl_payment_decode(&p, raw) != RBL_OK) {
        ctl_fail("the record of payment %.*s is damaged", (int) sid.n, sid.p);
        return 0;
    }

    (void) rbl_time_rfc3339(day, p.done ? p.done : p.created);

    if (books_want(b, day)) {
        rbl_csv_payment(&b->csv.out, b->account, &p);
        books_line(b);
    }

    return 0;
}


/* The payments of an account, args[0]. */
static int
payments_of(ctl_t *ctl, rbl_str_t account, rbl_str_t raw, void *data)
{
    size_t       i;
    json_t      *all, *one;
    books_t     *b = data;
    rbl_key_t    key;
    const char  *day;

    (void) raw;

    if (b->rows == NULL) {
        b->account = account;

        return ctl_each(ctl, rbl_account_key(&key, &ctl->ks, "payments",
                                             account, RBL_STR("")),
                        rbl_partition(&ctl->ks, account), "pay", account,
                        payments_row, b);
    }

    ctl->args[0] = account;
    all = ctl_op_pages(ctl, &rbl_op_bill_payments);

    for (i = json_array_size(all); i-- > 0; /* void */ ) {
        one = json_array_get(all, i);
        day = json_string_value(json_object_get(one, "done"));
        day = day[0] ? day : json_string_value(json_object_get(one,
                                                               "created"));

        if (books_want(b, day)) {
            json_object_set_new(one, "account", ctl_text(account));
            json_array_append(b->rows, one);
        }
    }

    json_decref(all);

    return all == NULL ? -1 : 0;
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
        || books_begin(ctl, &b) != 0)
    {
        return CTL_ERROR;
    }

    if (b.rows == NULL) {
        rbl_csv_payments(&b.csv.out);
        books_line(&b);
    }

    rc = all ? ctl_each_account(ctl, "acct", RBL_STR(""), payments_of, &b)
         : payments_of(ctl, rbl_sid_str(&account), RBL_STR(""), &b);

    return books_end(ctl, &b, rc, all ? all_rows : payment_rows);
}


/* The day of a movement: of use, that on which it was used. */
static const char *
movement_day(const char *key, const char *at, const char *about)
{
    return strncmp(key, "use:", 4) == 0 ? about : at;
}


/* Prints the movements, the oldest first.  0, -1. */
static int
ledger_csv(ctl_t *ctl, books_t *b, rbl_str_t account)
{
    char             from[BOOKS_ID + 1], at[RBL_TIME_LEN], key[5], day[11];
    size_t           i, n;
    rbl_key_t        name;
    redisReply      *reply;
    rbl_movement_t   m;

    rbl_csv_ledger(&b->csv.out);
    books_line(b);
    snprintf(from, sizeof(from), "-");

    do {
        reply = ctl_command(ctl, RBL_COMMAND("XRANGE",
                            rbl_account_key(&name, &ctl->ks, "ledger", account,
                                            RBL_STR("")),
                            rbl_str(from), RBL_STR("+"), RBL_STR("COUNT"),
                            RBL_STR(BOOKS_PAGE)));
        if (reply == NULL) {
            return -1;
        }

        n = rbl_reply_len(reply);

        for (i = 0; i < n; i++) {
            rbl_movement_read(&m, rbl_reply_at(reply, i));
            (void) rbl_time_rfc3339(at, m.at);
            rbl_copy(key, sizeof(key), m.key);
            rbl_copy(day, sizeof(day), m.about);
            snprintf(from, sizeof(from), "(%.*s", (int) m.id.n, m.id.p);

            if (books_want(b, movement_day(key, at, day))) {
                rbl_csv_movement(&b->csv.out, &m);
                books_line(b);
            }
        }

        freeReplyObject(reply);
    } while (n > 0);

    return 0;
}


/* The same as JSON. */
static int
ledger_json(ctl_t *ctl, books_t *b)
{
    size_t        i;
    json_t       *all, *one;
    ctl_given_t   given[] = { { "limit", NULL }, { "before", NULL } };

    all = ctl_op_log(ctl, &rbl_op_bill_ledger, RBL_STR(""), INT64_MAX,
                     RBL_LEDGER_PAGE, 2, given);

    for (i = json_array_size(all); i-- > 0; /* void */ ) {
        one = json_array_get(all, i);

        if (books_want(b, movement_day(
                           json_string_value(json_object_get(one, "key")),
                           json_string_value(json_object_get(one, "at")),
                           json_string_value(json_object_get(one, "about")))))
        {
            json_array_append(b->rows, one);
        }
    }

    json_decref(all);

    return all == NULL ? -1 : 0;
}


int
ctl_bill_ledger(ctl_t *ctl)
{
    int        rc;
    books_t    b;
    rbl_sid_t  account;

    if (ctl_sid(&account, RBL_SID_ACCOUNT, ctl->args[0]) != 0
        || ctl_account_exists(ctl, &account) != 0 || books_begin(ctl, &b) != 0)
    {
        return CTL_ERROR;
    }

    rc = b.rows == NULL ? ledger_csv(ctl, &b, rbl_sid_str(&account))
         : ledger_json(ctl, &b);

    return books_end(ctl, &b, rc, ledger_rows);
}
