/*
 * rblctl upgrade: raises the schema of a store while programs use it.
 * <prefix>:meta is written at last, after the changes that the schema needs: a
 * command that was stopped halfway is run again.
 *
 * From 8 to 9: the copies of the meta data (rbl_meta.h).
 */

#include "ctl.h"


static const char  upgrade_columns[] = "store, prefix, schema, before";


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
