/*
 * Commands in the protocol of the store (RESP2: an array of bulk strings).
 * hiredis makes them from arrays of pointers and lengths, in a growing buffer;
 * this code knows their size before and writes them once, into their final
 * place.
 */

#ifndef RESP_H_INCLUDED
#define RESP_H_INCLUDED

#include "rbl_out.h"

/* Size in bytes of a command of n arguments with `bytes` in all, and a NUL. */
#define RESP_SIZE(n, bytes)                                                   \
    (((size_t) (n) + 1) * (RBL_OUT_INT + 5) + (bytes) + 1)

void resp_array(rbl_out_t *out, size_t n);      /* must be followed by n calls
                                                   of resp_bulk */
void resp_bulk(rbl_out_t *out, rbl_str_t s);

/*
 * Returns the command that begins there, with a NUL after it, because hiredis
 * reads past a verb without arguments, and past the channel of SUBSCRIBE
 * (redisAsyncFormattedCommand).
 */
rbl_str_t resp_end(rbl_out_t *out, const char *begin);

#endif /* RESP_H_INCLUDED */
