/*
 * rblctl fsck: the command, and the order of its checks of partitions and
 * accounts.
 */

#include "base/xalloc.h"
#include "fsck.h"

#include <stdio.h>
#include <stdlib.h>


static const char  fsck_row[] = "account, fault, where, text:WHAT, mended";


static int
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


/* Walks through the sets, hashes and lists of an account. */
static int
fsck_entries(fsck_t *f, rbl_str_t key)
{
    rbl_sid_t                profile, group;
    rbl_fsck_entries_args_t  args;

    if (rbl_sid_make(&profile, RBL_SID_PROFILE) != RBL_OK
        || rbl_sid_make(&group, RBL_SID_GROUP) != RBL_OK)
    {
        ctl_fail("the kernel gives no random bytes");
        return -1;
    }

    args.profile = rbl_sid_str(&profile);
    args.group = rbl_sid_str(&group);
    args.what = RBL_STR("chosen");
    args.cursor = RBL_STR("0");

    return fsck_script(f, key, CTL_SCRIPT(fsck_entries, args));
}


static int
fsck_account(fsck_t *f, rbl_str_t account)
{
    rbl_key_t  acct;

    f->judged++;

    return fsck_entries(f, fsck_acct(f, &acct, account)) < 0
           || fsck_mail_users(f, account) != 0
           ? -1 : fsck_counted(f, account);
}


/* " <AC> <AC>": the accounts whose entries cannot be checked. */
static char *
fsck_bad(const fsck_t *f)
{
    char        *text;
    size_t       n;
    json_t      *state;
    const char  *sid;

    text = xcalloc(json_object_size(f->accounts) + 1, RBL_SID_LEN + 1);
    n = 0;

    json_object_foreach(f->accounts, sid, state) {
        if (json_integer_value(state) == FSCK_BAD) {
            n += (size_t) snprintf(text + n, RBL_SID_LEN + 2, " %s", sid);
        }
    }

    return text;
}


static int
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


/* Passes the partitions that are there to a function. */
static int
fsck_partitions(fsck_t *f, int (*check)(fsck_t *f, unsigned p))
{
    int        rc;
    unsigned   p, to;
    rbl_str_t  only;

    only = fsck_only(f);
    p = only.n ? rbl_partition(&f->ctl->ks, only) : 0;
    to = only.n ? p + 1 : f->ctl->ks.partitions;

    for (rc = 0; p < to && rc == 0; p++) {
        rc = ctl_away(f->ctl, p) ? 0 : check(f, p);
    }

    return rc;
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


static int
fsck_accounts(fsck_t *f, unsigned p)
{
    rbl_key_t  key;

    return ctl_each(f->ctl, fsck_base(f, &key, p), p, "acct", RBL_STR(""),
                    fsck_accounts_each, f);
}


/*
 * The order matters: types and indexes before the records in them, records
 * before the counters of them.
 */
static int
fsck_all(fsck_t *f)
{
    int          rc;
    json_t      *state;
    rbl_str_t    only;
    const char  *sid;

    only = fsck_only(f);

    if (fsck_still(f) != 0) {
        return -1;
    }

    ctl_survey(f->ctl);
    f->skipped = !only.n || ctl_away(f->ctl,
                                     rbl_partition(&f->ctl->ks, only));

    if (only.n && f->skipped) {
        return 0;
    }

    rc = fsck_partitions(f, fsck_aside);
    if (rc != 0 || f->stopped) {
        return rc;
    }

    if (only.n && fsck_state(f, only) == FSCK_NONE) {
        ctl_fail("there is no account %.*s", (int) only.n, only.p);
        return -1;
    }

    rc = fsck_scan(f);
    rc = rc || only.n ? rc : fsck_partitions(f, fsck_accounts);

    json_object_foreach(f->accounts, sid, state) {
        if (rc == 0 && json_integer_value(state) == FSCK_OK) {
            rc = fsck_account(f, rbl_str(sid));
        }
    }

    rc = rc ? rc : fsck_partitions(f, fsck_partition);
    rc = rc || only.n ? rc : fsck_mail(f);

    return rc || only.n ? rc : fsck_meta(f);
}


static int
fsck_print(fsck_t *f)
{
    if (!f->ctl->json) {
        if (f->found == 0) {
            printf("no fault in %d account%s\n", f->judged,
                   f->judged == 1 ? "" : "s");
            return CTL_OK;
        }

        if (f->left && f->repair) {
            ctl_note("%d of %d faults are not repaired", f->left, f->found);

        } else if (f->left) {
            ctl_note("%d fault%s, which --repair fixes where possible", f->left,
                     f->left == 1 ? "" : "s");
        }
    }

    if (ctl_print(f->ctl, fsck_row, json_incref(f->rows)) != CTL_OK) {
        return CTL_ERROR;
    }

    return f->found ? CTL_FOUND : CTL_OK;
}


int
ctl_fsck(ctl_t *ctl)
{
    int        rc, failed;
    fsck_t     f;
    rbl_sid_t  sid;

    if (ctl->n_args) {
        if (ctl_sid(&sid, RBL_SID_ACCOUNT, ctl->args[0]) != 0) {
            return CTL_ERROR;
        }

        ctl->args[0] = rbl_sid_str(&sid);
    }

    memset(&f, 0, sizeof(f));
    f.ctl = ctl;
    f.repair = ctl_option(ctl, "repair") != NULL;
    f.rows = json_array();
    f.reported = json_object();
    f.accounts = json_object();
    f.events = json_object();
    f.counts = json_object();
    f.names = json_array();

    failed = fsck_all(&f) != 0;

    /* the faults found until then are reported anyway */

    rc = failed && f.found == 0 ? CTL_ERROR : fsck_print(&f);

    if (failed || (f.skipped && ctl_away_note(ctl, "cannot be used, and was"
                                              " not checked")))
    {
        rc = CTL_ERROR;
    }

    json_decref(f.rows);
    json_decref(f.reported);
    json_decref(f.accounts);
    json_decref(f.events);
    json_decref(f.counts);
    json_decref(f.names);

    return rc;
}
