/*
 * rblctl fsck: the command, and the order of its checks.
 */

#include "fsck.h"

#include <stdio.h>


static const char  fsck_row[] = "account, fault, where, text:WHAT, mended";


/*
 * The order matters: types and indexes before the records in them, records
 * before the counters of them.
 */
static int
fsck_all(fsck_t *f)
{
    int           rc;
    void         *it;
    unsigned      p, from, to;
    rbl_str_t     only;
    const char   *sid;

    only = fsck_only(f);
    from = only.n ? rbl_partition(&f->ctl->ks, only) : 0;
    to = only.n ? from + 1 : f->ctl->ks.partitions;

    if (fsck_still(f) != 0) {
        return -1;
    }

    ctl_survey(f->ctl);
    f->skipped = !only.n || ctl_away(f->ctl, from);

    if (only.n && f->skipped) {
        return 0;
    }

    for (p = from, rc = 0; p < to && rc == 0; p++) {
        rc = ctl_away(f->ctl, p) ? 0 : fsck_aside(f, p);
    }

    if (rc != 0 || f->stopped) {
        return rc;
    }

    if (only.n && fsck_state(f, only) == FSCK_NONE) {
        ctl_fail("there is no account %.*s", (int) only.n, only.p);
        return -1;
    }

    rc = fsck_scan(f);

    for (p = from; p < to && !only.n && rc == 0; p++) {
        rc = ctl_away(f->ctl, p) ? 0 : fsck_accounts_index(f, p);
    }

    for (it = json_object_iter(f->accounts); it != NULL && rc == 0;
         it = json_object_iter_next(f->accounts, it))
    {
        sid = json_object_iter_key(it);
        if (json_integer_value(json_object_iter_value(it)) == FSCK_OK) {
            f->judged++;
            rc = fsck_account(f, rbl_str(sid));
        }
    }

    for (p = from; p < to && rc == 0; p++) {
        rc = ctl_away(f->ctl, p) ? 0 : fsck_partition(f, p);
    }

    rc = rc == 0 && !only.n ? fsck_mail(f) : rc;
    rc = rc == 0 && !only.n ? fsck_meta(f) : rc;

    return rc == 0 ? fsck_events(f) : -1;
}


static int
fsck_print(fsck_t *f)
{
    if (!f->ctl->json) {
        if (f->found == 0) {
            printf("no fault in %d account%s\n", f->judged,
                   f->judged == 1 ? "" : "s");
            json_decref(f->rows);
            return CTL_OK;
        }

        if (f->left && f->repair) {
            ctl_note("%d of %d faults are not repaired", f->left, f->found);

        } else if (f->left) {
            ctl_note("%d fault%s, which --repair fixes where possible", f->left,
                     f->left == 1 ? "" : "s");
        }
    }

    if (ctl_print(f->ctl, fsck_row, f->rows) != CTL_OK) {
        return CTL_ERROR;
    }

    return f->found ? CTL_FOUND : CTL_OK;
}


int
ctl_fsck(ctl_t *ctl)
{
    int        rc;
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
    f.counted = json_object();
    f.counts = json_object();
    f.ranges = json_array();

    if (fsck_all(&f) == 0) {
        rc = fsck_print(&f);

        if (f.skipped && ctl_away_note(ctl, "cannot be used, and was not"
                                       " checked"))
        {
            rc = CTL_ERROR;
        }

    } else {
        /* the faults found until then are reported anyway */

        if (f.found) {
            (void) fsck_print(&f);
        } else {
            json_decref(f.rows);
        }

        rc = CTL_ERROR;
    }

    json_decref(f.reported);
    json_decref(f.accounts);
    json_decref(f.events);
    json_decref(f.counted);
    json_decref(f.counts);
    json_decref(f.ranges);
    freeReplyObject(f.reply);

    return rc;
}
