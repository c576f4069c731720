/*
 * What the files of the queue share: the waiting room (queue.c) and the places
 * of attempts in flight (queue_share.c).
 */

#ifndef QUEUE_INT_H_INCLUDED
#define QUEUE_INT_H_INCLUDED

#include "deliver_int.h"

int queue_is_mail(const attempt_t *a);

/* It waits no more. */
void queue_take(deliver_t *d, attempt_t *a);

/* It is not tried now: freed here. */
void queue_forget(attempt_t *a);

/* If the room is full, what does not keep up leaves it. */
void queue_make_room(deliver_t *d);

#endif /* QUEUE_INT_H_INCLUDED */
