/*
 * Where bytes are written to: the sink behind the MessagePack and document
 * writers.  A sink is a window [pos, end) and a function that makes a new
 * window when it is full, so that nginx writes straight into its buffer chain
 * and everybody else into one growing buffer (rbl_buf_t).
 *
 * Errors are sticky: after the first failure nothing is written any more and
 * `failed` is 1; the caller looks once, at the end.
 */

#ifndef RBL_OUT_H_INCLUDED
#define RBL_OUT_H_INCLUDED

#include "rbl_common.h"

typedef struct rbl_out_s  rbl_out_t;

struct rbl_out_s {
    char  *pos;                         /* next free byte */
    char  *end;                         /* one past the window */
    int  (*more)(rbl_out_t *out);       /* at least one byte of new room at
                                           pos; 0, or -1: no memory */
    int    failed;
};

void rbl_out_bytes(rbl_out_t *out, const void *p, size_t n);
void rbl_out_str(rbl_out_t *out, rbl_str_t s);
void rbl_out_z(rbl_out_t *out, const char *z);
void rbl_out_char(rbl_out_t *out, char c);
void rbl_out_int(rbl_out_t *out, int64_t v);    /* decimal */

/* The same as a text in the caller's buffer. */
#define RBL_OUT_INT  20
rbl_str_t rbl_out_int_text(char buf[RBL_OUT_INT], int64_t v);

/* Is there room for n bytes at pos, without asking for more? */
static inline int
rbl_out_fits(const rbl_out_t *out, size_t n)
{
    return !out->failed && (size_t) (out->end - out->pos) >= n;
}

/*
 * A growing buffer on malloc.  Zero-initialize with rbl_buf_init; the bytes
 * are [base, out.pos), owned by the buffer, valid until the next write.
 * rbl_buf_reset forgets the bytes and keeps the room.
 */
typedef struct {
    rbl_out_t  out;                     /* first: a sink is a buffer */
    char      *base;
} rbl_buf_t;

void rbl_buf_init(rbl_buf_t *b);
void rbl_buf_free(rbl_buf_t *b);
void rbl_buf_reset(rbl_buf_t *b);
rbl_str_t rbl_buf_str(const rbl_buf_t *b);

#endif /* RBL_OUT_H_INCLUDED */
