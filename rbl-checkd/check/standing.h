/*
 * What check_begin has told of a host's lists: the listings that stand, and
 * the lists that were unknown last.  It owns the bytes that it refers to.
 */

#ifndef STANDING_H_INCLUDED
#define STANDING_H_INCLUDED

#include "check.h"

typedef struct {
    size_t             n;
    check_standing_t  *listing;         /* a zone of its own is another list */
    rbl_str_t          troubled;        /* their SIDs, one after the other */
    rbl_str_t          pending;         /* likewise: those of them that a new
                                           listing was seen at */
    char              *bytes;
} standing_t;

/*
 * From a packed array of {SID, zone, cleared}, "" for none, and the lists that
 * have trouble, "PENDING:OTHERS" or ""; `now`: the store's, ms since 1970.  0,
 * or -1: nonsense, or no memory.
 */
int standing_read(standing_t *standing, rbl_str_t packed, rbl_str_t troubled,
    int64_t now);
void standing_free(standing_t *standing);

/* Does a question to the list wait for an answer: has it trouble, or a listing
   that has ended, which is not confirmed? */
int standing_open(const standing_t *standing, rbl_str_t sid);

#endif /* STANDING_H_INCLUDED */
