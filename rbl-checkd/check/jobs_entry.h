/*
 * Stream entries and the names of streams, as the store gives them.
 */

#ifndef JOBS_ENTRY_H_INCLUDED
#define JOBS_ENTRY_H_INCLUDED

#include "jobs.h"

/*
 * [id, fields] -> job; its kind, partition and fail are set by the caller.
 * 0, or -1: not a job (job->id is set if the entry has a sound one, else "").
 */
int jobs_entry(job_t *job, const rbl_keyspace_t *ks, unsigned partition,
    const redisReply *entry);

/* A stream id: digits, a dash, digits. */
int jobs_id_ok(rbl_str_t id);

#endif /* JOBS_ENTRY_H_INCLUDED */
