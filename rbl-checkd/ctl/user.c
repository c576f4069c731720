/*
 * rblctl user, rblctl operator: what their commands do beside their operations.
 * A link is printed once, by the command that made it; the store keeps only its
 * SHA-256.  Without --url it is the part behind the portal's URL.
 *
 * The operators, who see all accounts in the portal, are users of an account of
 * their own.  The first `operator add` makes it.
 */

#include "op.h"
#include "plan.h"

#include "rbl_validate.h"

#include <stdio.h>

#define CTL_URL_MAX    255


static const char  user_columns[] = "id:user, mail, role, link";


/* The portal's URL, "" if it is not given.  -1: error printed. */
static int
user_url(const ctl_t *ctl, const char **text)
{
    rbl_str_t  s;
    rbl_url_t  url;

    *text = ctl_option(ctl, "url") ? ctl_option(ctl, "url") : "";
    s = rbl_str(*text);

    if (s.n > 0
        && (s.n > CTL_URL_MAX || rbl_url_parse(&url, s) != RBL_OK
            || memchr(s.p, '?', s.n) != NULL || s.p[s.n - 1] != '/'))
    {
        ctl_fail("--url must be the portal's URL, which ends with \"/\"");
        return -1;
    }

    return 0;
}


/* Prints the user with the link; the part behind "#" stays in the browser. */
static int
user_made(ctl_t *ctl, const rbl_op_t *op, rbl_str_t id, int n,
    const ctl_given_t *given)
{
    json_t      *data;
    const char  *url;

    if (user_url(ctl, &url) != 0) {
        return CTL_ERROR;
    }

    data = ctl_op_data(ctl_op_run(ctl, op, ctl->args[0], id, n, given));
    if (data == NULL) {
        return CTL_ERROR;
    }

    json_object_set_new(data, "link",
                        json_sprintf("%s#/link/%s", url, json_string_value(
                                         json_object_get(data, "link"))));

    return ctl_print(ctl, user_columns, data);
}


/* Of an operator, viewer is the default. */
int
ctl_user_add(ctl_t *ctl)
{
    ctl_given_t  given[] = {
        { "mail", ctl->args[1].p }, { "role", ctl_option(ctl, "role") },
        { "name", ctl_option(ctl, "name") }
    };

    if (given[1].value == NULL && rbl_str_is(ctl->args[0], RBL_SID_OPERATORS)) {
        given[1].value = "viewer";
    }

    return user_made(ctl, &rbl_op_user_add, RBL_STR(""), 3, given);
}


int
ctl_user_link(ctl_t *ctl)
{
    return user_made(ctl, &rbl_op_user_link, ctl->args[1], 0, NULL);
}


/* Runs a command of rblctl user. */
static int
operator_run(ctl_t *ctl, int (*run)(ctl_t *ctl))
{
    memmove(ctl->args + 1, ctl->args, sizeof(ctl->args) - sizeof(*ctl->args));
    ctl->args[0] = RBL_STR(RBL_SID_OPERATORS);
    ctl->n_args++;

    return run(ctl);
}


static rbl_str_t
operator_account(const ctl_t *ctl, rbl_key_t *key)
{
    return rbl_account_key(key, &ctl->ks, "acct", RBL_STR(RBL_SID_OPERATORS),
                           RBL_STR(""));
}


/* Makes the account if there is none.  It has no hosts, applications or
   receivers, so its plan does not matter.  0; -1: error printed. */
static int
operator_begin(ctl_t *ctl)
{
    rbl_key_t  key;

    static const plan_t  plan = { .name = RBL_STR(""), .interval = 86400 };

    return account_make(ctl, operator_account(ctl, &key), RBL_STR("Operators"),
                        RBL_STR("UTC"), &plan, plan.interval) < 0 ? -1 : 0;
}


static int
operator_change(ctl_t *ctl, int (*run)(ctl_t *ctl))
{
    int64_t    n;
    rbl_key_t  key;

    n = ctl_count(ctl, "EXISTS", operator_account(ctl, &key));

    return n < 0 ? CTL_ERROR
           : n == 0 ? ctl_fail("there are no operators: rblctl operator add"
                               " adds one")
           : operator_run(ctl, run);
}


int
ctl_operator_add(ctl_t *ctl)
{
    return operator_begin(ctl) == 0 ? operator_run(ctl, ctl_user_add)
                                         : CTL_ERROR;
}


int
ctl_operator_link(ctl_t *ctl)
{
    return operator_change(ctl, ctl_user_link);
}


/* operator list, operator delete */
int
ctl_operator(ctl_t *ctl)
{
    return operator_change(ctl, ctl_op);
}
