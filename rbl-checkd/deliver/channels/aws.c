/*
 * Requests to AWS are signed (Signature Version 4) by libcurl; this file makes
 * its options.  Amazon throttles with status 400 and a code, so the verdict
 * depends on the code.  Codes are short words; no other part of an answer is
 * shown, since it names accounts and resources.
 */

#include "aws.h"

#include <stdio.h>


#define AWS_CODE_MAX  64


static void
aws_value(aws_value_t *value, rbl_str_t contact)
{
    rbl_str_t  rest;

    value->arn = rbl_until(&contact, ',');
    value->id = rbl_until(&contact, ',');
    value->secret = contact;

    /* arn:<partition>:<service>:<region>:<account>:<name> */

    rest = value->arn;
    (void) rbl_until(&rest, ':');
    (void) rbl_until(&rest, ':');
    (void) rbl_until(&rest, ':');
    value->region = rbl_until(&rest, ':');
    (void) rbl_until(&rest, ':');
    value->name = rest;
}


rbl_err_t
aws_request(request_t *request, aws_value_t *value, rbl_str_t contact,
    const char *service, const char *base)
{
    int         n;
    rbl_out_t  *out = &request->to_made.out;

    aws_value(value, contact);
    n = snprintf(request->sigv4, sizeof(request->sigv4), "aws:amz:%.*s:%s",
                 (int) value->region.n, value->region.p, service);

    if (n < 0 || (size_t) n >= sizeof(request->sigv4)) {
        return channel_never(request, "the region is not valid");
    }

    if (base[0] != '\0') {
        rbl_out_z(out, base);

    } else {
        rbl_out_z(out, "https://");
        rbl_out_z(out, service);
        rbl_out_char(out, '.');
        rbl_out_str(out, value->region);
        rbl_out_z(out, ".amazonaws.com");
        rbl_out_z(out, rbl_str_begins(value->region, "cn-") ? ".cn" : "");
    }

    rbl_out_char(out, '/');
    request->trusted = 1;
    channel_user(request, value->id, value->secret);

    return RBL_OK;
}


/* The part of a text after `before`, as far as it is a code. */

static rbl_str_t
aws_behind(rbl_str_t text, const char *before)
{
    char         c;
    size_t       n;
    rbl_str_t    code;
    const char  *at;

    at = text.n > 0 ? memmem(text.p, text.n, before, strlen(before)) : NULL;

    if (at == NULL) {
        return RBL_STR("");
    }

    code.p = at + strlen(before);
    n = (size_t) (text.p + text.n - code.p);

    for (code.n = 0; code.n < n && code.n <= AWS_CODE_MAX; code.n++) {
        c = code.p[code.n];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9') || c == '.' || c == '#'))
        {
            break;
        }
    }

    return code.n > 0 && code.n <= AWS_CODE_MAX ? code : RBL_STR("");
}


static rbl_str_t
aws_code(const channel_answer_t *answer)
{
    rbl_str_t    code;
    const char  *name;

    code = aws_behind(answer->body, "<Code>");

    if (code.n == 0) {
        code = aws_behind(answer->body, "\"__type\":\"");
    }

    if (code.n == 0) {
        code = aws_behind(answer->body, "\"__type\": \"");
    }

    if (code.n == 0) {
        code = aws_behind(channel_answer_header(answer, "x-amzn-ErrorType"),
                          "");
    }

    name = code.n > 0 ? memrchr(code.p, '#', code.n) : NULL;

    if (name != NULL) {
        code.n -= (size_t) (name + 1 - code.p);
        code.p = name + 1;
    }

    return code;
}


/* Not now, whatever the status. */

static int
aws_again(rbl_str_t code)
{
    size_t  i;

    static const char *const  codes[] = {
        "Throttling", "ThrottlingException", "ThrottledException", "Throttled",
        "RequestThrottled", "RequestThrottledException", "KMSThrottling",
        "KMSThrottlingException", "TooManyRequestsException",
        "RequestLimitExceeded", "BandwidthLimitExceeded",
        "LimitExceededException", "SlowDown", "PriorRequestNotComplete",
        "TransactionInProgressException", "ProvisionedThroughputExceeded",
        "ProvisionedThroughputExceededException", "RequestTimeout",
        "RequestTimeoutException", "RequestExpired", "InternalError",
        "InternalFailure", "InternalServerError", "ServiceUnavailable",
        "ServiceUnavailableException", "OperationAbortedException"
    };

    for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        if (rbl_str_is(code, codes[i])) {
            return 1;
        }
    }

    return 0;
}


channel_verdict_t
aws_judge(const channel_answer_t *answer, channel_outcome_t *outcome,
    const char *service, rbl_str_t *code)
{
    channel_verdict_t  verdict;

    verdict = channel_judge_service(answer, outcome, service);
    *code = RBL_STR("");

    if (verdict == CHANNEL_DELIVERED) {
        return verdict;
    }

    *code = aws_code(answer);
    channel_why(outcome, service, answer->status, *code);

    return aws_again(*code) ? CHANNEL_RETRY : verdict;
}
