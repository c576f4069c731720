/*
 * Contacts: the types, the values that each accepts, and the part of a value
 * that may be shown.
 *
 * An accepted value is printable ASCII and has the form given here, so the
 * delivery need not check it again:
 *
 *   email           local@domain: the local part a dot-atom, the domain in
 *                   A-labels
 *   sms             "+" and 7 to 15 digits
 *   endpoint        a URL that rbl_url_parse accepts; if it had a name and a
 *                   password, they are behind a space, "name:password",
 *                   percent-encoded as they were
 *   pushover        30 letters and digits
 *   pagerduty       32 letters and digits
 *   slack, discord  a URL that rbl_url_parse accepts: https, a known host, its
 *                   default port and the service's own path; or a configured
 *                   host and any path; no query, but discord may have
 *                   "?thread_id=<number>"
 *   datadog         an API key of 32 letters and digits, or "<site>,<key>",
 *                   with a site of Datadog
 *   telegram        a number of at most 52 bits, or "@" and a name; behind it
 *                   perhaps ":" and the number of a topic
 *   aws-sns, aws-cloudwatch
 *                   "<arn>,<access key id>,<secret>", the ARN of a topic or of
 *                   a log group, whose region is only a-z, 0-9 and hyphens
 */

#ifndef RBL_CONTACT_H_INCLUDED
#define RBL_CONTACT_H_INCLUDED

#include "rbl_validate.h"

#define RBL_CONTACT_MAX  2049           /* fits any value with NUL */

/* All types in their order, each as ROW(NAME, name): RBL_CONTACT_SMS is the
   type, channel_sms the daemon's channel for it. */
#define RBL_CONTACT_ALL(ROW)                                                  \
    ROW(EMAIL, email)                                                         \
    ROW(SMS, sms)                                                             \
    ROW(ENDPOINT, endpoint)                                                   \
    ROW(PUSHOVER, pushover)                                                   \
    ROW(PAGERDUTY, pagerduty)                                                 \
    ROW(SLACK, slack)                                                         \
    ROW(DATADOG, datadog)                                                     \
    ROW(DISCORD, discord)                                                     \
    ROW(TELEGRAM, telegram)                                                   \
    ROW(SNS, sns)                                                             \
    ROW(CLOUDWATCH, cloudwatch)

#define RBL_CONTACT_TYPE(NAME, name)  RBL_CONTACT_##NAME,

typedef enum {
    RBL_CONTACT_ALL(RBL_CONTACT_TYPE)
    RBL_CONTACT_TYPES                   /* number of types */
} rbl_contact_type_t;

/* RBL_EINVAL: no type has that name. */
rbl_err_t rbl_contact_type(rbl_contact_type_t *type, rbl_str_t name);

/* Its name. */
const char *rbl_contact_type_name(rbl_contact_type_t type);

/* True for every_check, start_and_end and while_listed. */
int rbl_contact_schedule_ok(rbl_str_t schedule);

/*
 * Checks a trimmed text; *out is in buf, canonical and NUL-terminated.  `hosts`
 * are the configured additional hosts of this type, in lower case.  RBL_EINVAL:
 * rbl_contact_expected describes a valid value.
 */
rbl_err_t rbl_contact_parse(char buf[RBL_CONTACT_MAX], rbl_str_t *out,
    rbl_contact_type_t type, rbl_str_t text, const rbl_str_t *hosts, size_t n);

/*
 * Writes an address of mail that rbl_contact_parse has accepted in lower case,
 * so that two spellings of one address are the same text.
 */
rbl_str_t rbl_contact_fold(char buf[RBL_CONTACT_MAX], rbl_str_t mail);

/* The URL of an endpoint, without the name and password behind it, which are
   *login (n 0: none). */
rbl_str_t rbl_contact_url(rbl_str_t value, rbl_str_t *login);

/* Decodes the percent signs of a name or a password; RBL_EINVAL: a character
   that has to be encoded, or control characters.  NUL-terminated. */
rbl_err_t rbl_contact_unescape(char buf[RBL_CONTACT_MAX], rbl_str_t *out,
    rbl_str_t text);

/* One sentence that describes a valid value. */
const char *rbl_contact_expected(rbl_contact_type_t type);

/*
 * Returns the start of a value that may be shown.  If it is shorter than the
 * value, the rest is secret and shown as "****".  Accepts any value and any
 * type name; an unknown type is secret.  path: as for rbl_url_shown.
 */
rbl_str_t rbl_contact_shown(rbl_str_t type, rbl_str_t value, int path);

#endif /* RBL_CONTACT_H_INCLUDED */
