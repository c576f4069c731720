/*
 * A hash of fixed size with chains: there are never more lanes than places in
 * the waiting room.
 */

#include "lane.h"

#include <stdlib.h>

#include "rbl_hash.h"


lane_t *
lane_get(lanes_t *lanes, rbl_str_t name)
{
    lane_t  *lane, **slot;

    slot = &lanes->slot[rbl_hash(name, 0) & (LANE_SLOTS - 1)];

    for (lane = *slot; lane != NULL; lane = lane->next) {
        if (lane->n == name.n && memcmp(lane->name, name.p, name.n) == 0) {
            lane->refs++;
            return lane;
        }
    }

    lane = calloc(1, sizeof(lane_t) + name.n);
    if (lane == NULL) {
        return NULL;
    }

    lane->refs = 1;
    lane->n = name.n;
    memcpy(lane->name, name.p, name.n);
    lane->slot = slot;
    lane->next = *slot;
    *slot = lane;

    return lane;
}


void
lane_put(lane_t *lane)
{
    lane_t  **p;

    if (lane == NULL || --lane->refs > 0) {
        return;
    }

    for (p = lane->slot; *p != lane; p = &(*p)->next) {
        /* void */
    }

    *p = lane->next;
    free(lane);
}
