/*
 * The record of metrics.c: collects and packs all counters.
 */

#ifndef METRICS_PACK_H_INCLUDED
#define METRICS_PACK_H_INCLUDED

#include "check/jobs/jobs.h"
#include "deliver/deliver.h"
#include "rbl_metrics.h"

typedef struct {
    const deliver_t  *deliver;          /* NULL: no deliveries */
    int64_t  started;                   /* ms since 1970 */
    int64_t  rate;                      /* checks in 1000 seconds */
    int64_t  manual_ms, due_ms;         /* waiting times of the queues; -1:
                                           unknown */
} metrics_more_t;

/* The number of checks that have ended in this process, with any outcome. */
uint64_t metrics_checks(const checker_t *checker);

/* Appends the record; out->failed: out of memory. */
void metrics_pack(rbl_out_t *out, const checker_t *checker, const jobs_t *jobs,
    const metrics_more_t *more);

#endif /* METRICS_PACK_H_INCLUDED */
