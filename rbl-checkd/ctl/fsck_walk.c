/*
 * rblctl fsck: partitions and accounts, in the order of their checks.
 */

#include "base/xalloc.h"
#include "fsck.h"

#include <stdio.h>
#include <stdlib.h>


static rbl_str_t
fsck_base(const fsck_t *f, rbl_key_t *key, unsigned p)
{
    rbl_str_t  none = RBL_STR("");

    return rbl_key(key, &f->ctl->ks, p, "accounts", none, none);
}


static rbl_str_t
fsck_acct(const fsck_t *f, rbl_key_t *key, rbl_str_t account)
{
    return rbl_account_key(key, &f->ctl->ks, "acct", account, RBL_STR(""));
}


int
fsck_aside(fsck_t *f, unsigned p)
{
    int                     rc;
    rbl_key_t               key;
    rbl_fsck_aside_args_t   args;

    rc = fsck_script(f, fsck_base(f, &key, p), CTL_SCRIPT(fsck_aside, args));

    if (rc == FSCK_BAD) {
        ctl_note("partition %u cannot be checked before this is repaired", p);
        f->stopped = 1;
    }

    return rc < 0 ? -1 : 0;
}


int
fsck_state(fsck_t *f, rbl_str_t account)
{
    int                       rc;
    char                      name[RBL_SID_LEN + 1];
    rbl_key_t                 key;
    const json_t             *known;
    rbl_fsck_account_args_t   args;

    snprintf(name, sizeof(name), "%.*s", (int) account.n, account.p);

    known = json_object_get(f->accounts, name);
    if (known != NULL) {
        return (int) json_integer_value(known);
    }

    if (ctl_away(f->ctl, rbl_partition(&f->ctl->ks, account))) {
        return FSCK_BAD;
    }

    rc = fsck_script(f, fsck_acct(f, &key, account),
                     CTL_SCRIPT(fsck_account, args));
    if (rc >= 0) {
        json_object_set_new_nocheck(f->accounts, name, json_integer(rc));
    }

    return rc;
}


static int
fsck_defaults(fsck_t *f, rbl_str_t key)
{
    rbl_sid_t                 profile, group;
    rbl_fsck_defaults_args_t  args;

    if (rbl_sid_make(&profile, RBL_SID_PROFILE) != RBL_OK
        || rbl_sid_make(&group, RBL_SID_GROUP) != RBL_OK)
    {
        ctl_fail("the kernel gives no random bytes");
        return -1;
    }

    args.profile = rbl_sid_str(&profile);
    args.group = rbl_sid_str(&group);

    return fsck_script(f, key, CTL_SCRIPT(fsck_defaults, args));
}


/* Walks through sets and hashes of an account, from one of them on.  The
   scripts for that have the same arguments. */
static int
fsck_walk(fsck_t *f, rbl_str_t key, const rbl_script_t *script,
    const char *what)
{
    rbl_fsck_index_args_t  args;

    args.what = rbl_str(what);
    args.cursor = RBL_STR("0");

    return fsck_script(f, key, script, RBL_ARGC(args), args.argv);
}


int
fsck_account(fsck_t *f, rbl_str_t account)
{
    rbl_key_t  acct;
    rbl_str_t  key;

    key = fsck_acct(f, &acct, account);

    return fsck_defaults(f, key) < 0
           || fsck_walk(f, key, &rbl_script_fsck_index, "sources") < 0
           || fsck_walk(f, key, &rbl_script_fsck_hosts, "hosts") < 0
           || fsck_walk(f, key, &rbl_script_fsck_entries, "uniq") < 0
           || fsck_mail_users(f, account) != 0
           ? -1 : fsck_counted(f, account);
}


/* " <AC> <AC>": the accounts whose entries cannot be checked. */
static char *
fsck_bad(const fsck_t *f)
{
    char    *text;
    void    *it;
    size_t   n;

    text = xcalloc(json_object_size(f->accounts) + 1, RBL_SID_LEN + 1);
    n = 0;

    for (it = json_object_iter(f->accounts); it != NULL;
         it = json_object_iter_next(f->accounts, it))
    {
        if (json_integer_value(json_object_iter_value(it)) == FSCK_BAD) {
            n += (size_t) snprintf(text + n, RBL_SID_LEN + 2, " %s",
                                   json_object_iter_key(it));
        }
    }

    return text;
}


int
fsck_partition(fsck_t *f, unsigned p)
{
    int                    rc;
    char                  *bad;
    rbl_key_t              key;
    rbl_fsck_jobs_args_t   args;

    bad = fsck_bad(f);
    args.only = fsck_only(f);
    args.bad = rbl_str(bad);
    args.what = RBL_STR("flight");
    args.cursor = RBL_STR("0");

    rc = fsck_script(f, fsck_base(f, &key, p), CTL_SCRIPT(fsck_jobs, args));
    free(bad);

    return rc < 0 ? -1 : 0;
}


static int
fsck_accounts_each(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    (void) ctl;
    (void) raw;

    if (sid.n != RBL_SID_LEN) {
        fsck_report(data, sid, "index", RBL_STR("accounts"),
                    "has an account with no SID");
        return 0;
    }

    return fsck_state(data, sid) < 0 ? -1 : 0;
}


int
fsck_accounts_index(fsck_t *f, unsigned p)
{
    rbl_key_t  key;

    return ctl_each(f->ctl, fsck_base(f, &key, p), p, "acct", RBL_STR(""),
                    fsck_accounts_each, f);
}
