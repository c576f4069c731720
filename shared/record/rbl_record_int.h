/*
 * Internal header of the record files: rbl_record.c has the tables,
 * rbl_record_field.c reads by them.  Nothing is copied; the views are valid as
 * long as the record's bytes.
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
 * Reads a whole record: its version and n fields; the first `least` are
 * required.  RBL_ETYPE: not such a record; *v (of that size) is zeroed.
 */
rbl_err_t rbl_record_decode(rbl_str_t raw, const rbl_field_t *field,
    size_t least, size_t n, void *v, size_t size);

/* The same, by the names of the table and of the entity in schema.txt. */
#define RBL_RECORD_DECODE(raw, name, NAME, v)                                 \
    rbl_record_decode(raw, rbl_##name##_fields, RBL_##NAME##__MIN,            \
                      RBL_##NAME##__N, v, sizeof(*(v)))

/* Reads an entry of an array within a record, at the position of mp; no
   version. */
rbl_err_t rbl_entry_decode(rbl_mp_t *mp, const rbl_field_t *field,
    size_t least, size_t n, void *v, size_t size);

#endif /* RBL_RECORD_INT_H_INCLUDED */
