/*
 * The jobs in flight: at most checks_max runners, owned here until their call
 * back.
 */

#include "base/log.h"
#include "base/xalloc.h"
#include "jobs_entry.h"
#include "jobs_int.h"

#include <stdlib.h>


unsigned
jobs_in_flight(const jobs_t *jobs)
{
    return jobs->n;
}


int
jobs_asking(const jobs_t *jobs)
{
    return jobs->places[0].reading + jobs->places[1].reading > 0;
}


static unsigned
reserve(const jobs_t *jobs)
{
    return jobs->checker->conf->checks_max / JOBS_RESERVE;
}


unsigned
jobs_reserved_share(const jobs_t *jobs)
{
    unsigned  share;

    share = reserve(jobs) / 4;

    return share > 0 ? share : 1;
}


/* The main slots in use.  A check needs memory for each of its lists, so checks
   of long profiles use several slots. */

static unsigned
in_use(const jobs_t *jobs)
{
    size_t    by_lists;
    unsigned  running;

    by_lists = jobs->checker->asking / JOBS_LISTS;
    running = jobs->places[0].running;

    return (running > by_lists ? running : (unsigned) by_lists)
           + jobs->places[0].reading;
}


unsigned
jobs_room(const jobs_t *jobs, int *reserved)
{
    unsigned  used, main;

    *reserved = 0;
    used = in_use(jobs);
    main = jobs->checker->conf->checks_max - reserve(jobs);

    if (jobs->stopped) {
        return 0;
    }

    if (used < main) {
        return main - used;
    }

    *reserved = 1;
    used = jobs->places[1].running + jobs->places[1].reading;

    return used >= reserve(jobs) ? 0 : reserve(jobs) - used;
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
    jobs->places[job->reserved].running--;

    if (job->alone) {
        jobs->alone--;
        jobs->hungry = 1;
        jobs_mark_alone(jobs);
    }

    if (job->kind == JOB_MANUAL) {
        jobs_shares_drop(&jobs->shares, &job->account);
    }

    runner_free(runner);
    jobs_wake(jobs);
}


/* A handle that no daemon can run must not come back for ever: removes it. */

static void
discard(jobs_t *jobs, const job_t *job, unsigned partition)
{
    rbl_str_t             leases;
    const jobs_slice_t   *slice;

    log_error("malformed job \"%.*s\" in partition %u is skipped",
              JOB_HANDLE_MAX, job->handle, partition);

    if (job->handle[0] == '\0') {
        return;
    }

    slice = &jobs->slice[partition];
    leases = (rbl_str_t) { slice->leases.s, slice->leases.n };
    store_command(jobs->checker->store, NULL, jobs,
                  RBL_COMMAND("ZREM", leases, rbl_str(job->handle)));
}


static int
on_alone(void *data)
{
    jobs_t  *jobs = data;

    if (jobs->alone == 0) {
        jobs->alone++;
        jobs->waited = 0;
        return 1;
    }

    if (!jobs->asked_alone) {
        return 0;
    }

    /* A call under way may still claim one; the next calls will not. */

    jobs->waited = clock_now() + JOBS_BLOCK;
    return -1;
}


static void
start(jobs_t *jobs, const job_t *job)
{
    runner_t  *runner;

    /* A job without a slot here comes back when its lease expires. */

    if (jobs->n >= jobs->checker->conf->checks_max) {
        return;
    }

    runner = runner_start(jobs->checker, job, on_alone, on_done, jobs);
    jobs->runner[jobs->n++] = runner;
    jobs->places[job->reserved].running++;

    if (job->alone) {
        jobs->alone++;
    }

    if (job->kind == JOB_MANUAL) {
        jobs_shares_add(&jobs->shares, &job->account);
    }
}


unsigned
jobs_start(jobs_t *jobs, const jobs_slice_t *slice, rbl_str_t handle)
{
    job_t  job;

    if (jobs_entry(&job, store_keyspace(jobs->checker->store), slice->partition,
                   handle)
        != 0)
    {
        discard(jobs, &job, slice->partition);
        return 1;
    }

    job.reserved = slice->reserved;
    job.alone = job.attempts == JOB_ATTEMPTS_MAX;
    start(jobs, &job);
    return 1;
}


/* The same for a host. */

static void
discard_host(jobs_t *jobs, unsigned partition, rbl_str_t account,
    rbl_str_t host)
{
    rbl_key_t  key;
    rbl_str_t  due, none = RBL_STR("");

    log_error("malformed host \"%.*s\" of account \"%.*s\" in partition %u is"
              " skipped",
              host.n < 64 ? (int) host.n : 64, host.p,
              account.n < 64 ? (int) account.n : 64, account.p, partition);

    due = rbl_key(&key, store_keyspace(jobs->checker->store), partition, "due",
                  account, none);

    if (due.n != 0 && account.n != 0) {
        store_command(jobs->checker->store, NULL, jobs,
                      RBL_COMMAND("ZREM", due, host));
    }
}


unsigned
jobs_start_due(jobs_t *jobs, const jobs_slice_t *slice, const redisReply *taken)
{
    job_t                 job;
    size_t                i, n;
    rbl_str_t             host;
    rbl_check_take_due_t  due;

    rbl_check_take_due(&due, taken);
    n = rbl_reply_len(due.hosts);

    for (i = 0; i < n; i++) {
        host = rbl_reply_str(rbl_reply_at(due.hosts, i));

        switch (jobs_entry_due(&job, store_keyspace(jobs->checker->store),
                               slice->partition, due.account, due.till, host,
                               jobs->checker->conf->name))
        {
        case 0:
            job.reserved = slice->reserved;
            start(jobs, &job);
            break;

        case 1:
            log_error("getrandom failed: no random bytes");
            break;

        default:
            discard_host(jobs, slice->partition, due.account, host);
        }
    }

    return (unsigned) n;
}


jobs_t *
jobs_new(checker_t *checker)
{
    jobs_t  *jobs;

    jobs = xcalloc(1, sizeof(jobs_t));
    jobs->checker = checker;
    jobs->runner = xcalloc(checker->conf->checks_max, sizeof(runner_t *));
    jobs_shares_init(&jobs->shares, checker->conf->checks_max);
    jobs_read_init(jobs);

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
