/*
 * Consumer groups of the store's streams.
 */

#include "group.h"


void
group_trim(store_t *store, rbl_str_t stream, rbl_str_t group)
{
    rbl_str_t  argv[3];

    argv[0] = stream;
    argv[1] = group;
    argv[2] = RBL_STR("86400000");

    store_script(store, &rbl_script_consumers_trim, NULL, NULL, 3, argv);
}
