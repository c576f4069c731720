/*
 * The growing buffer: each window has twice the bytes of the former one.
 */

#include "buf.h"
#include "xalloc.h"

#include <stdlib.h>

#define FIRST  512


static int
more(rbl_out_t *out)
{
    size_t      used, size;
    rbl_buf_t  *b;

    b = (rbl_buf_t *) out;
    used = b->base ? (size_t) (out->pos - b->base) : 0;

    size = used < FIRST ? FIRST : used * 2;

    b->base = xrealloc(b->base, size);
    out->pos = b->base + used;
    out->end = b->base + size;

    return 0;
}


void
rbl_buf_init(rbl_buf_t *b)
{
    memset(b, 0, sizeof(*b));
    b->out.more = more;
}


void
rbl_buf_free(rbl_buf_t *b)
{
    free(b->base);
    rbl_buf_init(b);
}


void
rbl_buf_reset(rbl_buf_t *b)
{
    b->out.pos = b->base;
    b->out.failed = 0;
}


rbl_str_t
rbl_buf_str(const rbl_buf_t *b)
{
    rbl_str_t  s;

    if (b->base == NULL) {
        return RBL_STR("");
    }

    s.p = b->base;
    s.n = (size_t) (b->out.pos - b->base);

    return s;
}
