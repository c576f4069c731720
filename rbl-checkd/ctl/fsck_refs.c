/*
 * rblctl fsck: how many hosts and contacts use each profile and group of an
 * account.  The client counts them in slices.  Every change of a use also
 * changes the counters, so the client watches the counters (WATCH) and compares
 * them only if they were not written meanwhile.
 */

#include "base/xalloc.h"
#include "fsck.h"

#include <stdio.h>
#include <stdlib.h>

#define FSCK_TRIES       5
#define FSCK_REFS_SLICE  100


typedef struct {
    json_t  *used;                      /* field -> number of uses */
    json_t  *ranges;                    /* SIDs */
    int      unknown;                   /* a record could not be read */
} fsck_used_t;

/* Counters that differ. */
typedef struct {
    rbl_fsck_refs_each_t   *refs;
    char                  (*numbers)[CTL_DECIMAL];
    size_t                  n;
} fsck_diff_t;


static void
fsck_use(fsck_used_t *u, rbl_str_t sid, const char *suffix)
{
    char        field[RBL_SID_LEN + 4];
    json_int_t  n;

    if (sid.n > RBL_SID_LEN) {
        return;                         /* an invalid SID, which was reported */
    }

    snprintf(field, sizeof(field), "%.*s%s", (int) sid.n, sid.n ? sid.p : "",
             suffix);
    n = json_integer_value(json_object_get(u->used, field));

    json_object_set_new_nocheck(u->used, field, json_integer(n + 1));
}


static void
fsck_use_groups(fsck_used_t *u, rbl_str_t groups, const char *suffix)
{
    size_t    n;
    rbl_mp_t  mp;

    rbl_mp_init(&mp, groups);
    for (n = rbl_mp_array(&mp); n > 0 && !mp.failed; n--) {
        fsck_use(u, rbl_mp_str(&mp), suffix);
    }

    u->unknown |= mp.failed;
}


/* Counts the groups of all contacts. */
static void
fsck_use_places(fsck_used_t *u, rbl_str_t groups)
{
    size_t    n;
    rbl_mp_t  mp;

    rbl_mp_init(&mp, groups);
    for (n = rbl_mp_array(&mp); n > 0; n--) {
        fsck_use(u, RBL_STR("c"), "");
    }
}


/* A reference that cannot be read is unknown; a missing one is reported. */
static void
fsck_use_unknown(fsck_used_t *u, rbl_str_t raw)
{
    u->unknown |= raw.n > 0;
}


static int
fsck_use_host(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    rbl_host_t    host;
    fsck_used_t  *u = data;

    (void) ctl;

    if (rbl_host_decode(&host, raw) != RBL_OK) {
        fsck_use_unknown(u, raw);
        return 0;
    }

    fsck_use(u, host.profile, "");
    fsck_use_groups(u, host.groups, ":h");

    if (rbl_str_is(host.type, "ip_range")) {
        json_array_append_new(u->ranges, ctl_text(sid));
    }

    return 0;
}


static int
fsck_use_contact(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    rbl_contact_t  contact;

    (void) ctl;
    (void) sid;

    if (rbl_contact_decode(&contact, raw) == RBL_OK) {
        fsck_use_groups(data, contact.groups, ":c");
        fsck_use_places(data, contact.groups);

    } else {
        fsck_use_unknown(data, raw);
    }

    return 0;
}


/* Adds a field to those that differ; `has` is empty if there is no counter. */
static void
fsck_differs(fsck_diff_t *d, rbl_str_t field, rbl_str_t has, int64_t is)
{
    d->refs[d->n].field = field;
    d->refs[d->n].has = has;
    d->refs[d->n].is = ctl_decimal(d->numbers[d->n], is);
    d->n++;
}


/*
 * Compares the counters, a reply of HGETALL, with the counted uses: equal
 * fields are removed from u->used.
 */
static void
fsck_refs_diff(fsck_used_t *u, const redisReply *refs, fsck_diff_t *d)
{
    char         name[RBL_SID_LEN + 4];
    void        *it;
    size_t       i, n;
    int64_t      is, was;
    rbl_str_t    field, has;

    n = rbl_reply_len(refs) / 2 + json_object_size(u->used);
    d->refs = xcalloc(n + 1, sizeof(*d->refs));
    d->numbers = xcalloc(n + 1, sizeof(*d->numbers));

    for (i = 0; i + 1 < rbl_reply_len(refs); i += 2) {
        field = rbl_reply_str(rbl_reply_at(refs, i));
        has = rbl_reply_str(rbl_reply_at(refs, i + 1));
        is = 0;

        /* a field that is too long or has a zero byte counts nothing */

        if (field.n < sizeof(name)) {
            snprintf(name, sizeof(name), "%.*s", (int) field.n, field.p);
            if (strlen(name) == field.n) {
                is = json_integer_value(json_object_get(u->used, name));
                json_object_del(u->used, name);
            }
        }

        if (is == 0 || rbl_int_parse(&was, has, is, is) != RBL_OK) {
            fsck_differs(d, field, has, is);
        }
    }

    for (it = json_object_iter(u->used); it != NULL;
         it = json_object_iter_next(u->used, it))
    {
        fsck_differs(d, rbl_str(json_object_iter_key(it)), RBL_STR(""),
                     json_integer_value(json_object_iter_value(it)));
    }
}


/*
 * Passes the counters that differ to the script.  The first slice runs only if
 * no counter was written since the watch began: then the comparison was valid.
 * The other slices need no watch, since the script skips a counter that has
 * changed since. 1: a counter was written; 0; -1: error printed.
 */
static int
fsck_refs_judge(fsck_t *f, rbl_str_t account, const fsck_diff_t *d)
{
    int        rc;
    size_t     i, n;
    rbl_key_t  key;
    rbl_str_t  acct;

    struct {
        rbl_fsck_refs_args_t  args;
        rbl_fsck_refs_each_t  refs[FSCK_REFS_SLICE];
    } call;

    acct = rbl_account_key(&key, &f->ctl->ks, "acct", account, RBL_STR(""));
    i = 0;

    do {
        n = d->n - i < FSCK_REFS_SLICE ? d->n - i : FSCK_REFS_SLICE;
        memcpy(call.refs, d->refs + i, n * sizeof(*call.refs));

        rc = (i == 0 ? fsck_watched : fsck_script)(f, acct,
                 &rbl_script_fsck_refs,
                 RBL_ARGC(call.args) + RBL_ARGC(*call.refs) * (int) n,
                 call.args.argv);
        i += n;

    } while (i < d->n && rc == FSCK_OK);

    return rc;
}


/*
 * Compares the counted uses with the counters, which are watched.  1: a counter
 * was written meanwhile; 0; -1: error printed.
 */
static int
fsck_refs_compare(fsck_t *f, rbl_str_t account, fsck_used_t *u)
{
    int          rc;
    rbl_key_t    key;
    rbl_str_t    none = RBL_STR("");
    redisReply  *refs;
    fsck_diff_t  d = { NULL, NULL, 0 };

    refs = ctl_command(f->ctl, RBL_COMMAND("HGETALL",
                       rbl_account_key(&key, &f->ctl->ks, "refs", account,
                                       none)));
    if (refs == NULL) {
        return -1;
    }

    fsck_refs_diff(u, refs, &d);
    rc = fsck_refs_judge(f, account, &d);
    freeReplyObject(refs);
    free(d.refs);
    free(d.numbers);

    return rc;
}


static int
fsck_count(fsck_t *f, rbl_str_t account, fsck_used_t *u)
{
    unsigned     p;
    rbl_key_t    key;
    rbl_str_t    none = RBL_STR("");
    redisReply  *reply;

    p = rbl_partition(&f->ctl->ks, account);

    reply = ctl_command(f->ctl, RBL_COMMAND("WATCH",
                        rbl_account_key(&key, &f->ctl->ks, "refs", account,
                                        none)));
    if (reply == NULL) {
        return -1;
    }

    freeReplyObject(reply);

    if (ctl_each(f->ctl, rbl_account_key(&key, &f->ctl->ks, "hosts", account,
                                         none),
                 p, "r", account, fsck_use_host, u) != 0
        || ctl_each(f->ctl, rbl_account_key(&key, &f->ctl->ks, "contacts",
                                            account, none),
                    p, "r", account, fsck_use_contact, u) != 0)
    {
        return -1;
    }

    if (u->unknown) {
        ctl_note("the use of account %.*s cannot be counted before its records"
                 " can be read: its counters were not checked",
                 (int) account.n, account.p);

        /* the watch ends with the EXEC of the next account, which is retried */

        return 0;
    }

    return fsck_refs_compare(f, account, u);
}


int
fsck_refs(fsck_t *f, rbl_str_t account, json_t *ranges)
{
    int          i, rc;
    fsck_used_t  u;

    for (i = 0, rc = 1; i < FSCK_TRIES && rc > 0; i++) {
        u.unknown = 0;
        u.ranges = ranges;
        json_array_clear(ranges);
        u.used = json_object();
        rc = fsck_count(f, account, &u);
        json_decref(u.used);
    }

    if (rc == 1) {
        ctl_note("the use of account %.*s changes faster than it can be"
                 " counted: its counters were not checked",
                 (int) account.n, account.p);
    }

    return rc == 0 || rc == 1 ? 0 : -1;
}
