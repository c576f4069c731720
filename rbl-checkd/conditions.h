/*
 * Conditions of the service that this daemon sees (shared/record/
 * rbl_condition.h): DNS, lists, late checks, the store.  The daemon judges
 * them every time it writes its record, and nowhere else.  The beginning and
 * the end of each are one line in the log, at most one line a minute and kind.
 */

#ifndef CONDITIONS_H_INCLUDED
#define CONDITIONS_H_INCLUDED

#include "conditions_store.h"
#include "metrics_pack.h"

typedef struct conditions_s  conditions_t;

/* `checker` must outlive it. */
conditions_t *conditions_new(const checker_t *checker);
void conditions_free(conditions_t *c);

/* The last facts that the servers of the store have reported. */
const store_facts_t *conditions_facts(const conditions_t *c);

/* Judges all conditions; call metrics_health before.  The rows are valid until
   the next call. */
const rbl_conditions_t *conditions_look(conditions_t *c,
    const metrics_more_t *more);

#endif /* CONDITIONS_H_INCLUDED */
