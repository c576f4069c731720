/*
 * rblctl fsck: the addresses of a range.  The client counts the listed ones in
 * slices, and other programs may change them between two slices.  Each such
 * change writes the range's record or its set of addresses, so the client
 * watches both (WATCH): the script that compares the number with the record
 * runs only if neither was written, and otherwise the client counts again.
 */

#include "fsck.h"

#define FSCK_TRIES  5

typedef struct {
    rbl_str_t  range;
    int64_t    listed;
    int        unknown;                 /* a record could not be read */
} fsck_kids_t;


static int
fsck_kid(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    rbl_host_t    h;
    fsck_kids_t  *k = data;

    (void) ctl;
    (void) sid;

    if (rbl_host_decode(&h, raw) != RBL_OK) {
        k->unknown |= raw.n > 0;

    } else if (rbl_str_eq(h.parent, k->range)) {
        k->listed += h.listed_count > 0;
    }

    return 0;
}


/* 1: a watched key was written meanwhile; 0; -1: error printed. */
static int
fsck_range_count(fsck_t *f, rbl_str_t account, rbl_str_t range,
    rbl_str_t kids)
{
    char                    n[CTL_DECIMAL];
    unsigned                p;
    rbl_key_t               key;
    rbl_str_t               none = RBL_STR("");
    redisReply             *reply;
    fsck_kids_t             k = { range, 0, 0 };
    rbl_fsck_range_args_t   args;

    p = rbl_partition(&f->ctl->ks, account);

    reply = ctl_command(f->ctl, RBL_COMMAND("WATCH",
                        rbl_key(&key, &f->ctl->ks, p, "r", account, range),
                        kids));
    if (reply == NULL) {
        return -1;
    }

    freeReplyObject(reply);

    if (ctl_each(f->ctl, kids, p, "r", account, fsck_kid, &k) != 0) {
        return -1;
    }

    if (k.unknown) {
        ctl_note("addresses of range %.*s cannot be read: its number of listed"
                 " addresses was not looked at", (int) range.n, range.p);
        return 0;
    }

    args.range = range;
    args.listed = ctl_decimal(n, k.listed);

    return fsck_watched(f, rbl_account_key(&key, &f->ctl->ks, "acct", account,
                                           none),
                        CTL_SCRIPT(fsck_range, args));
}


int
fsck_range(fsck_t *f, rbl_str_t account, rbl_str_t range)
{
    int        i, rc;
    rbl_key_t  acct, set;
    rbl_str_t  key, kids;

    key = rbl_account_key(&acct, &f->ctl->ks, "acct", account, RBL_STR(""));
    kids = rbl_account_key(&set, &f->ctl->ks, "kids", account, range);

    rc = fsck_zset(f, &rbl_script_fsck_kids, range.p, kids, key);

    for (i = 0, rc = rc == 0 ? 1 : rc; i < FSCK_TRIES && rc == 1; i++) {
        rc = fsck_range_count(f, account, range, kids);
    }

    if (rc == 1) {
        ctl_note("range %.*s changes faster than its addresses can be counted:"
                 " its number of listed addresses was not checked",
                 (int) range.n, range.p);
    }

    return rc < 0 ? -1 : 0;
}
