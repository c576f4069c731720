/*
 * Declarations of the queue's files: waiting attempts (queue.c) and the slots
 * of attempts in flight (queue_share.c).
 */

#ifndef QUEUE_INT_H_INCLUDED
#define QUEUE_INT_H_INCLUDED

#include "deliver_int.h"

int queue_is_mail(const attempt_t *a);

/* Takes it out of the waiting attempts. */
void queue_take(deliver_t *d, attempt_t *a);

/* Drops and frees an attempt. */
void queue_forget(attempt_t *a);

/* Drops waiting attempts of slow receivers if no place is free. */
void queue_make_room(deliver_t *d);

#endif /* QUEUE_INT_H_INCLUDED */
