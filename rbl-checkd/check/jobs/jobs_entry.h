/*
 * Jobs as check_take returns them.  A manual check is a handle: "<AC>:<PP>:<HT
 * or nothing>:m:<attempts>:<daemon>".  A due host has an account, a SID and the
 * end of its lease; its check gets its SID here.
 */

#ifndef JOBS_ENTRY_H_INCLUDED
#define JOBS_ENTRY_H_INCLUDED

#include "jobs.h"

/*
 * Fills all of a job.  0, or -1: not a job of that partition (the
 * handle is set then if it can be sent back).
 */
int jobs_entry(job_t *job, const rbl_keyspace_t *ks, unsigned partition,
    rbl_str_t handle);

/*
 * Fills all of the job of a due host, which the daemon `name` has claimed until
 * `till` (ms); its handle is for check_begin:
 * "<AC>:<PP>:<HT>:d:<till>:<daemon>".  0, or -1: malformed; 1: not now, since
 * the system gives no random bytes.
 */
int jobs_entry_due(job_t *job, const rbl_keyspace_t *ks, unsigned partition,
    rbl_str_t account, int64_t till, rbl_str_t host, const char *name);

/*
 * Takes what check_begin returns for a due host: the SID of the check, and its
 * number of attempts (1 to 9).  0, or -1: malformed.
 */
int jobs_entry_begun(job_t *job, rbl_str_t check, int64_t attempts);

/*
 * The handle for check_finish; of a due host:
 * "<AC>:<PP>:<HT>:d:<attempts>:<till>:<daemon>".
 */
rbl_str_t jobs_entry_end(const job_t *job, char buf[JOB_HANDLE_MAX]);

/*
 * The entry of flight:due for a check and its number of attempts:
 * "<PP>:<attempts>:<till>:<daemon>".
 */
void jobs_entry_flight(const job_t *job, unsigned attempts,
    char buf[JOB_HANDLE_MAX]);

#endif /* JOBS_ENTRY_H_INCLUDED */
