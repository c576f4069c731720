/*
 * From a stream entry to a job.  Nothing of it is believed before it has been
 * looked at: a wrong account would send scripts to a wrong partition.
 */

#include "jobs_entry.h"


int
jobs_id_ok(rbl_str_t id)
{
    size_t  i, dashes;

    if (id.n < 3 || id.n >= JOB_ID_MAX || id.p[0] == '-'
        || id.p[id.n - 1] == '-')
    {
        return 0;
    }

    dashes = 0;

    for (i = 0; i < id.n; i++) {
        if (id.p[i] == '-') {
            dashes++;

        } else if (id.p[i] < '0' || id.p[i] > '9') {
            return 0;
        }
    }

    return dashes == 1;
}


static int
take_sid(rbl_sid_t *sid, rbl_sid_kind_t kind, const redisReply *fields,
    const char *name)
{
    rbl_str_t  text;

    text = rbl_reply_str(rbl_reply_field(fields, name));

    return text.p != NULL && rbl_sid_parse(sid, kind, text) == RBL_OK ? 0 : -1;
}


int
jobs_entry(job_t *job, const rbl_keyspace_t *ks, unsigned partition,
    const redisReply *entry)
{
    rbl_str_t          id, host;
    const redisReply  *fields;

    memset(job, 0, sizeof(job_t));

    id = rbl_reply_str(rbl_reply_at(entry, 0));
    if (id.p == NULL || !jobs_id_ok(id)) {
        return -1;
    }

    memcpy(job->id, id.p, id.n);
    fields = rbl_reply_at(entry, 1);

    if (take_sid(&job->account, RBL_SID_ACCOUNT, fields, "a") != 0
        || take_sid(&job->check, RBL_SID_CHECK, fields, "c") != 0
        || rbl_partition(ks, rbl_sid_str(&job->account)) != partition)
    {
        return -1;
    }

    host = rbl_reply_str(rbl_reply_field(fields, "h"));
    if (host.n == 0) {
        return host.p != NULL ? 0 : -1;
    }

    return take_sid(&job->host, RBL_SID_HOST, fields, "h");
}
