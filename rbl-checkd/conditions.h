/*
 * Conditions of the service that this daemon sees (shared/record/
 * rbl_condition.h): DNS, lists, late checks, the store.  The daemon judges
 * them every time it writes its record, and nowhere else.  The beginning and
 * the end of each are one line in the log, at most one line a minute and kind.
 *
 * The servers of the store report facts: eviction, replicas, clock, the shape
 * of a cluster; Sentinels have some, too.  The daemon asks them every half a
 * minute, and more often while something is missing.
 */

#ifndef CONDITIONS_H_INCLUDED
#define CONDITIONS_H_INCLUDED

#include "metrics.h"
#include "rbl_condition.h"
#include "rbl_shape.h"

typedef struct conditions_s  conditions_t;

typedef struct {
    unsigned  nodes;                    /* that answered; 0: not known */
    char      policy[32];               /* of the first that evicts; "": none
                                           does */
    int64_t   memory;                   /* bytes that all nodes use */
    int64_t   memory_max;               /* and may use; 0: one has no limit */
    unsigned  limits;                   /* nodes with a limit */
    unsigned  replicas;                 /* connected ones, of all nodes */
    unsigned  most;                     /* the most that they have had */
    unsigned  bare;                     /* nodes without a replica */
    int64_t   lag;                      /* s, of the replica that is silent
                                           longest */
    rbl_shape_t  shape;                 /* of a cluster */
    int       unmoved;                  /* the look before had an open slot, or
                                           a master without slots, too */
    int64_t   ahead;                    /* ms by which this clock is ahead of
                                           that of the worst; < 0: behind */
} store_facts_t;

/* `checker` must outlive it. */
conditions_t *conditions_new(const checker_t *checker);
void conditions_free(conditions_t *c);

/* The last facts that the servers of the store have reported. */
const store_facts_t *conditions_facts(const conditions_t *c);

/* Judges all conditions.  The rows are valid until
   the next call. */
const rbl_conditions_t *conditions_look(conditions_t *c,
    const metrics_queues_t *queues);

#endif /* CONDITIONS_H_INCLUDED */
