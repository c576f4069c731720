/*
 * Contacts: the types that there are, what value each takes, and how much of a
 * value may be shown.
 *
 * A value that was taken is printable ASCII, and means to whoever delivers what
 * it says here; it needs no second judgement:
 *
 *   email           local@domain: the local part a dot-atom, the domain in
 *                   A-labels
 *   sms             "+" and 7 to 15 digits
 *   endpoint        a URL that rbl_url_parse takes
 *   pushover        30 letters and digits
 *   pagerduty       32 letters and digits
 *   slack, discord  a URL that rbl_url_parse takes: https, a known host, its
 *                   default port and the service's own path; or a host of the
 *                   operator's, and any path; never a query
 *   datadog         an API key of 32 letters and digits, or "<site>,<key>",
 *                   the site one of theirs
 *   telegram        a number of at most 52 bits, or "@" and a name
 *   aws-sns, aws-cloudwatch
 *                   "<arn>,<access key id>,<secret>", the ARN of a topic or of
 *                   a log group, whose region is only a-z, 0-9 and hyphens
 */

#ifndef RBL_CONTACT_H_INCLUDED
#define RBL_CONTACT_H_INCLUDED

#include "rbl_validate.h"

#define RBL_CONTACT_MAX  2049           /* room for any value, NUL */

typedef enum {
    RBL_CONTACT_EMAIL = 0,
    RBL_CONTACT_SMS,
    RBL_CONTACT_ENDPOINT,
    RBL_CONTACT_PUSHOVER,
    RBL_CONTACT_PAGERDUTY,
    RBL_CONTACT_SLACK,
    RBL_CONTACT_DATADOG,
    RBL_CONTACT_DISCORD,
    RBL_CONTACT_TELEGRAM,
    RBL_CONTACT_SNS,
    RBL_CONTACT_CLOUDWATCH,
    RBL_CONTACT_TYPES                   /* how many */
} rbl_contact_type_t;

/* RBL_EINVAL: there is no type of that name. */
rbl_err_t rbl_contact_type(rbl_contact_type_t *type, rbl_str_t name);

/* every_check, start_and_end, while_listed? */
int rbl_contact_schedule_ok(rbl_str_t schedule);

/*
 * Judges a trimmed text; *out is in buf, canonical and NUL-terminated.  `hosts`
 * are those that the operator adds for this type (slack, discord), in lower
 * case.  RBL_EINVAL: rbl_contact_expected says what it should be.
 */
rbl_err_t rbl_contact_parse(char buf[RBL_CONTACT_MAX], rbl_str_t *out,
    rbl_contact_type_t type, rbl_str_t text, const rbl_str_t *hosts, size_t n);

/* One sentence. */
const char *rbl_contact_expected(rbl_contact_type_t type);

/*
 * The part of a value that may be shown, from its beginning.  If there is more
 * of it, that is secret, and "****" stands for it.  Takes any value and any
 * name of a type: what is not known is secret.
 */
rbl_str_t rbl_contact_shown(rbl_str_t type, rbl_str_t value);

#endif /* RBL_CONTACT_H_INCLUDED */
