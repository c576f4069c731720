/*
 * What the files of direct.h share: the turns of entries (direct.c), to whom
 * they go (direct_ask.c) and their record (direct_tell.c).
 */

#ifndef DIRECT_INT_H_INCLUDED
#define DIRECT_INT_H_INCLUDED

#include "direct.h"

#define DIRECT_ASKED       32u          /* entries a call that asks: a read */
#define DIRECT_BATCH       64u          /* entries a record, */
#define DIRECT_DELIVERIES  8u           /* or until they have so many, */
#define DIRECT_OCTETS      65536u       /* or until their bodies have */

/* One call of a script, for entries of one partition. */
typedef struct {
    link_t      link;                   /* of the calls on their way */
    direct_t   *direct;
    unsigned    part;
    unsigned    n;
    unsigned    deliveries;
    link_t      entries;                /* by their turn */
    size_t      n_asked;
    struct {
        rbl_event_targets_args_t  args;
        rbl_event_targets_each_t  each[];
    }          *asked;
} direct_call_t;

struct direct_s {
    deliver_t  *deliver;
    link_t      fresh;                  /* whose receivers are not known */
    link_t      idle;                   /* open, and no attempt has begun; by
                                           the time they came */
    link_t      begun;                  /* open; by the time of that */
    link_t      over;                   /* to be recorded */
    link_t      calls;
    unsigned    n_open, n_over, n_asking;
    unsigned    n_ended;                /* deliveries of what is over */
    ev_tstamp   again;                  /* no record before that */
    ev_timer    tick;
};

/*
 * Takes the first of a ring, and others of its partition, into a call; NULL:
 * the ring is empty, or out of memory.
 */
direct_call_t *direct_call(direct_t *dr, link_t *from, unsigned max);
void direct_call_free(direct_call_t *call);

/* An entry whose deliveries are known waits for their ends; after the last of
   those that were told together, direct_look. */
void direct_open(direct_t *dr, entry_t *e);

/* Nothing is left to wait for, or there is enough: what is gathered goes. */
void direct_look(direct_t *dr);

/* Records what is to be recorded. */
void direct_tell(direct_t *dr);

#endif /* DIRECT_INT_H_INCLUDED */
