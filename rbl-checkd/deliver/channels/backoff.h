/*
 * When a delivery that failed is attempted again (rbl-events(7)).  Pure: the
 * caller gives the time and the random number.
 */

#ifndef DELIVER_BACKOFF_H_INCLUDED
#define DELIVER_BACKOFF_H_INCLUDED

#include <stdint.h>

#define BACKOFF_WAIT_MAX  INT64_C(86400000)     /* ms: limit of a peer's
                                                   request */
#define BACKOFF_SHORT     INT64_C(86400000)     /* ms that callbacks and
                                                   messages to contacts live */
#define BACKOFF_LAST      INT64_C(3600000)      /* ms before the one at the end
                                                   of that time, at least */

typedef struct {
    unsigned        n;                  /* how many repeats */
    const int32_t  *seconds;            /* before each of them */
} backoff_table_t;

extern const backoff_table_t  backoff_webhook, backoff_contact;

typedef struct {
    const backoff_table_t  *table;
    unsigned                attempt;    /* the one that failed, from 0 */
    int                     short_lived;    /* 1: ends BACKOFF_SHORT after
                                               `first` */
    int64_t                 first, now; /* ms since 1970 */
    int64_t                 wait;       /* ms that the peer requested, or 0 */
    uint32_t                random;     /* for the jitter of 20 % */
} backoff_t;

/* Milliseconds until the next attempt, or -1: that was the last. */
int64_t backoff_next(const backoff_t *b);

#endif /* DELIVER_BACKOFF_H_INCLUDED */
