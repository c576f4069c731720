/*
 * rblctl: which server has the store, or a part of it.  The Sentinels are
 * asked for the master, and a node of a cluster for the map of its slots
 * (rbl_nodes.h).
 */

#include "client.h"

#include "base/clock.h"
#include "rbl_role.h"
#include "rbl_views.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NODES_ASK       0.5             /* s, to ask where the store is */
#define NODES_PATIENCE  5.0             /* s that a part may be away, at most;
                                           2.5 store_timeout */
#define NODES_PAUSE     0.1             /* s between attempts */


/* Time limit of a question.  One Redis is asked nothing, and has all time. */
static double
nodes_limit(const ctl_t *ctl)
{
    double  timeout;

    timeout = ctl->conf.store_timeout;

    return ctl->conf.place.kind == RBL_PLACE_ONE || timeout < NODES_ASK
           ? timeout : NODES_ASK;
}


/* Time limit of a command. */
static double
node_limit(const ctl_t *ctl)
{
    return ctl->conf.store_timeout * 10;
}


int
ctl_wait(ctl_t *ctl)
{
    double           patience = ctl->conf.store_timeout * 2.5;
    struct timespec  pause = { 0, (long) (NODES_PAUSE * 1e9) };

    if (ctl->store.until == 0) {
        ctl->store.until = clock_now()
            + (patience < NODES_PATIENCE ? patience : NODES_PATIENCE);
    }

    if (clock_now() >= ctl->store.until) {
        return 0;
    }

    nanosleep(&pause, NULL);

    return 1;
}


void
ctl_waited(ctl_t *ctl)
{
    ctl->store.tries = 0;

    if (ctl->store.until != 0 && clock_now() < ctl->store.until) {
        ctl->store.until = 0;
    }
}


int
ctl_passes(const ctl_t *ctl, const ctl_why_t *why)
{
    if (ctl->conf.place.kind == RBL_PLACE_ONE) {
        return 0;
    }

    switch (why->said) {

    case RBL_REPLY_OK:
    case RBL_REPLY_NOTREADY:
    case RBL_REPLY_MOVED:
    case RBL_REPLY_SLOT:
    case RBL_REPLY_READONLY:
        return 1;

    default:
        return strncmp(why->text, "NOREPLICAS", 10) == 0;
    }
}


/* The server behind Sentinels must be a master, and must not have been cut off
   from its replicas.  These commands show the store as it is. */
static int
node_is_master(ctl_t *ctl, ctl_link_t *link, ctl_why_t *why)
{
    int             rc;
    redisReply     *reply;
    rbl_replicas_t  replicas;

    reply = ctl_link_send(link, RBL_COMMAND("INFO", RBL_STR("REPLICATION")),
                          why);
    if (reply == NULL || reply->type == REDIS_REPLY_ERROR) {
        freeReplyObject(reply);
        return -1;
    }

    rbl_replicas(&replicas, reply);
    link->replicas = rbl_replicas_near(reply);
    rc = 0;

    if (rbl_role(reply) != RBL_ROLE_MASTER) {
        rc = ctl_why(why, RBL_REPLY_READONLY, RBL_STR("it is a replica"));

    } else if (replicas.good == 0 && !(ctl->command->need & CTL_LOOKS)) {
        rc = ctl_why(why, RBL_REPLY_NOTREADY, RBL_STR(
                     "none of its replicas is near enough"
                     " (min-replicas-to-write)"));
    }

    freeReplyObject(reply);

    return rc;
}


/* Is it the node that the map names? */
static int
node_is_same(ctl_t *ctl, unsigned i, ctl_link_t *link, ctl_why_t *why)
{
    int          rc;
    redisReply  *reply;

    reply = ctl_link_send(link, RBL_COMMAND("CLUSTER", RBL_STR("MYID")), why);
    if (reply == NULL) {
        return -1;
    }

    rc = 0;

    if (reply->type == REDIS_REPLY_ERROR) {
        if (why->said == RBL_REPLY_ERROR) {
            ctl_why(why, RBL_REPLY_ERROR,
                    RBL_STR("it is no node of a cluster"));
        }

        rc = -1;

    } else if (!rbl_nodes_is(&ctl->store.nodes, reply, i)) {
        rc = ctl_why(why, RBL_REPLY_SLOT,
                     RBL_STR("another server has its address"));
    }

    freeReplyObject(reply);

    return rc;
}


static int
node_greet(ctl_t *ctl, unsigned i, ctl_link_t *link, ctl_why_t *why)
{
    int     rc;
    double  limit;

    limit = node_limit(ctl);

    /* one Redis may be slow to answer even AUTH */

    if (ctl->conf.place.kind == RBL_PLACE_ONE) {
        return ctl_link_limit(link, limit, why) != 0
               ? -1 : ctl_link_login(link, &ctl->conf, why);
    }

    rc = ctl_link_login(link, &ctl->conf, why);

    if (rc == 0) {
        rc = ctl->conf.place.kind == RBL_PLACE_SENTINEL
             ? node_is_master(ctl, link, why)
             : node_is_same(ctl, i, link, why);
    }

    return rc != 0 ? -1 : ctl_link_limit(link, limit, why);
}


ctl_link_t *
ctl_node(ctl_t *ctl, unsigned i, ctl_why_t *why)
{
    ctl_link_t        *link;
    const rbl_node_t  *node;

    if (i == RBL_NODE_NONE) {
        ctl_why(why, RBL_REPLY_SLOT, RBL_STR("no node has their slots"));
        return NULL;
    }

    link = &ctl->store.link[i];
    node = &ctl->store.nodes.node[i];

    if (link->redis != NULL && link->changed == node->changed) {
        return link;
    }

    ctl_link_close(link);
    link->changed = node->changed;

    if (ctl_link_open(link, &ctl->conf, &node->at, nodes_limit(ctl), why)
        != 0)
    {
        return NULL;
    }

    if (node_greet(ctl, i, link, why) != 0) {
        ctl_link_close(link);
        return NULL;
    }

    return link;
}


/* Asks a node of a cluster for the map of slots. */
static int
look_at(ctl_t *ctl, unsigned i, ctl_why_t *why)
{
    ctl_link_t   *link;
    redisReply   *reply;
    const char   *wrong;

    link = ctl_node(ctl, i, why);

    if (link == NULL || ctl_link_limit(link, nodes_limit(ctl), why) != 0) {
        return -1;
    }

    reply = ctl_link_send(link, RBL_COMMAND("CLUSTER", RBL_STR("SLOTS")), why);

    if (reply == NULL || reply->type == REDIS_REPLY_ERROR
        || ctl_link_limit(link, node_limit(ctl), why) != 0)
    {
        freeReplyObject(reply);
        return -1;
    }

    wrong = rbl_nodes_slots(&ctl->store.nodes, reply, i);
    freeReplyObject(reply);

    return wrong == NULL ? 0 : ctl_why(why, RBL_REPLY_SLOT, rbl_str(wrong));
}


static int
look_cluster(ctl_t *ctl, ctl_why_t *why)
{
    int           ready;
    unsigned      i;
    rbl_nodes_t  *nodes;

    nodes = &ctl->store.nodes;

    for (ready = 1; ready >= 0; ready--) {
        for (i = 0; i < nodes->n; i++) {
            if (rbl_nodes_wanted(nodes, i)
                && (ctl->store.link[i].redis != NULL) == ready
                && look_at(ctl, i, why) == 0)
            {
                return 0;
            }
        }
    }

    return -1;
}


/* Sends the question, and again after AUTH if the Sentinel wants that. */
static redisReply *
sentinel_ask(ctl_t *ctl, ctl_link_t *link, const char *what, ctl_why_t *why)
{
    int          i;
    redisReply  *reply;

    for (i = 0; /* void */; i++) {
        reply = ctl_link_send(link, RBL_COMMAND("SENTINEL", rbl_str(what),
                              rbl_str(ctl->conf.place.name)), why);

        if (rbl_reply_class(reply) != RBL_REPLY_NOAUTH || i == 1
            || ctl->conf.store_password[0] == '\0')
        {
            return reply;
        }

        freeReplyObject(reply);

        if (ctl_link_login(link, &ctl->conf, why) != 0) {
            return NULL;
        }
    }
}


/* Takes what one Sentinel says. */
static int
look_sentinel(ctl_t *ctl, rbl_views_t *views, const rbl_host_port_t *at,
    ctl_why_t *why)
{
    char         text[RBL_HOST_PORT_TEXT], said[sizeof(why->text)];
    ctl_link_t   link;
    redisReply  *reply;
    const char  *wrong;

    memset(&link, 0, sizeof(link));
    wrong = why->text;

    if (ctl_link_open(&link, &ctl->conf, at, nodes_limit(ctl), why) == 0) {
        reply = sentinel_ask(ctl, &link, "GET-MASTER-ADDR-BY-NAME", why);

        if (reply != NULL && reply->type != REDIS_REPLY_ERROR) {
            wrong = rbl_views_named(views, &ctl->store.nodes, reply, at);
        }

        freeReplyObject(reply);

        if (wrong == NULL) {
            reply = sentinel_ask(ctl, &link, "MASTER", why);
            rbl_views_state(views, &ctl->store.nodes, reply, at);
            freeReplyObject(reply);
        }

        ctl_link_close(&link);
    }

    if (wrong == NULL) {
        return 0;
    }

    snprintf(said, sizeof(said), "Sentinel %s: %.120s",
             rbl_host_port_text(text, at), wrong);

    return ctl_why(why, RBL_REPLY_OK, rbl_str(said));
}


unsigned
ctl_sentinels(ctl_t *ctl)
{
    unsigned            i, n;
    ctl_why_t           ignored;
    ctl_link_t          link;
    redisReply         *reply;
    const rbl_place_t  *place = &ctl->conf.place;

    for (i = n = 0; i < place->n; i++) {
        memset(&link, 0, sizeof(link));

        if (ctl_link_open(&link, &ctl->conf, &place->hosts[i],
                          nodes_limit(ctl), &ignored)
            != 0)
        {
            continue;
        }

        reply = sentinel_ask(ctl, &link, "GET-MASTER-ADDR-BY-NAME", &ignored);
        n += reply != NULL && reply->type != REDIS_REPLY_ERROR;
        freeReplyObject(reply);
        ctl_link_close(&link);
    }

    return n;
}


static int
look_sentinels(ctl_t *ctl, ctl_why_t *why)
{
    unsigned            i;
    const char         *wrong;
    rbl_views_t         views;
    const rbl_place_t  *place;

    place = &ctl->conf.place;
    rbl_views_init(&views);

    for (i = 0; i < place->n; i++) {
        (void) look_sentinel(ctl, &views, &place->hosts[i], why);
    }

    if (views.n == 0) {
        return -1;
    }

    wrong = rbl_views_take(&views, &ctl->store.nodes, ctl->store.tries++);

    return wrong == NULL ? 0 : ctl_why(why, RBL_REPLY_OK, rbl_str(wrong));
}


int
ctl_look(ctl_t *ctl, ctl_why_t *why)
{
    switch (ctl->conf.place.kind) {

    case RBL_PLACE_SENTINEL:
        return look_sentinels(ctl, why);

    case RBL_PLACE_CLUSTER:
        return look_cluster(ctl, why);

    default:
        return 0;
    }
}


/*
 * All configured nodes are asked: if one of them belongs to another cluster,
 * nothing says which one is right.
 */
static int
look_seeds(ctl_t *ctl, ctl_why_t *why)
{
    char           text[2][RBL_HOST_PORT_TEXT], said[sizeof(why->text)];
    unsigned       i, n, known;
    rbl_nodes_t   *nodes;
    ctl_why_t      other;

    nodes = &ctl->store.nodes;
    n = nodes->n;
    known = RBL_NODE_NONE;

    for (i = 0; i < n; i++) {
        if (look_at(ctl, i, &other) == 0) {
            known = i;

        } else if (strcmp(other.text, "it belongs to another cluster") == 0) {
            snprintf(said, sizeof(said), "%.100s and %.100s belong to"
                     " different clusters",
                     rbl_host_port_text(text[0], &nodes->node[known].at),
                     rbl_host_port_text(text[1], &nodes->node[i].at));
            return ctl_why(why, RBL_REPLY_ERROR, rbl_str(said));

        } else {
            snprintf(said, sizeof(said), "%.100s: %.120s",
                     rbl_host_port_text(text[0], &nodes->node[i].at),
                     other.text);
            ctl_why(why, other.said, rbl_str(said));
        }
    }

    return known == RBL_NODE_NONE ? -1 : 0;
}


int
ctl_look_first(ctl_t *ctl, ctl_why_t *why)
{
    unsigned            i;
    rbl_nodes_t        *nodes;
    const rbl_place_t  *place;

    nodes = &ctl->store.nodes;
    place = &ctl->conf.place;
    rbl_nodes_init(nodes, place->kind, &ctl->conf.store_map);

    for (i = 0; place->kind != RBL_PLACE_SENTINEL && i < place->n; i++) {
        rbl_nodes_seed(nodes, &place->hosts[i]);
    }

    do {
        if ((place->kind == RBL_PLACE_CLUSTER ? look_seeds(ctl, why)
             : ctl_look(ctl, why)) == 0)
        {
            return 0;
        }

    } while (ctl_passes(ctl, why) && ctl_wait(ctl));

    return -1;
}
