/*
 * Carries out what operators want of accounts (rbl_request.h), with the
 * scripts of rblctl: nginx can only queue it.  It also puts the names of the
 * plans into the store, among which operators choose.
 */

#ifndef REQUESTS_H_INCLUDED
#define REQUESTS_H_INCLUDED

#include <ev.h>

#include "store/store.h"

typedef struct requests_s  requests_t;

/* conf must outlive them. */
requests_t *requests_new(struct ev_loop *loop, const config_t *conf,
    store_t *store);
void requests_free(requests_t *requests);

/* Looks at once: the store is ready. */
void requests_wake(requests_t *requests);

/* Begins no more. */
void requests_stop(requests_t *requests);

#endif /* REQUESTS_H_INCLUDED */
