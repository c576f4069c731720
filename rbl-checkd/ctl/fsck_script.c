/*
 * rblctl fsck: calls of its scripts, and reports of faults.
 */

#include "base/xalloc.h"
#include "fsck.h"

#include <stdio.h>
#include <stdlib.h>

#define FSCK_NAME  512
#define FSCK_HEAD  2                    /* common arguments of all scripts */


static const char *const  fsck_words[] = { "OK", "BAD", "NONE", "MAYBE",
                                          "MORE" };

#define FSCK_MORE  4


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


/* A row is the SID of a range, a name and a number, or a fault. */
static void
fsck_row(fsck_t *f, const redisReply *row)
{
    int64_t                  n;
    rbl_str_t                name;
    rbl_fsck_hosts_fault_t   fault;

    name = rbl_reply_str(rbl_reply_at(row, 0));

    switch (rbl_reply_len(row)) {

    case 1:
        json_array_append_new(f->ranges, ctl_text(name));
        break;

    case 2:
        n = rbl_reply_int(rbl_reply_at(row, 1), 0)
            + json_integer_value(json_object_getn(f->counts, name.p, name.n));
        json_object_setn_new_nocheck(f->counts, name.p, name.n,
                                     json_integer(n));
        break;

    default:
        rbl_fsck_hosts_fault(&fault, row);
        fsck_add(f, fault.account, fault.kind, fault.where, fault.text,
                 fault.mended == 1);
    }
}


/* Takes the rows of a script's reply.  Returns the script's word, or -1. */
static int
fsck_take(fsck_t *f, const redisReply *reply)
{
    int        rc;
    size_t     i;
    rbl_str_t  text;

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

    for (i = rc >= FSCK_MAYBE ? 2 : 1; i < rbl_reply_len(reply) && rc >= 0; i++)
    {
        fsck_row(f, rbl_reply_at(reply, i));
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


/* Runs a script and keeps its reply. */
static int
fsck_run(fsck_t *f, rbl_str_t key, const rbl_script_t *script, int argc,
    rbl_str_t *argv)
{
    redisReply  *reply;

    fsck_begin(f, key, argv);
    reply = ctl_script(f->ctl, script, argc, argv);
    freeReplyObject(f->reply);
    f->reply = reply;

    return reply == NULL ? -1 : fsck_take(f, reply);
}


int
fsck_script(fsck_t *f, rbl_str_t key, const rbl_script_t *script, int argc,
    rbl_str_t *argv)
{
    int                rc;
    size_t             i, n;
    rbl_str_t         *next;
    const redisReply  *rest;

    rc = fsck_run(f, key, script, argc, argv);

    while (rc == FSCK_MORE) {
        rest = rbl_reply_at(f->reply, 1);
        n = rbl_reply_len(rest);
        next = xcalloc(FSCK_HEAD + n, sizeof(rbl_str_t));

        for (i = 0; i < n; i++) {
            next[FSCK_HEAD + i] = rbl_reply_str(rbl_reply_at(rest, i));
        }

        rc = fsck_run(f, key, script, (int) (FSCK_HEAD + n), next);
        free(next);
    }

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


void
fsck_cursor(char cursor[FSCK_CURSOR], const redisReply *reply)
{
    rbl_str_t  s;

    s = rbl_reply_name(reply);
    snprintf(cursor, FSCK_CURSOR, "%.*s", s.n ? (int) s.n : 1,
             s.n ? s.p : "0");
}
