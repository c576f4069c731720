/*
 * rblctl fsck: the command, the calls of the scripts, and the report of a
 * fault.
 */

#include "fsck.h"

#include <stdio.h>
#include <stdlib.h>

#define FSCK_NAME  512


static const ctl_column_t  fsck_row[] = {
    { "account", "ACCOUNT" }, { "fault", "FAULT" }, { "where", "WHERE" },
    { "text", "WHAT" }, { "mended", "MENDED" }, { NULL, NULL }
};


static const char *const  fsck_words[] = { "OK", "BAD", "NONE", "MAYBE",
                                          "MORE" };


rbl_str_t
fsck_only(const fsck_t *f)
{
    return f->ctl->n_args ? f->ctl->args[0] : RBL_STR("");
}


/* A fault that is seen twice, and was not repaired, is reported once. */
void
fsck_add(fsck_t *f, rbl_str_t account, rbl_str_t kind, rbl_str_t where,
    rbl_str_t text, int mended)
{
    int   n;
    char  name[FSCK_NAME];

    n = snprintf(name, sizeof(name), "%.*s %.*s %.*s", (int) account.n,
                 account.n ? account.p : "", (int) kind.n,
                 kind.n ? kind.p : "", (int) where.n, where.n ? where.p : "");

    /* a truncated name does not make two faults equal */

    if (n > 0 && (size_t) n < sizeof(name)
        && memchr(name, '\0', (size_t) n) == NULL)
    {
        if (!mended && json_object_get(f->reported, name) != NULL) {
            return;
        }

        json_object_set_new_nocheck(f->reported, name, json_true());
    }

    f->found++;
    f->left += !mended;

    json_array_append_new(f->rows,
        json_pack("{so so so so sb}", "account", ctl_text(account),
                  "fault", ctl_text(kind), "where", ctl_text(where),
                  "text", ctl_text(text), "mended", mended));
}


void
fsck_report(fsck_t *f, rbl_str_t account, const char *kind, rbl_str_t where,
    const char *text)
{
    fsck_add(f, account, rbl_str(kind), where, rbl_str(text), 0);
}


/* Reports the faults in a script's reply.  Returns the script's word, or -1. */
static int
fsck_take(fsck_t *f, const redisReply *reply)
{
    int                       rc;
    size_t                    k;
    rbl_str_t                 text;
    rbl_fsck_hosts_reply_t    said;
    rbl_fsck_hosts_fault_t    fault;

    for (rc = FSCK_MORE; rc >= 0; rc--) {
        if (rbl_str_is(rbl_reply_word(reply), fsck_words[rc])) {
            break;
        }
    }

    if (rc < 0) {
        text = rbl_reply_error(reply);
        ctl_fail("the store replies to a script: %.*s",
                 (int) (text.n < 200 ? text.n : 200), text.p);
    }

    rbl_fsck_hosts_reply(&said, reply);
    f->done = (size_t) said.done;

    for (k = rc == FSCK_MORE ? 2 : 1; k < rbl_reply_len(reply) && rc >= 0; k++)
    {
        rbl_fsck_hosts_fault(&fault, rbl_reply_at(reply, k));
        fsck_add(f, fault.account, fault.kind, fault.where, fault.text,
                 fault.mended == 1);
    }

    return rc;
}


/* Puts the common beginning of all arguments into argv. */
static void
fsck_begin(const fsck_t *f, rbl_str_t key, rbl_str_t *argv)
{
    rbl_fsck_account_args_t  *first;

    first = (void *) argv;
    first->acct = key;
    first->mend = rbl_str(f->repair ? "1" : "0");
}


int
fsck_script(fsck_t *f, rbl_str_t key, const rbl_script_t *script, int argc,
    rbl_str_t *argv)
{
    int          rc;
    redisReply  *reply;

    fsck_begin(f, key, argv);
    reply = ctl_script(f->ctl, script, argc, argv);
    rc = reply == NULL ? -1 : fsck_take(f, reply);
    freeReplyObject(reply);

    return rc;
}


int
fsck_watched(fsck_t *f, rbl_str_t key, const rbl_script_t *script, int argc,
    rbl_str_t *argv)
{
    int          rc;
    redisReply  *reply;

    fsck_begin(f, key, argv);

    rc = ctl_watched(f->ctl, script, argc, argv, &reply);
    if (rc == 0) {
        rc = fsck_take(f, rbl_reply_at(reply, 0));
        freeReplyObject(reply);
    }

    return rc;
}


int
fsck_slices(fsck_t *f, const rbl_script_t *script, rbl_str_t key,
    rbl_str_t head, size_t n, const rbl_str_t *things)
{
    int     words, rc;
    size_t  i, k;

    struct {
        rbl_fsck_account_args_t  args;
        rbl_str_t                words[FSCK_SLICE];
    } call;

    for (i = 0; i < n; i += k) {
        words = 0;
        if (head.n) {
            call.words[words++] = head;
        }

        for (k = 0; i + k < n && words < FSCK_SLICE; k++) {
            call.words[words++] = things[i + k];
        }

        rc = fsck_script(f, key, script, RBL_ARGC(call.args) + words,
                         call.args.argv);
        if (rc < 0) {
            return -1;
        }

        if (rc == FSCK_MORE && f->done > 0 && f->done < k) {
            k = f->done;
        }
    }

    return 0;
}


void
fsck_cursor(char cursor[FSCK_CURSOR], const redisReply *reply)
{
    rbl_str_t  s;

    s = rbl_reply_name(reply);
    snprintf(cursor, FSCK_CURSOR, "%.*s", s.n ? (int) s.n : 1,
             s.n ? s.p : "0");
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

    rc = fsck_account_types(f, account);
    if (rc == FSCK_OK) {
        rc = fsck_script(f, rbl_account_key(&key, &f->ctl->ks, "acct", account,
                                            RBL_STR("")),
                         CTL_SCRIPT(fsck_account, args));
    }

    if (rc >= 0) {
        json_object_set_new_nocheck(f->accounts, name, json_integer(rc));
    }

    return rc;
}


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
        rc = ctl_away(f->ctl, p) ? 0 : fsck_partition_types(f, p);
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

    return rc;
}
