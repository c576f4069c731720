/*
 * The client of the store, inside: link.c is one connection, link_tls.c
 * encrypts it, nodes.c knows which server has a key, client.c runs commands
 * there, fault.c prints why one failed, parts.c knows which partitions are
 * away, meta.c reads the meta data and slices of records.  ctl.h is for the
 * commands of rblctl.
 */

#ifndef CTL_CLIENT_H_INCLUDED
#define CTL_CLIENT_H_INCLUDED

#include "ctl.h"

/* Connects, without AUTH.  `limit`: seconds, for this and each command.  0;
   -1. */
int ctl_link_open(ctl_link_t *link, const config_t *conf,
    const rbl_host_port_t *at, double limit, ctl_why_t *why);

/* Sends AUTH if the configuration has a password.  0; -1: closed. */
int ctl_link_login(ctl_link_t *link, const config_t *conf, ctl_why_t *why);

/* Sends a command, and returns its reply, which may be an error; `why` is that
   error then.  NULL: the connection was lost, and is closed. */
redisReply *ctl_link_send(ctl_link_t *link, int argc, const rbl_str_t *argv,
    ctl_why_t *why);

/* Changes the time limit of commands.  0; -1: closed. */
int ctl_link_limit(ctl_link_t *link, double limit, ctl_why_t *why);

void ctl_link_close(ctl_link_t *link);

/* link_tls.c: the handshake (0; -1: the reason is in redis->errstr); sends what
   hiredis has to send, and reads a reply (NULL: redis->errstr). */
int ctl_tls_open(ctl_link_t *link, const config_t *conf,
    const rbl_host_port_t *at);
redisReply *ctl_tls_reply(ctl_link_t *link);
void ctl_tls_close(ctl_link_t *link);

/* Writes the reason; returns -1. */
int ctl_why(ctl_why_t *why, rbl_reply_class_t said, rbl_str_t text);

/* The connection to node i; makes one if there is none.  NULL: it is away. */
ctl_link_t *ctl_node(ctl_t *ctl, unsigned i, ctl_why_t *why);

/* Makes the nodes of the configured servers, and looks for the first time.  0;
   -1. */
int ctl_look_first(ctl_t *ctl, ctl_why_t *why);

/* Looks where the store is: asks the Sentinels, or a node of the cluster.  0;
   -1. */
int ctl_look(ctl_t *ctl, ctl_why_t *why);

/* Number of the configured Sentinels that answer now. */
unsigned ctl_sentinels(ctl_t *ctl);

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
