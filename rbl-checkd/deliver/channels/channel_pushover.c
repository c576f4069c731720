/*
 * Contacts of type pushover.  The service forbids to repeat requests that it
 * refused, and has a monthly quota of messages; it has no key to recognize a
 * repeat.
 */

#include "chat.h"

#include <jansson.h>
#include <stdio.h>
#include <time.h>

#include "rbl_validate.h"


#define PUSHOVER_TITLE    250           /* characters */
#define PUSHOVER_MESSAGE  1024
#define PUSHOVER_URL      512
#define PUSHOVER_HOLD     INT64_C(21600)    /* s that news stay news */


/* Through a phone's quiet hours, as usual, or without a sound. */

static const char *
pushover_priority(const message_t *message)
{
    if (rbl_str_is(message->weight, "critical")) {
        return "1";
    }

    return message->code.n > 0 || message->listed > 0 ? "0" : "-1";
}


static void
pushover_cut(rbl_buf_t *form, const char *name, rbl_str_t text, size_t max)
{
    rbl_buf_t  cut;

    rbl_buf_init(&cut);
    clip_out(&cut.out, text, max, CLIP_CHARS);
    form_add(form, name, rbl_buf_str(&cut));
    rbl_buf_free(&cut);
}


static void
pushover_form(rbl_buf_t *form, const channel_job_t *job,
    const message_t *message)
{
    char       time_text[RBL_OUT_INT];
    rbl_url_t  url;

    form_add(form, "token", rbl_str(job->conf->pushover_token));
    form_add(form, "user", job->to);
    pushover_cut(form, "title", message->title, PUSHOVER_TITLE);
    pushover_cut(form, "message", message->text.n > 0 ? message->text
                                                      : message->title,
                 PUSHOVER_MESSAGE);
    form_add(form, "priority", rbl_str(pushover_priority(message)));
    form_add(form, "timestamp",
                 rbl_out_int_text(time_text, job->first / 1000));

    if (message->url.n <= PUSHOVER_URL
        && rbl_url_parse(&url, message->url) == RBL_OK)
    {
        form_add(form, "url", message->url);
        form_add(form, "url_title", RBL_STR("Look it up"));
    }
}


static rbl_err_t
pushover_write(request_t *request, const channel_job_t *job,
    rbl_str_t to, const message_t *message)
{
    (void) to;

    channel_service(request, job->conf->pushover_url,
                    RBL_STR("/1/messages.json"));
    request->content_type = FORM_TYPE;
    pushover_form(&request->body_made, job, message);

    return RBL_OK;
}


/* 429: no messages are accepted until the end of the month. */

static channel_verdict_t
pushover_quota(const channel_answer_t *answer, channel_outcome_t *outcome)
{
    int64_t  reset, now;

    snprintf(outcome->why, CHANNEL_WHY_MAX,
             "Pushover takes no more messages this month (429)");
    now = (int64_t) time(NULL);

    if (rbl_int_parse(&reset, channel_answer_header(answer,
                                                    "X-Limit-App-Reset"),
                      1, INT64_C(99999999999))
        != RBL_OK)
    {
        return CHANNEL_RETRY;
    }

    if (reset - now > PUSHOVER_HOLD) {
        return CHANNEL_DEAD;
    }

    outcome->wait = reset > now ? (reset - now) * 1000 : 0;

    return CHANNEL_RETRY;
}


static int
pushover_says(const json_t *root, const char *field)
{
    const char  *value;

    value = json_string_value(json_object_get(root, field));

    return value != NULL && strcmp(value, "invalid") == 0;
}


/* {"user":"invalid","errors":[...],"status":0} */

static channel_verdict_t
pushover_refused(const channel_answer_t *answer, const void *json,
    channel_verdict_t verdict, channel_outcome_t *outcome)
{
    if (answer->status == 429) {
        return pushover_quota(answer, outcome);
    }

    if (verdict == CHANNEL_DEAD && pushover_says(json, "user")) {
        snprintf(outcome->why, CHANNEL_WHY_MAX,
                 "Pushover has no such user or group (%u)", answer->status);
        return CHANNEL_DISABLE;
    }

    if (verdict == CHANNEL_DEAD && pushover_says(json, "token")) {
        snprintf(outcome->why, CHANNEL_WHY_MAX,
                 "Pushover refuses its application (%u)", answer->status);
    }

    return verdict;
}


const channel_t  channel_pushover = {
    .type = RBL_CONTACT_PUSHOVER,
    .service = "Pushover",
    .keyless = 1,
    .no_value = "not a Pushover key",
    .repeats = &backoff_contact,
    .needs = {
        CHANNEL_NEED(pushover_token, "no Pushover application is configured"
                                     " (pushover_token_file)")
    },
    .write = pushover_write,
    .refused = pushover_refused
};
