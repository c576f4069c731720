/*
 * rblctl webhook: what its commands do beside their operations: a test waits
 * for its attempt, logs and dead letters are shown with the newest last, and a
 * replay goes on to its end.
 */

#include "op.h"

#include "base/clock.h"
#include "rbl_time.h"

#include <stdio.h>
#include <time.h>

#define CTL_TEST_WAIT  40               /* s: the longest duration of an
                                           attempt */
#define CTL_LOG_LAST   20               /* default */


static const char  test_lines[] =
    "id:webhook, event, outcome, http:HTTP status, ms, error, answer";

static const char  replay_lines[] = "id:to, deliveries";

static const char  log_row[] =
    "time, event, type, attempt, outcome, http, ms, error";

static const char  dead_row[] = "time, event, type, to, attempts, http, error";


int
ctl_webhook_types(ctl_t *ctl)
{
    ctl_given_t  types = { "types", "" };

    if ((ctl->n_args == 3) == (ctl_option(ctl, "all") != NULL)) {
        return ctl_fail("give the types, or --all for every type");
    }

    if (ctl->n_args == 3) {
        types.value = ctl->args[2].p;
    }

    return ctl_op_with(ctl, 1, &types);
}


/* The last n attempts, newest first, of one event unless that is NULL; NULL:
   error printed. */
static json_t *
ctl_attempts(ctl_t *ctl, int64_t n, const char *event)
{
    char          last[CTL_DECIMAL];
    size_t        i;
    json_t       *all, *rows, *row;
    ctl_given_t   given = { "last", last };

    (void) ctl_decimal(last, event ? RBL_LOG_MAX : n);

    all = ctl_op_data(ctl_op_run(ctl, &rbl_op_delivery_log, ctl->args[0],
                                 ctl->args[1], 1, &given));
    if (all == NULL) {
        return NULL;
    }

    rows = json_array();

    json_array_foreach(all, i, row) {
        if ((int64_t) json_array_size(rows) < n
            && (event == NULL
                || strcmp(json_string_value(json_object_get(row, "event")),
                          event)
                   == 0))
        {
            json_array_append(rows, row);
        }
    }

    json_decref(all);

    return rows;
}


int
ctl_webhook_log(ctl_t *ctl)
{
    json_t      *rows;
    int64_t      n;
    rbl_sid_t    event;
    const char  *text;

    n = CTL_LOG_LAST;
    text = ctl_option(ctl, "event");

    if (ctl_number(ctl, "last", &n, 1, RBL_LOG_MAX) != 0
        || (text != NULL
            && ctl_sid(&event, RBL_SID_EVENT, rbl_str(text)) != 0))
    {
        return CTL_ERROR;
    }

    rows = ctl_attempts(ctl, n, text ? event.s : NULL);

    return rows == NULL ? CTL_ERROR
           : ctl_print(ctl, log_row, ctl_op_reversed(rows));
}


int
ctl_webhook_dead(ctl_t *ctl)
{
    json_t       *rows;
    int64_t       n;
    rbl_sid_t     account;
    ctl_given_t   given[] = { { "last", NULL }, { "before", NULL } };

    n = CTL_LOG_LAST;

    if (ctl_number(ctl, "last", &n, 1, RBL_LOG_MAX) != 0
        || ctl_sid(&account, RBL_SID_ACCOUNT, ctl->args[0]) != 0
        || ctl_account_exists(ctl, &account) != 0)
    {
        return CTL_ERROR;
    }

    rows = ctl_op_log(ctl, &rbl_op_hook_dead,
                      ctl->n_args == 2 ? ctl->args[1] : RBL_STR(""), n,
                      RBL_LETTERS_MAX, 2, given);

    return rows == NULL ? CTL_ERROR
           : ctl_print(ctl, dead_row, ctl_op_reversed(rows));
}


/* Waits until the attempt appears in the log; NULL: it did not, or failure;
   error printed. */
static json_t *
ctl_test_wait(ctl_t *ctl, const char *event, int64_t wait)
{
    double                        end;
    json_t                       *rows, *v;
    static const struct timespec  pause = { 0, 200000000 };

    end = clock_now() + (double) wait;

    do {
        rows = ctl_attempts(ctl, 1, event);
        if (rows == NULL) {
            return NULL;
        }

        v = json_incref(json_array_get(rows, 0));
        json_decref(rows);

        if (v != NULL) {
            return v;
        }

        nanosleep(&pause, NULL);

    } while (clock_now() <= end);

    ctl_fail("no daemon has sent event %s in %lld s: does one run with"
             " `deliver on`?", event, (long long) wait);

    return NULL;
}


int
ctl_webhook_test(ctl_t *ctl)
{
    int          good;
    json_t      *sent, *v;
    int64_t      wait;
    const char  *text;

    wait = CTL_TEST_WAIT;
    text = ctl_option(ctl, "wait");

    if (text != NULL && ctl_interval(&wait, "--wait", rbl_str(text)) != 0) {
        return CTL_ERROR;
    }

    sent = ctl_op_run(ctl, &rbl_op_hook_test, ctl->args[0], ctl->args[1], 0,
                      NULL);
    if (sent == NULL) {
        return CTL_ERROR;
    }

    v = ctl_test_wait(ctl, json_string_value(
                          json_object_get(json_object_get(sent, "data"),
                                          "event")), wait);
    if (v == NULL) {
        json_decref(sent);
        return CTL_ERROR;
    }

    good = strcmp(json_string_value(json_object_get(v, "outcome")), "ok") == 0;
    json_object_set(v, "id", json_object_get(sent, "id"));
    json_decref(sent);
    json_object_set_new(v, "outcome",
                        json_string(good ? "delivered" : "failed"));

    return ctl_print(ctl, test_lines, v) != CTL_OK ? CTL_ERROR
           : good ? CTL_OK : CTL_FOUND;
}


/* A time of a span: an age becomes the time so long ago; all else is judged by
   the operation.  NULL: not given. */
static const char *
ctl_replay_time(const ctl_t *ctl, const char *option, char buf[RBL_TIME_LEN])
{
    int64_t      s;
    const char  *text;

    text = ctl_option(ctl, option);

    if (text != NULL && entry_seconds(&s, rbl_str(text)) == 0) {
        text = rbl_time_rfc3339(buf, ((int64_t) time(NULL) - s) * 1000).p;
    }

    return text;
}


int
ctl_webhook_replay(ctl_t *ctl)
{
    char         from[RBL_TIME_LEN], to[RBL_TIME_LEN], next[RBL_ENTRY_ID];
    json_t      *answer, *data;
    json_int_t   sum;
    ctl_given_t  given[] = {
        { "event", ctl->n_args == 3 ? ctl->args[2].p : NULL },
        { "from", ctl_replay_time(ctl, "from", from) },
        { "to", ctl_replay_time(ctl, "to", to) },
        { "all", ctl_option(ctl, "all") ? "1" : NULL },
        { "after", NULL }
    };

    for (sum = 0; ; ) {
        answer = ctl_op_run(ctl, &rbl_op_hook_replay, ctl->args[0],
                            ctl->args[1], 5, given);
        if (answer == NULL) {
            return CTL_ERROR;
        }

        data = json_object_get(answer, "data");
        sum += json_integer_value(json_object_get(data, "deliveries"));
        rbl_copy(next, sizeof(next),
                 rbl_str(json_string_value(json_object_get(data, "next"))));

        if (next[0] == '\0') {
            break;
        }

        json_decref(answer);
        given[4].value = next;
    }

    if (given[0].value != NULL && sum == 0) {
        ctl_fail("no dead letter of event %s is for %s", given[0].value,
                 json_string_value(json_object_get(answer, "id")));
        json_decref(answer);

        return CTL_ERROR;
    }

    json_object_del(answer, "data");
    json_object_del(answer, "done");
    json_object_set_new(answer, "deliveries", json_integer(sum));

    return ctl_print(ctl, replay_lines, answer);
}
