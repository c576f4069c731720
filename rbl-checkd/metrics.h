/*
 * Writes the counters of this process into the store every five seconds: one
 * record (shared/record/rbl_metrics.h) under its name in partition 0.  The
 * record expires soon after the last write.  nginx (rbl_status) and rblctl show
 * it.
 */

#ifndef METRICS_H_INCLUDED
#define METRICS_H_INCLUDED

#include "check/jobs/jobs.h"
#include "check/lists/counters.h"
#include "deliver/deliver.h"
#include "rbl_metrics.h"

typedef struct metrics_s  metrics_t;

/* The queues. */
typedef struct {
    const deliver_t  *deliver;          /* NULL: no deliveries */
    int64_t  manual_ms, due_ms;         /* waiting times of the queues; -1:
                                           unknown */
    int64_t  deliver_ms;                /* oldest event or delivery that is
                                           late; -1 */
    int64_t  payments[2 * RBL_M_PAYMENT_STATES];    /* RBL_M_PAYMENTS and what
                                                       follows */
} metrics_queues_t;

/* The arguments must outlive the metrics. */
metrics_t *metrics_new(const checker_t *checker, const jobs_t *jobs,
    const deliver_t *deliver);
void metrics_free(metrics_t *metrics);

/* To be called when the store is ready (1) or lost (0). */
void metrics_state(metrics_t *metrics, int ready);

/* The worst health of the families of a list at the last tick; untried: not
   known. */
const list_health_t *metrics_health_of(const list_counters_t *c);

#endif /* METRICS_H_INCLUDED */
