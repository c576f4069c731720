/*
 * Counters of each list: outcomes of queries, response times, verdicts.
 * RBL_METRICS_LISTS - 2 system lists have counters of their own.  The other
 * system lists share one set ("other"), all own lists another ("custom").
 *
 * counters_answer and counters_result do nothing with NULL.
 */

#ifndef COUNTERS_H_INCLUDED
#define COUNTERS_H_INCLUDED

#include "dns/engine.h"
#include "lists.h"
#include "rbl_metrics.h"

#define COUNTERS_FAMILIES  3
#define counters_family(family)  ((unsigned) (family) >> 1)

#define COUNTERS_STORED  3              /* the first ones of `number` */

typedef enum {                          /* how queries to lists ended */
    COUNTERS_ANSWERED = 0,
    COUNTERS_REFUSED,
    COUNTERS_TIMED_OUT,
    COUNTERS_FAILED,
    COUNTERS_OUTCOMES
} counters_outcome_t;

typedef struct counters_s  counters_t;

/* The health of a list (health_known_t). */
typedef struct {
    unsigned  state;                    /* health_state_t */
    unsigned  why;                      /* rbl_list_reason_t */
    double    since;                    /* when the state began, or a trouble
                                           that was another one at first */
} list_health_t;

typedef struct {
    char      sid[40];                  /* "": several lists */
    char      zone[256];                /* "custom", "other" then; it never
                                           holds a key */
    int64_t   number[RBL_ML__N];
    int64_t   stored[COUNTERS_STORED];  /* series.c: what the store has of
                                           `number`; with a call in flight: */
    int64_t   storing[COUNTERS_STORED];
    double    slowest[2];               /* ms, of the last two rotations */
    unsigned  tried;                    /* metrics.c: 1 if health is known;
                                           by family: */
    list_health_t  health[COUNTERS_FAMILIES];
    unsigned  unreachable;              /* likewise: its servers are not
                                           known */
    unsigned  unsure;                   /* likewise: health_known_t */
} list_counters_t;

counters_t *counters_new(void);
void counters_free(counters_t *counters);

/* A query to a list has ended; refused: the response is a refusal. */
void counters_answer(counters_t *counters, const list_t *list,
    const dns_answer_t *answer, int refused);

/* Of all queries: COUNTERS_OUTCOMES numbers. */
const uint64_t *counters_outcomes(const counters_t *counters);

/* A check has come to a verdict. */
void counters_result(counters_t *counters, const list_t *list,
    rbl_verdict_t verdict);

/* To be called every half a minute: forgets the slowest time before that. */
void counters_rotate(counters_t *counters);

/* The counters of a list. */
list_counters_t *counters_list(counters_t *counters, const list_t *list);

/* The counters of a system list; NULL: it has none of its own. */
list_counters_t *counters_find(const counters_t *counters, const char *sid);

/* Walks over the counters of single lists, then the two shared sets; *at is 0
   at first.  NULL: no more. */
list_counters_t *counters_next(counters_t *counters, size_t *at);

#endif /* COUNTERS_H_INCLUDED */
