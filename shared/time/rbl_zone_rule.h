/*
 * The footer of a TZif file: a rule in the form of POSIX's TZ, such as
 * "EST5EDT,M3.2.0,M11.1.0" or "<-02>2<-01>,M3.5.0/-1,M10.5.0/0".
 */

#ifndef RBL_ZONE_RULE_H_INCLUDED
#define RBL_ZONE_RULE_H_INCLUDED

#include "rbl_zone.h"

/*
 * Reads a rule and the one or two types it names; `on`: there are two.  A dst
 * without dates is RBL_EINVAL, as is anything else that is not of this form.
 */
rbl_err_t rbl_zone_rule_parse(rbl_zone_rule_t *rule, rbl_zone_type_t *std,
    rbl_zone_type_t *dst, rbl_str_t text);

/* Is it dst at that second since 1970?  `on` must be set for these two. */
int rbl_zone_rule_dst(const rbl_zone_rule_t *rule, int64_t sec);

/* When the next change after that second may be. */
int64_t rbl_zone_rule_next(const rbl_zone_rule_t *rule, int64_t sec);

/* An abbreviation and its offset as a type; RBL_EINVAL: they cannot be. */
rbl_err_t rbl_zone_type_set(rbl_zone_type_t *type, int64_t offset,
    rbl_str_t abbr);

#endif /* RBL_ZONE_RULE_H_INCLUDED */
