/*
 * One connection: states, back-off and close.
 *
 * IDLE -> WAITING -> CONNECTING -> GREETING -> READY -> WAITING, and CLOSED at
 * the end.  READY may become SILENT and then READY again, or LEAVING.  A
 * failure in any state but IDLE and CLOSED leads to WAITING; the scout becomes
 * IDLE instead, and so does a link that is not needed.  However a connection
 * ends, ngx_rbl_redis_drop ends it.
 */

#include "ngx_rbl_redis.h"

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


/* After the connection is gone: schedules the next attempt, unless the link is
   the scout. */

static void
ngx_rbl_redis_after(ngx_rbl_link_t *link, const char *reason)
{
    ngx_msec_t  half;

    assert(link->wire == NULL);

    if (link->node != NULL && link->state != NGX_RBL_REDIS_CLOSED
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
    link->kind->lost(link, reason);
}


void
ngx_rbl_redis_drop(ngx_rbl_link_t *link, const char *reason)
{
    ngx_rbl_wire_t  *wire;

    wire = link->wire;
    if (wire == NULL) {
        return;
    }

    link->wire = NULL;
    link->seeking = 0;
    ngx_rbl_redis_role_forget(link);

    if (link->turn.posted) {
        ngx_delete_posted_event(&link->turn);
    }

    if (link->timer.timer_set) {
        ngx_del_timer(&link->timer);
    }

    /* last: `reason` may be part of it, and what waits for replies must find
       the link down */

    ngx_rbl_redis_after(link, reason);
    ngx_rbl_wire_close(wire);
}


static void
ngx_rbl_redis_secured(ngx_rbl_link_t *link)
{
    if (link->kind->greet(link) != NGX_OK) {
        ngx_rbl_redis_drop(link, "the greeting cannot be sent");
    }
}


static void
ngx_rbl_redis_connected(ngx_rbl_link_t *link)
{
    ngx_rbl_redis_set_state(link, NGX_RBL_REDIS_GREETING);

#if (NGX_SSL)
    if (link->store->conf->ssl != NULL) {
        if (ngx_rbl_wire_secure(link->wire) != NGX_OK) {
            ngx_rbl_redis_drop(link, "the TLS handshake has failed");
        }

        return;
    }
#endif

    ngx_rbl_redis_secured(link);
}


static void
ngx_rbl_redis_readable(ngx_rbl_link_t *link)
{
    ngx_uint_t  late;

    ngx_rbl_redis_heard(link);
    late = ngx_rbl_redis_role_late(link) >= NGX_RBL_SILENCE_LATE;

    /* no bytes: the connection has ended */

    if ((!late && link->state != NGX_RBL_REDIS_SILENT)
        || ngx_rbl_wire_waiting(link->wire) == 0)
    {
        return;
    }

    if (late) {
        ngx_rbl_redis_drop(link, "it stood still, and may have been replaced");

    } else {
        link->reason[0] = '\0';
        ngx_rbl_redis_set_state(link, NGX_RBL_REDIS_READY);
        link->kind->up(link);
    }
}


static void
ngx_rbl_redis_shutdown(ngx_rbl_link_t *link)
{
    ngx_rbl_redis_set_state(link, NGX_RBL_REDIS_CLOSED);
    ngx_rbl_redis_drop(link, "the worker shuts down");
}


static const ngx_rbl_wire_events_t  ngx_rbl_redis_events = {
    .connected = ngx_rbl_redis_connected,
    .secured = ngx_rbl_redis_secured,
    .readable = ngx_rbl_redis_readable,
    .failed = ngx_rbl_redis_drop,
    .shutdown = ngx_rbl_redis_shutdown
};


static void
ngx_rbl_redis_connect(ngx_rbl_link_t *link)
{
    char        reason[NGX_RBL_REDIS_REASON];
    ngx_msec_t  most;

    assert(link->wire == NULL);

    ngx_rbl_redis_set_state(link, NGX_RBL_REDIS_CONNECTING);

    link->wire = ngx_rbl_wire_open(link, &ngx_rbl_redis_events, reason,
                                   sizeof(reason));
    if (link->wire == NULL) {
        ngx_rbl_redis_after(link, reason);
        return;
    }

    link->began = ngx_current_msec;

    if (link->node != NULL) {
        link->changed = link->store->nodes.node[link->node->i].changed;
    }

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
            link->kind->seek(link);

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


/* The connection must not end while one of its batches lands. */

static void
ngx_rbl_redis_turn(ngx_event_t *ev)
{
    ngx_rbl_link_t  *link = ev->data;

    ngx_rbl_redis_drop(link, link->reason);
}


void
ngx_rbl_redis_init(ngx_rbl_link_t *link, const ngx_rbl_link_kind_t *kind,
    ngx_rbl_store_t *store, const rbl_host_port_t *at)
{
    link->kind = kind;
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
    link->kind->up(link);
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
    link->kind->lost(link, "the worker exits");

    if (link->timer.timer_set) {
        ngx_del_timer(&link->timer);
    }

    if (link->watch.timer_set) {
        ngx_del_timer(&link->watch);
    }
}


void
ngx_rbl_redis_hush(ngx_rbl_link_t *link, const char *reason)
{
    if (link->state == NGX_RBL_REDIS_READY) {
        ngx_rbl_redis_set_state(link, NGX_RBL_REDIS_SILENT);
        ngx_rbl_redis_note(link, reason);
        link->kind->down(link);
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
ngx_rbl_redis_leave(ngx_rbl_link_t *link, const char *reason)
{
    if (link->state == NGX_RBL_REDIS_GREETING) {
        ngx_rbl_redis_drop(link, reason);
        return;
    }

    if (link->state == NGX_RBL_REDIS_READY) {
        ngx_rbl_redis_set_state(link, NGX_RBL_REDIS_LEAVING);
        ngx_rbl_redis_note(link, reason);
        link->kind->down(link);
        ngx_rbl_redis_landed(link);
    }
}


void
ngx_rbl_redis_greeted(ngx_rbl_link_t *link)
{
    if (link->state != NGX_RBL_REDIS_GREETING) {
        link->kind->up(link);
        return;
    }

    if (link->seeking) {
        return;
    }

    /* it may have stood still, and been replaced meanwhile */

    if (link->store->scout != NULL
        && ngx_current_msec - link->began > NGX_RBL_GREETING_LATE)
    {
        link->kind->seek(link);

    } else {
        ngx_rbl_redis_welcome(link);
    }
}
