/*
 * Declarations of the lookup files.
 *
 * A caller's request (lookup_q_t) hangs on the query for its name and type
 * (ask_t), which all such callers share; or, if its answer is known already
 * (cached, or refused), in the list `due`, which a timer serves.  A query lives
 * as long as a caller waits for it: first for the quota, then for the engine.
 */

#ifndef LOOKUP_INT_H_INCLUDED
#define LOOKUP_INT_H_INCLUDED

#include "base/link.h"
#include "cache.h"
#include "lookup.h"

#define LOOKUP_SLOTS  8192              /* power of two */

typedef struct ask_s  ask_t;

struct lookup_q_s {
    link_t            link;             /* in ask->waiting, or in due */
    lookup_t         *lookup;
    ask_t            *ask;              /* NULL: due, or being called back */
    lookup_done_pt    done;
    void             *data;
    double            until;            /* its patience */
    rbl_lookup_err_t  error;            /* due only */
    cache_kept_t     *kept;             /* due only; NULL: refused */
};

struct ask_s {
    ask_t           *next;              /* in its slot */
    lookup_t        *lookup;
    list_t          *list;
    dns_query_t     *query;             /* NULL: it waits for the quota */
    link_t           waiting;           /* never empty between two events */
    double           until;             /* how long it waits for the quota */
    uint16_t         type;
    char             name[];
};

struct lookup_s {
    struct ev_loop     *loop;
    dns_engine_t       *dns;
    quota_t            *quota;
    counters_t         *list_counters;
    cache_t            *cache;          /* NULL: none */
    ev_timer            timer;
    link_t              due;
    uint64_t            seed;
    lookup_counters_t   counters;
    dns_answer_t        scratch;
    ask_t              *slot[LOOKUP_SLOTS];
};

/* lookup.c */

/* Calls back and frees it. */
void lookup_reply(lookup_q_t *q, const lookup_answer_t *reply);

/* Calls back soon; it is in no list. */
void lookup_due(lookup_q_t *q, rbl_lookup_err_t error);

/* lookup_ask.c */

/*
 * The query for that name by that account (0: system lists): NULL, where it
 * would be chained.  Accounts share no queries for own lists.
 */
ask_t **ask_place(lookup_t *lookup, const char *name, uint16_t type,
    uint64_t account);

/*
 * Begins an asking for the first that waits for it.  0, or -1: dns_ask refuses
 * the query, and q is untouched.
 */
int ask_begin(ask_t **at, lookup_q_t *q, const list_t *list,
    const char *name, uint16_t type);

/* To be called when no caller waits for it. */
void ask_drop(ask_t *ask);

#endif /* LOOKUP_INT_H_INCLUDED */
