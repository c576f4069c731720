/*
 * Handles of jobs from the store (check/jobs_entry.c).  The input is the
 * handle.
 *
 * An accepted job has SIDs of the right kinds, in lower case, an account of the
 * partition that it came from, a kind, and a handle that can be sent back; its
 * parts joined again give the handle.  It is accepted in one partition only.
 */

#include "fuzz.h"
#include "check/jobs/jobs_entry.h"

#define PARTITIONS  4


static void
check_sid(const rbl_sid_t *sid, rbl_sid_kind_t kind)
{
    rbl_sid_t  again;

    fuzz_check(strlen(sid->s) == sid->n);
    fuzz_check(rbl_sid_parse(&again, kind, rbl_sid_str(sid)) == RBL_OK);
    fuzz_check(strcmp(again.s, sid->s) == 0);
}


static void
check_job(const job_t *job, rbl_str_t handle)
{
    int          n;
    char         head[JOB_HANDLE_MAX], *end;
    const char  *p, *tail;

    check_sid(&job->account, RBL_SID_ACCOUNT);
    check_sid(&job->check, RBL_SID_CHECK);

    if (job->host.n != 0) {
        check_sid(&job->host, RBL_SID_HOST);
    }

    fuzz_check(job->kind == JOB_MANUAL);
    n = snprintf(head, sizeof(head), "%s:%s:%s:m:", job->account.s,
                 job->check.s, job->host.s);
    fuzz_check(n > 0 && (size_t) n < handle.n);
    fuzz_check(rbl_str_is(handle, job->handle));
    fuzz_check(strncasecmp(job->handle, head, (size_t) n) == 0);

    p = job->handle + n;
    fuzz_check(strtoul(p, &end, 10) == job->attempts && end > p);
    tail = end;
    fuzz_check(tail[0] == ':' && tail[1] != '\0');
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    job_t           job;
    fuzz_t          f;
    unsigned        p, taken;
    rbl_str_t       handle;
    rbl_keyspace_t  ks;

    fuzz_init(&f, data, size);
    handle = fuzz_rest(&f);

    fuzz_check(rbl_keyspace_init(&ks, RBL_STR("rbl")) == RBL_OK);
    fuzz_check(rbl_keyspace_set_partitions(&ks, PARTITIONS) == RBL_OK);

    for (p = taken = 0; p < PARTITIONS; p++) {
        if (jobs_entry(&job, &ks, p, handle) == 0) {
            check_job(&job, handle);
            fuzz_check(rbl_partition(&ks, rbl_sid_str(&job.account)) == p);
            taken++;

        } else {
            fuzz_check(job.handle[0] == '\0'
                       || rbl_str_is(handle, job.handle));
        }

        fuzz_check(job.partition == p);
    }

    fuzz_check(taken <= 1);
    fuzz_done(&f);

    return 0;
}
