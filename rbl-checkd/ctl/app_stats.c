/*
 * rblctl app stats and app errors: the counters and errors that nginx collects
 * for an application (rbl_keys.h: stats, errors).
 */

#include "app.h"
#include "base/xalloc.h"

#include "rbl_time.h"
#include "rbl_usage.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CTL_ERRORS_MAX  1000


static const ctl_column_t  stats_row[] = {
    { "time", "TIME" }, { "requests", "REQUESTS" }, { "errors", "ERRORS" },
    { NULL, NULL }
};

static const ctl_column_t  error_row[] = {
    { "time", "TIME" }, { "client", "CLIENT" }, { "method", "METHOD" },
    { "path", "PATH" }, { "code", "CODE" }, { "message", "MESSAGE" },
    { NULL, NULL }
};

typedef struct {
    rbl_sid_t    account, app;
    rbl_usage_t  usage;
} ctl_stats_t;


/* 0; -1: no such application, or failure; error printed. */
static int
ctl_app_exists(ctl_t *ctl, const rbl_sid_t *account, const rbl_sid_t *app)
{
    int64_t    n;
    rbl_key_t  key;

    n = ctl_count(ctl, "EXISTS",
                  rbl_account_key(&key, &ctl->ks, "s", rbl_sid_str(account),
                                  rbl_sid_str(app)));
    if (n == 0) {
        ctl_fail("account %s has no application %s", account->s, app->s);
    }

    return n > 0 ? 0 : -1;
}


static int
ctl_stats_read(ctl_t *ctl, ctl_stats_t *stats)
{
    char         name[RBL_USAGE_NAME];
    int64_t      part, end;
    rbl_key_t    key;
    redisReply  *reply;

    part = rbl_usage_part(&stats->usage);
    end = part + rbl_usage_parts(&stats->usage);

    for ( /* void */ ; part < end; part++) {
        reply = ctl_command(ctl, RBL_COMMAND("HGETALL",
                            rbl_account_key(&key, &ctl->ks, "stats",
                                            rbl_sid_str(&stats->account),
                                            rbl_usage_name(name, &stats->usage,
                                                           &stats->app,
                                                           part))));
        if (reply == NULL) {
            return -1;
        }

        rbl_usage_read(&stats->usage, part, reply);
        freeReplyObject(reply);
    }

    return 0;
}


/* Takes the time. */
static void
ctl_stats_add(json_t *rows, json_t *time, const rbl_sum_t *sum)
{
    json_array_append_new(rows,
        json_pack("{so sI sI}", "time", time,
                  "requests", (json_int_t) sum->requests,
                  "errors", (json_int_t) sum->errors));
}


static int
ctl_stats_print(ctl_t *ctl, const ctl_stats_t *stats)
{
    int64_t             i;
    json_t             *rows;
    rbl_sum_t           all;
    const rbl_usage_t  *u;

    u = &stats->usage;
    rows = json_array();
    all = rbl_usage_all(u);

    for (i = 0; i < u->n; i++) {
        ctl_stats_add(rows, ctl_time(rbl_usage_time(u, i)), &u->sum[i]);
    }

    if (ctl->json) {
        return ctl_print(ctl, NULL,
                         json_pack("{ss ss ss sI sI so}",
                                   "account", stats->account.s,
                                   "id", stats->app.s,
                                   "unit", u->days ? "day" : "hour",
                                   "requests", (json_int_t) all.requests,
                                   "errors", (json_int_t) all.errors,
                                   "data", rows));
    }

    ctl_stats_add(rows, json_string("all"), &all);

    if (all.requests == 0) {
        ctl_note("There were no requests, or no nginx with an rbl_zone received"
                 " them.");
    }

    return ctl_print(ctl, stats_row, rows);
}


/* Sets the range of hours or days, which ends with the present one.  -1: error
   printed. */
static int
ctl_stats_range(ctl_t *ctl, rbl_usage_t *u)
{
    int      days;
    int64_t  n;

    days = ctl_option(ctl, "days") != NULL;
    n = 24;

    if (days && ctl_option(ctl, "hours") != NULL) {
        ctl_fail("--hours and --days exclude each other");
        return -1;
    }

    if (ctl_number(ctl, "hours", &n, 1, RBL_USAGE_HOURS_MAX) != 0
        || ctl_number(ctl, "days", &n, 1, RBL_USAGE_DAYS_MAX) != 0)
    {
        return -1;
    }

    rbl_usage_begin(u, days, n, (int64_t) time(NULL));

    return 0;
}


int
ctl_app_stats(ctl_t *ctl)
{
    static ctl_stats_t  stats;

    if (ctl_app_arguments(ctl, &stats.account, &stats.app) != 0
        || ctl_stats_range(ctl, &stats.usage) != 0
        || ctl_app_exists(ctl, &stats.account, &stats.app) != 0
        || ctl_stats_read(ctl, &stats) != 0)
    {
        return CTL_ERROR;
    }

    return ctl_stats_print(ctl, &stats);
}


/* Sorts by time, since each worker appends its own errors. */
static int
ctl_refusal_order(const void *a, const void *b)
{
    const rbl_refusal_t  *x, *y;

    x = a;
    y = b;

    return x->time < y->time ? -1 : x->time > y->time;
}


static json_t *
ctl_errors_rows(const redisReply *reply)
{
    size_t          i, n;
    json_t         *rows;
    rbl_refusal_t  *all;

    n = rbl_reply_len(reply);
    rows = json_array();
    all = xcalloc(n + 1, sizeof(*all));

    /* newest first; invalid entries are skipped */

    for (i = 0; i < n; i++) {
        if (rbl_refusal_decode(&all[i], rbl_reply_str(
                                   rbl_reply_at(reply, n - 1 - i)))
            != RBL_OK)
        {
            ctl_fail("an entry of the error log is damaged");
        }
    }

    qsort(all, n, sizeof(*all), ctl_refusal_order);

    for (i = 0; i < n; i++) {
        if (all[i].time > 0) {
            json_array_append_new(rows,
                json_pack("{so so so so sI so}", "time", ctl_time(all[i].time),
                          "client", ctl_text(all[i].address),
                          "method", ctl_text(all[i].method),
                          "path", ctl_text(all[i].path),
                          "code", (json_int_t) all[i].code,
                          "message", ctl_text(all[i].message)));
        }
    }

    free(all);

    return rows;
}


int
ctl_app_errors(ctl_t *ctl)
{
    int          rc;
    char         last[24];
    int64_t      n;
    rbl_sid_t    account, app;
    rbl_key_t    key;
    redisReply  *reply;

    n = 20;

    if (ctl_app_arguments(ctl, &account, &app) != 0
        || ctl_number(ctl, "last", &n, 1, CTL_ERRORS_MAX) != 0
        || ctl_app_exists(ctl, &account, &app) != 0)
    {
        return CTL_ERROR;
    }

    snprintf(last, sizeof(last), "%lld", (long long) n - 1);

    reply = ctl_command(ctl, RBL_COMMAND("LRANGE",
                        rbl_account_key(&key, &ctl->ks, "errors",
                                        rbl_sid_str(&account),
                                        rbl_sid_str(&app)), RBL_STR("0"),
                        rbl_str(last)));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rc = ctl_print(ctl, error_row, ctl_errors_rows(reply));
    freeReplyObject(reply);

    return rc;
}
