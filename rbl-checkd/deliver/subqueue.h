/*
 * Queues of accounts and of their receivers: how many attempts of each wait,
 * and which are in flight.
 */

#ifndef DELIVER_SUBQUEUE_H_INCLUDED
#define DELIVER_SUBQUEUE_H_INCLUDED

#include "base/link.h"
#include "rbl_common.h"

#define SUBQUEUE_SLOTS  1024u           /* a power of two */

typedef struct subqueue_s  subqueue_t;

/* All zero: there are none. */
typedef struct {
    subqueue_t  *slot[SUBQUEUE_SLOTS];
} subqueues_t;

struct subqueue_s {
    subqueue_t   *next;                 /* of its slot */
    subqueue_t  **slot;
    unsigned      refs;
    link_t        in_flight;            /* attempts, the oldest first */
    unsigned      waiting, running;     /* queue.c sets these three */
    size_t        n_account, n;
    char          name[];               /* account, receiver */
};

/* The queue of an account (receiver: ""), or of one of its receivers.  Each get
   needs a put; the last one frees it. */
subqueue_t *subqueue_get(subqueues_t *subqueues, rbl_str_t account,
    rbl_str_t receiver);
void subqueue_put(subqueue_t *q);       /* NULL is nothing */

#endif /* DELIVER_SUBQUEUE_H_INCLUDED */
