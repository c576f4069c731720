/*
 * One connection: states, back-off, and when it is given up.
 *
 * WAITING -> CONNECTING -> GREETING -> READY (-> LEAVING) -> WAITING, and
 * CLOSED at the end.  From every state a failure leads to WAITING.  The context
 * belongs to hiredis when it reports the end itself (ngx_rbl_redis_lost), else
 * to us (ngx_rbl_redis_drop).  In both cases it is detached first: ac->data is
 * NULL then, and callbacks that still come for it do nothing.
 */

#include "ngx_rbl_redis.h"

#define NGX_RBL_BACKOFF_MIN    50       /* ms */
#define NGX_RBL_BACKOFF_MAX    1000
#define NGX_RBL_GREETING_MAX   1000     /* ms to be connected and ready in */
#define NGX_RBL_LAST_ROUNDS    8


static void ngx_rbl_redis_set_state(ngx_rbl_store_t *store,
    ngx_rbl_redis_state_e state);
static void ngx_rbl_redis_connect(ngx_rbl_store_t *store);
static void ngx_rbl_redis_connected(const redisAsyncContext *ac, int status);
static void ngx_rbl_redis_disconnected(const redisAsyncContext *ac, int status);
static void ngx_rbl_redis_shutdown(redisAsyncContext *ac);
static void ngx_rbl_redis_turn(ngx_event_t *ev);
static void ngx_rbl_redis_timer(ngx_event_t *ev);
static void ngx_rbl_redis_detach(ngx_rbl_store_t *store);
static void ngx_rbl_redis_after(ngx_rbl_store_t *store, const char *reason);
static void ngx_rbl_redis_note(ngx_rbl_store_t *store, const char *reason);
static void ngx_rbl_redis_refuse(ngx_event_t *ev);


static const char  *ngx_rbl_redis_states[] = {
    "closed", "waiting", "connecting", "greeting", "ready", "leaving"
};


ngx_rbl_store_t *
ngx_rbl_store_create(const ngx_rbl_store_conf_t *conf, ngx_log_t *log)
{
    ngx_rbl_store_t  *store;

    store = ngx_calloc(sizeof(ngx_rbl_store_t), log);
    if (store == NULL) {
        return NULL;
    }

    store->conf = conf;
    store->log = log;
    store->opening = 1;
    ngx_queue_init(&store->held);
    ngx_queue_init(&store->flight);
    ngx_queue_init(&store->refused);

    store->timer.data = store;
    store->timer.log = log;
    store->timer.handler = ngx_rbl_redis_timer;
    store->timer.cancelable = 1;

    store->turn.data = store;
    store->turn.log = log;
    store->turn.handler = ngx_rbl_redis_turn;

    store->refuse.data = store;
    store->refuse.log = log;
    store->refuse.handler = ngx_rbl_redis_refuse;

    if (rbl_keyspace_init(&store->ks, (rbl_str_t) {
            (char *) conf->prefix.data, conf->prefix.len }) != RBL_OK
        || ngx_rbl_redis_set_address(store) != NGX_OK)
    {
        ngx_log_error(NGX_LOG_ALERT, log, 0,
                      "rbl store \"%V\" cannot be used", &conf->name);
        ngx_free(store);
        return NULL;
    }

    /*
     * Not at once: init_process must leave a connection slot to the channel
     * from the master, which is added after it.
     */

    ngx_rbl_redis_set_state(store, NGX_RBL_REDIS_WAITING);
    ngx_add_timer(&store->timer, 0);
    ngx_rbl_meter->stores++;

    return store;
}


void
ngx_rbl_store_destroy(ngx_rbl_store_t *store)
{
    ngx_uint_t  i;

    if (store == NULL) {
        return;
    }

    ngx_rbl_redis_set_state(store, NGX_RBL_REDIS_CLOSED);
    ngx_rbl_redis_drop(store, "the worker exits");
    store->opening = 0;
    ngx_rbl_batch_release(store, NGX_RBL_STORE_AWAY);

    /* a completion may submit once more; an endless one is cut off */

    for (i = 0; i < NGX_RBL_LAST_ROUNDS; i++) {
        ngx_rbl_batch_fail_refused(store);
    }

    if (store->refuse.posted) {
        ngx_delete_posted_event(&store->refuse);
    }

    if (store->timer.timer_set) {
        ngx_del_timer(&store->timer);
    }

    ngx_rbl_redis_free_replies(store);
    ngx_free(store);
    ngx_rbl_meter->stores--;
}


ngx_int_t
ngx_rbl_store_ready(ngx_rbl_store_t *store)
{
    return store != NULL && store->state == NGX_RBL_REDIS_READY;
}


const rbl_keyspace_t *
ngx_rbl_store_keyspace(ngx_rbl_store_t *store)
{
    return store == NULL ? NULL : &store->ks;
}


void
ngx_rbl_redis_drop(ngx_rbl_store_t *store, const char *reason)
{
    redisAsyncContext  *ac;

    ac = store->ac;
    if (ac == NULL) {
        return;
    }

    ngx_rbl_redis_detach(store);
    redisAsyncFree(ac);
    ngx_rbl_redis_after(store, reason);
}


void
ngx_rbl_redis_lost(ngx_rbl_store_t *store, const char *reason)
{
    if (store->ac == NULL) {
        return;
    }

    ngx_rbl_redis_detach(store);
    ngx_rbl_redis_after(store, reason);
}


void
ngx_rbl_redis_leave(ngx_rbl_store_t *store, const redisReply *reply)
{
    char  reason[NGX_RBL_REDIS_REASON];

    if (store->state != NGX_RBL_REDIS_READY) {
        return;
    }

    ngx_rbl_redis_reason(reason, sizeof(reason), reply);
    ngx_rbl_redis_set_state(store, NGX_RBL_REDIS_LEAVING);
    ngx_rbl_redis_note(store, reason);
}


void
ngx_rbl_redis_greeted(ngx_rbl_store_t *store)
{
    if (store->timer.timer_set) {
        ngx_del_timer(&store->timer);
    }

    store->backoff = 0;
    store->reason[0] = '\0';
    store->opening = 0;
    ngx_rbl_meter->reconnects += store->known;
    store->known = 1;
    ngx_rbl_redis_set_state(store, NGX_RBL_REDIS_READY);
    ngx_rbl_batch_release(store, NGX_RBL_STORE_OK);
}


void
ngx_rbl_redis_landed(ngx_rbl_store_t *store)
{
    if (store->state == NGX_RBL_REDIS_LEAVING && store->nflight == 0
        && !store->turn.posted)
    {
        ngx_post_event(&store->turn, &ngx_posted_events);
    }
}


ngx_rbl_store_t *
ngx_rbl_redis_replied(redisAsyncContext *ac, const redisReply *reply)
{
    ngx_rbl_store_t  *store = ac->data;

    if (store == NULL) {
        return NULL;
    }

    if (reply == NULL) {
        ngx_rbl_redis_lost(store, rbl_reply_lost(&store->replies.guard,
                                                 ac->c.errstr));
        return NULL;
    }

    store->heard = ngx_current_msec;

    return store;
}


/* "ERR unknown command" repeats the arguments: they may be secrets. */

void
ngx_rbl_redis_reason(char *buf, size_t size, const redisReply *reply)
{
    char    *args;
    size_t   len;

    if (reply->type != REDIS_REPLY_ERROR || reply->str == NULL) {
        ngx_rbl_redis_clean(buf, size, "a reply of another type", 23);
        return;
    }

    len = reply->len;
    args = ngx_strstr(reply->str, ", with args");
    if (args != NULL) {
        len = args - reply->str;
    }

    ngx_rbl_redis_clean(buf, size, reply->str, len);
}


static void
ngx_rbl_redis_set_state(ngx_rbl_store_t *store, ngx_rbl_redis_state_e state)
{
    ngx_rbl_redis_state_e  old;

    old = store->state;
    store->state = state;

    if (old == state) {
        return;
    }

    if (old == NGX_RBL_REDIS_READY || state == NGX_RBL_REDIS_READY) {
        ngx_rbl_meter->ready += state == NGX_RBL_REDIS_READY ? 1 : -1;
        ngx_log_error(NGX_LOG_NOTICE, store->log, 0, "rbl store \"%V\" is %s",
                      &store->conf->name, ngx_rbl_redis_states[state]);
        return;
    }

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, store->log, 0,
                   "rbl store \"%V\": %s -> %s", &store->conf->name,
                   ngx_rbl_redis_states[old], ngx_rbl_redis_states[state]);
}


static void
ngx_rbl_redis_connect(ngx_rbl_store_t *store)
{
    char                reason[NGX_RBL_REDIS_REASON];
    redisAsyncContext  *ac;

    ngx_rbl_redis_set_state(store, NGX_RBL_REDIS_CONNECTING);

    ac = ngx_rbl_redis_open(store, ngx_rbl_redis_shutdown, reason,
                            sizeof(reason));
    if (ac == NULL) {
        ngx_rbl_redis_after(store, reason);
        return;
    }

    ac->data = store;
    store->ac = ac;

    (void) redisAsyncSetConnectCallback(ac, ngx_rbl_redis_connected);
    (void) redisAsyncSetDisconnectCallback(ac, ngx_rbl_redis_disconnected);

    ngx_add_timer(&store->timer,
                  ngx_min(store->conf->timeout, NGX_RBL_GREETING_MAX));
}


static void
ngx_rbl_redis_connected(const redisAsyncContext *ac, int status)
{
    ngx_rbl_store_t  *store = ac->data;

    if (store == NULL) {
        return;
    }

    if (status != REDIS_OK) {
        ngx_rbl_redis_lost(store, ac->c.errstr);
        return;
    }

    ngx_rbl_redis_set_state(store, NGX_RBL_REDIS_GREETING);
    ngx_post_event(&store->turn, &ngx_posted_events);
}


static void
ngx_rbl_redis_disconnected(const redisAsyncContext *ac, int status)
{
    ngx_rbl_store_t  *store = ac->data;

    if (store != NULL) {
        ngx_rbl_redis_lost(store, rbl_reply_lost(&store->replies.guard,
                                                 ac->c.errstr));
    }
}


static void
ngx_rbl_redis_shutdown(redisAsyncContext *ac)
{
    ngx_rbl_store_t  *store = ac->data;

    ngx_rbl_redis_set_state(store, NGX_RBL_REDIS_CLOSED);
    ngx_rbl_redis_drop(store, "the worker shuts down");
}


/* What hiredis' callbacks must not do themselves. */

static void
ngx_rbl_redis_turn(ngx_event_t *ev)
{
    ngx_rbl_store_t  *store = ev->data;

    if (store->state == NGX_RBL_REDIS_LEAVING) {
        ngx_rbl_redis_drop(store, store->reason);
        return;
    }

    if (store->state == NGX_RBL_REDIS_GREETING
        && ngx_rbl_redis_greet(store) != NGX_OK)
    {
        ngx_rbl_redis_drop(store, "the greeting cannot be sent");
    }
}


static void
ngx_rbl_redis_timer(ngx_event_t *ev)
{
    u_char           *last;
    u_char            reason[NGX_RBL_REDIS_REASON];
    ngx_rbl_store_t  *store = ev->data;

    if (store->state == NGX_RBL_REDIS_WAITING) {
        ngx_rbl_redis_connect(store);
        return;
    }

    last = ngx_snprintf(reason, sizeof(reason) - 1, "no answer while %s",
                        ngx_rbl_redis_states[store->state]);
    *last = '\0';

    ngx_rbl_redis_drop(store, (char *) reason);
}


static void
ngx_rbl_redis_detach(ngx_rbl_store_t *store)
{
    store->ac->data = NULL;
    store->ac = NULL;

    if (store->turn.posted) {
        ngx_delete_posted_event(&store->turn);
    }

    if (store->timer.timer_set) {
        ngx_del_timer(&store->timer);
    }
}


/* Without a connection: the next attempt, and the batches in flight. */

static void
ngx_rbl_redis_after(ngx_rbl_store_t *store, const char *reason)
{
    ngx_msec_t  half;

    if (store->state != NGX_RBL_REDIS_CLOSED) {
        store->backoff = ngx_min(ngx_max(store->backoff * 2,
                                         NGX_RBL_BACKOFF_MIN),
                                 NGX_RBL_BACKOFF_MAX);
        half = store->backoff / 2;

        ngx_rbl_redis_set_state(store, NGX_RBL_REDIS_WAITING);
        ngx_rbl_redis_note(store, reason);
        ngx_add_timer(&store->timer, half + ngx_random() % (half + 1));
    }

    store->opening = 0;
    ngx_rbl_batch_release(store, NGX_RBL_STORE_AWAY);
    ngx_rbl_batch_fail_flight(store);
}


/* Logs why the store is not ready, if it is another reason than before. */

static void
ngx_rbl_redis_note(ngx_rbl_store_t *store, const char *reason)
{
    char  clean[NGX_RBL_REDIS_REASON];

    ngx_rbl_redis_clean(clean, sizeof(clean), reason, ngx_strlen(reason));

    if (ngx_strcmp(clean, store->reason) == 0) {
        return;
    }

    ngx_memcpy(store->reason, clean, sizeof(clean));
    ngx_log_error(NGX_LOG_WARN, store->log, 0,
                  "rbl store \"%V\" is not ready: %s",
                  &store->conf->name, store->reason);
}


void
ngx_rbl_redis_clean(char *buf, size_t size, const char *text, size_t len)
{
    size_t  i;

    len = ngx_min(len, size - 1);

    for (i = 0; i < len; i++) {
        buf[i] = text[i] < 0x20 || text[i] > 0x7e ? '?' : text[i];
    }

    buf[len] = '\0';
}


static void
ngx_rbl_redis_refuse(ngx_event_t *ev)
{
    ngx_rbl_store_t  *store = ev->data;

    ngx_rbl_batch_fail_refused(store);

    if (ngx_rbl_store_ready(store)) {
        ngx_rbl_batch_release(store, NGX_RBL_STORE_OK);

    } else if (!store->opening) {
        ngx_rbl_batch_release(store, NGX_RBL_STORE_AWAY);
    }
}
