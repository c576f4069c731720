/*
 * rblctl host: the interface of host_lists.c (the lists of a host) for host.c
 * (the host, its record, its history).
 */

#ifndef HOST_H_INCLUDED
#define HOST_H_INCLUDED

#include "ctl.h"

/*
 * The lists that check the host, in the order of its profile, and those with a
 * current listing that no longer check it, or that are unknown: an array of
 * objects.
 */
json_t *host_lists(const rbl_host_t *h, const rbl_host_lists_reply_t *said);

#endif /* HOST_H_INCLUDED */
