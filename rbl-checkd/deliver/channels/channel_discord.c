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


static const chat_markup_t  discord_markup = {
    CLIP_UTF16, { "**", "**" }, discord_text, discord_link
};


static int64_t
discord_colour(const message_host_t *host)
{
    size_t  i;

    if (host->state != MESSAGE_LISTED) {
        return host->state == MESSAGE_UNREPORTED ? DISCORD_GREY
                                                 : DISCORD_GREEN;
    }

    for (i = 0; i < host->n_listings; i++) {
        if (rbl_str_is(host->listing[i].severity, "critical")
            || rbl_str_is(host->listing[i].severity, "error"))
        {
            return DISCORD_RED;
        }
    }

    return DISCORD_AMBER;
}


/* Returns its units; 0: no room. */

static size_t
discord_host(rbl_doc_t *doc, const message_host_t *host, size_t room)
{
    size_t     n;
    rbl_buf_t  buf;

    rbl_buf_init(&buf);
    n = chat_host(&buf.out, &discord_markup, host,
                  room < DISCORD_TEXT ? room : DISCORD_TEXT);

    if (n > 0) {
        rbl_doc_object(doc, NULL);
        rbl_doc_int(doc, "color", discord_colour(host));
        rbl_doc_str(doc, "description", rbl_buf_str(&buf));
        rbl_doc_close(doc);
    }

    rbl_buf_free(&buf);

    return n;
}


static void
discord_hosts(rbl_doc_t *doc, const message_t *m)
{
    char    more[CHAT_MORE_MAX];
    size_t  i, n, room;

    room = DISCORD_ALL - CHAT_MORE_MAX;

    for (i = 0; i < m->n_hosts && i < DISCORD_EMBEDS - 1; i++) {
        n = room < DISCORD_LEAST ? 0 : discord_host(doc, &m->host[i], room);

        if (n == 0) {
            break;
        }

        room -= n;
    }

    if (chat_more(more, m, i)[0] != '\0') {
        rbl_doc_object(doc, NULL);
        rbl_doc_z(doc, "description", more);
        rbl_doc_close(doc);
    }
}


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
discord_write(channel_request_t *request, const channel_job_t *job,
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
        discord_hosts(&doc, m);

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
discord_judge(const channel_answer_t *answer, channel_outcome_t *outcome)
{
    json_t             *root;
    json_int_t          code;
    channel_verdict_t   verdict;

    verdict = channel_judge_service(answer, outcome, "Discord");

    if (verdict == CHANNEL_DELIVERED) {
        return verdict;
    }

    root = chat_answer(answer);
    code = json_integer_value(json_object_get(root, "code"));
    chat_said(outcome, "Discord", answer, json_object_get(root, "message"));

    if (answer->status == 429) {
        outcome->wait = discord_wait(root);
    }

    if (answer->status == 404
        || (verdict == CHANNEL_DEAD
            && (code == DISCORD_NO_WEBHOOK || code == DISCORD_NO_TOKEN)))
    {
        verdict = CHANNEL_DISABLE;
    }

    json_decref(root);

    return verdict;
}


const channel_t  channel_discord = {
    .type = "discord",
    .way = CHANNEL_HTTP,
    .keyless = 1,
    .repeats = &backoff_contact,
    .write = discord_write,
    .judge = discord_judge
};
