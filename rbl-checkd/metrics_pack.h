/*
 * The record of metrics.c: collects and packs all counters.
 */

#ifndef METRICS_PACK_H_INCLUDED
#define METRICS_PACK_H_INCLUDED

#include "check/jobs/jobs.h"
#include "check/lists/counters.h"
#include "deliver/deliver.h"
#include "rbl_condition.h"
#include "rbl_metrics.h"

typedef struct {
    const deliver_t  *deliver;          /* NULL: no deliveries */
    int64_t  started;                   /* ms since 1970 */
    int64_t  rate;                      /* checks in 1000 seconds */
    int64_t  manual_ms, due_ms;         /* waiting times of the queues; -1:
                                           unknown */
    int64_t  deliver_ms;                /* oldest event or delivery that is
                                           late; -1 */
    const rbl_conditions_t  *conditions;
    int64_t  replicas, lag_ms;          /* of the store; -1: not known */
    int64_t  sentinels;                 /* that respond; -1: it has none */
} metrics_more_t;

/* Finds the health of each list; the counters then have it.  To be called
   before the two below. */
void metrics_health(const checker_t *checker);

/* The worst health of the families of a list; untried: not known. */
const list_health_t *metrics_health_of(const list_counters_t *c);

/* The number of checks that have ended in this process, with any outcome. */
uint64_t metrics_checks(const checker_t *checker);

/* Appends the record. */
void metrics_pack(rbl_out_t *out, const checker_t *checker, const jobs_t *jobs,
    const metrics_more_t *more);

#endif /* METRICS_PACK_H_INCLUDED */
