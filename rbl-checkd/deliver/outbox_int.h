/*
 * Declarations of the outbox's files: its reader (outbox.c), and the takeover
 * of entries of dead daemons (outbox_over.c).
 */

#ifndef OUTBOX_INT_H_INCLUDED
#define OUTBOX_INT_H_INCLUDED

#include "first.h"

typedef struct {
    outbox_t   *ob;
    unsigned    n;
    rbl_key_t   key;
    char        cursor[48];             /* of XAUTOCLAIM */
} outbox_part_t;

struct outbox_s {
    deliver_t      *deliver;
    store_t        *store;
    ev_timer        again;              /* the next read */
    ev_timer        takeover;
    entry_set_t     set;
    unsigned        groups;             /* XGROUP CREATE on their way */
    int             reading;
    int             backlog;            /* 1: own pending entries first */
    int             own;                /* 1: the read in flight is for them */
    int             failed;             /* since the last read */
    unsigned        n_parts;
    outbox_part_t  *parts;
    rbl_str_t      *argv;               /* of XREADGROUP */
};


static inline rbl_str_t
outbox_key(const outbox_part_t *part)
{
    return (rbl_str_t) { part->key.s, part->key.n };
}


/* outbox_over.c: from now on, until ob->takeover is stopped. */
void outbox_take_over(outbox_t *ob);

#endif /* OUTBOX_INT_H_INCLUDED */
