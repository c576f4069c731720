/*
 * One job: check_begin, the check, progress for its subscribers, check_finish.
 * Every step may be repeated without harm.
 */

#ifndef RUNNER_H_INCLUDED
#define RUNNER_H_INCLUDED

#include "jobs.h"

typedef struct runner_s  runner_t;

/*
 * The job is over: finished in the store, or released, so that another daemon
 * claims it.  The call back frees the runner; it never comes from inside
 * runner_start.
 */
typedef void (*runner_done_pt)(void *data, runner_t *runner);

/* A host whose check was begun twice already begins only if checker->alone is
   0; its job is then `alone` until it is over, and counted there. */
runner_t *runner_start(checker_t *checker, const job_t *job,
    runner_done_pt done, void *data);
void runner_free(runner_t *runner);

const job_t *runner_job(const runner_t *runner);

#endif /* RUNNER_H_INCLUDED */
