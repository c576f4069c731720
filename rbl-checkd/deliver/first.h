/*
 * First attempts.  The entry of an event stays pending in the outbox until the
 * first attempts of all its deliveries are over, or some of them take too long;
 * then one script records a batch of events.  An event whose deliveries all
 * succeed is only written into the log of attempts.
 */

#ifndef DELIVER_FIRST_H_INCLUDED
#define DELIVER_FIRST_H_INCLUDED

#include "entry.h"

#define FIRST_ASKED        32u          /* entries per request of receivers: one
                                           read */
#define FIRST_BATCH        64u          /* entries a record, */
#define FIRST_DELIVERIES   8u           /* or until they have so many, */
#define FIRST_OCTETS       65536u       /* or until their bodies have */

/* One call of a script, for entries of one partition. */
typedef struct {
    link_t      link;                   /* of the calls on their way */
    first_t    *first;
    unsigned    part;
    unsigned    n;
    unsigned    deliveries;
    link_t      entries;                /* by first_link */
    size_t      n_asked;
    struct {
        rbl_event_targets_args_t  args;
        rbl_event_targets_each_t  each[];
    }          *asked;
} first_call_t;

struct first_s {
    deliver_t  *deliver;
    link_t      fresh;                  /* entries with unknown receivers */
    link_t      idle;                   /* open, and no attempt has begun; by
                                           the time they came */
    link_t      begun;                  /* open; by the time of that */
    link_t      over;                   /* to be recorded */
    link_t      kept;                   /* the same, at `again`: the store could
                                           not; entries of other partitions do
                                           not wait for them */
    link_t      calls;
    unsigned    n_open, n_over;
    unsigned    n_ended;                /* deliveries of finished entries */
    ev_tstamp   again;
    ev_timer    tick;
};

first_t *first_new(deliver_t *d);
void first_free(first_t *first);        /* after its entries */

/*
 * Takes the first of a ring, and others of its partition, into a call; NULL:
 * the ring is empty.
 */
first_call_t *first_call(first_t *first, link_t *from, unsigned max);
void first_call_free(first_call_t *call);

/* Takes an entry whose deliveries are known; the caller calls first_look after
   the last one of a reply. */
void first_open(first_t *first, entry_t *e);

/* Sends records if a batch is full, or no entry is open. */
void first_look(first_t *first);

/* first_ask.c: takes an entry with its event and body; first_ask starts all
   that were added. */
void first_add(first_t *first, entry_t *e);
void first_ask(first_t *first);

#endif /* DELIVER_FIRST_H_INCLUDED */
