/*
 * Names that custom lists of accounts ("own" lists) may query.
 *
 * An account chooses the zone of its list and the host to check, and so the
 * whole query name.  It must not reach names that only a site's own resolver
 * answers: special-use names (RFC 6761 and its IANA registry), names commonly
 * used inside sites (RFC 6762, appendix G), and names configured by the
 * operator.
 */

#ifndef RBL_OWN_H_INCLUDED
#define RBL_OWN_H_INCLUDED

#include "rbl_validate.h"

/* Configured names, without a trailing dot. */
typedef struct {
    const rbl_str_t  *refuse;
    size_t            n_refuse;
    const rbl_str_t  *allow;
    size_t            n_allow;
} rbl_own_t;

/*
 * True if an own list may query that name, or have it as its zone.  The longest
 * entry that the name equals or is under decides; among entries of the same
 * length "refuse" precedes "allow", and "allow" precedes the reserved names.
 * Otherwise returns 0, with *under a view of the refused end of `name`, and
 * *why a static text.
 */
int rbl_own_ok(const rbl_own_t *own, rbl_str_t name, rbl_str_t *under,
    const char **why);

#endif /* RBL_OWN_H_INCLUDED */
