/*
 * Waits at the end of a command that has changed an account, or the meta data,
 * until the replicas have the change, because a failover could undo it
 * otherwise.
 */

#include "client.h"

#include "rbl_role.h"

#define DURABLE_WAIT  "1000"            /* ms */


/* How many replicas the node has, or had since it was connected: one that is
   gone may be the master by now. */
static int64_t
ctl_replicas(ctl_t *ctl, unsigned node)
{
    int64_t      near, most;
    ctl_why_t    why;
    redisReply  *reply;

    reply = ctl_ask(ctl, node, NULL,
                    RBL_COMMAND("INFO", RBL_STR("REPLICATION")), &why);
    near = rbl_replicas_near(reply);
    most = store_see(ctl->store.store, node).replicas;
    freeReplyObject(reply);

    return near > most ? near : most;
}


/* A change, which WAIT waits for.  0: it was refused. */
static int
ctl_touch(ctl_t *ctl, unsigned node)
{
    int          good;
    ctl_why_t    why;
    rbl_key_t    key;
    rbl_str_t    touch;
    redisReply  *reply;

    touch = rbl_nodes_touch(&key, ctl->store.nodes, &ctl->ks, node);

    if (touch.n == 0) {
        return 1;                       /* the store is not initialised yet */
    }

    reply = ctl_ask(ctl, node, NULL,
                    RBL_COMMAND("SET", touch, RBL_STR("")), &why);
    good = rbl_reply_class(reply) == RBL_REPLY_OK;
    freeReplyObject(reply);

    return good;
}


/* So many of them have all changes. */
static int64_t
ctl_replicas_have(ctl_t *ctl, unsigned node, int64_t replicas)
{
    char         text[RBL_OUT_INT];
    int64_t      n;
    ctl_why_t    why;
    redisReply  *reply;

    if (!ctl_touch(ctl, node)) {
        return 0;
    }

    reply = ctl_ask(ctl, node, NULL,
                    RBL_COMMAND("WAIT", rbl_out_int_text(text, replicas),
                                RBL_STR(DURABLE_WAIT)), &why);
    n = rbl_reply_int(reply, 0);
    freeReplyObject(reply);

    return n;
}


/* Do the Sentinels still name the server? */
static int
ctl_is_still(ctl_t *ctl, unsigned i)
{
    unsigned           changed;
    ctl_why_t          why;
    const rbl_node_t  *node;

    if (ctl->conf.place.kind != RBL_PLACE_SENTINEL) {
        return 1;
    }

    node = &ctl->store.nodes->node[i];
    changed = node->changed;
    ctl->store.until = 0;
    store_again(ctl->store.store, i, "a replica is gone");

    while (!ctl_ready(ctl, i, &why)) {
        if (!ctl_passes(ctl, &why) || !ctl_wait(ctl)) {
            return 0;
        }
    }

    return node->changed == changed;
}


static int
ctl_node_durable(ctl_t *ctl, unsigned i)
{
    int64_t   n, have;
    store_t  *store;

    store = ctl->store.store;

    if (!ctl->store.used[i] || store_see(store, i).connection == 0) {
        return 1;
    }

    n = ctl_replicas(ctl, i);

    if (n == 0) {
        return 1;
    }

    have = store_see(store, i).connection != 0
           ? ctl_replicas_have(ctl, i, n) : 0;

    return have >= n || (have > 0 && ctl_is_still(ctl, i));
}


int
ctl_durable(ctl_t *ctl)
{
    unsigned  i;

    if (ctl->conf.place.kind == RBL_PLACE_ONE || !ctl->store.durable) {
        return 0;
    }

    for (i = 0; i < ctl->store.nodes->n; i++) {
        if (!ctl_node_durable(ctl, i)) {
            ctl_fail("the change was made, but no replica confirms it within"
                     " a second: a failover could undo it. Look at rblctl"
                     " status, and whether the change is still there.");
            return -1;
        }
    }

    return 0;
}
