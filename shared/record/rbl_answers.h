/*
 * The answers of the lists of a host: the field "answers" of its record
 * (schema.txt).  The lists have the order of the check that wrote the field; it
 * is found by their digest (rbl_coverage.h).
 *
 * The daemon makes `rest`, and the scripts put the head before it.
 */

#ifndef RBL_ANSWERS_H_INCLUDED
#define RBL_ANSWERS_H_INCLUDED

#include "rbl_common.h"

#define RBL_ANSWERS_HEAD    4           /* bytes: stamp, digest */
#define RBL_ANSWERS_LISTS   1024        /* the most lists */

/* The most bytes of `rest` for n lists: 57 for 40. */
#define RBL_ANSWERS_REST(n)  ((n) < 40 ? (n) + 17 : (n) * 57 / 40)

typedef struct {
    int       given;                    /* 1: in the last check; `at` is its
                                           time, and there is no error */
    unsigned  error;                    /* rbl_lookup_err_t, up to 15; 0: the
                                           check left the list out */
    int64_t   at;                       /* last answer (ms); 0: none is known */
} rbl_answer_t;

/*
 * Writes `rest` of n lists (at most RBL_ANSWERS_LISTS) after a check that began
 * at `now` (ms) and returns its size; 0: all gave an answer in the check.
 * Times are rounded down: to minutes if up to five lists gave no answer, else
 * by up to a part of their age: 3 %, or 6 % if all of 40 lists gave none.
 */
size_t rbl_answers_rest(unsigned char *rest, const rbl_answer_t *a, size_t n,
    int64_t now);

/* True if the check that ended at `checked` (ms) wrote the field. */
int rbl_answers_of(rbl_str_t field, int64_t checked);

/* True if the field has the lists of the digest that begins with these digits
   (at least six). */
int rbl_answers_in(rbl_str_t field, const char *digits);

/*
 * Reads the field for n lists, written by the check that ended at `checked`.
 * RBL_EINVAL: damaged, or not of so many lists; `a` is undefined then.
 */
rbl_err_t rbl_answers_read(rbl_answer_t *a, size_t n, rbl_str_t field,
    int64_t checked);

#endif /* RBL_ANSWERS_H_INCLUDED */
