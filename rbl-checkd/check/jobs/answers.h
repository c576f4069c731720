/*
 * Which lists of a check gave an answer, and when the others did last: what
 * check_finish and check_clear take as `asks`.
 */

#ifndef ANSWERS_H_INCLUDED
#define ANSWERS_H_INCLUDED

#include "check/check_lists.h"
#include "check/check.h"
#include "check/current.h"
#include "rbl_out.h"

/* 1: times of earlier answers are needed, and are in an order of lists that the
   record "coverage" of the account has. */
int answers_moved(const check_t *check, const check_lists_t *lists,
    const current_t *current);

/*
 * Returns when each list answered last before this check (ms, 0: not known), in
 * the order of the store; the caller frees it.  `coverage`: the record if the
 * answers have moved, else "".  NULL: nothing is known.
 */
int64_t *answers_last(const check_lists_t *lists, const current_t *current,
    rbl_str_t coverage);

/* Writes nothing without a check, or if the digest of the lists is not known.
   `last`: of answers_last, or NULL; `now`: the time of the store when the check
   began (ms). */
void answers_pack(rbl_out_t *out, const check_t *check,
    const check_lists_t *lists, const int64_t *last, int64_t now);

#endif /* ANSWERS_H_INCLUDED */
