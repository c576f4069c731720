#include "rbl_meta.h"

#include <stdio.h>


void
rbl_meta_read(rbl_meta_t *meta, const redisReply *reply)
{
    meta->schema = rbl_reply_int(rbl_reply_at(reply, 0), -1);
    meta->partitions = rbl_reply_int(rbl_reply_at(reply, 1), -1);
    meta->oldest = rbl_reply_int(rbl_reply_at(reply, 2), meta->schema);
}


rbl_meta_state_t
rbl_meta_take(rbl_keyspace_t *ks, const rbl_meta_t *meta)
{
    if (meta->schema == -1 && meta->partitions == -1) {
        return RBL_META_NONE;
    }

    if (meta->schema < RBL_SCHEMA_FROM
        || (meta->schema > RBL_SCHEMA_VERSION
            && meta->oldest > RBL_SCHEMA_VERSION))
    {
        return RBL_META_SCHEMA;
    }

    return rbl_keyspace_set_partitions(ks, meta->partitions) == RBL_OK
           ? RBL_META_OK : RBL_META_DAMAGED;
}


const char *
rbl_meta_why(char buf[RBL_META_WHY], rbl_meta_state_t state,
    const rbl_meta_t *meta, const char *program)
{
    switch (state) {

    case RBL_META_OK:
        buf[0] = '\0';
        break;

    case RBL_META_NONE:
        snprintf(buf, RBL_META_WHY,
                 "it has not been initialised (rblctl init)");
        break;

    case RBL_META_SCHEMA:
        snprintf(buf, RBL_META_WHY, "it has schema %lld, this %s can use %d"
                 " and %d (rbl-operations(7), Upgrading)",
                 (long long) meta->schema, program, RBL_SCHEMA_FROM,
                 RBL_SCHEMA_VERSION);
        break;

    case RBL_META_DAMAGED:
        snprintf(buf, RBL_META_WHY, "its number of partitions, %lld, is not a"
                 " power of two from 1 to %d", (long long) meta->partitions,
                 RBL_PARTITIONS_MAX);
        break;
    }

    return buf;
}
