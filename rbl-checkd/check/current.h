/*
 * Current listings of a host, the lists that were unknown last, and what its
 * lists answered, as check_begin returns them.  The object owns the bytes that
 * it refers to.
 */

#ifndef CURRENT_H_INCLUDED
#define CURRENT_H_INCLUDED

#include "check.h"

typedef struct {
    check_before_t   before;
    rbl_str_t        troubled;          /* their SIDs, one after the other */
    rbl_str_t        answers;           /* rbl_answers.h */
    int64_t          checked;           /* end of the last check (ms); 0 */
    int64_t          now;               /* time of the store (ms) */
    char            *bytes;
} current_t;

/*
 * `packed`: an array of {SID, zone, cleared}, or ""; `troubled`, `pending`:
 * SIDs, one after the other; `answers`: of the check that ended at `checked`;
 * `now`: the time of the store, ms since 1970.  The texts are copied.  0, or
 * -1: malformed.
 */
int current_read(current_t *current, rbl_str_t packed, rbl_str_t troubled,
    rbl_str_t pending, rbl_str_t answers, int64_t checked, int64_t now);
void current_free(current_t *current);

/* 1: the list was unknown, or its listing has ended and that is not confirmed
   yet. */
int current_open(const current_t *current, rbl_str_t sid);

#endif /* CURRENT_H_INCLUDED */
