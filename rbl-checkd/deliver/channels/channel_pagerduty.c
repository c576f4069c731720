/*
 * Contacts of type pagerduty: Events API v2.  A listed host triggers an alert
 * with a key of its own.  The alert is resolved when no list has the host, or
 * the host is no longer reported; PagerDuty drops a second trigger, and a
 * resolve of an unknown key.  Many hosts that are listed at once share one
 * alert, which is resolved when none of them is listed.  Any other message has
 * its event for a key.
 */

#include "chat.h"

#include <jansson.h>


#define PAGERDUTY_SUMMARY  1024         /* characters */
#define PAGERDUTY_SOURCE   255
#define PAGERDUTY_KEY      128
#define PAGERDUTY_LINKS    20
#define PAGERDUTY_VALUE    500


/* "192.0.2.1 (mail) is listed on 2 lists: zen.example, bl.example" */

static void
pagerduty_summary(rbl_doc_t *doc, const message_host_t *host)
{
    char       state[CHAT_STATE_MAX];
    size_t     i;
    rbl_buf_t  buf;

    rbl_buf_init(&buf);
    rbl_out_str(&buf.out, host->value);

    if (host->name.n > 0) {
        rbl_out_z(&buf.out, " (");
        rbl_out_str(&buf.out, host->name);
        rbl_out_z(&buf.out, ")");
    }

    rbl_out_z(&buf.out, " is ");
    rbl_out_z(&buf.out, chat_state(state, host));

    if (host->flaps.n > 0) {
        rbl_out_z(&buf.out, ", flapping since ");
        rbl_out_str(&buf.out, host->flaps);
    }

    for (i = 0; i < host->n_listings; i++) {
        rbl_out_z(&buf.out, i == 0 ? ": " : ", ");
        rbl_out_str(&buf.out, host->listing[i].zone);
    }

    chat_clip(doc, "summary", rbl_buf_str(&buf), PAGERDUTY_SUMMARY, CLIP_CHARS);
    rbl_buf_free(&buf);
}


static void
pagerduty_details(rbl_doc_t *doc, const message_host_t *host)
{
    size_t                    i;
    const message_listing_t  *l;

    rbl_doc_object(doc, "custom_details");
    rbl_doc_str(doc, "host", host->value);
    rbl_doc_str(doc, "name", host->name);
    rbl_doc_str(doc, "first_listed", host->first_listed);
    rbl_doc_int(doc, "listed_count", host->listed_count);
    rbl_doc_array(doc, "lists");

    for (i = 0; i < host->n_listings; i++) {
        l = &host->listing[i];
        rbl_doc_object(doc, NULL);
        rbl_doc_str(doc, "host", l->zone);
        chat_clip(doc, "name", l->name, PAGERDUTY_VALUE, CLIP_CHARS);
        chat_clip(doc, "reason", l->reason, PAGERDUTY_VALUE, CLIP_CHARS);
        chat_clip(doc, "details", l->details, PAGERDUTY_VALUE, CLIP_CHARS);
        chat_clip(doc, "delisting", l->delisting, PAGERDUTY_VALUE, CLIP_CHARS);
        chat_clip(doc, "weight", l->weight, PAGERDUTY_VALUE, CLIP_CHARS);
        chat_clip(doc, "since", l->since, PAGERDUTY_VALUE, CLIP_CHARS);

        if (l->off.n > 0) {
            chat_clip(doc, "relisted", l->off, PAGERDUTY_VALUE, CLIP_CHARS);
        }

        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);

    if (host->flaps.n > 0) {
        chat_clip(doc, "flapping_since", host->flaps, PAGERDUTY_VALUE,
                  CLIP_CHARS);
    }

    rbl_doc_close(doc);
}


static void
pagerduty_links(rbl_doc_t *doc, const message_host_t *host)
{
    size_t                    i, n;
    const message_listing_t  *l;

    rbl_doc_array(doc, "links");

    for (i = 0, n = 0; i < host->n_listings && n < PAGERDUTY_LINKS; i++) {
        l = &host->listing[i];

        if (!chat_is_url(l->delisting)) {
            continue;
        }

        rbl_doc_object(doc, NULL);
        rbl_doc_str(doc, "href", l->delisting);
        RBL_DOC_TEXT(doc, "text", RBL_STR("Delisting at "), l->zone);
        rbl_doc_close(doc);
        n++;
    }

    rbl_doc_close(doc);
}


/* The service's own words for weights. */

static const char *
pagerduty_severity(rbl_str_t weight)
{
    return rbl_str_is(weight, "critical") ? "critical"
           : rbl_str_is(weight, "high") ? "error"
           : rbl_str_is(weight, "normal") ? "warning" : "info";
}


static void
pagerduty_host(rbl_doc_t *doc, const message_t *m, const message_host_t *host)
{
    if (host->state != MESSAGE_LISTED) {
        rbl_doc_z(doc, "event_action", "resolve");
        return;
    }

    rbl_doc_z(doc, "event_action", "trigger");
    rbl_doc_object(doc, "payload");
    pagerduty_summary(doc, host);
    chat_clip(doc, "source", host->value, PAGERDUTY_SOURCE, CLIP_CHARS);
    rbl_doc_z(doc, "severity", pagerduty_severity(m->weight));
    rbl_doc_z(doc, "class", "blocklist");
    pagerduty_details(doc, host);
    rbl_doc_close(doc);
    pagerduty_links(doc, host);
}


/* The summary of a message on several hosts or none: its own title. */

static void
pagerduty_words(rbl_doc_t *doc, const message_t *m)
{
    size_t  i;

    if (m->alert.n > 0 && m->listed == 0) {
        rbl_doc_z(doc, "event_action", "resolve");
        return;
    }

    rbl_doc_z(doc, "event_action", "trigger");
    rbl_doc_object(doc, "payload");
    RBL_DOC_TEXT(doc, "summary",
                 clip_begin(m->title, PAGERDUTY_SUMMARY - 40, CLIP_CHARS),
                 m->code.n > 0 ? RBL_STR(": ") : RBL_STR(""),
                 clip_begin(m->code, 32, CLIP_CHARS));
    rbl_doc_z(doc, "source", "blocklist monitoring");
    rbl_doc_z(doc, "severity", pagerduty_severity(m->weight));
    rbl_doc_z(doc, "class", "blocklist");
    rbl_doc_object(doc, "custom_details");
    rbl_doc_str(doc, "message", m->text);
    rbl_doc_int(doc, "listed", m->listed);
    rbl_doc_int(doc, "delisted", m->delisted);
    rbl_doc_int(doc, "unreported", m->unreported);
    rbl_doc_array(doc, "hosts");

    for (i = 0; i < m->n_hosts; i++) {
        rbl_doc_str(doc, NULL, m->host[i].value);
    }

    rbl_doc_close(doc);
    rbl_doc_close(doc);
    rbl_doc_close(doc);
}


static rbl_err_t
pagerduty_write(request_t *request, const channel_job_t *job,
    rbl_str_t to, const message_t *m)
{
    rbl_doc_t  doc;

    channel_service(request, job->conf->pagerduty_url,
                    RBL_STR("/v2/enqueue"));
    rbl_doc_begin(&doc, &request->body_made.out, RBL_JSON);
    rbl_doc_str(&doc, "routing_key", to);
    RBL_DOC_TEXT(&doc, "dedup_key", RBL_STR("rbl-"),
                 clip_begin(m->alert.n > 0 ? m->alert
                            : m->n_hosts == 1 ? m->host[0].id : job->event,
                            PAGERDUTY_KEY, CLIP_CHARS));

    if (m->alert.n == 0 && m->n_hosts == 1) {
        pagerduty_host(&doc, m, &m->host[0]);

    } else {
        pagerduty_words(&doc, m);
    }

    rbl_doc_z(&doc, "client", "Blocklist monitoring");

    if (chat_is_url(m->url)) {
        rbl_doc_str(&doc, "client_url", m->url);
    }

    rbl_doc_end(&doc);

    return RBL_OK;
}


/* {"status": "invalid event", "message": "...", "errors": ["..."]} */

static channel_verdict_t
pagerduty_refused(const channel_answer_t *answer, const void *json,
    channel_verdict_t verdict, channel_outcome_t *outcome)
{
    const json_t  *said;

    said = json_array_get(json_object_get(json, "errors"), 0);
    channel_said(outcome, "PagerDuty", answer,
                 json_is_string(said) ? said
                                      : json_object_get(json, "message"));

    return verdict;
}


const channel_t  channel_pagerduty = {
    .type = RBL_CONTACT_PAGERDUTY,
    .service = "PagerDuty",
    .repeats = &backoff_contact,
    .write = pagerduty_write,
    .refused = pagerduty_refused
};
