/*
 * Consumer groups of the store's streams.
 */

#ifndef GROUP_H_INCLUDED
#define GROUP_H_INCLUDED

#include "store.h"

/*
 * Removes consumers from a group that have nothing pending and were not seen
 * for a day.  By default each daemon process has a new name, so that old names
 * would accumulate.  Ignores the result.
 */
void group_trim(store_t *store, rbl_str_t stream, rbl_str_t group);

#endif /* GROUP_H_INCLUDED */
