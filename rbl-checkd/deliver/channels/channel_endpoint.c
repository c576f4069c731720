/*
 * Contacts of type endpoint (rbl-events(7)): the message as it is stored, by
 * POST to the customer's URL.  There is no secret to sign it with.
 */

#include "channel.h"

#include <time.h>


static rbl_err_t
endpoint_make(channel_request_t *request, const channel_job_t *job)
{
    return channel_json(request, job, (int64_t) time(NULL));
}


const channel_t  channel_endpoint = {
    .type = "endpoint",
    .way = CHANNEL_HTTP,
    .repeats = &backoff_contact,
    .make = endpoint_make,
    .judge = channel_judge_http
};
