/*
 * The client of the store: the meta data, their copies in a cluster, and slices
 * of records.
 */

#include "base/xalloc.h"
#include "client.h"

#include <stdio.h>
#include <stdlib.h>

#define CTL_SLICE_N  500          /* records per lookup */


rbl_str_t
ctl_key(const ctl_t *ctl, rbl_key_t *key, unsigned p, const char *name)
{
    rbl_str_t  none = RBL_STR("");

    return rbl_key(key, &ctl->ks, p, name, none, none);
}


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


static int
meta_found(rbl_meta_t *meta, redisReply *reply)
{
    rbl_meta_read(meta, reply);
    freeReplyObject(reply);

    return meta->schema == -1;
}


int
ctl_meta_main(ctl_t *ctl, rbl_meta_t *meta)
{
    rbl_key_t    key;
    redisReply  *reply;

    reply = ctl_command(ctl, RBL_COMMAND("HMGET", rbl_meta_key(&key, &ctl->ks),
                        RBL_META_FIELDS));

    return reply == NULL ? -1 : meta_found(meta, reply);
}


int
ctl_meta_copies(ctl_t *ctl, rbl_meta_t *meta)
{
    int          rc;
    unsigned     i;
    rbl_key_t    key;
    redisReply  *reply;

    for (i = 0, rc = 1; i < RBL_META_COPIES && rc == 1; i++) {
        reply = ctl_command(ctl, RBL_COMMAND("HMGET",
                            rbl_meta_copy_key(&key, &ctl->ks, i),
                            RBL_META_FIELDS));
        rc = reply == NULL ? -1 : meta_found(meta, reply);
    }

    return rc;
}


/* Reads a copy at a server that is connected.  0; 1: there is none, or no right
   to read it. */
static int
meta_copy(ctl_t *ctl, rbl_meta_t *meta)
{
    int          rc;
    unsigned     i, copy;
    rbl_key_t    key;
    ctl_why_t    ignored;
    redisReply  *reply;

    for (i = 0, rc = 1; i < ctl->store.nodes->n && rc != 0; i++) {
        copy = rbl_nodes_copy(ctl->store.nodes, i);

        if (copy == RBL_META_COPIES
            || store_see(ctl->store.store, i).connection == 0)
        {
            continue;
        }

        reply = ctl_ask(ctl, i, NULL, RBL_COMMAND("HMGET",
                        rbl_meta_copy_key(&key, &ctl->ks, copy),
                        RBL_META_FIELDS), &ignored);
        rc = meta_found(meta, reply);
    }

    return rc;
}


int
ctl_meta_read(ctl_t *ctl, rbl_meta_t *meta)
{
    if (ctl->conf.place.kind == RBL_PLACE_CLUSTER
        && meta_copy(ctl, meta) == 0)
    {
        return 0;
    }

    return ctl_meta_main(ctl, meta);
}


int
ctl_meta_take(ctl_t *ctl, const rbl_meta_t *meta)
{
    char              why[RBL_META_WHY];
    rbl_meta_state_t  state;

    state = rbl_meta_take(&ctl->ks, meta);

    if (state != RBL_META_OK) {
        ctl_fail("the store at %s cannot be used with prefix %s: %s",
                 ctl->conf.store, ctl->conf.store_prefix,
                 rbl_meta_why(why, state, meta, "rblctl"));
        return -1;
    }

    return 0;
}


int
ctl_meta(ctl_t *ctl)
{
    rbl_meta_t  meta;

    return ctl_meta_read(ctl, &meta) < 0 ? -1 : ctl_meta_take(ctl, &meta);
}


/* Writes the fields that all programs read. */
static int
meta_set(ctl_t *ctl, rbl_str_t key, int64_t partitions)
{
    char         number[24], schema[24];
    redisReply  *reply;

    snprintf(number, sizeof(number), "%lld", (long long) partitions);
    snprintf(schema, sizeof(schema), "%d", RBL_SCHEMA_VERSION);

    reply = ctl_command(ctl, RBL_COMMAND("HSET", key, RBL_STR("partitions"),
                        rbl_str(number), RBL_STR("oldest"), rbl_str(schema),
                        RBL_STR("schema"), rbl_str(schema)));
    freeReplyObject(reply);
    ctl->store.durable |= reply != NULL;

    return reply == NULL ? -1 : 0;
}


int
ctl_meta_copy(ctl_t *ctl, unsigned i, int64_t partitions)
{
    rbl_key_t  key;

    return meta_set(ctl, rbl_meta_copy_key(&key, &ctl->ks, i), partitions);
}


int
ctl_meta_write(ctl_t *ctl, int64_t partitions)
{
    unsigned   i;
    rbl_key_t  key;

    for (i = 0; i < RBL_META_COPIES; i++) {
        if (ctl_meta_copy(ctl, i, partitions) != 0) {
            return -1;
        }
    }

    return meta_set(ctl, rbl_meta_key(&key, &ctl->ks), partitions);
}


/* Records of members: the key has the account and the member, or, if the
   account is empty, the member and the SID of an object. */
typedef struct {
    unsigned      p;
    const char   *record;
    rbl_str_t     account, id;
    ctl_each_pt   each;
    void         *data;
} meta_walk_t;


/* The records of n members.  NULL: error printed. */
static redisReply *
meta_records(ctl_t *ctl, const redisReply *sids, size_t n,
    const meta_walk_t *w)
{
    size_t       i;
    rbl_str_t   *argv, sid;
    rbl_key_t   *keys;
    redisReply  *reply;

    keys = xcalloc(n, sizeof(rbl_key_t));
    argv = xcalloc(n + 1, sizeof(rbl_str_t));
    argv[0] = RBL_STR("MGET");

    for (i = 0; i < n; i++) {
        sid = rbl_reply_str(rbl_reply_at(sids, i));
        argv[i + 1] = w->account.n
            ? rbl_key(&keys[i], &ctl->ks, w->p, w->record, w->account, sid)
            : rbl_key(&keys[i], &ctl->ks, w->p, w->record, sid, w->id);
    }

    reply = ctl_command(ctl, (int) n + 1, argv);
    free(keys);
    free(argv);

    return reply;
}


static int
meta_slice(ctl_t *ctl, const redisReply *sids, size_t n, const meta_walk_t *w)
{
    int          rc;
    size_t       i;
    redisReply  *reply;

    reply = meta_records(ctl, sids, n, w);
    rc = reply == NULL ? -1 : 0;

    for (i = 0; i < n && rc == 0; i++) {
        rc = w->each(ctl, rbl_reply_str(rbl_reply_at(sids, i)),
                     rbl_reply_str(rbl_reply_at(reply, i)), w->data);
    }

    freeReplyObject(reply);

    return rc;
}


static int
meta_walk(ctl_t *ctl, rbl_str_t index, const meta_walk_t *w)
{
    int          rc;
    char         from[CTL_DECIMAL], to[CTL_DECIMAL];
    size_t       n;
    int64_t      start;
    redisReply  *sids;

    rc = 0;
    n = CTL_SLICE_N;

    for (start = 0; rc == 0 && n == CTL_SLICE_N; start += CTL_SLICE_N) {
        sids = ctl_command(ctl, RBL_COMMAND("ZRANGE", index,
                           ctl_decimal(from, start),
                           ctl_decimal(to, start + CTL_SLICE_N - 1)));
        if (sids == NULL) {
            return -1;
        }

        n = rbl_reply_len(sids);
        if (n > CTL_SLICE_N) {
            rc = -1;
            ctl_fail("the store at %s sends more replies than commands were"
                     " sent: is it Redis or Valkey?",
                     ctl->conf.store);

        } else if (n > 0) {
            rc = meta_slice(ctl, sids, n, w);
        }

        freeReplyObject(sids);
    }

    return rc;
}


redisReply *
ctl_records(ctl_t *ctl, const redisReply *sids, unsigned p,
    const char *record, rbl_str_t account)
{
    meta_walk_t  w = { p, record, account, RBL_STR(""), NULL, NULL };

    return meta_records(ctl, sids, rbl_reply_len(sids), &w);
}


int
ctl_each(ctl_t *ctl, rbl_str_t index, unsigned p, const char *record,
    rbl_str_t account, ctl_each_pt each, void *data)
{
    meta_walk_t  w = { p, record, account, RBL_STR(""), each, data };

    return meta_walk(ctl, index, &w);
}


int
ctl_each_account(ctl_t *ctl, const char *record, rbl_str_t id,
    ctl_each_pt each, void *data)
{
    int          rc;
    rbl_key_t    key;
    meta_walk_t  w = { 0, record, RBL_STR(""), id, each, data };

    ctl_survey(ctl);

    for (rc = 0; w.p < ctl->ks.partitions && rc == 0; w.p++) {
        if (!ctl_away(ctl, w.p)) {
            rc = meta_walk(ctl, ctl_key(ctl, &key, w.p, "accounts"), &w);
        }
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


rbl_str_t
ctl_acct(const ctl_t *ctl, rbl_key_t *key, const rbl_sid_t *account)
{
    return rbl_account_key(key, &ctl->ks, "acct", rbl_sid_str(account),
                           RBL_STR(""));
}
