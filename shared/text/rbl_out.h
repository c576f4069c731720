/*
 * Output of the MessagePack and document writers.  A sink is a window [pos,
 * end) and a function that provides a new window when it is full.  nginx writes
 * directly into its buffer chain, the daemon and rblctl into a growing buffer
 * (rbl-checkd/base/buf.h), and a window without `more` is a limit.
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
                                           or -1: there is no room */
    int    failed;
};

void rbl_out_bytes(rbl_out_t *out, const void *p, size_t n);
void rbl_out_str(rbl_out_t *out, rbl_str_t s);
void rbl_out_z(rbl_out_t *out, const char *z);
void rbl_out_char(rbl_out_t *out, char c);
void rbl_out_int(rbl_out_t *out, int64_t v);    /* decimal */

/* Percent-encoded, but for the unreserved characters of RFC 3986. */
void rbl_out_percent(rbl_out_t *out, rbl_str_t s);

/* The same into the caller's buffer. */
#define RBL_OUT_INT  20
rbl_str_t rbl_out_int_text(char buf[RBL_OUT_INT], int64_t v);

/* True if n bytes fit at pos without a new window. */
static inline int
rbl_out_fits(const rbl_out_t *out, size_t n)
{
    return !out->failed && (size_t) (out->end - out->pos) >= n;
}

#endif /* RBL_OUT_H_INCLUDED */
