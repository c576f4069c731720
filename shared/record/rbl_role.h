/*
 * Role of a store: master, or replica and how fresh its data are.  It is parsed
 * from the reply to INFO REPLICATION, because ROLE does not show when the
 * replica last received data from its master.  Also the name and version of the
 * server.
 */

#ifndef RBL_ROLE_H_INCLUDED
#define RBL_ROLE_H_INCLUDED

#include "rbl_reply.h"

/* The value of a line "name:value" of INFO; p is NULL if there is none. */
rbl_str_t rbl_info_value(rbl_str_t info, const char *name);

#define RBL_SERVER_TEXT  48

/*
 * Writes the name and version of the server, "Redis 8.0.2" or "Valkey 8.1.1",
 * from INFO SERVER; "": `info` does not contain them.  The redis_version of
 * Valkey is that of the last Redis whose commands it has.
 */
void rbl_server_text(char text[RBL_SERVER_TEXT], rbl_str_t info);

/*
 * Most seconds since a replica last received data from its master.  An idle
 * master sends a ping every ten seconds (repl-ping-replica-period).
 */
#define RBL_ROLE_AGE_MAX  15

typedef enum {
    RBL_ROLE_MASTER = 0,
    RBL_ROLE_REPLICA,           /* replica with fresh data */
    RBL_ROLE_STALE,             /* replica without its master */
    RBL_ROLE_UNKNOWN            /* the reply does not contain it */
} rbl_role_e;

rbl_role_e rbl_role(const redisReply *info);

/* The replicas of a master, as it reports them. */
typedef struct {
    rbl_str_t  history;         /* master_replid: another one after a failover,
                                   or after a start without data; p NULL: it
                                   does not say */
    int64_t    replicas;        /* connected ones */
    int64_t    good;            /* of these, with a lag that
                                   min-replicas-max-lag allows; -1: a write
                                   needs none (min-replicas-to-write) */
    int64_t    lag;             /* seconds since the last response of the one
                                   that is silent longest; 0: there is none */
} rbl_replicas_t;

void rbl_replicas(rbl_replicas_t *replicas, const redisReply *info);

/* The number of replicas that a durable change waits for: those with a lag that
   min-replicas-max-lag allows; if a write needs none, all connected ones. */
int64_t rbl_replicas_near(const redisReply *info);

#endif /* RBL_ROLE_H_INCLUDED */
