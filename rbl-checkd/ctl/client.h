/*
 * The client of the store, inside: nodes.c asks its servers, client.c runs
 * commands on the one that has the key, fault.c prints why one failed, parts.c
 * knows which partitions are away, meta.c reads the meta data and slices of
 * records.  ctl.h is for the commands of rblctl.
 */

#ifndef CTL_CLIENT_H_INCLUDED
#define CTL_CLIENT_H_INCLUDED

#include "ctl.h"

/* Writes the reason; returns -1. */
int ctl_why(ctl_why_t *why, rbl_reply_class_t said, rbl_str_t text);

/* Finds the store and connects to it.  0; -1. */
int ctl_find(ctl_t *ctl, ctl_why_t *why);

/* Waits for the first connection to a node.  1; 0: it is away. */
int ctl_ready(ctl_t *ctl, unsigned node, ctl_why_t *why);

/* Sends a command, or a script, to a node that is ready, and returns its reply,
   which may be an error; `why` is that error then.  NULL: the connection is
   lost. */
redisReply *ctl_ask(ctl_t *ctl, unsigned node, const rbl_script_t *script,
    int argc, const rbl_str_t *argv, ctl_why_t *why);

/* Asks a node of a cluster for the map of slots.  0; -1. */
int ctl_look(ctl_t *ctl);

/* May a later attempt succeed?  It may only with several servers. */
int ctl_passes(const ctl_t *ctl, const ctl_why_t *why);

/* Waits before the next attempt.  0: this took too long already. */
int ctl_wait(ctl_t *ctl);

/* An attempt has succeeded: the next wait may take as long again. */
void ctl_waited(ctl_t *ctl);

/* The outcome of ctl_try. */
typedef struct {
    unsigned   node;                    /* RBL_NODE_NONE: the slot has none */
    unsigned   part;                    /* partition of the key; ctl->ks
                                           .partitions: none */
    int        lost;                    /* the command may have been done */
    ctl_why_t  why;
} ctl_tried_t;

/*
 * Runs a command on node `at`, or, if that is RBL_NODE_NONE, on the node of its
 * first key; waits for that, and follows its slot, for a few seconds.  Returns
 * the reply, which may be an error.  NULL: none.  Prints nothing.
 */
redisReply *ctl_try(ctl_t *ctl, unsigned at, int argc, const rbl_str_t *argv,
    ctl_tried_t *tried);

/* fault.c: prints why there is no reply, or the error in it, and frees the
   reply. */
void ctl_tried_fail(const ctl_t *ctl, const ctl_tried_t *tried,
    redisReply *reply);

/* Writes "the server at 10.0.0.1:6379", or "the store at ..." if it is one. */
#define CTL_NODE_TEXT  400
const char *ctl_server_text(const ctl_t *ctl, char buf[CTL_NODE_TEXT],
    unsigned node);

/* The same for the part of the store that cannot be used: "partitions 0-20
   (10.0.0.1:6379)". */
const char *ctl_part_text(const ctl_t *ctl, char buf[CTL_NODE_TEXT],
    const ctl_tried_t *tried);

/* Writes the partitions of a node, such as "0-20 40"; returns their number. */
#define CTL_PARTS_TEXT  200
unsigned ctl_parts_text(const ctl_t *ctl, char buf[CTL_PARTS_TEXT],
    unsigned node);

/* The same of all numbers below n for which in(data, number) is true. */
unsigned ctl_ranges(char *buf, size_t size, unsigned n,
    int (*in)(const void *data, unsigned i), const void *data);

/* The partition of a key; ctl->ks.partitions: it has none. */
unsigned ctl_partition(const ctl_t *ctl, rbl_str_t key);

/* May only one slot of the node be concerned? */
int ctl_of_slot(const ctl_why_t *why);

#endif /* CTL_CLIENT_H_INCLUDED */
