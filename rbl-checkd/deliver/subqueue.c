/*
 * A hash of fixed size with chains: there are never more queues than places
 * for waiting attempts.
 */

#include "subqueue.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "rbl_hash.h"


static int
subqueue_is(const subqueue_t *q, rbl_str_t account, rbl_str_t receiver)
{
    return q->n_account == account.n && q->n == account.n + receiver.n
           && memcmp(q->name, account.p, account.n) == 0
           && memcmp(q->name + account.n, receiver.p, receiver.n) == 0;
}


static subqueue_t *
subqueue_new(rbl_str_t account, rbl_str_t receiver)
{
    char        *p;
    subqueue_t  *q;

    q = xcalloc(1, sizeof(subqueue_t) + account.n + receiver.n);
    link_init(&q->in_flight);
    q->n_account = account.n;
    q->n = account.n + receiver.n;
    p = mempcpy(q->name, account.p, account.n);
    memcpy(p, receiver.p, receiver.n);

    return q;
}


subqueue_t *
subqueue_get(subqueues_t *subqueues, rbl_str_t account, rbl_str_t receiver)
{
    subqueue_t  *q, **slot;
    uint64_t     hash;

    hash = rbl_hash(receiver, rbl_hash(account, 0));
    slot = &subqueues->slot[hash & (SUBQUEUE_SLOTS - 1)];

    for (q = *slot; q != NULL; q = q->next) {
        if (subqueue_is(q, account, receiver)) {
            q->refs++;
            return q;
        }
    }

    q = subqueue_new(account, receiver);
    q->refs = 1;
    q->slot = slot;
    q->next = *slot;
    *slot = q;

    return q;
}


void
subqueue_put(subqueue_t *q)
{
    subqueue_t  **p;

    if (q == NULL || --q->refs > 0) {
        return;
    }

    for (p = q->slot; *p != q; p = &(*p)->next) {
        /* void */
    }

    *p = q->next;
    free(q);
}
