/*
 * The meta data of a store, by which a program knows whether it can use it.
 *
 * <prefix>:meta is a hash: "schema", the version of the keys and records;
 * "oldest", the lowest schema whose programs can use the store, too (if it is
 * missing: its own); "partitions", fixed; "created" (ms).  Since schema 9 there
 * are RBL_META_COPIES copies of it, <prefix>:{<tag>}:meta, spread evenly over
 * the slots of a cluster: a program needs the node of one of them to start.
 * rblctl init and upgrade write them, the copies first.
 *
 * A program can use a store of its own schema and of the one before, which
 * rblctl upgrade raises, and one of a later schema if "oldest" allows it.
 */

#ifndef RBL_META_H_INCLUDED
#define RBL_META_H_INCLUDED

#include "rbl_keys.h"
#include "rbl_reply.h"

#define RBL_SCHEMA_VERSION  9
#define RBL_SCHEMA_FROM     8           /* the one before */

/* The fields of HMGET <prefix>:meta, in the order in which rbl_meta_read takes
   them. */
#define RBL_META_FIELDS                                                       \
    RBL_STR("schema"), RBL_STR("partitions"), RBL_STR("oldest")

typedef struct {
    int64_t  schema;                    /* -1: there is none */
    int64_t  partitions;                /* -1: likewise */
    int64_t  oldest;                    /* schema, if it is missing */
} rbl_meta_t;

typedef enum {
    RBL_META_OK = 0,
    RBL_META_NONE,                      /* no store has been made there */
    RBL_META_SCHEMA,                    /* this version cannot use it */
    RBL_META_DAMAGED                    /* its number of partitions is none */
} rbl_meta_state_t;

/* Takes the reply of HMGET apart. */
void rbl_meta_read(rbl_meta_t *meta, const redisReply *reply);

/* Can this version use the store?  If so, sets the partitions of ks. */
rbl_meta_state_t rbl_meta_take(rbl_keyspace_t *ks, const rbl_meta_t *meta);

/*
 * Writes what is wrong with a store that rbl_meta_take refused: "it has schema
 * 7, this rblctl can use 8 and 9 (rbl-operations(7), Upgrading)".  Returns buf.
 */
#define RBL_META_WHY  160
const char *rbl_meta_why(char buf[RBL_META_WHY], rbl_meta_state_t state,
    const rbl_meta_t *meta, const char *program);

#endif /* RBL_META_H_INCLUDED */
