/*
 * Looks up the master that Sentinels name (Redis: Guidelines for Redis clients
 * with support for Redis Sentinel; rbl_views.h).  A round asks all of them, one
 * after the other.  Every link that has lost its connection begins with a
 * round, because that is how a failover shows.  A doubt whether a server is the
 * master still begins one, too.  A question that comes while a round is under
 * way waits for the next one, because no answer may be older than its question.
 */

#include "ngx_rbl_redis.h"


static void
ngx_rbl_sentinel_next(ngx_rbl_scout_t *scout)
{
    scout->link.at = &scout->at[scout->asked];
    ngx_rbl_redis_begin(&scout->link);
}


ngx_uint_t
ngx_rbl_sentinel_round(ngx_rbl_scout_t *scout)
{
    if (scout->running) {
        return scout->round + 1;
    }

    scout->running = 1;
    scout->round++;
    scout->asked = 0;
    scout->reason[0] = '\0';
    rbl_views_init(&scout->views);
    ngx_rbl_sentinel_next(scout);

    return scout->round;
}


void
ngx_rbl_sentinel_seek(ngx_rbl_link_t *link)
{
    link->seeking = ngx_rbl_sentinel_round(link->store->scout);
}


void
ngx_rbl_sentinel_doubt(ngx_rbl_batch_t *batch)
{
    ngx_rbl_scout_t  *scout;

    scout = batch->store->scout;

    ngx_queue_insert_tail(&scout->doubts, &batch->queue);
    batch->doubted = ngx_rbl_sentinel_round(scout);
}


/* True if something waits for the next round. */

static ngx_uint_t
ngx_rbl_sentinel_waits(ngx_rbl_scout_t *scout)
{
    ngx_rbl_node_t  *node;

    node = scout->link.store->node[0];

    return !scout->running
           && (node->main.seeking || node->slow.seeking
               || node->durable.seeking || node->doubted
               || !ngx_queue_empty(&scout->doubts));
}


/* All have been asked. */

static void
ngx_rbl_sentinel_end(ngx_rbl_scout_t *scout)
{
    u_char           *last;
    u_char            text[NGX_RBL_REDIS_REASON];
    ngx_uint_t        i, tried;
    const char       *reason;
    ngx_rbl_node_t   *node;
    ngx_rbl_link_t   *links[3];
    ngx_rbl_store_t  *store;

    store = scout->link.store;
    node = store->node[0];
    scout->running = 0;

    reason = rbl_views_take(&scout->views, &store->nodes,
                            (unsigned) scout->tries);

    if (scout->views.n == 0) {
        ngx_memzero(scout->silent, sizeof(scout->silent));
        last = ngx_snprintf(text, sizeof(text) - 1,
                            "no Sentinel names a master, the last one: %s",
                            scout->reason);
        *last = '\0';
        reason = (char *) text;
    }

    if (reason == NULL) {
        ngx_rbl_node_follow(store);
    }

    ngx_rbl_node_judged(node, reason);
    tried = 0;

    links[0] = &node->main;
    links[1] = &node->slow;
    links[2] = &node->durable;

    for (i = 0; i < 3; i++) {
        if (links[i]->seeking && links[i]->seeking <= scout->round) {
            tried = reason == NULL;
            ngx_rbl_redis_sought(links[i], reason);
        }
    }

    scout->tries += tried;

    if (ngx_rbl_sentinel_waits(scout)) {
        (void) ngx_rbl_sentinel_round(scout);
    }
}


/* A Sentinel has had its turn.  One that was silent while others answered gets
   less time in the next round. */

static void
ngx_rbl_sentinel_asked(ngx_rbl_scout_t *scout, ngx_uint_t silent,
    const char *reason)
{
    char  name[RBL_HOST_PORT_TEXT];

    scout->silent[scout->asked] = silent;

    if (reason != NULL) {
        ngx_cpystrn((u_char *) scout->reason, (u_char *) reason,
                    sizeof(scout->reason));
        ngx_log_error(NGX_LOG_INFO, scout->link.store->log, 0,
                      "rbl store \"%V\": Sentinel %s: %s",
                      &scout->link.store->conf->name,
                      rbl_host_port_text(name, &scout->at[scout->asked]),
                      scout->reason);
    }

    ngx_rbl_redis_rest(&scout->link, reason ? scout->reason
                                            : "it has been asked");

    if (++scout->asked < scout->n) {
        ngx_rbl_sentinel_next(scout);

    } else {
        ngx_rbl_sentinel_end(scout);
    }
}


static ngx_int_t
ngx_rbl_sentinel_ask(ngx_rbl_link_t *link, const char *what,
    ngx_rbl_replied_pt reply)
{
    return ngx_rbl_redis_send(link, reply,
                              RBL_COMMAND("SENTINEL", rbl_str(what),
                                          rbl_str(link->store->conf->place
                                                      ->name)));
}


static void
ngx_rbl_sentinel_state(ngx_rbl_link_t *link, const redisReply *reply,
    void *data)
{
    ngx_rbl_scout_t  *scout;

    if (reply == NULL) {
        return;
    }

    scout = link->store->scout;
    rbl_views_state(&scout->views, &link->store->nodes, reply, link->at);
    ngx_rbl_sentinel_asked(scout, 0, NULL);
}


static void
ngx_rbl_sentinel_named(ngx_rbl_link_t *link, const redisReply *reply,
    void *data)
{
    const char       *reason;
    ngx_rbl_scout_t  *scout;

    if (reply == NULL) {
        return;
    }

    scout = link->store->scout;

    if (rbl_reply_class(reply) == RBL_REPLY_NOAUTH && !scout->auth
        && link->store->conf->password.len != 0)
    {
        /* it gets the password of the store, once */

        scout->auth = 1;

        if (ngx_rbl_redis_auth(link) != NGX_OK
            || ngx_rbl_sentinel_ask(link, "GET-MASTER-ADDR-BY-NAME",
                                    ngx_rbl_sentinel_named)
               != NGX_OK)
        {
            ngx_rbl_redis_drop(link, "the greeting cannot be sent");
        }

        return;
    }

    reason = rbl_views_named(&scout->views, &link->store->nodes, reply,
                             link->at);

    if (reason == NULL
        && ngx_rbl_sentinel_ask(link, "MASTER", ngx_rbl_sentinel_state)
           != NGX_OK)
    {
        reason = "the greeting cannot be sent";
    }

    if (reason != NULL) {
        ngx_rbl_redis_drop(link, reason);
    }
}


/* Most Sentinels have no password, and refuse AUTH.  Therefore each connection
   begins without it, whatever the Sentinel before wanted. */

static ngx_int_t
ngx_rbl_sentinel_greet(ngx_rbl_link_t *link)
{
    link->store->scout->auth = 0;

    return ngx_rbl_sentinel_ask(link, "GET-MASTER-ADDR-BY-NAME",
                                ngx_rbl_sentinel_named);
}


/* The connection has ended without a result. */

static void
ngx_rbl_sentinel_lost(ngx_rbl_link_t *link, const char *reason)
{
    if (link->state != NGX_RBL_REDIS_IDLE
        && link->state != NGX_RBL_REDIS_CLOSED)
    {
        ngx_rbl_sentinel_asked(link->store->scout, 1, reason);
    }
}


static const ngx_rbl_link_kind_t  ngx_rbl_scout_kind = {
    .greet = ngx_rbl_sentinel_greet,
    .lost = ngx_rbl_sentinel_lost
};


ngx_rbl_scout_t *
ngx_rbl_sentinel_create(ngx_rbl_store_t *store)
{
    ngx_rbl_scout_t    *scout;
    const rbl_place_t  *place;

    scout = ngx_calloc(sizeof(ngx_rbl_scout_t), store->log);
    if (scout == NULL) {
        return NULL;
    }

    place = store->conf->place;
    scout->n = place->n;
    ngx_memcpy(scout->at, place->hosts, sizeof(scout->at));
    ngx_queue_init(&scout->doubts);
    ngx_rbl_redis_init(&scout->link, &ngx_rbl_scout_kind, store, &scout->at[0]);
    ngx_memcpy(scout->link.name, " (Sentinels)", sizeof(" (Sentinels)"));

    return scout;
}


void
ngx_rbl_sentinel_destroy(ngx_rbl_scout_t *scout)
{
    if (scout != NULL) {
        ngx_rbl_redis_close(&scout->link);
        ngx_free(scout);
    }
}
