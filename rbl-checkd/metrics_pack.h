/*
 * The record of metrics.c: all that is counted anywhere, gathered and packed.
 */

#ifndef METRICS_PACK_H_INCLUDED
#define METRICS_PACK_H_INCLUDED

#include "check/jobs/jobs.h"
#include "deliver/deliver.h"
#include "rbl_metrics.h"

typedef struct {
    const deliver_t  *deliver;          /* NULL: this daemon delivers nothing */
    int64_t  started;                   /* ms since 1970 */
    int64_t  rate;                      /* checks in a thousand seconds */
    int64_t  manual_ms, due_ms;         /* of the queues; -1: not known */
} metrics_more_t;

/* Checks that have ended here, whatever came of them. */
uint64_t metrics_checks(const checker_t *checker);

/* Appends the record; out->failed: out of memory. */
void metrics_pack(rbl_out_t *out, const checker_t *checker, const jobs_t *jobs,
    const metrics_more_t *more);

#endif /* METRICS_PACK_H_INCLUDED */
