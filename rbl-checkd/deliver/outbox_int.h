/*
 * Declarations of the outbox's files: its reader (outbox.c), and the takeover
 * of entries of dead daemons (outbox_over.c).
 */

#ifndef OUTBOX_INT_H_INCLUDED
#define OUTBOX_INT_H_INCLUDED

#include "first.h"

typedef struct {
    turn_t      turn;                   /* read, or XGROUP CREATE */
    rbl_key_t   key;
    char        cursor[48];             /* of XAUTOCLAIM */
    ev_tstamp   later;                  /* no read before, after trouble */
    unsigned    open;                   /* entries on their way */
    unsigned    backlog:1;              /* own pending entries first */
    unsigned    own:1;                  /* the read in flight is for them */
} outbox_part_t;

struct outbox_s {
    deliver_t      *deliver;
    store_t        *store;
    safe_t         *safe;
    turns_t        *turns;
    ev_timer        takeover;
    entry_set_t     set;
};


static inline outbox_part_t *
outbox_part(const outbox_t *ob, unsigned n)
{
    return (outbox_part_t *) turns_part(ob->turns, n);
}


static inline rbl_str_t
outbox_key(const outbox_part_t *part)
{
    return (rbl_str_t) { part->key.s, part->key.n };
}


/* outbox.c: takes an entry of a stream.  0, or -1 as entry_start. */
int outbox_take(outbox_part_t *part, const redisReply *entry);

/* outbox_over.c: from now on, until ob->takeover is stopped. */
void outbox_take_over(outbox_t *ob);

#endif /* OUTBOX_INT_H_INCLUDED */
