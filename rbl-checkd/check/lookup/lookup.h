/*
 * Queries to lists, as checks make them: counted against the list's quota, sent
 * once for all callers, and cached for the TTL of the response.  Queries for
 * test points (health.h) bypass it.
 */

#ifndef LOOKUP_H_INCLUDED
#define LOOKUP_H_INCLUDED

#include <ev.h>

#include "check/lists/lists.h"
#include "check/lists/counters.h"
#include "dns/engine.h"
#include "quota.h"

typedef struct lookup_s     lookup_t;
typedef struct lookup_q_s   lookup_q_t;

typedef struct {
    rbl_lookup_err_t     error;     /* RBL_ERR_QUOTA, RBL_ERR_BLOCKED: not
                                       queried (RBL_ERR_NETWORK: as NULL below);
                                       RBL_ERR_NONE: see answer */
    const dns_answer_t  *answer;    /* NULL: not queried; `ttl` is the remaining
                                       time */
    double               at;        /* clock_now() of the response; in the past
                                       if it was cached */
    unsigned             kept:1;    /* from the cache */
} lookup_answer_t;

typedef struct {
    uint64_t  asked, hits, joined, refused;
    size_t    entries, octets;
} lookup_counters_t;

/* The reply is valid during the call, which may make and cancel any lookup. */
typedef void (*lookup_done_pt)(void *data, const lookup_answer_t *reply);

/* `quota` NULL: no limits; `octets` of cache, 0: none.  NULL: the system gave
   no random octets. */
lookup_t *lookup_new(struct ev_loop *loop, dns_engine_t *dns, quota_t *quota,
    size_t octets);

/* Drops every lookup without calling back; must not be called from a call
   back. */
void lookup_free(lookup_t *lookup);

/*
 * Queries the list for a name (as dns_ask).  `patience`: seconds to wait for
 * the quota.  `fresh`: bypasses the cache.  Lookups of the same name and type
 * share a query, whatever their list; but an account's lookups at its own lists
 * are shared only within the account.  The call back comes exactly once, never
 * from inside this call, unless the lookup is cancelled.  NULL: as dns_ask.
 */
lookup_q_t *lookup_ask(lookup_t *lookup, const list_t *list, const char *name,
    uint16_t type, double patience, int fresh, lookup_done_pt done,
    void *data);
void lookup_cancel(lookup_q_t *q);      /* NULL: no effect */

/* 1: the query was sent, or has a response.  0: it waits until it may be
   sent. */
int lookup_sent(const lookup_q_t *q);

/* Counts responses in the counters of lists; NULL, as at first: no counts. */
void lookup_list_counters(lookup_t *lookup, counters_t *list_counters);

const lookup_counters_t *lookup_counters(lookup_t *lookup);

#endif /* LOOKUP_H_INCLUDED */
