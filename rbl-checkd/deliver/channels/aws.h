/*
 * Common code of the AWS channels: the parts of a contact's value, the signed
 * request, and the meaning of errors.  Pure functions.
 */

#ifndef DELIVER_AWS_H_INCLUDED
#define DELIVER_AWS_H_INCLUDED

#include "channel.h"
#include "rbl_contact.h"

/* Views into the value. */
typedef struct {
    rbl_str_t  arn, region, name;       /* name: the last part of the ARN */
    rbl_str_t  id, secret;
} aws_value_t;

/*
 * Sets where the request goes, and how it is signed, by a contact's value that
 * rbl_contact_parse has accepted, and gives its parts.  `service` as in host
 * names and signatures; `base` is the operator's address of it, "" for Amazon's
 * own.
 */
rbl_err_t aws_request(request_t *request, aws_value_t *value, rbl_str_t contact,
    const char *service, const char *base);

/*
 * 2xx is delivered; throttled requests and errors of the service are retried;
 * any other answer makes a dead letter with the code in its reason.  *code is
 * that of an error, from XML or JSON; "" if there is none.
 */
channel_verdict_t aws_judge(const channel_answer_t *answer,
    channel_outcome_t *outcome, const char *service, rbl_str_t *code);

#endif /* DELIVER_AWS_H_INCLUDED */
