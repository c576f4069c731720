/*
 * The servers ("nodes") of a store, and which of them has each hash slot.
 *
 * One Redis is one node that has all slots.  Behind Sentinels it is one node
 * with an address that changes.  The nodes of a cluster name all its nodes and
 * their slots (CLUSTER SLOTS, MOVED: Redis Cluster specification).
 *
 * Addresses that servers name are checked: they must be literal, after the map
 * of rbl_place.h, neither unspecified nor multicast, and a loopback address is
 * taken only from a server on this machine.  No I/O: the programs own the
 * connections, in arrays beside `node`.
 */

#ifndef RBL_NODES_H_INCLUDED
#define RBL_NODES_H_INCLUDED

#include "rbl_keys.h"
#include "rbl_place.h"
#include "rbl_reply.h"
#include "rbl_tags.h"

#define RBL_NODES_MAX  64
#define RBL_NODES_IDS  256              /* masters and replicas of a cluster */
#define RBL_NODE_ID    40               /* hex digits */
#define RBL_NODE_NONE  0xff

typedef struct {
    rbl_host_port_t  at;
    unsigned         changed;           /* counts changes of `at`: a connection
                                           made before one is another's */
    char             id[RBL_NODE_ID];   /* in a cluster; id[0] NUL: not known */
    unsigned         seed:1;            /* configured */
    unsigned         used:1;            /* has slots */
} rbl_node_t;

typedef struct {
    rbl_place_kind_t        kind;
    const rbl_place_map_t  *map;        /* NULL: none */
    unsigned                n;          /* of `node`; none is removed, an unused
                                           one may be used again */
    rbl_node_t              node[RBL_NODES_MAX];
    unsigned                nids;       /* of all nodes of the cluster */
    char                    ids[RBL_NODES_IDS][RBL_NODE_ID];
    unsigned char           of[RBL_SLOTS];  /* index of `node`, or
                                               RBL_NODE_NONE */
} rbl_nodes_t;


/* `map` must live as long as the nodes. */
void rbl_nodes_init(rbl_nodes_t *nodes, rbl_place_kind_t kind,
    const rbl_place_map_t *map);

/*
 * Adds a configured node: the only one of RBL_PLACE_ONE, any number for a
 * cluster.  Returns its index; RBL_NODE_NONE: too many.
 */
unsigned rbl_nodes_seed(rbl_nodes_t *nodes, const rbl_host_port_t *at);

/*
 * Makes the address of an announced server.  An empty host means the host that
 * was asked.  Returns NULL, or why the address cannot be taken.
 */
const char *rbl_nodes_address(const rbl_nodes_t *nodes, rbl_host_port_t *at,
    rbl_str_t host, int64_t port, const rbl_host_port_t *asked);

/* Behind Sentinels: the master, as they name it (rbl_views.h). */
void rbl_nodes_set_master(rbl_nodes_t *nodes, const rbl_host_port_t *at);

/*
 * Takes the reply to CLUSTER SLOTS by node `asked`.  Returns NULL, or why it
 * cannot be taken; nothing was changed then.  A map is refused if its ranges
 * overlap or one has more than 64 servers.  A slot of a node that cannot be
 * taken has no node.
 */
const char *rbl_nodes_slots(rbl_nodes_t *nodes, const redisReply *reply,
    unsigned asked);

/*
 * Takes a MOVED error by node `asked`: the slot has another node now.  Returns
 * its index; RBL_NODE_NONE: it cannot be taken, nothing was changed.
 */
unsigned rbl_nodes_moved(rbl_nodes_t *nodes, const redisReply *error,
    unsigned asked);

/*
 * Compares the reply to CLUSTER MYID with what is known of the node, and keeps
 * it if nothing is.  0: another server has its address.
 */
int rbl_nodes_is(rbl_nodes_t *nodes, const redisReply *myid, unsigned i);

/* True if a connection to the node is wanted. */
int rbl_nodes_wanted(const rbl_nodes_t *nodes, unsigned i);

/*
 * The node of a key: that of its hash tag, or of the key if it has none.
 * RBL_NODE_NONE: not known.
 */
unsigned rbl_nodes_of(const rbl_nodes_t *nodes, rbl_str_t key);

/* The node of the first key in the words of a command, which is the first word
   with a hash tag; else of the first word after the command's name. */
unsigned rbl_nodes_of_words(const rbl_nodes_t *nodes, int argc,
    const rbl_str_t *argv);

/*
 * The key that SET writes on a connection to the node before WAIT, and WAIT
 * counts only if SET was accepted.  WAIT waits for the last change that was
 * made on its connection.  If a command finds that something is done already,
 * another connection has made that change; only Redis before 7.2 waits for it,
 * too.  "": the node has no partition.
 */
rbl_str_t rbl_nodes_touch(rbl_key_t *key, const rbl_nodes_t *nodes,
    const rbl_keyspace_t *ks, unsigned node);

/* The number of a copy of the meta data (rbl_meta.h) that the node has;
   RBL_META_COPIES: none. */
unsigned rbl_nodes_copy(const rbl_nodes_t *nodes, unsigned i);

/*
 * A script names one key, from which it makes the names of all others.  Redis
 * looks at the named keys before it runs a script.  While their slot is moved
 * to another node, a script would therefore begin, and end halfway at the first
 * key that is not there.  In a cluster each script gets a second key, which
 * never exists: then Redis refuses it before it runs (TRYAGAIN or ASK, class
 * RBL_REPLY_SLOT).  Returns that key, in the slot of `key`, which must have one
 * of our hash tags.  All users of redis-rbl.acl have the right for it.
 */
rbl_str_t rbl_nodes_guard(char buf[RBL_KEY_MAX], rbl_str_t key);

#endif /* RBL_NODES_H_INCLUDED */
