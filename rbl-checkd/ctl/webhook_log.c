/*
 * The attempts and dead letters of a receiver.  Both are read backwards and
 * shown with the newest last.
 */

#include "webhook.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CTL_LOG_FROM   "-1200"          /* a log has at most 1200 entries */
#define CTL_LOG_LAST   20
#define CTL_LOG_AGE    (RBL_HOOK_DAYS_MAX * INT64_C(86400000))      /* ms */


static const ctl_column_t  log_row[] = {
    { "time", "TIME" }, { "event", "EVENT" }, { "type", "TYPE" },
    { "attempt", "ATTEMPT" }, { "outcome", "OUTCOME" }, { "http", "HTTP" },
    { "ms", "MS" }, { "error", "ERROR" }, { NULL, NULL }
};

static const ctl_column_t  dead_row[] = {
    { "time", "TIME" }, { "event", "EVENT" }, { "type", "TYPE" },
    { "to", "TO" }, { "attempts", "ATTEMPTS" }, { "http", "HTTP" },
    { "error", "ERROR" }, { NULL, NULL }
};

/* The selected rows and their number. */
typedef struct {
    json_t     *array;
    size_t      most;
    rbl_str_t   only;                   /* "": all */
} ctl_rows_t;


static int
ctl_rows_full(const ctl_rows_t *rows)
{
    return json_array_size(rows->array) >= rows->most;
}


static json_t *
ctl_hook_try(const rbl_try_t *t)
{
    return json_pack("{so so so sI so sI sI sI so so}",
                     "time", ctl_time(t->at),
                     "event", ctl_text(t->event), "type", ctl_text(t->type),
                     "attempt", (json_int_t) t->number,
                     "outcome", ctl_text(t->outcome),
                     "http", (json_int_t) t->status,
                     "ms", (json_int_t) t->took,
                     "next", (json_int_t) (t->next / 1000),
                     "error", ctl_text(t->error),
                     "answer", ctl_text(t->answer));
}


/* Adds the row of an attempt, if it belongs to the selected event. */
static void
ctl_hook_attempt(ctl_rows_t *rows, rbl_str_t raw)
{
    rbl_try_t  t;

    if (rbl_try_decode(&t, raw) != RBL_OK) {
        ctl_fail("an entry of the log is damaged");

    } else if (t.at > time(NULL) * INT64_C(1000) - CTL_LOG_AGE
               && (rows->only.n == 0 || rbl_str_eq(t.event, rows->only)))
    {
        json_array_insert_new(rows->array, 0, ctl_hook_try(&t));
    }
}


/* Adds the rows of one slice. */
static void
ctl_letters_add(json_t *rows, const redisReply *letters)
{
    size_t                   i;
    rbl_hook_dead_letter_t   l;

    for (i = 0; i < rbl_reply_len(letters); i++) {
        rbl_hook_dead_letter(&l, rbl_reply_at(letters, i));

        json_array_insert_new(rows, 0, json_pack(
            "{so so so so sI sI so}",
            "time", ctl_time(l.id.n > 0 ? strtoll(l.id.p, NULL, 10) : 0),
            "event", ctl_text(l.event), "type", ctl_text(l.type),
            "to", ctl_text(l.to), "attempts", (json_int_t) l.attempts,
            "http", (json_int_t) l.status, "error", ctl_text(l.error)));
    }
}


/* The last n dead letters of a receiver, or of all; NULL: error printed. */
static json_t *
ctl_letters(ctl_t *ctl, const rbl_sid_t *account, int64_t n, rbl_str_t of)
{
    char                    before[64], most[CTL_DECIMAL];
    json_t                 *rows;
    rbl_key_t               key;
    redisReply             *reply;
    rbl_hook_dead_args_t    args;
    rbl_hook_dead_reply_t   said;

    rows = json_array();
    before[0] = '\0';

    args.acct = ctl_acct(ctl, &key, account);
    args.of = of;

    do {
        args.before = rbl_str(before);
        args.most = ctl_decimal(most, n - (int64_t) json_array_size(rows));

        reply = ctl_script(ctl, CTL_SCRIPT(hook_dead, args));
        if (reply == NULL) {
            json_decref(rows);
            return NULL;
        }

        rbl_hook_dead_reply(&said, reply);
        ctl_letters_add(rows, said.letters);
        snprintf(before, sizeof(before), "%.*s", (int) said.before.n,
                 said.before.p ? said.before.p : "");
        freeReplyObject(reply);

    } while (before[0] != '\0' && (int64_t) json_array_size(rows) < n);

    return rows;
}


json_t *
ctl_hook_tries(ctl_t *ctl, const rbl_sid_t *account, const rbl_sid_t *target,
    int64_t n, rbl_str_t event)
{
    size_t       i;
    rbl_key_t    key;
    ctl_rows_t   rows = { NULL, (size_t) n, event };
    redisReply  *reply;

    reply = ctl_command(ctl, RBL_COMMAND("LRANGE",
                        ctl_hook_key(ctl, &key, "log", account, target),
                        RBL_STR(CTL_LOG_FROM), RBL_STR("-1")));
    if (reply == NULL) {
        return NULL;
    }

    rows.array = json_array();

    for (i = rbl_reply_len(reply); i-- > 0 && !ctl_rows_full(&rows); ) {
        ctl_hook_attempt(&rows, rbl_reply_str(rbl_reply_at(reply, i)));
    }

    freeReplyObject(reply);

    return rows.array;
}


int
ctl_webhook_log(ctl_t *ctl)
{
    json_t      *rows;
    int64_t      n;
    rbl_sid_t    account, target, event;
    const char  *text;

    n = CTL_LOG_LAST;
    memset(&event, 0, sizeof(event));
    text = ctl_option(ctl, "event");

    if (ctl_hook_target(ctl, &account, &target) != 0
        || ctl_number(ctl, "last", &n, 1, RBL_HOOK_LOG_MAX) != 0
        || (text != NULL
            && ctl_sid(&event, RBL_SID_EVENT, rbl_str(text)) != 0)
        || ctl_hook_exists(ctl, &account, &target) != 0)
    {
        return CTL_ERROR;
    }

    rows = ctl_hook_tries(ctl, &account, &target, n, rbl_sid_str(&event));

    return rows == NULL ? CTL_ERROR : ctl_print(ctl, log_row, rows);
}


int
ctl_webhook_dead(ctl_t *ctl)
{
    json_t     *rows;
    int64_t     n;
    rbl_sid_t   account, target;

    n = CTL_LOG_LAST;
    memset(&target, 0, sizeof(target));

    if ((ctl->n_args == 2 ? ctl_hook_target(ctl, &account, &target)
                          : ctl_sid(&account, RBL_SID_ACCOUNT, ctl->args[0]))
        != 0
        || ctl_number(ctl, "last", &n, 1, RBL_HOOK_LOG_MAX) != 0
        || ctl_account_exists(ctl, &account) != 0)
    {
        return CTL_ERROR;
    }

    rows = ctl_letters(ctl, &account, n, rbl_sid_str(&target));

    return rows == NULL ? CTL_ERROR : ctl_print(ctl, dead_row, rows);
}
