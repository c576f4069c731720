/*
 * The life of a link's connection: connecting, deadlines, loss and reconnect.
 * hiredis 0.14 has no timeouts, and its context must not be freed in its
 * connect and disconnect call backs: these only clear the pointer.
 */

#include "base/log.h"
#include "base/xalloc.h"
#include "store_int.h"

#include <hiredis/adapters/libev.h>
#include <stdio.h>
#include <stdlib.h>

#define BACKOFF_MIN       0.05
#define BACKOFF_MAX       1.0
#define BACKOFF_SENTINEL  0.25          /* until a failover is over */


void
store_kick(store_t *store)
{
    if (!ev_is_active(&store->kick)) {
        ev_timer_set(&store->kick, 0, 0);
        ev_timer_start(store->loop, &store->kick);
    }
}


void
store_fail(store_t *store, store_cmd_t *cmd)
{
    store_put(&store->failed, cmd);
    store_kick(store);
}


void
store_give_up(store_link_t *link)
{
    store_cmd_t  *cmd;

    while ((cmd = store_window_drop(&link->window)) != NULL) {
        store_fail(link->store, cmd);
    }
}


/* --- trouble ------------------------------------------------------------- */

/* The stores have the same trouble, but for a refused subscription. */

int
store_quiet(const store_link_t *link)
{
    return link->store->second && !link->subscribing;
}


const char *
store_name(char buf[STORE_NAME], const store_link_t *link)
{
    char            at[RBL_HOST_PORT_TEXT];
    const store_t  *store = link->store;

    if (store->conf->place.kind == RBL_PLACE_ONE || link->at.host[0] == '\0') {
        snprintf(buf, STORE_NAME, "store %s", store->conf->store);

    } else {
        snprintf(buf, STORE_NAME, "store %s, %s %s", store->conf->store,
                 link->kind->sentinel ? "Sentinel" : "node",
                 rbl_host_port_text(at, &link->at));
    }

    return buf;
}


void
store_trouble(store_link_t *link, const char *why)
{
    char  text[sizeof(link->why)], name[STORE_NAME];

    snprintf(text, sizeof(text), "%s", why);

    link->said = RBL_REPLY_OK;

    if (strcmp(text, link->why) != 0) {
        memcpy(link->why, text, sizeof(text));

        if (!link->kind->sentinel) {
            log_msg(store_quiet(link) ? LOG_L_DEBUG : LOG_L_WARN, "%s: %s",
                    store_name(name, link), text);
        }
    }
}


/* To be called when hiredis has freed the context, or will soon. */

static void
lost(store_link_t *link, const char *why)
{
    store_trouble(link, why);
    link->ac = NULL;
    link->phase = STORE_DOWN;
    store_kick(link->store);
}


void
store_drop(store_link_t *link, const char *why)
{
    if (link->phase != STORE_GREETING && link->phase != STORE_READY) {
        return;
    }

    store_trouble(link, why);
    link->phase = STORE_DROPPING;
    store_kick(link->store);
}


void
store_drop_refused(store_link_t *link, const redisReply *reply, rbl_str_t text)
{
    char  why[STORE_WHY];

    snprintf(why, sizeof(why), "%.*s", (int) text.n, text.p);
    store_drop(link, why);
    link->said = rbl_reply_class(reply);
}


int
store_stood_still(const store_link_t *link, double from, double most)
{
    return link->store->nodes.kind == RBL_PLACE_SENTINEL
           && link->store->tool == NULL && !link->kind->sentinel
           && clock_now() - from > most;
}


/* --- connection ---------------------------------------------------------- */

void
store_connected(store_link_t *link)
{
    if (link->store->tool != NULL && !link->kind->sentinel) {
        link->connect_deadline = clock_now() + link->store->tool->greet;
    }
}


static void
on_connect(const redisAsyncContext *ac, int status)
{
    store_link_t  *link = ac->data;

    if (link != NULL && status != REDIS_OK) {
        lost(link, ac->errstr);

    } else if (link != NULL) {
        store_connected(link);
    }
}


/* A refused subscription ends the connection; its error may name arguments. */

static void
on_disconnect(const redisAsyncContext *ac, int status)
{
    char           why[STORE_WHY];
    rbl_str_t      text;
    redisReply     error;
    const char    *errstr;
    store_link_t  *link = ac->data;

    if (link == NULL) {
        return;
    }

    errstr = status == REDIS_OK ? "connection closed"
             : rbl_reply_lost(&link->reader.guard, ac->errstr);

    memset(&error, 0, sizeof(error));
    error.type = REDIS_REPLY_ERROR;
    error.str = (char *) (uintptr_t) errstr;
    error.len = strlen(errstr);
    text = rbl_reply_error(&error);
    (void) snprintf(why, sizeof(why), "%.*s", (int) text.n, text.p);
    lost(link, why);
}


/* The hooks between hiredis and the loop. */

static int
attach(store_link_t *link, redisAsyncContext *ac)
{
    return link->store->conf->place.tls
           ? store_tls_attach(link, ac)
           : redisLibevAttach(link->store->loop, ac);
}


double
store_connect_limit(const store_t *store)
{
    return store->tool != NULL ? store->tool->connect
                               : store->conf->store_timeout;
}


void
store_open(store_link_t *link, const rbl_host_port_t *at, double timeout)
{
    redisAsyncContext  *ac;

    link->at = *at;
    link->changed = link->store->nodes.node[link->node].changed;
    ac = at->port == 0 ? redisAsyncConnectUnix(at->host)
                       : redisAsyncConnect(at->host, (int) at->port);

    if (ac == NULL || ac->err) {
        lost(link, ac == NULL ? "out of memory" : ac->errstr);
        if (ac != NULL) {
            redisAsyncFree(ac);
        }

        return;
    }

    /* The connect call back arms the write event, so the adapter must be
       attached first. */

    if (attach(link, ac) != 0) {
        lost(link, "out of memory");
        redisAsyncFree(ac);
        return;
    }

    ac->data = link;
    link->ac = ac;
    rbl_reply_reader(&link->reader, &ac->c, &ac->replies);

    redisAsyncSetConnectCallback(ac, on_connect);
    redisAsyncSetDisconnectCallback(ac, on_disconnect);
    if (at->port != 0) {
        redisEnableKeepAlive(&ac->c);
    }

    link->subscribing = 0;
    link->stale = 0;
    link->phase = STORE_GREETING;
    link->connection++;
    link->opened = clock_now();
    link->connect_deadline = link->opened + timeout;
    link->kind->greet(link);
}


void
store_open_node(store_link_t *link)
{
    const store_t  *store = link->store;

    store_open(link, &store->nodes.node[link->node].at,
               store_connect_limit(store));
}


/* Arms the timer for the earliest deadline. */

void
store_watch(store_link_t *link)
{
    double           at;
    struct ev_loop  *loop = link->store->loop;

    at = 0;

    if (link->pending.first != NULL) {
        at = link->pending.first->deadline;
    }

    if (link->phase == STORE_GREETING) {
        at = link->connect_deadline;
    }

    /* A running timer is not moved; it fires and is set again. */

    if (at == 0) {
        ev_timer_stop(loop, &link->watch);

    } else if (!ev_is_active(&link->watch)) {
        at -= clock_now();
        ev_timer_set(&link->watch, at > 0 ? at + 0.001 : 0, 0);
        ev_timer_start(loop, &link->watch);
    }
}


static void
on_watch(struct ev_loop *loop, ev_timer *w, int revents)
{
    double         now;
    store_link_t  *link = w->data;

    (void) loop;
    (void) revents;

    now = clock_now();

    if (link->phase == STORE_GREETING) {
        if (now >= link->connect_deadline) {
            store_drop(link, link->store->tool != NULL
                             ? "no reply in time"
                             : "no reply while connecting");
            return;
        }

    } else if (link->pending.first != NULL
               && now >= link->pending.first->deadline)
    {
        store_drop(link, "no reply in time");
        return;
    }

    store_watch(link);
}


static void
on_retry(struct ev_loop *loop, ev_timer *w, int revents)
{
    store_link_t  *link = w->data;

    (void) loop;
    (void) revents;

    link->kind->seek(link);
}


/*
 * Sends all commands of this turn of the loop at once.  hiredis would first
 * wait until the socket is writable, which is necessary only while connecting.
 */

static void
on_flush(struct ev_loop *loop, ev_prepare *w, int revents)
{
    store_link_t  *link = w->data;

    (void) revents;

    ev_prepare_stop(loop, w);

    if (link->phase != STORE_READY) {
        return;
    }

    if (link->store->conf->place.tls) {
        store_tls_write(link->ac);

    } else {
        redisAsyncHandleWrite(link->ac);
    }
}


void
store_plan_retry(store_link_t *link)
{
    double    wait, most;
    store_t  *store = link->store;

    /* A timer that fires in this turn is pending, and no longer active. */

    if (ev_is_active(&link->retry) || ev_is_pending(&link->retry)) {
        return;
    }

    /* Random between half and whole, so that daemons do not reconnect at the
       same time. */

    wait = link->backoff * (0.5 + rand_r(&store->seed) / (RAND_MAX * 2.0));
    most = store->nodes.kind == RBL_PLACE_SENTINEL ? BACKOFF_SENTINEL
                                                   : BACKOFF_MAX;
    link->backoff *= 2;
    if (link->backoff > most) {
        link->backoff = most;
    }

    ev_timer_set(&link->retry, wait, 0);
    ev_timer_start(store->loop, &link->retry);
}


/* Not from a call back of hiredis. */

void
store_let_go(store_link_t *link)
{
    redisAsyncContext  *ac;

    ac = link->ac;
    link->ac = NULL;

    if (ac != NULL) {
        ac->data = NULL;
        redisAsyncFree(ac);             /* pending commands fail */
    }

    link->phase = STORE_DOWN;
}


store_link_t *
store_link_new(store_t *store, const store_link_kind_t *kind, unsigned node)
{
    store_link_t  *link;

    link = xcalloc(1, sizeof(store_link_t));
    link->kind = kind;
    link->store = store;
    link->node = node;

    ev_prepare_init(&link->flush, on_flush);
    ev_timer_init(&link->watch, on_watch, 0, 0);
    ev_timer_init(&link->retry, on_retry, 0, 0);
    link->watch.data = link->retry.data = link->flush.data = link;

    return link;
}


void
store_link_fresh(store_link_t *link)
{
    link->changed = link->store->nodes.node[link->node].changed;
    link->backoff = BACKOFF_MIN;
    link->why[0] = '\0';

    ev_timer_stop(link->store->loop, &link->retry);
    ev_timer_set(&link->retry, 0, 0);
    ev_timer_start(link->store->loop, &link->retry);
}


/* The connection is good: forgets the back-off, and what was logged. */

void
store_link_up(store_link_t *link)
{
    char  name[STORE_NAME];

    link->phase = STORE_READY;
    link->backoff = BACKOFF_MIN;

    if (link->why[0] != '\0') {
        log_msg(store_quiet(link) ? LOG_L_DEBUG : LOG_L_NOTICE,
                "%s: ready again", store_name(name, link));
        link->why[0] = '\0';
    }

    store_kick(link->store);
}


void
store_link_end(store_link_t *link)
{
    struct ev_loop  *loop;

    if (link == NULL) {
        return;
    }

    loop = link->store->loop;
    link->phase = STORE_DROPPING;
    store_let_go(link);
    store_give_up(link);

    ev_prepare_stop(loop, &link->flush);
    ev_timer_stop(loop, &link->watch);
    ev_timer_stop(loop, &link->retry);
}
