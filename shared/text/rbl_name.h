/*
 * Names of the DNS as text, label by label: what domains, zones and query
 * names have in common.
 */

#ifndef RBL_NAME_H_INCLUDED
#define RBL_NAME_H_INCLUDED

#include "rbl_validate.h"

#define RBL_DNS_LABEL_MAX  63

/*
 * Copies `name` to buf (not over text.n bytes) in lower case of A-Z only.
 */
void rbl_name_lower(char *buf, rbl_str_t name);

/*
 * A valid label: 1 to 63 of a-z, A-Z, 0-9, hyphen and underscore, no hyphen at
 * either end?
 */
int rbl_label_ok(rbl_str_t label);

/*
 * Takes the first label off *rest, or the whole of it if there is no dot.
 * *more: whether a dot followed, and so another label must.
 */
rbl_str_t rbl_label_next(rbl_str_t *rest, int *more);

/* Is it made of digits alone? */
int rbl_label_numeric(rbl_str_t label);

/*
 * Number of labels of a name of valid labels, at most RBL_DOMAIN_MAX octets
 * and without a trailing dot; 0 if it is none.  *last: its last label.
 */
size_t rbl_name_labels(rbl_str_t name, rbl_str_t *last);

#endif /* RBL_NAME_H_INCLUDED */
