/*
 * One entry of the outbox, from its raw bytes to deliveries.
 */

#ifndef DELIVER_ENTRY_H_INCLUDED
#define DELIVER_ENTRY_H_INCLUDED

#include "deliver_int.h"

typedef struct entry_s  entry_t;

typedef struct {
    deliver_t  *deliver;
    link_t      entries;                /* on their way */
    unsigned    n;

    /* good: 1 it is dealt with, 0 it is still pending in the store.  `batch`
       is what entry_start was told.  The entry is gone when this comes. */
    void      (*done)(void *data, int batch, int good);
    void       *data;
} entry_set_t;

/*
 * Starts on [id, fields] of a stream; fields are nil if it was deleted.
 * 0, or -1: no entry, or out of memory; then done does not come.
 */
int entry_start(entry_set_t *set, unsigned part, const redisReply *reply,
    int batch);

/* Ends all without call back. */
void entry_clear(entry_set_t *set);

#endif /* DELIVER_ENTRY_H_INCLUDED */
