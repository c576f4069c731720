/*
 * The channels (deliver/channel_*.c).  The first byte says whether the rest is
 * a stored message, for which each channel makes its request, or the response
 * of a service: channel, step and status, a line for a header, the body.
 *
 * A request has headers of printable ASCII, and a body that is a form, JSON or
 * a mail of lines that are not too long; its HTML has only our tags, an SMS at
 * most two parts.  A verdict is one of the defined ones, and its text is
 * printable UTF-8 on one line.
 */

#include <jansson.h>

#include "fuzz.h"
#include "deliver/channels/channel.h"
#include "deliver/message/clip.h"
#include "deliver/message/html.h"
#include "deliver/message/sms_text.h"
#include "rbl_utf8.h"

/* Any other type gets the first of these values. */

static const struct {
    const char  *type, *to;
} contacts[] = {
    { "", "https://example.net/" },
    { "endpoint", "https://example.net/" },
    { "email", "a@example.net" },
    { "sms", "+4912345678" },
    { "pushover", "uQiRzpo4DXghDmr9QzzfQu27cmVRsG" },
    { "datadog", "datadoghq.eu,0123456789abcdef0123456789abcdef" },
    { "aws-sns", "arn:aws:sns:eu-west-1:123456789012:a.fifo,AKIDEXAMPLE00000,"
      "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" },
    { "aws-cloudwatch", "arn:aws:logs:eu-west-1:123456789012:log-group:a/b,"
      "AKIDEXAMPLE00000,wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" },
    { "pagerduty", "0123456789abcdef0123456789abcdef" },
    { "slack", "https://hooks.slack.com/services/T0/B0/x" },
    { "discord", "https://discord.com/api/webhooks/1/x" },
    { "telegram", "-1001234567890" }
};

#define CONTACTS  (sizeof(contacts) / sizeof(contacts[0]))
#define CHANNELS  (1 + RBL_CONTACT_TYPES)


/* The i-th channel and a value for it, those of the table first. */

static const channel_t *
channel_of(size_t i, rbl_str_t *to)
{
    size_t       k;
    const char  *type;

    type = i < CONTACTS ? contacts[i].type
           : rbl_contact_type_name((rbl_contact_type_t) (i - 1));
    *to = rbl_str(contacts[0].to);

    for (k = 0; k < CONTACTS; k++) {
        if (strcmp(contacts[k].type, type) == 0) {
            *to = rbl_str(contacts[k].to);
        }
    }

    return channel_find(rbl_str(type));
}


static void
check_html(rbl_str_t s)
{
    size_t  i;

    fuzz_check(s.n < HTML_MAX + 20000);

    for (i = 0; i + 1 < s.n; i++) {
        if (s.p[i] == '<') {
            fuzz_check(s.p[i + 1] == '/' || s.p[i + 1] == '!'
                       || strchr("hmtsbdpa", s.p[i + 1]) != NULL);
        }
    }

    fuzz_check(memmem(s.p, s.n, "<script", 7) == NULL);
    fuzz_check(memmem(s.p, s.n, "href=\"j", 7) == NULL);
}


static void
try_texts(rbl_str_t json)
{
    size_t     n;
    rbl_buf_t  buf;
    message_t  m;

    if (message_read(&m, json) != RBL_OK) {
        return;
    }

    rbl_buf_init(&buf);
    html_message(&buf, &m);
    check_html(rbl_buf_str(&buf));
    rbl_buf_reset(&buf);

    sms_text(&buf, &m);
    n = sms_septets(rbl_buf_str(&buf));
    fuzz_check(n > 0 ? n <= 306
                     : clip_length(rbl_buf_str(&buf), CLIP_UTF16) <= 134);
    rbl_buf_free(&buf);
    message_free(&m);
}


static void
check_form(rbl_str_t s)
{
    size_t  i;

    for (i = 0; i < s.n; i++) {
        fuzz_check(s.p[i] > ' ' && s.p[i] <= '~');
    }
}


static void
check_mail(rbl_str_t s)
{
    size_t  i, col;

    for (i = 0, col = 0; i < s.n; i++) {
        fuzz_check((s.p[i] == '\r') == (i + 1 < s.n && s.p[i + 1] == '\n'));
        col = s.p[i] == '\n' ? 0 : col + 1;
        fuzz_check(col < 998 && (unsigned char) s.p[i] < 0x80);
    }
}


static void
check_request(const channel_t *channel, const request_t *request)
{
    size_t         i;
    unsigned       h;
    json_t        *root;
    json_error_t   error;

    for (h = 0; h < request->n_headers; h++) {
        for (i = 0; request->header[h][i] != '\0'; i++) {
            fuzz_check(request->header[h][i] >= ' '
                       && request->header[h][i] <= '~');
        }
    }

    if (channel->way == CHANNEL_SMTP) {
        check_mail(request->body);

    } else if (request->content_type != NULL
               && strstr(request->content_type, "urlencoded") != NULL)
    {
        check_form(request->body);

    } else {
        root = json_loadb(request->body.p, request->body.n, 0, &error);
        fuzz_check(root != NULL);
        json_decref(root);
    }
}


static void
try_message(rbl_str_t json, unsigned step)
{
    size_t            i;
    config_t          conf;
    channel_job_t     job;
    const channel_t  *channel;
    request_t        *request;

    config_defaults(&conf);
    snprintf(conf.smtp_url, sizeof(conf.smtp_url), "smtp://127.0.0.1");
    snprintf(conf.smtp_from, sizeof(conf.smtp_from), "a@example.net");
    snprintf(conf.sms_account, sizeof(conf.sms_account), "AC1");
    snprintf(conf.sms_token, sizeof(conf.sms_token), "x");
    snprintf(conf.sms_from, sizeof(conf.sms_from), "+15005550006");
    snprintf(conf.pushover_token, sizeof(conf.pushover_token), "x");
    snprintf(conf.telegram_token, sizeof(conf.telegram_token), "1:x");

    memset(&job, 0, sizeof(job));
    job.conf = &conf;
    job.event = RBL_STR("EV00000000000000000000000000000001");
    job.secret = RBL_STR("");
    job.body = json;
    job.first = INT64_C(1795167000000);
    job.step = step;

    for (i = 0; i < CHANNELS; i++) {
        channel = channel_of(i, &job.to);
        fuzz_check(channel != NULL);
        request = request_new();
        fuzz_check(request != NULL);

        /* channels with a URL send any stored text */

        if (channel_make(channel, request, &job) == RBL_OK && i > 1) {
            check_request(channel, request);
        }

        request_free(request);
    }
}


static void
try_answer(fuzz_t *f)
{
    size_t              n;
    const char         *z;
    rbl_str_t           why, to;
    const channel_t    *channel;
    channel_answer_t    answer;
    channel_outcome_t   outcome;
    channel_verdict_t   verdict;

    memset(&answer, 0, sizeof(answer));
    memset(&outcome, 0, sizeof(outcome));
    channel = channel_of(fuzz_u8(f) % CHANNELS, &to);
    answer.step = fuzz_u8(f) % CHANNEL_STEPS;
    answer.status = (fuzz_u8(f) << 8 | fuzz_u8(f)) % 1000;
    answer.headers = fuzz_line(f);
    answer.body = fuzz_rest(f);
    z = fuzz_z(f, answer.body);
    answer.text = z;

    verdict = channel_judge(channel, &answer, &outcome);
    fuzz_check(verdict <= CHANNEL_DISABLE && outcome.wait >= 0);
    fuzz_check(memchr(outcome.why, '\0', CHANNEL_WHY_MAX) != NULL);
    fuzz_check(memchr(outcome.value, '\0', CHANNEL_VALUE_MAX) != NULL);
    fuzz_check(verdict == CHANNEL_DELIVERED || verdict == CHANNEL_AGAIN
               || outcome.why[0] != '\0');

    for (why = rbl_str(outcome.why); why.n > 0; why.p += n, why.n -= n) {
        n = rbl_utf8_len((const unsigned char *) why.p,
                         (const unsigned char *) why.p + why.n);
        fuzz_check(n > 0 && (unsigned char) why.p[0] >= ' '
                   && why.p[0] != 0x7f);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_t     f;
    unsigned   kind;
    rbl_str_t  json;

    fuzz_init(&f, data, size);
    kind = fuzz_u8(&f);

    if (kind % 2 == 0) {
        json = fuzz_rest(&f);
        try_texts(json);
        try_message(json, kind / 2 % CHANNEL_STEPS);

    } else {
        try_answer(&f);
    }

    fuzz_done(&f);

    return 0;
}
