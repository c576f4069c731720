/*
 * rblctl fsck: scans the store, node by node, for keys that have the SID of an
 * account.  The walk through the account, or a script for such keys, checks
 * their content.
 */

#include "base/xalloc.h"
#include "fsck.h"

#include <stdio.h>
#include <stdlib.h>

#define FSCK_SCAN_COUNT  "1000"
#define FSCK_CURSOR      24
#define FSCK_SLICE       100            /* keys passed to a script */


typedef struct {
    unsigned   p;
    rbl_str_t  name;                    /* after the tag */
    rbl_str_t  account;                 /* a part of the name */
} fsck_key_t;


/* Scans one node. */
static int
fsck_keys_at(fsck_t *f, unsigned node, const char *match,
    int (*take)(fsck_t *f, const redisReply *page))
{
    int          rc;
    char         cursor[FSCK_CURSOR];
    rbl_str_t    next;
    redisReply  *reply;

    snprintf(cursor, sizeof(cursor), "0");

    do {
        reply = ctl_command_at(f->ctl, node, RBL_COMMAND("SCAN",
                               rbl_str(cursor), RBL_STR("MATCH"),
                               rbl_str(match), RBL_STR("COUNT"),
                               RBL_STR(FSCK_SCAN_COUNT)));
        if (reply == NULL) {
            return -1;
        }

        next = rbl_reply_name(reply);
        snprintf(cursor, sizeof(cursor), "%.*s", next.n ? (int) next.n : 1,
                 next.n ? next.p : "0");
        rc = take(f, rbl_reply_rest(reply));
        freeReplyObject(reply);

    } while (rc == 0 && strcmp(cursor, "0") != 0);

    return rc;
}


/* A key that moves to a node that was scanned already is not seen. */
int
fsck_still(fsck_t *f)
{
    int  moving;

    moving = ctl_moving(f->ctl);

    if (moving == 1) {
        ctl_fail("slots move between the nodes of the cluster, so keys may be"
                 " missed: run fsck again after that");
    }

    return moving == 0 ? 0 : -1;
}


int
fsck_keys(fsck_t *f, const char *name,
    int (*take)(fsck_t *f, const redisReply *page))
{
    char       match[RBL_KEY_MAX];
    unsigned   node;
    rbl_str_t  only;

    only = fsck_only(f);
    snprintf(match, sizeof(match), "%s:{*}:%s*%.*s*", f->ctl->ks.prefix, name,
             (int) only.n, only.n ? only.p : "");

    if (fsck_still(f) != 0) {
        return -1;
    }

    for (node = ctl_next_node(f->ctl, RBL_NODE_NONE); node != RBL_NODE_NONE;
         node = ctl_next_node(f->ctl, node))
    {
        if (fsck_keys_at(f, node, match, take) != 0) {
            return -1;
        }
    }

    return fsck_still(f);
}


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
            return 0;
        }
    }

    return -1;
}


int
fsck_state(fsck_t *f, rbl_str_t account)
{
    int                       rc;
    rbl_key_t                 key;
    const json_t             *known;
    rbl_fsck_account_args_t   args;

    known = json_object_getn(f->accounts, account.p, account.n);
    if (known != NULL) {
        return (int) json_integer_value(known);
    }

    if (ctl_away(f->ctl, rbl_partition(&f->ctl->ks, account))) {
        return FSCK_BAD;
    }

    rc = fsck_script(f, fsck_acct(f, &key, account),
                     CTL_SCRIPT(fsck_account, args));
    if (rc >= 0) {
        json_object_setn_new(f->accounts, account.p, account.n,
                             json_integer(rc));
    }

    return rc;
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

    return state < 0 ? -1 : state != FSCK_BAD;
}


static int
fsck_key_cmp(const void *a, const void *b)
{
    const fsck_key_t  *x = a, *y = b;

    return x->p < y->p ? -1 : x->p > y->p;
}


/* Passes keys to the script, those of one partition together.  0, or -1. */
static int
fsck_look(fsck_t *f, size_t n, const fsck_key_t *keys)
{
    int        rc;
    size_t     i, k;
    rbl_key_t  base;

    struct {
        rbl_fsck_keys_args_t  args;
        rbl_str_t             keys[FSCK_SLICE];
    } call;

    for (i = 0, rc = 0; i < n && rc >= 0; i += k) {
        for (k = 0; i + k < n && k < FSCK_SLICE && keys[i + k].p == keys[i].p;
             k++)
        {
            call.keys[k] = keys[i + k].name;
        }

        rc = fsck_script(f, fsck_base(f, &base, keys[i].p),
                         &rbl_script_fsck_keys, RBL_ARGC(call.args) + (int) k,
                         call.args.argv);
    }

    return rc < 0 ? -1 : 0;
}


static int
fsck_scan_page(fsck_t *f, const redisReply *page)
{
    int          rc;
    size_t       i, n;
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
    rc = rc < 0 ? -1 : fsck_look(f, n, keys);
    free(keys);

    return rc;
}


/* Adds deliveries, "dlv:<AC>:<EV>:<target>", to their events. */
static int
fsck_deliveries_page(fsck_t *f, const redisReply *page)
{
    size_t       i;
    json_t      *event;
    fsck_key_t   k;
    const char  *end, *from, *colon;

    for (i = 0; i < rbl_reply_len(page); i++) {
        if (fsck_parse(f, &k, rbl_reply_str(rbl_reply_at(page, i))) != 0) {
            continue;
        }

        from = k.account.p + k.account.n;
        end = k.name.p + k.name.n;
        colon = from < end ? memchr(from + 1, ':', (size_t) (end - from - 1))
                : NULL;

        if (colon != NULL) {
            from = k.account.p;
            event = json_object_getn(f->events, from, (size_t) (colon - from));
            json_array_append_new(event, ctl_text(fsck_part(colon + 1, end)));
        }
    }

    return 0;
}


/* Runs the script for an event: its counter in the first scan, and its
   targets. */
static int
fsck_event(fsck_t *f, const char *name, const json_t *event)
{
    int        rc;
    size_t     i, n;
    rbl_key_t  key;

    struct {
        rbl_fsck_event_args_t  args;
        rbl_str_t              targets[];
    } *call;

    n = json_array_size(event) - 1;
    call = xcalloc(1, sizeof(*call) + n * sizeof(rbl_str_t));
    call->args.event = rbl_str(name + RBL_SID_LEN + 1);
    call->args.counted = rbl_str(json_string_value(json_array_get(event, 0)));

    for (i = 0; i < n; i++) {
        call->targets[i] = rbl_str(json_string_value(
                                       json_array_get(event, i + 1)));
    }

    rc = fsck_script(f, fsck_acct(f, &key, fsck_part(name,
                                                     name + RBL_SID_LEN)),
                     &rbl_script_fsck_event, RBL_ARGC(call->args) + (int) n,
                     call->args.argv);
    free(call);

    return rc < 0 ? -1 : 0;
}


/*
 * Checks the events that the scan has found.  It may have missed a delivery
 * that was made during the scan; another scan sees every delivery that existed
 * when the counter of its event was read.
 */
static int
fsck_events(fsck_t *f)
{
    int          rc;
    size_t       i;
    json_t      *event;
    const char  *name, *space;

    json_array_foreach(f->names, i, event) {
        name = json_string_value(event);
        space = strrchr(name, ' ');

        if (space != NULL) {
            json_object_setn_new(f->events, name, (size_t) (space - name),
                                 json_pack("[s]", space + 1));
        }
    }

    if (i == 0) {
        return 0;
    }

    rc = fsck_keys(f, "dlv:", fsck_deliveries_page);

    json_object_foreach(f->events, name, event) {
        rc = rc ? rc : fsck_event(f, name, event);
    }

    return rc;
}


int
fsck_scan(fsck_t *f)
{
    return fsck_keys(f, "", fsck_scan_page) != 0 ? -1 : fsck_events(f);
}
