/*
 * Reads the file of plans.  Checks every member of every plan and prints all
 * mistakes before it fails.
 */

#include "plan_file.h"

#include "rbl_money.h"


static const char *const  plan_members[] = {
    "name", "paid", "max_hosts", "max_contacts", "max_checks", "interval",
    "price", "period", "check_price", NULL
};

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


static const char *const  root_members[] = { "version", "plans", NULL };


static void
plans_read(entry_read_t *r, plan_file_t *file)
{
    const char    *name;
    const json_t  *plans;
    void          *it;

    plans = json_object_get(file->root, "plans");

    if (json_integer_value(json_object_get(file->root, "version")) != 1
        || !json_is_array(plans) || json_array_size(plans) > PLAN_FILE_MAX)
    {
        ctl_fail("%s: must be an object of \"version\": 1 and \"plans\":"
                 " [...], at most %d of them", r->path, PLAN_FILE_MAX);
        r->mistakes++;
        return;
    }

    for (it = json_object_iter(file->root); it != NULL;
         it = json_object_iter_next(file->root, it))
    {
        name = json_object_iter_key(it);
        if (one_of(rbl_str(name), root_members) < 0) {
            ctl_fail("%s: \"%.80s\": is none of \"version\", \"plans\"",
                     r->path, name);
            r->mistakes++;
        }
    }

    r->array = "plans";
    for (r->index = 0; r->index < json_array_size(plans); r->index++) {
        plan_read(r, json_array_get(plans, r->index),
                  &file->plan[file->n++]);
    }
}


int
plan_file_read(plan_file_t *file, const char *path)
{
    entry_read_t  r;

    memset(file, 0, sizeof(*file));

    file->root = entry_open(&r, path);
    if (file->root == NULL) {
        return -1;
    }

    plans_read(&r, file);

    if (entry_close(&r) != 0) {
        plan_file_free(file);
        return -1;
    }

    return 0;
}


void
plan_file_free(plan_file_t *file)
{
    json_decref(file->root);
    memset(file, 0, sizeof(*file));
}


const plan_t *
plan_file_find(const plan_file_t *file, rbl_str_t name)
{
    size_t  i;

    for (i = 0; i < file->n; i++) {
        if (rbl_str_eq(file->plan[i].name, name)) {
            return &file->plan[i];
        }
    }

    return NULL;
}
