/*
 * Common declarations of jobs.c (slots, and the jobs in flight on them) and
 * jobs_claim.c (claims of jobs for free slots).
 */

#ifndef JOBS_INT_H_INCLUDED
#define JOBS_INT_H_INCLUDED

#include "jobs.h"
#include "runner.h"
#include "store/turns.h"

/* Slots, and the claims that fill them. */
typedef struct {
    jobs_t    *jobs;
    unsigned   reserved:1;              /* for manual checks alone */
    unsigned   max;
    unsigned   running;                 /* checks */
    unsigned   asked;                   /* slots kept for claims under way */
    turns_t   *claims;
} jobs_slots_t;

struct jobs_s {
    checker_t     *checker;
    store_t       *listener;            /* gets the news */
    runner_t     **runner;              /* in flight; checks_max places */
    unsigned       n;
    jobs_slots_t   main, reserved;
};

/*
 * jobs.c: start the job of that handle, or of each host of {AC, end of the
 * lease, {HT...}}, of a partition, on these slots.  jobs_start_due returns the
 * number of hosts.
 */
void jobs_start(jobs_slots_t *slots, unsigned partition, rbl_str_t handle);
unsigned jobs_start_due(jobs_slots_t *slots, unsigned partition,
    const redisReply *taken);

/* The number of free slots. */
unsigned jobs_room(const jobs_slots_t *slots);

/* 1: checks run on all main slots. */
int jobs_main_full(const jobs_t *jobs);

/* The number of manual checks that one account may have on reserved slots. */
unsigned jobs_share(const jobs_t *jobs);

/* Writes the accounts of a partition whose manual checks in flight are at least
   a share, up to `max`; returns their number. */
unsigned jobs_busy(const jobs_t *jobs, unsigned partition, rbl_str_t *accounts,
    unsigned max);

/* jobs_claim.c */
void jobs_claims_init(jobs_t *jobs);
void jobs_claims_free(jobs_t *jobs);

/* Slots are free again: claims in a moment. */
void jobs_claims_soon(jobs_slots_t *slots);

#endif /* JOBS_INT_H_INCLUDED */
