/*
 * The file of plans.  Every member of every plan is checked, and all mistakes
 * are reported before the reader of the file fails.
 */

#include "plans.h"

#include "rbl_money.h"

#include <stdio.h>
#include <string.h>

#define PLAN_INTERVAL  3600             /* s, of an account without a plan */


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
file_read(entry_read_t *r, plans_t *plans)
{
    char           member[90];
    const char    *name;
    const json_t  *rows;
    void          *it;

    rows = json_object_get(plans->root, "plans");

    if (json_integer_value(json_object_get(plans->root, "version")) != 1
        || !json_is_array(rows) || json_array_size(rows) > PLANS_MAX)
    {
        mistake(r, "file", "must be an object of \"version\": 1 and"
                " \"plans\": [...], at most %d of them", PLANS_MAX);
        return;
    }

    for (it = json_object_iter(plans->root); it != NULL;
         it = json_object_iter_next(plans->root, it))
    {
        name = json_object_iter_key(it);
        if (one_of(rbl_str(name), root_members) < 0) {
            snprintf(member, sizeof(member), "\"%.80s\"", name);
            mistake(r, member, "is none of \"version\", \"plans\"");
        }
    }

    r->array = "plans";
    for (r->index = 0; r->index < json_array_size(rows); r->index++) {
        plan_read(r, json_array_get(rows, r->index), &plans->plan[plans->n++]);
    }
}


int
plans_read(plans_t *plans, const char *path, entry_say_pt say)
{
    entry_read_t  r;

    plans->n = 0;
    plans->root = entry_open(&r, path, say);
    if (plans->root == NULL) {
        return -1;
    }

    file_read(&r, plans);

    return entry_close(&r);
}


void
plans_free(plans_t *plans)
{
    json_decref(plans->root);
    plans->root = NULL;
    plans->n = 0;
}


const plan_t *
plans_find(const plans_t *plans, rbl_str_t name)
{
    size_t  i;

    for (i = 0; i < plans->n; i++) {
        if (plans->plan[i].name.n == name.n
            && memcmp(plans->plan[i].name.p, name.p, name.n) == 0)
        {
            return &plans->plan[i];
        }
    }

    return NULL;
}


int64_t
plan_interval(const plan_t *plan)
{
    return plan->interval ? plan->interval : PLAN_INTERVAL;
}


/* Both scripts have these arguments. */
#define PLAN_WORDS(args, words, of)                                           \
    (args)->plan = (of)->name;                                                \
    (args)->paid = rbl_str((of)->paid ? "1" : "0");                           \
    (args)->hosts = rbl_out_int_text((words)->hosts, (of)->max_hosts);        \
    (args)->contacts = rbl_out_int_text((words)->contacts,                    \
                                        (of)->max_contacts);                  \
    (args)->checks = rbl_out_int_text((words)->checks, (of)->max_checks);     \
    (args)->shortest = rbl_out_int_text((words)->shortest, (of)->interval)


void
plan_put(rbl_account_put_args_t *args, plan_words_t *words, const plan_t *plan,
    int64_t interval)
{
    PLAN_WORDS(args, words, plan);
    args->interval = rbl_out_int_text(words->interval, interval);
}


void
plan_set(rbl_account_plan_args_t *args, plan_words_t *words, const plan_t *plan)
{
    PLAN_WORDS(args, words, plan);
}
