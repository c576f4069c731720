/*
 * DNS names as text, label by label; shared by domains, zones and query names.
 */

#ifndef RBL_NAME_H_INCLUDED
#define RBL_NAME_H_INCLUDED

#include "rbl_validate.h"

#define RBL_DNS_LABEL_MAX  63

/*
 * Copies `name` to buf, with A-Z in lower case.  buf has room for text.n bytes.
 */
void rbl_name_lower(char *buf, rbl_str_t name);

/*
 * True for a valid label: 1 to 63 of a-z, A-Z, 0-9, hyphen and underscore, no
 * hyphen at either end.
 */
int rbl_label_ok(rbl_str_t label);

/* True for the Punycode of a label, without "xn--", in lower case. */
int rbl_punycode_ok(rbl_str_t text);

/* True if the label has only digits. */
int rbl_label_numeric(rbl_str_t label);

/*
 * Returns the number of labels of a valid name: at most RBL_DOMAIN_MAX bytes,
 * without a trailing dot; 0: invalid.  *last: its last label.
 */
size_t rbl_name_labels(rbl_str_t name, rbl_str_t *last);

#endif /* RBL_NAME_H_INCLUDED */
