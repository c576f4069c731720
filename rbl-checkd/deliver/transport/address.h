/*
 * Which addresses a customer's URL may lead to.  A server that posts to
 * addresses of strangers must not become their way into the operator's
 * network: only public unicast addresses may be used, and what the operator
 * allows by configuration.  It is always the address that is judged, never
 * how it was written.
 */

#ifndef DELIVER_ADDRESS_H_INCLUDED
#define DELIVER_ADDRESS_H_INCLUDED

#include "base/netaddr.h"
#include "config/config.h"

/* One of this machine's own addresses?  -1: they cannot be read. */
int address_is_own(const rbl_addr_t *a);

/*
 * May a request go there?  NULL: yes, if address_refused_own says so as well;
 * else why not, for the log.  An address that is denied is always refused.  An
 * address that is not public must be allowed; unless the port is allowed with
 * it, that is 80, 443 or above 1023 and no other service's.
 */
const char *address_refused(const rbl_addr_t *a, unsigned port,
    const config_reach_t *reach);

/*
 * The rest, which asks the kernel and so is for the address that would be used:
 * it is not this machine's own, unless that is allowed.
 */
const char *address_refused_own(const rbl_addr_t *a, unsigned port,
    const config_reach_t *reach);

#endif /* DELIVER_ADDRESS_H_INCLUDED */
