/*
 * Between rbl_contact.c and rbl_contact_cloud.c: what the parsers of values
 * have in common.
 */

#ifndef RBL_CONTACT_INT_H_INCLUDED
#define RBL_CONTACT_INT_H_INCLUDED

#include "rbl_common.h"

#define RBL_CONTACT_SITE_MAX  32        /* octets of a known host or site */

/* Where the canonical value goes, and hosts of the operator's. */
typedef struct {
    char             *s;                /* RBL_CONTACT_MAX octets */
    size_t            n;
    const rbl_str_t  *hosts;
    size_t            n_hosts;
} rbl_contact_buf_t;

/* min to max letters and digits of ASCII, and those of `more`? */
int rbl_contact_chars(rbl_str_t s, size_t min, size_t max, const char *more);

/* Takes what stands before sep off *rest, and sep; all of it if there is no
   sep. */
rbl_str_t rbl_contact_until(rbl_str_t *rest, char sep);

/* Appends; RBL_EINVAL: there is no room. */
rbl_err_t rbl_contact_put(rbl_contact_buf_t *b, rbl_str_t part);

rbl_str_t rbl_contact_upto_last(rbl_str_t value, char c);

rbl_err_t rbl_contact_slack(rbl_contact_buf_t *b, rbl_str_t text);
rbl_err_t rbl_contact_discord(rbl_contact_buf_t *b, rbl_str_t text);
rbl_err_t rbl_contact_sns(rbl_contact_buf_t *b, rbl_str_t text);
rbl_err_t rbl_contact_cloudwatch(rbl_contact_buf_t *b, rbl_str_t text);

#endif /* RBL_CONTACT_INT_H_INCLUDED */
