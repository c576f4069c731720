/*
 * Internal header of rbl_contact.c and rbl_contact_cloud.c: shared by the
 * parsers of values.
 */

#ifndef RBL_CONTACT_INT_H_INCLUDED
#define RBL_CONTACT_INT_H_INCLUDED

#include "rbl_common.h"

#define RBL_CONTACT_SITE_MAX  32        /* bytes of a known host or site */

/* Output buffer of the canonical value, and the configured hosts. */
typedef struct {
    char             *s;                /* RBL_CONTACT_MAX bytes */
    size_t            n;
    const rbl_str_t  *hosts;
    size_t            n_hosts;
} rbl_contact_buf_t;

/* True for min to max ASCII letters, digits and characters of `more`. */
int rbl_contact_chars(rbl_str_t s, size_t min, size_t max, const char *more);

/* Appends; RBL_EINVAL: no room. */
rbl_err_t rbl_contact_put(rbl_contact_buf_t *b, rbl_str_t part);

rbl_str_t rbl_contact_upto_last(rbl_str_t value, char c);

rbl_err_t rbl_contact_slack(rbl_contact_buf_t *b, rbl_str_t text);
rbl_err_t rbl_contact_discord(rbl_contact_buf_t *b, rbl_str_t text);
rbl_err_t rbl_contact_sns(rbl_contact_buf_t *b, rbl_str_t text);
rbl_err_t rbl_contact_cloudwatch(rbl_contact_buf_t *b, rbl_str_t text);

#endif /* RBL_CONTACT_INT_H_INCLUDED */
