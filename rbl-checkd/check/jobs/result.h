/*
 * The results of a check in the forms that check_finish takes and the API
 * shows: packed arrays of results (rbl_record.h).
 */

#ifndef RESULT_H_INCLUDED
#define RESULT_H_INCLUDED

#include "check/check_lists.h"
#include "base/buf.h"
#include "check/check.h"

typedef struct {
    size_t     n;                       /* lists */
    size_t     recheck;                 /* s until a list must be queried again;
                                           0: the usual interval */
    rbl_buf_t  told;                    /* packed: all results but the clear
                                           ones */
    rbl_buf_t  clear;                   /* SIDs of the lists that are clear */
    rbl_buf_t  all;                     /* packed: everything, if wanted */
    rbl_buf_t  asks;                    /* the lists, and which gave an answer
                                           (answers.h) */
} result_pack_t;

void result_init(result_pack_t *p);
void result_free(result_pack_t *p);

/*
 * Packs the results of a check, and the lists that it left out as skipped.
 * Without a check (NULL) there are no results.  `last`, `now`: of
 * answers_pack; `whole`: `all` is needed.
 */
void result_pack(result_pack_t *p, const check_t *check,
    const check_lists_t *lists, const int64_t *last, int64_t now, int whole);

#endif /* RESULT_H_INCLUDED */
