/*
 * Consumer groups of the store's streams.
 */

#ifndef GROUP_H_INCLUDED
#define GROUP_H_INCLUDED

#include "store.h"

/*
 * Takes consumers out of a group that have nothing pending and were not seen
 * for a day: each daemon that starts has a name of its own by default, and its
 * forerunners' names would pile up for ever.  Nobody waits for the outcome.
 */
void group_trim(store_t *store, rbl_str_t stream, rbl_str_t group);

#endif /* GROUP_H_INCLUDED */
