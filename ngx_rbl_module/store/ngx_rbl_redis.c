/*
 * One connection: states, back-off and close.
 *
 * IDLE -> WAITING -> CONNECTING -> GREETING -> READY -> WAITING, and CLOSED at
 * the end.  READY may become SILENT and then READY again, or LEAVING.  A
 * failure in any state but IDLE and CLOSED leads to WAITING; the scout becomes
 * IDLE instead, and so does a link that is not needed.  If hiredis
 * reports the end of the connection, hiredis frees the context
 * (ngx_rbl_redis_lost); otherwise this file frees it (ngx_rbl_redis_drop).
 * Both detach the context first: ac->data becomes NULL, and later callbacks of
 * the context do nothing.
 */

#include "ngx_rbl_sentinel.h"

#include <assert.h>

#define NGX_RBL_BACKOFF_MAX    1000
#define NGX_RBL_GREETING_MAX   1000     /* ms to connect and become ready */
#define NGX_RBL_SEEK_MAX       500      /* ms for one Sentinel */
#define NGX_RBL_SEEK_AGAIN     100      /* ms for one that was silent before */
#define NGX_RBL_GREETING_LATE  100      /* ms: the Sentinels are asked again */
#define NGX_RBL_SILENCE_LATE   1200     /* ms: likewise; less than they need for
                                           a failover, even if the query of the
                                           role is a second late */


static const char  *ngx_rbl_redis_states[] = {
    "idle", "closed", "waiting", "connecting", "greeting", "ready", "silent",
    "leaving"
};

/* The states that may follow each, as bits. */

#define NEXT(state)  (1u << NGX_RBL_REDIS_##state)
#define ENDS         (NEXT(IDLE) | NEXT(CLOSED))

static const unsigned  ngx_rbl_redis_next[] = {
    [NGX_RBL_REDIS_IDLE] = NEXT(WAITING) | NEXT(CLOSED),
    [NGX_RBL_REDIS_CLOSED] = 0,
    [NGX_RBL_REDIS_WAITING] = NEXT(CONNECTING) | ENDS,
    [NGX_RBL_REDIS_CONNECTING] = NEXT(GREETING) | NEXT(WAITING) | ENDS,
    [NGX_RBL_REDIS_GREETING] = NEXT(READY) | NEXT(WAITING) | ENDS,
    [NGX_RBL_REDIS_READY] = NEXT(SILENT) | NEXT(LEAVING) | NEXT(WAITING) | ENDS,
    [NGX_RBL_REDIS_SILENT] = NEXT(READY) | NEXT(WAITING) | ENDS,
    [NGX_RBL_REDIS_LEAVING] = NEXT(WAITING) | ENDS
};


static void
ngx_rbl_redis_set_state(ngx_rbl_link_t *link, ngx_rbl_redis_state_e state)
{
    ngx_rbl_redis_state_e  old;

    old = link->state;
    link->state = state;

    if (old == state) {
        return;
    }

    if (!(ngx_rbl_redis_next[old] & 1u << state)) {
        ngx_log_error(NGX_LOG_ALERT, link->store->log, 0,
                      "rbl store \"%V\"%s: %s must not follow %s",
                      &link->store->conf->name, link->name,
                      ngx_rbl_redis_states[state], ngx_rbl_redis_states[old]);
    }

    ngx_rbl_counts->ready += (state == NGX_RBL_REDIS_READY)
                            - (old == NGX_RBL_REDIS_READY);

    if (old == NGX_RBL_REDIS_READY || old == NGX_RBL_REDIS_SILENT
        || state == NGX_RBL_REDIS_READY)
    {
        ngx_log_error(NGX_LOG_NOTICE, link->store->log, 0,
                      "rbl store \"%V\"%s is %s", &link->store->conf->name,
                      link->name, ngx_rbl_redis_states[state]);
        return;
    }

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, link->store->log, 0,
                   "rbl store \"%V\"%s: %s -> %s", &link->store->conf->name,
                   link->name, ngx_rbl_redis_states[old],
                   ngx_rbl_redis_states[state]);
}


/* Logs why the store is not ready, unless that reason was the last one
   logged. */

static void
ngx_rbl_redis_note(ngx_rbl_link_t *link, const char *reason)
{
    char  clean[NGX_RBL_REDIS_REASON];

    ngx_rbl_redis_clean(clean, sizeof(clean), reason, ngx_strlen(reason));

    if (ngx_strcmp(clean, link->reason) == 0) {
        return;
    }

    ngx_memcpy(link->reason, clean, sizeof(clean));
    ngx_log_error(NGX_LOG_WARN, link->store->log, 0,
                  "rbl store \"%V\"%s is not ready: %s",
                  &link->store->conf->name, link->name, link->reason);
}


/* After the connection is gone: schedules the next attempt and fails the
   batches in flight. */

static void
ngx_rbl_redis_after(ngx_rbl_link_t *link, const char *reason)
{
    ngx_msec_t  half;

    assert(link->ac == NULL);

    if (link->node == NULL) {
        ngx_rbl_sentinel_failed(link->store->scout, reason);
        return;
    }

    if (link->state != NGX_RBL_REDIS_CLOSED
        && link->state != NGX_RBL_REDIS_IDLE)
    {
        link->backoff = ngx_min(ngx_max(link->backoff * 2,
                                        NGX_RBL_BACKOFF_MIN),
                                NGX_RBL_BACKOFF_MAX);
        half = link->backoff / 2;

        ngx_rbl_redis_set_state(link, NGX_RBL_REDIS_WAITING);
        ngx_rbl_redis_note(link, reason);
        ngx_add_timer(&link->timer, half + ngx_random() % (half + 1));
    }

    link->opening = 0;
    ngx_rbl_batch_fail_flight(link);
    ngx_rbl_store_down(link);
}


static void
ngx_rbl_redis_connected(const redisAsyncContext *ac, int status)
{
    ngx_rbl_link_t  *link = ac->data;

    if (link == NULL) {
        return;
    }

    if (status != REDIS_OK) {
        ngx_rbl_redis_lost(link, ac->c.errstr);
        return;
    }

    ngx_rbl_redis_set_state(link, NGX_RBL_REDIS_GREETING);
    ngx_post_event(&link->turn, &ngx_posted_events);
}


static void
ngx_rbl_redis_disconnected(const redisAsyncContext *ac, int status)
{
    ngx_rbl_link_t  *link = ac->data;

    if (link != NULL) {
        ngx_rbl_redis_lost(link, rbl_reply_lost(&link->replies.guard,
                                                 ac->c.errstr));
    }
}


static void
ngx_rbl_redis_connect(ngx_rbl_link_t *link)
{
    char                reason[NGX_RBL_REDIS_REASON];
    ngx_msec_t          most;
    redisAsyncContext  *ac;

    assert(link->ac == NULL);

    ngx_rbl_redis_set_state(link, NGX_RBL_REDIS_CONNECTING);

    ac = ngx_rbl_redis_open(link, reason, sizeof(reason));
    if (ac == NULL) {
        ngx_rbl_redis_after(link, reason);
        return;
    }

    ac->data = link;
    link->ac = ac;
    link->secured = 0;
    link->began = ngx_current_msec;

    if (link->node != NULL) {
        link->changed = link->store->nodes.node[link->node->i].changed;
    }

    (void) redisAsyncSetConnectCallback(ac, ngx_rbl_redis_connected);
    (void) redisAsyncSetDisconnectCallback(ac, ngx_rbl_redis_disconnected);

    most = link->node != NULL ? NGX_RBL_GREETING_MAX
           : link->store->scout->silent[link->store->scout->asked]
             ? NGX_RBL_SEEK_AGAIN : NGX_RBL_SEEK_MAX;
    ngx_add_timer(&link->timer, ngx_min(link->store->conf->timeout, most));
}


static void
ngx_rbl_redis_timer(ngx_event_t *ev)
{
    u_char           *last;
    u_char            reason[NGX_RBL_REDIS_REASON];
    ngx_rbl_link_t  *link = ev->data;

    if (link->state == NGX_RBL_REDIS_WAITING) {
        if (link->store->scout != NULL && link->node != NULL) {
            ngx_rbl_sentinel_seek(link);

        } else {
            ngx_rbl_redis_connect(link);
        }

        return;
    }

    last = ngx_snprintf(reason, sizeof(reason) - 1, "no reply while %s",
                        ngx_rbl_redis_states[link->state]);
    *last = '\0';

    ngx_rbl_redis_drop(link, (char *) reason);
}


/* Work that must not be done inside the callbacks of hiredis. */

static void
ngx_rbl_redis_turn(ngx_event_t *ev)
{
    ngx_rbl_link_t  *link = ev->data;

    if (link->state == NGX_RBL_REDIS_LEAVING) {
        ngx_rbl_redis_drop(link, link->reason);
        return;
    }

    if (link->state != NGX_RBL_REDIS_GREETING) {
        return;
    }

#if (NGX_SSL)
    if (link->store->conf->ssl != NULL && !link->secured) {
        if (ngx_rbl_redis_secure(link->ac) != NGX_OK) {
            ngx_rbl_redis_drop(link, "the TLS handshake has failed");
        }

        return;
    }
#endif

    if (ngx_rbl_redis_greet(link) != NGX_OK) {
        ngx_rbl_redis_drop(link, "the greeting cannot be sent");
    }
}


void
ngx_rbl_redis_init(ngx_rbl_link_t *link, ngx_rbl_store_t *store,
    const rbl_host_port_t *at)
{
    link->store = store;
    link->at = at;
    ngx_queue_init(&link->flight);

    link->timer.data = link;
    link->timer.log = store->log;
    link->timer.handler = ngx_rbl_redis_timer;
    link->timer.cancelable = 1;

    link->turn.data = link;
    link->turn.log = store->log;
    link->turn.handler = ngx_rbl_redis_turn;

    ngx_rbl_redis_watch_init(link);
    ngx_rbl_redis_role_init(link);
}


/*
 * Connects on the next turn of the event loop.  The channel from the master is
 * added after init_process, which must leave a connection slot for it.
 */

void
ngx_rbl_redis_begin(ngx_rbl_link_t *link)
{
    if (link->state != NGX_RBL_REDIS_IDLE) {
        return;
    }

    link->opening = 1;
    ngx_rbl_redis_set_state(link, NGX_RBL_REDIS_WAITING);
    ngx_add_timer(&link->timer, 0);
    ngx_rbl_counts->stores++;
}


void
ngx_rbl_redis_rest(ngx_rbl_link_t *link, const char *reason)
{
    if (link->state == NGX_RBL_REDIS_IDLE
        || link->state == NGX_RBL_REDIS_CLOSED)
    {
        return;
    }

    ngx_rbl_counts->stores--;
    link->opening = 0;
    link->seeking = 0;
    link->backoff = 0;
    link->reason[0] = '\0';

    ngx_rbl_redis_set_state(link, NGX_RBL_REDIS_IDLE);
    ngx_rbl_redis_drop(link, reason);

    if (link->timer.timer_set) {
        ngx_del_timer(&link->timer);
    }
}


static void
ngx_rbl_redis_welcome(ngx_rbl_link_t *link)
{
    if (link->store->scout != NULL) {
        link->store->scout->tries = 0;
    }

    if (link->timer.timer_set) {
        ngx_del_timer(&link->timer);
    }

    link->backoff = 0;
    link->reason[0] = '\0';
    link->opening = 0;
    ngx_rbl_counts->reconnects += link->known;
    link->known = 1;
    ngx_rbl_redis_set_state(link, NGX_RBL_REDIS_READY);
    ngx_rbl_redis_role_watch(link);
    ngx_rbl_redis_answered(link);
    ngx_rbl_store_up(link);
}


void
ngx_rbl_redis_sought(ngx_rbl_link_t *link, const char *reason)
{
    if (!link->seeking) {
        return;
    }

    link->seeking = 0;

    if (link->state == NGX_RBL_REDIS_GREETING) {
        if (reason != NULL || link->changed
                      != link->store->nodes.node[link->node->i].changed)
        {
            ngx_rbl_redis_drop(link, reason ? reason
                                            : "another server has its place");

        } else {
            ngx_rbl_redis_welcome(link);
        }

    } else if (reason != NULL) {
        ngx_rbl_redis_after(link, reason);

    } else {
        ngx_rbl_redis_connect(link);
    }
}


void
ngx_rbl_redis_close(ngx_rbl_link_t *link)
{
    ngx_rbl_counts->stores -= link->state != NGX_RBL_REDIS_IDLE;

    ngx_rbl_redis_set_state(link, NGX_RBL_REDIS_CLOSED);
    ngx_rbl_redis_drop(link, "the worker exits");
    link->opening = 0;
    link->seeking = 0;
    ngx_rbl_store_down(link);

    if (link->timer.timer_set) {
        ngx_del_timer(&link->timer);
    }

    if (link->watch.timer_set) {
        ngx_del_timer(&link->watch);
    }

    ngx_rbl_redis_free_replies(link);
}


static void
ngx_rbl_redis_detach(ngx_rbl_link_t *link)
{
    link->ac->data = NULL;
    link->ac = NULL;
    link->seeking = 0;
    ngx_rbl_redis_role_forget(link);

    if (link->turn.posted) {
        ngx_delete_posted_event(&link->turn);
    }

    if (link->timer.timer_set) {
        ngx_del_timer(&link->timer);
    }
}


void
ngx_rbl_redis_drop(ngx_rbl_link_t *link, const char *reason)
{
    redisAsyncContext  *ac;

    ac = link->ac;
    if (ac == NULL) {
        return;
    }

    ngx_rbl_redis_detach(link);
    redisAsyncFree(ac);
    ngx_rbl_redis_after(link, reason);
}


void
ngx_rbl_redis_lost(ngx_rbl_link_t *link, const char *reason)
{
    if (link->ac == NULL) {
        return;
    }

    ngx_rbl_redis_detach(link);
    ngx_rbl_redis_after(link, reason);
}


void
ngx_rbl_redis_hush(ngx_rbl_link_t *link, const char *reason)
{
    if (link->state == NGX_RBL_REDIS_READY) {
        ngx_rbl_redis_set_state(link, NGX_RBL_REDIS_SILENT);
        ngx_rbl_redis_note(link, reason);
        ngx_rbl_store_down(link);
    }
}


void
ngx_rbl_redis_readable(redisAsyncContext *ac)
{
    ngx_uint_t       late;
    ngx_rbl_link_t  *link = ac->data;

    ngx_rbl_redis_heard(link);
    late = ngx_rbl_redis_role_late(link) >= NGX_RBL_SILENCE_LATE;

    /* no bytes: the connection has ended */

    if ((!late && link->state != NGX_RBL_REDIS_SILENT)
        || ngx_rbl_redis_waiting(ac) == 0)
    {
        return;
    }

    if (late) {
        ngx_rbl_redis_drop(link, "it stood still, and may have been replaced");

    } else {
        link->reason[0] = '\0';
        ngx_rbl_redis_set_state(link, NGX_RBL_REDIS_READY);
        ngx_rbl_store_up(link);
    }
}


void
ngx_rbl_redis_leave(ngx_rbl_link_t *link, const char *reason)
{
    if (link->state == NGX_RBL_REDIS_GREETING) {
        ngx_rbl_redis_drop(link, reason);
        return;
    }

    if (link->state == NGX_RBL_REDIS_READY) {
        ngx_rbl_redis_set_state(link, NGX_RBL_REDIS_LEAVING);
        ngx_rbl_redis_note(link, reason);
        ngx_rbl_store_down(link);
        ngx_rbl_redis_landed(link);
    }
}


void
ngx_rbl_redis_greeted(ngx_rbl_link_t *link)
{
    if (link->state != NGX_RBL_REDIS_GREETING) {
        ngx_rbl_store_up(link);
        return;
    }

    if (link->seeking) {
        return;
    }

    /* it may have stood still, and been replaced meanwhile */

    if (link->store->scout != NULL
        && ngx_current_msec - link->began > NGX_RBL_GREETING_LATE)
    {
        ngx_rbl_sentinel_seek(link);

    } else {
        ngx_rbl_redis_welcome(link);
    }
}


void
ngx_rbl_redis_landed(ngx_rbl_link_t *link)
{
    if (link->nflight != 0) {
        return;
    }

    link->watch.cancelable = 1;

    if (link->state == NGX_RBL_REDIS_LEAVING && !link->turn.posted) {
        ngx_post_event(&link->turn, &ngx_posted_events);
    }
}


void
ngx_rbl_redis_shutdown(redisAsyncContext *ac)
{
    ngx_rbl_link_t  *link = ac->data;

    ngx_rbl_redis_set_state(link, NGX_RBL_REDIS_CLOSED);
    ngx_rbl_redis_drop(link, "the worker shuts down");
}


void
ngx_rbl_redis_secured(ngx_rbl_link_t *link)
{
    link->secured = 1;
    ngx_post_event(&link->turn, &ngx_posted_events);
}
