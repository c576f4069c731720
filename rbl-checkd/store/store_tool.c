/*
 * The store of a tool: the caller chooses the node, gets all replies, and asks
 * what is wrong.
 */

#include "base/xalloc.h"
#include "store_int.h"


store_t *
store_tool(struct ev_loop *loop, const config_t *conf,
    const store_tool_t *tool)
{
    store_t  *store;

    store = store_second(loop, conf, NULL, NULL);
    store->tool = tool;

    return store;
}


const rbl_nodes_t *
store_nodes(const store_t *store)
{
    return &store->nodes;
}


store_seen_t
store_see(const store_t *store, unsigned node)
{
    store_seen_t         seen = { 0, "", RBL_REPLY_OK, 0 };
    const store_link_t  *link = store->link[node];

    if (link == NULL) {
        return seen;
    }

    if (link->phase == STORE_READY
        && link->changed == store->nodes.node[node].changed)
    {
        seen.connection = link->connection;
    }

    seen.why = link->why;
    seen.said = link->said;
    seen.replicas = link->replicas;

    return seen;
}


void
store_again(store_t *store, unsigned node, const char *why)
{
    store_drop(store->link[node], why);
}


const char *
store_slots(store_t *store, unsigned node, const redisReply *reply)
{
    return store_map_take(store->link[node], reply);
}


unsigned
store_moved(store_t *store, unsigned node, const redisReply *moved)
{
    store_kick(store);

    return rbl_nodes_moved(&store->nodes, moved, node);
}


void
store_send_at(store_t *store, unsigned node, const rbl_script_t *script,
    store_reply_pt done, void *data, int argc, const rbl_str_t *argv)
{
    store_link_t  *link = store->link[node];

    if (!store_link_ready(store, node)) {
        store_fail_new(store, done, data);

    } else if (script != NULL) {
        store_link_script(link, 0, script, done, data, argc, argv);

    } else {
        store_link_command(link, done, data, argc, argv);
    }
}


/* As hiredis makes replies, so that it frees them as well. */

redisReply *
store_take(const redisReply *reply)
{
    size_t       i;
    redisReply  *copy;

    copy = xcalloc(1, sizeof(redisReply));
    copy->type = reply->type;
    copy->integer = reply->integer;

    if (reply->str != NULL) {
        copy->str = xstrndup(reply->str, reply->len);
        copy->len = reply->len;
    }

    if (reply->elements > 0) {
        copy->element = xcalloc(reply->elements, sizeof(redisReply *));
        copy->elements = reply->elements;
    }

    for (i = 0; i < reply->elements; i++) {
        copy->element[i] = store_take(reply->element[i]);
    }

    return copy;
}
