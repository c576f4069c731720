/*
 * Checks whether a node may serve.  A master may.  A replica may serve reads
 * while its link to the master is up, unless Sentinels name the master; Redis
 * refuses writes there.  Behind Sentinels, a master that has lost its replicas
 * may have been replaced.  A replica of a cluster has no slots, so its role
 * does not matter.  The worker queries the role in the handshake, once a
 * second, and after a reply READONLY or NOREPLICAS.
 */

#include "ngx_rbl_redis.h"
#include "rbl_role.h"

#define NGX_RBL_ROLE_PAUSE  1000        /* ms */


/*
 * The reply to the query before may still be due.  Then the link is judged as
 * if it were that of a batch, so that an idle worker notices a host that has
 * vanished before a request has to wait for it.
 */

static void
ngx_rbl_redis_role_timer(ngx_event_t *ev)
{
    ngx_rbl_link_t  *link = ev->data;

    if (ngx_rbl_redis_ready(link) && ngx_rbl_redis_role_ask(link) != NGX_OK) {
        ngx_rbl_redis_drop(link, "its role cannot be queried");
        return;
    }

    ngx_rbl_redis_role_watch(link);
    ngx_rbl_redis_judge(link);
}


void
ngx_rbl_redis_role_init(ngx_rbl_link_t *link)
{
    link->role.data = link;
    link->role.log = link->store->log;
    link->role.handler = ngx_rbl_redis_role_timer;
    link->role.cancelable = 1;
}


/* Behind Sentinels or in a cluster. */

static void
ngx_rbl_redis_role_judge(ngx_rbl_link_t *link, rbl_role_e role,
    const redisReply *reply)
{
    rbl_replicas_t  replicas;

    rbl_replicas(&replicas, reply);

    if (link->store->nodes.kind == RBL_PLACE_CLUSTER) {
        if (role == RBL_ROLE_MASTER) {
            link->kind->reports(link, reply);

        } else if (link != &link->node->main && link->nflight == 0
                   && !link->store->nodes.node[link->node->i].used)
        {
            ngx_rbl_redis_rest(link, "a replica needs only the main link");
        }

    } else if (role != RBL_ROLE_MASTER) {
        ngx_rbl_redis_leave(link, "it is a replica, the Sentinels name it as"
                                  " the master");

    } else if (replicas.good == 0) {
        ngx_rbl_redis_leave(link, "no replica follows it closely"
                                  " (min-replicas-to-write)");

    } else {
        link->kind->reports(link, reply);
    }
}


static void
ngx_rbl_redis_role_is(ngx_rbl_link_t *link, rbl_role_e role)
{
    ngx_uint_t  replica;

    replica = role == RBL_ROLE_REPLICA;

    if (link->replica == replica) {
        return;
    }

    link->replica = replica;

    ngx_log_error(NGX_LOG_NOTICE, link->store->log, 0,
                  "rbl store \"%V\"%s is a %s", &link->store->conf->name,
                  link->name, replica ? "replica: writes are refused"
                                      : "master");
}


static void
ngx_rbl_redis_role_reply(ngx_rbl_link_t *link, const redisReply *reply,
    void *data)
{
    char             reason[NGX_RBL_REDIS_REASON];
    rbl_role_e       role;
    if (reply == NULL) {
        return;
    }

    link->role_asked = 0;
    role = rbl_role(reply);

    if (role != RBL_ROLE_UNKNOWN
        && link->store->nodes.kind != RBL_PLACE_ONE)
    {
        ngx_rbl_redis_role_judge(link, role, reply);
        return;
    }

    switch (role) {

    case RBL_ROLE_MASTER:
    case RBL_ROLE_REPLICA:
        link->kind->reports(link, reply);
        ngx_rbl_redis_role_is(link, role);
        return;

    case RBL_ROLE_STALE:
        ngx_rbl_redis_leave(link, "it is a replica without its master");
        return;

    default:
        ngx_rbl_redis_reason(reason, sizeof(reason), reply);
        ngx_rbl_redis_leave(link, reason);
    }
}


ngx_int_t
ngx_rbl_redis_role_ask(ngx_rbl_link_t *link)
{
    if (link->role_asked) {
        return NGX_OK;
    }

    link->role_asked = 1;
    link->role_since = ngx_current_msec;

    /* silence is measured from when a reply is due */

    if (link->nflight == 0) {
        ngx_rbl_redis_heard(link);
    }

    return ngx_rbl_redis_send(link, ngx_rbl_redis_role_reply,
                              RBL_COMMAND("INFO", RBL_STR("REPLICATION")));
}


/* On the durable link WAIT delays the reply, and judges the server itself. */

ngx_msec_t
ngx_rbl_redis_role_late(const ngx_rbl_link_t *link)
{
    return link->store->scout != NULL && link->node != NULL
           && link != &link->node->durable && link->role_asked
           && link->state != NGX_RBL_REDIS_GREETING
           ? ngx_current_msec - link->role_since : 0;
}


void
ngx_rbl_redis_role_watch(ngx_rbl_link_t *link)
{
    ngx_add_timer(&link->role, NGX_RBL_ROLE_PAUSE);
}


void
ngx_rbl_redis_role_forget(ngx_rbl_link_t *link)
{
    link->role_asked = 0;

    if (link->role.timer_set) {
        ngx_del_timer(&link->role);
    }
}
