/*
 * Delivery of events (rbl-events(7)): outbox, first attempts, delivery records,
 * later attempts, until it is delivered or a dead letter.  All data that must
 * survive a crash is in the store before an attempt.
 */

#ifndef DELIVER_H_INCLUDED
#define DELIVER_H_INCLUDED

#include <ev.h>

#include "config/config.h"
#include "dns/engine.h"
#include "store/store.h"

typedef struct deliver_s  deliver_t;

/* Attempts by outcome; digests that became messages. */
typedef struct {
    uint64_t  delivered, retried, dead, digests;
    double    unmailed;                 /* clock_now of the last mail for
                                           which no server is configured; 0:
                                           none */
} deliver_counters_t;

/* NULL: curl cannot be used, or there is no thread for mails.  Works whenever
   the store is ready. */
deliver_t *deliver_new(struct ev_loop *loop, const config_t *conf,
    store_t *store, dns_engine_t *dns);

/* Takes no new work; attempts in flight continue. */
void deliver_stop(deliver_t *deliver);
unsigned deliver_in_flight(const deliver_t *deliver);
const deliver_counters_t *deliver_counters(const deliver_t *deliver);

/* Writes a packed array of the types of contacts that it delivers to; NULL:
   none. */
void deliver_types(const deliver_t *deliver, rbl_out_t *out);

void deliver_free(deliver_t *deliver);

/* Reads time zones again, since the system's files may have changed. */
void deliver_reload(deliver_t *deliver);

/* To be called when a partition may have new entries in its outbox. */
void deliver_wake(deliver_t *deliver, unsigned part);

#endif /* DELIVER_H_INCLUDED */
