/*
 * Handles of jobs, as the store gives them (check_take):
 * "<AC>:<PP>:<HT or nothing>:<m or d>:<times handed out>:<daemon>".
 */

#ifndef JOBS_ENTRY_H_INCLUDED
#define JOBS_ENTRY_H_INCLUDED

#include "jobs.h"

/*
 * Fills all of a job but `fail`.  0, or -1: not a job of that partition (its
 * handle is then set if it can be sent back).
 */
int jobs_entry(job_t *job, const rbl_keyspace_t *ks, unsigned partition,
    rbl_str_t handle);

#endif /* JOBS_ENTRY_H_INCLUDED */
