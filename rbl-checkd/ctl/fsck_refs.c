/*
 * rblctl fsck: how many hosts and contacts use each profile and group of an
 * account.  They are counted in slices, and nothing that is counted changes
 * but together with the counters: these are watched (WATCH), and only if they
 * were not written meanwhile what was counted is compared with them.
 */

#include "fsck.h"

#include <stdio.h>
#include <stdlib.h>

#define FSCK_TRIES  5


typedef struct {
    json_t  *used;                      /* field -> how often */
    int      failed;
    int      unknown;                   /* a record could not be read */
} fsck_used_t;


static void
fsck_use(fsck_used_t *u, rbl_str_t sid, const char *suffix)
{
    char        field[RBL_SID_LEN + 4];
    json_int_t  n;

    if (sid.n > RBL_SID_LEN) {
        return;                         /* no SID, which was told */
    }

    snprintf(field, sizeof(field), "%.*s%s", (int) sid.n, sid.n ? sid.p : "",
             suffix);
    n = json_integer_value(json_object_get(u->used, field));

    if (json_object_set_new(u->used, field, json_integer(n + 1)) != 0) {
        ctl_fail("out of memory");
        u->failed = 1;
    }
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


/* The places of all contacts in groups. */
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


/* What a record uses that cannot be read is unknown; a missing one is told. */
static void
fsck_use_unknown(fsck_used_t *u, rbl_str_t raw)
{
    u->unknown |= raw.n > 0;
}


static int
fsck_use_host(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    rbl_host_t  host;

    (void) ctl;
    (void) sid;

    if (rbl_host_decode(&host, raw) == RBL_OK) {
        fsck_use(data, host.profile, "");
        fsck_use_groups(data, host.groups, ":h");

    } else {
        fsck_use_unknown(data, raw);
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


/* Pairs of field and number for the script; the caller frees both. */
static int
fsck_refs_words(const fsck_used_t *u, rbl_str_t **argv,
    char (**numbers)[CTL_DECIMAL])
{
    int      argc;
    void    *it;
    size_t   i, n;

    n = json_object_size(u->used);
    *argv = calloc(2 * n + 1, sizeof(rbl_str_t));
    *numbers = calloc(n + 1, sizeof(**numbers));
    if (*argv == NULL || *numbers == NULL) {
        ctl_fail("out of memory");
        return -1;
    }

    for (it = json_object_iter(u->used), i = 0, argc = 0; it != NULL;
         it = json_object_iter_next(u->used, it), i++)
    {
        (*argv)[argc++] = rbl_str(json_object_iter_key(it));
        (*argv)[argc++] = ctl_decimal((*numbers)[i],
                              json_integer_value(json_object_iter_value(it)));
    }

    return argc;
}


/*
 * Gives what was counted to the script, if the counters are those that were
 * watched.  1: they were not; 0; -1: failed, and said.
 */
static int
fsck_refs_compare(fsck_t *f, rbl_str_t account, const fsck_used_t *u)
{
    int           argc, rc;
    char        (*numbers)[CTL_DECIMAL];
    rbl_key_t     key;
    rbl_str_t    *argv, none = RBL_STR("");

    argv = NULL;
    numbers = NULL;
    argc = fsck_refs_words(u, &argv, &numbers);

    rc = argc < 0 ? -1
         : fsck_watched(f, &rbl_script_fsck_refs,
                        rbl_account_key(&key, &f->ctl->ks, "acct", account,
                                        none), argc, argv);
    free(argv);
    free(numbers);

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

    reply = ctl_call(f->ctl, "WATCH",
                     rbl_account_key(&key, &f->ctl->ks, "refs", account,
                                     none), none, none);
    if (reply == NULL) {
        return -1;
    }

    freeReplyObject(reply);

    if (ctl_each(f->ctl, rbl_account_key(&key, &f->ctl->ks, "hosts", account,
                                         none),
                 p, "r", account, fsck_use_host, u) != 0
        || ctl_each(f->ctl, rbl_account_key(&key, &f->ctl->ks, "contacts",
                                            account, none),
                    p, "r", account, fsck_use_contact, u) != 0
        || u->failed)
    {
        return -1;
    }

    if (u->unknown) {
        ctl_note("what account %.*s uses cannot be counted before its records"
                 " can be read: its counters were not looked at",
                 (int) account.n, account.p);

        /* the watch ends with the next account's EXEC, which is tried again */

        return 0;
    }

    return fsck_refs_compare(f, account, u);
}


int
fsck_refs(fsck_t *f, rbl_str_t account)
{
    int          i, rc;
    fsck_used_t  u;

    for (i = 0, rc = 1; i < FSCK_TRIES && rc > 0; i++) {
        u.failed = 0;
        u.unknown = 0;
        u.used = json_object();
        rc = u.used == NULL ? (ctl_fail("out of memory"), -1)
             : fsck_count(f, account, &u);
        json_decref(u.used);
    }

    if (rc == 1) {
        ctl_note("what account %.*s uses changes faster than it can be"
                 " counted: its counters were not looked at",
                 (int) account.n, account.p);
    }

    return rc == 0 || rc == 1 ? 0 : -1;
}
