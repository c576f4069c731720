/*
 * The results of a check in the forms that check_finish takes and the API
 * shows: packed arrays of results (rbl_record.h).
 */

#ifndef RESULT_H_INCLUDED
#define RESULT_H_INCLUDED

#include "check/check_lists.h"
#include "base/buf.h"
#include "check/check.h"
#include "check/current.h"

typedef struct {
    size_t     n;                       /* lists */
    size_t     recheck;                 /* s until a list must be queried again;
                                           0: the usual interval */
    rbl_buf_t  told;                    /* packed: all results but the clear
                                           ones */
    rbl_buf_t  clear;                   /* SIDs of the lists that are clear */
    rbl_buf_t  all;                     /* packed: everything, if wanted */
    rbl_buf_t  asks;                    /* the lists, and which gave an answer;
                                           "" if their digest is not known */
} result_pack_t;

void result_init(result_pack_t *p);
void result_free(result_pack_t *p);

/* 1: times of earlier answers are needed, and are in an order of lists that the
   record "coverage" of the account has. */
int result_needs_coverage(const check_t *check, const check_lists_t *lists,
    const current_t *current);

/*
 * Returns when each list answered last before this check (ms, 0: not known), in
 * the order of the store; the caller frees it.  `coverage`: that record if it
 * is needed, else "".  NULL: nothing is known.
 */
int64_t *result_last(const check_lists_t *lists, const current_t *current,
    rbl_str_t coverage);

/*
 * Packs the results of a check, and the lists that it left out as skipped.
 * Without a check (NULL) there are no results.  `last`: of result_last, or
 * NULL; `now`: the time of the store when the check began (ms); `whole`: `all`
 * is needed.
 */
void result_pack(result_pack_t *p, const check_t *check,
    const check_lists_t *lists, const int64_t *last, int64_t now, int whole);

#endif /* RESULT_H_INCLUDED */
