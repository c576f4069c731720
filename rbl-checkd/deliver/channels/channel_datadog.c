/*
 * Contacts of type datadog: events (version 1 of that API), which Datadog
 * groups by their aggregation key.  Their text is Markdown, in which foreign
 * text is escaped, including "@", which would notify users.
 */

#include "chat.h"

#include <stdio.h>
#include <time.h>

#include "rbl_validate.h"


#define DATADOG_TITLE  100              /* characters */
#define DATADOG_TEXT   4000
#define DATADOG_LEFT   40               /* of them for "and 12 more hosts" */
#define DATADOG_HOST   255
#define DATADOG_FIELD  300              /* of one foreign text */
#define DATADOG_AGE    INT64_C(61200000)    /* ms; events older than 18 hours
                                               are refused */
#define DATADOG_OPEN   "%%% \n"
#define DATADOG_CLOSE  "\n %%%"


static void
datadog_escape(rbl_out_t *out, rbl_str_t text)
{
    size_t  i;

    for (i = 0; i < text.n; i++) {
        chat_backslash(out, (rbl_str_t) { text.p + i, 1 },
                       "\\`*_{}[]()<>|~#&!");

        /* a zero-width space behind it prevents a mention */

        if (text.p[i] == '@' || text.p[i] == '%') {
            rbl_out_z(out, "\xe2\x80\x8b");
        }
    }
}


/* Writes a foreign text as Markdown that shows the same text. */

static void
datadog_words(rbl_out_t *out, rbl_str_t text)
{
    chat_line(out, text, DATADOG_FIELD, datadog_escape);
}


/* Writes [label](url), if it is a URL; characters that could end it are
   encoded. */

static void
datadog_link(rbl_out_t *out, const char *label, rbl_str_t url)
{
    rbl_url_t  parsed;

    if (url.n > DATADOG_FIELD || rbl_url_parse(&parsed, url) != RBL_OK) {
        return;
    }

    rbl_out_z(out, " [");
    rbl_out_z(out, label);
    rbl_out_z(out, "](");
    chat_encode(out, url, "()[]@*_~");
    rbl_out_char(out, ')');
}


static void
datadog_listing(rbl_out_t *out, const message_listing_t *l)
{
    rbl_out_z(out, "- ");
    datadog_words(out, l->name.n > 0 ? l->name : l->zone);

    if (l->name.n > 0 && !rbl_str_eq(l->name, l->zone)) {
        rbl_out_z(out, " \\(");
        datadog_words(out, l->zone);
        rbl_out_z(out, "\\)");
    }

    if (l->reason.n > 0) {
        rbl_out_z(out, ": ");
        datadog_words(out, l->reason);
    }

    datadog_link(out, "look it up", l->details);
    datadog_link(out, "request removal", l->delisting);
    rbl_out_char(out, '\n');
}


static void
datadog_host(rbl_out_t *out, const message_host_t *host)
{
    rbl_out_z(out, "\n**");
    datadog_words(out, host->value);
    rbl_out_z(out, "**");

    if (host->name.n > 0 && !rbl_str_eq(host->name, host->value)) {
        rbl_out_z(out, " \\(");
        datadog_words(out, host->name);
        rbl_out_z(out, "\\)");
    }

    if (host->state == MESSAGE_LISTED) {
        rbl_out_z(out, " is on ");
        rbl_out_int(out, host->listed_count);
        rbl_out_z(out, host->listed_count == 1 ? " list\n\n" : " lists\n\n");
        return;
    }

    rbl_out_z(out, host->state == MESSAGE_DELISTED
                   ? " is no longer listed"
                   : host->state == MESSAGE_UNREPORTED
                   ? " was listed, and is no longer reported"
                   : " is not listed");

    if (host->why.n > 0) {
        rbl_out_z(out, ": ");
        datadog_words(out, host->why);
    }

    rbl_out_char(out, '\n');
}


/* Is there room for it, and for the end?  If not, what is behind the first n
   octets is taken back. */

static int
datadog_fits(rbl_buf_t *text, size_t n)
{
    if (clip_length(rbl_buf_str(text), CLIP_CHARS) + DATADOG_LEFT
        + sizeof(DATADOG_OPEN DATADOG_CLOSE)
        <= DATADOG_TEXT)
    {
        return 1;
    }

    text->out.pos = text->base + n;

    return 0;
}


/* A host and its lists; 0: there was no room for all of it. */

static int
datadog_add_host(rbl_buf_t *text, const message_host_t *host, int64_t *told)
{
    int     fits;
    size_t  i, n;

    n = rbl_buf_str(text).n;
    datadog_host(&text->out, host);
    fits = datadog_fits(text, n);
    *told += fits;

    for (i = 0; i < host->n_listings && fits; i++) {
        n = rbl_buf_str(text).n;
        datadog_listing(&text->out, &host->listing[i]);
        fits = datadog_fits(text, n);
    }

    return fits;
}


static void
datadog_hosts(rbl_buf_t *text, const message_t *m)
{
    int        fits;
    size_t     i;
    int64_t    left, told;
    rbl_out_t  *out = &text->out;

    told = 0;
    fits = 1;

    for (i = 0; i < m->n_hosts && fits; i++) {
        fits = datadog_add_host(text, &m->host[i], &told);
    }

    left = m->listed + m->delisted + m->unreported + m->clear - told;

    if (left > 0) {
        rbl_out_z(out, "\nand ");
        rbl_out_int(out, left);
        rbl_out_z(out, left == 1 ? " more host\n" : " more hosts\n");
    }
}


static void
datadog_text(rbl_doc_t *doc, const message_t *message)
{
    rbl_buf_t  text;

    rbl_buf_init(&text);

    if (message->n_hosts == 0) {
        clip_out(&text.out, message->text, DATADOG_TEXT, CLIP_CHARS);

    } else {
        rbl_out_z(&text.out, DATADOG_OPEN);
        datadog_hosts(&text, message);
        rbl_out_z(&text.out, DATADOG_CLOSE);
    }

    rbl_doc_str(doc, "text", rbl_buf_str(&text));
    rbl_buf_free(&text);
}


/* The colour of the event. */

static const char *
datadog_alert(const message_t *message)
{
    if (message->listed == 0) {
        return message->delisted > 0 ? "success" : "info";
    }

    if (rbl_str_is(message->weight, "critical")
        || rbl_str_is(message->weight, "high"))
    {
        return "error";
    }

    return rbl_str_is(message->weight, "normal") ? "warning" : "info";
}


/* One host's events belong together, and so do those of many. */

static void
datadog_key(rbl_doc_t *doc, const message_t *message)
{
    rbl_doc_text_open(doc, "aggregation_key");
    rbl_doc_text_part(doc, RBL_STR("blocklists-"));

    if (message->n_hosts == 1) {
        rbl_doc_text_part(doc, clip_begin(message->host[0].id, 64,
                                          CLIP_CHARS));

    } else {
        rbl_doc_text_part(doc, message->n_hosts > 0 ? RBL_STR("digest")
                                                    : RBL_STR("contact"));
    }

    rbl_doc_text_close(doc);
}


static void
datadog_event(rbl_out_t *out, const channel_job_t *job,
    const message_t *message)
{
    int64_t    now;
    rbl_doc_t  doc;

    now = (int64_t) time(NULL) * 1000;

    rbl_doc_begin(&doc, out, RBL_JSON);
    rbl_doc_str(&doc, "title", clip_begin(message->title, DATADOG_TITLE,
                                          CLIP_CHARS));
    datadog_text(&doc, message);
    rbl_doc_z(&doc, "alert_type", datadog_alert(message));
    rbl_doc_z(&doc, "priority", "normal");
    datadog_key(&doc, message);

    if (now - job->first < DATADOG_AGE) {
        rbl_doc_int(&doc, "date_happened", job->first / 1000);
    }

    if (message->n_hosts == 1) {
        rbl_doc_str(&doc, "host", clip_begin(message->host[0].value,
                                             DATADOG_HOST, CLIP_CHARS));
    }

    rbl_doc_array(&doc, "tags");
    rbl_doc_z(&doc, NULL, "service:blocklist-monitoring");

    if (message->weight.n > 0) {
        RBL_DOC_TEXT(&doc, NULL, RBL_STR("weight:"),
                     clip_begin(message->weight, 32, CLIP_CHARS));
    }

    rbl_doc_close(&doc);
    rbl_doc_end(&doc);
}


/* value: "<key>" or "<site>,<key>" */

static rbl_err_t
datadog_write(request_t *request, const channel_job_t *job,
    rbl_str_t value, const message_t *message)
{
    rbl_str_t   key, site;
    rbl_out_t  *out = &request->to_made.out;

    key = value;
    site = rbl_until(&key, ',');

    if (key.n == 0) {
        key = site;
        site = RBL_STR("datadoghq.com");
    }

    if (job->conf->datadog_url[0] != '\0') {
        rbl_out_z(out, job->conf->datadog_url);

    } else {
        rbl_out_z(out, "https://api.");
        rbl_out_str(out, site);
    }

    rbl_out_z(out, "/api/v1/events");
    request->trusted = 1;
    datadog_event(&request->body_made.out, job, message);

    return request_header(request, "DD-API-KEY", key);
}


static channel_verdict_t
datadog_refused(const channel_answer_t *answer, const void *json,
    channel_verdict_t verdict, channel_outcome_t *outcome)
{
    int64_t  reset;

    (void) json;

    if (answer->status == 401 || answer->status == 403) {
        snprintf(outcome->why, CHANNEL_WHY_MAX, "Datadog refuses the key (%u)",
                 answer->status);
    }

    /* the header has seconds from now */

    if (answer->status == 429
        && rbl_int_parse(&reset, channel_answer_header(answer,
                                                       "X-RateLimit-Reset"),
                         1, 86400)
           == RBL_OK)
    {
        outcome->wait = reset * 1000;
    }

    return verdict;
}


const channel_t  channel_datadog = {
    .type = RBL_CONTACT_DATADOG,
    .service = "Datadog",
    .keyless = 1,
    .no_value = "not a Datadog key",
    .repeats = &backoff_contact,
    .write = datadog_write,
    .refused = datadog_refused
};
