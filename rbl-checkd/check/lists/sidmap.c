/*
 * Open addressing, at most half full.
 */

#include "sidmap.h"
#include "base/xalloc.h"
#include "rbl_hash.h"

#include <stdlib.h>

#define SLOTS_FIRST  64


void
sidmap_free(sidmap_t *map)
{
    free(map->slot);
    memset(map, 0, sizeof(sidmap_t));
}


/* The slot of the SID, or the free slot where it belongs. */

static sidmap_entry_t *
probe(const sidmap_t *map, rbl_str_t sid)
{
    size_t  at;

    at = (size_t) rbl_hash(sid, 0) & (map->slots - 1);

    while (map->slot[at].sid != NULL && !rbl_str_is(sid, map->slot[at].sid)) {
        at = (at + 1) & (map->slots - 1);
    }

    return &map->slot[at];
}


void *
sidmap_find(const sidmap_t *map, rbl_str_t sid)
{
    return map->slots != 0 ? probe(map, sid)->item : NULL;
}


static void
grow(sidmap_t *map)
{
    size_t    i;
    sidmap_t  more;

    more.n = map->n;
    more.slots = map->slots ? map->slots * 2 : SLOTS_FIRST;
    more.slot = xcalloc(more.slots, sizeof(sidmap_entry_t));

    for (i = 0; i < map->slots; i++) {
        if (map->slot[i].sid != NULL) {
            *probe(&more, rbl_str(map->slot[i].sid)) = map->slot[i];
        }
    }

    free(map->slot);
    *map = more;
}


void
sidmap_add(sidmap_t *map, const char *sid, void *item)
{
    sidmap_entry_t  *entry;

    if (map->n * 2 >= map->slots) {
        grow(map);
    }

    entry = probe(map, rbl_str(sid));
    map->n += entry->sid == NULL;
    entry->sid = sid;
    entry->item = item;
}


void *
sidmap_next(const sidmap_t *map, size_t *at)
{
    while (*at < map->slots) {
        if (map->slot[(*at)++].sid != NULL) {
            return map->slot[*at - 1].item;
        }
    }

    return NULL;
}
