/*
 * A digest whose hosts are more than the store tells at a time: its pages are
 * put together to one reply, as digest_make takes it.
 */

#ifndef DELIVER_DIGEST_PAGES_H_INCLUDED
#define DELIVER_DIGEST_PAGES_H_INCLUDED

#include "rbl_reply.h"

#define DIGEST_OCTETS  2097152u         /* of records, beyond which no more
                                           hosts are asked for: a message has
                                           no room for them (MESSAGE_MAX) */

/* A copy, freed by freeReplyObject; NULL: out of memory. */
redisReply *digest_pages_new(const redisReply *page);

/* Adds the next page, which also has what holds for all.  0; -1: out of memory,
   or it is no digest. */
int digest_pages_add(redisReply *whole, const redisReply *page);

/* How many hosts there are, and are there more to be asked for? */
size_t digest_pages_hosts(const redisReply *whole);
int digest_pages_more(const redisReply *whole);

#endif /* DELIVER_DIGEST_PAGES_H_INCLUDED */
