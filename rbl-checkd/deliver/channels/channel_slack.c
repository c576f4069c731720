/*
 * Contacts of type slack: an incoming webhook accepts blocks, and a text for
 * clients that cannot show blocks.  Slack has no key to recognize a repeat.
 *
 * All foreign text is in plain_text, or in mrkdwn with "&", "<" and ">" as
 * entities: without these it has neither links nor mentions.
 */

#include "chat.h"

#include "rbl_validate.h"


#define SLACK_HEADER    150             /* characters */
#define SLACK_SECTION   3000
#define SLACK_HOSTS     48              /* of 50 blocks */
#define SLACK_ALL       12000           /* characters of all blocks; about
                                           13,200 is too long */
#define SLACK_TEXT      3000


static void
slack_text(rbl_out_t *out, rbl_str_t text)
{
    size_t  i;

    /* a zero-width space on either side keeps mrkdwn from taking it for
       markup */

    for (i = 0; i < text.n; i++) {
        if (strchr("*_~`", text.p[i]) != NULL && text.p[i] != '\0') {
            rbl_out_z(out, "\xe2\x80\x8b");
            rbl_out_char(out, text.p[i]);
            rbl_out_z(out, "\xe2\x80\x8b");
            continue;
        }

        chat_escape(out, (rbl_str_t) { text.p + i, 1 }, chat_entity);
    }
}


static void
slack_link(rbl_out_t *out, rbl_str_t url, const char *label)
{
    rbl_out_char(out, '<');
    chat_href(out, url, chat_entity);
    rbl_out_char(out, '|');
    rbl_out_z(out, label);
    rbl_out_char(out, '>');
}


/* A block with a text of that kind: plain_text or mrkdwn. */

static void
slack_block(rbl_doc_t *doc, const char *type, const char *kind,
    rbl_str_t text, size_t max)
{
    rbl_doc_object(doc, NULL);
    rbl_doc_z(doc, "type", type);
    rbl_doc_object(doc, "text");
    rbl_doc_z(doc, "type", kind);
    chat_clip(doc, "text", text, max, CLIP_CHARS);

    /* no automatic links or emoji */

    if (kind[0] == 'm') {
        rbl_doc_bool(doc, "verbatim", 1);

    } else {
        rbl_doc_bool(doc, "emoji", 0);
    }

    rbl_doc_close(doc);
    rbl_doc_close(doc);
}


static void
slack_put(void *doc, const message_host_t *host, rbl_str_t text)
{
    slack_block(doc, "section", host != NULL ? "mrkdwn" : "plain_text", text,
                SLACK_SECTION);
}


static const chat_markup_t  slack_markup = {
    .unit = CLIP_CHARS,
    .hosts = SLACK_HOSTS,
    .each = SLACK_SECTION,
    .strong = { "*", "*" },
    .text = slack_text,
    .link = slack_link,
    .put = slack_put
};


/* The webhook of a workflow takes the values that the workflow declares, no
   blocks: it gets the whole message as `text`. */

static int
slack_workflow(rbl_str_t to)
{
    static const char  triggers[] = "/triggers/";
    static const char  workflows[] = "/workflows/";

    return memmem(to.p, to.n, triggers, sizeof(triggers) - 1) != NULL
           || memmem(to.p, to.n, workflows, sizeof(workflows) - 1) != NULL;
}


static void
slack_write_plain(rbl_out_t *out, const message_t *m)
{
    rbl_doc_t  doc;
    rbl_buf_t  text;

    rbl_buf_init(&text);
    rbl_out_str(&text.out, m->title);
    rbl_out_z(&text.out, "\n\n");
    rbl_out_str(&text.out, m->text);

    rbl_doc_begin(&doc, out, RBL_JSON);
    chat_clip(&doc, "text", rbl_buf_str(&text), SLACK_TEXT, CLIP_CHARS);
    rbl_doc_end(&doc);

    rbl_buf_free(&text);
}


static void
slack_write_blocks(rbl_out_t *out, const message_t *m)
{
    rbl_doc_t  doc;
    rbl_buf_t  text;

    rbl_buf_init(&text);
    slack_text(&text.out, clip_begin(m->title, SLACK_HEADER, CLIP_CHARS));

    rbl_doc_begin(&doc, out, RBL_JSON);
    rbl_doc_str(&doc, "text", rbl_buf_str(&text));
    rbl_doc_array(&doc, "blocks");
    slack_block(&doc, "header", "plain_text", m->title, SLACK_HEADER);

    if (m->n_hosts == 0) {
        slack_block(&doc, "section", "plain_text", m->text, SLACK_TEXT);

    } else {
        chat_hosts(&doc, &slack_markup, m, SLACK_ALL);
    }

    rbl_doc_close(&doc);
    rbl_doc_bool(&doc, "unfurl_links", 0);
    rbl_doc_bool(&doc, "unfurl_media", 0);
    rbl_doc_end(&doc);

    rbl_buf_free(&text);
}


static rbl_err_t
slack_write(request_t *request, const channel_job_t *job, rbl_str_t to,
    const message_t *message)
{
    request->to = job->to;

    (slack_workflow(to) ? slack_write_plain
                        : slack_write_blocks)(&request->body_made.out, message);

    return RBL_OK;
}


/* Does the answer mean that this webhook no longer exists? */

static int
slack_gone(rbl_str_t said)
{
    size_t  i;

    static const char *const  gone[] = {
        "no_service", "no_team", "no_active_hooks", "channel_is_archived",
        "invalid_token"
    };

    for (i = 0; i < sizeof(gone) / sizeof(gone[0]); i++) {
        if (rbl_str_is(said, gone[i])) {
            return 1;
        }
    }

    return 0;
}


static channel_verdict_t
slack_judge(const channel_answer_t *answer, channel_outcome_t *outcome)
{
    rbl_str_t          said;
    channel_verdict_t  verdict;

    said = rbl_trim(answer->body);
    verdict = channel_judge_service(answer, outcome, "Slack");

    if (verdict == CHANNEL_DELIVERED && rbl_str_is(said, "ok")) {
        return verdict;
    }

    channel_why(outcome, "Slack", answer->status, said);

    return verdict == CHANNEL_RETRY ? verdict
           : slack_gone(said) ? CHANNEL_DISABLE : CHANNEL_DEAD;
}


const channel_t  channel_slack = {
    .type = RBL_CONTACT_SLACK,
    .keyless = 1,
    .repeats = &backoff_contact,
    .write = slack_write,
    .judge = slack_judge
};
