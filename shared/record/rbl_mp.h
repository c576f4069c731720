/*
 * The part of MessagePack that the store uses: nil, integers, strings (str and
 * bin are read alike), arrays.  The input is not trusted: a reader never leaves
 * its window, and its errors are sticky.  Skipping fails at a nesting deeper
 * than 8.
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
static inline size_t rbl_mp_array(rbl_mp_t *mp);    /* number of elements; 0
                                                       on failure */
static inline rbl_str_t rbl_mp_str(rbl_mp_t *mp);   /* view of the input */
static inline int64_t rbl_mp_int(rbl_mp_t *mp);
rbl_str_t rbl_mp_raw(rbl_mp_t *mp);     /* one whole value, as bytes */
void rbl_mp_skip(rbl_mp_t *mp);

void rbl_mp_put_array(rbl_out_t *out, size_t n);
void rbl_mp_put_str(rbl_out_t *out, rbl_str_t s);
void rbl_mp_put_z(rbl_out_t *out, const char *z);
void rbl_mp_put_int(rbl_out_t *out, int64_t v);


/*
 * A page of hosts has some four hundred values.  Their most frequent forms are
 * read inline; these functions read all others and handle errors.
 */

size_t rbl_mp_array_any(rbl_mp_t *mp);
rbl_str_t rbl_mp_str_any(rbl_mp_t *mp);
int64_t rbl_mp_int_any(rbl_mp_t *mp);


static inline rbl_str_t
rbl_mp_str(rbl_mp_t *mp)
{
    size_t                n, room, head;
    rbl_str_t             s;
    const unsigned char  *p;

    p = mp->pos;
    room = mp->failed ? 0 : (size_t) (mp->end - p);

    if (room > 0 && (p[0] & 0xe0) == 0xa0) {
        head = 1;
        n = p[0] & 0x1f;

    } else if (room > 1 && p[0] == 0xd9) {
        head = 2;
        n = p[1];

    } else {
        return rbl_mp_str_any(mp);
    }

    if (room - head < n) {
        return rbl_mp_str_any(mp);
    }

    s.p = (const char *) p + head;
    s.n = n;
    mp->pos = p + head + n;

    return s;
}


static inline int64_t
rbl_mp_int(rbl_mp_t *mp)
{
    const unsigned char  *p;

    p = mp->pos;

    if (mp->failed || p == mp->end) {
        return rbl_mp_int_any(mp);
    }

    if (*p < 0x80) {
        mp->pos = p + 1;
        return *p;
    }

    /* a time: eight bytes, the first below 0x80 */

    if (*p != 0xcf || mp->end - p < 9 || p[1] >= 0x80) {
        return rbl_mp_int_any(mp);
    }

    mp->pos = p + 9;

    return (int64_t) ((uint64_t) p[1] << 56 | (uint64_t) p[2] << 48
                      | (uint64_t) p[3] << 40 | (uint64_t) p[4] << 32
                      | (uint64_t) p[5] << 24 | (uint64_t) p[6] << 16
                      | (uint64_t) p[7] << 8 | p[8]);
}


/* Every element takes at least one byte, so a larger number is invalid. */

static inline size_t
rbl_mp_array(rbl_mp_t *mp)
{
    size_t                n, room, head;
    const unsigned char  *p;

    p = mp->pos;
    room = mp->failed ? 0 : (size_t) (mp->end - p);

    if (room > 0 && (p[0] & 0xf0) == 0x90) {
        head = 1;
        n = p[0] & 0x0f;

    } else if (room > 2 && p[0] == 0xdc) {
        head = 3;
        n = (size_t) p[1] << 8 | p[2];

    } else {
        return rbl_mp_array_any(mp);
    }

    if (room - head < n) {
        return rbl_mp_array_any(mp);
    }

    mp->pos = p + head;

    return n;
}

#endif /* RBL_MP_H_INCLUDED */
