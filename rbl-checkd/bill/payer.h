/*
 * Payments by the gateway.  The script bill_send says what to ask for an
 * account and writes it down; the answer is recorded by bill_answer,
 * bill_session or bill_card.  A daemon that dies between them leaves a lease,
 * after which the same request is sent with the same key.
 */

#ifndef BILL_PAYER_H_INCLUDED
#define BILL_PAYER_H_INCLUDED

#include "dns/engine.h"
#include "store/visits.h"

typedef struct payer_s  payer_t;

/* NULL: curl cannot be used.  Only if the gateway makes requests. */
payer_t *payer_new(struct ev_loop *loop, const config_t *conf, store_t *store,
    dns_engine_t *dns);
void payer_free(payer_t *payer);

/* The store is ready, or lost.  Nothing is charged unless it writes to disk. */
void payer_state(payer_t *payer, int ready);

void payer_stop(payer_t *payer);
unsigned payer_in_flight(const payer_t *payer);

#endif /* BILL_PAYER_H_INCLUDED */
