/*
 * rblctl fsck: calls of its scripts, and reports of faults.
 */

#include "fsck.h"

#include <stdio.h>

#define FSCK_NAME  512


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
