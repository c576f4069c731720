/* Requests to services with forms and JSON: the conversion of a message. */

#include "deliver/channels/channel.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "deliver/message/clip.h"
#include "deliver_job.h"
#include "tap.h"

#define KEY30  "uQiRzpo4DXghDmr9QzzfQu27cmVRsG"
#define KEY32  "0123456789abcdef0123456789ABCDEF"
#define AWSID  "AKIDEXAMPLE00000"
#define SECRET "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
#define TOPIC  "arn:aws:sns:eu-west-1:123456789012:alerts"
#define GROUP  "arn:aws:logs:us-east-1:123456789012:log-group:rbl/alerts"
#define KEYS   "," AWSID "," SECRET

#define HEAD   "{\"event_sid\":\"" JOB_EVENT "\",\"event_type\":"

static const char  confirm[] =
    HEAD "\"contact.confirm\",\"title\":\"Confirm this\",\"message\":"
    "\"Code:\\n\\n    k7m2xq\\n\",\"url\":\"\",\"authcode\":\"k7m2xq\","
    "\"hosts\":[]}";

#define LIST(name, reason)                                                    \
    "{\"id\":\"RB1\",\"host\":\"zen.example\",\"name\":\"" name "\","         \
    "\"website\":\"\",\"details\":\"https://c.example/?a=(1)\","              \
    "\"reason\":\"" reason "\",\"delisting\":\"https://d.example/@all\","     \
    "\"weight\":\"critical\",\"since\":\"2026-11-20\"}"

static const char  listed[] =
    HEAD "\"contact.trigger\",\"title\":\"1 host listed\",\"message\":"
    "\"Listed:\\n\\n192.0.2.7\",\"url\":\"https://c.example/?a=1\",\"hosts\":["
    "{\"id\":\"HT1\",\"host\":\"192.0.2.7\",\"name\":\"a*b_c\",\"status\":"
    "\"listed\",\"first_listed\":\"2026-11-20\",\"listed_count\":1,"
    "\"listings\":[" LIST("Z[E]N", "%%% <b> @channel `x` \\u0001") "]}],"
    "\"listed\":1,\"delisted\":0,\"weight\":\"critical\",\"clear\":0}";

static const char  gone[] =
    HEAD "\"contact.trigger\",\"title\":\"2 hosts delisted\",\"message\":"
    "\"No more\",\"url\":\"\",\"hosts\":["
    "{\"id\":\"HT1\",\"host\":\"a.example\",\"name\":\"\",\"status\":"
    "\"delisted\",\"first_listed\":\"\",\"listed_count\":0,\"listings\":[]},"
    "{\"id\":\"HT2\",\"host\":\"b.example\",\"name\":\"b.example\",\"status\":"
    "\"delisted\",\"first_listed\":\"\",\"listed_count\":0,\"listings\":[]}],"
    "\"listed\":0,\"delisted\":2,\"weight\":\"info\",\"clear\":0}";


/* A message on n hosts whose texts have so many of that character. */

static char *
many(size_t n, size_t length, const char *c)
{
    size_t      i, k;
    rbl_buf_t   b;
    rbl_str_t   s;
    char       *copy;

    rbl_buf_init(&b);
    rbl_out_z(&b.out, HEAD "\"contact.trigger\",\"title\":\"hosts listed\","
                      "\"message\":\"");

    for (i = 0; i < 30 * n; i++) {
        rbl_out_z(&b.out, c);
    }

    rbl_out_z(&b.out, "\",\"url\":\"\",\"hosts\":[");

    for (i = 0; i < n; i++) {
        rbl_out_z(&b.out, i > 0 ? "," : "");
        rbl_out_z(&b.out, "{\"id\":\"HT1\",\"host\":\"");

        for (k = 0; k < length; k++) {
            rbl_out_z(&b.out, c);
        }

        rbl_out_z(&b.out, "\",\"name\":\"\",\"status\":\"listed\","
                          "\"first_listed\":\"\",\"listed_count\":1,"
                          "\"listings\":[" LIST("Z", "r") "]}");
    }

    rbl_out_z(&b.out, "],\"listed\":5000,\"delisted\":0,\"weight\":"
                      "\"error\"}");
    s = rbl_buf_str(&b);
    copy = strndup(s.p, s.n);
    rbl_buf_free(&b);

    return copy;
}


static void
refuses(const channel_t *channel, job_t *j, const char *to, const char *body,
    const char *why)
{
    job_make(j, channel, to, body);
    ok(j->err == RBL_EINVAL && strcmp(j->request->why, why) == 0,
       "refused: %s", why);
}


static void
test_sms(void)
{
    job_t  j;

    job_init(&j);
    snprintf(j.conf.sms_url, sizeof(j.conf.sms_url), "https://sms.example/x");
    refuses(&channel_sms, &j, "+4912345678", confirm,
            "no SMS account is configured (sms_account)");
    snprintf(j.conf.sms_account, sizeof(j.conf.sms_account), "AC1");
    refuses(&channel_sms, &j, "+4912345678", confirm,
            "no SMS token is configured (sms_token_file)");
    snprintf(j.conf.sms_token, sizeof(j.conf.sms_token), "tok:en");
    refuses(&channel_sms, &j, "+4912345678", confirm,
            "no sender of SMS is configured (sms_from)");
    snprintf(j.conf.sms_from, sizeof(j.conf.sms_from), "+15005550006");
    refuses(&channel_sms, &j, "+49&To=+1", confirm, "not a phone number");
    refuses(&channel_sms, &j, "+4912345678", "{", "the message is malformed");

    job_make(&j, &channel_sms, "+4912345678", confirm);
    ok(j.err == RBL_OK, "sms is made");
    is_str(j.request->to,
           "https://sms.example/x/2010-04-01/Accounts/AC1/Messages.json",
           "where to");
    is_str(j.request->user, "AC1", "user");
    is_str(j.request->password, "tok:en", "password");
    ok(j.request->trusted && j.request->fresh && channel_sms.keyless,
       "trusted, a connection of its own, repeated once");
    ok(job_field(&j, "To", "%2B4912345678") && job_field(&j, "ValidityPeriod",
       "3600") && job_field(&j, "From", "%2B15005550006"), "form");
    ok(job_has(j.request->body, "Body=k7m2xq%20is%20the%20code"), "code");

    snprintf(j.conf.sms_from, sizeof(j.conf.sms_from),
             "MG0123456789abcdef0123456789abcdef");
    job_make(&j, &channel_sms, "+4912345678", listed);
    ok(job_field(&j, "MessagingServiceSid",
                 "MG0123456789abcdef0123456789abcdef")
       && !job_has(j.request->body, "From="), "by a service");
    ok(job_field(&j, "Body", "Blocklists%3A%201%20host%20listed%3A%20192.0.2.7"
                 "%20%28Z%5BE%5DN%29"), "its text");
    job_done(&j);
}


static void
test_pushover(void)
{
    job_t      j;
    char      *body, *end;
    rbl_str_t  message;

    job_init(&j);
    refuses(&channel_pushover, &j, KEY30, confirm, "no Pushover application is"
            " configured (pushover_token_file)");
    snprintf(j.conf.pushover_token, sizeof(j.conf.pushover_token), "T" KEY30);
    snprintf(j.conf.pushover_url, sizeof(j.conf.pushover_url),
             "https://po.example");
    refuses(&channel_pushover, &j, KEY30 "x", confirm, "not a Pushover key");

    job_make(&j, &channel_pushover, KEY30, confirm);
    ok(j.err == RBL_OK && j.request->fresh && channel_pushover.keyless
       && j.request->trusted, "pushover is made");
    is_str(j.request->to, "https://po.example/1/messages.json", "where to");
    ok(job_field(&j, "token", "T" KEY30) && job_field(&j, "user", KEY30)
       && job_field(&j, "priority", "0") && job_field(&j, "title",
       "Confirm%20this") && job_field(&j, "timestamp", "1795167000")
       && job_field(&j, "message", "Code%3A%0A%0A%20%20%20%20k7m2xq%0A"),
       "form");
    ok(!job_has(j.request->body, "url"), "without a URL");

    job_make(&j, &channel_pushover, KEY30, listed);
    ok(job_field(&j, "priority", "1") && job_field(&j, "url",
       "https%3A%2F%2Fc.example%2F%3Fa%3D1") && job_field(&j, "url_title",
       "Look%20it%20up"), "a critical one");
    job_make(&j, &channel_pushover, KEY30, gone);
    ok(job_field(&j, "priority", "-1"), "a good one makes no sound");

    body = many(50, 30, "\xc3\xa4");
    job_make(&j, &channel_pushover, KEY30, body);
    message.p = memmem(j.request->body.p, j.request->body.n, "message=", 8);
    message.p += 8;
    end = strchr(message.p, '&');
    message.n = (size_t) (end - message.p);
    ok(message.n == 1023 * 6 + 9, "1024 characters, whole ones (%zu)",
       message.n);
    ok(memcmp(end - 9, "%E2%80%A6", 9) == 0, "the last shows it is cut");
    free(body);
    job_done(&j);
}


static json_t *
parsed(const job_t *j)
{
    json_t        *root;
    json_error_t   error;

    root = json_loadb(j->request->body.p, j->request->body.n, 0, &error);
    ok(root != NULL, "it is JSON");

    return root;
}


static const char *
text(const json_t *root, const char *name)
{
    const char  *s;

    s = json_string_value(json_object_get(root, name));

    return s != NULL ? s : "(none)";
}


static void
test_datadog(void)
{
    char    *body;
    job_t    j;
    json_t  *root;

    job_init(&j);
    refuses(&channel_datadog, &j, "x," KEY32, confirm, "not a Datadog key");
    job_make(&j, &channel_datadog, KEY32, confirm);
    is_str(j.request->to, "https://api.datadoghq.com/api/v1/events", "site");
    is_str(rbl_str(j.request->header[0]), "DD-API-KEY: " KEY32, "key");
    job_make(&j, &channel_datadog, "us5.datadoghq.com," KEY32, confirm);
    is_str(j.request->to, "https://api.us5.datadoghq.com/api/v1/events",
           "another site");
    snprintf(j.conf.datadog_url, sizeof(j.conf.datadog_url),
             "https://dd.example/p");
    job_make(&j, &channel_datadog, "us5.datadoghq.com," KEY32, confirm);
    is_str(j.request->to, "https://dd.example/p/api/v1/events",
           "the operator's");
    root = parsed(&j);
    ok(strcmp(text(root, "text"), "Code:\n\n    k7m2xq\n") == 0
       && strcmp(text(root, "alert_type"), "info") == 0, "a code");
    json_decref(root);

    job_make(&j, &channel_datadog, KEY32, listed);
    root = parsed(&j);
    is_str(rbl_str(text(root, "text")),
           "%%% \n\n**192.0.2.7** \\(a\\*b\\_c\\) is on 1 list\n\n"
           "- Z\\[E\\]N \\(zen.example\\): %\xe2\x80\x8b%\xe2\x80\x8b%"
           "\xe2\x80\x8b \\<b\\> @\xe2\x80\x8b" "channel \\`x\\`  "
           " [look it up](https://c.example/?a=%281%29)"
           " [request removal](https://d.example/%40all)\n\n %%%",
           "Markdown, with foreign text escaped");
    ok(strcmp(text(root, "alert_type"), "error") == 0
       && strcmp(text(root, "aggregation_key"), "blocklists-HT1") == 0
       && strcmp(text(root, "host"), "192.0.2.7") == 0
       && strcmp(text(root, "title"), "1 host listed") == 0, "fields");
    ok(json_object_get(root, "date_happened") == NULL
       || time(NULL) < JOB_FIRST / 1000 + 64800,
       "an old event has no date");
    json_decref(root);

    j.job.first = (int64_t) time(NULL) * 1000;
    job_make(&j, &channel_datadog, KEY32, gone);
    root = parsed(&j);
    ok(strcmp(text(root, "alert_type"), "success") == 0
       && strcmp(text(root, "aggregation_key"), "blocklists-digest") == 0
       && json_integer_value(json_object_get(root, "date_happened"))
          == j.job.first / 1000, "hosts that are delisted");
    json_decref(root);

    body = many(100, 30, "\xc3\xa4");
    job_make(&j, &channel_datadog, KEY32, body);
    root = parsed(&j);
    ok(clip_length(rbl_str(text(root, "text")), CLIP_CHARS) <= 4000
       && clip_length(rbl_str(text(root, "text")), CLIP_CHARS) > 3600,
       "4000 characters at most");
    ok(strstr(text(root, "text"), " more hosts\n\n %%%") != NULL,
       "and the text mentions the rest");
    json_decref(root);
    free(body);
    job_done(&j);
}


static void
test_sns(void)
{
    job_t  j;

    job_init(&j);
    refuses(&channel_sns, &j, "arn:aws:sns:EU:1:x" KEYS, confirm,
            "not a topic with its keys");
    job_make(&j, &channel_sns, TOPIC KEYS, confirm);
    ok(j.err == RBL_OK, "sns is made");
    is_str(j.request->to, "https://sns.eu-west-1.amazonaws.com/", "where to");
    is_str(rbl_str(j.request->sigv4), "aws:amz:eu-west-1:sns", "signed as");
    ok(strcmp(j.request->user.p, AWSID) == 0
       && strcmp(j.request->password.p, SECRET) == 0, "by the customer");
    ok(job_field(&j, "Action", "Publish") && job_field(&j, "Version",
       "2010-03-31") && job_field(&j, "Subject", "Confirm%20this")
       && job_field(&j, "MessageStructure", "json") && job_field(&j,
       "TopicArn", "arn%3Aaws%3Asns%3Aeu-west-1%3A123456789012%3Aalerts"),
       "form");
    ok(!job_has(j.request->body, "MessageGroupId"), "a plain topic");

    job_make(&j, &channel_sns, "arn:aws-cn:sns:cn-north-1:123456789012:a.fifo"
             KEYS, listed);
    is_str(j.request->to, "https://sns.cn-north-1.amazonaws.com.cn/", "China");
    ok(job_field(&j, "MessageGroupId", "blocklist-monitoring")
       && job_field(&j, "MessageDeduplicationId", JOB_EVENT),
       "first in, first out");

    snprintf(j.conf.sns_url, sizeof(j.conf.sns_url), "http://127.0.0.1:1");
    job_make(&j, &channel_sns, TOPIC KEYS, HEAD "\"x\",\"title\":"
             "\"9 \xc3\xa4\\r\\nX: y\",\"message\":\"\",\"url\":\"\"}");
    is_str(j.request->to, "http://127.0.0.1:1/", "the operator's");
    ok(job_field(&j, "Subject", "9%20%3F%3F%3F%3FX%3A%20y"),
       "a subject of printable ASCII");
    job_make(&j, &channel_sns, TOPIC KEYS, HEAD "\"x\",\"title\":\" x\","
             "\"message\":\"\",\"url\":\"\"}");
    ok(!job_has(j.request->body, "Subject="), "or none");
    job_done(&j);
}


static void
test_cloudwatch(void)
{
    char     *body;
    job_t     j;
    size_t    i, size;
    json_t   *root, *events, *event;

    job_init(&j);
    refuses(&channel_cloudwatch, &j, TOPIC KEYS, confirm,
            "not a log group with its keys");
    job_make(&j, &channel_cloudwatch, GROUP KEYS, listed);
    is_str(j.request->to, "https://logs.us-east-1.amazonaws.com/", "the URL");
    is_str(rbl_str(j.request->sigv4), "aws:amz:us-east-1:logs", "signed as");
    is_str(rbl_str(j.request->header[0]),
           "X-Amz-Target: Logs_20140328.PutLogEvents", "the action");
    root = parsed(&j);
    events = json_object_get(root, "logEvents");
    ok(strcmp(text(root, "logGroupName"), "rbl/alerts") == 0
       && strcmp(text(root, "logStreamName"), "blocklist-monitoring") == 0
       && json_array_size(events) == 2, "a message and a host");
    event = json_loads(text(json_array_get(events, 0), "message"), 0, NULL);
    ok(strcmp(text(event, "title"), "1 host listed") == 0, "the message");
    json_decref(event);
    event = json_loads(text(json_array_get(events, 1), "message"), 0, NULL);
    ok(strcmp(text(event, "host"), "192.0.2.7") == 0
       && strcmp(text(event, "status"), "listed") == 0
       && json_array_size(json_object_get(event, "listings")) == 1,
       "the host");
    json_decref(event);
    ok(json_integer_value(json_object_get(json_array_get(events, 0),
                                          "timestamp")) == JOB_FIRST, "when");
    json_decref(root);

    j.job.step = 1;
    job_make(&j, &channel_cloudwatch, GROUP KEYS, listed);
    is_str(rbl_str(j.request->header[0]),
           "X-Amz-Target: Logs_20140328.CreateLogStream", "the stream");
    is_str(j.request->body, "{\"logGroupName\":\"rbl/alerts\","
           "\"logStreamName\":\"blocklist-monitoring\"}", "no events");
    j.job.step = 2;

    body = many(MESSAGE_HOSTS, 15000, "\xc3\xa4");
    job_make(&j, &channel_cloudwatch, GROUP KEYS, body);
    root = parsed(&j);
    events = json_object_get(root, "logEvents");
    size = 0;

    for (i = 0; i < json_array_size(events); i++) {
        size += 26 + json_string_length(
                         json_object_get(json_array_get(events, i),
                                         "message"));
    }

    ok(i > 25 && i < MESSAGE_HOSTS && size <= 1048576,
       "one mebibyte at most (%zu)", size);
    json_decref(root);
    free(body);
    job_done(&j);
}


int
main(void)
{
    test_sms();
    test_pushover();
    test_datadog();
    test_sns();
    test_cloudwatch();

    return tap_done();
}
