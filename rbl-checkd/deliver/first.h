/*
 * First attempts.  The entry of an event stays pending in the outbox until the
 * first attempts of all its deliveries are over, or some of them take too long;
 * then one script records a batch of events.  An event whose deliveries all
 * succeed is only written into the log of attempts.
 */

#ifndef DELIVER_FIRST_H_INCLUDED
#define DELIVER_FIRST_H_INCLUDED

#include "entry.h"

first_t *first_new(deliver_t *d);
void first_free(first_t *first);        /* after its entries */

/* Takes an entry with its event and body; first_ask starts it.  NULL, or why it
   cannot be delivered. */
const char *first_add(first_t *first, entry_t *e);
void first_ask(first_t *first);

/* To be called before the entry is freed. */
void first_forget(entry_t *e);

#endif /* DELIVER_FIRST_H_INCLUDED */
