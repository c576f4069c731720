/*
 * rblctl fsck: walks through partitions and accounts.  Sets and hashes are
 * scanned; a scan sees each member that exists during the whole scan, whatever
 * else changes.
 */

#include "base/xalloc.h"
#include "fsck.h"

#include <stdio.h>
#include <stdlib.h>

#define FSCK_TYPES  48


typedef struct {
    const char          *name;
    const char          *type;
    const rbl_script_t  *script;        /* NULL: only the type is checked */
    int                  named;         /* an argument names the entry */
    int                  of_accounts;   /* entries begin with the SID of an
                                           account */
} fsck_kind_t;

static const fsck_kind_t  partition_kinds[] = {
    { "accounts", "zset", NULL, 0, 0 },
    { "flight", "hash", &rbl_script_fsck_jobs, 1, 1 },
    { "flight:due", "hash", &rbl_script_fsck_jobs, 1, 1 },
    { "leases", "zset", &rbl_script_fsck_jobs, 1, 1 },
    { "due", "zset", &rbl_script_fsck_jobs, 1, 1 },
    { "manual", "zset", &rbl_script_fsck_jobs, 1, 1 },
    { "retry", "zset", &rbl_script_fsck_jobs, 1, 1 },
    { "digests", "zset", &rbl_script_fsck_jobs, 1, 1 },
    { "works", "zset", &rbl_script_fsck_jobs, 1, 1 },
    { "settle", "zset", &rbl_script_fsck_jobs, 1, 1 },
    { "tellings", "zset", &rbl_script_fsck_jobs, 1, 1 },
    { "billdue", "zset", &rbl_script_fsck_jobs, 1, 1 },
    { "paydue", "zset", &rbl_script_fsck_jobs, 1, 1 },
    { NULL, NULL, NULL, 0, 0 }
};

/* In the order of the checks. */
static const fsck_kind_t  account_kinds[] = {
    { "acct", "string", NULL, 0, 0 },
    { "chosen", "string", NULL, 0, 0 },
    { "wanted", "string", NULL, 0, 0 },
    { "totals", "string", NULL, 0, 0 },
    { "checked", "string", NULL, 0, 0 },
    { "coverage", "string", NULL, 0, 0 },
    { "seq", "string", NULL, 0, 0 },
    { "started", "string", NULL, 0, 0 },
    { "refs", "hash", NULL, 0, 0 },
    { "dead", "stream", NULL, 0, 0 },
    { "changes", "stream", NULL, 0, 0 },
    { "audit", "stream", NULL, 0, 0 },
    { "audit:rest", "stream", NULL, 0, 0 },
    { "past", "stream", NULL, 0, 0 },
    { "past:rest", "stream", NULL, 0, 0 },
    { "audit:again", "hash", NULL, 0, 0 },
    { "audit:rest:again", "hash", NULL, 0, 0 },
    { "bill", "string", NULL, 0, 0 },
    { "terms", "string", NULL, 0, 0 },
    { "money", "hash", NULL, 0, 0 },
    { "meter", "string", NULL, 0, 0 },
    { "ledger", "stream", NULL, 0, 0 },
    { "payments", "zset", NULL, 0, 0 },
    { "sources", "zset", &rbl_script_fsck_index, 1, 0 },
    { "setup", "string", NULL, 0, 0 },
    { "work", "list", NULL, 0, 0 },
    { "rbls", "zset", &rbl_script_fsck_index, 1, 0 },
    { "profiles", "zset", &rbl_script_fsck_index, 1, 0 },
    { "groups", "zset", &rbl_script_fsck_index, 1, 0 },
    { "apps", "zset", &rbl_script_fsck_index, 1, 0 },
    { "hooks", "zset", &rbl_script_fsck_index, 1, 0 },
    { "users", "zset", &rbl_script_fsck_index, 1, 0 },
    { "defaults", NULL, NULL, 0, 0 },   /* the account's check covers them */
    { "contacts", "zset", &rbl_script_fsck_index, 1, 0 },
    { "hosts", "zset", &rbl_script_fsck_hosts, 0, 0 },
    { "uniq", "hash", &rbl_script_fsck_entries, 1, 0 },
    { "listed", "zset", &rbl_script_fsck_entries, 1, 0 },
    { "states", "zset", &rbl_script_fsck_entries, 1, 0 },
    { "find", "zset", &rbl_script_fsck_entries, 1, 0 },
    { "due", "zset", &rbl_script_fsck_entries, 1, 0 },
    { "tokens", "hash", &rbl_script_fsck_entries, 1, 0 },
    { "manual", "list", &rbl_script_fsck_entries, 1, 0 },
    { "details", "zset", &rbl_script_fsck_entries, 1, 0 },
    { "hears", "zset", &rbl_script_fsck_entries, 1, 0 },
    { "telling", "hash", &rbl_script_fsck_entries, 1, 0 },
    { "pending", "zset", &rbl_script_fsck_entries, 1, 0 },
    { NULL, NULL, NULL, 0, 0 }
};


_Static_assert(sizeof(account_kinds) / sizeof(account_kinds[0]) <= FSCK_TYPES,
               "room for every key of an account");


/* Checks the types of both tables; "<name>:<account>" if an account is
   given. */
static int
fsck_types(fsck_t *f, rbl_str_t key, const fsck_kind_t *kinds,
    rbl_str_t account)
{
    int   n;
    char  names[FSCK_TYPES][RBL_KEY_MAX];

    struct {
        rbl_fsck_types_args_t  args;
        rbl_fsck_types_each_t  keys[FSCK_TYPES];
    } call;

    for (n = 0; kinds->name != NULL && n < FSCK_TYPES; kinds++) {
        if (kinds->type == NULL) {
            continue;
        }

        snprintf(names[n], sizeof(names[n]), "%s%s%.*s", kinds->name,
                 account.n ? ":" : "", (int) account.n,
                 account.n ? account.p : "");
        call.keys[n].name = rbl_str(names[n]);
        call.keys[n].type = rbl_str(kinds->type);
        n++;
    }

    return fsck_script(f, key, &rbl_script_fsck_types,
                       RBL_ARGC(call.args) + RBL_ARGC(*call.keys) * n,
                       call.args.argv);
}


int
fsck_partition_types(fsck_t *f, unsigned p)
{
    int                     rc;
    rbl_key_t               base;
    rbl_str_t               key, none = RBL_STR("");
    rbl_fsck_aside_args_t   args;

    key = rbl_key(&base, &f->ctl->ks, p, "accounts", none, none);

    rc = fsck_types(f, key, partition_kinds, none);
    if (rc == FSCK_BAD) {
        ctl_note("partition %u cannot be checked before this is repaired", p);
        f->stopped = 1;
    }

    return rc < 0 || fsck_script(f, key, CTL_SCRIPT(fsck_aside, args)) < 0
           ? -1 : 0;
}


int
fsck_account_types(fsck_t *f, rbl_str_t account)
{
    rbl_key_t  key;

    return fsck_types(f, rbl_account_key(&key, &f->ctl->ks, "acct", account,
                                         RBL_STR("")),
                      account_kinds, account);
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
 * May an entry that begins with the SID of an account be checked?  An entry
 * without an account may.  1, 0; -1: error printed.
 */
static int
fsck_may(fsck_t *f, rbl_str_t entry)
{
    int        state;
    rbl_sid_t  sid;
    rbl_str_t  account = { entry.p, RBL_SID_LEN };

    if (entry.n < RBL_SID_LEN
        || rbl_sid_parse(&sid, RBL_SID_ACCOUNT, account) != RBL_OK)
    {
        return 1;
    }

    state = fsck_state(f, account);

    return state < 0 ? -1 : state != FSCK_BAD;
}


/* Passes every `step`th element of a page to the script. */
static int
fsck_page(fsck_t *f, const fsck_kind_t *kind, rbl_str_t key,
    const redisReply *page, size_t step)
{
    int         rc;
    size_t      i, k, n;
    rbl_str_t  *things;

    n = rbl_reply_len(page) / step;
    things = xcalloc(n + 1, sizeof(rbl_str_t));

    for (i = 0, k = 0, rc = 0; i < n && rc >= 0; i++) {
        things[k] = rbl_reply_str(rbl_reply_at(page, i * step));
        rc = kind->of_accounts ? fsck_may(f, things[k]) : 1;
        k += rc > 0;
    }

    if (rc >= 0) {
        rc = fsck_slices(f, kind->script, key,
                         kind->named ? rbl_str(kind->name) : RBL_STR(""), k,
                         things);
    }

    free(things);

    return rc < 0 ? -1 : 0;
}


/* Checks all members of a set, or fields of a hash, that match. */
static int
fsck_members(fsck_t *f, const fsck_kind_t *kind, rbl_str_t walked,
    rbl_str_t key, const char *match)
{
    int          rc;
    char         cursor[FSCK_CURSOR];
    rbl_str_t    name;
    redisReply  *reply;

    name = rbl_str(kind->type[0] == 'z' ? "ZSCAN" : "HSCAN");
    snprintf(cursor, sizeof(cursor), "0");

    do {
        reply = ctl_command(f->ctl, RBL_WORDS(name, walked, rbl_str(cursor),
                            RBL_STR("MATCH"), rbl_str(match), RBL_STR("COUNT"),
                            RBL_STR("500")));
        if (reply == NULL) {
            return -1;
        }

        fsck_cursor(cursor, reply);
        rc = fsck_page(f, kind, key, rbl_reply_rest(reply), 2);
        freeReplyObject(reply);

    } while (rc == 0 && strcmp(cursor, "0") != 0);

    return rc;
}


int
fsck_zset(fsck_t *f, const rbl_script_t *script, const char *head,
    rbl_str_t zset, rbl_str_t key)
{
    fsck_kind_t  kind = { head, "zset", script, 1, 0 };

    return fsck_members(f, &kind, zset, key, "*");
}


/*
 * Walks through a list from its end, so that elements which are taken from its
 * head meanwhile do not move the remaining ones out of sight.
 */
static int
fsck_list(fsck_t *f, const fsck_kind_t *kind, rbl_str_t walked, rbl_str_t key)
{
    int          rc;
    char         from[24], to[24];
    long         at;
    size_t       n;
    redisReply  *reply;

    for (at = 1, rc = 0, n = 1; rc == 0 && n > 0; at += 500) {
        snprintf(from, sizeof(from), "%ld", -(at + 499));
        snprintf(to, sizeof(to), "%ld", -at);

        reply = ctl_command(f->ctl, RBL_COMMAND("LRANGE", walked,
                            rbl_str(from), rbl_str(to)));
        if (reply == NULL) {
            return -1;
        }

        n = rbl_reply_len(reply);
        rc = fsck_page(f, kind, key, reply, 1);
        freeReplyObject(reply);
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

    return fsck_script(f, key, CTL_SCRIPT(fsck_defaults, args)) < 0 ? -1 : 0;
}


/* Checks reference counters, then the ranges that were seen while counting. */
static int
fsck_counted(fsck_t *f, rbl_str_t account)
{
    int      rc;
    size_t   i;
    json_t  *ranges;

    ranges = json_array();
    rc = fsck_refs(f, account, ranges);
    if (rc == 0) {
        rc = fsck_bill(f, account);
    }

    for (i = 0; i < json_array_size(ranges) && rc == 0; i++) {
        rc = fsck_range(f, account, rbl_str(json_string_value(
                                        json_array_get(ranges, i))));
    }

    json_decref(ranges);

    return rc;
}


int
fsck_account(fsck_t *f, rbl_str_t account)
{
    int                 rc;
    rbl_key_t           acct, walked;
    rbl_str_t           key, none = RBL_STR("");
    const fsck_kind_t  *kind;

    key = rbl_account_key(&acct, &f->ctl->ks, "acct", account, none);

    for (kind = account_kinds, rc = 0; kind->name && rc == 0; kind++) {
        (void) rbl_account_key(&walked, &f->ctl->ks, kind->name, account,
                               none);

        if (kind->type == NULL) {
            rc = fsck_defaults(f, key);

        } else if (kind->script != NULL) {
            rc = kind->type[0] == 'l'
                 ? fsck_list(f, kind, rbl_str(walked.s), key)
                 : fsck_members(f, kind, rbl_str(walked.s), key, "*");
        }
    }

    return rc == 0 && fsck_mail_users(f, account) == 0
           ? fsck_counted(f, account) : -1;
}


int
fsck_partition(fsck_t *f, unsigned p)
{
    int                 rc;
    char                match[RBL_SID_LEN + 2];
    rbl_key_t           base, walked;
    rbl_str_t           key, only, none = RBL_STR("");
    const fsck_kind_t  *kind;

    only = fsck_only(f);
    snprintf(match, sizeof(match), "%.*s*", (int) only.n, only.n ? only.p : "");
    key = rbl_key(&base, &f->ctl->ks, p, "accounts", none, none);

    for (kind = partition_kinds, rc = 0; kind->name && rc == 0; kind++) {
        if (kind->script != NULL) {
            rc = fsck_members(f, kind,
                              rbl_key(&walked, &f->ctl->ks, p, kind->name,
                                      none, none), key, match);
        }
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


int
fsck_accounts_index(fsck_t *f, unsigned p)
{
    rbl_key_t  key;
    rbl_str_t  none = RBL_STR("");

    return ctl_each(f->ctl,
                    rbl_key(&key, &f->ctl->ks, p, "accounts", none, none), p,
                    "acct", none, fsck_accounts_each, f);
}
