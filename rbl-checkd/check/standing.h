/*
 * What check_begin has told of a host's lists: the listings that stand, and
 * the lists that were unknown last.  It owns the bytes that it refers to.
 */

#ifndef STANDING_H_INCLUDED
#define STANDING_H_INCLUDED

#include "check.h"

typedef struct {
    check_before_t   before;
    rbl_str_t        troubled;          /* their SIDs, one after the other */
    char            *bytes;
} standing_t;

/*
 * `packed`: an array of {SID, zone, cleared}, or ""; `troubled`, `pending`:
 * SIDs, one after the other; `now`: the time of the store, ms since 1970.  The
 * texts are copied.  0, or -1: malformed, or out of memory.
 */
int standing_read(standing_t *standing, rbl_str_t packed, rbl_str_t troubled,
    rbl_str_t pending, int64_t now);
void standing_free(standing_t *standing);

/* Does a question to the list wait for an answer: has it trouble, or a listing
   that has ended, which is not confirmed? */
int standing_open(const standing_t *standing, rbl_str_t sid);

#endif /* STANDING_H_INCLUDED */
