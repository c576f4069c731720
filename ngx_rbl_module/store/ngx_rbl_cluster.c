/*
 * The slots of a cluster (Redis Cluster specification).  Each new connection
 * brings the map of slots; any node is asked for it again after MOVED, when a
 * connection is lost, while a slot has no ready node, and every minute.
 *
 * Configured nodes may belong to different clusters.  The first map decides,
 * and nodes of another cluster are refused.  Until it is known, the next node
 * is connected only when the one before has failed, or is silent for a second.
 * So workers that reach the same nodes decide alike.
 */

#include "ngx_rbl_redis.h"

#define NGX_RBL_SURVEY_PAUSE   60000    /* ms */
#define NGX_RBL_SURVEY_DOUBT   200      /* ms, while a slot has no ready node */
#define NGX_RBL_SURVEY_SILENT  5        /* surveys until a node that does not
                                           answer decides nothing */


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


ngx_int_t
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
