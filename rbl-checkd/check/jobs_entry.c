/*
 * From a handle to a job.  Nothing of it is believed before it has been looked
 * at: a wrong account would send scripts to a wrong partition.
 */

#include "jobs_entry.h"


/* What is before the next colon, which is left out; .p NULL: there is none. */

static rbl_str_t
next_part(rbl_str_t *rest)
{
    rbl_str_t    part;
    const char  *colon;

    colon = rest->n > 0 ? memchr(rest->p, ':', rest->n) : NULL;
    if (colon == NULL) {
        return (rbl_str_t) { NULL, 0 };
    }

    part.p = rest->p;
    part.n = (size_t) (colon - rest->p);
    rest->p += part.n + 1;
    rest->n -= part.n + 1;

    return part;
}


static int
take_sid(rbl_sid_t *sid, rbl_sid_kind_t kind, rbl_str_t text)
{
    return text.p != NULL && rbl_sid_parse(sid, kind, text) == RBL_OK ? 0 : -1;
}


static int
take_kind(job_kind_t *kind, rbl_str_t text)
{
    *kind = rbl_str_is(text, "m") ? JOB_MANUAL : JOB_DUE;

    return *kind == JOB_MANUAL || rbl_str_is(text, "d") ? 0 : -1;
}


static int
take_times(unsigned *times, rbl_str_t text)
{
    size_t  i;

    *times = 0;

    if (text.n == 0 || text.n > 6) {
        return -1;
    }

    for (i = 0; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9') {
            return -1;
        }

        *times = *times * 10 + (unsigned) (text.p[i] - '0');
    }

    return 0;
}


int
jobs_entry(job_t *job, const rbl_keyspace_t *ks, unsigned partition,
    rbl_str_t handle)
{
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

    if (take_sid(&job->account, RBL_SID_ACCOUNT, next_part(&rest)) != 0
        || take_sid(&job->check, RBL_SID_CHECK, next_part(&rest)) != 0
        || rbl_partition(ks, rbl_sid_str(&job->account)) != partition)
    {
        return -1;
    }

    host = next_part(&rest);
    if (host.n != 0 && take_sid(&job->host, RBL_SID_HOST, host) != 0) {
        return -1;
    }

    if (take_kind(&job->kind, next_part(&rest)) != 0
        || take_times(&job->times, next_part(&rest)) != 0)
    {
        return -1;
    }

    return rest.n != 0 ? 0 : -1;
}
