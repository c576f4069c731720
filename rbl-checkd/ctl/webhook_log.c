/*
 * The attempts and dead letters of a receiver.  Both are read backwards and
 * shown with the newest last.  The stream of dead letters is unbounded, so it
 * is read in slices.
 */

#include "webhook.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CTL_SLICE      "500"
#define CTL_SLICE_N    500
#define CTL_LOG_MAX    1000
#define CTL_LOG_FROM   "-1200"          /* a log has at most 1200 entries */
#define CTL_LOG_LAST   20
#define CTL_LOG_DAYS   (30 * INT64_C(86400000))     /* ms */


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

    } else if (t.at > time(NULL) * INT64_C(1000) - CTL_LOG_DAYS
               && (rows->only.n == 0 || rbl_str_eq(t.event, rows->only)))
    {
        json_array_insert_new(rows->array, 0, ctl_hook_try(&t));
    }
}


/* Adds the rows of one receiver. */
static void
ctl_letter(ctl_rows_t *rows, int64_t ms, const redisReply *fields)
{
    rbl_str_t  to, app;

    to = rbl_reply_str(rbl_reply_field(fields, "to"));
    app = rbl_reply_str(rbl_reply_field(fields, "a"));

    if (app.n > 0) {
        to = app;
    }

    if (rows->only.n > 0 && !rbl_str_eq(to, rows->only)) {
        return;
    }

    json_array_insert_new(rows->array, 0, json_pack(
        "{so so so so sI sI so}", "time", ctl_time(ms),
        "event", ctl_text(rbl_reply_str(rbl_reply_field(fields, "e"))),
        "type", ctl_text(rbl_reply_str(rbl_reply_field(fields, "t"))),
        "to", ctl_text(to),
        "attempts", (json_int_t) rbl_reply_int(rbl_reply_field(fields, "n"),
                                               0),
        "http", (json_int_t) rbl_reply_int(rbl_reply_field(fields, "s"), 0),
        "error", ctl_text(rbl_reply_str(rbl_reply_field(fields, "x")))));
}


/* Puts the rows of one slice in front of the others; returns the number of
   letters read. */
static size_t
ctl_letters_slice(const redisReply *reply, ctl_rows_t *rows)
{
    size_t             i;
    rbl_str_t          id;
    const redisReply  *entry;

    for (i = 0; i < rbl_reply_len(reply) && !ctl_rows_full(rows); i++) {
        entry = rbl_reply_at(reply, i);
        id = rbl_reply_name(entry);
        ctl_letter(rows, id.n > 0 ? strtoll(id.p, NULL, 10) : 0,
                   rbl_reply_rest(entry));
    }

    return rbl_reply_len(reply);
}


/* The last n selected dead letters; NULL: error printed. */
static json_t *
ctl_letters(ctl_t *ctl, rbl_str_t key, int64_t n, rbl_str_t only)
{
    char         from[64];
    size_t       read;
    rbl_str_t    id;
    ctl_rows_t   rows = { json_array(), (size_t) n, only };
    redisReply  *reply;

    snprintf(from, sizeof(from), "+");

    do {
        reply = ctl_command(ctl, RBL_COMMAND("XREVRANGE", key, rbl_str(from),
                            RBL_STR("-"), RBL_STR("COUNT"),
                            RBL_STR(CTL_SLICE)));
        if (reply == NULL) {
            json_decref(rows.array);
            return NULL;
        }

        read = ctl_letters_slice(reply, &rows);

        if (read > 0) {
            id = rbl_reply_name(rbl_reply_at(reply, read - 1));
            snprintf(from, sizeof(from), "(%.*s", (int) id.n,
                     id.p ? id.p : "");
        }

        freeReplyObject(reply);

    } while (read == CTL_SLICE_N && !ctl_rows_full(&rows));

    return rows.array;
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
        || ctl_number(ctl, "last", &n, 1, CTL_LOG_MAX) != 0
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
    rbl_key_t   key;
    rbl_sid_t   account, target;

    n = CTL_LOG_LAST;
    memset(&target, 0, sizeof(target));

    if ((ctl->n_args == 2 ? ctl_hook_target(ctl, &account, &target)
                          : ctl_sid(&account, RBL_SID_ACCOUNT, ctl->args[0]))
        != 0
        || ctl_number(ctl, "last", &n, 1, CTL_LOG_MAX) != 0
        || ctl_account_exists(ctl, &account) != 0)
    {
        return CTL_ERROR;
    }

    rows = ctl_letters(ctl, ctl_hook_key(ctl, &key, "dead", &account, NULL), n,
                       rbl_sid_str(&target));

    return rows == NULL ? CTL_ERROR : ctl_print(ctl, dead_row, rows);
}
