/*
 * Output of the MessagePack and document writers.  A sink is a window [pos,
 * end) and a function that provides a new window when it is full.  nginx writes
 * directly into its buffer chain; other programs write into one growing buffer
 * (rbl_buf_t).
 *
 * Errors are sticky: after the first failure output is discarded and `failed`
 * is 1; the caller checks once, at the end.
 */

#ifndef RBL_OUT_H_INCLUDED
#define RBL_OUT_H_INCLUDED

#include "rbl_common.h"

typedef struct rbl_out_s  rbl_out_t;

struct rbl_out_s {
    char  *pos;                         /* next free byte */
    char  *end;                         /* one past the window */
    int  (*more)(rbl_out_t *out);       /* provides at least one byte at pos; 0,
                                           or -1: out of memory */
    int    failed;
};

void rbl_out_bytes(rbl_out_t *out, const void *p, size_t n);
void rbl_out_str(rbl_out_t *out, rbl_str_t s);
void rbl_out_z(rbl_out_t *out, const char *z);
void rbl_out_char(rbl_out_t *out, char c);
void rbl_out_int(rbl_out_t *out, int64_t v);    /* decimal */

/* The same into the caller's buffer. */
#define RBL_OUT_INT  20
rbl_str_t rbl_out_int_text(char buf[RBL_OUT_INT], int64_t v);

/* True if n bytes fit at pos without a new window. */
static inline int
rbl_out_fits(const rbl_out_t *out, size_t n)
{
    return !out->failed && (size_t) (out->end - out->pos) >= n;
}

/*
 * A growing buffer on malloc.  Initialize it with rbl_buf_init.  The bytes are
 * [base, out.pos); the buffer owns them, and they are valid until the next
 * write. rbl_buf_reset discards the bytes and keeps the memory.
 */
typedef struct {
    rbl_out_t  out;                     /* must be first: a buffer is a sink */
    char      *base;
} rbl_buf_t;

void rbl_buf_init(rbl_buf_t *b);
void rbl_buf_free(rbl_buf_t *b);
void rbl_buf_reset(rbl_buf_t *b);
rbl_str_t rbl_buf_str(const rbl_buf_t *b);

#endif /* RBL_OUT_H_INCLUDED */
