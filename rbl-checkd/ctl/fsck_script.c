/*
 * rblctl fsck: calls of its scripts, and reports of faults.
 */

#include "base/xalloc.h"
#include "fsck.h"

#include <stdio.h>
#include <stdlib.h>

#define FSCK_HEAD  2                    /* common arguments of all scripts */


static const char *const  fsck_words[] = { "OK", "BAD", "NONE", "MORE" };

#define FSCK_MORE  3


rbl_str_t
fsck_only(const fsck_t *f)
{
    return f->ctl->n_args ? f->ctl->args[0] : RBL_STR("");
}


rbl_str_t
fsck_base(const fsck_t *f, rbl_key_t *key, unsigned p)
{
    rbl_str_t  none = RBL_STR("");

    return rbl_key(key, &f->ctl->ks, p, "accounts", none, none);
}


rbl_str_t
fsck_acct(const fsck_t *f, rbl_key_t *key, rbl_str_t account)
{
    return rbl_account_key(key, &f->ctl->ks, "acct", account, RBL_STR(""));
}


/* A fault that is seen twice, and was not repaired, is reported once. */
void
fsck_add(fsck_t *f, rbl_str_t account, rbl_str_t kind, rbl_str_t where,
    rbl_str_t text, int mended)
{
    int      seen;
    char    *name;
    json_t  *row;

    row = json_pack("{so so so}", "account", ctl_text(account), "fault",
                    ctl_text(kind), "where", ctl_text(where));
    name = json_dumps(row, JSON_COMPACT);
    seen = json_object_get(f->reported, name) != NULL;
    json_object_set_new(f->reported, name, json_true());
    free(name);

    if (seen && !mended) {
        json_decref(row);
        return;
    }

    json_object_set_new(row, "text", ctl_text(text));
    json_object_set_new(row, "mended", json_boolean(mended));
    json_array_append_new(f->rows, row);
    f->found++;
    f->left += !mended;
}


void
fsck_report(fsck_t *f, rbl_str_t account, const char *kind, rbl_str_t where,
    const char *text)
{
    fsck_add(f, account, rbl_str(kind), where, rbl_str(text), 0);
}


/* A row is a name, a name and a number, or a fault. */
static void
fsck_row(fsck_t *f, const redisReply *row)
{
    int64_t                   n;
    rbl_str_t                 name;
    rbl_fsck_account_fault_t  fault;

    name = rbl_reply_str(rbl_reply_at(row, 0));

    switch (rbl_reply_len(row)) {

    case 1:
        json_array_append_new(f->names, ctl_text(name));
        break;

    case 2:
        n = rbl_reply_int(rbl_reply_at(row, 1), 0)
            + json_integer_value(json_object_getn(f->counts, name.p, name.n));
        json_object_setn_new_nocheck(f->counts, name.p, name.n,
                                     json_integer(n));
        break;

    default:
        rbl_fsck_account_fault(&fault, row);
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
        return -1;
    }

    for (i = rc == FSCK_MORE ? 2 : 1; i < rbl_reply_len(reply); i++) {
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


int
fsck_script(fsck_t *f, rbl_str_t key, const rbl_script_t *script, int argc,
    rbl_str_t *argv)
{
    int                rc;
    size_t             i, n;
    rbl_str_t         *rest = NULL;     /* views into the last reply */
    redisReply        *reply, *last = NULL;
    const redisReply  *left;

    do {
        fsck_begin(f, key, argv);
        reply = ctl_script(f->ctl, script, argc, argv);
        free(rest);
        freeReplyObject(last);
        last = reply;
        rest = NULL;

        rc = reply == NULL ? -1 : fsck_take(f, reply);

        if (rc == FSCK_MORE) {
            left = rbl_reply_at(reply, 1);
            n = rbl_reply_len(left);
            rest = xcalloc(FSCK_HEAD + n, sizeof(rbl_str_t));

            for (i = 0; i < n; i++) {
                rest[FSCK_HEAD + i] = rbl_reply_str(rbl_reply_at(left, i));
            }

            argc = (int) (FSCK_HEAD + n);
            argv = rest;
        }
    } while (rc == FSCK_MORE);

    freeReplyObject(last);

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
