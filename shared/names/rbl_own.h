/*
 * Which names the lists of accounts ("own" or custom lists) may ask for.
 *
 * An account chooses the zone of its own list and the host that is checked, so
 * it chooses the whole query name.  Names that only a site's own resolver
 * answers must not be within its reach: special-use names (RFC 6761 and IANA's
 * registry of them), names that sites use inside (RFC 6762, appendix G), and
 * those that the operator names.
 */

#ifndef RBL_OWN_H_INCLUDED
#define RBL_OWN_H_INCLUDED

#include "rbl_validate.h"

/* The operator's names, without a trailing dot. */
typedef struct {
    const rbl_str_t  *refuse;
    size_t            n_refuse;
    const rbl_str_t  *allow;
    size_t            n_allow;
} rbl_own_t;

/*
 * May an own list ask for that name (or have it as its zone)?  The longest name
 * decides that it is or lies under; of two of the same length "refuse" goes
 * before "allow", and "allow" before the reserved ones.  0: it may not, and
 * *under is a view of the end of `name` that is refused, *why a static text.
 */
int rbl_own_ok(const rbl_own_t *own, rbl_str_t name, rbl_str_t *under,
    const char **why);

#endif /* RBL_OWN_H_INCLUDED */
