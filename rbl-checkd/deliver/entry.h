/*
 * One entry of the outbox, from its raw bytes to its end.
 */

#ifndef DELIVER_ENTRY_H_INCLUDED
#define DELIVER_ENTRY_H_INCLUDED

#include "deliver_int.h"
#include "rbl_record.h"
#include "safe.h"

typedef struct {
    deliver_t  *deliver;
    link_t      entries;                /* on their way */
    unsigned    n;

    /* good: 1 it is recorded, 0 it is still pending in the store.  The entry is
       freed before this call. */
    void      (*done)(void *data, unsigned part, int good);
    void       *data;
} entry_set_t;

/* One delivery of an event with first attempts (first.c). */
typedef struct {
    attempt_t  *attempt;                /* NULL: left to the claims */
    int         told;                   /* its outcome is in the record */
    rbl_str_t   url, app;               /* of a callback */
    char       *what;                   /* both, application first */
    char        target[40];
} entry_delivery_t;

struct entry_s {
    link_t             link;
    link_t             first_link;      /* ring of first.c */
    entry_set_t       *set;
    safe_item_t        held;
    unsigned           part;
    ev_tstamp          since;           /* when it came */
    rbl_str_t          id, account, raw;    /* into bytes */
    rbl_event_t        event;           /* into bytes */
    payload_t         *body;
    ev_tstamp          until;           /* when it must be recorded */
    int                gone;            /* it was deleted from the stream */
    int                open;            /* it waits for its attempts */
    int                begun;           /* one of them has started */
    int                recorded;        /* its record is fixed */
    unsigned           n_open;          /* attempts that are not over */
    unsigned           n_deliveries;
    entry_delivery_t  *deliveries;
    char               bytes[];
};

/*
 * Takes the entry [id, fields] of a stream; fields are nil if it was deleted.
 * NULL: malformed; then `done` does not come.
 */
entry_t *entry_new(entry_set_t *set, unsigned part, const redisReply *reply);

/* 1: its event and body are there, for the first attempts; 0: it goes on by
   itself. */
int entry_start(entry_t *e);

/* Takes its deliveries away.  Frees the attempts that were recorded with it,
   records those that ended since; those that wait or run go on as claimed
   deliveries. */
void entry_forget(entry_t *e);

/* 1: that entry is on its way already. */
int entry_known(const entry_set_t *set, unsigned part, rbl_str_t id);

/* Ends an entry; `good` as for `done`. */
void entry_end(entry_t *e, int good);

/* Ends an entry that cannot be delivered: a dead letter, if its account is
   known. */
void entry_bury(entry_t *e, const char *why);

/* Ends an entry that a script has refused and made a dead letter; logs why. */
void entry_dead(entry_t *e, rbl_str_t why);

/* Ends all without call back. */
void entry_clear(entry_set_t *set);

#endif /* DELIVER_ENTRY_H_INCLUDED */
