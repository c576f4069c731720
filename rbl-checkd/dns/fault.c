/*
 * Errors of UDP sockets and their meaning.  The kernel reports the fate of an
 * earlier datagram at the next call; each error may therefore come from a send
 * and from a receive.
 */

#include "dns_int.h"

#include <errno.h>


static const struct {
    int          error;
    dns_fault_t  fault;
} fault_table[] = {

    /* The call was interrupted, or buffers are full: the socket is good. */
    { EAGAIN,        DNS_FAULT_BUSY },
    { EINTR,         DNS_FAULT_BUSY },
    { ENOBUFS,       DNS_FAULT_BUSY },
    { ENOMEM,        DNS_FAULT_BUSY },

    /* The machine is there, and nothing listens at the port. */
    { ECONNREFUSED,  DNS_FAULT_CLOSED },

    /* The address that the socket is bound to is gone; or its interface, its
       route, or the way of its packets through a firewall. */
    { EINVAL,        DNS_FAULT_PATH },
    { EADDRNOTAVAIL, DNS_FAULT_PATH },
    { ENETDOWN,      DNS_FAULT_PATH },
    { ENETUNREACH,   DNS_FAULT_PATH },
    { EHOSTDOWN,     DNS_FAULT_PATH },
    { EHOSTUNREACH,  DNS_FAULT_PATH },
    { ENODEV,        DNS_FAULT_PATH },
    { ENXIO,         DNS_FAULT_PATH },
    { ENONET,        DNS_FAULT_PATH },
    { EPERM,         DNS_FAULT_PATH },
    { EACCES,        DNS_FAULT_PATH },
    { EPROTO,        DNS_FAULT_PATH },
    { ENOPROTOOPT,   DNS_FAULT_PATH },
    { EOPNOTSUPP,    DNS_FAULT_PATH },
    { EMSGSIZE,      DNS_FAULT_PATH },
    { EIO,           DNS_FAULT_PATH }
};


dns_fault_t
dns_fault(int error)
{
    size_t  i;

    for (i = 0; i < sizeof(fault_table) / sizeof(fault_table[0]); i++) {
        if (fault_table[i].error == error) {
            return fault_table[i].fault;
        }
    }

    return DNS_FAULT_PATH;
}
