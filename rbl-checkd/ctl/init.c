/*
 * rblctl init: <prefix>:meta, which every program reads when it connects.
 * The number of partitions is fixed from then on, for the keys depend on it.
 *
 * rblctl upgrade: raises the schema of a store while programs use it.
 * <prefix>:meta is written at last, after the changes that the schema needs: a
 * command that was stopped halfway is run again.
 */

#include "ctl.h"

#include <stdio.h>
#include <time.h>

#define CTL_PARTITIONS  64


static const char  init_columns[] =
    "store, prefix, partitions, schema, created:created now";

static const char  upgrade_columns[] = "store, prefix, schema, before";


static int
ctl_init_print(ctl_t *ctl, int64_t partitions, int64_t schema, int created)
{
    return ctl_print(ctl, init_columns, json_pack("{ss ss sI sI sb}",
               "store", ctl->conf.store, "prefix", ctl->conf.store_prefix,
               "partitions", (json_int_t) partitions,
               "schema", (json_int_t) schema, "created", created));
}


static int
ctl_init_exists(ctl_t *ctl, const rbl_meta_t *meta, int64_t wanted)
{
    if (ctl_meta_take(ctl, meta) != 0) {
        return CTL_ERROR;
    }

    if (ctl_option(ctl, "partitions") && wanted != ctl->ks.partitions) {
        return ctl_fail("prefix %s of this store was initialised with %u"
                        " partitions; that cannot be changed",
                        ctl->conf.store_prefix, ctl->ks.partitions);
    }

    return ctl_init_print(ctl, meta->partitions, meta->schema, 0);
}


/* Sets a field that has no value; the first client that does so wins.  0, -1:
   error printed. */
static int
ctl_init_first(ctl_t *ctl, const char *field, int64_t value)
{
    char         number[24];
    rbl_key_t    key;
    redisReply  *reply;

    snprintf(number, sizeof(number), "%lld", (long long) value);
    reply = ctl_command(ctl, RBL_COMMAND("HSETNX",
                        rbl_meta_key(&key, &ctl->ks), rbl_str(field),
                        rbl_str(number)));
    freeReplyObject(reply);

    return reply == NULL ? -1 : 0;
}


static int
ctl_init_unkept(const ctl_t *ctl)
{
    return ctl_fail("the store at %s does not keep what rblctl init writes into"
                    " %s:meta. Is it Redis or Valkey? If so, another program"
                    " uses this key: choose another prefix.", ctl->conf.store,
                    ctl->conf.store_prefix);
}


/* Another client may do the same, or an earlier one was stopped halfway: then
   its number of partitions counts. */
static int
ctl_init_write(ctl_t *ctl, int64_t wanted)
{
    int         rc;
    rbl_meta_t  meta;

    if (ctl_init_first(ctl, "partitions", wanted) != 0
        || ctl_init_first(ctl, "created", (int64_t) time(NULL) * 1000) != 0
        || ctl_meta_main(ctl, &meta) < 0)
    {
        return CTL_ERROR;
    }

    if (rbl_keyspace_set_partitions(&ctl->ks, meta.partitions) != RBL_OK) {
        return ctl_init_unkept(ctl);
    }

    if (ctl_meta_write(ctl, meta.partitions) != 0) {
        return CTL_ERROR;
    }

    rc = ctl_meta_main(ctl, &meta);

    if (rc != 0) {
        return rc < 0 ? CTL_ERROR : ctl_init_unkept(ctl);
    }

    return meta.partitions != wanted
           ? ctl_init_exists(ctl, &meta, wanted)
           : ctl_init_print(ctl, wanted, meta.schema, 1);
}


/* There is no <prefix>:meta.  If the store has lost it, its copies tell the
   number of partitions that it has. */
static int
ctl_init_lost(ctl_t *ctl, int64_t wanted)
{
    int         rc;
    rbl_meta_t  copy;

    rc = ctl_meta_copies(ctl, &copy);

    if (rc < 0 || (rc == 0 && ctl_meta_take(ctl, &copy) != 0)) {
        return CTL_ERROR;
    }

    if (rc == 0 && copy.schema > RBL_SCHEMA_VERSION) {
        return ctl_fail("the store has schema %lld, and this rblctl makes %d:"
                        " nothing was changed", (long long) copy.schema,
                        RBL_SCHEMA_VERSION);
    }

    if (rc == 0 && ctl_option(ctl, "partitions") && wanted != copy.partitions) {
        return ctl_fail("the store has lost %s:meta, and the copies say that it"
                        " has %lld partitions: nothing was changed",
                        ctl->conf.store_prefix, (long long) copy.partitions);
    }

    return ctl_init_write(ctl, rc == 0 ? copy.partitions : wanted);
}


int
ctl_init(ctl_t *ctl)
{
    int         rc;
    int64_t     wanted;
    rbl_meta_t  meta;

    wanted = CTL_PARTITIONS;

    if (ctl_number(ctl, "partitions", &wanted, 1, RBL_PARTITIONS_MAX) != 0) {
        return CTL_ERROR;
    }

    if (wanted & (wanted - 1)) {
        return ctl_fail("--partitions must be a power of two: 1, 2, 4 ... %d",
                        RBL_PARTITIONS_MAX);
    }

    if (ctl_all_slots(ctl) != 0) {
        return CTL_ERROR;
    }

    rc = ctl_meta_main(ctl, &meta);

    if (rc == 1) {
        return rbl_keyspace_set_partitions(&ctl->ks, wanted) != RBL_OK
               || ctl_complete(ctl) != 0
               ? CTL_ERROR : ctl_init_lost(ctl, wanted);
    }

    return rc < 0 ? CTL_ERROR : ctl_init_exists(ctl, &meta, wanted);
}


/* 0: there is a store that this rblctl may raise; -1: error printed. */
static int
upgrade_look(ctl_t *ctl, rbl_meta_t *meta)
{
    if (ctl_all_slots(ctl) != 0 || ctl_meta_main(ctl, meta) < 0
        || ctl_meta_take(ctl, meta) != 0 || ctl_complete(ctl) != 0)
    {
        return -1;
    }

    if (meta->schema > RBL_SCHEMA_VERSION) {
        ctl_fail("the store has schema %lld, and this rblctl makes %d: nothing"
                 " was changed", (long long) meta->schema, RBL_SCHEMA_VERSION);
        return -1;
    }

    return 0;
}


int
ctl_upgrade(ctl_t *ctl)
{
    rbl_meta_t  meta;

    if (upgrade_look(ctl, &meta) != 0
        || ctl_meta_write(ctl, meta.partitions) != 0)
    {
        return CTL_ERROR;
    }

    return ctl_print(ctl, upgrade_columns, json_pack("{ss ss si sI}",
               "store", ctl->conf.store, "prefix", ctl->conf.store_prefix,
               "schema", RBL_SCHEMA_VERSION,
               "before", (json_int_t) meta.schema));
}
