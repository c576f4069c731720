/*
 * MessagePack, the part that the store uses: nil, integers, strings (str and
 * bin read alike), arrays.  The input is hostile: a reader never leaves its
 * window and fails sticky; a nesting deeper than 8 is refused by skip.
 */

#ifndef RBL_MP_H_INCLUDED
#define RBL_MP_H_INCLUDED

#include "rbl_out.h"

typedef struct {
    const unsigned char  *pos;
    const unsigned char  *end;
    int                   failed;
} rbl_mp_t;

void rbl_mp_init(rbl_mp_t *mp, rbl_str_t bytes);
size_t rbl_mp_array(rbl_mp_t *mp);      /* number of elements; 0 on failure */
rbl_str_t rbl_mp_str(rbl_mp_t *mp);     /* a view into the input */
int64_t rbl_mp_int(rbl_mp_t *mp);
rbl_str_t rbl_mp_raw(rbl_mp_t *mp);     /* one whole value, as its bytes */
void rbl_mp_skip(rbl_mp_t *mp);

void rbl_mp_put_array(rbl_out_t *out, size_t n);
void rbl_mp_put_str(rbl_out_t *out, rbl_str_t s);
void rbl_mp_put_z(rbl_out_t *out, const char *z);
void rbl_mp_put_int(rbl_out_t *out, int64_t v);

#endif /* RBL_MP_H_INCLUDED */
