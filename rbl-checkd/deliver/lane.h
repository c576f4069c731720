/*
 * Lanes: how many attempts of somebody wait and how many are in flight.  An
 * account is one, and each receiver of it is one.
 */

#ifndef DELIVER_LANE_H_INCLUDED
#define DELIVER_LANE_H_INCLUDED

#include "base/link.h"
#include "rbl_common.h"

#define LANE_SLOTS  1024u               /* a power of two */

typedef struct lane_s  lane_t;

/* All zero: there are none. */
typedef struct {
    lane_t  *slot[LANE_SLOTS];
} lanes_t;

struct lane_s {
    lane_t   *next;                     /* of its slot */
    lane_t  **slot;
    unsigned  refs;
    link_t    flying;                   /* those without an end yet, the oldest
                                           first */
    unsigned  waiting, running;         /* these three kept by the queue */
    size_t    n_account, n;
    char      name[];                   /* account, receiver */
};

/* The lane of an account (receiver: ""), or of a receiver of it; it lives until
   each that got it has put it back.  NULL: out of memory. */
lane_t *lane_get(lanes_t *lanes, rbl_str_t account, rbl_str_t receiver);
void lane_put(lane_t *lane);            /* NULL is nothing */

#endif /* DELIVER_LANE_H_INCLUDED */
