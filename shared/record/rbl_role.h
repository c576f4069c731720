/*
 * What a store is: a master, or a replica and how fresh.  Out of the answer to
 * INFO REPLICATION; ROLE would not tell when the replica heard from its master.
 */

#ifndef RBL_ROLE_H_INCLUDED
#define RBL_ROLE_H_INCLUDED

#include "rbl_reply.h"

/*
 * Seconds since a replica heard from its master, at most.  A master that has
 * nothing to say sends a ping every ten seconds (repl-ping-replica-period).
 */
#define RBL_ROLE_AGE_MAX  15

typedef enum {
    RBL_ROLE_MASTER = 0,
    RBL_ROLE_REPLICA,           /* its data are as fresh as the master's */
    RBL_ROLE_STALE,             /* a replica without its master */
    RBL_ROLE_UNKNOWN            /* the answer says nothing of it */
} rbl_role_e;

rbl_role_e rbl_role(const redisReply *info);

#endif /* RBL_ROLE_H_INCLUDED */
