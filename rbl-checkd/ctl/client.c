/*
 * The client of the store: runs commands and scripts on the server that has the
 * key.  Every error is printed here (fault.c); the commands of rblctl only see
 * a failure.
 */

#include "client.h"
#include "base/xalloc.h"

#include <stdlib.h>


/* The node of the first key. */
static unsigned
ctl_route(const ctl_t *ctl, const rbl_script_t *script, int argc,
    const rbl_str_t *argv)
{
    return script != NULL ? rbl_nodes_of(ctl->store.nodes, argv[0])
           : rbl_nodes_of_words(ctl->store.nodes, argc, argv);
}


static void
ctl_tried_begin(const ctl_t *ctl, unsigned at, const rbl_script_t *script,
    int argc, const rbl_str_t *argv, ctl_tried_t *tried)
{
    memset(tried, 0, sizeof(*tried));
    tried->node = at != RBL_NODE_NONE ? at
                                      : ctl_route(ctl, script, argc, argv);
    tried->part = ctl_partition(ctl, argv[script == NULL && argc > 1]);
}


/* The reply; NULL: the command was not sent, or it was and the connection was
   lost. */
static redisReply *
ctl_send(ctl_t *ctl, const rbl_script_t *script, int argc,
    const rbl_str_t *argv, ctl_tried_t *tried)
{
    redisReply   *reply;
    ctl_store_t  *store;

    store = &ctl->store;

    /* a command waits for a node only once: the next ones fail at once */

    if (tried->node != RBL_NODE_NONE
        && store->gone[tried->node].text[0] != '\0')
    {
        tried->why = store->gone[tried->node];
        return NULL;
    }

    if (!ctl_ready(ctl, tried->node, &tried->why)) {
        return NULL;
    }

    store->used[tried->node] = 1;
    reply = ctl_ask(ctl, tried->node, script, argc, argv, &tried->why);
    tried->lost = reply == NULL;

    /* its role is looked at again, after the Sentinels were asked */

    if (reply != NULL && reply->type == REDIS_REPLY_ERROR
        && store->nodes->kind == RBL_PLACE_SENTINEL
        && ctl_passes(ctl, &tried->why))
    {
        store_again(store->store, tried->node, tried->why.text);
    }

    return reply;
}


/* ctl_try, also of a script. */
static redisReply *
ctl_try_all(ctl_t *ctl, unsigned at, const rbl_script_t *script, int argc,
    const rbl_str_t *argv, ctl_tried_t *tried)
{
    int          moved;
    redisReply  *reply;

    for (moved = 0; /* void */; freeReplyObject(reply)) {
        ctl_tried_begin(ctl, at, script, argc, argv, tried);
        reply = ctl_send(ctl, script, argc, argv, tried);

        if (tried->lost
            || (reply != NULL && (reply->type != REDIS_REPLY_ERROR
                                  || !ctl_passes(ctl, &tried->why))))
        {
            ctl_waited(ctl);
            return reply;
        }

        if (rbl_reply_class(reply) == RBL_REPLY_MOVED && !moved
            && store_moved(ctl->store.store, tried->node, reply)
               != RBL_NODE_NONE)
        {
            moved = 1;
            continue;
        }

        if (!ctl_passes(ctl, &tried->why) || !ctl_wait(ctl)) {
            break;
        }

        moved = 0;
        (void) ctl_look(ctl);
    }

    if (tried->node != RBL_NODE_NONE && !ctl_of_slot(&tried->why)) {
        ctl->store.gone[tried->node] = tried->why;
    }

    freeReplyObject(reply);

    return NULL;
}


redisReply *
ctl_try(ctl_t *ctl, unsigned at, int argc, const rbl_str_t *argv,
    ctl_tried_t *tried)
{
    return ctl_try_all(ctl, at, NULL, argc, argv, tried);
}


/* Is the reply one that Redis gives?  The caller would take another
   one for an empty store.  The word of a script is in capital letters. */
static int
ctl_fits(const rbl_script_t *script, rbl_str_t name, const redisReply *reply)
{
    size_t     i;
    rbl_str_t  word;

    static const struct {
        const char  *name;
        int          type;
    } types[] = {
        { "DEL", REDIS_REPLY_INTEGER }, { "EXISTS", REDIS_REPLY_INTEGER },
        { "HLEN", REDIS_REPLY_INTEGER }, { "HSET", REDIS_REPLY_INTEGER },
        { "HSETNX", REDIS_REPLY_INTEGER }, { "XLEN", REDIS_REPLY_INTEGER },
        { "ZCARD", REDIS_REPLY_INTEGER }, { "ZREM", REDIS_REPLY_INTEGER },
        { "HGETALL", REDIS_REPLY_ARRAY }, { "HKEYS", REDIS_REPLY_ARRAY },
        { "HMGET", REDIS_REPLY_ARRAY }, { "MGET", REDIS_REPLY_ARRAY },
        { "ZRANGE", REDIS_REPLY_ARRAY }, { "ZREVRANGE", REDIS_REPLY_ARRAY }
    };

    if (script != NULL) {
        word = rbl_reply_word(reply);
        return word.n > 0 && word.p[0] >= 'A' && word.p[0] <= 'Z';
    }

    for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (rbl_str_is(name, types[i].name)) {
            return reply->type == types[i].type
                   && (reply->type != REDIS_REPLY_INTEGER
                       || reply->integer >= 0);
        }
    }

    return 1;
}


static redisReply *
ctl_run(ctl_t *ctl, unsigned at, const rbl_script_t *script, int argc,
    const rbl_str_t *argv)
{
    char          server[CTL_NODE_TEXT];
    redisReply   *reply;
    ctl_tried_t   tried;

    reply = ctl_try_all(ctl, at, script, argc, argv, &tried);

    if (reply == NULL || reply->type == REDIS_REPLY_ERROR) {
        ctl_tried_fail(ctl, &tried, reply);
        return NULL;
    }

    if (!ctl_fits(script, argv[0], reply)) {
        ctl_fail("%s does not reply to %s as Redis does: is it Redis or"
                 " Valkey?", ctl_server_text(ctl, server, tried.node),
                 script != NULL ? "a script" : argv[0].p);
        freeReplyObject(reply);
        return NULL;
    }

    return reply;
}


int
ctl_connect(ctl_t *ctl)
{
    char             err[512];
    ctl_tried_t      tried;
    const config_t  *conf;

    conf = &ctl->conf;

    if (conf->store_user[0] != '\0' && conf->store_password[0] == '\0') {
        ctl_fail("user %s of the store has no password: --password-file names"
                 " its file", conf->store_user);
        return -1;
    }

    if (config_secure_store(&ctl->conf, err, sizeof(err)) != 0
        || config_resolve_store(&ctl->conf, err, sizeof(err)) != 0)
    {
        ctl_fail("%s", err);
        return -1;
    }

    memset(&tried, 0, sizeof(tried));

    if (ctl_find(ctl, &tried.why) == 0) {
        return 0;
    }

    /* the Sentinels have not named a master */

    if (conf->place.kind == RBL_PLACE_CLUSTER
        || ctl->store.nodes->node[0].at.host[0] == '\0')
    {
        ctl_fail("cannot find the store %s: %s", conf->store, tried.why.text);

    } else {
        ctl_tried_fail(ctl, &tried, NULL);
    }

    return -1;
}


void
ctl_disconnect(ctl_t *ctl)
{
    store_free(ctl->store.store);

    if (ctl->store.loop != NULL) {
        ev_loop_destroy(ctl->store.loop);
    }
}


redisReply *
ctl_command_at(ctl_t *ctl, unsigned node, int argc, const rbl_str_t *argv)
{
    static const char *const  writes[] = {
        "HSETNX", "HSET", "ZADD", "ZREM", "DEL"
    };

    size_t       i;
    redisReply  *reply;

    reply = ctl_run(ctl, node, NULL, argc, argv);

    for (i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
        ctl->store.wrote |= reply != NULL && rbl_str_is(argv[0], writes[i]);
    }

    return reply;
}


redisReply *
ctl_command(ctl_t *ctl, int argc, const rbl_str_t *argv)
{
    redisReply   *reply;
    ctl_store_t  *store;

    reply = ctl_command_at(ctl, RBL_NODE_NONE, argc, argv);

    /* a WATCH belongs to its connection */

    if (reply != NULL && rbl_str_is(argv[0], "WATCH")) {
        store = &ctl->store;
        store->watch_node = ctl_route(ctl, NULL, argc, argv);
        store->watched = store_see(store->store,
                                   store->watch_node).connection;
    }

    return reply;
}


/* The arguments of a script: those of argv, and, if it is audited, one more.
   The caller frees them. */
static rbl_str_t *
ctl_script_args(const ctl_t *ctl, const rbl_script_t *script, int *argc,
    const rbl_str_t *argv, rbl_audit_by_t *by)
{
    rbl_str_t  *all;

    all = xcalloc((size_t) *argc + 1, sizeof(rbl_str_t));
    memcpy(all, argv, (size_t) *argc * sizeof(rbl_str_t));

    if (script->audited) {
        all[(*argc)++] = ctl_by(ctl, by);
    }

    return all;
}


redisReply *
ctl_script(ctl_t *ctl, const rbl_script_t *script, int argc,
    const rbl_str_t *argv)
{
    rbl_str_t       *all;
    redisReply      *reply;
    rbl_audit_by_t   by;

    all = ctl_script_args(ctl, script, &argc, argv, &by);
    reply = ctl_run(ctl, RBL_NODE_NONE, script, argc, all);
    free(all);

    ctl->store.wrote |= reply != NULL;
    ctl->store.durable |= reply != NULL && script->audited;

    return reply;
}


/* Runs a script in a transaction.  Returns the reply to EXEC, or that of the
   command that failed. */
static redisReply *
ctl_exec(ctl_t *ctl, unsigned node, const rbl_script_t *script, int argc,
    const rbl_str_t *argv, ctl_why_t *why)
{
    int               i;
    redisReply       *reply;
    const rbl_str_t   multi = RBL_STR("MULTI"), exec = RBL_STR("EXEC");
    const rbl_str_t   load[] = {
        RBL_STR("SCRIPT"), RBL_STR("LOAD"),
        { script->source, script->source_len }
    };

    /* in a transaction, EVALSHA of an unknown script would be queued and
       fail */

    const struct {
        const rbl_script_t  *script;
        int                  argc;
        const rbl_str_t     *argv;
    } step[] = {
        { NULL, 3, load }, { NULL, 1, &multi }, { script, argc, argv },
        { NULL, 1, &exec }
    };

    for (i = 0, reply = NULL; i < 4; i++) {
        freeReplyObject(reply);
        reply = ctl_ask(ctl, node, step[i].script, step[i].argc, step[i].argv,
                        why);

        if (reply == NULL || (reply->type == REDIS_REPLY_ERROR
                              && !ctl_passes(ctl, why)))
        {
            break;
        }
    }

    return reply;
}


int
ctl_watched(ctl_t *ctl, const rbl_script_t *script, int argc,
    const rbl_str_t *argv, redisReply **reply)
{
    rbl_str_t       *all;
    ctl_store_t     *store;
    ctl_tried_t      tried;
    rbl_audit_by_t   by;

    store = &ctl->store;
    ctl_tried_begin(ctl, RBL_NODE_NONE, script, argc, argv, &tried);

    if (store->watched == 0 || tried.node != store->watch_node
        || store_see(store->store, tried.node).connection != store->watched)
    {
        return 1;
    }

    store->watched = 0;
    all = ctl_script_args(ctl, script, &argc, argv, &by);
    *reply = ctl_exec(ctl, tried.node, script, argc, all, &tried.why);
    free(all);

    if (*reply != NULL && (*reply)->type == REDIS_REPLY_ARRAY) {
        return 0;
    }

    if (*reply == NULL || ((*reply)->type == REDIS_REPLY_ERROR
                           && !ctl_passes(ctl, &tried.why)
                           && strncmp(tried.why.text, "EXECABORT", 9) != 0))
    {
        tried.lost = *reply == NULL;
        ctl_tried_fail(ctl, &tried, *reply);
        return -1;
    }

    freeReplyObject(*reply);

    return 1;
}
