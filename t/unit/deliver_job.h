/*
 * A delivery for a channel, and the request that the channel makes, for the
 * unit tests of channels.
 */

#ifndef DELIVER_JOB_H_INCLUDED
#define DELIVER_JOB_H_INCLUDED

#include "deliver/channels/channel.h"

#define JOB_EVENT  "EV00000000000000000000000000000001"
#define JOB_FIRST  INT64_C(1795167000000)   /* 2026-11-20 09:30:00 UTC */

typedef struct {
    config_t       conf;
    channel_job_t  job;
    request_t     *request;
    rbl_err_t      err;
} job_t;


static inline void
job_init(job_t *j)
{
    memset(j, 0, sizeof(*j));
    j->job.conf = &j->conf;
    j->job.event = RBL_STR(JOB_EVENT);
    j->job.secret = RBL_STR("");
    j->job.first = JOB_FIRST;
}


/* May be called again; frees the previous request. */

static inline void
job_make(job_t *j, const channel_t *channel, const char *to, const char *body)
{
    if (j->request != NULL) {
        request_free(j->request);
    }

    j->job.to = rbl_str(to);
    j->job.body = rbl_str(body);
    j->request = request_new();
    j->err = channel_make(channel, j->request, &j->job);
}


static inline void
job_done(job_t *j)
{
    request_free(j->request);
}


/* Has the form a field with that value, in encoded form? */

static inline int
job_field(const job_t *j, const char *name, const char *value)
{
    char        want[4096];
    size_t      n;
    rbl_str_t   at, rest = j->request->body;

    n = (size_t) snprintf(want, sizeof(want), "%s=%s", name, value);

    while (rest.n > 0) {
        at = rest;
        at.n = memchr(rest.p, '&', rest.n) == NULL ? rest.n
               : (size_t) ((const char *) memchr(rest.p, '&', rest.n)
                           - rest.p);

        if (at.n == n && memcmp(at.p, want, n) == 0) {
            return 1;
        }

        rest.p += at.n + (at.n < rest.n);
        rest.n -= at.n + (at.n < rest.n);
    }

    return 0;
}


static inline int
job_has(rbl_str_t s, const char *part)
{
    return s.n > 0 && memmem(s.p, s.n, part, strlen(part)) != NULL;
}


/* The channel's verdict on an answer. */

static inline channel_verdict_t
job_judge(const channel_t *channel, channel_outcome_t *outcome,
    unsigned step, unsigned status, const char *headers, const char *body)
{
    channel_answer_t  answer;

    memset(&answer, 0, sizeof(answer));
    memset(outcome, 0, sizeof(*outcome));
    answer.step = step;
    answer.status = status;
    answer.text = "";
    answer.headers = rbl_str(headers);
    answer.body = rbl_str(body);

    return channel_judge(channel, &answer, outcome);
}

#endif /* DELIVER_JOB_H_INCLUDED */
