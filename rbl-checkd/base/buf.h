/*
 * A growing buffer as a sink.  Initialize it with rbl_buf_init.  The bytes are
 * [base, out.pos); the buffer owns them, and they are valid until the next
 * write.  rbl_buf_reset discards the bytes and keeps the memory.
 *
 * There is always room (xalloc.h).  out.failed is set only by writers that
 * refuse what is written.
 */

#ifndef BUF_H_INCLUDED
#define BUF_H_INCLUDED

#include "rbl_out.h"

typedef struct {
    rbl_out_t  out;                     /* must be first: a buffer is a sink */
    char      *base;
} rbl_buf_t;

void rbl_buf_init(rbl_buf_t *b);
void rbl_buf_free(rbl_buf_t *b);
void rbl_buf_reset(rbl_buf_t *b);
rbl_str_t rbl_buf_str(const rbl_buf_t *b);

#endif /* BUF_H_INCLUDED */
