/*
 * Contacts of type aws-cloudwatch: log events in JSON, for its queries; the
 * first is the message, followed by one for each host.
 *
 * They go into one stream of the contact's log group.  Usually the stream
 * exists; if not, the same attempt creates it and then puts the events again,
 * so that no state is kept between attempts.
 */

#include "aws.h"

#include <stdio.h>

#include "deliver/message/clip.h"
#include "rbl_doc.h"


#define LOGS_STREAM   "blocklist-monitoring"
#define LOGS_MAX      900000            /* octets of events; 1 MiB is taken */
#define LOGS_EVENT    26                /* octets each counts for by itself */
#define LOGS_TEXT     20000             /* of the message */

enum {
    LOGS_PUT = 0,
    LOGS_CREATE,                        /* the stream */
    LOGS_PUT_AGAIN
};


static void
logs_listing(rbl_doc_t *doc, const message_listing_t *l)
{
    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "host", l->zone);
    rbl_doc_str(doc, "name", l->name);
    rbl_doc_str(doc, "weight", l->weight);
    rbl_doc_str(doc, "since", l->since);
    rbl_doc_str(doc, "reason", l->reason);
    rbl_doc_str(doc, "details", l->details);
    rbl_doc_str(doc, "delisting", l->delisting);
    rbl_doc_close(doc);
}


static void
logs_host(rbl_out_t *out, const message_t *m, const message_host_t *host)
{
    size_t     i;
    rbl_doc_t  doc;

    rbl_doc_begin(&doc, out, RBL_JSON);
    rbl_doc_str(&doc, "event_sid", m->event);
    rbl_doc_str(&doc, "host", host->value);
    rbl_doc_str(&doc, "id", host->id);
    rbl_doc_str(&doc, "name", host->name);
    rbl_doc_str(&doc, "status", message_state(host->state));
    rbl_doc_str(&doc, "first_listed", host->first_listed);
    rbl_doc_int(&doc, "listed_count", host->listed_count);
    rbl_doc_array(&doc, "listings");

    for (i = 0; i < host->n_listings; i++) {
        logs_listing(&doc, &host->listing[i]);
    }

    rbl_doc_close(&doc);

    if (host->why.n > 0) {
        rbl_doc_str(&doc, "why", host->why);
    }

    rbl_doc_end(&doc);
}


static void
logs_message(rbl_out_t *out, const message_t *m)
{
    rbl_doc_t  doc;

    rbl_doc_begin(&doc, out, RBL_JSON);
    rbl_doc_str(&doc, "event_sid", m->event);
    rbl_doc_str(&doc, "event_type", m->type);
    rbl_doc_str(&doc, "title", m->title);
    rbl_doc_str(&doc, "weight", m->weight);
    rbl_doc_int(&doc, "listed", m->listed);
    rbl_doc_int(&doc, "delisted", m->delisted);
    rbl_doc_int(&doc, "unreported", m->unreported);

    if (m->n_hosts == 0) {
        rbl_doc_str(&doc, "message", clip_begin(m->text, LOGS_TEXT,
                                                CLIP_OCTETS));
        rbl_doc_str(&doc, "authcode", m->code);
    }

    rbl_doc_end(&doc);
}


static void
logs_event(rbl_doc_t *doc, int64_t when, rbl_buf_t *event)
{
    rbl_doc_object(doc, NULL);
    rbl_doc_int(doc, "timestamp", when);
    rbl_doc_str(doc, "message", rbl_buf_str(event));
    rbl_doc_close(doc);

    rbl_buf_reset(event);
}


static void
logs_events(rbl_doc_t *doc, const message_t *m, int64_t when)
{
    size_t     i, size;
    rbl_buf_t  event;

    rbl_buf_init(&event);
    logs_message(&event.out, m);
    size = LOGS_EVENT + rbl_buf_str(&event).n;
    logs_event(doc, when, &event);

    for (i = 0; i < m->n_hosts; i++) {
        logs_host(&event.out, m, &m->host[i]);
        size += LOGS_EVENT + rbl_buf_str(&event).n;

        if (size > LOGS_MAX) {
            break;
        }

        logs_event(doc, when, &event);
    }

    rbl_buf_free(&event);
}


static rbl_err_t
logs_write(request_t *request, const channel_job_t *job, rbl_str_t to,
    const message_t *message)
{
    rbl_doc_t    doc;
    rbl_err_t    err;
    aws_value_t  value;

    err = aws_request(request, &value, to, "logs", job->conf->logs_url);

    if (err != RBL_OK) {
        return err;
    }

    (void) rbl_until(&value.name, ':');         /* log-group:<name> */

    rbl_doc_begin(&doc, &request->body_made.out, RBL_JSON);
    rbl_doc_str(&doc, "logGroupName", value.name);
    rbl_doc_z(&doc, "logStreamName", LOGS_STREAM);

    if (job->step != LOGS_CREATE) {
        rbl_doc_array(&doc, "logEvents");
        logs_events(&doc, message, job->first);
        rbl_doc_close(&doc);
    }

    rbl_doc_end(&doc);
    request->content_type = "application/x-amz-json-1.1";

    return request_header(request, "X-Amz-Target",
                          job->step == LOGS_CREATE
                          ? RBL_STR("Logs_20140328.CreateLogStream")
                          : RBL_STR("Logs_20140328.PutLogEvents"));
}


/* The stream or its group is missing; *outcome has the words for it. */

static channel_verdict_t
logs_missing(unsigned step, channel_outcome_t *outcome)
{
    switch (step) {

    case LOGS_PUT:
        return CHANNEL_AGAIN;

    case LOGS_CREATE:
        snprintf(outcome->why, CHANNEL_WHY_MAX,
                 "Amazon CloudWatch has no such log group");
        return CHANNEL_DISABLE;

    default:                            /* it is not to be seen yet */
        return CHANNEL_RETRY;
    }
}


static channel_verdict_t
logs_judge(const channel_answer_t *answer, channel_outcome_t *outcome)
{
    rbl_str_t          code;
    channel_verdict_t  verdict;

    verdict = aws_judge(answer, outcome, "Amazon CloudWatch", &code);

    if (verdict == CHANNEL_DEAD
        && rbl_str_is(code, "ResourceNotFoundException"))
    {
        return logs_missing(answer->step, outcome);
    }

    if (answer->step == LOGS_CREATE) {
        return verdict == CHANNEL_DELIVERED
               || rbl_str_is(code, "ResourceAlreadyExistsException")
               ? CHANNEL_AGAIN : verdict;
    }

    /* status 200 may come with rejected events; all events have the same
       time */

    if (verdict == CHANNEL_DELIVERED && answer->body.n > 0
        && memmem(answer->body.p, answer->body.n, "\"rejectedLogEventsInfo\"",
                  sizeof("\"rejectedLogEventsInfo\"") - 1)
           != NULL)
    {
        snprintf(outcome->why, CHANNEL_WHY_MAX, "Amazon CloudWatch refuses the"
                 " time of the events, or has not kept them");
        return CHANNEL_DEAD;
    }

    return verdict;
}


const channel_t  channel_cloudwatch = {
    .type = RBL_CONTACT_CLOUDWATCH,
    .no_value = "not a log group with its keys",
    .keyless = 1,
    .exact = 1,
    .repeats = &backoff_contact,
    .write = logs_write,
    .judge = logs_judge
};
