/*
 * Jobs: checks that wait in each partition of the store, manual ones and due
 * hosts.  The daemon claims them by check_take, fairly between accounts and
 * only when it has room; each claim has a lease.  A claimed job is in flight
 * here until its check has finished.  If this process dies, another daemon
 * claims the job when its lease expires.
 */

#ifndef JOBS_H_INCLUDED
#define JOBS_H_INCLUDED

#include "checker.h"
#include "rbl_sid.h"

#define JOB_HANDLE_MAX  256

/*
 * The last attempt of a job.  All earlier ones ended with a dead daemon, so the
 * last one is the only job of its kind in its daemon (check_take of manual
 * ones, check_begin of due hosts): no other check is blamed for its end.
 */
#define JOB_ATTEMPTS_MAX  3

typedef enum {
    JOB_MANUAL = 0,
    JOB_DUE
} job_kind_t;

typedef struct {
    job_kind_t   kind;
    unsigned     partition;
    char         handle[JOB_HANDLE_MAX];    /* its name in the store; "" if
                                               malformed */
    rbl_sid_t    account, check, host;  /* host.n 0: a one-off */
    unsigned     attempts;              /* claims so far, with this one; of a
                                           due host: starts so far, 0 until
                                           check_begin has replied */
    unsigned     alone:1;               /* its last attempt */
    unsigned     reserved:1;            /* it has a reserved slot */
} job_t;

typedef struct jobs_s  jobs_t;

jobs_t *jobs_new(checker_t *checker);
void jobs_free(jobs_t *jobs);           /* drops all jobs in flight */

void jobs_wake(jobs_t *jobs);           /* the store, or a further part of it,
                                           is ready */
void jobs_stop(jobs_t *jobs);           /* claims no more */

unsigned jobs_in_flight(const jobs_t *jobs);

/* 1: a call is under way whose jobs must be started, even when stopping. */
int jobs_asking(const jobs_t *jobs);

#endif /* JOBS_H_INCLUDED */
