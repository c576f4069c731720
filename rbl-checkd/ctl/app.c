/*
 * rblctl app, rblctl token: what their commands do beside their operations.
 * The beginning of its digest names a token; it is no secret, and the holder of
 * the token finds it with `sha256sum`.
 */

#include "op.h"

#include "rbl_validate.h"

#include <stdio.h>

#define CTL_ERRORS_LAST  20             /* default */
#define CTL_ERRORS_MAX   1000


static const char  token_row[] = "digits:TOKEN, status, created";

static const char  stats_row[] = "time, requests, errors";

static const char  error_row[] =
    "time, address:CLIENT, method, path, code, message";


int
ctl_app_allow(ctl_t *ctl)
{
    ctl_given_t  allow = { "allow", "" };

    if ((ctl->n_args == 3) == (ctl_option(ctl, "none") != NULL)) {
        return ctl_fail("give the networks, or --none for everywhere");
    }

    if (ctl->n_args == 3 && rbl_trim(ctl->args[2]).n == 0) {
        return ctl_fail("an empty list of networks is no network: give --none"
                        " for everywhere");
    }

    if (ctl->n_args == 3) {
        allow.value = ctl->args[2].p;
    }

    return ctl_op_with(ctl, 1, &allow);
}


int
ctl_app_limit(ctl_t *ctl)
{
    int          i, none, given;
    ctl_given_t  limits[] = {
        { "hour", NULL }, { "reads", NULL }, { "writes", NULL },
        { "starts", NULL }
    };

    none = ctl_option(ctl, "none") != NULL;

    for (i = 0, given = 0; i < 4; i++) {
        limits[i].value = ctl_option(ctl, limits[i].name);
        given += limits[i].value != NULL;
    }

    if (none == (given > 0)) {
        return ctl_fail("give the limits that change (0: none), or --none"
                        " alone");
    }

    for (i = 0; none && i < 4; i++) {
        limits[i].value = "0";
    }

    return ctl_op_with(ctl, 4, limits);
}


int
ctl_token_list(ctl_t *ctl)
{
    json_t  *app, *tokens;

    app = ctl_op_data(ctl_op_run(ctl, &rbl_op_app, ctl->args[0], ctl->args[1],
                                 0, NULL));
    if (app == NULL) {
        return CTL_ERROR;
    }

    tokens = json_incref(json_object_get(app, "tokens"));
    json_decref(app);

    return ctl_print(ctl, token_row, tokens);
}


int
ctl_app_stats(ctl_t *ctl)
{
    json_t       *stats, *rows, *all;
    ctl_given_t   range[] = {
        { "hours", ctl_option(ctl, "hours") },
        { "days", ctl_option(ctl, "days") }
    };

    stats = ctl_op_run(ctl, &rbl_op_app_stats, ctl->args[0], ctl->args[1], 2,
                       range);
    if (stats == NULL) {
        return CTL_ERROR;
    }

    json_object_del(stats, "done");

    if (ctl->json) {
        return ctl_print(ctl, NULL, stats);
    }

    all = json_pack("{ss sO sO}", "time", "all",
                    "requests", json_object_get(stats, "requests"),
                    "errors", json_object_get(stats, "errors"));

    if (json_integer_value(json_object_get(all, "requests")) == 0) {
        ctl_note("There were no requests, or no nginx with an rbl_zone received"
                 " them.");
    }

    rows = ctl_op_data(stats);
    json_array_append_new(rows, all);

    return ctl_print(ctl, stats_row, rows);
}


/* The oldest first. */
int
ctl_app_errors(ctl_t *ctl)
{
    char          text[CTL_DECIMAL];
    json_t       *rows;
    int64_t       n;
    ctl_given_t   last = { "page_size", text };

    n = CTL_ERRORS_LAST;

    if (ctl_number(ctl, "last", &n, 1, CTL_ERRORS_MAX) != 0) {
        return CTL_ERROR;
    }

    (void) ctl_decimal(text, n);

    rows = ctl_op_data(ctl_op_run(ctl, &rbl_op_app_errors, ctl->args[0],
                                  ctl->args[1], 1, &last));
    if (rows == NULL) {
        return CTL_ERROR;
    }

    return ctl_print(ctl, error_row, ctl_op_reversed(rows));
}
