/*
 * A look-up behind Sentinels: what each of them says about the master.
 *
 * One Sentinel is not enough.  While a master is replaced, only the Sentinel
 * that leads the failover knows it.  All others name the old master until the
 * new one is announced, although what it acknowledges is lost.  And a Sentinel
 * that has lost the others names what was true before.
 *
 * Therefore a program asks all of them, and takes the master of the newest
 * configuration (config-epoch), if no Sentinel holds that server down or is
 * replacing it.  A Sentinel that gives no answer has no say.
 */

#ifndef RBL_VIEWS_H_INCLUDED
#define RBL_VIEWS_H_INCLUDED

#include "rbl_nodes.h"

/* After so many attempts with a server that cannot be used, the one of the
   configuration before is tried: a Sentinel may name anything. */
#define RBL_VIEWS_TRIES  4

typedef struct {
    rbl_host_port_t  at;
    int64_t          epoch;             /* -1: the Sentinel does not say */
} rbl_view_t;

typedef struct {
    int64_t          replicas;          /* most that a Sentinel knows, also
                                           those that are away; -1: none says */
    unsigned         n;                 /* of `named`, one for each server */
    rbl_view_t       named[RBL_PLACE_HOSTS];
    unsigned         nheld;
    rbl_host_port_t  held[RBL_PLACE_HOSTS];     /* down, or being replaced */
    rbl_host_port_t  last;              /* what the last Sentinel names */
} rbl_views_t;


/* Begins a look-up. */
void rbl_views_init(rbl_views_t *views);

/*
 * Takes the reply to SENTINEL GET-MASTER-ADDR-BY-NAME by the Sentinel at
 * `asked`.  Returns NULL, or why it cannot be taken.
 */
const char *rbl_views_named(rbl_views_t *views, const rbl_nodes_t *nodes,
    const redisReply *reply, const rbl_host_port_t *asked);

/* Takes the reply of the same Sentinel to SENTINEL MASTER.  One that cannot be
   read is one of a Sentinel that holds no server down. */
void rbl_views_state(rbl_views_t *views, const rbl_nodes_t *nodes,
    const redisReply *reply, const rbl_host_port_t *asked);

/* True if a Sentinel holds this server down or is replacing it. */
int rbl_views_held(const rbl_views_t *views, const rbl_host_port_t *at);

/*
 * Ends the look-up: the master becomes node 0.  `tries`: attempts in a row with
 * servers that could not be used.  Returns NULL, or why there is none; nothing
 * was changed then.
 */
const char *rbl_views_take(const rbl_views_t *views, rbl_nodes_t *nodes,
    unsigned tries);

#endif /* RBL_VIEWS_H_INCLUDED */
