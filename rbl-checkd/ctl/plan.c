/*
 * rblctl plan, account plan: the plans of the operator's file, and the values
 * that an account takes from them.  The store keeps the values in the account's
 * record; later changes of the file do not affect it.
 */

#include "op.h"
#include "plan.h"

#define PLAN_INTERVAL  3600             /* of an account without a plan */


static const ctl_column_t  plan_columns[] = {
    { "name", "plan" }, { "paid", "paid" }, { "max_hosts", "max hosts" },
    { "max_contacts", "max contacts" }, { "max_checks", "max checks a day" },
    { "interval", "shortest (s)" }, { "price", "price (USD)" },
    { "period", "period" }, { "check_price", "price a check (USD)" },
    { NULL, NULL }
};

static const ctl_column_t  plan_row[] = {
    { "name", "PLAN" }, { "paid", "PAID" }, { "max_hosts", "HOSTS" },
    { "max_contacts", "CONTACTS" }, { "max_checks", "CHECKS" },
    { "interval", "INTERVAL" }, { "price", "PRICE" }, { "period", "PERIOD" },
    { "check_price", "CHECK" }, { NULL, NULL }
};


static const char *
plan_path(const ctl_t *ctl)
{
    const char  *path;

    path = ctl_option(ctl, "file");

    return path ? path : CONFIG_PLANS;
}


static json_t *
plan_json(const plan_t *plan)
{
    return json_pack("{so sb sI sI sI sI so so so}",
                     "name", ctl_text(plan->name), "paid", plan->paid != 0,
                     "max_hosts", (json_int_t) plan->max_hosts,
                     "max_contacts", (json_int_t) plan->max_contacts,
                     "max_checks", (json_int_t) plan->max_checks,
                     "interval", (json_int_t) plan->interval,
                     "price", ctl_text(plan->price),
                     "period", ctl_text(plan->period),
                     "check_price", ctl_text(plan->check_price));
}


const plan_t *
plan_open(const ctl_t *ctl, plan_file_t *file, const char *name)
{
    const char    *path;
    const plan_t  *plan;

    path = plan_path(ctl);
    if (plan_file_read(file, path) != 0) {
        return NULL;
    }

    plan = plan_file_find(file, rbl_str(name));

    if (plan == NULL) {
        ctl_fail("there is no plan \"%.80s\" in %s; rblctl plan list names"
                 " them all", name, path);
        plan_file_free(file);
    }

    return plan;
}


/* Reads the plan of that name without its prices, since the file is freed.  0,
   -1. */
static int
plan_named(const ctl_t *ctl, plan_t *plan, const char *name)
{
    plan_file_t    file;
    const plan_t  *found;

    found = plan_open(ctl, &file, name);
    if (found == NULL) {
        return -1;
    }

    *plan = *found;
    plan->name = rbl_str(name);
    memset(&plan->price, 0, sizeof(plan->price));
    memset(&plan->period, 0, sizeof(plan->period));
    memset(&plan->check_price, 0, sizeof(plan->check_price));
    plan_file_free(&file);

    return 0;
}


int
plan_given(const ctl_t *ctl, plan_t *plan, int64_t *interval)
{
    int          paid, is_free;
    const char  *name, *given;

    paid = ctl_option(ctl, "paid") != NULL;
    is_free = ctl_option(ctl, "free") != NULL;
    if (paid && is_free) {
        ctl_fail("--paid and --free exclude each other");
        return -1;
    }

    memset(plan, 0, sizeof(*plan));
    plan->name = rbl_str(paid ? "paid" : "free");

    name = ctl_option(ctl, "plan");
    if (name == NULL && ctl_option(ctl, "file") != NULL) {
        ctl_fail("--file is of use with --plan NAME alone");
        return -1;
    }

    if (name != NULL && plan_named(ctl, plan, name) != 0) {
        return -1;
    }

    plan->paid = paid || (plan->paid && !is_free);
    *interval = plan->interval ? plan->interval : PLAN_INTERVAL;

    given = ctl_option(ctl, "interval");
    if (given != NULL
        && ctl_interval(interval, "--interval", rbl_str(given)) != 0)
    {
        return -1;
    }

    if (*interval < plan->interval) {
        plan->interval = *interval;
    }

    return ctl_number(ctl, "max-hosts", &plan->max_hosts, 0, CTL_LIMIT_MAX)
           || ctl_number(ctl, "max-contacts", &plan->max_contacts, 0,
                         CTL_LIMIT_MAX)
           || ctl_number(ctl, "max-checks", &plan->max_checks, 0,
                         CTL_LIMIT_MAX) ? -1 : 0;
}


int
ctl_plan_list(ctl_t *ctl)
{
    size_t       i;
    json_t      *rows;
    plan_file_t  file;

    if (plan_file_read(&file, plan_path(ctl)) != 0) {
        return CTL_ERROR;
    }

    rows = json_array();
    for (i = 0; i < file.n; i++) {
        json_array_append_new(rows, plan_json(&file.plan[i]));
    }

    plan_file_free(&file);

    return ctl_print(ctl, plan_row, rows);
}


int
ctl_plan_show(ctl_t *ctl)
{
    int            rc;
    plan_file_t    file;
    const plan_t  *plan;

    plan = plan_open(ctl, &file, ctl->args[0].p);
    if (plan == NULL) {
        return CTL_ERROR;
    }

    rc = ctl_print(ctl, plan_columns, plan_json(plan));
    plan_file_free(&file);

    return rc;
}


/* Prints how far an account exceeds a limit of its plan. */
static void
plan_excess(const char *what, int64_t n, int64_t max)
{
    if (max > 0 && n > max) {
        ctl_note("the account has %lld %s, %lld more than the plan allows: it"
                 " keeps them and can add none", (long long) n, what,
                 (long long) (n - max));
    }
}


int
ctl_account_plan(ctl_t *ctl)
{
    char         hosts[CTL_DECIMAL], contacts[CTL_DECIMAL],
                 checks[CTL_DECIMAL], seconds[CTL_DECIMAL];
    plan_t       plan;
    redisReply  *reply;

    rbl_account_plan_args_t   args;
    rbl_account_plan_reply_t  said;

    if (plan_named(ctl, &plan, ctl->args[1].p) != 0) {
        return CTL_ERROR;
    }

    args.plan = plan.name;
    args.paid = rbl_str(plan.paid ? "1" : "0");
    args.hosts = ctl_decimal(hosts, plan.max_hosts);
    args.contacts = ctl_decimal(contacts, plan.max_contacts);
    args.checks = ctl_decimal(checks, plan.max_checks);
    args.shortest = ctl_decimal(seconds, plan.interval);

    reply = ctl_account_script(ctl, CTL_SCRIPT(account_plan, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_account_plan_reply(&said, reply);

    if (said.word == RBL_ACCOUNT_PLAN_BILL) {
        ctl_fail("the account pays for the plan \"%.*s\"; rblctl bill plan"
                 " changes that", (int) said.plan.n, said.plan.p);
        freeReplyObject(reply);
        return CTL_ERROR;
    }

    freeReplyObject(reply);
    plan_excess("hosts", said.hosts, plan.max_hosts);
    plan_excess("contacts", said.contacts, plan.max_contacts);

    return ctl_op_show(ctl, "account show");
}
