/*
 * A map from SIDs to objects, which remain until the map is freed.
 */

#ifndef SIDMAP_H_INCLUDED
#define SIDMAP_H_INCLUDED

#include "rbl_common.h"

typedef struct {
    const char  *sid;                   /* ends with NUL; owned by the item */
    void        *item;
} sidmap_entry_t;

/* All zero: empty. */
typedef struct {
    size_t           n, slots;          /* slots: a power of two, or 0 */
    sidmap_entry_t  *slot;
} sidmap_t;

void sidmap_free(sidmap_t *map);        /* not the items */

/* NULL: there is none. */
void *sidmap_find(const sidmap_t *map, rbl_str_t sid);

/* Takes the place of the one with this SID, if there is one. */
void sidmap_add(sidmap_t *map, const char *sid, void *item);

/* Walks, *at 0 at first; NULL: no more. */
void *sidmap_next(const sidmap_t *map, size_t *at);

#endif /* SIDMAP_H_INCLUDED */
