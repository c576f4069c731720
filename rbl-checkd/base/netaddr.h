/*
 * Internet addresses as the kernel and the DNS give them, and whether they are
 * public.
 */

#ifndef NETADDR_H_INCLUDED
#define NETADDR_H_INCLUDED

#include <netinet/in.h>
#include <sys/socket.h>

#include "rbl_validate.h"

/* IPv4-mapped IPv6 becomes IPv4, as in rbl_addr_parse. */
void address_from_in6(rbl_addr_t *a, const struct in6_addr *in6);
void address_from_ipv4(rbl_addr_t *a, uint32_t host_order);

/* 0 and the port in host order, or -1: not an internet address. */
int address_from_sockaddr(rbl_addr_t *a, unsigned *port,
    const struct sockaddr *sa);

int address_equal(const rbl_addr_t *a, const rbl_addr_t *b);

/* 127.0.0.0/8 or ::1. */
int address_loopback(const rbl_addr_t *a);

/* NULL: public; otherwise its kind ("private", "loopback", ...).  The other one
   does not look inside of addresses of a translator (nat64.h). */
const char *address_special(const rbl_addr_t *a);
const char *address_special_net(const rbl_addr_t *a);

/*
 * Parses the host of a URL: a literal address (RBL_OK, *literal set), a domain
 * name (RBL_OK, *literal NONE, *name is its A-label form in buf), or
 * RBL_EINVAL: a single label, or one of the many forms that libraries accept as
 * an IPv4 address.
 */
rbl_err_t address_host(rbl_addr_t *literal, char buf[RBL_VALUE_MAX],
    rbl_str_t *name, rbl_str_t host);

#endif /* NETADDR_H_INCLUDED */
