/*
 * The timer of the batches in flight on a link: their deadlines, and silence.
 * It is set while a batch is in flight, for no longer than half of
 * rbl_store_timeout, so that a batch sent later needs no change of it.
 *
 * Silence decides whether the store is busy or hung, or only the connection is
 * broken.
 *
 * Redis sends nothing while it executes the commands that it has read from all
 * clients, so a late reply alone is no evidence.  Any byte is a sign of life.
 * While replies are due and no byte comes:
 *
 *  1. for half of rbl_store_timeout: the worker queries on the other link.  Two
 *     answers there, the second to a query that was sent after the first, mean
 *     that Redis has since gone round all its clients, this one too.  Other
 *     bytes on that link do not count: they may have been sent together.
 *  2. for the whole of it: if the store has answered elsewhere, this connection
 *     is broken and is dropped.  Else the store is busy or hung: nothing new is
 *     sent, and what is in flight keeps its own deadlines.
 *  3. for twice as long: everything in flight has passed its deadline, so
 *     nothing is lost with the connection.  It is dropped, and the next attempt
 *     to connect shows when the store is back.
 *
 * A byte that comes before that makes the link ready again.
 *
 * The reply to the query of the role (ngx_rbl_redis_role.c) is one that is due,
 * too.  Without a batch in flight, the timer of that query looks after it.
 */

#include "ngx_rbl_redis.h"

#define NGX_RBL_WATCH_ANSWERS  2


static void
ngx_rbl_redis_watch(ngx_event_t *ev)
{
    ngx_msec_t       left, pause;
    ngx_rbl_link_t  *link = ev->data;

    left = link->kind->expire(link);
    ngx_rbl_redis_judge(link);

    if (link->nflight == 0) {
        return;
    }

    /* nginx would not move a timer that the owner of an expired batch has set
       by sending another one */

    if (ev->timer_set) {
        ngx_del_timer(ev);
    }

    pause = ngx_max(link->store->conf->timeout / 4, 1);

    ev->cancelable = left == 0;
    ngx_add_timer(ev, left ? ngx_min(left, pause) : pause);
}


void
ngx_rbl_redis_watch_init(ngx_rbl_link_t *link)
{
    link->watch.data = link;
    link->watch.log = link->store->log;
    link->watch.handler = ngx_rbl_redis_watch;
    link->watch.cancelable = 1;
}


void
ngx_rbl_redis_launched(ngx_rbl_link_t *link)
{
    /* silence is measured from when a reply is due */

    if (link->nflight++ == 0) {
        ngx_rbl_redis_heard(link);
    }

    if (!link->watch.timer_set) {
        ngx_add_timer(&link->watch, link->store->conf->timeout / 2);
    }

    link->watch.cancelable = 0;
}


void
ngx_rbl_redis_heard(ngx_rbl_link_t *link)
{
    link->heard = ngx_current_msec;
    link->asked = 0;
    link->answers = 0;
}


/* The link on which the node is asked about a silent one. */

static ngx_rbl_link_t *
ngx_rbl_redis_peer(ngx_rbl_link_t *link)
{
    return link == &link->node->main ? &link->node->slow : &link->node->main;
}


static void
ngx_rbl_redis_told(ngx_rbl_link_t *link, const redisReply *reply,
    void *data)
{
    if (reply != NULL) {
        ngx_rbl_redis_answered(link);
    }
}


/* Queries the node on the other link.  If that link is idle, its handshake is
   the query. */

static void
ngx_rbl_redis_ask(ngx_rbl_link_t *link)
{
    ngx_rbl_link_t  *peer;

    peer = ngx_rbl_redis_peer(link);

    if (ngx_rbl_redis_ready(peer)) {
        (void) ngx_rbl_redis_send(peer, ngx_rbl_redis_told,
                                  RBL_WORDS(RBL_STR("TIME")));

    } else {
        ngx_rbl_redis_begin(peer);
    }
}


void
ngx_rbl_redis_judge(ngx_rbl_link_t *link)
{
    ngx_msec_t  silence, timeout;

    if (link->nflight == 0 && !link->role_asked) {
        return;
    }

    timeout = link->store->conf->timeout;
    silence = ngx_current_msec - link->heard;

    if (silence < timeout / 2) {
        return;
    }

    if (!link->asked) {
        link->asked = 1;
        ngx_rbl_redis_ask(link);
    }

    /* bytes may have arrived in this turn of the loop, and are read next */

    if (silence < timeout || ngx_rbl_wire_waiting(link->wire) > 0) {
        return;
    }

    if (link->answers >= NGX_RBL_WATCH_ANSWERS) {
        ngx_rbl_redis_drop(link,
                           "no reply, while the store replies on other"
                           " connections");

    } else if (silence >= 2 * timeout
               || link->state == NGX_RBL_REDIS_LEAVING)
    {
        ngx_rbl_redis_drop(link, "no reply within rbl_store_timeout");

    } else {
        ngx_rbl_redis_hush(link, "no reply within rbl_store_timeout");
    }
}


static void
ngx_rbl_redis_count(ngx_rbl_link_t *link)
{
    if (++link->answers < NGX_RBL_WATCH_ANSWERS) {
        ngx_rbl_redis_ask(link);

    } else {
        ngx_rbl_redis_judge(link);
    }
}


void
ngx_rbl_redis_answered(ngx_rbl_link_t *link)
{
    ngx_uint_t       i;
    ngx_rbl_node_t  *node = link->node;
    ngx_rbl_link_t  *others[] = { &node->main, &node->slow, &node->durable };

    for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (others[i] != link && others[i]->asked
            && ngx_rbl_redis_peer(others[i]) == link)
        {
            ngx_rbl_redis_count(others[i]);
        }
    }
}
