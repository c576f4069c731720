/*
 * The store as rblctl uses it: hiredis, synchronous, one connection.  This file
 * prints every error, with a hint for the operator; callers only see a failure.
 */

#include "ctl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define CTL_SLICE_N  500          /* records per lookup */


static struct timeval
ctl_timeval(double seconds)
{
    struct timeval  tv;

    tv.tv_sec = (time_t) seconds;
    tv.tv_usec = (suseconds_t) ((seconds - (double) tv.tv_sec) * 1e6);

    return tv;
}


/* Parses "host:port" or "[v6]:port": the host without brackets; returns the
   port or -1. */
static int
ctl_address(char *host, size_t size, const char *text)
{
    size_t       n;
    int64_t      port;
    const char  *colon;

    colon = strrchr(text, ':');
    if (colon == NULL
        || rbl_int_parse(&port, rbl_str(colon + 1), 1, 65535) != RBL_OK)
    {
        return -1;
    }

    n = (size_t) (colon - text);
    if (n > 2 && text[0] == '[' && text[n - 1] == ']') {
        text++;
        n -= 2;
    }

    if (n == 0 || n >= size) {
        return -1;
    }

    memcpy(host, text, n);
    host[n] = '\0';

    return (int) port;
}


static redisContext *
ctl_open(ctl_t *ctl)
{
    int              port;
    char             host[256];
    const char      *store;
    struct timeval   tv;

    store = ctl->conf.store;
    tv = ctl_timeval(ctl->conf.store_timeout);

    if (strncmp(store, "unix:", 5) == 0) {
        return redisConnectUnixWithTimeout(store + 5, tv);
    }

    port = ctl_address(host, sizeof(host), store);
    if (port < 0) {
        ctl_fail("\"%s\" is not an address of a store: host:port or"
                 " unix:/path", store);
        return NULL;
    }

    return redisConnectWithTimeout(host, port, tv);
}


int
ctl_connect(ctl_t *ctl)
{
    int              argc;
    rbl_str_t        argv[3];
    redisReply      *reply;
    const config_t  *conf;

    conf = &ctl->conf;
    errno = 0;
    ctl->redis = ctl_open(ctl);

    if (ctl->redis == NULL || ctl->redis->err) {
        if (ctl->redis != NULL) {
            ctl_fail("cannot reach the store at %s: %s. Is redis-server"
                     " running?", conf->store, ctl->redis->errstr);
        }

        return -1;
    }

    rbl_reply_reader(&ctl->reader, ctl->redis, NULL);

    if (redisSetTimeout(ctl->redis, ctl_timeval(conf->store_timeout * 10))
        != REDIS_OK)
    {
        ctl_fail("cannot set a time limit: %s", ctl->redis->errstr);
        return -1;
    }

    if (conf->store_password[0] == '\0') {
        if (conf->store_user[0] == '\0') {
            return 0;
        }

        ctl_fail("user %s of the store has no password: --password-file names"
                 " its file", conf->store_user);
        return -1;
    }

    argc = 0;
    argv[argc++] = RBL_STR("AUTH");
    if (conf->store_user[0] != '\0') {
        argv[argc++] = rbl_str(conf->store_user);
    }

    argv[argc++] = rbl_str(conf->store_password);
    reply = ctl_command(ctl, argc, argv);
    freeReplyObject(reply);

    return reply == NULL ? -1 : 0;
}


/* A script that fails halfway has applied its earlier changes. */
static const char *
ctl_hint_script(const ctl_t *ctl, const char *error)
{
    if (strstr(error, "The user executing the script can't") == NULL) {
        return strstr(error, "script: ") != NULL
               ? "A part may have been done: run rblctl fsck."
               : "Nothing was changed.";
    }

    return ctl->command->run == ctl_fsck
           ? "fsck has a user of its own, rblctl-fsck of redis-rbl.acl."
           : "Its ACL (redis-rbl.acl) gives this user too little, and a part"
             " may have been done: run rblctl fsck.";
}


static const char *
ctl_hint(const ctl_t *ctl, const redisReply *reply)
{
    switch (rbl_reply_class(reply)) {

    case RBL_REPLY_NOTREADY:
    case RBL_REPLY_MOVED:
    case RBL_REPLY_SLOT:
        return "It is busy or still loading: try again in a moment.";

    case RBL_REPLY_READONLY:
        return "It is a replica: name the master.";

    case RBL_REPLY_NOWRITE:
        return "It refuses writes: look at its memory limit, its disk and its"
               " replicas.";

    case RBL_REPLY_NOAUTH:
        return "Set store_user and store_password_file.";

    case RBL_REPLY_NOPERM:
        return "Its ACL (redis-rbl.acl) gives this user too little.";

    default:
        return ctl_hint_script(ctl, reply->str ? reply->str : "");
    }
}


static void
ctl_error(const ctl_t *ctl, const redisReply *reply, rbl_str_t text)
{
    if (text.n > 200) {
        text.n = 200;
    }

    while (text.n > 0 && text.p[text.n - 1] == '.') {
        text.n--;
    }

    ctl_fail("the store at %s refuses: %.*s. %s", ctl->conf.store,
             (int) text.n, text.p, ctl_hint(ctl, reply));
}


static redisReply *
ctl_send(ctl_t *ctl, int argc, const rbl_str_t *argv)
{
    int           i;
    size_t       *len;
    redisReply   *reply;
    const char  **word;

    len = calloc((size_t) argc, sizeof(size_t));
    word = calloc((size_t) argc, sizeof(char *));
    if (len == NULL || word == NULL) {
        ctl_fail("out of memory");
        free(len);
        free(word);
        return NULL;
    }

    for (i = 0; i < argc; i++) {
        word[i] = argv[i].n ? argv[i].p : "";
        len[i] = argv[i].n;
    }

    reply = redisCommandArgv(ctl->redis, argc, word, len);
    free(len);
    free(word);

    if (reply == NULL) {
        ctl_fail("the store at %s does not answer: %s. Whether the command"
                 " was done is not known.", ctl->conf.store,
                 rbl_reply_lost(&ctl->reader.guard, ctl->redis->errstr));
    }

    return reply;
}


redisReply *
ctl_command(ctl_t *ctl, int argc, const rbl_str_t *argv)
{
    redisReply  *reply;

    reply = ctl_send(ctl, argc, argv);
    if (reply != NULL && reply->type == REDIS_REPLY_ERROR) {
        ctl_error(ctl, reply, rbl_str_is(argv[0], "AUTH")
                              ? rbl_reply_auth_error(reply)
                              : rbl_reply_error(reply));
        freeReplyObject(reply);
        return NULL;
    }

    return reply;
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


static redisReply *
ctl_eval(ctl_t *ctl, rbl_str_t name, rbl_str_t text,
    const rbl_script_t *script, int argc, const rbl_str_t *argv)
{
    int              n;
    rbl_str_t       *all;
    redisReply      *reply;
    rbl_audit_by_t   by;

    all = calloc((size_t) argc + 4, sizeof(rbl_str_t));
    if (all == NULL) {
        ctl_fail("out of memory");
        return NULL;
    }

    n = 0;
    all[n++] = name;
    all[n++] = text;
    all[n++] = RBL_STR("1");            /* key */
    memcpy(&all[n], argv, (size_t) argc * sizeof(rbl_str_t));
    n += argc;

    if (script->audited) {
        all[n++] = ctl_by(ctl, &by);
    }

    reply = ctl_send(ctl, n, all);
    free(all);

    return reply;
}


redisReply *
ctl_script(ctl_t *ctl, const rbl_script_t *script, int argc,
    const rbl_str_t *argv)
{
    rbl_str_t    source = { script->source, script->source_len };
    redisReply  *reply;

    reply = ctl_eval(ctl, RBL_STR("EVALSHA"), rbl_str(script->sha1), script,
                     argc, argv);

    if (reply != NULL && rbl_reply_class(reply) == RBL_REPLY_NOSCRIPT) {
        freeReplyObject(reply);
        reply = ctl_eval(ctl, RBL_STR("EVAL"), source, script, argc, argv);
    }

    if (reply != NULL && reply->type == REDIS_REPLY_ERROR) {
        ctl_error(ctl, reply, rbl_reply_error(reply));
        freeReplyObject(reply);
        return NULL;
    }

    return reply;
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
