/*
 * One entry of the outbox, from its raw bytes to its end.
 */

#ifndef DELIVER_ENTRY_H_INCLUDED
#define DELIVER_ENTRY_H_INCLUDED

#include "deliver_int.h"
#include "rbl_record.h"

typedef struct {
    deliver_t  *deliver;
    link_t      entries;                /* on their way */
    unsigned    n;

    /* good: 1 it is dealt with, 0 it is still pending in the store.  The entry
       is gone when this comes. */
    void      (*done)(void *data, int good);
    void       *data;
} entry_set_t;

/* One delivery of an event with first attempts (first.c). */
typedef struct {
    attempt_t  *attempt;                /* NULL: it is left to the claims */
    int         told;                   /* the record tells its end */
    rbl_str_t   url, app;               /* of a callback */
    char       *what;                   /* both, the application first */
    char        target[40];
} entry_delivery_t;

struct entry_s {
    link_t             link;
    link_t             first_link;      /* ring of first.c */
    entry_set_t       *set;
    unsigned           part;
    ev_tstamp          since;           /* when it came */
    rbl_str_t          id, account, raw;    /* into bytes */
    rbl_event_t        event;           /* into bytes */
    payload_t         *body;
    ev_tstamp          until;           /* when it is to be recorded */
    int                open;            /* it waits for its attempts */
    int                begun;           /* one of them has */
    int                frozen;          /* what is recorded is settled */
    unsigned           n_open;          /* attempts that are not over */
    unsigned           n_deliveries;
    entry_delivery_t  *deliveries;
    char               bytes[];
};

/*
 * Starts on [id, fields] of a stream; fields are nil if it was deleted.
 * 0, or -1: no entry, or out of memory; then done does not come.
 */
int entry_start(entry_set_t *set, unsigned part, const redisReply *reply);

/* Is that one on its way already? */
int entry_known(const entry_set_t *set, unsigned part, rbl_str_t id);

/* It is over; `good` as for done. */
void entry_end(entry_t *e, int good);

/* It cannot be delivered: a dead letter, if its account is known. */
void entry_bury(entry_t *e, const char *why);

/* A script could not do it, has said why, and has made it a dead letter. */
void entry_dead(entry_t *e, rbl_str_t why);

/* Ends all without call back. */
void entry_clear(entry_set_t *set);

#endif /* DELIVER_ENTRY_H_INCLUDED */
