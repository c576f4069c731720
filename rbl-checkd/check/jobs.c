/*
 * Keeps the jobs in flight: at most checks_max runners, each owned here until
 * it says that it is done.
 */

#include "jobs_int.h"
#include "jobs_entry.h"
#include "../log.h"

#include <stdlib.h>


unsigned
jobs_in_flight(const jobs_t *jobs)
{
    return jobs->n;
}


static unsigned
reserve(const jobs_t *jobs)
{
    return jobs->d->conf->checks_max / JOBS_RESERVE;
}


unsigned
jobs_reserved_share(const jobs_t *jobs)
{
    unsigned  share;

    share = reserve(jobs) / 4;

    return share > 0 ? share : 1;
}


unsigned
jobs_room(const jobs_t *jobs, job_kind_t kind, int *reserved)
{
    unsigned  used, max, main;

    *reserved = 0;
    used = jobs->n + jobs->reading;
    max = jobs->d->conf->checks_max;
    main = max - reserve(jobs);

    if (jobs->stopped) {
        return 0;
    }

    if (used < main) {
        return main - used;
    }

    *reserved = 1;

    return kind == JOB_DUE || used >= max ? 0 : max - used;
}


static void
on_done(void *data, runner_t *runner)
{
    unsigned      i;
    jobs_t       *jobs = data;
    const job_t  *job;

    for (i = 0; i < jobs->n; i++) {
        if (jobs->runner[i] == runner) {
            jobs->runner[i] = jobs->runner[--jobs->n];
            break;
        }
    }

    job = runner_job(runner);
    if (job->times == JOB_TIMES_MAX) {
        jobs->alone--;
    }

    if (job->kind == JOB_MANUAL) {
        jobs_shares_drop(&jobs->shares, &job->account);
    }

    runner_free(runner);
    jobs_wake(jobs);
}


/* A handle that nobody can run must not come back for ever. */

static void
discard(jobs_t *jobs, const job_t *job, unsigned partition)
{
    rbl_str_t             argv[3];
    const jobs_slice_t   *slice;

    log_error("\"%.*s\" in partition %u is not a job: left out",
              JOB_HANDLE_MAX, job->handle, partition);

    if (job->handle[0] == '\0') {
        return;
    }

    slice = &jobs->slice[partition];
    argv[0] = RBL_STR("ZREM");
    argv[1] = (rbl_str_t) { slice->leases.s, slice->leases.n };
    argv[2] = rbl_str(job->handle);
    store_command(jobs->d->store, NULL, jobs, 3, argv);
}


void
jobs_take(jobs_t *jobs, unsigned partition, rbl_str_t handle)
{
    job_t      job;
    runner_t  *runner;

    if (jobs_entry(&job, store_keyspace(jobs->d->store), partition, handle)
        != 0)
    {
        discard(jobs, &job, partition);
        return;
    }

    /* What finds no place here comes back when its lease is up. */

    if (jobs->n >= jobs->d->conf->checks_max) {
        return;
    }

    if (job.times > JOB_TIMES_MAX) {
        job.fail = "3 daemons had the check and none ended it.";
        log_error("check %s of account %s, host %s, is ended: %s",
                  job.check.s, job.account.s, job.host.s, job.fail);

    } else if (job.times > 1) {
        log_notice("taking over job %s of account %s", job.check.s,
                   job.account.s);
    }

    runner = runner_start(jobs->d, &job, on_done, jobs);
    if (runner == NULL) {
        log_error("check %s cannot begin: out of memory", job.check.s);
        return;
    }

    jobs->runner[jobs->n++] = runner;

    if (job.times == JOB_TIMES_MAX) {
        jobs->alone++;
    }

    if (job.kind == JOB_MANUAL) {
        jobs_shares_add(&jobs->shares, &job.account);
    }
}


jobs_t *
jobs_new(daemon_t *d)
{
    jobs_t  *jobs;

    jobs = calloc(1, sizeof(jobs_t));
    if (jobs == NULL) {
        return NULL;
    }

    jobs->d = d;
    jobs->runner = calloc(d->conf->checks_max, sizeof(runner_t *));

    if (jobs->runner == NULL
        || jobs_shares_init(&jobs->shares, d->conf->checks_max) != 0
        || jobs_read_init(jobs) != 0)
    {
        jobs_free(jobs);
        return NULL;
    }

    return jobs;
}


void
jobs_free(jobs_t *jobs)
{
    unsigned  i;

    if (jobs == NULL) {
        return;
    }

    jobs->stopped = 1;
    jobs_read_free(jobs);

    for (i = 0; i < jobs->n; i++) {
        runner_free(jobs->runner[i]);
    }

    jobs_shares_free(&jobs->shares);
    free(jobs->runner);
    free(jobs);
}


void
jobs_state(jobs_t *jobs, int ready)
{
    if (!ready) {
        jobs_read_stop(jobs);

    } else if (!jobs->stopped) {
        jobs_read_start(jobs);
    }
}


void
jobs_stop(jobs_t *jobs)
{
    jobs->stopped = 1;
    jobs_read_stop(jobs);
}
