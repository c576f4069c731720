/*
 * Contacts of type discord: a webhook takes embeds, one for each host, coloured
 * by its state.  Foreign text is escaped, and mentions are switched off.
 * Discord has no key that marks a repeat for webhooks.
 */

#include "chat.h"

#include <jansson.h>


#define DISCORD_CONTENT  2000           /* characters */
#define DISCORD_TITLE    256
#define DISCORD_TEXT     4096
#define DISCORD_EMBEDS   10
#define DISCORD_ALL      6000           /* of all embeds */
#define DISCORD_LEAST    300            /* an embed is not begun with less */

#define DISCORD_RED      0xd93025
#define DISCORD_AMBER    0xf29900
#define DISCORD_GREEN    0x188038
#define DISCORD_GREY     0x57606a
#define DISCORD_BLUE     0x1a73e8


static void
discord_text(rbl_out_t *out, rbl_str_t text)
{
    chat_backslash(out, text, "\\*_~`|<>[]()#@");
}


static void
discord_link(rbl_out_t *out, rbl_str_t url, const char *label)
{
    rbl_out_char(out, '[');
    rbl_out_z(out, label);
    rbl_out_z(out, "](");
    chat_url(out, url);
    rbl_out_char(out, ')');
}


static int64_t
discord_colour(const message_host_t *host)
{
    size_t  i;

    if (host->state != MESSAGE_LISTED) {
        return host->state == MESSAGE_UNREPORTED ? DISCORD_GREY
                                                 : DISCORD_GREEN;
    }

    for (i = 0; i < host->n_listings; i++) {
        if (rbl_str_is(host->listing[i].weight, "critical")
            || rbl_str_is(host->listing[i].weight, "high"))
        {
            return DISCORD_RED;
        }
    }

    return DISCORD_AMBER;
}


static void
discord_put(void *doc, const message_host_t *host, rbl_str_t text)
{
    rbl_doc_object(doc, NULL);

    if (host != NULL) {
        rbl_doc_int(doc, "color", discord_colour(host));
    }

    rbl_doc_str(doc, "description", text);
    rbl_doc_close(doc);
}


static const chat_markup_t  discord_markup = {
    .unit = CLIP_UTF16,
    .hosts = DISCORD_EMBEDS - 1,
    .each = DISCORD_TEXT,
    .least = DISCORD_LEAST,
    .strong = { "**", "**" },
    .text = discord_text,
    .link = discord_link,
    .put = discord_put
};


/* Escapes any text, then cuts it to the limit of a member. */

static void
discord_escaped(rbl_doc_t *doc, const char *key, rbl_str_t text, size_t max)
{
    rbl_buf_t  buf;

    rbl_buf_init(&buf);
    discord_text(&buf.out, text);
    chat_clip(doc, key, rbl_buf_str(&buf), max, CLIP_UTF16);

    rbl_buf_free(&buf);
}


static rbl_err_t
discord_write(request_t *request, const channel_job_t *job,
    rbl_str_t to, const message_t *m)
{
    rbl_doc_t  doc;

    (void) job;

    /* without `wait` the service does not report a message that it dropped */

    rbl_out_str(&request->to_made.out, to);
    rbl_out_z(&request->to_made.out, memchr(to.p, '?', to.n) != NULL
                                     ? "&wait=true" : "?wait=true");

    rbl_doc_begin(&doc, &request->body_made.out, RBL_JSON);
    discord_escaped(&doc, "content", m->title, DISCORD_TITLE);
    rbl_doc_array(&doc, "embeds");

    if (m->n_hosts > 0) {
        chat_hosts(&doc, &discord_markup, m, DISCORD_ALL - CHAT_LAST);

    } else {
        rbl_doc_object(&doc, NULL);
        rbl_doc_int(&doc, "color", DISCORD_BLUE);
        discord_escaped(&doc, "description", m->text, DISCORD_TEXT);
        rbl_doc_close(&doc);
    }

    rbl_doc_close(&doc);
    rbl_doc_object(&doc, "allowed_mentions");
    rbl_doc_array(&doc, "parse");
    rbl_doc_close(&doc);
    rbl_doc_close(&doc);
    rbl_doc_end(&doc);

    return RBL_OK;
}


/* Seconds with a fraction, in ms rounded up. */

static int64_t
discord_wait(const json_t *root)
{
    double  s;

    s = json_number_value(json_object_get(root, "retry_after"));

    return s <= 0 ? 0 : s > 86400 ? BACKOFF_WAIT_MAX
                                  : (int64_t) (s * 1000) + 1;
}


/* A webhook that was not found must not be used again. */

#define DISCORD_NO_WEBHOOK  10015
#define DISCORD_NO_TOKEN    50027

static channel_verdict_t
discord_refused(const channel_answer_t *answer, const void *json,
    channel_verdict_t verdict, channel_outcome_t *outcome)
{
    json_int_t  code;

    code = json_integer_value(json_object_get(json, "code"));
    channel_said(outcome, "Discord", answer, json_object_get(json, "message"));

    if (answer->status == 429) {
        outcome->wait = discord_wait(json);
    }

    return answer->status == 404
           || (verdict == CHANNEL_DEAD
               && (code == DISCORD_NO_WEBHOOK || code == DISCORD_NO_TOKEN))
           ? CHANNEL_DISABLE : verdict;
}


const channel_t  channel_discord = {
    .type = RBL_CONTACT_DISCORD,
    .service = "Discord",
    .keyless = 1,
    .repeats = &backoff_contact,
    .write = discord_write,
    .refused = discord_refused
};
