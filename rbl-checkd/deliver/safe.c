/*
 * One wait for each node at a time.  Replies come in the order of commands, so
 * whatever was read before the reply to a wait is safe by it.
 */

#include "safe.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "rbl_nodes.h"

typedef struct {
    safe_t     *safe;
    int         waiting;
    rbl_key_t   key;
    link_t      held;
} safe_node_t;

struct safe_s {
    store_t       *store;
    void         (*rest)(void *data);
    void          *data;
    safe_node_t    node[RBL_NODES_MAX];
};


static void
safe_waited(void *data, const redisReply *reply)
{
    int           good;
    link_t        held;
    safe_t       *safe;
    safe_node_t  *node = data;
    safe_item_t  *item;

    safe = node->safe;
    node->waiting = 0;
    good = store_waited(safe->store, (rbl_str_t) { node->key.s, node->key.n },
                        reply);
    link_init(&held);
    link_move(&held, &node->held);

    while (!link_empty(&held)) {
        item = link_of(link_shift(&held), safe_item_t, link);
        item->done(item, good);
    }

    safe->rest(safe->data);
}


int
safe_hold(safe_t *safe, rbl_str_t key, safe_item_t *item)
{
    unsigned      n;
    safe_node_t  *node;

    n = store_node(safe->store, key);

    if (n >= RBL_NODES_MAX || !store_replicated(safe->store, key)) {
        return 0;
    }

    node = &safe->node[n];
    link_add(&node->held, &item->link);

    if (!node->waiting) {
        node->waiting = 1;
        node->key.n = key.n < sizeof(node->key.s) ? key.n : 0;
        memcpy(node->key.s, key.p, node->key.n);
        store_wait(safe->store, key, safe_waited, node);
    }

    return 1;
}


safe_t *
safe_new(store_t *store, void (*rest)(void *data), void *data)
{
    unsigned   i;
    safe_t    *safe;

    safe = xcalloc(1, sizeof(safe_t));
    safe->store = store;
    safe->rest = rest;
    safe->data = data;

    for (i = 0; i < RBL_NODES_MAX; i++) {
        safe->node[i].safe = safe;
        link_init(&safe->node[i].held);
    }

    return safe;
}


void
safe_free(safe_t *safe)
{
    unsigned  i;

    for (i = 0; i < RBL_NODES_MAX; i++) {
        store_forget(safe->store, &safe->node[i]);

        while (!link_empty(&safe->node[i].held)) {
            (void) link_shift(&safe->node[i].held);
        }
    }

    free(safe);
}
