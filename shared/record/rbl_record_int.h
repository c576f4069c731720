/*
 * What the two files of records know of one another: rbl_record.c has the
 * tables, rbl_record_field.c reads by them.  Nothing is copied; the views live
 * as long as the record's bytes.
 */

#ifndef RBL_RECORD_INT_H_INCLUDED
#define RBL_RECORD_INT_H_INCLUDED

#include "rbl_record.h"

typedef enum {
    RBL_FIELD_SKIP = 0,
    RBL_FIELD_STR,
    RBL_FIELD_INT,
    RBL_FIELD_ARRAY
} rbl_field_kind_t;

typedef struct {
    rbl_field_kind_t  kind;
    size_t            offset;
} rbl_field_t;

/*
 * A whole record: its version and n fields, of which it has at least the first
 * `least`.  RBL_ETYPE: it is not one, and *v (of that size) is all zero.
 */
rbl_err_t rbl_record_decode(rbl_str_t raw, const rbl_field_t *field,
    size_t least, size_t n, void *v, size_t size);

/* An entry of an array within a record, from where mp stands; no version. */
rbl_err_t rbl_entry_decode(rbl_mp_t *mp, const rbl_field_t *field,
    size_t least, size_t n, void *v, size_t size);

#endif /* RBL_RECORD_INT_H_INCLUDED */
