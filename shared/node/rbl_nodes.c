/*
 * Nodes and slots.  A reply is checked before anything is changed; nodes keep
 * their indexes, because connections stand beside them.
 */

#include "rbl_nodes.h"
#include "rbl_validate.h"

#include <stdio.h>

#define NODES_SERVERS  64               /* of a range: master and replicas */


void
rbl_nodes_init(rbl_nodes_t *nodes, rbl_place_kind_t kind,
    const rbl_place_map_t *map)
{
    memset(nodes, 0, sizeof(rbl_nodes_t));
    nodes->kind = kind;
    nodes->map = map;

    if (kind == RBL_PLACE_CLUSTER) {
        memset(nodes->of, RBL_NODE_NONE, sizeof(nodes->of));

    } else {
        nodes->n = 1;
        nodes->node[0].used = 1;
    }
}


static void
nodes_set(rbl_node_t *node, const rbl_host_port_t *at)
{
    if (!rbl_host_port_eq(&node->at, at)) {
        node->at = *at;
        node->changed++;
        node->id[0] = '\0';
    }
}


static unsigned
nodes_find(const rbl_nodes_t *nodes, const rbl_host_port_t *at)
{
    unsigned  i;

    for (i = 0; i < nodes->n; i++) {
        if (rbl_host_port_eq(&nodes->node[i].at, at)) {
            return i;
        }
    }

    return RBL_NODE_NONE;
}


int
rbl_nodes_wanted(const rbl_nodes_t *nodes, unsigned i)
{
    return nodes->node[i].at.host[0] != '\0'
           && (nodes->node[i].used || nodes->node[i].seed);
}


/* Finds a node or makes one, if need be in the place of an unused one. */

static unsigned
nodes_make(rbl_nodes_t *nodes, const rbl_host_port_t *at)
{
    unsigned  i;

    i = nodes_find(nodes, at);

    if (i != RBL_NODE_NONE) {
        return i;
    }

    for (i = 0; i < nodes->n && rbl_nodes_wanted(nodes, i); i++) {
        /* void */
    }

    if (i == RBL_NODES_MAX) {
        return RBL_NODE_NONE;
    }

    nodes->n += i == nodes->n;
    nodes_set(&nodes->node[i], at);

    return i;
}


unsigned
rbl_nodes_seed(rbl_nodes_t *nodes, const rbl_host_port_t *at)
{
    unsigned  i;

    i = 0;

    if (nodes->kind == RBL_PLACE_CLUSTER) {
        i = nodes_make(nodes, at);

        if (i == RBL_NODE_NONE) {
            return i;
        }
    }

    nodes_set(&nodes->node[i], at);
    nodes->node[i].seed = 1;

    return i;
}


static int
nodes_loopback(const rbl_addr_t *a)
{
    static const unsigned char  six[16] = { [15] = 1 };

    return a->family == RBL_FAMILY_IPV4 ? a->b[0] == 127
                                        : memcmp(a->b, six, 16) == 0;
}


/* Is the server on this machine, as far as its address shows? */

static int
nodes_local(const rbl_host_port_t *at)
{
    rbl_addr_t  a;

    return at->port == 0
           || (rbl_addr_parse(&a, rbl_str(at->host)) == RBL_OK
               && nodes_loopback(&a));
}


/* Unspecified (0.0.0.0, ::), multicast and above. */

static int
nodes_nobody(const rbl_addr_t *a)
{
    static const unsigned char  none[16];

    return a->family == RBL_FAMILY_IPV4
           ? a->b[0] == 0 || a->b[0] >= 224
           : a->b[0] == 0xff || memcmp(a->b, none, 16) == 0;
}


const char *
rbl_nodes_address(const rbl_nodes_t *nodes, rbl_host_port_t *at, rbl_str_t host,
    int64_t port, const rbl_host_port_t *asked)
{
    rbl_addr_t       a;
    rbl_host_port_t  told;

    memset(&told, 0, sizeof(told));

    if (port < 1 || port > 65535 || host.n >= RBL_HOST_MAX) {
        return "it names a server with an invalid address";
    }

    rbl_copy(told.host, sizeof(told.host),
             host.n != 0 ? host : rbl_str(asked->host));
    told.port = (unsigned) port;
    *at = rbl_place_real(nodes->map, &told);

    if (rbl_addr_parse(&a, rbl_str(at->host)) != RBL_OK) {
        return "it names a server by a name, not by an address";
    }

    if (nodes_nobody(&a)) {
        return "it names a server with an address of no machine";
    }

    if (nodes_loopback(&a) && !nodes_local(asked)
        && rbl_host_port_eq(at, &told))
    {
        return "it names a loopback address of its own machine";
    }

    return NULL;
}


void
rbl_nodes_set_master(rbl_nodes_t *nodes, const rbl_host_port_t *at)
{
    nodes_set(&nodes->node[0], at);
}


static rbl_str_t
nodes_id(const redisReply *server)
{
    rbl_str_t  id;

    id = rbl_reply_str(rbl_reply_at(server, 2));

    return id.n == RBL_NODE_ID ? id : RBL_STR("");
}


static int
nodes_knows(const rbl_nodes_t *nodes, rbl_str_t id)
{
    unsigned  i;

    for (i = 0; i < nodes->nids && id.n != 0; i++) {
        if (memcmp(nodes->ids[i], id.p, RBL_NODE_ID) == 0) {
            return 1;
        }
    }

    return 0;
}


/* A range of slots: {first, last, master, replica...}.  0: none. */

static int
nodes_range(const redisReply *range, int64_t *first, int64_t *last)
{
    *first = rbl_reply_int(rbl_reply_at(range, 0), -1);
    *last = rbl_reply_int(rbl_reply_at(range, 1), -1);

    return *first >= 0 && *first <= *last && *last < RBL_SLOTS
           && rbl_reply_len(range) <= 2 + NODES_SERVERS
           && rbl_reply_len(rbl_reply_at(range, 2)) >= 2;
}


/* Marks the slots of a range.  0: it is none, or one of its slots is marked. */

static int
nodes_mark(unsigned char marked[RBL_SLOTS], const redisReply *range)
{
    int64_t  slot, last;

    if (!nodes_range(range, &slot, &last)) {
        return 0;
    }

    for (/* void */; slot <= last; slot++) {
        if (marked[slot]++) {
            return 0;
        }
    }

    return 1;
}


static int
nodes_knows_one(const rbl_nodes_t *nodes, const redisReply *range)
{
    size_t  k;

    for (k = 2; k < rbl_reply_len(range); k++) {
        if (nodes_knows(nodes, nodes_id(rbl_reply_at(range, k)))) {
            return 1;
        }
    }

    return 0;
}


/*
 * Is it a map of slots, and of the cluster that is known?  The ranges must not
 * overlap, and only so many servers are compared: this bounds the time for
 * which a reply of any length blocks the event loop of the caller.
 */

static const char *
nodes_check(const rbl_nodes_t *nodes, const redisReply *reply)
{
    int            known;
    size_t         i, n, compared;
    unsigned char  marked[RBL_SLOTS];

    n = rbl_reply_len(reply);

    if (n == 0) {
        return reply != NULL && reply->type == REDIS_REPLY_ARRAY
               ? "it knows no slots: it is in no cluster, or alone"
               : "it is no node of a cluster";
    }

    memset(marked, 0, sizeof(marked));

    for (i = 0; i < n; i++) {
        if (n > RBL_SLOTS || !nodes_mark(marked, rbl_reply_at(reply, i))) {
            return "its map of slots is invalid";
        }
    }

    known = nodes->nids == 0;

    for (i = 0, compared = 0; i < n && !known && compared < RBL_SLOTS; i++) {
        known = nodes_knows_one(nodes, rbl_reply_at(reply, i));
        compared += rbl_reply_len(rbl_reply_at(reply, i)) - 2;
    }

    return known ? NULL : "it belongs to another cluster";
}


/* All ranges of a master have the same replicas: one of them is enough. */

static void
nodes_keep_ids(rbl_nodes_t *nodes, const redisReply *range)
{
    size_t     k;
    rbl_str_t  id;

    if (nodes_knows(nodes, nodes_id(rbl_reply_at(range, 2)))) {
        return;
    }

    for (k = 2; k < rbl_reply_len(range); k++) {
        id = nodes_id(rbl_reply_at(range, k));

        if (id.n != 0 && nodes->nids < RBL_NODES_IDS
            && !nodes_knows(nodes, id))
        {
            memcpy(nodes->ids[nodes->nids++], id.p, RBL_NODE_ID);
        }
    }
}


/*
 * Marks the master of a range as used and returns it.  RBL_NODE_NONE: it cannot
 * be taken, or, without `make`, it is not among the nodes.
 */

static unsigned
nodes_take(rbl_nodes_t *nodes, const redisReply *master,
    const rbl_host_port_t *asked, int make)
{
    unsigned         i;
    rbl_str_t        id;
    rbl_host_port_t  at;

    if (rbl_nodes_address(nodes, &at, rbl_reply_str(rbl_reply_at(master, 0)),
                      rbl_reply_int(rbl_reply_at(master, 1), 0), asked)
        != NULL)
    {
        return RBL_NODE_NONE;
    }

    i = make ? nodes_make(nodes, &at) : nodes_find(nodes, &at);
    id = nodes_id(master);

    if (i == RBL_NODE_NONE) {
        return i;
    }

    nodes->node[i].used = 1;

    if (id.n != 0) {
        memcpy(nodes->node[i].id, id.p, RBL_NODE_ID);
    }

    return i;
}


const char *
rbl_nodes_slots(rbl_nodes_t *nodes, const redisReply *reply, unsigned asked)
{
    size_t            i;
    int64_t           first, last;
    const char       *why;
    const redisReply *range;
    rbl_host_port_t   from;

    why = nodes_check(nodes, reply);

    if (why != NULL) {
        return why;
    }

    from = nodes->node[asked].at;
    nodes->nids = 0;
    memset(nodes->of, RBL_NODE_NONE, sizeof(nodes->of));

    for (i = 0; i < nodes->n; i++) {
        nodes->node[i].used = 0;
    }

    /* nodes that stay are marked first, so that no new one takes their place */

    for (i = 0; i < rbl_reply_len(reply); i++) {
        range = rbl_reply_at(reply, i);
        nodes_keep_ids(nodes, range);
        (void) nodes_take(nodes, rbl_reply_at(range, 2), &from, 0);
    }

    for (i = 0; i < rbl_reply_len(reply); i++) {
        range = rbl_reply_at(reply, i);
        (void) nodes_range(range, &first, &last);
        memset(&nodes->of[first],
               (int) nodes_take(nodes, rbl_reply_at(range, 2), &from, 1),
               (size_t) (last - first + 1));
    }

    return NULL;
}


unsigned
rbl_nodes_moved(rbl_nodes_t *nodes, const redisReply *error, unsigned asked)
{
    int64_t           slot, port;
    unsigned          i;
    rbl_str_t         number, host, after;
    const char       *colon;
    rbl_host_port_t   at;

    if (error == NULL || error->type != REDIS_REPLY_ERROR || error->str == NULL)
    {
        return RBL_NODE_NONE;
    }

    host = (rbl_str_t) { error->str, error->len };

    if (!rbl_str_is(rbl_until(&host, ' '), "MOVED")) {
        return RBL_NODE_NONE;
    }

    number = rbl_until(&host, ' ');
    colon = host.n ? memrchr(host.p, ':', host.n) : NULL;

    if (colon == NULL) {
        return RBL_NODE_NONE;
    }

    after = (rbl_str_t) { colon + 1, (size_t) (host.p + host.n - colon - 1) };
    host.n -= after.n + 1;

    if (rbl_int_parse(&slot, number, 0, RBL_SLOTS - 1) != RBL_OK
        || rbl_int_parse(&port, after, 1, 65535) != RBL_OK
        || rbl_nodes_address(nodes, &at, host, port, &nodes->node[asked].at)
           != NULL)
    {
        return RBL_NODE_NONE;
    }

    i = nodes_make(nodes, &at);

    if (i != RBL_NODE_NONE) {
        nodes->node[i].used = 1;
        nodes->of[slot] = (unsigned char) i;
    }

    return i;
}


int
rbl_nodes_is(rbl_nodes_t *nodes, const redisReply *myid, unsigned i)
{
    rbl_str_t    id;
    rbl_node_t  *node = &nodes->node[i];

    id = rbl_reply_str(myid);

    if (id.n != RBL_NODE_ID) {
        return 0;
    }

    if (node->id[0] == '\0') {
        memcpy(node->id, id.p, RBL_NODE_ID);
    }

    return memcmp(node->id, id.p, RBL_NODE_ID) == 0;
}


/* The hash tag of ours in a key, ":{abc}:"; p NULL: it has none. */

static rbl_str_t
nodes_tag(rbl_str_t key)
{
    (void) rbl_until(&key, '{');

    return key.n > RBL_TAG_LEN && key.p[RBL_TAG_LEN] == '}'
           ? (rbl_str_t) { key.p, RBL_TAG_LEN } : (rbl_str_t) { NULL, 0 };
}


unsigned
rbl_nodes_of(const rbl_nodes_t *nodes, rbl_str_t key)
{
    rbl_str_t  tag;

    if (nodes->kind != RBL_PLACE_CLUSTER) {
        return 0;
    }

    tag = nodes_tag(key);

    return nodes->of[rbl_slot(tag.p != NULL ? tag : key)];
}


unsigned
rbl_nodes_of_words(const rbl_nodes_t *nodes, int argc, const rbl_str_t *argv)
{
    int  i;

    if (nodes->kind != RBL_PLACE_CLUSTER) {
        return 0;
    }

    for (i = 0; i < argc; i++) {
        if (nodes_tag(argv[i]).p != NULL) {
            return rbl_nodes_of(nodes, argv[i]);
        }
    }

    return argc > 1 ? rbl_nodes_of(nodes, argv[1]) : RBL_NODE_NONE;
}


rbl_str_t
rbl_nodes_touch(rbl_key_t *key, const rbl_nodes_t *nodes,
    const rbl_keyspace_t *ks, unsigned node)
{
    unsigned   p;
    rbl_str_t  touch;

    for (p = 0; p < ks->partitions; p++) {
        touch = rbl_key(key, ks, p, "wait", RBL_STR(""), RBL_STR(""));

        if (rbl_nodes_of(nodes, touch) == node) {
            return touch;
        }
    }

    return RBL_STR("");
}


unsigned
rbl_nodes_copy(const rbl_nodes_t *nodes, unsigned i)
{
    unsigned  c;

    for (c = 0; c < RBL_META_COPIES; c++) {
        if (nodes->of[rbl_tag_slot(c, RBL_META_COPIES)] == i) {
            break;
        }
    }

    return c;
}


rbl_str_t
rbl_nodes_guard(char buf[RBL_KEY_MAX], rbl_str_t key)
{
    int        n;
    rbl_str_t  tag;

    tag = nodes_tag(key);
    n = snprintf(buf, RBL_KEY_MAX, "%.*s}:acct:-",
                 (int) (tag.p + RBL_TAG_LEN - key.p), key.p);

    return (rbl_str_t) { buf, (size_t) n };
}
