/*
 * rblctl webhook: test events, and replay of dead letters.  The daemons deliver
 * both like all other events.
 */

#include "base/buf.h"
#include "webhook.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CTL_TEST_WAIT  40               /* s: the longest duration of an
                                           attempt */


static const ctl_column_t  test_lines[] = {
    { "account", "account" }, { "id", "webhook" }, { "event", "event" },
    { "outcome", "outcome" }, { "http", "HTTP status" }, { "ms", "ms" },
    { "error", "error" }, { "answer", "answer" }, { NULL, NULL }
};

static const ctl_column_t  replay_lines[] = {
    { "account", "account" }, { "id", "to" }, { "deliveries", "deliveries" },
    { NULL, NULL }
};


/* Waits until the attempt appears in the log; NULL: it did not, or failure;
   error printed. */
static json_t *
ctl_test_wait(ctl_t *ctl, const rbl_sid_t *account, const rbl_sid_t *hook,
    const rbl_sid_t *event, int64_t wait)
{
    time_t                  end;
    json_t                 *rows, *v;
    static const struct timespec  pause = { 0, 200000000 };

    end = time(NULL) + (time_t) wait;

    do {
        rows = ctl_hook_tries(ctl, account, hook, 1, rbl_sid_str(event));
        if (rows == NULL) {
            return NULL;
        }

        v = json_incref(json_array_get(rows, 0));
        json_decref(rows);

        if (v != NULL) {
            return v;
        }

        nanosleep(&pause, NULL);

    } while (time(NULL) <= end);

    ctl_fail("no daemon has sent event %s in %lld s: does one run with"
             " `deliver on`?", event->s, (long long) wait);

    return NULL;
}


static int
ctl_test_send(ctl_t *ctl, const rbl_sid_t *account, const rbl_sid_t *hook,
    const rbl_sid_t *event)
{
    rbl_buf_t              body;
    redisReply            *reply;
    rbl_hook_test_args_t   args;

    rbl_buf_init(&body);
    rbl_hook_test_body(&body.out, event, (int64_t) time(NULL) * 1000);

    if (body.out.failed) {
        rbl_buf_free(&body);
        ctl_fail("out of memory");
        return -1;
    }

    args.event = rbl_sid_str(event);
    args.type = RBL_STR(RBL_HOOK_TEST_TYPE);
    args.body = rbl_buf_str(&body);
    args.most = RBL_STR("0");

    reply = ctl_hook_script(ctl, account, hook, CTL_SCRIPT(hook_test, args));
    rbl_buf_free(&body);
    freeReplyObject(reply);

    return reply != NULL ? 0 : -1;
}


int
ctl_webhook_test(ctl_t *ctl)
{
    int          good;
    json_t      *v;
    int64_t      wait;
    rbl_sid_t    account, hook, event;
    const char  *text;

    wait = CTL_TEST_WAIT;
    text = ctl_option(ctl, "wait");

    if (ctl_hook_arguments(ctl, &account, &hook) != 0
        || (text != NULL && ctl_interval(&wait, "--wait", rbl_str(text))))
    {
        return CTL_ERROR;
    }

    if (rbl_sid_make(&event, RBL_SID_EVENT) != RBL_OK) {
        return ctl_fail("the kernel gives no random bytes");
    }

    if (ctl_test_send(ctl, &account, &hook, &event) != 0) {
        return CTL_ERROR;
    }

    v = ctl_test_wait(ctl, &account, &hook, &event, wait);
    if (v == NULL) {
        return CTL_ERROR;
    }

    good = strcmp(json_string_value(json_object_get(v, "outcome")), "ok") == 0;
    json_object_set_new(v, "account", json_string(account.s));
    json_object_set_new(v, "id", json_string(hook.s));
    json_object_set_new(v, "outcome",
                        json_string(good ? "delivered" : "failed"));

    return ctl_print(ctl, test_lines, v) != CTL_OK ? CTL_ERROR
           : good ? CTL_OK : CTL_FOUND;
}


/*
 * Parses a time of a span into ms: 2026-11-20, 2026-11-20T09:30:00 with an
 * optional "Z" or "+00:00", or a duration before now.  -1: error printed.
 */
static int
ctl_replay_time(int64_t *ms, const char *option, const char *text)
{
    int64_t  s;

    if (entry_seconds(&s, rbl_str(text)) == 0) {
        *ms = ((int64_t) time(NULL) - s) * 1000;
        return 0;
    }

    if (rbl_hook_time(ms, text) != RBL_OK) {
        ctl_fail("--%s must be a time as 2026-11-20T09:30:00, in UTC, or 2h,"
                 " so long ago, not \"%.40s\"", option, text);
        return -1;
    }

    return 0;
}


/*
 * Makes the arguments of XRANGE from the span.  Letters that are added during
 * the replay are not included.  -1: error printed.
 */
static int
ctl_replay_span(const ctl_t *ctl, char from[64], char to[64])
{
    int64_t      first, last;
    const char  *begin, *end;

    first = 0;
    last = (int64_t) time(NULL) * 1000 + 999;
    begin = ctl_option(ctl, "from");
    end = ctl_option(ctl, "to");

    if ((ctl->n_args == 3) + (begin != NULL)
        + (ctl_option(ctl, "all") != NULL) != 1
        || (end != NULL && begin == NULL))
    {
        ctl_fail("give an event, --all, or --from and perhaps --to");
        return -1;
    }

    if ((begin != NULL && ctl_replay_time(&first, "from", begin) != 0)
        || (end != NULL && ctl_replay_time(&last, "to", end) != 0))
    {
        return -1;
    }

    snprintf(from, 64, "%lld", (long long) first);
    snprintf(to, 64, "%lld", (long long) last);

    return 0;
}


/* Replays one slice; `from` becomes the start of the next, "" if there is
   none. */
static int64_t
ctl_replay_slice(ctl_t *ctl, const rbl_sid_t *account,
    const rbl_sid_t *target, char from[64], const char *to, rbl_str_t event)
{
    redisReply               *reply;
    rbl_hook_replay_args_t    args;
    rbl_hook_replay_reply_t   said;

    args.from = rbl_str(from);
    args.to = rbl_str(to);
    args.most = RBL_STR(RBL_HOOK_SLICE);
    args.event = event;

    reply = ctl_hook_script(ctl, account, target,
                            CTL_SCRIPT(hook_replay, args));
    if (reply == NULL) {
        return -1;
    }

    rbl_hook_replay_reply(&said, reply);

    if (said.last.n > 0 && said.last.n < 60) {
        snprintf(from, 64, "(%.*s", (int) said.last.n, said.last.p);

    } else {
        from[0] = '\0';
    }

    freeReplyObject(reply);

    return said.n;
}


int
ctl_webhook_replay(ctl_t *ctl)
{
    char       from[64], to[64];
    int64_t    n, sum;
    rbl_sid_t  account, target, event;

    memset(&event, 0, sizeof(event));

    if (ctl_hook_target(ctl, &account, &target) != 0
        || (ctl->n_args == 3
            && ctl_sid(&event, RBL_SID_EVENT, ctl->args[2]) != 0)
        || ctl_replay_span(ctl, from, to) != 0)
    {
        return CTL_ERROR;
    }

    if (target.s[0] == 'C') {
        return ctl_fail("messages to a contact cannot be sent again");
    }

    for (sum = 0; from[0] != '\0'; sum += n) {
        n = ctl_replay_slice(ctl, &account, &target, from, to,
                             rbl_sid_str(&event));
        if (n < 0) {
            return CTL_ERROR;
        }
    }

    if (event.n > 0 && sum == 0) {
        return ctl_fail("no dead letter of event %s is for %s", event.s,
                        target.s);
    }

    return ctl_print(ctl, replay_lines,
                     json_pack("{ss ss sI}", "account", account.s, "id",
                               target.s, "deliveries", (json_int_t) sum));
}
