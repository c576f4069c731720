/*
 * The daemon's store: asynchronous, pipelined, on libev.  It is one Redis, the
 * master that Sentinels name, or the masters of a cluster; each node has one
 * connection (a link).  A link connects, authenticates, reads <prefix>:meta,
 * checks the schema version, and reconnects with back-off when the connection
 * is lost.
 *
 * A command goes to the node that has its first key; a command without a key
 * goes to any ready node.  At most 8 KiB of commands are in flight to a node at
 * a time; others wait, in order (store_window.h).
 *
 * Each command has exactly one call back: with the reply, or with NULL if the
 * command was not sent, or its outcome is unknown (timeout, connection lost),
 * or the server refused it temporarily (LOADING, OOM, ...).  Callers decide how
 * to proceed; every script may be run again.  The store handles NOSCRIPT and
 * MOVED.
 *
 * A store is ready when its number of partitions is known and a node is ready.
 * In a cluster some partitions may be away then: their commands fail at once.
 */

#ifndef STORE_H_INCLUDED
#define STORE_H_INCLUDED

#include <ev.h>

#include "config/config.h"
#include "rbl_nodes.h"
#include "rbl_reply.h"
#include "rbl_script.h"

typedef struct store_s  store_t;

/* The reply is valid during the call.  Never called from inside a store_*
   call. */
typedef void (*store_reply_pt)(void *data, const redisReply *reply);

/* Called with 1 each time the store, or a further part of it, becomes ready, or
   has failed over; with 0 when all of it is lost. */
typedef void (*store_state_pt)(void *data, int ready);

typedef void (*store_message_pt)(void *data, rbl_str_t message);

store_t *store_new(struct ev_loop *loop, const config_t *conf,
    store_state_pt state, void *data);

/* Further connections.  Their trouble is that of the first ones, and logged at
   level debug. */
store_t *store_second(struct ev_loop *loop, const config_t *conf,
    store_state_pt state, void *data);

/*
 * Subscribes to the channel of news (rbl_keys.h) at a node of `of`, which must
 * live longer; at most one for each store.  It takes no commands.  Messages
 * that are sent while the connection is lost do not come.
 */
store_t *store_listen(store_t *of, store_message_pt message, void *data);
void store_free(store_t *store);        /* pending commands get NULL */

int store_ready(const store_t *store);
const rbl_keyspace_t *store_keyspace(const store_t *store);



/* The key of that name that a partition has once. */

static inline rbl_str_t
store_key(const store_t *store, rbl_key_t *key, unsigned part,
    const char *name)
{
    return rbl_key(key, store_keyspace(store), part, name, RBL_STR(""),
                   RBL_STR(""));
}


/* The partition of the account or system list with that SID. */

static inline unsigned
store_partition(const store_t *store, const char *sid)
{
    return rbl_partition(store_keyspace(store), rbl_str(sid));
}


/* The key with the quota and the guard of a system list. */

static inline rbl_str_t
store_list_key(const store_t *store, rbl_key_t *key, const char *sid)
{
    return rbl_key(key, store_keyspace(store), store_partition(store, sid),
                   "list", rbl_str(sid), RBL_STR(""));
}


/* Seconds for which a partition has been out of reach, or has refused writes,
   while others may be in order; 0: it is in order, or the store is no
   cluster. */
double store_away(const store_t *store, unsigned partition);

/* s; a caller that cannot go on without a partition gives up then: failovers
   are over by then, and no check may wait for it until its deadline. */
#define STORE_AWAY_LONG  3.0

void store_command(store_t *store, store_reply_pt done, void *data, int argc,
    const rbl_str_t *argv);
void store_script(store_t *store, const rbl_script_t *script,
    store_reply_pt done, void *data, int argc,
    const rbl_str_t *argv);

/* Sends a command without a key to every ready node.  Returns how many. */
unsigned store_command_all(store_t *store, store_reply_pt done, void *data,
    int argc, const rbl_str_t *argv);

/* Runs a script by its name, with its own arguments (rbl_script.h). */
#define store_call(store, name, done, data, args)                             \
    store_script(store, &rbl_script_##name, done, data, RBL_ARGC(args),       \
                 ((const rbl_##name##_args_t *) { &(args) })->argv)

/* The same, but behind all other commands (store_window.h): for calls that one
   account can cause in numbers that would delay all others. */
void store_script_late(store_t *store, const rbl_script_t *script,
    store_reply_pt done, void *data, int argc,
    const rbl_str_t *argv);

/*
 * Waits until all replicas have what was changed on this store's connection to
 * the node of `key`, at most for STORE_WAIT; store_waited judges the reply.
 * Commands behind it wait, too, so the caller needs a store of its own
 * (store_second).
 */
#define STORE_WAIT  "500"               /* ms */
void store_wait(store_t *store, rbl_str_t key, store_reply_pt done,
    void *data);

/* True if no failover can undo the change.  Otherwise the store connects again,
   behind Sentinels to the master that they name then, for a replica without the
   change may be that already; and the caller must try again. */
int store_waited(store_t *store, rbl_str_t key, const redisReply *reply);

/* The Sentinels, as they were when they were last asked for the master. */
typedef struct {
    unsigned  n;                        /* configured; 0: the store is not
                                           behind Sentinels */
    unsigned  up;                       /* that responded */
    unsigned  named;                    /* masters that they name; usually 1 */
    int64_t   replicas;                 /* that they know, also those that are
                                           away; -1: not known */
    unsigned  few, split;               /* looks in a row with less than n, or
                                           with more than one master */
} store_sentinels_t;

const store_sentinels_t *store_sentinels(const store_t *store);

/* Asks them, though the master is known; the answer comes later. */
void store_sentinels_look(store_t *store);

/* Counts the failovers that were seen, and moves of slots: data read before may
   be wrong.  Always 0 for one Redis. */
unsigned store_failovers(const store_t *store);

/* True if a failover could undo what the node of `key` has: it is behind
   Sentinels or in a cluster, and has replicas. */
int store_replicated(store_t *store, rbl_str_t key);

/* The number of the node of a key, below RBL_NODES_MAX; RBL_NODE_NONE: not
   known. */
unsigned store_node(const store_t *store, rbl_str_t key);

/* Cancels all call backs for `data`. */
void store_forget(store_t *store, void *data);

/*
 * The store of rblctl, which runs one command after the other and reports
 * failures itself.  It connects and looks for the master like the others, but
 * it logs nothing and reads no meta data, and the caller has to read the map of
 * slots of a cluster again.  A node is an index of store_nodes.
 *
 * The caller gets each reply, also an error.  NULL: the node is not connected,
 * or was lost after the command was sent, which may have been done.  The store
 * handles NOSCRIPT, but not MOVED.
 */
typedef struct {
    double    connect;                  /* s to connect, with TLS */
    double    greet;                    /* s for the greeting after that */
    double    reply;                    /* s; may change before a command */
    unsigned  far:1;                    /* takes a master without a replica
                                           that is near enough */
} store_tool_t;

/* `tool` must live as long as the store. */
store_t *store_tool(struct ev_loop *loop, const config_t *conf,
    const store_tool_t *tool);
const rbl_nodes_t *store_nodes(const store_t *store);

/* The state of a node. */
typedef struct {
    unsigned            connection;     /* its number, another one each time;
                                           0: it is not connected */
    const char         *why;            /* ... because of this, "" before the
                                           end of the first attempt; valid until
                                           the loop runs */
    rbl_reply_class_t   said;           /* why is this refusal; RBL_REPLY_OK:
                                           it is none */
    int64_t             replicas;       /* behind Sentinels the most that were
                                           near to it, else 0 */
} store_seen_t;

store_seen_t store_see(const store_t *store, unsigned node);

/* Connects again, behind Sentinels to the master that they name then; `why` is
   the reason meanwhile. */
void store_again(store_t *store, unsigned node, const char *why);

/* Takes the reply of a node to CLUSTER SLOTS, or its MOVED; return as
   rbl_nodes_slots and rbl_nodes_moved. */
const char *store_slots(store_t *store, unsigned node,
    const redisReply *reply);
unsigned store_moved(store_t *store, unsigned node, const redisReply *moved);

/* script NULL: argv is a command. */
void store_send_at(store_t *store, unsigned node, const rbl_script_t *script,
    store_reply_pt done, void *data, int argc, const rbl_str_t *argv);

/* A copy of a reply, which freeReplyObject frees. */
redisReply *store_take(const redisReply *reply);

#endif /* STORE_H_INCLUDED */
