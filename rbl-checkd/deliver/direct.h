/*
 * Events that are tried at once.  Their entry stays pending in the outbox until
 * the first attempts of all their deliveries are over, or some of them take too
 * long; then one script records many events together.  An event whose
 * deliveries go well is never written anywhere but into the log of attempts.
 */

#ifndef DELIVER_DIRECT_H_INCLUDED
#define DELIVER_DIRECT_H_INCLUDED

#include "entry.h"

/* NULL: out of memory. */
direct_t *direct_new(deliver_t *d);
void direct_free(direct_t *dr);         /* after its entries */

/* Takes an entry with its event and body, and direct_ask begins; NULL, or why
   it cannot be told. */
const char *direct_add(direct_t *dr, entry_t *e);
void direct_ask(direct_t *dr);

/* The entry goes: nothing of it comes back here. */
void direct_forget(entry_t *e);

#endif /* DELIVER_DIRECT_H_INCLUDED */
