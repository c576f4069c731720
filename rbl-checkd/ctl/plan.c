/*
 * rblctl plan, account plan: the plans of the operator's file, and the values
 * that an account takes from them.  The store keeps the values in the account's
 * record; later changes of the file do not affect it.
 *
 * Every member of every plan is checked, and all mistakes are printed before
 * the reader of the file fails.
 */

#include "op.h"
#include "plan.h"

#include "rbl_money.h"
#include "rbl_time.h"

#define PLAN_INTERVAL  3600             /* of an account without a plan */
#define PLAN_FILE_MAX  200

/* The plans of the file, in its order.  A command reads one file, and its texts
   live until it ends. */
static struct {
    json_t  *root;
    size_t   n;
    plan_t   plan[PLAN_FILE_MAX];
} plans;


static const char  plan_columns[] =
    "name:plan, paid, max_hosts, max_contacts, max_checks:max checks a day,"
    " interval:shortest (s), price:price (USD), period,"
    " check_price:price a check (USD)";

static const char  plan_row[] =
    "name:PLAN, paid, max_hosts:HOSTS, max_contacts:CONTACTS,"
    " max_checks:CHECKS, interval, price, period, check_price:CHECK";

static const char *const  plan_members[] = {
    "name", "paid", "max_hosts", "max_contacts", "max_checks", "interval",
    "price", "period", "check_price", NULL
};

static const char *const  root_members[] = { "version", "plans", NULL };

static const char *const  plan_periods[] = { "month", "year", NULL };


static int64_t
member_interval(entry_read_t *r, const json_t *entry)
{
    int64_t    seconds;
    rbl_str_t  s;

    s = value_str(json_object_get(entry, "interval"));

    if (s.p == NULL || entry_seconds(&seconds, s) != 0) {
        mistake(r, "interval", "must be there, a time from \"1s\" to \"30d\","
                " as \"15m\" or \"1h\"");
        return 0;
    }

    return seconds;
}


/* An amount with at least two digits behind the point, at most `decimals`. */
static int
money_ok(rbl_str_t s, unsigned decimals)
{
    int64_t      amount;
    const char  *point;

    point = memchr(s.p, '.', s.n);

    return point != NULL && s.p + s.n - point > 2
           && rbl_money_parse(&amount, s, decimals) == RBL_OK;
}


static void
plan_price(entry_read_t *r, const json_t *entry, plan_t *plan)
{
    plan->price = member_text(r, entry, "price", ENTRY_TEXT);
    plan->check_price = member_text(r, entry, "check_price", ENTRY_TEXT);
    plan->period = member_word(r, entry, "period", plan_periods, 1);

    if (plan->price.n && !money_ok(plan->price, 2)) {
        mistake(r, "price", "must be an amount of dollars and cents, as"
                " \"25.00\"");
    }

    if (plan->check_price.n && !money_ok(plan->check_price, 6)) {
        mistake(r, "check_price", "must be an amount of dollars with 2 to 6"
                " digits after the point, as \"0.002\"");
    }

    if (plan->paid < 0) {
        return;
    }

    if (!plan->paid) {
        if (plan->price.n || plan->period.n || plan->check_price.n) {
            mistake(r, "paid", "must be 1 where there is a price");
        }

    } else if (!plan->price.n == !plan->check_price.n) {
        mistake(r, "price", "a paid plan has either \"price\" and \"period\""
                " or \"check_price\"");

    } else if (!plan->price.n != !plan->period.n) {
        mistake(r, "period", "must be there with \"price\", and with nothing"
                " else");
    }
}


static void
plan_read(entry_read_t *r, const json_t *entry, plan_t *plan)
{
    memset(plan, 0, sizeof(*plan));
    memset(&r->label, 0, sizeof(r->label));

    if (!json_is_object(entry)) {
        mistake(r, "entry", "must be an object");
        return;
    }

    plan->name = value_str(json_object_get(entry, "name"));

    if (plan->name.p == NULL || plan->name.n == 0 || !rbl_text_ok(plan->name)
        || rbl_trim(plan->name).n != plan->name.n
        || rbl_utf8_count(plan->name) > RBL_LABEL_MAX)
    {
        mistake(r, "name", "must be there, 1 to %d characters, no control"
                " characters nor space at either end", RBL_LABEL_MAX);

    } else {
        r->label = plan->name;
        entry_once(r, "name");
    }

    entry_members(r, entry, plan_members);
    plan->paid = member_number(r, entry, "paid", 1, 1);
    plan->max_hosts = member_number(r, entry, "max_hosts", ENTRY_LIMIT_MAX, 1);
    plan->max_contacts = member_number(r, entry, "max_contacts",
                                       ENTRY_LIMIT_MAX, 1);
    plan->max_checks = member_number(r, entry, "max_checks", ENTRY_LIMIT_MAX,
                                     1);
    plan->interval = member_interval(r, entry);
    plan_price(r, entry, plan);
}


static void
plans_read(entry_read_t *r)
{
    const char    *name;
    const json_t  *rows;
    void          *it;

    rows = json_object_get(plans.root, "plans");

    if (json_integer_value(json_object_get(plans.root, "version")) != 1
        || !json_is_array(rows) || json_array_size(rows) > PLAN_FILE_MAX)
    {
        ctl_fail("%s: must be an object of \"version\": 1 and \"plans\":"
                 " [...], at most %d of them", r->path, PLAN_FILE_MAX);
        r->mistakes++;
        return;
    }

    for (it = json_object_iter(plans.root); it != NULL;
         it = json_object_iter_next(plans.root, it))
    {
        name = json_object_iter_key(it);
        if (one_of(rbl_str(name), root_members) < 0) {
            ctl_fail("%s: \"%.80s\": is none of \"version\", \"plans\"",
                     r->path, name);
            r->mistakes++;
        }
    }

    r->array = "plans";
    for (r->index = 0; r->index < json_array_size(rows); r->index++) {
        plan_read(r, json_array_get(rows, r->index), &plans.plan[plans.n++]);
    }
}


/* Reads the whole file at the path.  0, -1: error printed, a line for each
   mistake. */
static int
plans_open(const char *path)
{
    entry_read_t  r;

    plans.root = entry_open(&r, path);
    if (plans.root == NULL) {
        return -1;
    }

    plans_read(&r);

    return entry_close(&r);
}


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
    size_t       i;
    const char  *path;

    path = plan_path(ctl);
    if (plans_open(path) != 0) {
        return NULL;
    }

    for (i = 0; i < plans.n; i++) {
        if (rbl_str_is(plans.plan[i].name, name)) {
            return &plans.plan[i];
        }
    }

    ctl_fail("there is no plan \"%.80s\" in %s; rblctl plan list names them"
             " all", name, path);

    return NULL;
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
    size_t   i;
    json_t  *rows;

    if (plans_open(plan_path(ctl)) != 0) {
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
    char           hosts[CTL_DECIMAL], contacts[CTL_DECIMAL],
                   checks[CTL_DECIMAL], seconds[CTL_DECIMAL];
    redisReply    *reply;
    const plan_t  *plan;

    rbl_account_plan_args_t   args;
    rbl_account_plan_reply_t  said;

    plan = plan_open(ctl, ctl->args[1].p);
    if (plan == NULL) {
        return CTL_ERROR;
    }

    args.plan = plan->name;
    args.paid = rbl_str(plan->paid ? "1" : "0");
    args.hosts = ctl_decimal(hosts, plan->max_hosts);
    args.contacts = ctl_decimal(contacts, plan->max_contacts);
    args.checks = ctl_decimal(checks, plan->max_checks);
    args.shortest = ctl_decimal(seconds, plan->interval);

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
