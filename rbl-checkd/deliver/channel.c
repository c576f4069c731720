/*
 * The table of channels, and what several of them have in common.
 */

#include "channel.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>


static const channel_t *const  channels[] = {
    &channel_webhook,
    &channel_email,
    &channel_endpoint
};


const channel_t *
channel_find(rbl_str_t type)
{
    size_t  i;

    for (i = 0; i < sizeof(channels) / sizeof(channels[0]); i++) {
        if (rbl_str_is(type, channels[i]->type)) {
            return channels[i];
        }
    }

    return NULL;
}


channel_request_t *
channel_request_new(void)
{
    channel_request_t  *request;

    request = calloc(1, sizeof(channel_request_t));
    if (request == NULL) {
        return NULL;
    }

    rbl_buf_init(&request->to_made);
    rbl_buf_init(&request->body_made);

    return request;
}


void
channel_request_free(channel_request_t *request)
{
    rbl_str_t  made;

    made = rbl_buf_str(&request->body_made);

    if (made.n > 0) {
        OPENSSL_cleanse(request->body_made.base, made.n);
    }

    rbl_buf_free(&request->to_made);
    rbl_buf_free(&request->body_made);
    free(request);
}


rbl_err_t
channel_header(channel_request_t *request, const char *fmt, ...)
{
    int      n;
    va_list  ap;

    if (request->n_headers == CHANNEL_HEADERS) {
        return RBL_EINVAL;
    }

    va_start(ap, fmt);
    n = vsnprintf(request->header[request->n_headers], CHANNEL_HEADER_MAX, fmt,
                  ap);
    va_end(ap);

    if (n < 0 || n >= CHANNEL_HEADER_MAX) {
        return RBL_EINVAL;
    }

    request->n_headers++;

    return RBL_OK;
}


rbl_err_t
channel_json(channel_request_t *request, const channel_job_t *job, int64_t now)
{
    request->to = job->to;
    request->body = job->body;

    if (channel_header(request, "Content-Type: application/json") != RBL_OK
        || channel_header(request, "webhook-id: %.*s", (int) job->event.n,
                          job->event.p)
           != RBL_OK)
    {
        return RBL_EINVAL;
    }

    return channel_header(request, "webhook-timestamp: %" PRId64, now);
}


channel_verdict_t
channel_judge_http(const channel_answer_t *answer, char why[CHANNEL_WHY_MAX])
{
    if (answer->status >= 200 && answer->status <= 299) {
        return CHANNEL_DELIVERED;
    }

    if (answer->status == 410) {
        snprintf(why, CHANNEL_WHY_MAX, "HTTP status 410");
        return CHANNEL_DISABLE;
    }

    snprintf(why, CHANNEL_WHY_MAX, "%s",
             answer->status >= 300 && answer->status <= 399
             ? "redirects are not followed" : "HTTP status");

    return CHANNEL_RETRY;
}
