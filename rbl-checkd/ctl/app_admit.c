/*
 * Access control of applications: the networks from which their tokens may be
 * used, and the rate limit.  The store keeps both with the application and with
 * each of its tokens.
 */

#include "app.h"

#include "rbl_validate.h"

#include <stdio.h>

/* Converts a network into its stored form.  -1: error printed. */
static int
ctl_network(char buf[RBL_VALUE_MAX], rbl_str_t *net, rbl_str_t text)
{
    switch (rbl_network_parse(buf, net, text)) {

    case RBL_OK:
        return 0;

    case RBL_EHOSTBITS:
        ctl_fail("\"%.*s\" has host bits set: the network is %s",
                 (int) text.n, text.p, buf);
        return -1;

    default:
        ctl_fail("\"%.*s\" is not a network as 192.0.2.0/24, 192.0.2.7,"
                 " 2001:db8::/32 or unix:", (int) (text.n > 60 ? 60 : text.n),
                 text.p);
        return -1;
    }
}


/* Converts a list with commas, without duplicates.  Returns their number, or
   -1. */
static int
ctl_networks(char bufs[RBL_NETWORKS_MAX][RBL_VALUE_MAX], rbl_str_t *nets,
    rbl_str_t list)
{
    int          n, i;
    rbl_str_t    text;
    const char  *p, *end;

    p = list.p;
    end = list.p + list.n;

    for (n = 0; ; p = text.p + text.n + 1) {
        text.p = p;
        text.n = strcspn(p, ",");

        if (n == RBL_NETWORKS_MAX) {
            ctl_fail("an application may have %d networks", RBL_NETWORKS_MAX);
            return -1;
        }

        if (ctl_network(bufs[n], &nets[n], rbl_trim(text)) != 0) {
            return -1;
        }

        for (i = 0; i < n && !rbl_str_eq(nets[i], nets[n]); i++) {
            /* void */
        }

        n += i == n;

        if (text.p + text.n == end) {
            return n;
        }
    }
}


static int
ctl_app_allowed(ctl_t *ctl, const rbl_sid_t *account, const rbl_sid_t *app,
    int n, const rbl_str_t *nets)
{
    int      i;
    json_t  *list;

    list = json_array();

    for (i = 0; i < n; i++) {
        json_array_append_new(list, ctl_text(nets[i]));
    }

    return ctl_app_print(ctl, json_pack("{ss ss so}", "account", account->s,
                                        "id", app->s, "allow", list));
}


int
ctl_app_allow(ctl_t *ctl)
{
    int          n, rc;
    char         bufs[RBL_NETWORKS_MAX][RBL_VALUE_MAX];
    rbl_key_t    key;
    rbl_sid_t    account, app;
    redisReply  *reply;

    rbl_app_allow_reply_t  said;

    struct {
        rbl_app_allow_args_t  args;
        rbl_str_t             networks[RBL_NETWORKS_MAX];
    } call;

    if (ctl_app_arguments(ctl, &account, &app) != 0) {
        return CTL_ERROR;
    }

    if ((ctl->n_args == 3) == (ctl_option(ctl, "none") != NULL)) {
        return ctl_fail("give the networks, or --none for everywhere");
    }

    n = ctl->n_args == 3 ? ctl_networks(bufs, call.networks, ctl->args[2])
                         : 0;
    if (n < 0) {
        return CTL_ERROR;
    }

    call.args.acct = ctl_acct(ctl, &key, &account);
    call.args.app = rbl_sid_str(&app);
    reply = ctl_script(ctl, &rbl_script_app_allow, RBL_ARGC(call.args) + n,
                       call.args.argv);
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_app_allow_reply(&said, reply);

    rc = said.word == RBL_APP_ALLOW_OK
         ? ctl_app_allowed(ctl, &account, &app, n, call.networks)
         : ctl_app_none(&account, &app);

    freeReplyObject(reply);

    return rc;
}


/* Reads the limits into the arguments of the script.  0; -1: error printed. */
static int
ctl_limits(ctl_t *ctl, rbl_app_limit_args_t *args)
{
    int          i, none, given;
    int64_t      v;
    const char  *text;

    const struct {
        const char  *option;
        rbl_str_t   *limit;
    } limits[RBL_LIMITS] = {
        { "hour", &args->hour }, { "reads", &args->reads },
        { "writes", &args->writes }, { "starts", &args->starts }
    };

    none = ctl_option(ctl, "none") != NULL;

    for (i = 0, given = 0; i < RBL_LIMITS; i++) {
        if (ctl_number(ctl, limits[i].option, &v, 0,
                       i == 0 ? RBL_HOUR_MAX : RBL_RATE_MAX) != 0)
        {
            return -1;
        }

        text = ctl_option(ctl, limits[i].option);
        given += text != NULL;
        *limits[i].limit = rbl_str(text ? text : none ? "0" : "");
    }

    if (none == (given > 0)) {
        ctl_fail("give the limits that change (0: none), or --none alone");
        return -1;
    }

    return 0;
}


int
ctl_app_limit(ctl_t *ctl)
{
    int          rc;
    rbl_key_t    key;
    rbl_sid_t    account, app;
    redisReply  *reply;

    rbl_app_limit_args_t   args;
    rbl_app_limit_reply_t  said;

    if (ctl_app_arguments(ctl, &account, &app) != 0
        || ctl_limits(ctl, &args) != 0)
    {
        return CTL_ERROR;
    }

    args.acct = ctl_acct(ctl, &key, &account);
    args.app = rbl_sid_str(&app);
    reply = ctl_script(ctl, CTL_SCRIPT(app_limit, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_app_limit_reply(&said, reply);

    if (said.word == RBL_APP_LIMIT_OK) {
        rc = ctl_app_print(ctl, json_pack("{ss ss sI sI sI sI}",
                           "account", account.s, "id", app.s,
                           "hour", (json_int_t) said.hour,
                           "reads", (json_int_t) said.reads,
                           "writes", (json_int_t) said.writes,
                           "starts", (json_int_t) said.starts));
    } else {
        rc = ctl_app_none(&account, &app);
    }

    freeReplyObject(reply);

    return rc;
}
