/*
 * Jobs as the store gives them (check_take).  A manual check is a handle:
 * "<AC>:<PP>:<HT or nothing>:m:<times handed out>:<daemon>".  A host that is
 * due has an account, a SID and the end of its lease; its check gets its SID
 * here.
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

/*
 * Fills all of the job of a host that is due, taken until `till` (ms) by the
 * daemon of that name; its handle is for check_begin:
 * "<AC>:<PP>:<HT>:d:<till>:<daemon>".  0, or -1: nothing that could be one; 1:
 * not now, the system gives no random bytes.
 */
int jobs_entry_due(job_t *job, const rbl_keyspace_t *ks, unsigned partition,
    rbl_str_t account, int64_t till, rbl_str_t host, const char *name);

/*
 * Takes what check_begin returns for a scheduled check: its SID, and how many
 * times it was started (1 to 9).  0, or -1: malformed.
 */
int jobs_entry_begun(job_t *job, rbl_str_t check, int64_t times);

/*
 * The handle for check_finish; of a host that is due:
 * "<AC>:<PP>:<HT>:d:<times begun>:<till>:<daemon>".
 */
rbl_str_t jobs_entry_end(const job_t *job, char buf[JOB_HANDLE_MAX]);

/*
 * The entry of flight:due for a check that was started so many times:
 * "<PP>:<times>:<till>:<daemon>".
 */
void jobs_entry_flight(const job_t *job, unsigned times,
    char buf[JOB_HANDLE_MAX]);

#endif /* JOBS_ENTRY_H_INCLUDED */
