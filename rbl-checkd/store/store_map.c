/*
 * The nodes of a cluster: one link to each, and where each partition is.  The
 * map of slots comes with each greeting; later any ready node is asked for it,
 * another one each time, since a node that is cut off has an old map.
 */

#include "base/log.h"
#include "store_int.h"

#include <stdio.h>

#define MAP_EVERY  60.0                 /* s */
#define MAP_AGAIN  0.2                  /* while a partition is away */
#define MAP_LONG   1.0                  /* away for so long: a warning */


/* --- the map of slots ---------------------------------------------------- */

static void
stale(store_t *store)
{
    if (store->tool == NULL) {
        timer_by(&store->map, store->map_at + MAP_AGAIN - clock_now());
    }
}


const char *
store_map_take(store_link_t *link, const redisReply *slots)
{
    const char  *why;

    why = rbl_nodes_slots(&link->store->nodes, slots, link->node);
    store_kick(link->store);

    return why;
}


static void
on_map(void *data, const redisReply *reply)
{
    char           name[STORE_NAME];
    const char    *why;
    store_link_t  *link = data;
    store_t       *store = link->store;

    store->map_asked = NULL;

    if (reply == NULL || rbl_reply_class(reply) != RBL_REPLY_OK) {
        stale(store);
        return;
    }

    why = store_map_take(link, reply);

    if (why == NULL) {
        why = "";

    } else if (strcmp(why, store->map_why) != 0 && !store->second) {
        log_warn("%s: %s", store_name(name, link), why);
    }

    snprintf(store->map_why, sizeof(store->map_why), "%s", why);
}


/* The next ready node after the one that was asked last; NULL: none. */

static store_link_t *
next_ready(store_t *store)
{
    unsigned  i, n = store->nodes.n;

    for (i = 1; i <= n; i++) {
        if (store_link_ready(store, (store->map_next + i) % n)) {
            store->map_next = (store->map_next + i) % n;
            return store->link[store->map_next];
        }
    }

    return NULL;
}


/* --- the meta data, if no node had them when it was greeted -------------- */

static void
on_meta(void *data, const redisReply *reply)
{
    char           why[RBL_META_WHY];
    const char    *wrong;
    store_link_t  *link = data;

    if (reply == NULL || rbl_reply_class(reply) != RBL_REPLY_OK) {
        return;
    }

    wrong = store_take_meta(link->store, reply, why);

    if (wrong != NULL) {
        store_drop(link, wrong);
    }

    store_kick(link->store);
}


/* A store of an earlier schema has no copies. */

static void
on_copy(void *data, const redisReply *reply)
{
    rbl_meta_t  meta;

    rbl_meta_read(&meta, reply);

    if (meta.schema != -1) {
        on_meta(data, reply);
    }
}


static void
ask_meta(store_t *store)
{
    unsigned   i, copy;
    rbl_key_t  key;

    i = rbl_nodes_of(&store->nodes, rbl_meta_key(&key, &store->ks));

    if (store_link_ready(store, i)) {
        store_ask_meta(store->link[i], rbl_meta_key(&key, &store->ks),
                       on_meta);
        return;
    }

    for (i = 0; i < store->nodes.n; i++) {
        copy = rbl_nodes_copy(&store->nodes, i);

        if (copy != RBL_META_COPIES && store_link_ready(store, i)) {
            store_ask_meta(store->link[i],
                           rbl_meta_copy_key(&key, &store->ks, copy), on_copy);
            return;
        }
    }
}


static void
on_timer(void *data)
{
    store_t       *store = data;
    store_link_t  *link;

    link = store->map_asked == NULL ? next_ready(store) : NULL;
    store->map_at = clock_now();
    timer_by(&store->map, store->n_away > 0 ? MAP_AGAIN : MAP_EVERY);

    if (link != NULL) {
        store->map_asked = link;
        store_send(link, on_map, link,
                   RBL_COMMAND("CLUSTER", RBL_STR("SLOTS")));
    }

    if (store->ks.partitions == 0) {
        ask_meta(store);
    }
}


/* --- callbacks of a link ------------------------------------------------- */

static void
on_myid(void *data, const redisReply *reply)
{
    store_link_t  *link = data;

    if (!store_greeting(link, reply)) {
        return;
    }

    if (rbl_reply_class(reply) != RBL_REPLY_OK) {
        store_drop_refused(link, reply,
                           link->store->tool != NULL
                           && rbl_reply_class(reply) == RBL_REPLY_ERROR
                           ? RBL_STR("it is no node of a cluster")
                           : rbl_reply_error(reply));

    } else if (!rbl_nodes_is(&link->store->nodes, reply, link->node)) {
        store_drop(link, "another server has its address");
        stale(link->store);
    }
}


static void
on_slots(void *data, const redisReply *reply)
{
    const char    *why;
    store_link_t  *link = data;

    if (!store_greeting(link, reply)) {
        return;
    }

    why = store_map_take(link, reply);

    if (why != NULL) {
        store_drop(link, why);
    }
}


static void
greet(store_link_t *link)
{
    store_greet_auth(link);
    store_send(link, on_myid, link, RBL_COMMAND("CLUSTER", RBL_STR("MYID")));
    store_send(link, on_slots, link, RBL_COMMAND("CLUSTER", RBL_STR("SLOTS")));
    store_greet_role(link);
}


static void
met(store_link_t *link)
{
    store_link_up(link);
    link->store->renewed = 1;
}


/* The command goes to the node that has the slot now, unless that is not ready,
   or the command has followed before. */

static int
moved(store_link_t *link, store_cmd_t *cmd, const redisReply *reply)
{
    unsigned   i;
    store_t   *store = link->store;

    i = rbl_nodes_moved(&store->nodes, reply, link->node);
    stale(store);
    store_kick(store);

    if (i == RBL_NODE_NONE || cmd->moved || !store_link_ready(store, i)) {
        return 0;
    }

    cmd->moved = 1;
    store_link_adopt(store->link[i], cmd);

    return 1;
}


static const store_link_kind_t  cluster = {
    .seek = store_open_node, .greet = greet, .met = met, .moved = moved,
    .stale = stale
};


/* --- links --------------------------------------------------------------- */

static void
close_link(store_link_t *link)
{
    store_let_go(link);
    timer_stop(&link->retry);
}


/*
 * A link to each node that is wanted, and none to another server.  Configured
 * nodes may belong to different clusters; the first one that answers, in their
 * order, decides which is ours.
 */

static void
fit(store_t *store)
{
    unsigned       i;
    store_link_t  *link;

    for (i = 0; i < store->nodes.n; i++) {
        link = store->link[i];

        if (!rbl_nodes_wanted(&store->nodes, i)) {
            if (link != NULL) {
                close_link(link);
            }

        } else if (link == NULL) {
            store->link[i] = store_link_new(store, &cluster, i);
            store_link_fresh(store->link[i]);

        } else if (link->changed != store->nodes.node[i].changed) {
            close_link(link);
            store_link_fresh(link);
        }

        if (store->nodes.nids == 0 && store->link[i] != NULL
            && store->link[i]->why[0] == '\0')
        {
            return;
        }
    }
}


/* --- partitions ---------------------------------------------------------- */

static unsigned
node_of(const store_t *store, unsigned p)
{
    return store->nodes.of[rbl_tag_slot(p, store->ks.partitions)];
}


static void
say_away(store_t *store)
{
    if (store->second) {
        return;
    }

    if (store->n_away > 0 && !store->said_away) {
        log_warn("store %s: %u of %u partitions are away; checks of the others"
                 " go on", store->conf->store, store->n_away,
                 store->ks.partitions);

    } else if (store->n_away == 0 && store->said_away) {
        log_notice("store %s: all partitions are there again",
                   store->conf->store);
    }

    store->said_away = store->n_away > 0;
}


/* Finds out which partitions are away, and which are on another node now. */

static void
settle(store_t *store)
{
    double         now = clock_now(), since;
    unsigned       i, p, moved;
    store_part_t  *part;

    since = now;
    moved = 0;
    store->n_away = 0;

    for (p = 0; p < store->ks.partitions; p++) {
        part = &store->part[p];
        i = node_of(store, p);

        if (store_link_ready(store, i)) {
            moved += part->node != RBL_NODE_NONE && part->node != i;
            part->node = (unsigned char) i;
            part->away = 0;
            continue;
        }

        part->away = part->away == 0 ? now : part->away;
        since = part->away < since ? part->away : since;
        store->n_away++;
    }

    if (store->n_away == 0 || now - since > MAP_LONG) {
        say_away(store);
    }

    if (moved == 0) {
        return;
    }

    store->renewed = 1;
    store->failovers++;

    if (!store->second) {
        log_notice("store %s: %u partitions are on another node now (a"
                   " failover, or slots that moved); cached data are read"
                   " again", store->conf->store, moved);
    }
}


void
store_map_kick(store_t *store)
{
    fit(store);
    settle(store);

    if (store->n_away > 0 || store->ks.partitions == 0) {
        stale(store);
    }
}


double
store_away(const store_t *store, unsigned partition)
{
    unsigned             i;
    double               now, away;
    const store_link_t  *link;

    if (store->nodes.kind != RBL_PLACE_CLUSTER) {
        return 0;
    }

    now = clock_now();
    away = store->part[partition].away;
    i = node_of(store, partition);

    if (away > 0 || !store_link_ready(store, i)) {
        return away > 0 ? now - away : 0;
    }

    link = store->link[i];

    return link->refused > 0 && now - link->refused < STORE_REFUSED
           ? now - link->refused_since : 0;
}


void
store_map_init(store_t *store)
{
    unsigned            i, p;
    const rbl_place_t  *place = &store->conf->place;

    for (p = 0; p < RBL_PARTITIONS_MAX; p++) {
        store->part[p].node = RBL_NODE_NONE;
    }

    timer_init(&store->map, store->loop, on_timer, store);

    for (i = 0; i < place->n; i++) {
        (void) rbl_nodes_seed(&store->nodes, &place->hosts[i]);
    }

    store_kick(store);
}
