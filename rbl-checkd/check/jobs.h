/*
 * The jobs of the store: checks that wait in the streams jobs:manual and
 * jobs:due of each partition, read as a member of the consumer group "checkd".
 * A job that was read is in flight here until its check has ended; if this
 * process dies, another takes the job over once its lease is up.
 */

#ifndef JOBS_H_INCLUDED
#define JOBS_H_INCLUDED

#include "../daemon.h"
#include "rbl_sid.h"

#define JOBS_GROUP   "checkd"
#define JOB_ID_MAX   48

typedef enum {
    JOB_MANUAL = 0,
    JOB_DUE,
    JOB_KINDS
} job_kind_t;

extern const char *const  job_streams[JOB_KINDS];

typedef struct {
    job_kind_t   kind;
    unsigned     partition;
    char         id[JOB_ID_MAX];        /* of the stream entry */
    rbl_sid_t    account, check, host;  /* host.n 0: a one-off */
    const char  *fail;                  /* not NULL: end it for this reason */
} job_t;

typedef struct jobs_s  jobs_t;

/* NULL: out of memory. */
jobs_t *jobs_new(daemon_t *d);
void jobs_free(jobs_t *jobs);           /* drops what is in flight */

void jobs_state(jobs_t *jobs, int ready);
void jobs_stop(jobs_t *jobs);           /* reads no more */

unsigned jobs_in_flight(const jobs_t *jobs);

/* How many more may be taken now; 0 while stopped. */
unsigned jobs_room(const jobs_t *jobs);

/* The rest is for takeover.c, which brings in jobs of others. */

/*
 * What jobs_room is for reading.  A take-over has places of its own: a daemon
 * that is always full of new jobs must not leave the old ones lying.
 */
unsigned jobs_claim_room(const jobs_t *jobs);

/* Is that entry in flight here? */
int jobs_has(const jobs_t *jobs, job_kind_t kind, unsigned partition,
    rbl_str_t id);

/* There may be room again. */
void jobs_wake(jobs_t *jobs);

/* Keeps room for n jobs; given back by a negative n. */
void jobs_reserve(jobs_t *jobs, int n);

/* Starts the job of a stream entry [id, fields]; `fail` as in job_t. */
void jobs_take(jobs_t *jobs, job_kind_t kind, unsigned partition,
    const redisReply *entry, const char *fail);

/* The key of a stream, built once. */
rbl_str_t jobs_key(const jobs_t *jobs, job_kind_t kind, unsigned partition);

/* takeover.c: brings in what others, or this one before, left behind. */

typedef struct takeover_s  takeover_t;

takeover_t *takeover_new(daemon_t *d, jobs_t *jobs);
void takeover_free(takeover_t *takeover);

/* Begins sweeping; the first sweep takes back what this name left behind. */
void takeover_start(takeover_t *takeover);
void takeover_stop(takeover_t *takeover);

#endif /* JOBS_H_INCLUDED */
