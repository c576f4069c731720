/*
 * rblctl fsck: numbers that an account keeps.  Scripts count in slices, and
 * other programs may write between two slices.  Every change of a use also
 * changes the counters of uses, every change of the listed addresses of a range
 * writes its record or its set of addresses, and every movement of money is in
 * the ledger, so the client watches these (WATCH): the script that compares
 * runs only if none was written, and otherwise the client counts again.
 */

#include "fsck.h"

#define FSCK_TRIES       5
#define FSCK_REFS_SLICE  100


/* Counters that differ. */
typedef struct {
    fsck_t     *f;
    rbl_str_t   acct;
    int         passed;                 /* some were passed to the script */
    int         n;
    char        is[FSCK_REFS_SLICE][CTL_DECIMAL];

    struct {
        rbl_fsck_refs_args_t  args;
        rbl_fsck_refs_each_t  refs[FSCK_REFS_SLICE];
    } call;
} fsck_diff_t;


/* Begins to count while keys are watched.  0; -1: error printed. */
static int
count_begin(fsck_t *f, int argc, const rbl_str_t *watch)
{
    redisReply  *reply;

    json_object_clear(f->counts);
    reply = ctl_command(f->ctl, argc, watch);
    freeReplyObject(reply);

    return reply == NULL ? -1 : 0;
}


/*
 * Passes the counters that differ to the script.  The first slice runs only if
 * no counter was written since the watch began: then the comparison was valid.
 * The other slices need no watch, since the script skips a counter that has
 * changed since.  1: a counter was written; 0; -1: error printed.
 */
static int
refs_judge(fsck_diff_t *d)
{
    int  rc;

    rc = (d->passed ? fsck_script : fsck_watched)(d->f, d->acct,
             &rbl_script_fsck_refs,
             RBL_ARGC(d->call.args) + RBL_ARGC(*d->call.refs) * d->n,
             d->call.args.argv);
    d->passed = 1;
    d->n = 0;

    return rc;
}


/* Compares a counter, which is empty if there is none, with the number of
   uses. */
static int
refs_compare(fsck_diff_t *d, rbl_str_t field, rbl_str_t has, int64_t is)
{
    rbl_fsck_refs_each_t  *ref;

    ref = &d->call.refs[d->n];
    ref->field = field;
    ref->has = has;
    ref->is = ctl_decimal(d->is[d->n], is);

    d->n += is == 0 || !rbl_str_eq(has, ref->is);

    return d->n < FSCK_REFS_SLICE ? 0 : refs_judge(d);
}


/* Compares the counters, a reply of HGETALL, with the uses in f->counts. */
static int
refs_check(fsck_t *f, rbl_str_t acct, const redisReply *refs)
{
    int           rc;
    size_t        i;
    int64_t       is;
    json_t       *count;
    rbl_str_t     field;
    const char   *name;
    fsck_diff_t   d;

    d.f = f;
    d.acct = acct;
    d.passed = 0;
    d.n = 0;

    for (i = 0, rc = 0; i + 1 < rbl_reply_len(refs) && rc == 0; i += 2) {
        field = rbl_reply_str(rbl_reply_at(refs, i));
        is = json_integer_value(json_object_getn(f->counts, field.p, field.n));
        (void) json_object_deln(f->counts, field.p, field.n);
        rc = refs_compare(&d, field, rbl_reply_str(rbl_reply_at(refs, i + 1)),
                          is);
    }

    json_object_foreach(f->counts, name, count) {
        rc = rc ? rc
             : refs_compare(&d, rbl_str(name), RBL_STR(""),
                            json_integer_value(count));
    }

    return rc || (d.passed && d.n == 0) ? rc : refs_judge(&d);
}


/* The counters of uses.  1: one was written meanwhile; 0; -1. */
static int
count_refs(fsck_t *f, rbl_str_t account, rbl_str_t none)
{
    int                   rc;
    rbl_key_t             acct_key, refs_key;
    rbl_str_t             acct, key;
    redisReply           *refs;
    rbl_fsck_uses_args_t  args;

    acct = fsck_acct(f, &acct_key, account);
    key = rbl_account_key(&refs_key, &f->ctl->ks, "refs", account, none);
    json_array_clear(f->names);
    args.what = RBL_STR("contacts");
    args.cursor = RBL_STR("0");

    if (count_begin(f, RBL_COMMAND("WATCH", key)) != 0
        || fsck_script(f, acct, CTL_SCRIPT(fsck_uses, args)) < 0)
    {
        return -1;
    }

    if (json_object_get(f->counts, "unknown") != NULL) {
        ctl_note("the use of account %.*s cannot be counted before its records"
                 " can be read: its counters were not checked",
                 (int) account.n, account.p);

        /* the watch ends with the EXEC of the next account, which is retried */

        return 0;
    }

    refs = ctl_command(f->ctl, RBL_COMMAND("HGETALL", key));
    if (refs == NULL) {
        return -1;
    }

    rc = refs_check(f, acct, refs);
    freeReplyObject(refs);

    return rc;
}


/* The listed addresses of a range.  1: a watched key was written; 0; -1. */
static int
count_range(fsck_t *f, rbl_str_t account, rbl_str_t range)
{
    char                    n[CTL_DECIMAL];
    rbl_key_t               key[3];
    rbl_str_t               acct;
    rbl_fsck_kids_args_t    kids;
    rbl_fsck_range_args_t   args;

    acct = fsck_acct(f, &key[0], account);
    kids.range = range;
    kids.what = RBL_STR("kids");
    kids.cursor = RBL_STR("0");

    if (count_begin(f, RBL_COMMAND("WATCH",
                    rbl_account_key(&key[1], &f->ctl->ks, "r", account, range),
                    rbl_account_key(&key[2], &f->ctl->ks, "kids", account,
                                    range))) != 0
        || fsck_script(f, acct, CTL_SCRIPT(fsck_kids, kids)) < 0)
    {
        return -1;
    }

    if (json_object_get(f->counts, "unknown") != NULL) {
        ctl_note("addresses of range %.*s cannot be read: its number of listed"
                 " addresses was not looked at", (int) range.n, range.p);
        return 0;
    }

    args.range = range;
    args.listed = ctl_decimal(n, json_integer_value(
                                     json_object_get(f->counts, "listed")));

    return fsck_watched(f, acct, CTL_SCRIPT(fsck_range, args));
}


/* The ledger: a count is a sum by the name of its fault (fsck_bill.lua).  1:
   the ledger or the payments were written; 0; -1. */
static int
count_bill(fsck_t *f, rbl_str_t account, rbl_str_t none)
{
    int                    rc;
    int64_t                n;
    json_t                *sum;
    rbl_key_t              key[3];
    rbl_str_t              acct;
    const char            *name, *tab;
    rbl_fsck_bill_args_t   args;

    acct = fsck_acct(f, &key[0], account);
    args.what = RBL_STR("ledger");
    args.cursor = RBL_STR("0");

    if (count_begin(f, RBL_COMMAND("WATCH",
                    rbl_account_key(&key[1], &f->ctl->ks, "ledger", account,
                                    none),
                    rbl_account_key(&key[2], &f->ctl->ks, "payments", account,
                                    none))) != 0
        || fsck_script(f, acct, CTL_SCRIPT(fsck_bill, args)) < 0)
    {
        return -1;
    }

    args.what = RBL_STR("money");
    rc = fsck_watched(f, acct, CTL_SCRIPT(fsck_bill, args));

    if (rc != 0) {
        return rc;
    }

    json_object_foreach(f->counts, name, sum) {
        n = json_integer_value(sum);
        tab = name + strcspn(name, "\t");

        if (name[0] == '=' ? n != 0 : n > name[0] - '0') {
            fsck_add(f, account, RBL_STR("ledger"), rbl_str(tab + 1),
                     (rbl_str_t) { name + 1, (size_t) (tab - name) - 1 }, 0);
        }
    }

    return 0;
}


/* Counts until nothing was written meanwhile, and prints that it never is.
   0; -1: error printed. */
static int
count_until(fsck_t *f, int (*count)(fsck_t *f, rbl_str_t account,
    rbl_str_t range), rbl_str_t account, rbl_str_t range, const char *what,
    const char *note)
{
    int        i, rc;
    rbl_str_t  sid;

    for (i = 0, rc = 1; i < FSCK_TRIES && rc == 1; i++) {
        rc = count(f, account, range);
    }

    if (rc == 1) {
        sid = range.n ? range : account;
        ctl_note("%s %.*s %s", what, (int) sid.n, sid.p, note);
    }

    return rc < 0 ? -1 : 0;
}


int
fsck_counted(fsck_t *f, rbl_str_t account)
{
    int        rc;
    size_t     i;
    rbl_str_t  none = RBL_STR("");

    rc = count_until(f, count_refs, account, none, "the use of account",
                     "changes faster than it can be counted: its counters were"
                     " not checked");

    rc = rc ? rc
         : count_until(f, count_bill, account, none, "the ledger of account",
                       "grows faster than it can be read: it was not checked");

    for (i = 0; i < json_array_size(f->names) && rc == 0; i++) {
        rc = count_until(f, count_range, account,
                         rbl_str(json_string_value(
                                     json_array_get(f->names, i))),
                         "range", "changes faster than its addresses can be"
                         " counted: its number of listed addresses was not"
                         " checked");
    }

    return rc;
}
