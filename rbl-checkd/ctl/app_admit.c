/*
 * Whom an application's tokens serve: from which networks it may ask, and how
 * often.  Both are kept with the application and with each of its tokens.
 */

#include "app.h"

#include "rbl_validate.h"

#include <stdio.h>

#define CTL_ALLOW_MAX  64               /* they are walked by each request */
#define CTL_HOUR_MAX   1000000000
#define CTL_RATE_MAX   1000000
#define CTL_LIMITS     4


static const char *const  limit_options[CTL_LIMITS] = {
    "hour", "reads", "writes", "starts"
};


/*
 * One network as it is stored: a subnet, an address alone as the subnet that
 * it is, or "unix:".  -1: failed, and said.
 */
static int
ctl_network(char buf[RBL_VALUE_MAX], rbl_str_t *net, rbl_str_t text)
{
    rbl_subnet_t  subnet;

    if (rbl_str_is(text, "unix:")) {
        *net = RBL_STR("unix:");
        return 0;
    }

    if (rbl_addr_parse(&subnet.addr, text) == RBL_OK) {
        subnet.bits = subnet.addr.family == RBL_FAMILY_IPV4 ? 32 : 128;
        *net = rbl_subnet_text(buf, &subnet);
        return 0;
    }

    switch (rbl_subnet_parse(&subnet, text)) {

    case RBL_OK:
        *net = rbl_subnet_text(buf, &subnet);
        return 0;

    case RBL_EHOSTBITS:
        *net = rbl_subnet_text(buf, &subnet);
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


/* Those of a list with commas, each once; their number, or -1. */
static int
ctl_networks(char bufs[CTL_ALLOW_MAX][RBL_VALUE_MAX], rbl_str_t *nets,
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

        if (n == CTL_ALLOW_MAX) {
            ctl_fail("an application may have %d networks", CTL_ALLOW_MAX);
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
    char         bufs[CTL_ALLOW_MAX][RBL_VALUE_MAX];
    rbl_sid_t    account, app;
    rbl_str_t    argv[1 + CTL_ALLOW_MAX];
    redisReply  *reply;

    if (ctl_app_arguments(ctl, &account, &app) != 0) {
        return CTL_ERROR;
    }

    if ((ctl->n_args == 3) == (ctl_option(ctl, "none") != NULL)) {
        return ctl_fail("give the networks, or --none for everywhere");
    }

    n = ctl->n_args == 3 ? ctl_networks(bufs, argv + 1, ctl->args[2]) : 0;
    if (n < 0) {
        return CTL_ERROR;
    }

    argv[0] = rbl_sid_str(&app);
    reply = ctl_app_script(ctl, &rbl_script_app_allow, &account, 1 + n, argv);
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rc = rbl_str_is(rbl_reply_word(reply), "OK")
         ? ctl_app_allowed(ctl, &account, &app, n, argv + 1)
         : ctl_app_none(&account, &app);

    freeReplyObject(reply);

    return rc;
}


/* Arguments of the script; their number, or -1. */
static int
ctl_limits(ctl_t *ctl, rbl_str_t *argv)
{
    int          i, none, given;
    int64_t      v;
    const char  *text;

    none = ctl_option(ctl, "none") != NULL;

    for (i = 0, given = 0; i < CTL_LIMITS; i++) {
        if (ctl_number(ctl, limit_options[i], &v, 0,
                       i == 0 ? CTL_HOUR_MAX : CTL_RATE_MAX) != 0)
        {
            return -1;
        }

        text = ctl_option(ctl, limit_options[i]);
        given += text != NULL;
        argv[i] = rbl_str(text ? text : none ? "0" : "");
    }

    if (none == (given > 0)) {
        ctl_fail("give the limits that change (0: none), or --none alone");
        return -1;
    }

    return CTL_LIMITS;
}


int
ctl_app_limit(ctl_t *ctl)
{
    int          n, rc;
    rbl_sid_t    account, app;
    rbl_str_t    argv[1 + CTL_LIMITS];
    json_int_t   v[CTL_LIMITS];
    redisReply  *reply;

    if (ctl_app_arguments(ctl, &account, &app) != 0
        || ctl_limits(ctl, argv + 1) < 0)
    {
        return CTL_ERROR;
    }

    argv[0] = rbl_sid_str(&app);
    reply = ctl_app_script(ctl, &rbl_script_app_limit, &account,
                           1 + CTL_LIMITS, argv);
    if (reply == NULL) {
        return CTL_ERROR;
    }

    if (rbl_str_is(rbl_reply_word(reply), "OK")) {
        for (n = 0; n < CTL_LIMITS; n++) {
            v[n] = rbl_reply_int(rbl_reply_at(reply, n + 1), 0);
        }

        rc = ctl_app_print(ctl, json_pack("{ss ss sI sI sI sI}",
                           "account", account.s, "id", app.s,
                           limit_options[0], v[0], limit_options[1], v[1],
                           limit_options[2], v[2], limit_options[3], v[3]));
    } else {
        rc = ctl_app_none(&account, &app);
    }

    freeReplyObject(reply);

    return rc;
}
