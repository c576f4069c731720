/*
 * The shape of a cluster, from CLUSTER NODES: servers that it cannot reach, and
 * what a move of slots has left behind when it was interrupted.
 */

#ifndef RBL_SHAPE_H_INCLUDED
#define RBL_SHAPE_H_INCLUDED

#include "rbl_condition.h"
#include "rbl_reply.h"

#define RBL_SHAPE_AT     64             /* sizes of buffers */
#define RBL_SHAPE_ID     41
#define RBL_SHAPE_LINES  256            /* of a reply that are read */

/* Addresses as the cluster announces them; "": none. */
typedef struct {
    unsigned  away;                     /* servers that the cluster has given
                                           up */
    char      away_at[RBL_SHAPE_AT];    /* one of them */
    unsigned  idle;                     /* masters without slots, which are
                                           there */
    char      idle_at[RBL_SHAPE_AT];
    char      poor[RBL_SHAPE_ID];       /* the master with the fewest
                                           replicas */
    unsigned  open;                     /* slots that a node is giving or
                                           taking */
    unsigned  slot;                     /* one of them */
    char      open_at[RBL_SHAPE_AT];    /* that node */
} rbl_shape_t;

void rbl_shape_init(rbl_shape_t *shape);

/* Adds the view of a node.  Each knows only its own open slots.  Bytes of the
   reply are hostile; what cannot be read is left out. */
void rbl_shape_add(rbl_shape_t *shape, const redisReply *nodes);

/* Writes what a move has left behind, and the remedy.  0: nothing. */
int rbl_shape_fault(const rbl_shape_t *shape,
    char reason[RBL_CONDITION_REASON], char remedy[RBL_CONDITION_REMEDY]);

#endif /* RBL_SHAPE_H_INCLUDED */
