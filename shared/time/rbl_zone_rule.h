/*
 * The footer of a TZif file: a rule in the form of POSIX's TZ, such as
 * "EST5EDT,M3.2.0,M11.1.0" or "<-02>2<-01>,M3.5.0/-1,M10.5.0/0".
 */

#ifndef RBL_ZONE_RULE_H_INCLUDED
#define RBL_ZONE_RULE_H_INCLUDED

#include "rbl_zone.h"

/*
 * Parses a rule and its one or two types; `on`: there are two.  RBL_EINVAL: a
 * dst without dates, or any other invalid form.
 */
rbl_err_t rbl_zone_rule_parse(rbl_zone_rule_t *rule, rbl_zone_type_t *std,
    rbl_zone_type_t *dst, rbl_str_t text);

/* True if dst is in force at that second since the epoch.  `on` must be set for
   this function and the next. */
int rbl_zone_rule_dst(const rbl_zone_rule_t *rule, int64_t sec);

/* Returns the earliest second after that one at which a change may occur. */
int64_t rbl_zone_rule_next(const rbl_zone_rule_t *rule, int64_t sec);

/* Sets an abbreviation and its offset as a type.  RBL_EINVAL: invalid. */
rbl_err_t rbl_zone_type_set(rbl_zone_type_t *type, int64_t offset,
    rbl_str_t abbr);

#endif /* RBL_ZONE_RULE_H_INCLUDED */
