/*
 * The greeting of a node.  All its commands are sent with the connect, and
 * nothing else is sent before their replies:
 *
 *   one Redis, Sentinels   AUTH, INFO REPLICATION, HMGET <prefix>:meta
 *   a cluster              AUTH, CLUSTER MYID, CLUSTER SLOTS (store_map.c),
 *                          INFO REPLICATION, HMGET <prefix>:meta, which another
 *                          node may have
 *
 * A tool reads no meta data, and the role matters to it only behind Sentinels.
 */

#include "base/log.h"
#include "store_int.h"

#include <stdio.h>

#define GREETING_LATE  0.1              /* s: the Sentinels are asked again,
                                           once */

#define UNSAFE  "min-replicas-to-write is not set: a failover can lose"       \
                " acknowledged writes (rbl-availability(7))"


int
store_greeting(const store_link_t *link, const redisReply *reply)
{
    return link->phase == STORE_GREETING && reply != NULL;
}


/* Other data than before: what was read from them may be wrong. */

static void
renew(store_link_t *link)
{
    char      name[STORE_NAME];
    store_t  *store = link->store;

    if (store->conf->place.kind == RBL_PLACE_ONE) {
        return;                         /* each reconnect counts as one */
    }

    if (!store_quiet(link)) {
        log_notice("%s: its data have another history (a failover, or a"
                   " restart); cached data are read again",
                   store_name(name, link));
    }

    store->renewed = 1;
    store->failovers++;
}


static void
met(store_link_t *link)
{
    link->late = !link->late
                 && store_stood_still(link, link->opened, GREETING_LATE);

    if (link->late) {
        store_drop(link, "it stood still, and may have been replaced");
        return;
    }

    link->kind->met(link);
}


static void
say_schema(store_t *store, int64_t schema)
{
    if (schema < RBL_SCHEMA_VERSION && store->schema != schema
        && !store->second)
    {
        log_notice("store %s: it has schema %lld; rblctl upgrade makes it %d",
                   store->conf->store, (long long) schema, RBL_SCHEMA_VERSION);
    }

    store->schema = schema;
}


const char *
store_take_meta(store_t *store, const redisReply *reply,
    char why[RBL_META_WHY])
{
    unsigned          before;
    rbl_meta_t        meta;
    rbl_meta_state_t  state;

    before = store->ks.partitions;
    rbl_meta_read(&meta, reply);
    state = rbl_meta_take(&store->ks, &meta);

    if (state != RBL_META_OK) {
        return rbl_meta_why(why, state, &meta, "rbl-checkd");
    }

    if (before != 0 && before != store->ks.partitions) {
        (void) rbl_keyspace_set_partitions(&store->ks, before);
        return "its number of partitions has changed: restart";
    }

    say_schema(store, meta.schema);

    return NULL;
}


/* Another node of a cluster has the meta data, or none has them now. */

static int
elsewhere(const store_t *store, rbl_reply_class_t c)
{
    return store->conf->place.kind == RBL_PLACE_CLUSTER
           && (c == RBL_REPLY_MOVED || c == RBL_REPLY_SLOT);
}


static void
on_meta(void *data, const redisReply *reply)
{
    char                why[RBL_META_WHY];
    const char         *wrong;
    store_link_t       *link = data;
    rbl_reply_class_t   c;

    if (!store_greeting(link, reply)) {
        return;
    }

    c = rbl_reply_class(reply);

    if (c != RBL_REPLY_OK && !elsewhere(link->store, c)) {
        store_drop_refused(link, reply, c == RBL_REPLY_ERROR
                                  ? RBL_STR("no valid response")
                                  : rbl_reply_error(reply));
        return;
    }

    wrong = c == RBL_REPLY_OK ? store_take_meta(link->store, reply, why)
                              : NULL;

    if (wrong != NULL) {
        store_drop(link, wrong);

    } else {
        met(link);
    }
}


void
store_ask_meta(store_link_t *link, rbl_str_t key, store_reply_pt done)
{
    store_send(link, done, link, RBL_COMMAND("HMGET", key, RBL_META_FIELDS));
}


static void
on_auth(void *data, const redisReply *reply)
{
    store_link_t  *link = data;

    if (store_greeting(link, reply) && rbl_reply_class(reply) != RBL_REPLY_OK) {
        store_drop_refused(link, reply, rbl_reply_auth_error(reply));
    }
}


/* A failover may lose writes that no replica has.  Warns once per change. */

static void
look_at_replicas(store_link_t *link, const rbl_replicas_t *replicas)
{
    char      name[STORE_NAME];
    unsigned  unsafe;

    unsafe = replicas->good == -1
             && (replicas->replicas > 0
                 || link->store->conf->place.kind != RBL_PLACE_ONE);

    if (unsafe && !link->unsafe && !store_quiet(link)) {
        log_warn("%s: " UNSAFE, store_name(name, link));
    }

    link->unsafe = unsafe;
}


static void
take_master(store_link_t *link, const redisReply *reply)
{
    char                 history[STORE_HISTORY];
    rbl_replicas_t       replicas;
    const store_tool_t  *tool = link->store->tool;

    rbl_replicas(&replicas, reply);

    if (link->store->nodes.kind == RBL_PLACE_SENTINEL && replicas.good == 0
        && (tool == NULL || !tool->far))
    {
        store_drop(link, tool == NULL
                   ? "it refuses writes: too few replicas are near"
                     " (min-replicas-to-write)"
                   : "none of its replicas is near enough"
                     " (min-replicas-to-write)");
        return;
    }

    look_at_replicas(link, &replicas);
    link->replicas = rbl_replicas_near(reply);
    rbl_copy(history, sizeof(history), replicas.history);

    if (link->history[0] != '\0' && strcmp(history, link->history) != 0) {
        renew(link);
    }

    memcpy(link->history, history, sizeof(history));
}


/* A replica refuses writes, and every job begins with a write.  One of a
   cluster has no slots, and gets no commands. */

static void
judge_role(store_link_t *link, const redisReply *reply)
{
    switch (rbl_role(reply)) {

    case RBL_ROLE_MASTER:
        take_master(link, reply);
        return;

    case RBL_ROLE_UNKNOWN:
        store_drop_refused(link, reply, rbl_reply_class(reply) == RBL_REPLY_OK
                                  ? RBL_STR("it does not report its role")
                                  : rbl_reply_error(reply));
        return;

    default:
        if (link->store->nodes.kind != RBL_PLACE_CLUSTER) {
            store_drop(link, link->store->tool != NULL ? "it is a replica"
                       : "it is a replica, the daemon needs the master");
        }
    }
}


static void
on_role(void *data, const redisReply *reply)
{
    store_link_t       *link = data;
    const store_t      *store = link->store;
    rbl_reply_class_t   c = rbl_reply_class(reply);

    if (!store_greeting(link, reply)) {
        return;
    }

    if (store->tool == NULL || store->nodes.kind == RBL_PLACE_SENTINEL) {
        judge_role(link, reply);

    } else if (store->nodes.kind == RBL_PLACE_ONE && c != RBL_REPLY_OK
               && c != RBL_REPLY_NOPERM)
    {
        store_drop_refused(link, reply, rbl_reply_error(reply));
    }

    if (store->tool != NULL && link->phase == STORE_GREETING) {
        met(link);
    }
}


void
store_send_auth(store_link_t *link, store_reply_pt done)
{
    int              n;
    rbl_str_t        argv[3];
    const config_t  *conf = link->store->conf;

    n = 0;
    argv[n++] = RBL_STR("AUTH");

    if (conf->store_user[0] != '\0') {
        argv[n++] = rbl_str(conf->store_user);
    }

    argv[n++] = rbl_str(conf->store_password);
    store_send(link, done, link, n, argv);
}


void
store_greet_auth(store_link_t *link)
{
    if (link->store->conf->store_password[0] != '\0') {
        store_send_auth(link, on_auth);
    }
}


void
store_greet_role(store_link_t *link)
{
    rbl_key_t  key;

    store_send(link, on_role, link,
               RBL_COMMAND("INFO", RBL_STR("REPLICATION")));

    if (link->store->tool == NULL) {
        store_ask_meta(link, rbl_meta_key(&key, &link->store->ks), on_meta);
    }
}


void
store_greet(store_link_t *link)
{
    store_greet_auth(link);
    store_greet_role(link);
}
