/*
 * The greeting of a node.  All its commands are sent with the connect, and
 * nothing else is sent before their replies:
 *
 *   one Redis, Sentinels   AUTH, INFO REPLICATION, HMGET <prefix>:meta
 *   a cluster              AUTH, CLUSTER MYID, CLUSTER SLOTS, INFO REPLICATION,
 *                          HMGET <prefix>:meta, which another node may have
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


static int
greeting(const store_link_t *link, const redisReply *reply)
{
    return link->phase == STORE_GREETING && reply != NULL;
}


static void
drop_refused(store_link_t *link, const redisReply *reply, rbl_str_t text)
{
    char  why[STORE_WHY];

    snprintf(why, sizeof(why), "%.*s", (int) text.n, text.p);
    store_drop(link, why);
    link->said = rbl_reply_class(reply);
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


void
store_greeted(store_link_t *link)
{
    store_t  *store = link->store;

    link->late = !link->late && store_sentinel_stale(link, link->opened,
                                                     GREETING_LATE);

    if (link->late) {
        store_drop(link, "it stood still, and may have been replaced");
        return;
    }

    link->phase = STORE_READY;
    store_link_well(link);
    store->tries = 0;
    store->renewed |= store->nodes.kind == RBL_PLACE_CLUSTER;
    store_kick(store);
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


/* NULL, or what is wrong with the meta data; why: room for a message. */

static const char *
take_meta(store_t *store, const redisReply *reply, char why[RBL_META_WHY])
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

    if (!greeting(link, reply)) {
        return;
    }

    c = rbl_reply_class(reply);

    if (c != RBL_REPLY_OK && !elsewhere(link->store, c)) {
        drop_refused(link, reply, c == RBL_REPLY_ERROR
                                  ? RBL_STR("no valid response")
                                  : rbl_reply_error(reply));
        return;
    }

    wrong = c == RBL_REPLY_OK ? take_meta(link->store, reply, why) : NULL;

    if (wrong != NULL) {
        store_drop(link, wrong);

    } else if (link->store->message == NULL) {
        store_greeted(link);

    } else {
        store_subscribe(link);
    }
}


/* No node had the meta data when it was greeted. */

static void
on_meta_late(void *data, const redisReply *reply)
{
    char           why[RBL_META_WHY];
    const char    *wrong;
    store_link_t  *link = data;

    if (reply == NULL || rbl_reply_class(reply) != RBL_REPLY_OK) {
        return;
    }

    wrong = take_meta(link->store, reply, why);

    if (wrong != NULL) {
        store_drop(link, wrong);
    }

    store_kick(link->store);
}


/* A store of an earlier schema has no copies. */

static void
on_copy(void *data, const redisReply *reply)
{
    rbl_meta_t  meta;

    rbl_meta_read(&meta, reply);

    if (meta.schema != -1) {
        on_meta_late(data, reply);
    }
}


static void
ask_at(store_link_t *link, rbl_str_t key, store_reply_pt done)
{
    store_send(link, done, link, RBL_COMMAND("HMGET", key, RBL_META_FIELDS));
}


void
store_ask_meta(store_t *store)
{
    unsigned   i, copy;
    rbl_key_t  key;

    i = rbl_nodes_of(&store->nodes, rbl_meta_key(&key, &store->ks));

    if (store_link_ready(store, i)) {
        ask_at(store->link[i], rbl_meta_key(&key, &store->ks), on_meta_late);
        return;
    }

    for (i = 0; i < store->nodes.n; i++) {
        copy = rbl_nodes_copy(&store->nodes, i);

        if (copy != RBL_META_COPIES && store_link_ready(store, i)) {
            ask_at(store->link[i],
                   rbl_meta_copy_key(&key, &store->ks, copy), on_copy);
            return;
        }
    }
}


static void
on_auth(void *data, const redisReply *reply)
{
    store_link_t  *link = data;

    if (greeting(link, reply) && rbl_reply_class(reply) != RBL_REPLY_OK) {
        drop_refused(link, reply, rbl_reply_auth_error(reply));
    }
}


static void
on_myid(void *data, const redisReply *reply)
{
    store_link_t  *link = data;

    if (!greeting(link, reply)) {
        return;
    }

    if (rbl_reply_class(reply) != RBL_REPLY_OK) {
        drop_refused(link, reply,
                     link->store->tool != NULL
                     && rbl_reply_class(reply) == RBL_REPLY_ERROR
                     ? RBL_STR("it is no node of a cluster")
                     : rbl_reply_error(reply));

    } else if (!rbl_nodes_is(&link->store->nodes, reply, link->node)) {
        store_drop(link, "another server has its address");
        store_map_stale(link->store);
    }
}


static void
on_slots(void *data, const redisReply *reply)
{
    const char    *why;
    store_link_t  *link = data;

    if (!greeting(link, reply)) {
        return;
    }

    why = store_map_take(link, reply);

    if (why != NULL) {
        store_drop(link, why);
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
        drop_refused(link, reply, rbl_reply_class(reply) == RBL_REPLY_OK
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

    if (!greeting(link, reply)) {
        return;
    }

    if (store->tool == NULL || store->nodes.kind == RBL_PLACE_SENTINEL) {
        judge_role(link, reply);

    } else if (store->nodes.kind == RBL_PLACE_ONE && c != RBL_REPLY_OK
               && c != RBL_REPLY_NOPERM)
    {
        drop_refused(link, reply, rbl_reply_error(reply));
    }

    if (store->tool != NULL && link->phase == STORE_GREETING) {
        store_greeted(link);
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
store_greet(store_link_t *link)
{
    rbl_key_t  key;

    if (link == link->store->sentinel) {
        store_sentinel_greet(link);
        return;
    }

    if (link->store->conf->store_password[0] != '\0') {
        store_send_auth(link, on_auth);
    }

    if (link->store->nodes.kind == RBL_PLACE_CLUSTER) {
        store_send(link, on_myid, link,
                   RBL_COMMAND("CLUSTER", RBL_STR("MYID")));
        store_send(link, on_slots, link,
                   RBL_COMMAND("CLUSTER", RBL_STR("SLOTS")));
    }

    store_send(link, on_role, link,
               RBL_COMMAND("INFO", RBL_STR("REPLICATION")));

    if (link->store->tool == NULL) {
        ask_at(link, rbl_meta_key(&key, &link->store->ks), on_meta);
    }
}
