/* Verdicts on the answers of services: the documented answers, and others. */

#include "deliver/channels/channel.h"

#include <stdio.h>
#include <time.h>

#include "deliver_job.h"
#include "tap.h"

#define OK       CHANNEL_DELIVERED
#define AGAIN    CHANNEL_AGAIN
#define RETRY    CHANNEL_RETRY
#define DEAD     CHANNEL_DEAD
#define DISABLE  CHANNEL_DISABLE

#define TWILIO(code)  "{\"code\":" code ",\"message\":\"to +4912345678\"," \
                      "\"more_info\":\"https://x\",\"status\":400}"
#define XML(code)     "<ErrorResponse><Error><Type>Sender</Type><Code>" code  \
                      "</Code><Message>arn:aws:sns</Message></Error>"
#define TYPE(code)    "{\"__type\":\"" code "\",\"message\":\"arn:aws\"}"

typedef struct {
    const channel_t    *channel;
    unsigned            step, status;
    const char         *headers, *body;
    channel_verdict_t   verdict;
    const char         *why;            /* a part of the reason */
} case_t;

static const case_t  cases[] = {
    { &channel_sms, 0, 201, "", "{\"sid\":\"SM1\",\"status\":\"queued\"}", OK,
      "" },
    { &channel_sms, 0, 429, "", TWILIO("20429"), RETRY, "no more at once" },
    { &channel_sms, 0, 400, "", TWILIO("20429"), RETRY, "(400, 20429)" },
    { &channel_sms, 0, 400, "", TWILIO("21211"), DISABLE, "does not know" },
    { &channel_sms, 0, 400, "", TWILIO("21610"), DISABLE, "refuses messages" },
    { &channel_sms, 0, 400, "", TWILIO("21614"), DISABLE, "21614" },
    { &channel_sms, 0, 400, "", TWILIO("21408"), DEAD, "country" },
    { &channel_sms, 0, 400, "", TWILIO("21612"), DEAD, "no way" },
    { &channel_sms, 0, 400, "", TWILIO("21999"), DEAD, "code 21999" },
    { &channel_sms, 0, 401, "", TWILIO("20003"), RETRY, "its account" },
    { &channel_sms, 0, 401, "", "", RETRY, "its account" },
    { &channel_sms, 0, 400, "", "{\"code\":\"x", DEAD, "said: 400" },
    { &channel_sms, 0, 400, "", "{\"code\":99999999999999}", DEAD, "400" },
    { &channel_sms, 0, 404, "", "", DEAD, "404" },
    { &channel_sms, 0, 500, "", "", RETRY, "500" },
    { &channel_sms, 0, 503, "", "<html>", RETRY, "503" },
    { &channel_sms, 0, 302, "", "", DEAD, "302" },

    { &channel_pushover, 0, 200, "", "{\"status\":1,\"request\":\"x\"}", OK,
      "" },
    { &channel_pushover, 0, 400, "", "{\"user\":\"invalid\",\"errors\":["
      "\"user identifier is invalid\"],\"status\":0}", DISABLE, "no such" },
    { &channel_pushover, 0, 400, "", "{\"token\":\"invalid\",\"errors\":["
      "\"application token is invalid\"],\"status\":0}", DEAD,
      "refuses its application" },
    { &channel_pushover, 0, 400, "", "{\"message\":\"cannot be blank\","
      "\"status\":0}", DEAD, "400" },
    { &channel_pushover, 0, 400, "", "[", DEAD, "400" },
    { &channel_pushover, 0, 429, "", "", RETRY, "this month" },
    { &channel_pushover, 0, 429, "X-Limit-App-Reset: x\r\n", "", RETRY,
      "this month" },
    { &channel_pushover, 0, 429, "X-Limit-App-Reset: 99999999999\r\n", "",
      DEAD, "this month" },
    { &channel_pushover, 0, 500, "", "", RETRY, "500" },

    { &channel_datadog, 0, 202, "", "{\"status\":\"ok\"}", OK, "" },
    { &channel_datadog, 0, 400, "", "{\"errors\":[\"x\"]}", DEAD, "400" },
    { &channel_datadog, 0, 403, "", "{\"errors\":[\"Forbidden\"]}", DEAD,
      "refuses the key" },
    { &channel_datadog, 0, 408, "", "", RETRY, "408" },
    { &channel_datadog, 0, 429, "", "", RETRY, "429" },
    { &channel_datadog, 0, 502, "", "", RETRY, "502" },

    { &channel_sns, 0, 200, "", "<PublishResponse>", OK, "" },
    { &channel_sns, 0, 400, "", XML("InvalidParameter"), DEAD,
      "said: 400 InvalidParameter" },
    { &channel_sns, 0, 400, "", XML("ParameterValueInvalid"), DEAD, "" },
    { &channel_sns, 0, 400, "", XML("Throttling"), RETRY, "Throttling" },
    { &channel_sns, 0, 400, "", XML("ThrottlingException"), RETRY, "" },
    { &channel_sns, 0, 400, "", XML("KMSThrottling"), RETRY, "" },
    { &channel_sns, 0, 400, "", XML("KMSAccessDenied"), DEAD, "" },
    { &channel_sns, 0, 400, "", XML("EndpointDisabled"), DISABLE, "" },
    { &channel_sns, 0, 403, "", XML("AuthorizationError"), DEAD, "" },
    { &channel_sns, 0, 403, "", XML("InvalidClientTokenId"), DEAD, "" },
    { &channel_sns, 0, 403, "", XML("SignatureDoesNotMatch"), DEAD, "" },
    { &channel_sns, 0, 403, "", XML("RequestExpired"), RETRY, "" },
    { &channel_sns, 0, 404, "", XML("NotFound"), DISABLE, "NotFound" },
    { &channel_sns, 0, 404, "", "", DEAD, "said: 404" },
    { &channel_sns, 0, 500, "", XML("InternalError"), RETRY, "" },
    { &channel_sns, 0, 503, "", "", RETRY, "503" },
    { &channel_sns, 0, 400, "", "<Code>\x1b[31m</Code>", DEAD, "said: 400" },

    { &channel_cloudwatch, 0, 200, "", "{\"nextSequenceToken\":\"1\"}", OK,
      "" },
    { &channel_cloudwatch, 0, 200, "", "{\"rejectedLogEventsInfo\":{"
      "\"tooOldLogEventEndIndex\":1}}", DEAD, "time of the events" },
    { &channel_cloudwatch, 0, 400, "", TYPE("ResourceNotFoundException"),
      AGAIN, "" },
    { &channel_cloudwatch, 0, 400, "x-amzn-errortype: "
      "ResourceNotFoundException:http://x/\r\n", "", AGAIN, "" },
    { &channel_cloudwatch, 0, 400, "",
      TYPE("com.amazonaws.logs#ResourceNotFoundException"), AGAIN, "" },
    { &channel_cloudwatch, 1, 200, "", "", AGAIN, "" },
    { &channel_cloudwatch, 1, 400, "", TYPE("ResourceAlreadyExistsException"),
      AGAIN, "" },
    { &channel_cloudwatch, 1, 400, "", TYPE("ResourceNotFoundException"),
      DISABLE, "no such log group" },
    { &channel_cloudwatch, 1, 400, "", TYPE("AccessDeniedException"), DEAD,
      "AccessDeniedException" },
    { &channel_cloudwatch, 1, 400, "", TYPE("LimitExceededException"), RETRY,
      "" },
    { &channel_cloudwatch, 2, 200, "", "{}", OK, "" },
    { &channel_cloudwatch, 2, 400, "", TYPE("ResourceNotFoundException"),
      RETRY, "" },
    { &channel_cloudwatch, 0, 400, "", TYPE("InvalidParameterException"),
      DEAD, "" },
    { &channel_cloudwatch, 0, 400, "", TYPE("UnrecognizedClientException"),
      DEAD, "Unrecognized" },
    { &channel_cloudwatch, 0, 400, "", TYPE("ThrottlingException"), RETRY,
      "" },
    { &channel_cloudwatch, 0, 503, "", TYPE("ServiceUnavailableException"),
      RETRY, "" },
    { &channel_cloudwatch, 0, 500, "", "", RETRY, "500" }
};


static void
test_verdicts(void)
{
    size_t             i;
    const case_t      *c;
    channel_verdict_t  verdict;
    channel_outcome_t  outcome;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        c = &cases[i];
        verdict = job_judge(c->channel, &outcome, c->step, c->status,
                            c->headers, c->body);

        ok(verdict == c->verdict, "%s %u %.40s: %d",
           rbl_contact_type_name(c->channel->type),
           c->status, c->body, (int) verdict);
        ok(strstr(outcome.why, c->why) != NULL
           && strpbrk(outcome.why, "+\x1b\r\n") == NULL
           && strstr(outcome.why, "arn:") == NULL,
           "and why: %s", outcome.why);
        ok((verdict == OK || verdict == AGAIN) == (outcome.why[0] == '\0')
           || verdict == AGAIN, "a reason if it is needed");
    }
}


static void
test_waits(void)
{
    char               header[64];
    channel_outcome_t  o;

    (void) job_judge(&channel_sms, &o, 0, 400, "", TWILIO("21611"));
    ok(o.wait == 600000, "a queue that is full empties in its time");
    (void) job_judge(&channel_datadog, &o, 0, 429,
                     "X-RateLimit-Reset: 37\r\n", "");
    ok(o.wait == 37000, "the wait of Datadog in seconds");
    (void) job_judge(&channel_datadog, &o, 0, 429,
                     "X-RateLimit-Reset: -1\r\n", "");
    ok(o.wait == 0, "nonsense is no wait");
    snprintf(header, sizeof(header), "X-Limit-App-Reset: %lld\r\n",
             (long long) time(NULL) + 100);
    ok(job_judge(&channel_pushover, &o, 0, 429, header, "") == RETRY
       && o.wait > 90000 && o.wait <= 100000,
       "the end of the wait of Pushover");
    snprintf(header, sizeof(header), "X-Limit-App-Reset: %lld\r\n",
             (long long) time(NULL) - 100);
    ok(job_judge(&channel_pushover, &o, 0, 429, header, "") == RETRY
       && o.wait == 0, "a past time is no wait");
}


int
main(void)
{
    test_verdicts();
    test_waits();

    return tap_done();
}
