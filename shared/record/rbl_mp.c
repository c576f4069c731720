/*
 * MessagePack as the store uses it.  One parser, rbl_mp_read, handles every
 * form of a value; the typed readers only check its result.  The readers
 * inlined in the header handle the most frequent forms.  Nothing is allocated;
 * strings are views of the input.
 *
 * Scripts write integers as integers.  A double with an integral value is
 * accepted as an integer, because Lua does not distinguish them.
 */

#include "rbl_mp.h"


#define RBL_MP_DEPTH  8


typedef enum {
    RBL_MP_BAD = 0,
    RBL_MP_INT,
    RBL_MP_STR,
    RBL_MP_ARRAY,
    RBL_MP_OTHER                        /* nil, boolean, float, extension */
} rbl_mp_kind_t;

typedef struct {
    int64_t    i;
    rbl_str_t  s;
    uint64_t   n;                       /* elements: array or map */
} rbl_mp_value_t;


static uint64_t
rbl_mp_big_endian(rbl_mp_t *mp, unsigned size)
{
    uint64_t              v;
    const unsigned char  *p;

    v = 0;
    p = mp->pos;

    if ((size_t) (mp->end - p) < size) {
        mp->failed = 1;
        return 0;
    }

    mp->pos = p + size;

    while (p < mp->pos) {
        v = v << 8 | *p++;
    }

    return v;
}


static rbl_mp_kind_t
rbl_mp_bytes(rbl_mp_t *mp, rbl_mp_value_t *v, uint64_t n)
{
    if (mp->failed || n > (uint64_t) (mp->end - mp->pos)) {
        return RBL_MP_BAD;
    }

    v->s.p = (const char *) mp->pos;
    v->s.n = (size_t) n;
    mp->pos += n;

    return RBL_MP_STR;
}


/* Every element takes at least one byte, so a larger count is invalid. */

static rbl_mp_kind_t
rbl_mp_values(rbl_mp_t *mp, rbl_mp_value_t *v, uint64_t n)
{
    if (mp->failed || n > (uint64_t) (mp->end - mp->pos)) {
        return RBL_MP_BAD;
    }

    v->n = n;

    return RBL_MP_ARRAY;
}


static rbl_mp_kind_t
rbl_mp_map(rbl_mp_t *mp, rbl_mp_value_t *v, uint64_t n)
{
    return rbl_mp_values(mp, v, n * 2) == RBL_MP_BAD ? RBL_MP_BAD
                                                     : RBL_MP_OTHER;
}


static rbl_mp_kind_t
rbl_mp_float(rbl_mp_t *mp, rbl_mp_value_t *v, unsigned size)
{
    float     f;
    double    d;
    uint32_t  u32;
    uint64_t  u64;

    u64 = rbl_mp_big_endian(mp, size);
    if (mp->failed) {
        return RBL_MP_BAD;
    }

    if (size == sizeof(f)) {
        u32 = (uint32_t) u64;
        memcpy(&f, &u32, sizeof(f));
        d = f;

    } else {
        memcpy(&d, &u64, sizeof(d));
    }

    /* NaN fails the comparison; 2^63 is the first value that does not fit */

    if (!(d >= -9223372036854775808.0 && d < 9223372036854775808.0)
        || d != (double) (int64_t) d)
    {
        return RBL_MP_OTHER;
    }

    v->i = (int64_t) d;

    return RBL_MP_INT;
}


static rbl_mp_kind_t
rbl_mp_number(rbl_mp_t *mp, rbl_mp_value_t *v, unsigned char tag)
{
    unsigned  size;
    uint64_t  u, sign;

    size = 1u << (tag & 3);
    u = rbl_mp_big_endian(mp, size);

    if (mp->failed) {
        return RBL_MP_BAD;
    }

    if (tag >= 0xd0) {
        sign = UINT64_C(1) << (size * 8 - 1);
        v->i = (int64_t) ((u ^ sign) - sign);
        return RBL_MP_INT;
    }

    if (u > INT64_MAX) {
        return RBL_MP_OTHER;
    }

    v->i = (int64_t) u;

    return RBL_MP_INT;
}


static rbl_mp_kind_t
rbl_mp_ext(rbl_mp_t *mp, rbl_mp_value_t *v, uint64_t n)
{
    return rbl_mp_bytes(mp, v, n + 1) == RBL_MP_BAD ? RBL_MP_BAD
                                                    : RBL_MP_OTHER;
}


static rbl_mp_kind_t
rbl_mp_tagged(rbl_mp_t *mp, rbl_mp_value_t *v, unsigned char tag)
{
    switch (tag) {

    case 0xc0: case 0xc2: case 0xc3:
        return RBL_MP_OTHER;

    case 0xc4: case 0xc5: case 0xc6:
        return rbl_mp_bytes(mp, v, rbl_mp_big_endian(mp, 1u << (tag - 0xc4)));

    case 0xc7: case 0xc8: case 0xc9:
        return rbl_mp_ext(mp, v, rbl_mp_big_endian(mp, 1u << (tag - 0xc7)));

    case 0xca:
        return rbl_mp_float(mp, v, 4);

    case 0xcb:
        return rbl_mp_float(mp, v, 8);

    case 0xcc: case 0xcd: case 0xce: case 0xcf:
    case 0xd0: case 0xd1: case 0xd2: case 0xd3:
        return rbl_mp_number(mp, v, tag);

    case 0xd4: case 0xd5: case 0xd6: case 0xd7: case 0xd8:
        return rbl_mp_ext(mp, v, 1u << (tag - 0xd4));

    case 0xd9: case 0xda: case 0xdb:
        return rbl_mp_bytes(mp, v, rbl_mp_big_endian(mp, 1u << (tag - 0xd9)));

    case 0xdc: case 0xdd:
        return rbl_mp_values(mp, v, rbl_mp_big_endian(mp, 2u << (tag - 0xdc)));

    case 0xde: case 0xdf:
        return rbl_mp_map(mp, v, rbl_mp_big_endian(mp, 2u << (tag - 0xde)));

    default:                            /* 0xc1 is never used */
        return RBL_MP_BAD;
    }
}


/* Reads the head of one value; for a string, also its bytes. */

static rbl_mp_kind_t
rbl_mp_read(rbl_mp_t *mp, rbl_mp_value_t *v)
{
    unsigned char  tag;

    v->n = 0;

    if (mp->failed || mp->pos == mp->end) {
        return RBL_MP_BAD;
    }

    tag = *mp->pos++;

    if (tag < 0x80) {
        v->i = tag;
        return RBL_MP_INT;
    }

    if (tag >= 0xe0) {
        v->i = (int64_t) tag - 0x100;
        return RBL_MP_INT;
    }

    if (tag < 0x90) {
        return rbl_mp_map(mp, v, tag & 0x0f);
    }

    if (tag < 0xa0) {
        return rbl_mp_values(mp, v, tag & 0x0f);
    }

    if (tag < 0xc0) {
        return rbl_mp_bytes(mp, v, tag & 0x1f);
    }

    return rbl_mp_tagged(mp, v, tag);
}


void
rbl_mp_init(rbl_mp_t *mp, rbl_str_t bytes)
{
    static const unsigned char  none[1];

    mp->pos = bytes.n ? (const unsigned char *) bytes.p : none;
    mp->end = mp->pos + bytes.n;
    mp->failed = 0;
}


size_t
rbl_mp_array_any(rbl_mp_t *mp)
{
    rbl_mp_value_t  v;

    if (rbl_mp_read(mp, &v) != RBL_MP_ARRAY) {
        mp->failed = 1;
        return 0;
    }

    return (size_t) v.n;
}


rbl_str_t
rbl_mp_str_any(rbl_mp_t *mp)
{
    rbl_mp_value_t  v;

    if (rbl_mp_read(mp, &v) != RBL_MP_STR) {
        mp->failed = 1;
        return RBL_STR("");
    }

    return v.s;
}


int64_t
rbl_mp_int_any(rbl_mp_t *mp)
{
    rbl_mp_value_t  v;

    if (rbl_mp_read(mp, &v) != RBL_MP_INT) {
        mp->failed = 1;
        return 0;
    }

    return v.i;
}


void
rbl_mp_skip(rbl_mp_t *mp)
{
    unsigned        depth;
    uint64_t        left[RBL_MP_DEPTH + 1];
    rbl_mp_value_t  v;

    depth = 0;
    left[0] = 1;

    for ( ;; ) {
        if (rbl_mp_read(mp, &v) == RBL_MP_BAD) {
            mp->failed = 1;
            return;
        }

        left[depth]--;

        if (v.n > 0) {
            if (depth == RBL_MP_DEPTH) {
                mp->failed = 1;
                return;
            }

            left[++depth] = v.n;
        }

        while (left[depth] == 0) {
            if (depth-- == 0) {
                return;
            }
        }
    }
}


rbl_str_t
rbl_mp_raw(rbl_mp_t *mp)
{
    rbl_str_t             s;
    const unsigned char  *start;

    start = mp->pos;
    rbl_mp_skip(mp);

    if (mp->failed) {
        return RBL_STR("");
    }

    s.p = (const char *) start;
    s.n = (size_t) (mp->pos - start);

    return s;
}


static void
rbl_mp_put(rbl_out_t *out, unsigned char tag, uint64_t v, unsigned size)
{
    unsigned       i;
    unsigned char  buf[9];

    buf[0] = tag;

    for (i = size; i > 0; i--) {
        buf[i] = (unsigned char) v;
        v >>= 8;
    }

    rbl_out_bytes(out, buf, size + 1);
}


void
rbl_mp_put_array(rbl_out_t *out, size_t n)
{
    if (n < 16) {
        rbl_out_char(out, (char) (0x90 | n));

    } else if (n <= UINT16_MAX) {
        rbl_mp_put(out, 0xdc, n, 2);

    } else if (n <= UINT32_MAX) {
        rbl_mp_put(out, 0xdd, n, 4);

    } else {
        out->failed = 1;
    }
}


void
rbl_mp_put_str(rbl_out_t *out, rbl_str_t s)
{
    if (s.n < 32) {
        rbl_out_char(out, (char) (0xa0 | s.n));

    } else if (s.n <= UINT8_MAX) {
        rbl_mp_put(out, 0xd9, s.n, 1);

    } else if (s.n <= UINT16_MAX) {
        rbl_mp_put(out, 0xda, s.n, 2);

    } else if (s.n <= UINT32_MAX) {
        rbl_mp_put(out, 0xdb, s.n, 4);

    } else {
        out->failed = 1;
    }

    rbl_out_str(out, s);
}


void
rbl_mp_put_z(rbl_out_t *out, const char *z)
{
    rbl_mp_put_str(out, rbl_str(z));
}


void
rbl_mp_put_int(rbl_out_t *out, int64_t v)
{
    if (v >= -32 && v < 128) {
        rbl_out_char(out, (char) (v & 0xff));

    } else if (v >= 0) {
        if (v <= UINT8_MAX) {
            rbl_mp_put(out, 0xcc, (uint64_t) v, 1);

        } else if (v <= UINT16_MAX) {
            rbl_mp_put(out, 0xcd, (uint64_t) v, 2);

        } else if (v <= UINT32_MAX) {
            rbl_mp_put(out, 0xce, (uint64_t) v, 4);

        } else {
            rbl_mp_put(out, 0xcf, (uint64_t) v, 8);
        }

    } else if (v >= INT8_MIN) {
        rbl_mp_put(out, 0xd0, (uint64_t) v, 1);

    } else if (v >= INT16_MIN) {
        rbl_mp_put(out, 0xd1, (uint64_t) v, 2);

    } else if (v >= INT32_MIN) {
        rbl_mp_put(out, 0xd2, (uint64_t) v, 4);

    } else {
        rbl_mp_put(out, 0xd3, (uint64_t) v, 8);
    }
}
