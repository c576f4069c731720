/*
 * rblctl fsck: scans the store for keys that have the SID of an account.  The
 * walk through the account, or a script for such keys, checks their content.
 */

#include "base/xalloc.h"
#include "fsck.h"

#include <stdio.h>
#include <stdlib.h>

#define FSCK_SLICE  100                 /* keys passed to a script */


typedef struct {
    unsigned   p;
    rbl_str_t  name;                    /* after the tag */
    rbl_str_t  kind, account, rest;     /* parts of the name */
} fsck_key_t;


static rbl_str_t
fsck_part(const char *from, const char *to)
{
    rbl_str_t  s = { from, (size_t) (to - from) };

    return s;
}


/* 0; -1: not a key of this prefix with the SID of an account. */
static int
fsck_parse(const fsck_t *f, fsck_key_t *k, rbl_str_t key)
{
    size_t       n;
    rbl_sid_t    sid;
    const char  *at, *end, *part;

    n = strlen(f->ctl->ks.prefix);
    end = key.p + key.n;

    if (key.n < n + 4 || memcmp(key.p, f->ctl->ks.prefix, n) != 0
        || memcmp(key.p + n, ":{", 2) != 0)
    {
        return -1;
    }

    at = memchr(key.p + n, '}', key.n - n);
    if (at == NULL || end - at < 2 || at[1] != ':'
        || rbl_tag_partition(&k->p, &f->ctl->ks,
                             fsck_part(key.p + n + 2, at)) != RBL_OK)
    {
        return -1;
    }

    k->name = fsck_part(at + 2, end);

    for (part = at + 2; part < end; part = at + 1) {
        at = memchr(part, ':', (size_t) (end - part));
        at = at ? at : end;

        if (rbl_sid_parse(&sid, RBL_SID_ACCOUNT, fsck_part(part, at))
                == RBL_OK
            && part > k->name.p)
        {
            k->account = fsck_part(part, at);
            k->kind = fsck_part(k->name.p, part - 1);
            k->rest = fsck_part(at < end ? at + 1 : end, end);
            return 0;
        }
    }

    return -1;
}


/* Stores an event, and the target if the key is one of its deliveries.  The
   second scan is for the deliveries of the doubtful ones. */
static void
fsck_event(fsck_t *f, const fsck_key_t *k)
{
    char         name[RBL_KEY_MAX];
    json_t      *targets;
    rbl_str_t    target;
    const char  *end, *colon;

    end = k->rest.p + k->rest.n;
    colon = memchr(k->rest.p, ':', k->rest.n);
    target = colon ? fsck_part(colon + 1, end) : RBL_STR("");

    if (!rbl_str_is(k->kind, colon ? "dlv" : "event")
        || memchr(target.p, ':', target.n) != NULL)
    {
        return;
    }

    snprintf(name, sizeof(name), "%.*s:%.*s", (int) k->account.n,
             k->account.p, (int) ((colon ? colon : end) - k->rest.p),
             k->rest.p);

    targets = json_object_get(f->events, name);
    if (targets == NULL && json_object_size(f->counted) == 0) {
        targets = json_array();
        json_object_set_new_nocheck(f->events, name, targets);
    }

    if (targets != NULL && colon != NULL) {
        json_array_append_new(targets, ctl_text(target));
    }
}


/* 1: the script checks it; 0; -1: error printed. */
static int
fsck_key(fsck_t *f, const fsck_key_t *k)
{
    int  state;

    if (k->p != rbl_partition(&f->ctl->ks, k->account)) {
        fsck_report(f, k->account, "key", k->name,
                    "is in a partition that is not the account's");
        return 0;
    }

    state = fsck_state(f, k->account);

    if (state == FSCK_OK) {
        fsck_event(f, k);
    }

    return state < 0 ? -1 : state != FSCK_BAD;
}


static int
fsck_key_cmp(const void *a, const void *b)
{
    const fsck_key_t  *x = a, *y = b;

    return x->p < y->p ? -1 : x->p > y->p;
}


/* Passes keys of one partition to the script.  0, or -1. */
static int
fsck_look(fsck_t *f, size_t n, const fsck_key_t *keys)
{
    int        rc;
    size_t     i, k;
    rbl_key_t  base;
    rbl_str_t  key, none = RBL_STR("");

    struct {
        rbl_fsck_keys_args_t  args;
        rbl_str_t             keys[FSCK_SLICE];
    } call;

    key = rbl_key(&base, &f->ctl->ks, keys->p, "accounts", none, none);

    for (i = 0, rc = 0; i < n && rc >= 0; i += k) {
        for (k = 0; i + k < n && k < FSCK_SLICE; k++) {
            call.keys[k] = keys[i + k].name;
        }

        rc = fsck_script(f, key, &rbl_script_fsck_keys,
                         RBL_ARGC(call.args) + (int) k, call.args.argv);
    }

    return rc < 0 ? -1 : 0;
}


/* Handles a page of the scan, partition by partition. */
static int
fsck_scan_page(fsck_t *f, const redisReply *page)
{
    int          rc;
    size_t       i, n, from;
    fsck_key_t  *keys;

    keys = xcalloc(rbl_reply_len(page) + 1, sizeof(fsck_key_t));

    for (i = 0, n = 0, rc = 0; i < rbl_reply_len(page) && rc >= 0; i++) {
        if (fsck_parse(f, &keys[n], rbl_reply_str(rbl_reply_at(page, i))) == 0)
        {
            rc = fsck_key(f, &keys[n]);
            n += rc > 0;
        }
    }

    qsort(keys, n, sizeof(fsck_key_t), fsck_key_cmp);

    for (i = 0, from = 0; i < n && rc >= 0; i++) {
        if (i + 1 == n || keys[i + 1].p != keys[i].p) {
            rc = fsck_look(f, i + 1 - from, &keys[from]);
            from = i + 1;
        }
    }

    free(keys);

    return rc < 0 ? -1 : 0;
}


/* Collects the deliveries of the doubtful events. */
static int
fsck_again_page(fsck_t *f, const redisReply *page)
{
    size_t      i;
    fsck_key_t  k;

    for (i = 0; i < rbl_reply_len(page); i++) {
        if (fsck_parse(f, &k, rbl_reply_str(rbl_reply_at(page, i))) == 0) {
            fsck_event(f, &k);
        }
    }

    return 0;
}


int
fsck_scan(fsck_t *f)
{
    return fsck_keys(f, "", fsck_scan_page);
}


/* Runs the script for an event and its targets. */
static int
fsck_event_ask(fsck_t *f, const char *name, const json_t *targets)
{
    int          rc;
    size_t       i, n;
    rbl_key_t    key;
    const char  *counted;

    struct {
        rbl_fsck_event_args_t  args;
        rbl_str_t              targets[];
    } *call;

    n = json_array_size(targets);
    counted = json_string_value(json_object_get(f->counted, name));
    call = xcalloc(1, sizeof(*call) + n * sizeof(rbl_str_t));
    call->args.event = rbl_str(name + RBL_SID_LEN + 1);
    call->args.counted = rbl_str(counted ? counted : "");

    for (i = 0; i < n; i++) {
        call->targets[i] = rbl_str(json_string_value(
                                       json_array_get(targets, i)));
    }

    rc = fsck_script(f, rbl_account_key(&key, &f->ctl->ks, "acct",
                                        fsck_part(name, name + RBL_SID_LEN),
                                        RBL_STR("")),
                     &rbl_script_fsck_event, RBL_ARGC(call->args) + (int) n,
                     call->args.argv);
    free(call);

    return rc;
}


/* Runs the script for each event, and keeps those that are doubtful, with their
   counters at that time. */
static int
fsck_events_ask(fsck_t *f)
{
    int          rc;
    void        *next;
    json_t      *targets;
    const char  *name;

    json_object_foreach_safe(f->events, next, name, targets) {
        rc = fsck_event_ask(f, name, targets);

        if (rc < 0) {
            return -1;
        }

        if (rc == FSCK_MAYBE) {
            json_object_set_new_nocheck(f->counted, name,
                ctl_text(rbl_reply_str(rbl_reply_at(f->reply, 1))));

        } else {
            json_object_del(f->events, name);
        }
    }

    return 0;
}


/*
 * The first scan may have missed a delivery that was made during the scan; the
 * second scan sees every delivery that existed when the event was kept.
 */
int
fsck_events(fsck_t *f)
{
    if (fsck_events_ask(f) != 0) {
        return -1;
    }

    if (json_object_size(f->counted) == 0) {
        return 0;
    }

    return fsck_keys(f, "dlv:", fsck_again_page) != 0
           || fsck_events_ask(f) != 0 ? -1 : 0;
}
