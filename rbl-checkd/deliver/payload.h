/*
 * The body of an event: all attempts share the same bytes, and the last put
 * wipes them.
 */

#ifndef DELIVER_PAYLOAD_H_INCLUDED
#define DELIVER_PAYLOAD_H_INCLUDED

#include "rbl_common.h"

typedef struct {
    unsigned  refs;
    size_t    n;
    char      bytes[];                  /* and a NUL behind them */
} payload_t;

payload_t *payload_new(rbl_str_t bytes);
payload_t *payload_get(payload_t *payload);
void payload_put(payload_t *payload);       /* NULL is nothing */


static inline rbl_str_t
payload_str(const payload_t *payload)
{
    return (rbl_str_t) { payload->bytes, payload->n };
}

#endif /* DELIVER_PAYLOAD_H_INCLUDED */
