/*
 * Contacts of type telegram: a message of the operator's bot, in HTML, cut at
 * whole tags and entities only.  The token is a part of the URL, and so a
 * secret.  Telegram has no key that marks a repeat.
 */

#include "chat.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>


#define TELEGRAM_TEXT   4096            /* UTF-16 units; an upper bound, since
                                           the service does not count tags */
#define TELEGRAM_TITLE  256
#define TELEGRAM_LEAST  300             /* a host is not begun with less */


static const char *
telegram_find(char c)
{
    return c == '"' ? "&quot;" : chat_entity(c);
}


static void
telegram_text(rbl_out_t *out, rbl_str_t text)
{
    chat_escape(out, text, telegram_find);
}


static void
telegram_link(rbl_out_t *out, rbl_str_t url, const char *label)
{
    rbl_out_z(out, "<a href=\"");
    chat_href(out, url, telegram_find);
    rbl_out_z(out, "\">");
    rbl_out_z(out, label);
    rbl_out_z(out, "</a>");
}


static void
telegram_put(void *out, const message_host_t *host, rbl_str_t text)
{
    rbl_out_str(out, text);

    if (host != NULL) {
        rbl_out_char(out, '\n');
    }
}


static const chat_markup_t  telegram_markup = {
    .unit = CLIP_UTF16,
    .hosts = MESSAGE_HOSTS,
    .each = TELEGRAM_TEXT,
    .least = TELEGRAM_LEAST,
    .between = 1,
    .strong = { "<b>", "</b>" },
    .text = telegram_text,
    .link = telegram_link,
    .put = telegram_put
};


static void
telegram_title(rbl_out_t *out, const message_t *m)
{
    rbl_out_z(out, "<b>");
    telegram_text(out, clip_begin(m->title, TELEGRAM_TITLE, CLIP_UTF16));
    rbl_out_z(out, "</b>\n\n");
}


/* Characters that become entities count more; a sixth of the room is always
   enough. */

static void
telegram_words(rbl_out_t *out, rbl_str_t text, size_t room)
{
    size_t     i, n;
    rbl_str_t  cut;

    cut = clip_begin(text, room, CLIP_UTF16);

    for (i = 0, n = 0; i < cut.n; i++) {
        n += telegram_find(cut.p[i]) != NULL;
    }

    if (clip_length(cut, CLIP_UTF16) + 5 * n > room) {
        cut = clip_begin(text, room / 6, CLIP_UTF16);
    }

    telegram_text(out, cut);
}


/* A number, or the name of a channel; behind a colon the number of a topic. */

static void
telegram_chat(rbl_doc_t *doc, rbl_str_t chat)
{
    int64_t    id, topic;
    unsigned   minus;
    rbl_str_t  digits, rest;

    rest = chat;
    chat = rbl_until(&rest, ':');

    if (rbl_int_parse(&topic, rest, 1, INT32_MAX) != RBL_OK) {
        topic = 0;
    }

    minus = rbl_str_begins(chat, "-") != 0;
    digits = (rbl_str_t) { chat.p + minus, chat.n - minus };

    if (rbl_int_parse(&id, digits, 0, INT64_MAX) == RBL_OK) {
        rbl_doc_int(doc, "chat_id", minus ? -id : id);

    } else {
        rbl_doc_str(doc, "chat_id", chat);
    }

    if (topic > 0) {
        rbl_doc_int(doc, "message_thread_id", topic);
    }
}


static void
telegram_message(rbl_doc_t *doc, rbl_str_t chat, const message_t *m)
{
    size_t     room;
    rbl_buf_t  text;

    rbl_buf_init(&text);
    telegram_title(&text.out, m);
    room = TELEGRAM_TEXT - clip_length(rbl_buf_str(&text), CLIP_UTF16);

    if (m->n_hosts > 0) {
        chat_hosts(&text.out, &telegram_markup, m, room - CHAT_LAST);

    } else {
        telegram_words(&text.out, m->text, room);
    }

    telegram_chat(doc, chat);
    rbl_doc_str(doc, "text", rbl_buf_str(&text));
    rbl_doc_z(doc, "parse_mode", "HTML");
    rbl_doc_object(doc, "link_preview_options");
    rbl_doc_bool(doc, "is_disabled", 1);
    rbl_doc_close(doc);

    rbl_buf_free(&text);
}


static rbl_err_t
telegram_write(request_t *request, const channel_job_t *job,
    rbl_str_t to, const message_t *message)
{
    rbl_doc_t  doc;

    channel_service(request, job->conf->telegram_url, RBL_STR("/bot"));
    rbl_out_z(&request->to_made.out, job->conf->telegram_token);
    rbl_out_z(&request->to_made.out, "/sendMessage");

    rbl_doc_begin(&doc, &request->body_made.out, RBL_JSON);
    telegram_message(&doc, to, message);
    rbl_doc_end(&doc);

    return RBL_OK;
}


/* The group became another one: that is where it goes from now on. */

static int
telegram_moved(channel_outcome_t *outcome, const json_t *parameters)
{
    char        text[CHANNEL_VALUE_MAX], buf[RBL_CONTACT_MAX];
    json_t     *id;
    rbl_str_t   value;

    id = json_object_get(parameters, "migrate_to_chat_id");

    if (!json_is_integer(id)) {
        return 0;
    }

    snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT,
             json_integer_value(id));

    if (rbl_contact_parse(buf, &value, RBL_CONTACT_TELEGRAM, rbl_str(text),
                          NULL, 0)
        != RBL_OK)
    {
        return 0;
    }

    snprintf(outcome->value, sizeof(outcome->value), "%s", text);

    return 1;
}


static channel_verdict_t
telegram_refused(const channel_answer_t *answer, channel_outcome_t *outcome,
    const json_t *root)
{
    json_int_t     wait;
    const json_t  *parameters;

    parameters = json_object_get(root, "parameters");
    wait = json_integer_value(json_object_get(parameters, "retry_after"));

    if (answer->status == 429) {
        outcome->wait = wait <= 0 ? 0 : wait > BACKOFF_WAIT_MAX / 1000
                        ? BACKOFF_WAIT_MAX : (int64_t) wait * 1000;
    }

    if (answer->status == 400 && telegram_moved(outcome, parameters)) {
        return CHANNEL_RETRY;
    }

    return answer->status == 403 ? CHANNEL_DISABLE : CHANNEL_DEAD;
}


/* An error may also come with status 200, and its own status in the JSON. */

static channel_verdict_t
telegram_judge(const channel_answer_t *answer, channel_outcome_t *outcome)
{
    json_t             *root;
    json_int_t          status;
    json_error_t        error;
    channel_answer_t    own = *answer;
    channel_verdict_t   verdict, refused;

    root = json_loadb(answer->body.p, answer->body.n, 0, &error);
    status = json_integer_value(json_object_get(root, "error_code"));

    if (json_is_false(json_object_get(root, "ok")) && status > 299
        && status < 600)
    {
        own.status = (unsigned) status;
    }

    verdict = channel_judge_service(&own, outcome, "Telegram");

    if (verdict != CHANNEL_DELIVERED) {
        channel_said(outcome, "Telegram", &own,
                     json_object_get(root, "description"));
        refused = telegram_refused(&own, outcome, root);
        verdict = verdict == CHANNEL_DEAD ? refused : verdict;
    }

    json_decref(root);

    return verdict;
}


const channel_t  channel_telegram = {
    .type = RBL_CONTACT_TELEGRAM,
    .keyless = 1,
    .repeats = &backoff_contact,
    .needs = {
        CHANNEL_NEED(telegram_token, "no bot of Telegram is configured"
                                     " (telegram_token_file)")
    },
    .write = telegram_write,
    .judge = telegram_judge
};
