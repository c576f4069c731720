/*
 * The jobs of the store: checks that wait in each partition, manual ones and
 * hosts that are due.  A daemon takes them by script (check_take), fairly
 * between accounts and only when it has room, each on a lease.  A job that was
 * taken is in flight here until its check has ended; if this process dies,
 * another is handed the job once its lease is up.
 */

#ifndef JOBS_H_INCLUDED
#define JOBS_H_INCLUDED

#include "checker.h"
#include "rbl_sid.h"

#define JOB_HANDLE_MAX  256

/*
 * A job that was begun so often was ended by none of its daemons: on its
 * last time it is the only one of its kind in a daemon (check_take of manual
 * ones, check_begin of hosts that are due), so that it is not taken for what
 * was in flight beside it.
 */
#define JOB_TIMES_MAX   3

typedef enum {
    JOB_MANUAL = 0,
    JOB_DUE,
    JOB_KINDS
} job_kind_t;

typedef struct {
    job_kind_t   kind;
    unsigned     partition;
    char         handle[JOB_HANDLE_MAX];    /* what the store calls it; "" if
                                               it is not fit for that */
    rbl_sid_t    account, check, host;  /* host.n 0: a one-off */
    unsigned     times;                 /* handed out so far, this one too; of
                                           a host that is due: begun so far, 0
                                           until check_begin has told */
    unsigned     alone:1;               /* the one on its last time */
    unsigned     reserved:1;            /* it has a reserved place */
    const char  *fail;                  /* not NULL: end it for this reason */
} job_t;

typedef struct jobs_s  jobs_t;

/* NULL: out of memory. */
jobs_t *jobs_new(checker_t *checker);
void jobs_free(jobs_t *jobs);           /* drops what is in flight */

void jobs_state(jobs_t *jobs, int ready);
void jobs_stop(jobs_t *jobs);           /* takes no more */

unsigned jobs_in_flight(const jobs_t *jobs);

/* Is a call under way whose jobs are to be done, even when stopping? */
int jobs_asking(const jobs_t *jobs);

#endif /* JOBS_H_INCLUDED */
