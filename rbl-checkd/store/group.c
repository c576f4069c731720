/*
 * Consumer groups of the store's streams.
 */

#include "group.h"


void
group_trim(store_t *store, rbl_str_t stream, rbl_str_t group)
{
    rbl_consumers_trim_args_t  args;

    args.stream = stream;
    args.group = group;
    args.idle = RBL_STR("86400000");

    store_call(store, consumers_trim, NULL, NULL, args);
}
