/*
 * Looks up the master that Sentinels name (Redis: Guidelines for Redis clients
 * with support for Redis Sentinel).  A round asks one after the other, until
 * one names a usable address; that one is asked first the next time, unless the
 * server that it named could not be used: it may have lost the other Sentinels.
 * Every link that has lost its connection begins with a look-up, because that
 * is how a failover shows.
 */

#include "ngx_rbl_redis.h"


static ngx_int_t ngx_rbl_sentinel_ask(ngx_rbl_link_t *link);
static void ngx_rbl_sentinel_auth_reply(redisAsyncContext *ac, void *reply,
    void *data);
static void ngx_rbl_sentinel_reply(redisAsyncContext *ac, void *reply,
    void *data);
static void ngx_rbl_sentinel_rotate(ngx_rbl_scout_t *scout);
static void ngx_rbl_sentinel_end(ngx_rbl_scout_t *scout, const char *reason);


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
    ngx_rbl_redis_init(&scout->link, store, &scout->at[0]);
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


void
ngx_rbl_sentinel_seek(ngx_rbl_link_t *link)
{
    ngx_rbl_scout_t  *scout;

    scout = link->store->scout;
    link->seeking = 1;

    if (scout->link.state == NGX_RBL_REDIS_IDLE) {
        if (link->backoff > NGX_RBL_BACKOFF_MIN) {
            ngx_rbl_sentinel_rotate(scout);
        }

        scout->asked = 0;
        ngx_rbl_redis_begin(&scout->link);
    }
}


/* Most Sentinels have no password, and refuse AUTH.  Therefore each connection
   begins without it, whatever the Sentinel before wanted. */

ngx_int_t
ngx_rbl_sentinel_greet(ngx_rbl_link_t *link)
{
    link->store->scout->auth = 0;

    return ngx_rbl_sentinel_ask(link);
}


static ngx_int_t
ngx_rbl_sentinel_ask(ngx_rbl_link_t *link)
{
    return ngx_rbl_redis_send(link, ngx_rbl_sentinel_reply,
                              RBL_COMMAND("SENTINEL",
                                          RBL_STR("GET-MASTER-ADDR-BY-NAME"),
                                          rbl_str(link->store->conf->place
                                                      ->name)));
}


static void
ngx_rbl_sentinel_auth_reply(redisAsyncContext *ac, void *reply, void *data)
{
    ngx_rbl_link_t  *link;

    link = ngx_rbl_redis_replied(ac, reply);

    if (link != NULL && rbl_reply_class(reply) != RBL_REPLY_OK) {
        ngx_rbl_redis_drop(link, "it refuses the user or the password");
    }
}


static void
ngx_rbl_sentinel_reply(redisAsyncContext *ac, void *reply, void *data)
{
    const char       *reason;
    ngx_rbl_link_t   *link;
    ngx_rbl_scout_t  *scout;

    link = ngx_rbl_redis_replied(ac, reply);

    if (link == NULL) {
        return;
    }

    scout = link->store->scout;

    if (rbl_reply_class(reply) == RBL_REPLY_NOAUTH && !scout->auth
        && link->store->conf->password.len != 0)
    {
        /* it gets the password of the store, once */

        scout->auth = 1;

        if (ngx_rbl_redis_auth(link, ngx_rbl_sentinel_auth_reply) != NGX_OK
            || ngx_rbl_sentinel_ask(link) != NGX_OK)
        {
            ngx_rbl_redis_drop(link, "the greeting cannot be sent");
        }

        return;
    }

    reason = rbl_nodes_master(&link->store->nodes, reply, link->at);

    if (reason != NULL) {
        ngx_rbl_redis_drop(link, reason);
        return;
    }

    ngx_rbl_node_follow(link->store);
    ngx_rbl_redis_rest(link, "it has named the master");
    ngx_rbl_sentinel_end(scout, NULL);
}


void
ngx_rbl_sentinel_failed(ngx_rbl_scout_t *scout, const char *reason)
{
    u_char           *last;
    u_char            text[NGX_RBL_REDIS_REASON];
    char              name[RBL_HOST_PORT_TEXT];
    rbl_host_port_t   failed;

    if (scout->link.state == NGX_RBL_REDIS_IDLE
        || scout->link.state == NGX_RBL_REDIS_CLOSED)
    {
        return;
    }

    failed = scout->at[0];
    ngx_rbl_sentinel_rotate(scout);

    ngx_log_error(NGX_LOG_INFO, scout->link.store->log, 0,
                  "rbl store \"%V\": Sentinel %s: %s",
                  &scout->link.store->conf->name,
                  rbl_host_port_text(name, &failed), reason);

    ngx_rbl_redis_rest(&scout->link, reason);

    if (++scout->asked < scout->n) {
        ngx_rbl_redis_begin(&scout->link);
        return;
    }

    last = ngx_snprintf(text, sizeof(text) - 1,
                        "no Sentinel names a master, the last one: %s",
                        reason);
    *last = '\0';
    ngx_rbl_sentinel_end(scout, (char *) text);
}


static void
ngx_rbl_sentinel_rotate(ngx_rbl_scout_t *scout)
{
    rbl_host_port_t  first;

    first = scout->at[0];
    ngx_memmove(scout->at, &scout->at[1],
                (scout->n - 1) * sizeof(rbl_host_port_t));
    scout->at[scout->n - 1] = first;
}


static void
ngx_rbl_sentinel_end(ngx_rbl_scout_t *scout, const char *reason)
{
    ngx_rbl_node_t  *node;

    node = scout->link.store->node[0];

    ngx_rbl_redis_sought(&node->main, reason);
    ngx_rbl_redis_sought(&node->slow, reason);
    ngx_rbl_redis_sought(&node->durable, reason);
}
