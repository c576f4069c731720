/*
 * Permitted addresses of customers' URLs.  A server that posts to addresses of
 * strangers must not give them access to the operator's network: only public
 * unicast addresses, and those that the operator allows by configuration, are
 * permitted.  The address itself is judged, never its spelling.
 */

#ifndef DELIVER_ADDRESS_H_INCLUDED
#define DELIVER_ADDRESS_H_INCLUDED

#include "base/netaddr.h"
#include "config/config.h"

/* One of this machine's own addresses?  -1: they cannot be read. */
int address_is_own(const rbl_addr_t *a);

/*
 * Is a request to this address permitted?  NULL: yes, if address_refused_own
 * permits it, too; otherwise the reason, for the log.  A denied address is
 * always refused.  An address that is not public must be allowed.  Unless the
 * configuration allows a port with the address, the port must be 80, 443 or
 * above 1023 and not that of another service.
 */
const char *address_refused(const rbl_addr_t *a, unsigned port,
    const config_reach_t *reach);

/*
 * The last check, which needs the kernel and is therefore made only for the
 * chosen address: it must not be an address of this machine, unless that is
 * allowed.
 */
const char *address_refused_own(const rbl_addr_t *a, unsigned port,
    const config_reach_t *reach);

#endif /* DELIVER_ADDRESS_H_INCLUDED */
