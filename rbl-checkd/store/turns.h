/*
 * Turns of the partitions.  A job that the store has in each partition sends
 * one command at a time to each of them when its time has come.
 */

#ifndef TURNS_H_INCLUDED
#define TURNS_H_INCLUDED

#include <ev.h>

#include "store/store.h"

typedef struct turns_s  turns_t;

/* The owner's structure of a partition begins with this one. */
typedef struct {
    turns_t    *turns;
    void       *data;                   /* of the owner */
    unsigned    n;                      /* number of the partition */
    int         busy;                   /* its command is under way */
    int         again;                  /* meanwhile turns_soon was called */
    ev_tstamp   next;                   /* clock_now of its next turn */
} turn_t;

typedef struct {
    size_t   size;                      /* of the owner's structure */
    int      spread;                    /* 1: with many partitions the interval
                                           is longer */

    /* Sends the command of a partition, which turns_done ends.  0: not now; the
       partition keeps its turn. */
    int    (*take)(turn_t *turn);

    /* Both may be NULL.  init: the partitions are known now, and this one is
       zeroed but for the number; look: before each look at them. */
    void   (*init)(turn_t *turn);
    void   (*look)(void *data);
} turns_kind_t;

/* Looks at once, and whenever a partition has a turn, at least every `interval`
   seconds; only while the store is ready. */
turns_t *turns_new(struct ev_loop *loop, store_t *store,
    const turns_kind_t *kind, double interval, void *data);
void turns_stop(turns_t *turns);        /* looks no more */
void turns_free(turns_t *turns);        /* forgets the commands, too */

/* Forgets the commands under way: turns_done is not called for them. */
void turns_forget(turns_t *turns);

/* The command of a partition has ended; it has its next turn at that time. */
void turns_done(turn_t *turn, ev_tstamp next);

/* A partition has a turn at once, and again after the command under way. */
void turns_soon(turns_t *turns, unsigned part);
void turns_all_soon(turns_t *turns);

/* turns_run: looks now; turns_by: looks at this time at the latest, 0: soon. */
void turns_run(turns_t *turns);
void turns_by(turns_t *turns, ev_tstamp when);

double turns_interval(const turns_t *turns);

/* The number of partitions, 0: not known yet; a partition. */
unsigned turns_parts(const turns_t *turns);
turn_t *turns_part(const turns_t *turns, unsigned n);

#endif /* TURNS_H_INCLUDED */
