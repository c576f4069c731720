/*
 * Keeps the jobs in flight: at most checks_max runners, each owned here until
 * it says that it is done.
 */

#include "jobs_int.h"
#include "jobs_entry.h"
#include "../log.h"

#include <stdlib.h>

const char *const  job_streams[JOB_KINDS] = {
    "jobs:manual", "jobs:due"
};


unsigned
jobs_in_flight(const jobs_t *jobs)
{
    return jobs->n;
}


/* checks_max for what is read, and an eighth more for what is taken over. */

static unsigned
places(const jobs_t *jobs)
{
    return jobs->d->conf->checks_max + jobs->d->conf->checks_max / 8 + 1;
}


static unsigned
room_below(const jobs_t *jobs, unsigned max)
{
    unsigned  used;

    used = jobs->n + jobs->reserved + jobs->reading;

    return jobs->stopped || used >= max ? 0 : max - used;
}


unsigned
jobs_room(const jobs_t *jobs)
{
    return room_below(jobs, jobs->d->conf->checks_max);
}


unsigned
jobs_claim_room(const jobs_t *jobs)
{
    return room_below(jobs, places(jobs));
}


void
jobs_reserve(jobs_t *jobs, int n)
{
    jobs->reserved = (unsigned) ((int) jobs->reserved + n);
}


rbl_str_t
jobs_key(const jobs_t *jobs, job_kind_t kind, unsigned partition)
{
    const rbl_key_t  *key = &jobs->key[kind][partition];

    return (rbl_str_t) { key->s, key->n };
}


int
jobs_has(const jobs_t *jobs, job_kind_t kind, unsigned partition, rbl_str_t id)
{
    unsigned      i;
    const job_t  *job;

    for (i = 0; i < jobs->n; i++) {
        job = runner_job(jobs->runner[i]);

        if (job->kind == kind && job->partition == partition
            && rbl_str_is(id, job->id))
        {
            return 1;
        }
    }

    return 0;
}


static void
on_done(void *data, runner_t *runner)
{
    unsigned   i;
    jobs_t    *jobs = data;

    for (i = 0; i < jobs->n; i++) {
        if (jobs->runner[i] == runner) {
            jobs->runner[i] = jobs->runner[--jobs->n];
            break;
        }
    }

    runner_free(runner);
    jobs_wake(jobs);
}


/* An entry that nobody can run must not come back for ever. */

static void
discard(jobs_t *jobs, const job_t *job, job_kind_t kind, unsigned partition)
{
    rbl_str_t  argv[4];

    log_error("entry %s of %s in partition %u is not a job: left out",
              job->id, job_streams[kind], partition);

    if (job->id[0] == '\0') {
        return;
    }

    argv[0] = RBL_STR("XACK");
    argv[1] = jobs_key(jobs, kind, partition);
    argv[2] = RBL_STR(JOBS_GROUP);
    argv[3] = rbl_str(job->id);
    store_command(jobs->d->store, NULL, jobs, 4, argv);

    argv[0] = RBL_STR("XDEL");
    argv[2] = argv[3];
    store_command(jobs->d->store, NULL, jobs, 3, argv);
}


void
jobs_take(jobs_t *jobs, job_kind_t kind, unsigned partition,
    const redisReply *entry, const char *fail)
{
    job_t      job;
    runner_t  *runner;

    if (jobs_entry(&job, store_keyspace(jobs->d->store), partition, entry)
        != 0)
    {
        discard(jobs, &job, kind, partition);
        return;
    }

    job.kind = kind;
    job.partition = partition;
    job.fail = fail;

    /* What finds no place here comes back when its lease is up. */

    if (jobs->n >= places(jobs)) {
        return;
    }

    if (fail != NULL) {
        log_error("check %s of account %s, host %s, is ended: %s",
                  job.check.s, job.account.s, job.host.s, fail);
    }

    runner = runner_start(jobs->d, &job, on_done, jobs);
    if (runner == NULL) {
        log_error("check %s cannot begin: out of memory", job.check.s);
        return;
    }

    jobs->runner[jobs->n++] = runner;
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
    jobs->runner = calloc(places(jobs), sizeof(runner_t *));
    jobs->takeover = takeover_new(d, jobs);

    if (jobs->runner == NULL || jobs->takeover == NULL
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
    takeover_free(jobs->takeover);
    jobs_read_free(jobs);

    for (i = 0; i < jobs->n; i++) {
        runner_free(jobs->runner[i]);
    }

    free(jobs->runner);
    free(jobs);
}


void
jobs_state(jobs_t *jobs, int ready)
{
    if (!ready) {
        takeover_stop(jobs->takeover);
        jobs_read_stop(jobs);

    } else if (!jobs->stopped) {
        jobs_groups(jobs);
    }
}


void
jobs_stop(jobs_t *jobs)
{
    jobs->stopped = 1;
    takeover_stop(jobs->takeover);
    jobs_read_stop(jobs);
}
