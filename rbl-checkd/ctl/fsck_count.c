/*
 * rblctl fsck: numbers that an account keeps.  Scripts count in slices, and
 * other programs may write between two slices.  Every change of a use also
 * changes the counters of uses, and every change of the listed addresses of a
 * range writes its record or its set of addresses, so the client watches these
 * (WATCH): the script that compares runs only if none was written, and
 * otherwise the client counts again.
 */

#include "base/xalloc.h"
#include "fsck.h"

#include <stdlib.h>

#define FSCK_TRIES       5
#define FSCK_REFS_SLICE  100


/* Counters that differ. */
typedef struct {
    rbl_fsck_refs_each_t   *refs;
    char                  (*numbers)[CTL_DECIMAL];
    size_t                  n;
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


/* Adds a field to those that differ; `has` is empty if there is no counter. */
static void
refs_differ(fsck_diff_t *d, rbl_str_t field, rbl_str_t has, int64_t is)
{
    d->refs[d->n].field = field;
    d->refs[d->n].has = has;
    d->refs[d->n].is = ctl_decimal(d->numbers[d->n], is);
    d->n++;
}


/*
 * Compares the counters, a reply of HGETALL, with the counted uses: equal
 * fields are removed from f->counts.
 */
static void
refs_diff(fsck_t *f, const redisReply *refs, fsck_diff_t *d)
{
    void       *it;
    size_t      i, n;
    int64_t     is, was;
    rbl_str_t   field, has;

    n = rbl_reply_len(refs) / 2 + json_object_size(f->counts);
    d->refs = xcalloc(n + 1, sizeof(*d->refs));
    d->numbers = xcalloc(n + 1, sizeof(*d->numbers));

    for (i = 0; i + 1 < rbl_reply_len(refs); i += 2) {
        field = rbl_reply_str(rbl_reply_at(refs, i));
        has = rbl_reply_str(rbl_reply_at(refs, i + 1));
        is = json_integer_value(json_object_getn(f->counts, field.p, field.n));
        (void) json_object_deln(f->counts, field.p, field.n);

        if (is == 0 || rbl_int_parse(&was, has, is, is) != RBL_OK) {
            refs_differ(d, field, has, is);
        }
    }

    for (it = json_object_iter(f->counts); it != NULL;
         it = json_object_iter_next(f->counts, it))
    {
        field.p = json_object_iter_key(it);
        field.n = json_object_iter_key_len(it);
        refs_differ(d, field, RBL_STR(""),
                    json_integer_value(json_object_iter_value(it)));
    }
}


/*
 * Passes the counters that differ to the script.  The first slice runs only if
 * no counter was written since the watch began: then the comparison was valid.
 * The other slices need no watch, since the script skips a counter that has
 * changed since. 1: a counter was written; 0; -1: error printed.
 */
static int
refs_judge(fsck_t *f, rbl_str_t acct, const fsck_diff_t *d)
{
    int     rc;
    size_t  i, n;

    struct {
        rbl_fsck_refs_args_t  args;
        rbl_fsck_refs_each_t  refs[FSCK_REFS_SLICE];
    } call;

    i = 0;

    do {
        n = d->n - i < FSCK_REFS_SLICE ? d->n - i : FSCK_REFS_SLICE;
        memcpy(call.refs, d->refs + i, n * sizeof(*call.refs));

        rc = (i == 0 ? fsck_watched : fsck_script)(f, acct,
                 &rbl_script_fsck_refs,
                 RBL_ARGC(call.args) + RBL_ARGC(*call.refs) * (int) n,
                 call.args.argv);
        i += n;

    } while (i < d->n && rc == FSCK_OK);

    return rc;
}


/* The counters of uses.  1: one was written meanwhile; 0; -1. */
static int
count_refs(fsck_t *f, rbl_str_t account, rbl_str_t none)
{
    int                     rc;
    rbl_key_t               acct_key, refs_key;
    rbl_str_t               acct, key;
    redisReply             *refs;
    fsck_diff_t             d = { NULL, NULL, 0 };
    rbl_fsck_uses_args_t    args;

    acct = rbl_account_key(&acct_key, &f->ctl->ks, "acct", account, none);
    key = rbl_account_key(&refs_key, &f->ctl->ks, "refs", account, none);
    json_array_clear(f->ranges);
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

    refs_diff(f, refs, &d);
    rc = refs_judge(f, acct, &d);
    freeReplyObject(refs);
    free(d.refs);
    free(d.numbers);

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

    acct = rbl_account_key(&key[0], &f->ctl->ks, "acct", account, RBL_STR(""));
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
         : count_until(f, fsck_bill, account, none, "the ledger of account",
                       "grows faster than it can be read: it was not checked");

    for (i = 0; i < json_array_size(f->ranges) && rc == 0; i++) {
        rc = count_until(f, count_range, account,
                         rbl_str(json_string_value(
                                     json_array_get(f->ranges, i))),
                         "range", "changes faster than its addresses can be"
                         " counted: its number of listed addresses was not"
                         " checked");
    }

    return rc;
}
