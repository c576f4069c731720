/*
 * The nodes of a store: opens and closes links as the nodes change.
 *
 * Links are opened and closed in an event of their own, never in the callback
 * of a reply, which may belong to a batch of the link.
 *
 * The slots of a cluster (Redis Cluster specification): each new connection
 * brings the map of slots; any node is asked for it again after MOVED, when a
 * connection is lost, while a slot has no ready node, and every minute.
 *
 * Configured nodes may belong to different clusters.  The first map decides,
 * and nodes of another cluster are refused.  Until it is known, the next node
 * is connected only when the one before has failed, or is silent for a second.
 * So workers that reach the same nodes decide alike.
 */

#include "ngx_rbl_redis.h"
#include "rbl_role.h"

#define NGX_RBL_SURVEY_PAUSE   60000    /* ms */
#define NGX_RBL_SURVEY_DOUBT   200      /* ms, while a slot has no ready node */
#define NGX_RBL_SURVEY_SILENT  5        /* surveys until a node that does not
                                           answer decides nothing */


ngx_uint_t
ngx_rbl_cluster_unknown(const ngx_rbl_store_t *store)
{
    return store->nodes.kind == RBL_PLACE_CLUSTER && store->nodes.nids == 0;
}


ngx_uint_t
ngx_rbl_cluster_waits(const ngx_rbl_store_t *store, ngx_uint_t opening)
{
    return ngx_rbl_cluster_unknown(store)
           && opening > store->surveys / NGX_RBL_SURVEY_SILENT;
}


void
ngx_rbl_cluster_doubt(ngx_rbl_store_t *store)
{
    ngx_msec_t  since;

    if (store->nodes.kind != RBL_PLACE_CLUSTER) {
        return;
    }

    if (store->survey.timer_set) {
        ngx_del_timer(&store->survey);
    }

    since = ngx_current_msec - store->surveyed;
    ngx_add_timer(&store->survey, since < NGX_RBL_SURVEY_DOUBT
                                  ? NGX_RBL_SURVEY_DOUBT - since : 0);
}


ngx_rbl_node_t *
ngx_rbl_node_any(ngx_rbl_store_t *store)
{
    ngx_uint_t  i;

    for (i = 0; i < store->nodes.n; i++) {
        if (store->node[i] != NULL
            && ngx_rbl_redis_ready(&store->node[i]->main))
        {
            return store->node[i];
        }
    }

    return NULL;
}


void
ngx_rbl_node_follow(ngx_rbl_store_t *store)
{
    if (!store->follow.posted) {
        ngx_post_event(&store->follow, &ngx_posted_events);
    }
}


/* The node of a partition, or NULL. */

static ngx_rbl_node_t *
ngx_rbl_node_of(ngx_rbl_store_t *store, unsigned p)
{
    rbl_key_t  key;
    rbl_str_t  none = { NULL, 0 };

    return ngx_rbl_node(store, rbl_nodes_of(&store->nodes,
                                   rbl_key(&key, &store->ks, p, "due", none,
                                           none)));
}


unsigned
ngx_rbl_store_on(ngx_rbl_store_t *store, unsigned p)
{
    ngx_rbl_node_t  *node;

    node = ngx_rbl_node_of(store, p);

    return node != NULL && ngx_rbl_redis_ready(&node->main)
           ? (unsigned) node->i : RBL_NODE_NONE;
}


ngx_uint_t
ngx_rbl_store_has(ngx_rbl_store_t *store, unsigned p)
{
    return ngx_rbl_store_on(store, p) != RBL_NODE_NONE;
}


void
ngx_rbl_store_near(ngx_rbl_store_t *store, u_char octets[2])
{
    unsigned  at, i, p, mask;

    at = (unsigned) octets[0] << 8 | octets[1];
    mask = store->ks.partitions - 1;

    for (i = 0; i < store->ks.partitions; i++) {
        p = (at + i) & mask;

        if (ngx_rbl_store_has(store, p)) {
            at = (at & ~mask) | p;
            octets[0] = (u_char) (at >> 8);
            octets[1] = (u_char) at;
            return;
        }
    }
}


ngx_uint_t
ngx_rbl_store_partitions_away(ngx_rbl_store_t *store)
{
    unsigned    p;
    ngx_uint_t  n;

    for (p = 0, n = 0; store != NULL && p < store->ks.partitions; p++) {
        n += !ngx_rbl_store_has(store, p);
    }

    return n;
}


ngx_int_t
ngx_rbl_store_node(ngx_rbl_store_t *store, ngx_uint_t i,
    ngx_rbl_store_node_t *node)
{
    unsigned         p;
    ngx_rbl_node_t  *own;

    if (store == NULL || i >= store->nodes.n) {
        return NGX_DONE;
    }

    ngx_memzero(node, sizeof(ngx_rbl_store_node_t));
    own = ngx_rbl_node(store, i);

    if (own == NULL || store->nodes.kind == RBL_PLACE_ONE
        || !rbl_nodes_wanted(&store->nodes, (unsigned) i))
    {
        return NGX_OK;
    }

    (void) rbl_host_port_text(node->name, own->main.at);
    node->up = ngx_rbl_redis_ready(&own->main);

    for (p = 0; p < store->ks.partitions; p++) {
        node->partitions += ngx_rbl_node_of(store, p) == own;
    }

    return NGX_OK;
}


/* The node with the meta data may have been ready before its slot was known,
   or may be away: then another one has a copy. */

static void
ngx_rbl_cluster_meta(ngx_rbl_store_t *store)
{
    rbl_key_t        key;
    ngx_uint_t       i;
    ngx_rbl_node_t  *node;

    if (store->ks.partitions != 0) {
        return;
    }

    node = ngx_rbl_node(store, rbl_nodes_of(&store->nodes,
                                            rbl_meta_key(&key, &store->ks)));

    if (node != NULL && ngx_rbl_redis_ready(&node->main)) {
        (void) ngx_rbl_redis_meta_ask(&node->main);
        return;
    }

    for (i = 0; i < store->nodes.n; i++) {
        node = store->node[i];

        if (node != NULL && ngx_rbl_redis_ready(&node->main)
            && ngx_rbl_redis_copy_ask(&node->main) == NGX_OK)
        {
            return;
        }
    }
}


static ngx_uint_t
ngx_rbl_cluster_whole(ngx_rbl_store_t *store)
{
    return store->ks.partitions != 0
           && ngx_rbl_store_partitions_away(store) == 0;
}


/* A slot that has another node now may have lost acknowledged writes. */

static void
ngx_rbl_cluster_take(ngx_rbl_link_t *link, const redisReply *reply)
{
    u_char            before[RBL_SLOTS];
    const char       *reason;
    ngx_uint_t        i;
    ngx_rbl_store_t  *store;

    store = link->store;
    ngx_memcpy(before, store->nodes.of, RBL_SLOTS);

    reason = rbl_nodes_slots(&store->nodes, reply, (unsigned) link->node->i);

    if (reason != NULL) {
        ngx_rbl_redis_drop(link, reason);
        return;
    }

    for (i = 0; i < RBL_SLOTS; i++) {
        if (before[i] != store->nodes.of[i] && before[i] != RBL_NODE_NONE) {
            store->epoch++;
            break;
        }
    }

    ngx_rbl_node_follow(store);
    ngx_rbl_cluster_meta(store);

    if (!store->survey.timer_set || !ngx_rbl_cluster_whole(store)) {
        ngx_rbl_cluster_doubt(store);
    }
}


static void
ngx_rbl_cluster_slots_reply(ngx_rbl_link_t *link, const redisReply *reply,
    void *data)
{
    char             reason[NGX_RBL_REDIS_REASON];
    if (reply == NULL) {
        return;
    }

    if (rbl_reply_class(reply) != RBL_REPLY_OK) {
        ngx_rbl_redis_reason(reason, sizeof(reason), reply);
        ngx_rbl_redis_drop(link, reason);
        return;
    }

    ngx_rbl_cluster_take(link, reply);
}


static void
ngx_rbl_cluster_survey(ngx_event_t *ev)
{
    ngx_rbl_node_t   *node;
    ngx_rbl_store_t  *store = ev->data;

    node = ngx_rbl_node_any(store);
    ngx_rbl_node_follow(store);
    store->surveyed = ngx_current_msec;
    store->surveys++;

    if (node != NULL) {
        (void) ngx_rbl_redis_send(&node->main, ngx_rbl_cluster_slots_reply,
                                  RBL_COMMAND("CLUSTER", RBL_STR("SLOTS")));
    }

    ngx_add_timer(ev, ngx_rbl_cluster_whole(store) ? NGX_RBL_SURVEY_PAUSE
                                                   : NGX_RBL_SURVEY_DOUBT);
}


void
ngx_rbl_cluster_init(ngx_rbl_store_t *store)
{
    store->survey.data = store;
    store->survey.log = store->log;
    store->survey.handler = ngx_rbl_cluster_survey;
    store->survey.cancelable = 1;
    store->surveyed = ngx_current_msec;
}


ngx_uint_t
ngx_rbl_cluster_moved(ngx_rbl_link_t *link, const redisReply *error)
{
    unsigned  i;

    if (link->store->nodes.kind != RBL_PLACE_CLUSTER) {
        return RBL_NODE_NONE;
    }

    i = rbl_nodes_moved(&link->store->nodes, error, (unsigned) link->node->i);

    ngx_rbl_node_follow(link->store);
    ngx_rbl_cluster_doubt(link->store);

    return i;
}


static void
ngx_rbl_cluster_myid_reply(ngx_rbl_link_t *link, const redisReply *reply,
    void *data)
{
    char             reason[NGX_RBL_REDIS_REASON];
    if (reply == NULL
        || rbl_nodes_is(&link->store->nodes, reply, (unsigned) link->node->i))
    {
        return;
    }

    ngx_rbl_cluster_doubt(link->store);

    if (rbl_reply_class(reply) == RBL_REPLY_OK) {
        ngx_rbl_redis_drop(link, "it is not the node that the cluster names");
        return;
    }

    ngx_rbl_redis_reason(reason, sizeof(reason), reply);
    ngx_rbl_redis_drop(link, reason);
}


static ngx_int_t
ngx_rbl_cluster_greet(ngx_rbl_link_t *link)
{
    if (link->store->nodes.kind != RBL_PLACE_CLUSTER) {
        return NGX_OK;
    }

    if (ngx_rbl_redis_send(link, ngx_rbl_cluster_myid_reply,
                           RBL_COMMAND("CLUSTER", RBL_STR("MYID")))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return link != &link->node->main ? NGX_OK
           : ngx_rbl_redis_send(link, ngx_rbl_cluster_slots_reply,
                                RBL_COMMAND("CLUSTER", RBL_STR("SLOTS")));
}


/* The handshake: AUTH if there is a password, the node and its slots in a
   cluster, the role, and the meta data of the store, in one go. */

static ngx_int_t
ngx_rbl_node_greet(ngx_rbl_link_t *link)
{
    if (ngx_rbl_redis_auth(link) != NGX_OK
        || ngx_rbl_cluster_greet(link) != NGX_OK
        || ngx_rbl_redis_role_ask(link) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_rbl_redis_meta_ask(link);
}


/*
 * The replicas of a node.  Behind Sentinels, one that is gone may be the master
 * now: it is counted until the Sentinels have said that the node is the master
 * still.
 */

static void
ngx_rbl_node_replicas(ngx_rbl_node_t *node, const redisReply *info)
{
    node->seen = (ngx_uint_t) rbl_replicas_near(info);

    if (node->store->scout == NULL || node->seen >= node->replicas) {
        node->replicas = node->seen;

    } else if (!node->doubted) {
        node->doubted = ngx_rbl_sentinel_round(node->store->scout);
    }

    if (node->replicas) {
        ngx_rbl_redis_begin(&node->durable);
    }
}


/*
 * Another history: a replica has become the master, or the server has begun
 * with other data.  Acknowledged writes may be missing.
 */

static void
ngx_rbl_node_reports(ngx_rbl_link_t *link, const redisReply *info)
{
    ngx_rbl_node_t  *node;
    rbl_replicas_t   replicas;

    node = link->node;
    rbl_replicas(&replicas, info);

    if (node->store->nodes.kind != RBL_PLACE_ONE) {
        ngx_rbl_node_replicas(node, info);
    }

    if (replicas.history.n != RBL_NODE_ID
        || ngx_memcmp(node->history, replicas.history.p, RBL_NODE_ID) == 0)
    {
        return;
    }

    if (node->history[0] != '\0') {
        node->store->epoch++;
        ngx_log_error(NGX_LOG_NOTICE, node->store->log, 0,
                      "rbl store \"%V\"%s has other data than before: nothing"
                      " remembered is used",
                      &node->store->conf->name, node->main.name);
    }

    ngx_memcpy(node->history, replicas.history.p, RBL_NODE_ID);

    if (replicas.good < 0
        && (replicas.replicas > 0 || node->store->nodes.kind != RBL_PLACE_ONE))
    {
        ngx_log_error(NGX_LOG_WARN, node->store->log, 0,
                      "rbl store \"%V\"%s: min-replicas-to-write is not set: a"
                      " failover can lose acknowledged writes"
                      " (rbl-availability(7))",
                      &node->store->conf->name, node->main.name);
    }
}


static void
ngx_rbl_node_lost(ngx_rbl_link_t *link, const char *reason)
{
    ngx_rbl_batch_fail_flight(link);
    ngx_rbl_store_down(link);
}


static const ngx_rbl_link_kind_t  ngx_rbl_node_kind = {
    .greet = ngx_rbl_node_greet,
    .seek = ngx_rbl_sentinel_seek,
    .up = ngx_rbl_store_up,
    .down = ngx_rbl_store_down,
    .lost = ngx_rbl_node_lost,
    .expire = ngx_rbl_batch_expire,
    .reports = ngx_rbl_node_reports
};


static void
ngx_rbl_node_link(ngx_rbl_node_t *node, ngx_rbl_link_t *link)
{
    ngx_rbl_redis_init(link, &ngx_rbl_node_kind, node->store,
                       &node->store->nodes.node[node->i].at);
    link->node = node;
}


static void
ngx_rbl_node_name(ngx_rbl_node_t *node)
{
    u_char  *last;
    char     text[RBL_HOST_PORT_TEXT];

    last = (u_char *) node->main.name;

    if (node->store->nodes.kind != RBL_PLACE_ONE) {
        last = ngx_snprintf(last, NGX_RBL_REDIS_NAME - 1, ", node %s",
                            rbl_host_port_text(text, node->main.at));
    }

    *last = '\0';

    last = ngx_snprintf((u_char *) node->slow.name, NGX_RBL_REDIS_NAME - 1,
                        "%s (slow link)", node->main.name);
    *last = '\0';

    last = ngx_snprintf((u_char *) node->durable.name, NGX_RBL_REDIS_NAME - 1,
                        "%s (durable link)", node->main.name);
    *last = '\0';
}


ngx_rbl_node_t *
ngx_rbl_node(ngx_rbl_store_t *store, ngx_uint_t i)
{
    ngx_rbl_node_t  *node;

    if (i >= store->nodes.n) {
        return NULL;
    }

    if (store->node[i] != NULL) {
        return store->node[i];
    }

    node = ngx_calloc(sizeof(ngx_rbl_node_t), store->log);
    if (node == NULL) {
        return NULL;
    }

    node->store = store;
    node->i = i;
    node->changed = store->nodes.node[i].changed;

    ngx_rbl_node_link(node, &node->main);
    ngx_rbl_node_link(node, &node->slow);
    ngx_rbl_node_link(node, &node->durable);
    ngx_rbl_lanes_init(&node->lanes);
    ngx_rbl_node_name(node);

    store->node[i] = node;

    return node;
}


/*
 * Another server has taken the place of the node.  The main link may be on its
 * way to that server already.  A link that Redis refuses to serve ends when its
 * last reply has arrived; in any other state it would serve under the name of
 * the other server as soon as the old one answers.
 */

static void
ngx_rbl_node_renew(ngx_rbl_node_t *node)
{
    node->changed = node->store->nodes.node[node->i].changed;
    node->history[0] = '\0';
    node->replicas = 0;
    node->doubted = 0;
    node->store->epoch++;

    ngx_rbl_redis_rest(&node->slow, "another server has its place");
    ngx_rbl_redis_rest(&node->durable, "another server has its place");

    if (node->main.changed != node->changed
        && node->main.state != NGX_RBL_REDIS_LEAVING)
    {
        ngx_rbl_redis_drop(&node->main, "another server has its place");
    }

    ngx_rbl_node_name(node);
}


/* The node has no slots.  Replies that are due are waited for: the next survey
   tries again. */

static void
ngx_rbl_node_rest(ngx_rbl_node_t *node)
{
    if (node->main.nflight == 0 && node->slow.nflight == 0
        && node->durable.nflight == 0)
    {
        ngx_rbl_redis_rest(&node->slow, "it has no slots");
        ngx_rbl_redis_rest(&node->durable, "it has no slots");
        ngx_rbl_redis_rest(&node->main, "it has no slots");
    }
}


void
ngx_rbl_node_followed(ngx_event_t *ev)
{
    ngx_uint_t        i, opening;
    ngx_rbl_node_t   *node;
    ngx_rbl_store_t  *store = ev->data;

    opening = 0;

    for (i = 0; i < store->nodes.n; i++) {
        node = ngx_rbl_node(store, i);

        if (node == NULL) {
            continue;
        }

        if (!rbl_nodes_wanted(&store->nodes, (unsigned) i)
            && store->scout == NULL)
        {
            ngx_rbl_node_rest(node);
            continue;
        }

        if (node->changed != store->nodes.node[i].changed) {
            ngx_rbl_node_renew(node);
        }

        ngx_rbl_redis_begin(&node->main);
        opening += node->main.opening;

        if (ngx_rbl_cluster_waits(store, opening)) {
            break;
        }
    }

    ngx_rbl_store_settle(store);
}


void
ngx_rbl_node_judged(ngx_rbl_node_t *node, const char *reason)
{
    ngx_uint_t        good;
    ngx_queue_t      *q;
    ngx_rbl_batch_t  *batch;
    ngx_rbl_scout_t  *scout;
    const rbl_node_t *known;

    scout = node->store->scout;
    known = &node->store->nodes.node[node->i];
    good = reason == NULL && node->changed == known->changed;

    if (rbl_views_held(&scout->views, &known->at)) {
        ngx_rbl_redis_drop(&node->main, reason);
        ngx_rbl_redis_drop(&node->slow, reason);
        ngx_rbl_redis_drop(&node->durable, reason);
    }

    if (node->doubted && node->doubted <= scout->round) {
        node->doubted = 0;
        node->replicas = good ? node->seen : node->replicas;
    }

    while (!ngx_queue_empty(&scout->doubts)) {
        q = ngx_queue_head(&scout->doubts);
        batch = ngx_queue_data(q, ngx_rbl_batch_t, queue);

        if (batch->doubted > scout->round) {
            break;
        }

        ngx_rbl_batch_judged(batch, good);
    }
}


void
ngx_rbl_node_close(ngx_rbl_store_t *store)
{
    ngx_uint_t  i;

    for (i = 0; i < store->nodes.n; i++) {
        if (store->node[i] != NULL) {
            ngx_rbl_redis_close(&store->node[i]->slow);
            ngx_rbl_redis_close(&store->node[i]->durable);
            ngx_rbl_redis_close(&store->node[i]->main);
        }
    }
}


void
ngx_rbl_node_free(ngx_rbl_store_t *store)
{
    ngx_uint_t  i;

    for (i = 0; i < store->nodes.n; i++) {
        if (store->node[i] != NULL) {
            ngx_rbl_lanes_close(&store->node[i]->lanes);
            ngx_free(store->node[i]);
        }
    }
}
