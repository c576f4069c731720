/*
 * rblctl init: <prefix>:meta, which every program reads when it connects.
 * The number of partitions is fixed from then on, for the keys depend on it.
 */

#include "ctl.h"

#include <stdio.h>
#include <time.h>

#define CTL_PARTITIONS  64


static const ctl_column_t  init_columns[] = {
    { "store", "store" }, { "prefix", "prefix" },
    { "partitions", "partitions" }, { "schema", "schema" },
    { "created", "created now" }, { NULL, NULL }
};


static int
ctl_init_print(ctl_t *ctl, int64_t partitions, int created)
{
    return ctl_print(ctl, init_columns, json_pack("{ss ss sI si sb}",
               "store", ctl->conf.store, "prefix", ctl->conf.store_prefix,
               "partitions", (json_int_t) partitions,
               "schema", RBL_SCHEMA_VERSION, "created", created));
}


static int
ctl_init_exists(ctl_t *ctl, int64_t wanted)
{
    if (ctl_meta(ctl) != 0) {
        return CTL_ERROR;
    }

    if (ctl_option(ctl, "partitions") && wanted != ctl->ks.partitions) {
        return ctl_fail("prefix %s of this store was initialised with %u"
                        " partitions; that cannot be changed",
                        ctl->conf.store_prefix, ctl->ks.partitions);
    }

    return ctl_init_print(ctl, ctl->ks.partitions, 0);
}


/* 1: written, 0: another client was faster, -1: error printed. */
static int
ctl_init_write(ctl_t *ctl, int64_t partitions)
{
    int64_t      n;
    char         number[24], schema[24], now[24];
    rbl_key_t    key;
    redisReply  *reply;

    snprintf(number, sizeof(number), "%lld", (long long) partitions);
    snprintf(schema, sizeof(schema), "%d", RBL_SCHEMA_VERSION);
    snprintf(now, sizeof(now), "%lld", (long long) time(NULL) * 1000);

    /* the first writer of this field wins; the other clients use its value */

    reply = ctl_command(ctl, RBL_COMMAND("HSETNX",
                        rbl_meta_key(&key, &ctl->ks), RBL_STR("partitions"),
                        rbl_str(number)));
    if (reply == NULL) {
        return -1;
    }

    n = rbl_reply_int(reply, -1);
    freeReplyObject(reply);

    reply = ctl_command(ctl, RBL_COMMAND("HSET", rbl_meta_key(&key, &ctl->ks),
                        RBL_STR("created"), rbl_str(now), RBL_STR("schema"),
                        rbl_str(schema)));
    if (reply == NULL) {
        return -1;
    }

    freeReplyObject(reply);

    return n == 1;
}


int
ctl_init(ctl_t *ctl)
{
    int       rc;
    int64_t   wanted, partitions, schema;
    unsigned  missing;

    wanted = CTL_PARTITIONS;

    if (ctl_number(ctl, "partitions", &wanted, 1, RBL_PARTITIONS_MAX) != 0) {
        return CTL_ERROR;
    }

    if (wanted & (wanted - 1)) {
        return ctl_fail("--partitions must be a power of two: 1, 2, 4 ... %d",
                        RBL_PARTITIONS_MAX);
    }

    missing = ctl_slots_missing(ctl);

    if (missing != 0) {
        return ctl_fail("%u slot%s of the cluster ha%s no node, and nothing was"
                        " changed: rblctl store plan shows what is missing",
                        missing, missing == 1 ? "" : "s",
                        missing == 1 ? "s" : "ve");
    }

    rc = ctl_meta_read(ctl, &partitions, &schema);

    if (rc == 1) {
        if (rbl_keyspace_set_partitions(&ctl->ks, wanted) != RBL_OK
            || ctl_complete(ctl) != 0)
        {
            return CTL_ERROR;
        }

        rc = ctl_init_write(ctl, wanted);
        if (rc == 1) {
            return ctl_init_print(ctl, wanted, 1);
        }
    }

    return rc < 0 ? CTL_ERROR : ctl_init_exists(ctl, wanted);
}
