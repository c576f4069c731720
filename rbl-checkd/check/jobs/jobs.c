/*
 * Slots and the jobs in flight on them: at most checks_max runners, owned here
 * until their call back.  An eighth of the slots is reserved for manual checks
 * and used while the main slots are full; one account has at most a quarter of
 * that eighth.  So an account can start a check at once, however many checks of
 * the schedule or of other accounts are in flight.
 */

#include "base/log.h"
#include "base/xalloc.h"
#include "jobs_entry.h"
#include "jobs_int.h"

#include <stdlib.h>

#define RESERVED  8                     /* one eighth */
#define SHARE     4                     /* one quarter */
#define LISTS     100                   /* lists of a check per slot */


unsigned
jobs_in_flight(const jobs_t *jobs)
{
    return jobs->n;
}


int
jobs_asking(const jobs_t *jobs)
{
    return jobs->main.asked + jobs->reserved.asked > 0;
}


/* A check needs memory for each of its lists, so checks of long profiles use
   several main slots. */

static unsigned
in_use(const jobs_slots_t *slots)
{
    size_t  by_lists;

    by_lists = slots->reserved ? 0 : slots->jobs->checker->asking / LISTS;

    return slots->running > by_lists ? slots->running : (unsigned) by_lists;
}


unsigned
jobs_room(const jobs_slots_t *slots)
{
    unsigned  used;

    used = in_use(slots) + slots->asked;

    return used < slots->max ? slots->max - used : 0;
}


int
jobs_main_full(const jobs_t *jobs)
{
    return in_use(&jobs->main) >= jobs->main.max;
}


/* The only slot that few slots leave for manual checks is for all accounts. */

unsigned
jobs_share(const jobs_t *jobs)
{
    unsigned  share;

    if (jobs->checker->conf->checks_max < RESERVED) {
        return RESERVED;
    }

    share = jobs->reserved.max / SHARE;

    return share > 0 ? share : 1;
}


static int
is_manual(const runner_t *runner, unsigned partition)
{
    const job_t  *job = runner_job(runner);

    return job->kind == JOB_MANUAL && job->partition == partition;
}


/* The manual checks of the account in flight, up to a share. */

static unsigned
count_manual(const jobs_t *jobs, unsigned partition, rbl_str_t account)
{
    unsigned      i, n, share;
    const job_t  *job;

    n = 0;
    share = jobs_share(jobs);

    for (i = 0; i < jobs->n && n < share; i++) {
        job = runner_job(jobs->runner[i]);
        n += is_manual(jobs->runner[i], partition)
             && rbl_str_eq(rbl_sid_str(&job->account), account);
    }

    return n;
}


static int
is_among(const rbl_str_t *accounts, unsigned n, rbl_str_t account)
{
    unsigned  i;

    for (i = 0; i < n; i++) {
        if (rbl_str_eq(accounts[i], account)) {
            return 1;
        }
    }

    return 0;
}


unsigned
jobs_busy(const jobs_t *jobs, unsigned partition, rbl_str_t *accounts,
    unsigned max)
{
    unsigned   i, n;
    rbl_str_t  account;

    n = 0;

    for (i = 0; i < jobs->n && n < max; i++) {
        account = rbl_sid_str(&runner_job(jobs->runner[i])->account);

        if (is_manual(jobs->runner[i], partition)
            && !is_among(accounts, n, account)
            && count_manual(jobs, partition, account) == jobs_share(jobs))
        {
            accounts[n++] = account;
        }
    }

    return n;
}


static void
on_done(void *data, runner_t *runner)
{
    int            full;
    unsigned       i;
    jobs_t        *jobs = data;
    const job_t   *job;
    jobs_slots_t  *slots;

    for (i = 0; i < jobs->n; i++) {
        if (jobs->runner[i] == runner) {
            jobs->runner[i] = jobs->runner[--jobs->n];
            break;
        }
    }

    job = runner_job(runner);
    slots = job->reserved ? &jobs->reserved : &jobs->main;
    full = jobs_room(slots) == 0;
    slots->running--;
    jobs->checker->alone -= job->alone;
    runner_free(runner);

    if (full) {
        jobs_claims_soon(slots);
    }
}


/* A handle that no daemon can run must not come back for ever: removes it. */

static void
discard(jobs_t *jobs, const job_t *job)
{
    rbl_key_t  key;

    log_error("malformed job \"%.*s\" in partition %u is skipped",
              JOB_HANDLE_MAX, job->handle, job->partition);

    if (job->handle[0] != '\0') {
        store_command(jobs->checker->store, NULL, jobs,
                      RBL_COMMAND("ZREM", store_key(jobs->checker->store, &key,
                                                    job->partition, "leases"),
                                  rbl_str(job->handle)));
    }
}


static void
start(jobs_slots_t *slots, job_t *job)
{
    jobs_t  *jobs = slots->jobs;

    /* A job without a slot here comes back when its lease expires. */

    if (jobs->n >= jobs->checker->conf->checks_max) {
        return;
    }

    job->reserved = slots->reserved;
    slots->running++;
    jobs->checker->alone += job->alone;
    jobs->runner[jobs->n++] = runner_start(jobs->checker, job, on_done, jobs);
}


void
jobs_start(jobs_slots_t *slots, unsigned partition, rbl_str_t handle)
{
    job_t    job;
    jobs_t  *jobs = slots->jobs;

    if (jobs_entry(&job, store_keyspace(jobs->checker->store), partition,
                   handle)
        != 0)
    {
        discard(jobs, &job);

    } else {
        job.alone = job.attempts == JOB_ATTEMPTS_MAX;
        start(slots, &job);
    }
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
jobs_start_due(jobs_slots_t *slots, unsigned partition, const redisReply *taken)
{
    job_t                 job;
    size_t                i, n;
    jobs_t               *jobs = slots->jobs;
    rbl_str_t             host;
    rbl_check_take_due_t  due;

    rbl_check_take_due(&due, taken);
    n = rbl_reply_len(due.hosts);

    for (i = 0; i < n; i++) {
        host = rbl_reply_str(rbl_reply_at(due.hosts, i));

        switch (jobs_entry_due(&job, store_keyspace(jobs->checker->store),
                               partition, due.account, due.till, host,
                               jobs->checker->conf->name))
        {
        case 0:
            start(slots, &job);
            break;

        case 1:
            log_error("getrandom failed: no random bytes");
            break;

        default:
            discard_host(jobs, partition, due.account, host);
        }
    }

    return (unsigned) n;
}


jobs_t *
jobs_new(checker_t *checker)
{
    jobs_t    *jobs;
    unsigned   max = checker->conf->checks_max;

    jobs = xcalloc(1, sizeof(jobs_t));
    jobs->checker = checker;
    jobs->runner = xcalloc(max, sizeof(runner_t *));
    jobs->reserved.reserved = 1;
    jobs->reserved.max = max >= RESERVED ? max / RESERVED : max > 1;
    jobs->main.max = max - jobs->reserved.max;
    jobs->main.jobs = jobs->reserved.jobs = jobs;
    jobs_claims_init(jobs);

    return jobs;
}


void
jobs_free(jobs_t *jobs)
{
    unsigned  i;

    if (jobs == NULL) {
        return;
    }

    jobs_claims_free(jobs);

    for (i = 0; i < jobs->n; i++) {
        runner_free(jobs->runner[i]);
    }

    free(jobs->runner);
    free(jobs);
}


void
jobs_wake(jobs_t *jobs)
{
    turns_all_soon(jobs->main.claims);
    turns_all_soon(jobs->reserved.claims);
}


void
jobs_stop(jobs_t *jobs)
{
    turns_stop(jobs->main.claims);
    turns_stop(jobs->reserved.claims);
}
