/*
 * Receivers and callbacks (rbl-events(7)): the body as it is, signed with
 * their secret.
 */

#include "channel.h"

#include <time.h>

#include "base/sign.h"


static rbl_err_t
webhook_make(request_t *request, const channel_job_t *job)
{
    sign_t   sign;
    int64_t  now;

    now = (int64_t) time(NULL);

    if (sign_make(&sign, job->secret, job->old, job->event, now, job->body)
        != RBL_OK
        || channel_json(request, job, now) != RBL_OK
        || request_header(request, "X-Webhook-Signature",
                              rbl_str(sign.own))
           != RBL_OK)
    {
        return RBL_ENOMEM;
    }

    return request_header(request, "webhook-signature",
                              rbl_str(sign.standard));
}


const channel_t  channel_webhook = {
    .repeats = &backoff_webhook,
    .make = webhook_make,
    .judge = channel_judge_http
};
