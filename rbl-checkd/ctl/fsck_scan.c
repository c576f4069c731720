/*
 * rblctl fsck: scans the store for keys that have the SID of an account, and
 * reports faults in their names.  The walk through the account, or a script for
 * such keys, checks their content.
 */

#include "base/xalloc.h"
#include "fsck.h"

#include <stdio.h>
#include <stdlib.h>


typedef struct {
    unsigned   p;
    rbl_str_t  name;                    /* after the tag */
    rbl_str_t  kind, account, rest;     /* parts of the name */
} fsck_key_t;

typedef enum {
    FSCK_WALKED = 0,                    /* checked with the account */
    FSCK_LOOK,                          /* checked by the script fsck_keys */
    FSCK_DELIVERY,                      /* the same, and with its event */
    FSCK_EVENT,
    FSCK_OTHERS,                        /* expires */
    FSCK_NOBODYS,                       /* the same; of accounts that do not
                                           exist, too (user_mail.lua) */
    FSCK_FOREIGN                        /* unknown */
} fsck_way_t;

static const struct {
    const char  *kind;
    fsck_way_t   way;
    int          parts;                 /* number of parts after the account */
} fsck_names[] = {
    { "acct", FSCK_WALKED, 0 }, { "chosen", FSCK_WALKED, 0 },
    { "wanted", FSCK_WALKED, 0 },
    { "tokens", FSCK_WALKED, 0 },
    { "hosts", FSCK_WALKED, 0 }, { "listed", FSCK_WALKED, 0 },
    { "profiles", FSCK_WALKED, 0 }, { "groups", FSCK_WALKED, 0 },
    { "rbls", FSCK_WALKED, 0 }, { "contacts", FSCK_WALKED, 0 },
    { "apps", FSCK_WALKED, 0 }, { "hooks", FSCK_WALKED, 0 },
    { "uniq", FSCK_WALKED, 0 }, { "refs", FSCK_WALKED, 0 },
    { "totals", FSCK_WALKED, 0 }, { "states", FSCK_WALKED, 0 },
    { "find", FSCK_WALKED, 0 },
    { "checked", FSCK_WALKED, 0 }, { "coverage", FSCK_WALKED, 0 },
    { "seq", FSCK_WALKED, 0 }, { "started", FSCK_WALKED, 0 },
    { "due", FSCK_WALKED, 0 }, { "manual", FSCK_WALKED, 0 },
    { "dead", FSCK_WALKED, 0 }, { "changes", FSCK_WALKED, 0 },
    { "audit", FSCK_WALKED, 0 }, { "audit:rest", FSCK_WALKED, 0 },
    { "past", FSCK_WALKED, 0 }, { "past:rest", FSCK_WALKED, 0 },
    { "audit:again", FSCK_WALKED, 0 }, { "audit:rest:again", FSCK_WALKED, 0 },
    { "bill", FSCK_WALKED, 0 },
    { "terms", FSCK_WALKED, 0 },
    { "money", FSCK_WALKED, 0 }, { "meter", FSCK_WALKED, 0 },
    { "ledger", FSCK_WALKED, 0 },
    { "payments", FSCK_WALKED, 0 }, { "pay", FSCK_LOOK, 1 },
    { "sources", FSCK_WALKED, 0 }, { "source", FSCK_LOOK, 1 },
    { "setup", FSCK_WALKED, 0 }, { "setup", FSCK_OTHERS, 1 },
    { "r", FSCK_LOOK, 1 },
    { "s", FSCK_LOOK, 1 }, { "users", FSCK_WALKED, 0 },
    { "user", FSCK_LOOK, 1 }, { "session", FSCK_LOOK, 1 },
    { "sessions", FSCK_OTHERS, 1 }, { "link", FSCK_NOBODYS, 1 },
    { "links", FSCK_NOBODYS, 1 }, { "visit", FSCK_OTHERS, 1 },
    { "keys", FSCK_LOOK, 1 }, { "challenge", FSCK_OTHERS, 1 },
    { "kids", FSCK_LOOK, 1 }, { "hist", FSCK_LOOK, 1 },
    { "check", FSCK_LOOK, 1 }, { "check", FSCK_LOOK, 2 },
    { "details", FSCK_WALKED, 0 },
    { "hears", FSCK_WALKED, 0 }, { "hears", FSCK_LOOK, 1 },
    { "telling", FSCK_WALKED, 0 }, { "pending", FSCK_WALKED, 0 },
    { "digest", FSCK_LOOK, 1 },
    { "batch", FSCK_LOOK, 1 }, { "making", FSCK_LOOK, 1 },
    { "open", FSCK_LOOK, 1 },
    { "ends", FSCK_LOOK, 1 }, { "line", FSCK_LOOK, 1 },
    { "pace", FSCK_OTHERS, 1 }, { "sent", FSCK_OTHERS, 1 },
    { "dlv", FSCK_DELIVERY, 2 }, { "event", FSCK_EVENT, 1 },
    { "token", FSCK_LOOK, 1 }, { "rate", FSCK_LOOK, 1 },
    { "large", FSCK_LOOK, 1 },
    { "work", FSCK_WALKED, 0 }, { "work", FSCK_LOOK, 1 },
    { "stats", FSCK_OTHERS, 2 }, { "errors", FSCK_OTHERS, 1 },
    { "log", FSCK_OTHERS, 1 }, { "hook", FSCK_OTHERS, 1 },
    { "daemon", FSCK_OTHERS, 0 }, { "unchanged", FSCK_OTHERS, 0 },
};


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


static int
fsck_parts(rbl_str_t rest)
{
    int     n;
    size_t  i;

    for (i = 0, n = rest.n > 0; i < rest.n; i++) {
        n += rest.p[i] == ':';
    }

    return n;
}


static fsck_way_t
fsck_way(const fsck_key_t *k)
{
    int     parts;
    size_t  i;

    parts = fsck_parts(k->rest);

    for (i = 0; i < sizeof(fsck_names) / sizeof(fsck_names[0]); i++) {
        if (rbl_str_is(k->kind, fsck_names[i].kind)
            && fsck_names[i].parts == parts)
        {
            return fsck_names[i].way;
        }
    }

    return FSCK_FOREIGN;
}


/* Stores an event, and the target if the key is one of its deliveries. */
static void
fsck_event(fsck_t *f, const fsck_key_t *k)
{
    char         name[RBL_KEY_MAX];
    size_t       n;
    json_t      *targets;
    const char  *colon;

    colon = memchr(k->rest.p, ':', k->rest.n);
    n = colon ? (size_t) (colon - k->rest.p) : k->rest.n;
    snprintf(name, sizeof(name), "%.*s:%.*s", (int) k->account.n,
             k->account.p, (int) n, k->rest.p);

    targets = json_object_get(f->events, name);
    if (targets == NULL && !f->again) {
        targets = json_array();
        json_object_set_new_nocheck(f->events, name, targets);
    }

    if (targets != NULL && colon != NULL) {
        json_array_append_new(targets, ctl_text(fsck_part(colon + 1,
                                           k->rest.p + k->rest.n)));
    }
}


/* 1: fsck_keys checks it; 0; -1: error printed. */
static int
fsck_key(fsck_t *f, const fsck_key_t *k)
{
    if (k->p != rbl_partition(&f->ctl->ks, k->account)) {
        fsck_report(f, k->account, "key", k->name,
                    "is in a partition that is not the account's");
        return 0;
    }

    switch (fsck_state(f, k->account)) {

    case FSCK_OK:
        break;

    case FSCK_BAD:
        return 0;

    case FSCK_NONE:
        if (fsck_way(k) != FSCK_NOBODYS) {
            fsck_report(f, k->account, "key", k->name,
                        "is of an account that does not exist");
        }

        return 0;

    default:
        return -1;
    }

    switch (fsck_way(k)) {

    case FSCK_DELIVERY:
        fsck_event(f, k);
        return 1;

    case FSCK_EVENT:
        fsck_event(f, k);
        return 0;

    case FSCK_LOOK:
        return 1;

    case FSCK_FOREIGN:
        fsck_report(f, k->account, "key", k->name,
                    "is not a key of this version");
        return 0;

    default:
        return 0;
    }
}


static int
fsck_key_cmp(const void *a, const void *b)
{
    const fsck_key_t  *x = a, *y = b;

    return x->p < y->p ? -1 : x->p > y->p;
}


/* Handles a page of the scan: passes keys to the script by partition. */
static int
fsck_scan_page(fsck_t *f, const redisReply *page)
{
    int          rc;
    size_t       i, n, from;
    rbl_key_t    base;
    rbl_str_t   *names, none = RBL_STR("");
    fsck_key_t  *keys;

    n = rbl_reply_len(page);
    keys = xcalloc(n + 1, sizeof(fsck_key_t));
    names = xcalloc(n + 1, sizeof(rbl_str_t));
    rc = 0;

    for (i = 0, from = 0; i < n && rc >= 0; i++) {
        if (fsck_parse(f, &keys[from], rbl_reply_str(rbl_reply_at(page, i)))
            == 0)
        {
            rc = fsck_key(f, &keys[from]);
            from += rc > 0;
        }
    }

    n = rc < 0 ? 0 : from;

    if (n > 1) {
        qsort(keys, n, sizeof(fsck_key_t), fsck_key_cmp);
    }

    for (i = 0; i < n; i++) {
        names[i] = keys[i].name;
    }

    for (i = 0, from = 0; i < n && rc >= 0; i++) {
        if (i + 1 == n || keys[i + 1].p != keys[i].p) {
            rc = fsck_slices(f, &rbl_script_fsck_keys,
                             rbl_key(&base, &f->ctl->ks, keys[i].p, "accounts",
                                     none, none),
                             none, i + 1 - from, &names[from]);
            from = i + 1;
        }
    }

    free(keys);
    free(names);

    return rc < 0 ? -1 : 0;
}


/* Collects the deliveries of the doubtful events. */
static int
fsck_again_page(fsck_t *f, const redisReply *page)
{
    size_t      i;
    fsck_key_t  k;

    for (i = 0; i < rbl_reply_len(page); i++) {
        if (fsck_parse(f, &k, rbl_reply_str(rbl_reply_at(page, i))) == 0
            && fsck_way(&k) == FSCK_DELIVERY)
        {
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
    call->args.counted = rbl_str(f->again && counted ? counted : "");
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


/* Keeps a doubtful event, with its counter at this time. */
static int
fsck_event_keep(fsck_t *f, const char *name, json_t *targets)
{
    rbl_key_t    key;
    rbl_str_t    open;
    redisReply  *reply;

    reply = ctl_command(f->ctl, RBL_COMMAND("HGET",
                        rbl_account_key(&key, &f->ctl->ks, "event",
                                        fsck_part(name, name + RBL_SID_LEN),
                                        rbl_str(name + RBL_SID_LEN + 1)),
                        RBL_STR("open")));
    if (reply == NULL) {
        return -1;
    }

    open = rbl_reply_str(reply);

    json_object_set_new_nocheck(f->counted, name,
                                ctl_text(open.n ? open : RBL_STR("0")));
    json_object_set_nocheck(f->events, name, targets);
    freeReplyObject(reply);

    return 0;
}


/* Runs the script for each event. */
static int
fsck_events_ask(fsck_t *f)
{
    int          rc;
    void        *it;
    json_t      *events;
    const char  *name;

    events = f->events;
    f->events = json_object();
    rc = 0;

    for (it = json_object_iter(events); it != NULL && rc >= 0;
         it = json_object_iter_next(events, it))
    {
        name = json_object_iter_key(it);
        rc = fsck_event_ask(f, name, json_object_iter_value(it));
        if (rc == FSCK_MAYBE) {
            rc = fsck_event_keep(f, name, json_object_iter_value(it));
        }
    }

    json_decref(events);

    return rc < 0 ? -1 : 0;
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

    if (json_object_size(f->events) == 0) {
        return 0;
    }

    f->again = 1;

    return fsck_keys(f, "dlv:", fsck_again_page) != 0
           || fsck_events_ask(f) != 0 ? -1 : 0;
}
