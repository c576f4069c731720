/*
 * A hash of fixed size with chains: there are never more lanes than places in
 * the waiting room.
 */

#include "lane.h"

#include <stdlib.h>

#include "rbl_hash.h"


static int
lane_is(const lane_t *lane, rbl_str_t account, rbl_str_t receiver)
{
    return lane->n_account == account.n && lane->n == account.n + receiver.n
           && memcmp(lane->name, account.p, account.n) == 0
           && memcmp(lane->name + account.n, receiver.p, receiver.n) == 0;
}


static lane_t *
lane_new(rbl_str_t account, rbl_str_t receiver)
{
    char    *p;
    lane_t  *lane;

    lane = calloc(1, sizeof(lane_t) + account.n + receiver.n);
    if (lane == NULL) {
        return NULL;
    }

    link_init(&lane->flying);
    lane->n_account = account.n;
    lane->n = account.n + receiver.n;
    p = mempcpy(lane->name, account.p, account.n);
    memcpy(p, receiver.p, receiver.n);

    return lane;
}


lane_t *
lane_get(lanes_t *lanes, rbl_str_t account, rbl_str_t receiver)
{
    lane_t    *lane, **slot;
    uint64_t   hash;

    hash = rbl_hash(receiver, rbl_hash(account, 0));
    slot = &lanes->slot[hash & (LANE_SLOTS - 1)];

    for (lane = *slot; lane != NULL; lane = lane->next) {
        if (lane_is(lane, account, receiver)) {
            lane->refs++;
            return lane;
        }
    }

    lane = lane_new(account, receiver);
    if (lane == NULL) {
        return NULL;
    }

    lane->refs = 1;
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
