/*
 * Questions to lists, as checks ask them: counted against the list's quota,
 * asked once however many want to know, and kept for as long as the answer's
 * TTL says.  Queries for test points (health.h) bypass it.
 *
 *   check.c --> lookup --> quota, then the question engine
 *
 * The cache (cache.h) holds NOERROR and NXDOMAIN answers for their TTL (RFC
 * 2308 for negative ones), nothing without a TTL, never a failure nor what is
 * no verdict (a refusal by an address, a hijack), and at most a fixed number
 * of octets.
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
    rbl_lookup_err_t     error;     /* RBL_ERR_QUOTA, RBL_ERR_BLOCKED: it was
                                       not asked (RBL_ERR_NETWORK: for want
                                       of memory); RBL_ERR_NONE: see
                                       answer */
    const dns_answer_t  *answer;    /* NULL: it was not asked; `ttl` is what
                                       is left of it */
    double               at;        /* dns_clock() when it came; earlier than
                                       now if it was kept */
    unsigned             kept:1;    /* from the cache */
} lookup_answer_t;

typedef struct {
    uint64_t  asked, hits, joined, refused;
    size_t    entries, octets;
} lookup_counters_t;

/* The reply lives during the call, which may ask and cancel at will. */
typedef void (*lookup_done_pt)(void *data, const lookup_answer_t *reply);

/* `quota` NULL: no limits; `octets` of cache, 0: none.  NULL: no memory. */
lookup_t *lookup_new(struct ev_loop *loop, dns_engine_t *dns, quota_t *quota,
    size_t octets);

/* Drops every question without calling back; not to be called from one. */
void lookup_free(lookup_t *lookup);

/*
 * Asks the list for a name (as dns_ask).  `patience`: seconds it may wait for
 * its quota.  `fresh`: past the cache.  Name and type make the question,
 * whichever list it is for; but what an account asks its own lists is its own.
 * The call back comes exactly once, never from inside this call, unless the
 * question is cancelled.  NULL: bad name or out of memory.
 */
lookup_q_t *lookup_ask(lookup_t *lookup, const list_t *list, const char *name,
    uint16_t type, double patience, int fresh, lookup_done_pt done,
    void *data);
void lookup_cancel(lookup_q_t *q);

/* Is it on its way, or answered?  0: it waits until it may be sent. */
int lookup_sent(const lookup_q_t *q);

/* Counts responses in the counters of lists; NULL, as at first: no counts. */
void lookup_list_counters(lookup_t *lookup, counters_t *list_counters);

const lookup_counters_t *lookup_counters(lookup_t *lookup);

#endif /* LOOKUP_H_INCLUDED */
