/*
 * The life of a link's connection: connecting, deadlines, loss and reconnect.
 */

#include "base/jitter.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "store_int.h"

#include <stdio.h>
#include <stdlib.h>

#define BACKOFF_MIN       0.05
#define BACKOFF_MAX       1.0
#define BACKOFF_SENTINEL  0.25          /* until a failover is over */


void
store_kick(store_t *store)
{
    timer_arm(&store->kick, 0);
}


void
store_fail(store_t *store, store_cmd_t *cmd)
{
    link_add(&store->failed, &cmd->queue);
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


double
store_connect_limit(const store_t *store)
{
    return store->tool != NULL ? store->tool->connect
                               : store->conf->store_timeout;
}


void
store_open(store_link_t *link, const rbl_host_port_t *at, double timeout)
{
    char  why[STORE_WHY];

    link->at = *at;
    link->changed = link->store->nodes.node[link->node].changed;
    link->wire = store_wire_open(link, why);

    if (link->wire == NULL) {
        store_trouble(link, why);
        link->phase = STORE_DOWN;
        store_kick(link->store);
        return;
    }

    link->subscribing = 0;
    link->messages = 0;
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
    double              at;
    const store_cmd_t  *cmd = store_first(&link->pending);

    at = link->phase == STORE_GREETING ? link->connect_deadline
         : cmd != NULL ? cmd->deadline : 0;

    /* A running timer is not moved; it fires and is set again. */

    if (at == 0) {
        timer_stop(&link->watch);

    } else if (!timer_is_set(&link->watch)) {
        timer_in(&link->watch, at - clock_now() + 0.001);
    }
}


static void
on_watch(void *data)
{
    double              now = clock_now();
    store_link_t       *link = data;
    const store_cmd_t  *cmd = store_first(&link->pending);

    if (link->phase == STORE_GREETING) {
        if (now >= link->connect_deadline) {
            store_drop(link, link->store->tool != NULL
                             ? "no reply in time"
                             : "no reply while connecting");
            return;
        }

    } else if (cmd != NULL && now >= cmd->deadline) {
        store_drop(link, "no reply in time");
        return;
    }

    store_watch(link);
}


static void
on_retry(void *data)
{
    store_link_t  *link = data;

    link->kind->seek(link);
}


void
store_plan_retry(store_link_t *link)
{
    double    wait, most;
    store_t  *store = link->store;

    if (timer_is_set(&link->retry)) {
        return;
    }

    /* Random between half and whole, so that daemons do not reconnect at the
       same time. */

    wait = link->backoff * (0.5 + jitter() / 2);
    most = store->nodes.kind == RBL_PLACE_SENTINEL ? BACKOFF_SENTINEL
                                                   : BACKOFF_MAX;
    link->backoff *= 2;
    if (link->backoff > most) {
        link->backoff = most;
    }

    timer_in(&link->retry, wait);
}


/* Not while replies are read.  The commands in flight fail. */

void
store_let_go(store_link_t *link)
{
    store_cmd_t  *cmd;

    if (link->wire != NULL) {
        store_wire_close(link->wire);
        link->wire = NULL;
    }

    while ((cmd = store_first(&link->pending)) != NULL) {
        link_remove(&cmd->queue);
        store_window_ended(&link->window, cmd);
        store_fail(link->store, cmd);
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
    link_init(&link->pending);
    store_window_init(&link->window);

    timer_init(&link->watch, store->loop, on_watch, link);
    timer_init(&link->retry, store->loop, on_retry, link);

    return link;
}


void
store_link_fresh(store_link_t *link)
{
    link->changed = link->store->nodes.node[link->node].changed;
    link->backoff = BACKOFF_MIN;
    link->why[0] = '\0';

    timer_in(&link->retry, 0);
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
    if (link == NULL) {
        return;
    }

    link->phase = STORE_DROPPING;
    store_let_go(link);
    store_give_up(link);

    timer_stop(&link->watch);
    timer_stop(&link->retry);
}
