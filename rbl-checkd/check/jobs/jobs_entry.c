/*
 * Parses handles into jobs.  Every part is checked before it is used: a wrong
 * account would send scripts to a wrong partition.
 */

#include "jobs_entry.h"
#include "rbl_validate.h"

#include <inttypes.h>
#include <stdio.h>

#define ATTEMPTS_MAX  999999


int
jobs_entry(job_t *job, const rbl_keyspace_t *ks, unsigned partition,
    rbl_str_t handle)
{
    int64_t    attempts;
    rbl_str_t  rest, host;

    memset(job, 0, sizeof(job_t));
    job->partition = partition;

    if (handle.p == NULL || handle.n == 0 || handle.n >= JOB_HANDLE_MAX
        || memchr(handle.p, '\0', handle.n) != NULL)
    {
        return -1;
    }

    memcpy(job->handle, handle.p, handle.n);
    rest = handle;

    if (rbl_sid_parse(&job->account, RBL_SID_ACCOUNT, rbl_until(&rest, ':'))
        != RBL_OK
        || rbl_sid_parse(&job->check, RBL_SID_CHECK, rbl_until(&rest, ':'))
           != RBL_OK
        || rbl_partition(ks, rbl_sid_str(&job->account)) != partition)
    {
        return -1;
    }

    host = rbl_until(&rest, ':');

    if ((host.n != 0
         && rbl_sid_parse(&job->host, RBL_SID_HOST, host) != RBL_OK)
        || !rbl_str_is(rbl_until(&rest, ':'), "m")
        || rbl_int_parse(&attempts, rbl_until(&rest, ':'), 0, ATTEMPTS_MAX)
           != RBL_OK)
    {
        return -1;
    }

    job->kind = JOB_MANUAL;

    job->attempts = (unsigned) attempts;

    return rest.n != 0 ? 0 : -1;
}


int
jobs_entry_due(job_t *job, const rbl_keyspace_t *ks, unsigned partition,
    rbl_str_t account, int64_t till, rbl_str_t host, const char *name)
{
    int  n;

    memset(job, 0, sizeof(job_t));
    job->partition = partition;
    job->kind = JOB_DUE;

    if (rbl_sid_parse(&job->account, RBL_SID_ACCOUNT, account) != RBL_OK
        || rbl_sid_parse(&job->host, RBL_SID_HOST, host) != RBL_OK
        || !rbl_str_is(account, job->account.s)
        || !rbl_str_is(host, job->host.s)
        || rbl_partition(ks, account) != partition
        || till <= 0)
    {
        return -1;
    }

    if (rbl_sid_make(&job->check, RBL_SID_CHECK) != RBL_OK) {
        return 1;
    }

    /* The one for check_finish is two longer. */

    n = snprintf(job->handle, JOB_HANDLE_MAX, "%s:%s:%s:d:%" PRId64 ":%s",
                 job->account.s, job->check.s, job->host.s, till, name);
    if (n < 0 || n + 2 >= JOB_HANDLE_MAX) {
        job->handle[0] = '\0';
        return -1;
    }

    return 0;
}


int
jobs_entry_begun(job_t *job, rbl_str_t check, int64_t attempts)
{
    if (attempts < 1 || attempts > 9
        || rbl_sid_parse(&job->check, RBL_SID_CHECK, check) != RBL_OK)
    {
        return -1;
    }

    job->attempts = (unsigned) attempts;
    return 0;
}


/* The lease in the handle of a due host: "<till>:<daemon>". */

static const char *
lease_of(const job_t *job)
{
    return job->handle + job->account.n + job->check.n + job->host.n
           + sizeof(":::d:") - 1;
}


void
jobs_entry_flight(const job_t *job, unsigned attempts, char buf[JOB_HANDLE_MAX])
{
    snprintf(buf, JOB_HANDLE_MAX, "%s:%u:%s", job->check.s, attempts,
             lease_of(job));
}


rbl_str_t
jobs_entry_end(const job_t *job, char buf[JOB_HANDLE_MAX])
{
    int  n;

    if (job->kind == JOB_MANUAL) {
        return rbl_str(job->handle);
    }

    n = snprintf(buf, JOB_HANDLE_MAX, "%s:%s:%s:d:%u:%s", job->account.s,
                 job->check.s, job->host.s, job->attempts, lease_of(job));

    return (rbl_str_t) { buf, n > 0 && n < JOB_HANDLE_MAX ? (size_t) n : 0 };
}
