/*
 * rblctl plan, account plan: the plans of the operator's file, and the values
 * that an account takes from them.
 */

#include "op.h"
#include "plan.h"

/* A command reads one file, whose texts live until it ends. */
static plans_t  plans;


static const char  plan_columns[] =
    "name:plan, paid, max_hosts, max_contacts, max_checks:max checks a day,"
    " interval:shortest (s), price:price (USD), period,"
    " check_price:price a check (USD)";

static const char  plan_row[] =
    "name:PLAN, paid, max_hosts:HOSTS, max_contacts:CONTACTS,"
    " max_checks:CHECKS, interval, price, period, check_price:CHECK";


static const char *
plan_path(const ctl_t *ctl)
{
    const char  *path;

    path = ctl_option(ctl, "file");

    return path ? path : ctl->conf.bill_plans;
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
plan_open(const ctl_t *ctl, const char *name)
{
    const char    *path;
    const plan_t  *plan;

    path = plan_path(ctl);
    if (plans_read(&plans, path, ctl_line) != 0) {
        return NULL;
    }

    plan = plans_find(&plans, rbl_str(name));
    if (plan == NULL) {
        ctl_fail("there is no plan \"%.80s\" in %s; rblctl plan list names"
                 " them all", name, path);
    }

    return plan;
}


int
plan_given(const ctl_t *ctl, plan_t *plan, int64_t *interval)
{
    int            paid, is_free;
    const char    *name, *given;
    const plan_t  *found;

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

    if (name != NULL) {
        found = plan_open(ctl, name);
        if (found == NULL) {
            return -1;
        }

        *plan = *found;
    }

    plan->paid = paid || (plan->paid && !is_free);
    *interval = plan_interval(plan);

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
    size_t   i;
    json_t  *rows;

    if (plans_read(&plans, plan_path(ctl), ctl_line) != 0) {
        return CTL_ERROR;
    }

    rows = json_array();
    for (i = 0; i < plans.n; i++) {
        json_array_append_new(rows, plan_json(&plans.plan[i]));
    }

    return ctl_print(ctl, plan_row, rows);
}


int
ctl_plan_show(ctl_t *ctl)
{
    const plan_t  *plan;

    plan = plan_open(ctl, ctl->args[0].p);

    return plan == NULL ? CTL_ERROR
           : ctl_print(ctl, plan_columns, plan_json(plan));
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


/* Puts the account on a plan, whose price does not count. */
int
ctl_account_plan(ctl_t *ctl)
{
    redisReply    *reply;
    plan_words_t   words;
    const plan_t  *plan;

    rbl_account_plan_args_t   args;
    rbl_account_plan_reply_t  said;

    plan = plan_open(ctl, ctl->args[1].p);
    if (plan == NULL) {
        return CTL_ERROR;
    }

    plan_set(&args, &words, plan);
    args.request = RBL_STR("");

    reply = ctl_account_script(ctl, CTL_SCRIPT(account_plan, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_account_plan_reply(&said, reply);

    if (said.word != RBL_ACCOUNT_PLAN_OK) {
        ctl_fail("the account pays for the plan \"%.*s\"; rblctl bill plan"
                 " changes that", (int) said.plan.n, said.plan.p);
        freeReplyObject(reply);
        return CTL_ERROR;
    }

    freeReplyObject(reply);
    plan_excess("hosts", said.hosts, plan->max_hosts);
    plan_excess("contacts", said.contacts, plan->max_contacts);

    return ctl_op_show(ctl, "account show");
}
