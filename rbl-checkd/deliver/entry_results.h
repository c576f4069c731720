/*
 * The bytes of an event from the fields of its entry in the outbox.  Events
 * with large results have several fields (shared/lua/part/_events.lua), since
 * joining them takes the store long.
 */

#ifndef DELIVER_ENTRY_RESULTS_H_INCLUDED
#define DELIVER_ENTRY_RESULTS_H_INCLUDED

#include "base/buf.h"
#include "rbl_reply.h"

/* Appends the event record; malformed results make it malformed. */
void entry_event(rbl_buf_t *out, const redisReply *fields);

#endif /* DELIVER_ENTRY_RESULTS_H_INCLUDED */
