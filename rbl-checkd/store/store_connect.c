/*
 * The life of a connection to the store: connecting, greeting, deadlines, loss
 * and reconnect.  hiredis 0.14 has no timeouts, and its context must not be
 * freed in its connect and disconnect call backs: these only clear the pointer.
 */

#include "base/log.h"
#include "rbl_role.h"
#include "store_int.h"

#include <hiredis/adapters/libev.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BACKOFF_MIN  0.05
#define BACKOFF_MAX  1.0


/* The connections have the same trouble, but for a refused subscription. */

static int
quiet(const store_t *store)
{
    return store->second && !store->subscribing;
}


/* Logs a trouble once, not at every attempt. */

static void
trouble(store_t *store, const char *why)
{
    char  text[sizeof(store->why)];

    snprintf(text, sizeof(text), "%s", why);

    if (strcmp(text, store->why) != 0) {
        memcpy(store->why, text, sizeof(text));
        log_msg(quiet(store) ? LOG_L_DEBUG : LOG_L_WARN, "store %s: %s",
                store->conf->store, text);
    }
}


void
store_kick(store_t *store)
{
    if (!ev_is_active(&store->kick)) {
        ev_timer_set(&store->kick, 0, 0);
        ev_timer_start(store->loop, &store->kick);
    }
}


/* To be called when hiredis has freed the context, or will soon. */

static void
lost(store_t *store, const char *why)
{
    trouble(store, why);
    store->ac = NULL;
    store->phase = STORE_DOWN;
    store_kick(store);
}


void
store_drop(store_t *store, const char *why)
{
    if (store->phase == STORE_DOWN || store->phase == STORE_DROPPING) {
        return;
    }

    trouble(store, why);
    store->phase = STORE_DROPPING;
    store_kick(store);
}


static void
on_connect(const redisAsyncContext *ac, int status)
{
    store_t  *store = ac->data;

    if (store != NULL && status != REDIS_OK) {
        lost(store, ac->errstr);
    }
}


/* A refused subscription ends the connection; its error may name arguments. */

static void
on_disconnect(const redisAsyncContext *ac, int status)
{
    char         why[STORE_WHY];
    store_t     *store = ac->data;
    rbl_str_t    text;
    redisReply   error;
    const char  *errstr;

    if (store == NULL) {
        return;
    }

    errstr = status == REDIS_OK ? "connection closed"
             : rbl_reply_lost(&store->reader.guard, ac->errstr);

    memset(&error, 0, sizeof(error));
    error.type = REDIS_REPLY_ERROR;
    error.str = (char *) (uintptr_t) errstr;
    error.len = strlen(errstr);
    text = rbl_reply_error(&error);
    (void) snprintf(why, sizeof(why), "%.*s", (int) text.n, text.p);
    lost(store, why);
}


void
store_greeted(store_t *store)
{
    store->phase = STORE_READY;
    store->backoff = BACKOFF_MIN;

    if (store->why[0] != '\0') {
        log_msg(quiet(store) ? LOG_L_DEBUG : LOG_L_NOTICE,
                "store %s: ready again", store->conf->store);
        store->why[0] = '\0';
    }

    store_kick(store);
}


static void
drop_refused(store_t *store, rbl_str_t text)
{
    char  why[sizeof(store->why)];

    snprintf(why, sizeof(why), "%.*s", (int) text.n, text.p);
    store_drop(store, why);
}


static void
on_meta(void *data, const redisReply *reply)
{
    char       why[80];
    int64_t    schema, partitions;
    unsigned   before;
    store_t   *store = data;

    if (store->phase != STORE_GREETING || reply == NULL) {
        return;
    }

    if (rbl_reply_class(reply) != RBL_REPLY_OK) {
        drop_refused(store, rbl_reply_class(reply) == RBL_REPLY_ERROR
                            ? RBL_STR("no valid response")
                            : rbl_reply_error(reply));
        return;
    }

    schema = rbl_reply_int(rbl_reply_at(reply, RBL_META_SCHEMA), -1);
    partitions = rbl_reply_int(rbl_reply_at(reply, RBL_META_PARTITIONS),
                               -1);
    before = store->ks.partitions;

    if (schema == -1) {
        store_drop(store, "not initialised (rblctl init does that)");
        return;
    }

    if (schema != RBL_SCHEMA_VERSION) {
        snprintf(why, sizeof(why), "it has schema %lld, this rbl-checkd needs"
                 " %d (rbl-operations(7), Upgrading)", (long long) schema,
                 RBL_SCHEMA_VERSION);
        store_drop(store, why);
        return;
    }

    if (rbl_keyspace_set_partitions(&store->ks, partitions) != RBL_OK) {
        store_drop(store, "its number of partitions is invalid");
        return;
    }

    if (before != 0 && before != store->ks.partitions) {
        store->ks.partitions = before;
        store_drop(store, "its number of partitions has changed: restart");
        return;
    }

    if (store->message == NULL) {
        store_greeted(store);

    } else {
        store_subscribe(store);
    }
}


static void
on_auth(void *data, const redisReply *reply)
{
    store_t  *store = data;

    if (store->phase == STORE_GREETING && reply != NULL
        && rbl_reply_class(reply) != RBL_REPLY_OK)
    {
        drop_refused(store, rbl_reply_auth_error(reply));
    }
}


/* A replica refuses writes, and every job begins with a write. */

static void
on_role(void *data, const redisReply *reply)
{
    store_t  *store = data;

    if (store->phase != STORE_GREETING || reply == NULL) {
        return;
    }

    switch (rbl_role(reply)) {

    case RBL_ROLE_MASTER:
        return;

    case RBL_ROLE_UNKNOWN:
        drop_refused(store, rbl_reply_class(reply) == RBL_REPLY_OK
                            ? RBL_STR("it does not report its role")
                            : rbl_reply_error(reply));
        return;

    default:
        store_drop(store, "it is a replica, the daemon needs the master");
    }
}


/* Sent with the connect; nothing else is sent before the reply. */

static void
greet(store_t *store)
{
    int              n;
    rbl_key_t        key;
    rbl_str_t        argv[3];
    const config_t  *conf;

    conf = store->conf;
    n = 0;

    if (conf->store_password[0] != '\0') {
        argv[n++] = RBL_STR("AUTH");
        if (conf->store_user[0] != '\0') {
            argv[n++] = rbl_str(conf->store_user);
        }

        argv[n++] = rbl_str(conf->store_password);
        store_send(store, on_auth, store, n, argv);
    }

    store_send(store, on_role, store,
               RBL_COMMAND("INFO", RBL_STR("REPLICATION")));
    store_send(store, on_meta, store,
               RBL_COMMAND("HMGET", rbl_meta_key(&key, &store->ks),
                           RBL_META_FIELDS));
}


void
store_connect(store_t *store)
{
    redisAsyncContext      *ac;
    const rbl_host_port_t  *at = &store->conf->place.hosts[0];

    ac = at->port == 0 ? redisAsyncConnectUnix(at->host)
                       : redisAsyncConnect(at->host, (int) at->port);

    if (ac == NULL || ac->err) {
        lost(store, ac == NULL ? "out of memory" : ac->errstr);
        if (ac != NULL) {
            redisAsyncFree(ac);
        }

        return;
    }

    ac->data = store;
    store->ac = ac;
    rbl_reply_reader(&store->reader, &ac->c, &ac->replies);

    /* The connect call back arms the write event, so the adapter must be
       attached first. */

    redisLibevAttach(store->loop, ac);
    redisAsyncSetConnectCallback(ac, on_connect);
    redisAsyncSetDisconnectCallback(ac, on_disconnect);
    if (at->port != 0) {
        redisEnableKeepAlive(&ac->c);
    }

    store->subscribing = 0;
    store->phase = STORE_GREETING;
    store->connect_deadline = ev_now(store->loop) + store->conf->store_timeout;
    greet(store);
}


/* Arms the timer for the earliest deadline. */

void
store_watch(store_t *store)
{
    double  at;

    at = 0;

    if (store->pending.first != NULL) {
        at = store->pending.first->deadline;
    }

    if (store->phase == STORE_GREETING) {
        at = store->connect_deadline;
    }

    /* A running timer is not moved; it fires and is set again. */

    if (at == 0) {
        ev_timer_stop(store->loop, &store->watch);

    } else if (!ev_is_active(&store->watch)) {
        at -= ev_now(store->loop);
        ev_timer_set(&store->watch, at > 0 ? at + 0.001 : 0, 0);
        ev_timer_start(store->loop, &store->watch);
    }
}


static void
on_watch(struct ev_loop *loop, ev_timer *w, int revents)
{
    double    now;
    store_t  *store = w->data;

    (void) revents;

    now = ev_now(loop);

    if (store->phase == STORE_GREETING) {
        if (now >= store->connect_deadline) {
            store_drop(store, "no reply while connecting");
            return;
        }

    } else if (store->pending.first != NULL
               && now >= store->pending.first->deadline)
    {
        store_drop(store, "no reply in time");
        return;
    }

    store_watch(store);
}


static void
on_retry(struct ev_loop *loop, ev_timer *w, int revents)
{
    (void) loop;
    (void) revents;

    store_connect(w->data);
}


/*
 * Sends all commands of this turn of the loop at once.  hiredis would first
 * wait until the socket is writable, which is necessary only while connecting.
 */

static void
on_flush(struct ev_loop *loop, ev_prepare *w, int revents)
{
    store_t  *store = w->data;

    (void) revents;

    ev_prepare_stop(loop, w);

    if (store->phase == STORE_READY) {
        redisAsyncHandleWrite(store->ac);
    }
}


static void
plan_retry(store_t *store)
{
    double  wait;

    /* Random between half and whole, so that daemons do not reconnect at the
       same time. */

    wait = store->backoff * (0.5 + rand_r(&store->seed) / (RAND_MAX * 2.0));
    store->backoff *= 2;
    if (store->backoff > BACKOFF_MAX) {
        store->backoff = BACKOFF_MAX;
    }

    ev_timer_set(&store->retry, wait, 0);
    ev_timer_start(store->loop, &store->retry);
}


static void
let_go(store_t *store)
{
    redisAsyncContext  *ac;

    ac = store->ac;
    store->ac = NULL;

    if (ac != NULL) {
        ac->data = NULL;
        redisAsyncFree(ac);             /* pending commands fail */
    }
}


/* Commands that fail during these call backs wait for the next kick. */

static void
fail_commands(store_t *store)
{
    int           end;
    store_cmd_t  *cmd, *last;

    last = store->failed.last;

    while ((cmd = store->failed.first) != NULL) {
        store_cut(&store->failed, cmd);

        if (cmd->done != NULL) {
            cmd->done(cmd->data, NULL);
        }

        end = cmd == last;
        free(cmd);

        if (end) {
            break;
        }
    }
}


/* Does all work that must not be done inside a call back of hiredis. */

static void
on_kick(struct ev_loop *loop, ev_timer *w, int revents)
{
    int       ready;
    store_t  *store = w->data;

    (void) loop;
    (void) revents;

    if (store->phase == STORE_DROPPING) {
        let_go(store);
        store->phase = STORE_DOWN;
    }

    ready = store->phase == STORE_READY;

    if (!ready) {
        store_give_up(store);
    }

    if (ready != store->ready_reported) {
        store->ready_reported = (unsigned) ready;
        if (store->state != NULL) {
            store->state(store->data, ready);
        }
    }

    fail_commands(store);

    /* A timer that fires in this turn is pending, and no longer active. */

    if (store->phase == STORE_DOWN && !ev_is_active(&store->retry)
        && !ev_is_pending(&store->retry))
    {
        plan_retry(store);
    }
}


store_t *
store_new(struct ev_loop *loop, const config_t *conf, store_state_pt state,
    void *data)
{
    store_t  *store;

    store = calloc(1, sizeof(store_t));
    if (store == NULL) {
        return NULL;
    }

    store->loop = loop;
    store->conf = conf;
    store->state = state;
    store->data = data;
    store->backoff = BACKOFF_MIN;
    store->seed = (unsigned) getpid() ^ (unsigned) (uintptr_t) store;
    (void) rbl_keyspace_init(&store->ks, rbl_str(conf->store_prefix));

    ev_prepare_init(&store->flush, on_flush);
    ev_timer_init(&store->watch, on_watch, 0, 0);
    ev_timer_init(&store->kick, on_kick, 0, 0);
    ev_timer_init(&store->retry, on_retry, 0, 0);
    store->watch.data = store->kick.data = store->retry.data = store;
    store->flush.data = store;

    ev_timer_start(loop, &store->retry);
    return store;
}


store_t *
store_second(struct ev_loop *loop, const config_t *conf, store_state_pt state,
    void *data)
{
    store_t  *store;

    store = store_new(loop, conf, state, data);

    if (store != NULL) {
        store->second = 1;
    }

    return store;
}


void
store_free(store_t *store)
{
    store_cmd_t  *cmd;

    if (store == NULL) {
        return;
    }

    store->phase = STORE_DROPPING;
    let_go(store);
    store_give_up(store);

    while ((cmd = store->failed.first) != NULL) {
        store_cut(&store->failed, cmd);
        if (cmd->done != NULL) {
            cmd->done(cmd->data, NULL);
        }

        free(cmd);
    }

    ev_prepare_stop(store->loop, &store->flush);
    ev_timer_stop(store->loop, &store->watch);
    ev_timer_stop(store->loop, &store->kick);
    ev_timer_stop(store->loop, &store->retry);
    free(store);
}
