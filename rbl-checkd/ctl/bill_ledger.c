/*
 * rblctl bill ledger: the movements of an account's money.
 */

#include "bill_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BILL_SLICE  "1000"              /* entries of the ledger a command */


static const ctl_column_t  ledger_row[] = {
    { "at", "TIME" }, { "debit", "DEBIT" }, { "credit", "CREDIT" },
    { "amount", "USD" }, { "balance", "BALANCE" }, { "reference", "FOR" },
    { NULL, NULL }
};


static json_t *
ledger_entry(const redisReply *entry)
{
    rbl_str_t          id;
    const redisReply  *fields;

    id = rbl_reply_str(rbl_reply_at(entry, 0));
    fields = rbl_reply_at(entry, 1);

    return json_pack("{so so so so so so so}",
                     "at", ctl_time(strtoll(id.p, NULL, 10)),
                     "key", ctl_text(ctl_entry_value(fields, "k")),
                     "debit", ctl_text(ctl_entry_value(fields, "d")),
                     "credit", ctl_text(ctl_entry_value(fields, "c")),
                     "amount", bill_money(strtoll(
                                   ctl_entry_value(fields, "a").p, NULL, 10)),
                     "balance", bill_money(strtoll(
                                    ctl_entry_value(fields, "b").p, NULL, 10)),
                     "reference", ctl_text(ctl_entry_value(fields, "r")));
}


/* The beginning of a day (UTC), "2026-11-01", as an id of the ledger; `none`
   without the option.  -1: error printed. */
static int
ledger_day(const ctl_t *ctl, const char *option, const char *none,
    char id[CTL_DECIMAL])
{
    const char  *text, *end;
    struct tm    day;

    text = ctl_option(ctl, option);

    if (text == NULL) {
        snprintf(id, CTL_DECIMAL, "%s", none);
        return 0;
    }

    memset(&day, 0, sizeof(day));
    end = strptime(text, "%Y-%m-%d", &day);

    if (end == NULL || *end != '\0' || strlen(text) != 10
        || day.tm_year < 70)
    {
        ctl_fail("--%s must be a day, as 2026-11-01", option);
        return -1;
    }

    snprintf(id, CTL_DECIMAL, "%lld", (long long) timegm(&day) * 1000);

    return 0;
}


/* Appends the entries from one id to another, that one excluded.  0, -1. */
static int
ledger_read(ctl_t *ctl, const rbl_sid_t *account, const char *first,
    const char *to, json_t *rows)
{
    char         from[CTL_DECIMAL * 2 + 2], until[CTL_DECIMAL + 1];
    size_t       i, n;
    rbl_key_t    key;
    rbl_str_t    id;
    redisReply  *reply;

    snprintf(from, sizeof(from), "%s", first);
    snprintf(until, sizeof(until), "%s%s", to[0] == '+' ? "" : "(", to);

    do {
        reply = ctl_command(ctl, RBL_COMMAND("XRANGE",
                            bill_key(ctl, &key, "ledger", account),
                            rbl_str(from), rbl_str(until), RBL_STR("COUNT"),
                            RBL_STR(BILL_SLICE)));
        if (reply == NULL) {
            return -1;
        }

        n = rbl_reply_len(reply);

        for (i = 0; i < n; i++) {
            json_array_append_new(rows, ledger_entry(rbl_reply_at(reply, i)));
            id = rbl_reply_str(rbl_reply_at(rbl_reply_at(reply, i), 0));
            snprintf(from, sizeof(from), "(%.*s", (int) id.n, id.p);
        }

        freeReplyObject(reply);
    } while (n > 0);

    return 0;
}


int
ctl_bill_ledger(ctl_t *ctl)
{
    char        from[CTL_DECIMAL], to[CTL_DECIMAL];
    json_t     *rows;
    rbl_sid_t   sid;

    if (ledger_day(ctl, "from", "-", from) != 0
        || ledger_day(ctl, "to", "+", to) != 0
        || ctl_sid(&sid, RBL_SID_ACCOUNT, ctl->args[0]) != 0
        || ctl_account_exists(ctl, &sid) != 0)
    {
        return CTL_ERROR;
    }

    rows = json_array();

    if (ledger_read(ctl, &sid, from, to, rows) != 0) {
        json_decref(rows);
        return CTL_ERROR;
    }

    return ctl_print(ctl, ledger_row, rows);
}
