/*
 * The sink.  Its creator owns the window.
 */

#include "rbl_out.h"

#include <assert.h>


static int
rbl_out_refill(rbl_out_t *out)
{
    if (out->failed) {
        return -1;
    }

    if (out->more == NULL || out->more(out) != 0 || out->pos >= out->end) {
        out->failed = 1;
        return -1;
    }

    return 0;
}


void
rbl_out_bytes(rbl_out_t *out, const void *p, size_t n)
{
    size_t       room;
    const char  *from;

    assert(out->pos <= out->end);

    from = p;

    while (n > 0 && !out->failed) {
        room = (size_t) (out->end - out->pos);

        if (room == 0) {
            if (rbl_out_refill(out) != 0) {
                return;
            }

            continue;
        }

        if (room > n) {
            room = n;
        }

        memcpy(out->pos, from, room);
        out->pos += room;
        from += room;
        n -= room;
    }
}


void
rbl_out_str(rbl_out_t *out, rbl_str_t s)
{
    rbl_out_bytes(out, s.p, s.n);
}


void
rbl_out_z(rbl_out_t *out, const char *z)
{
    rbl_out_bytes(out, z, strlen(z));
}


void
rbl_out_char(rbl_out_t *out, char c)
{
    if (out->failed) {
        return;
    }

    if (out->pos == out->end && rbl_out_refill(out) != 0) {
        return;
    }

    *out->pos++ = c;
}


void
rbl_out_percent(rbl_out_t *out, rbl_str_t s)
{
    char    c;
    size_t  i;

    static const char  hex[] = "0123456789ABCDEF";

    for (i = 0; i < s.n; i++) {
        c = s.p[i];

        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
            || (c >= '0' && c <= '9')
            || c == '-' || c == '.' || c == '_' || c == '~')
        {
            rbl_out_char(out, c);
            continue;
        }

        rbl_out_char(out, '%');
        rbl_out_char(out, hex[(unsigned char) c >> 4]);
        rbl_out_char(out, hex[c & 15]);
    }
}


rbl_str_t
rbl_out_int_text(char buf[RBL_OUT_INT], int64_t v)
{
    char       *p;
    uint64_t    u;
    rbl_str_t   s;

    u = v < 0 ? 0 - (uint64_t) v : (uint64_t) v;
    p = buf + RBL_OUT_INT;

    do {
        *--p = (char) ('0' + u % 10);
        u /= 10;
    } while (u > 0);

    if (v < 0) {
        *--p = '-';
    }

    s.p = p;
    s.n = (size_t) (buf + RBL_OUT_INT - p);

    return s;
}


void
rbl_out_int(rbl_out_t *out, int64_t v)
{
    char  buf[RBL_OUT_INT];

    rbl_out_str(out, rbl_out_int_text(buf, v));
}
