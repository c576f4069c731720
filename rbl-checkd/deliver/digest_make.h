/*
 * From a digest, as digest_claim returns it, to the messages for its contact:
 * one about all hosts, or one for each host if the channel is made so
 * (digest_per_host_of).  Many hosts that are listed at once share one message
 * even there.
 */

#ifndef DELIVER_DIGEST_MAKE_H_INCLUDED
#define DELIVER_DIGEST_MAKE_H_INCLUDED

#include "base/buf.h"
#include "base/timezones.h"
#include "rbl_reply.h"
#include "rbl_sid.h"

typedef struct {
    rbl_sid_t  event;
    rbl_str_t  host;                    /* the listed host, if it is the only
                                           one in the message; else "" */
    rbl_buf_t  body;
} digest_message_t;

/* member, event and hosts are views into the reply. */
typedef struct {
    rbl_str_t          member;          /* "<AC>:<CO>" */
    rbl_str_t          event;           /* of the digest */
    size_t             n;               /* messages, in their order */
    digest_message_t  *message;
} digest_t;

/*
 * The same claim has the same events on every daemon.  portal: the URL of the
 * portal, or "".  RBL_ETYPE: it cannot be read.  Otherwise digest_free is to
 * follow.
 */
rbl_err_t digest_make(digest_t *digest, const redisReply *reply,
    timezones_t *timezones, const char *portal);
void digest_free(digest_t *digest);

#endif /* DELIVER_DIGEST_MAKE_H_INCLUDED */
