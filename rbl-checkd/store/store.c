/*
 * The store: its links, its state, and the way of each command to a link.
 */

#include "base/xalloc.h"
#include "store_int.h"

#include <stdlib.h>

#define STORE_COUNT  1.0                /* s between questions of a link for
                                           replicas, while it has none */

static const store_link_kind_t  one = {
    .seek = store_open_node, .greet = store_greet, .met = store_link_up
};


int
store_link_ready(const store_t *store, unsigned node)
{
    return node < store->nodes.n && store->link[node] != NULL
           && store->link[node]->phase == STORE_READY;
}


/* Any ready link; NULL: none. */

static store_link_t *
any_link(const store_t *store)
{
    unsigned  i;

    for (i = 0; i < store->nodes.n; i++) {
        if (store_link_ready(store, i)) {
            return store->link[i];
        }
    }

    return NULL;
}


/* The link for a command, or for a script, whose first word is a key; NULL: it
   is not ready.  Without a cluster there is only one. */

static store_link_t *
link_for(const store_t *store, int script, int argc, const rbl_str_t *argv)
{
    unsigned  i;

    if (store->nodes.kind != RBL_PLACE_CLUSTER) {
        return store->link[0]->phase == STORE_READY ? store->link[0] : NULL;
    }

    if (!script && argc == 1) {
        return any_link(store);
    }

    i = script ? rbl_nodes_of(&store->nodes, argv[0])
               : rbl_nodes_of_words(&store->nodes, argc, argv);

    return store_link_ready(store, i) ? store->link[i] : NULL;
}


void
store_command(store_t *store, store_reply_pt done, void *data, int argc,
    const rbl_str_t *argv)
{
    store_link_t  *link;

    link = link_for(store, 0, argc, argv);

    if (link == NULL) {
        store_fail_new(store, done, data);

    } else {
        store_link_command(link, done, data, argc, argv);
    }
}


static store_link_t *
node_link(const store_t *store, rbl_str_t key)
{
    unsigned  node;

    node = rbl_nodes_of(&store->nodes, key);

    return store->nodes.kind != RBL_PLACE_ONE && node != RBL_NODE_NONE
           ? store->link[node] : NULL;
}


static void
on_replicas(void *data, const redisReply *reply)
{
    int64_t        near;
    store_link_t  *link = data;

    near = rbl_replicas_near(reply);

    if (near > link->replicas) {
        link->replicas = near;
    }
}


static void
on_touched(void *data, const redisReply *reply)
{
    store_link_t  *link = data;

    link->touched = rbl_reply_class(reply) == RBL_REPLY_OK;
}


/* The reply to INFO comes before that to WAIT: store_waited knows of replicas
   that have come since the greeting. */

void
store_wait(store_t *store, rbl_str_t key, store_reply_pt done, void *data)
{
    char           text[RBL_OUT_INT];
    rbl_key_t      touch;
    store_link_t  *link;

    link = link_for(store, 1, 1, &key);

    if (link == NULL) {
        store_fail_new(store, done, data);
        return;
    }

    store_link_command(link, on_touched, link,
                       RBL_COMMAND("SET", rbl_nodes_touch(&touch, &store->nodes,
                                                       store_keyspace(store),
                                                       link->node),
                                   RBL_STR("")));
    store_link_command(link, on_replicas, link,
                       RBL_COMMAND("INFO", RBL_STR("REPLICATION")));
    store_link_command(link, done, data,
                       RBL_COMMAND("WAIT",
                                   rbl_out_int_text(text,
                                                    link->replicas > 1
                                                    ? link->replicas : 1),
                                   RBL_STR(STORE_WAIT)));
}


int
store_waited(store_t *store, rbl_str_t key, const redisReply *reply)
{
    int            touched;
    int64_t        n;
    store_link_t  *link;

    link = node_link(store, key);
    n = rbl_reply_int(reply, 0);

    if (link == NULL || reply == NULL) {
        return 0;
    }

    touched = link->touched;
    link->touched = 0;

    if (!touched) {
        return 0;
    }

    if (n >= link->replicas
        || (n > 0 && store->nodes.kind != RBL_PLACE_SENTINEL))
    {
        return 1;
    }

    store_drop(link, "a replica is gone, and may be the master now");

    return 0;
}


/* A master that had no replica when it was greeted may have got one. */

int
store_replicated(store_t *store, rbl_str_t key)
{
    store_link_t  *link;

    link = node_link(store, key);

    if (link == NULL || link->replicas > 0) {
        return link != NULL;
    }

    if (link->phase == STORE_READY
        && clock_now() - link->counted >= STORE_COUNT)
    {
        link->counted = clock_now();
        store_link_command(link, on_replicas, link,
                           RBL_COMMAND("INFO", RBL_STR("REPLICATION")));
    }

    return 0;
}


unsigned
store_node(const store_t *store, rbl_str_t key)
{
    return store->nodes.kind == RBL_PLACE_CLUSTER
           ? rbl_nodes_of(&store->nodes, key) : 0;
}


unsigned
store_command_all(store_t *store, store_reply_pt done, void *data, int argc,
    const rbl_str_t *argv)
{
    unsigned  i, n;

    for (i = 0, n = 0; i < store->nodes.n; i++) {
        if (store_link_ready(store, i) && store->nodes.node[i].used) {
            store_link_command(store->link[i], done, data, argc, argv);
            n++;
        }
    }

    return n;
}


static void
send_script(store_t *store, unsigned late, const rbl_script_t *script,
    store_reply_pt done, void *data, int argc, const rbl_str_t *argv)
{
    store_link_t  *link;

    link = link_for(store, 1, argc, argv);

    if (link == NULL) {
        store_fail_new(store, done, data);

    } else {
        store_link_script(link, late, script, done, data, argc, argv);
    }
}


void
store_script(store_t *store, const rbl_script_t *script, store_reply_pt done,
    void *data, int argc, const rbl_str_t *argv)
{
    send_script(store, 0, script, done, data, argc, argv);
}


void
store_script_late(store_t *store, const rbl_script_t *script,
    store_reply_pt done, void *data, int argc, const rbl_str_t *argv)
{
    send_script(store, 1, script, done, data, argc, argv);
}


void
store_forget(store_t *store, void *data)
{
    unsigned  i;

    for (i = 0; i < store->nodes.n; i++) {
        if (store->link[i] != NULL) {
            store_link_forget(store->link[i], data);
        }
    }

    store_queue_forget(&store->failed, data);
}


static int
is_ready(const store_t *store)
{
    return any_link(store) != NULL
           && (store->ks.partitions != 0
               || store->nodes.kind != RBL_PLACE_CLUSTER);
}


unsigned
store_failovers(const store_t *store)
{
    return store->failovers;
}


int
store_ready(const store_t *store)
{
    return store->ready_reported && is_ready(store);
}


const rbl_keyspace_t *
store_keyspace(const store_t *store)
{
    return &store->ks;
}


/* Commands that fail during these call backs wait for the next kick. */

static void
fail_commands(store_t *store)
{
    int            end;
    store_cmd_t   *cmd;
    const link_t  *last = store->failed.prev;

    for (end = 0; !end && (cmd = store_first(&store->failed)) != NULL; ) {
        end = &cmd->queue == last;
        link_remove(&cmd->queue);

        if (cmd->done != NULL) {
            cmd->done(cmd->data, NULL);
        }

        free(cmd);
    }
}


static void
report(store_t *store)
{
    int  ready;

    ready = is_ready(store);

    if (ready != store->ready_reported || (ready && store->renewed)) {
        store->ready_reported = (unsigned) ready;
        store->renewed = 0;

        if (store->state != NULL) {
            store->state(store->data, ready);
        }
    }
}


static void
close_dropped(store_link_t *link)
{
    if (link != NULL && link->phase == STORE_DROPPING) {
        store_let_go(link);
    }
}


static void
plan_retries(store_t *store)
{
    unsigned  i;

    for (i = 0; i < store->nodes.n; i++) {
        if (store->link[i] != NULL && store->link[i]->phase == STORE_DOWN
            && (store->nodes.kind != RBL_PLACE_CLUSTER
                || rbl_nodes_wanted(&store->nodes, i)))
        {
            store_plan_retry(store->link[i]);
        }
    }
}


/* Does all work that must not be done inside a call back of hiredis. */

static void
on_kick(void *data)
{
    unsigned  i;
    store_t  *store = data;

    for (i = 0; i < store->nodes.n; i++) {
        close_dropped(store->link[i]);
    }

    if (store->nodes.kind == RBL_PLACE_CLUSTER) {
        store_map_kick(store);

    } else if (store->sentinel != NULL) {
        close_dropped(store->sentinel);
        store_sentinel_kick(store);
    }

    for (i = 0; i < store->nodes.n; i++) {
        if (store->link[i] != NULL && !store_link_ready(store, i)) {
            store_give_up(store->link[i]);
        }
    }

    report(store);
    fail_commands(store);
    plan_retries(store);
    store_listen_kick(store);
}


store_t *
store_make(struct ev_loop *loop, const config_t *conf, rbl_place_kind_t kind,
    store_state_pt state, void *data)
{
    store_t  *store;

    store = xcalloc(1, sizeof(store_t));
    store->loop = loop;
    store->conf = conf;
    store->state = state;
    store->data = data;
    link_init(&store->failed);
    (void) rbl_keyspace_init(&store->ks, rbl_str(conf->store_prefix));
    rbl_nodes_init(&store->nodes, kind, &conf->store_map);
    timer_init(&store->kick, loop, on_kick, store);

    return store;
}


void
store_make_one(store_t *store, const store_link_kind_t *kind)
{
    (void) rbl_nodes_seed(&store->nodes, &store->conf->place.hosts[0]);
    store->link[0] = store_link_new(store, kind, 0);
    store_link_fresh(store->link[0]);
}


store_t *
store_new(struct ev_loop *loop, const config_t *conf, store_state_pt state,
    void *data)
{
    store_t  *store;

    store = store_make(loop, conf, conf->place.kind, state, data);

    switch (conf->place.kind) {

    case RBL_PLACE_CLUSTER:
        store_map_init(store);
        break;

    case RBL_PLACE_SENTINEL:
        store_sentinel_init(store);
        break;

    default:
        store_make_one(store, &one);
    }

    return store;
}


store_t *
store_second(struct ev_loop *loop, const config_t *conf, store_state_pt state,
    void *data)
{
    store_t  *store;

    store = store_new(loop, conf, state, data);
    store->second = 1;

    return store;
}


static void
free_links(store_t *store)
{
    unsigned  i;

    for (i = 0; i < store->nodes.n; i++) {
        free(store->link[i]);
    }

    free(store->sentinel);
}


void
store_free(store_t *store)
{
    unsigned  i;

    if (store == NULL) {
        return;
    }

    for (i = 0; i < store->nodes.n; i++) {
        store_link_end(store->link[i]);
    }

    store_link_end(store->sentinel);

    while (!link_empty(&store->failed)) {
        fail_commands(store);
    }

    free_links(store);
    timer_stop(&store->kick);
    timer_stop(&store->map);

    if (store->of != NULL) {
        store->of->listener = NULL;
    }

    free(store);
}
