/*
 * The hosts of a digest, as a message has them: the details of a host are those
 * of its present record and of its lists; its change, and what the contact does
 * not know of it, are from the digest.  A deleted list is described by the
 * host's record.
 */

#ifndef DELIVER_DIGEST_HOSTS_H_INCLUDED
#define DELIVER_DIGEST_HOSTS_H_INCLUDED

#include "base/link.h"
#include "deliver/message/message.h"
#include "rbl_script.h"

typedef struct {
    size_t                            n;
    message_host_t                   *host;

    /* the rest is private */
    const rbl_digest_claim_digest_t  *row;
    const rbl_timezone_t             *zone;
    size_t                            n_lists;
    rbl_list_t                       *list;     /* by their SIDs */
    link_t                            parts;    /* memory of texts */
} digest_hosts_t;

/* Reads the hosts of a row in its order, at most MESSAGE_HOSTS, without those
   that cannot be read.  The texts of the hosts are valid while the row is, and
   until digest_hosts_free, which the caller must call. */
void digest_hosts(digest_hosts_t *hosts, const rbl_digest_claim_digest_t *row,
    const rbl_timezone_t *zone);
void digest_hosts_free(digest_hosts_t *hosts);

#endif /* DELIVER_DIGEST_HOSTS_H_INCLUDED */
