/*
 * Bills of accounts: opens payments before periods end, and says when a period
 * has ended unpaid (shared/lua/bill/bill_step.lua).  The store decides; this
 * gives it the time.
 */

#ifndef BILLS_H_INCLUDED
#define BILLS_H_INCLUDED

#include <ev.h>

#include "config/config.h"
#include "store/store.h"

typedef struct bills_s  bills_t;

/* conf lives longer.  NULL: out of memory. */
bills_t *bills_new(struct ev_loop *loop, const config_t *conf, store_t *store);
void bills_free(bills_t *bills);

/* Begins no more steps. */
void bills_stop(bills_t *bills);

#endif /* BILLS_H_INCLUDED */
