/*
 * The table of channels, and common functions of channels.
 */

#include "channel.h"

#include <jansson.h>
#include <stdio.h>

#include "rbl_mp.h"
#include "rbl_utf8.h"


#define CHANNEL_ROW(NAME, name)  [RBL_CONTACT_##NAME] = &channel_##name,

static const channel_t *const  channels[RBL_CONTACT_TYPES] = {
    RBL_CONTACT_ALL(CHANNEL_ROW)
};


const channel_t *
channel_find(rbl_str_t name)
{
    rbl_contact_type_t  type;

    if (name.n == 0) {
        return &channel_webhook;
    }

    return rbl_contact_type(&type, name) == RBL_OK ? channels[type] : NULL;
}


/* The text for the customer about a key that is not set; NULL: all are. */

static const char *
channel_lacks(const channel_t *channel, const config_t *conf)
{
    size_t                 i;
    const channel_need_t  *need;

    for (i = 0; i < CHANNEL_NEEDS; i++) {
        need = &channel->needs[i];

        if (need->lacks != NULL && *((const char *) conf + need->text) == '\0')
        {
            return need->lacks;
        }
    }

    return NULL;
}


void
channel_types(rbl_out_t *out, const config_t *conf)
{
    size_t       i, n;
    const char  *type[RBL_CONTACT_TYPES];

    n = 0;

    for (i = 0; i < RBL_CONTACT_TYPES; i++) {
        if (channel_lacks(channels[i], conf) == NULL) {
            type[n++] = rbl_contact_type_name((rbl_contact_type_t) i);
        }
    }

    rbl_mp_put_array(out, n);

    for (i = 0; i < n; i++) {
        rbl_mp_put_z(out, type[i]);
    }
}


rbl_err_t
channel_json(request_t *request, const channel_job_t *job, int64_t now)
{
    char  text[RBL_OUT_INT];

    request->to = job->to;
    request->body = job->body;

    if (request_header(request, "webhook-id", job->event) != RBL_OK) {
        return RBL_EINVAL;
    }

    return request_header(request, "webhook-timestamp",
                              rbl_out_int_text(text, now));
}


void
channel_service(request_t *request, const char *base, rbl_str_t path)
{
    rbl_out_z(&request->to_made.out, base);
    rbl_out_str(&request->to_made.out, path);
    request->trusted = 1;
}


void
channel_user(request_t *request, rbl_str_t user, rbl_str_t password)
{
    rbl_buf_t  *made = &request->to_made;

    request->to.n = rbl_buf_str(made).n;
    rbl_out_char(&made->out, '\0');
    rbl_out_str(&made->out, user);
    rbl_out_char(&made->out, '\0');
    rbl_out_str(&made->out, password);
    rbl_out_char(&made->out, '\0');

    request->to.p = rbl_buf_str(made).p;
    request->user = (rbl_str_t) { request->to.p + request->to.n + 1, user.n };
    request->password = (rbl_str_t) { request->user.p + user.n + 1,
                                      password.n };
}


rbl_err_t
channel_never(request_t *request, const char *why)
{
    request->why = why;

    return RBL_EINVAL;
}


rbl_err_t
channel_make(const channel_t *channel, request_t *request,
    const channel_job_t *job)
{
    char         buf[RBL_CONTACT_MAX];
    rbl_err_t    err;
    rbl_str_t    to = job->to;
    message_t    message;
    const char  *lacks;

    lacks = channel_lacks(channel, job->conf);

    if (lacks != NULL) {
        return channel_never(request, lacks);
    }

    if (channel->no_value != NULL
        && (rbl_contact_parse(buf, &to, channel->type, job->to, NULL, 0)
            != RBL_OK
            || (channel->exact && !rbl_str_eq(to, job->to))))
    {
        return channel_never(request, channel->no_value);
    }

    request->fresh = channel->keyless;

    if (channel->make != NULL) {
        return channel->make(request, job);
    }

    if (message_read(&message, job->body) != RBL_OK) {
        return channel_never(request, "the message is malformed");
    }

    err = channel->write(request, job, to, &message);
    message_free(&message);
    request_made(request);

    return err;
}


/* A peer's words on one line, cut between characters. */

static void
channel_words(char *why, size_t size, rbl_str_t words)
{
    size_t                n, len;
    const unsigned char  *p, *end;

    p = (const unsigned char *) words.p;
    end = p + words.n;
    n = strlen(why);

    for ( /* void */ ; p < end && n + 4 < size; p += len) {
        len = rbl_utf8_len(p, end);

        if (len == 0 || *p < ' ' || *p == 0x7f
            || (len == 2 && p[0] == 0xc2 && p[1] < 0xa0))
        {
            len = len == 0 ? 1 : len;
            why[n++] = '?';
            continue;
        }

        memcpy(why + n, p, len);
        n += len;
    }

    why[n] = '\0';
}


void
channel_why(channel_outcome_t *outcome, const char *service, unsigned status,
    rbl_str_t words)
{
    snprintf(outcome->why, CHANNEL_WORDS_MAX, "%s said: %u%s", service, status,
             words.n > 0 ? " " : "");
    channel_words(outcome->why, CHANNEL_WORDS_MAX, words);
}


void
channel_said(channel_outcome_t *outcome, const char *service,
    const channel_answer_t *answer, const void *json)
{
    rbl_str_t  words;

    words = RBL_STR("");

    if (json_is_string((const json_t *) json)) {
        words.p = json_string_value(json);
        words.n = json_string_length(json);
    }

    channel_why(outcome, service, answer->status, words);
}


rbl_str_t
channel_answer_header(const channel_answer_t *answer, const char *name)
{
    size_t       n, line;
    rbl_str_t    rest, value;
    const char  *end;

    n = strlen(name);

    for (rest = answer->headers; rest.n > 0; /* void */ ) {
        end = memchr(rest.p, '\n', rest.n);
        line = end != NULL ? (size_t) (end - rest.p) + 1 : rest.n;

        if (line > n && rest.p[n] == ':' && strncasecmp(rest.p, name, n) == 0) {
            value.p = rest.p + n + 1;
            value.n = line - n - 1;
            return rbl_trim(value);
        }

        rest.p += line;
        rest.n -= line;
    }

    return RBL_STR("");
}


channel_verdict_t
channel_judge_http(const channel_answer_t *answer, channel_outcome_t *outcome)
{
    if (answer->status >= 200 && answer->status <= 299) {
        return CHANNEL_DELIVERED;
    }

    if (answer->status == 410) {
        snprintf(outcome->why, CHANNEL_WHY_MAX, "HTTP status 410");
        return CHANNEL_DISABLE;
    }

    snprintf(outcome->why, CHANNEL_WHY_MAX, "%s",
             answer->status >= 300 && answer->status <= 399
             ? "redirects are not followed" : "HTTP status");

    return CHANNEL_RETRY;
}


channel_verdict_t
channel_judge_service(const channel_answer_t *answer,
    channel_outcome_t *outcome, const char *service)
{
    if (answer->status >= 200 && answer->status <= 299) {
        return CHANNEL_DELIVERED;
    }

    channel_why(outcome, service, answer->status, RBL_STR(""));

    return answer->status == 408 || answer->status == 425
           || answer->status == 429 || answer->status >= 500
           ? CHANNEL_RETRY : CHANNEL_DEAD;
}


channel_verdict_t
channel_judge(const channel_t *channel, const channel_answer_t *answer,
    channel_outcome_t *outcome)
{
    json_t             *root;
    json_error_t        error;
    channel_verdict_t   verdict;

    if (channel->judge != NULL) {
        return channel->judge(answer, outcome);
    }

    verdict = channel_judge_service(answer, outcome, channel->service);

    if (verdict != CHANNEL_DELIVERED && channel->refused != NULL) {
        root = json_loadb(answer->body.p, answer->body.n, 0, &error);
        verdict = channel->refused(answer, root, verdict, outcome);
        json_decref(root);
    }

    return verdict;
}
