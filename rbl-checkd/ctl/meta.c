/*
 * The client of the store: what every command reads.  The meta data say how
 * many partitions there are; records are looked up in slices.
 */

#include "ctl.h"

#include <stdio.h>
#include <stdlib.h>

#define CTL_SLICE_N  500          /* records per lookup */


int64_t
ctl_count(ctl_t *ctl, const char *name, rbl_str_t key)
{
    int64_t      n;
    redisReply  *reply;

    reply = ctl_command(ctl, RBL_WORDS(rbl_str(name), key));
    if (reply == NULL) {
        return -1;
    }

    n = rbl_reply_int(reply, 0);
    freeReplyObject(reply);

    return n;
}


int
ctl_meta_read(ctl_t *ctl, int64_t *partitions, int64_t *schema)
{
    int          rc;
    rbl_key_t    key;
    redisReply  *reply;

    reply = ctl_command(ctl, RBL_COMMAND("HMGET", rbl_meta_key(&key, &ctl->ks),
                        RBL_META_FIELDS));
    if (reply == NULL) {
        return -1;
    }

    *schema = rbl_reply_int(rbl_reply_at(reply, RBL_META_SCHEMA), -1);
    *partitions = rbl_reply_int(rbl_reply_at(reply, RBL_META_PARTITIONS),
                                -1);
    rc = rbl_reply_str(rbl_reply_at(reply, RBL_META_SCHEMA)).p == NULL;
    freeReplyObject(reply);

    return rc;
}


int
ctl_meta(ctl_t *ctl)
{
    int64_t  schema, partitions;

    switch (ctl_meta_read(ctl, &partitions, &schema)) {

    case 0:
        break;

    case 1:
        ctl_fail("the store at %s is not initialised for prefix %s: run"
                 " rblctl init", ctl->conf.store, ctl->conf.store_prefix);
        return -1;

    default:
        return -1;
    }

    if (schema != RBL_SCHEMA_VERSION) {
        ctl_fail("the store has schema %lld, this rblctl needs %d: use the"
                 " programs of that schema, or run init with another prefix"
                 " (rbl-operations(7), Upgrading)",
                 (long long) schema, RBL_SCHEMA_VERSION);
        return -1;
    }

    if (rbl_keyspace_set_partitions(&ctl->ks, partitions) != RBL_OK) {
        ctl_fail("%s:meta is damaged: partitions must be a power of two from"
                 " 1 to %d", ctl->conf.store_prefix, RBL_PARTITIONS_MAX);
        return -1;
    }

    return 0;
}


/* Looks up the records of the first n members of a slice. */
static int
ctl_each_slice(ctl_t *ctl, const redisReply *sids, size_t n, unsigned p,
    const char *record, rbl_str_t account, ctl_each_pt each, void *data)
{
    int          rc, argc;
    size_t       i;
    rbl_str_t    argv[CTL_SLICE_N + 1];
    rbl_key_t   *keys;
    redisReply  *reply;

    keys = calloc(n, sizeof(rbl_key_t));
    if (keys == NULL) {
        ctl_fail("out of memory");
        return -1;
    }

    argc = 0;
    argv[argc++] = RBL_STR("MGET");
    for (i = 0; i < n; i++) {
        argv[argc++] = account.n
            ? rbl_key(&keys[i], &ctl->ks, p, record, account,
                      rbl_reply_str(rbl_reply_at(sids, i)))
            : rbl_key(&keys[i], &ctl->ks, p, record,
                      rbl_reply_str(rbl_reply_at(sids, i)), RBL_STR(""));
    }

    reply = ctl_command(ctl, argc, argv);
    rc = reply == NULL ? -1 : 0;

    for (i = 0; i < n && rc == 0; i++) {
        rc = each(ctl, rbl_reply_str(rbl_reply_at(sids, i)),
                  rbl_reply_str(rbl_reply_at(reply, i)), data);
    }

    freeReplyObject(reply);
    free(keys);

    return rc;
}


int
ctl_each(ctl_t *ctl, rbl_str_t index, unsigned p, const char *record,
    rbl_str_t account, ctl_each_pt each, void *data)
{
    int          rc;
    char         from[24], to[24];
    long         start;
    size_t       n;
    redisReply  *sids;

    rc = 0;
    n = CTL_SLICE_N;

    for (start = 0; rc == 0 && n == CTL_SLICE_N; start += CTL_SLICE_N) {
        snprintf(from, sizeof(from), "%ld", start);
        snprintf(to, sizeof(to), "%ld", start + CTL_SLICE_N - 1);

        sids = ctl_command(ctl, RBL_COMMAND("ZRANGE", index, rbl_str(from),
                           rbl_str(to)));
        if (sids == NULL) {
            return -1;
        }

        n = rbl_reply_len(sids);
        if (n > CTL_SLICE_N) {
            rc = -1;
            ctl_fail("the store at %s sends more replies than commands were"
                     " sent: is it a redis-server?",
                     ctl->conf.store);

        } else if (n > 0) {
            rc = ctl_each_slice(ctl, sids, n, p, record, account, each, data);
        }

        freeReplyObject(sids);
    }

    return rc;
}


rbl_str_t
ctl_entry_value(const redisReply *fields, const char *name)
{
    size_t  i;

    for (i = 0; i + 1 < rbl_reply_len(fields); i += 2) {
        if (rbl_str_is(rbl_reply_str(rbl_reply_at(fields, i)), name)) {
            return rbl_reply_str(rbl_reply_at(fields, i + 1));
        }
    }

    return RBL_STR("");
}
