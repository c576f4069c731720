/*
 * rblctl host: the interface of host_lists.c (the lists of a host) for host.c
 * (the host, its record, its history).
 */

#ifndef HOST_H_INCLUDED
#define HOST_H_INCLUDED

#include "ctl.h"

/*
 * The lists that check the host, in the order of its profile, and those with a
 * current listing that no longer check it: an array of objects.  NULL: error
 * printed.
 */
json_t *host_lists(ctl_t *ctl, const rbl_sid_t *account, const rbl_host_t *h);

#endif /* HOST_H_INCLUDED */
