/*
 * Commands as they go to the store (RESP2: an array of bulk strings).  hiredis
 * makes them from lists of pointers and of lengths, and grows its buffer as it
 * goes; here their size is known before, and they are written once, where they
 * are kept.
 */

#ifndef RESP_H_INCLUDED
#define RESP_H_INCLUDED

#include "rbl_out.h"

/* Octets that a command of n arguments takes at most, which have `bytes` in
   all, and a NUL. */
#define RESP_SIZE(n, bytes)                                                   \
    (((size_t) (n) + 1) * (RBL_OUT_INT + 5) + (bytes) + 1)

void resp_array(rbl_out_t *out, size_t n);      /* n of resp_bulk follow */
void resp_bulk(rbl_out_t *out, rbl_str_t s);

/*
 * The command that begins there, with a NUL behind it: hiredis looks behind a
 * verb without arguments (redisAsyncFormattedCommand).  Behind SUBSCRIBE and
 * its like it looks further: they must not go this way.
 */
rbl_str_t resp_end(rbl_out_t *out, const char *begin);

#endif /* RESP_H_INCLUDED */
