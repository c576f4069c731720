/*
 * Visits to accounts whose time has come.  A sorted set of each partition has
 * the accounts with their times.  At intervals it is searched, by one daemon at
 * a time (shared/lua/system/accounts_take.lua), and the owner of the visits
 * does one step for each account that is due.
 */

#ifndef VISITS_H_INCLUDED
#define VISITS_H_INCLUDED

#include <ev.h>

#include "base/link.h"
#include "rbl_out.h"
#include "rbl_sid.h"
#include "store/store.h"

typedef struct visits_s  visits_t;

/* An account at hand. */
typedef struct {
    link_t     link;
    visits_t  *visits;
    rbl_sid_t  account;
} visit_t;

typedef struct {
    const char  *times;                 /* key name of the sorted set */
    const char  *what;                  /* for the log: "deferred work" */
    unsigned     flight;                /* most steps under way */
    int          dated;                 /* 1: no step while the clocks of this
                                           machine and of the store differ by
                                           more than an hour */

    /* Sends the step's command; its reply handler calls visit_stepped or
       visit_apart. */
    void       (*step)(void *data, store_t *store, visit_t *visit);
} visits_kind_t;

/* data is for `step`. */
visits_t *visits_new(struct ev_loop *loop, store_t *store,
    const visits_kind_t *kind, void *data);
void visits_free(visits_t *visits);

/* Searches at once, not only after the interval: the store is ready. */
void visits_wake(visits_t *visits);

/* Begins no more steps. */
void visits_stop(visits_t *visits);

/* A step has ended.  why: what failed, or "".  again: there is more to do; it
   is done after the other accounts. */
void visit_stepped(visit_t *visit, rbl_str_t why, int again);

/* The store has refused the step, since the clocks differ: logs that. */
void visit_apart(visit_t *visit);

/* The clock of this machine (ms). */
rbl_str_t visits_clock(char text[RBL_OUT_INT]);

/* The error that a reply is, or "". */
rbl_str_t visit_refusal(const redisReply *reply);

#endif /* VISITS_H_INCLUDED */
