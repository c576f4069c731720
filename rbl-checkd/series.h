/*
 * Adds what this process has counted to the series of the service
 * (shared/record/rbl_series.h), every half a minute: checks, queries to lists
 * and attempts of deliveries by outcome, how long the first check has waited.
 *
 * Nothing is counted twice: a call without a reply counts as made.  The
 * numbers since the last call are lost when the process ends.
 */

#ifndef SERIES_H_INCLUDED
#define SERIES_H_INCLUDED

#include "metrics.h"

typedef struct series_s  series_t;

/* The arguments must outlive the series.  deliver NULL: no deliveries. */
series_t *series_new(const checker_t *checker, const deliver_t *deliver);
void series_free(series_t *series);

/* To be called every 5 seconds while the store is ready. */
void series_tick(series_t *series, const metrics_queues_t *queues);

#endif /* SERIES_H_INCLUDED */
