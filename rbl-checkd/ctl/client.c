/*
 * The client of the store: runs commands and scripts on the server that has the
 * key.  Every error is printed here (fault.c); the commands of rblctl only see
 * a failure.
 */

#include "client.h"
#include "base/xalloc.h"

#include <stdlib.h>


/* The keys of a script stand after its text, which may have anything in it. */
static int
ctl_is_script(int argc, const rbl_str_t *argv)
{
    return argc > 3 && argv[0].n >= 4 && memcmp(argv[0].p, "EVAL", 4) == 0;
}


/* The node of the first key. */
static unsigned
ctl_route(const ctl_t *ctl, int argc, const rbl_str_t *argv)
{
    return ctl_is_script(argc, argv)
           ? rbl_nodes_of(&ctl->store.nodes, argv[3])
           : rbl_nodes_of_words(&ctl->store.nodes, argc, argv);
}


static void
ctl_tried_begin(const ctl_t *ctl, unsigned at, int argc,
    const rbl_str_t *argv, ctl_tried_t *tried)
{
    int  i;

    memset(tried, 0, sizeof(*tried));
    tried->node = at != RBL_NODE_NONE ? at : ctl_route(ctl, argc, argv);
    i = ctl_is_script(argc, argv) ? 3 : argc > 1;
    tried->part = ctl_partition(ctl, argv[i]);
}


/* The reply; NULL: the command was not sent, or it was and the connection was
   lost. */
static redisReply *
ctl_send(ctl_t *ctl, int argc, const rbl_str_t *argv, ctl_tried_t *tried)
{
    ctl_link_t   *link;
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

    link = ctl_node(ctl, tried->node, &tried->why);
    if (link == NULL) {
        return NULL;
    }

    reply = ctl_link_send(link, argc, argv, &tried->why);
    tried->lost = reply == NULL;

    /* its role is looked at again, after the Sentinels were asked */

    if (reply != NULL && reply->type == REDIS_REPLY_ERROR
        && store->nodes.kind == RBL_PLACE_SENTINEL
        && ctl_passes(ctl, &tried->why))
    {
        ctl_link_close(link);
    }

    return reply;
}


redisReply *
ctl_try(ctl_t *ctl, unsigned at, int argc, const rbl_str_t *argv,
    ctl_tried_t *tried)
{
    int          moved;
    ctl_why_t    ignored;
    redisReply  *reply;

    for (moved = 0; /* void */; freeReplyObject(reply)) {
        ctl_tried_begin(ctl, at, argc, argv, tried);
        reply = ctl_send(ctl, argc, argv, tried);

        if (tried->lost
            || (reply != NULL && (reply->type != REDIS_REPLY_ERROR
                                  || !ctl_passes(ctl, &tried->why))))
        {
            ctl_waited(ctl);
            return reply;
        }

        if (rbl_reply_class(reply) == RBL_REPLY_MOVED && !moved
            && rbl_nodes_moved(&ctl->store.nodes, reply, tried->node)
               != RBL_NODE_NONE)
        {
            moved = 1;
            continue;
        }

        if (!ctl_passes(ctl, &tried->why) || !ctl_wait(ctl)) {
            break;
        }

        moved = 0;
        (void) ctl_look(ctl, &ignored);
    }

    if (tried->node != RBL_NODE_NONE && !ctl_of_slot(&tried->why)) {
        ctl->store.gone[tried->node] = tried->why;
    }

    freeReplyObject(reply);

    return NULL;
}


static redisReply *
ctl_run(ctl_t *ctl, unsigned at, int argc, const rbl_str_t *argv)
{
    redisReply   *reply;
    ctl_tried_t   tried;

    reply = ctl_try(ctl, at, argc, argv, &tried);

    if (reply == NULL || (reply->type == REDIS_REPLY_ERROR
                          && rbl_reply_class(reply) != RBL_REPLY_NOSCRIPT))
    {
        ctl_tried_fail(ctl, &tried, reply);
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

    if (config_resolve_store(&ctl->conf, err, sizeof(err)) != 0) {
        ctl_fail("%s", err);
        return -1;
    }

    memset(&tried, 0, sizeof(tried));

    if (ctl_look_first(ctl, &tried.why) != 0) {
        ctl_fail("cannot find the store %s: %s", conf->store, tried.why.text);
        return -1;
    }

    if (conf->place.kind == RBL_PLACE_CLUSTER) {
        return 0;
    }

    while (ctl_node(ctl, 0, &tried.why) == NULL) {
        if (!ctl_passes(ctl, &tried.why) || !ctl_wait(ctl)) {
            ctl_tried_fail(ctl, &tried, NULL);
            return -1;
        }

        (void) ctl_look(ctl, &tried.why);
    }

    return 0;
}


void
ctl_disconnect(ctl_t *ctl)
{
    unsigned  i;

    for (i = 0; i < RBL_NODES_MAX; i++) {
        ctl_link_close(&ctl->store.link[i]);
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

    reply = ctl_run(ctl, node, argc, argv);

    for (i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
        ctl->store.wrote |= reply != NULL && rbl_str_is(argv[0], writes[i]);
    }

    return reply;
}


/* A WATCH belongs to its connection. */
static void
ctl_watch_begun(ctl_t *ctl, int argc, const rbl_str_t *argv)
{
    unsigned  i, node;

    node = ctl_route(ctl, argc, argv);

    for (i = 0; i < RBL_NODES_MAX; i++) {
        ctl->store.link[i].watches = i == node;
    }
}


redisReply *
ctl_command(ctl_t *ctl, int argc, const rbl_str_t *argv)
{
    redisReply  *reply;

    reply = ctl_command_at(ctl, RBL_NODE_NONE, argc, argv);

    if (reply != NULL && rbl_str_is(argv[0], "WATCH")) {
        ctl_watch_begun(ctl, argc, argv);
    }

    return reply;
}


/* Calls `run` with the words of EVALSHA or EVAL. */
static redisReply *
ctl_eval(ctl_t *ctl, rbl_str_t name, rbl_str_t text,
    const rbl_script_t *script, int argc, const rbl_str_t *argv,
    redisReply *(*run)(ctl_t *ctl, unsigned at, int argc,
                       const rbl_str_t *argv))
{
    int              n, split;
    char             guard[RBL_KEY_MAX];
    rbl_str_t       *all;
    redisReply      *reply;
    rbl_audit_by_t   by;

    split = ctl->conf.place.kind == RBL_PLACE_CLUSTER;

    all = xcalloc((size_t) argc + 5, sizeof(rbl_str_t));
    n = 0;
    all[n++] = name;
    all[n++] = text;
    all[n++] = rbl_str(split ? "2" : "1");      /* keys */
    all[n++] = *argv;

    if (split) {
        all[n++] = rbl_nodes_guard(guard, *argv);
    }

    memcpy(&all[n], argv + 1, (size_t) (argc - 1) * sizeof(rbl_str_t));
    n += argc - 1;

    if (script->audited) {
        all[n++] = ctl_by(ctl, &by);
    }

    reply = run(ctl, RBL_NODE_NONE, n, all);
    free(all);

    return reply;
}


redisReply *
ctl_script(ctl_t *ctl, const rbl_script_t *script, int argc,
    const rbl_str_t *argv)
{
    rbl_str_t    source = { script->source, script->source_len };
    redisReply  *reply;

    reply = ctl_eval(ctl, RBL_STR("EVALSHA"), rbl_str(script->sha1), script,
                     argc, argv, ctl_run);

    if (reply != NULL && rbl_reply_class(reply) == RBL_REPLY_NOSCRIPT) {
        freeReplyObject(reply);
        reply = ctl_eval(ctl, RBL_STR("EVAL"), source, script, argc, argv,
                         ctl_run);
    }

    ctl->store.wrote |= reply != NULL;
    ctl->store.durable |= reply != NULL && script->audited;

    return reply;
}


/* Sends a command of a transaction, once, to where the keys are watched. */
static redisReply *
ctl_run_watched(ctl_t *ctl, unsigned at, int argc, const rbl_str_t *argv)
{
    redisReply   *reply;
    ctl_tried_t   tried;

    ctl_tried_begin(ctl, at, argc, argv, &tried);
    reply = ctl_send(ctl, argc, argv, &tried);

    if (reply == NULL || (reply->type == REDIS_REPLY_ERROR
                          && !ctl_passes(ctl, &tried.why)
                          && strncmp(tried.why.text, "EXECABORT", 9) != 0))
    {
        ctl_tried_fail(ctl, &tried, reply);
        return NULL;
    }

    return reply;
}


int
ctl_watched(ctl_t *ctl, const rbl_script_t *script, int argc,
    const rbl_str_t *argv, redisReply **reply)
{
    int          i, rc;
    unsigned     node;
    rbl_str_t    source = { script->source, script->source_len };
    redisReply  *said[4];

    node = rbl_nodes_of(&ctl->store.nodes, argv[0]);

    if (node == RBL_NODE_NONE || !ctl->store.link[node].watches) {
        return 1;
    }

    ctl->store.link[node].watches = 0;

    /* in a transaction, EVALSHA of an unknown script would be queued and
       fail */

    said[0] = ctl_run_watched(ctl, node, RBL_COMMAND("SCRIPT", RBL_STR("LOAD"),
                              source));
    said[1] = said[0] == NULL ? NULL
              : ctl_run_watched(ctl, node, RBL_WORDS(RBL_STR("MULTI")));
    said[2] = said[1] == NULL ? NULL
              : ctl_eval(ctl, RBL_STR("EVALSHA"), rbl_str(script->sha1),
                         script, argc, argv, ctl_run_watched);
    said[3] = said[2] == NULL ? NULL
              : ctl_run_watched(ctl, node, RBL_WORDS(RBL_STR("EXEC")));

    *reply = said[3];
    rc = *reply == NULL ? -1 : (*reply)->type != REDIS_REPLY_ARRAY;

    for (i = 0; i < 3 + (rc != 0); i++) {
        freeReplyObject(said[i]);
    }

    return rc;
}
