/*
 * Joins the pages of a digest that has more hosts than one reply of the store:
 * the result is one reply, for digest_make.
 */

#ifndef DELIVER_DIGEST_PAGES_H_INCLUDED
#define DELIVER_DIGEST_PAGES_H_INCLUDED

#include "rbl_reply.h"

#define DIGEST_OCTETS  2097152u         /* of records; beyond this no more hosts
                                           are read, since a message has no room
                                           for them (MESSAGE_MAX) */

/* A copy, freed by freeReplyObject; NULL: malformed. */
redisReply *digest_pages_new(const redisReply *page);

/* Adds the next page, which repeats the fields of the digest.  0; -1:
   malformed. */
int digest_pages_add(redisReply *whole, const redisReply *page);

/* digest_pages_hosts: the number of hosts; digest_pages_more: are there more
   pages? */
size_t digest_pages_hosts(const redisReply *whole);
int digest_pages_more(const redisReply *whole);

#endif /* DELIVER_DIGEST_PAGES_H_INCLUDED */
