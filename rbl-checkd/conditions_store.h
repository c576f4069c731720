/*
 * Facts that the servers of the store report: eviction, replicas, clock, the
 * shape of a cluster; and those of Sentinels.  The daemon asks them every half
 * a minute, and more often while something is missing.
 */

#ifndef CONDITIONS_STORE_H_INCLUDED
#define CONDITIONS_STORE_H_INCLUDED

#include "rbl_shape.h"
#include "store/store.h"

typedef struct conditions_store_s  conditions_store_t;

typedef struct {
    unsigned  nodes;                    /* that answered; 0: not known */
    char      policy[32];               /* of the first that evicts; "": none
                                           does */
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

/* `store` must outlive it. */
conditions_store_t *conditions_store_new(store_t *store,
    rbl_place_kind_t kind);
void conditions_store_free(conditions_store_t *s);

/* To be called every few seconds: asks if it is time, and returns what is
   known. */
const store_facts_t *conditions_store_look(conditions_store_t *s);
const store_facts_t *conditions_store_known(const conditions_store_t *s);

#endif /* CONDITIONS_STORE_H_INCLUDED */
