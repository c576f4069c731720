/*
 * Counted, for attempts may outlive the entry that their body was made of.
 */

#include "payload.h"
#include "base/xalloc.h"

#include <openssl/crypto.h>
#include <stdlib.h>


payload_t *
payload_new(rbl_str_t bytes)
{
    payload_t  *payload;

    payload = xmalloc(sizeof(payload_t) + bytes.n + 1);
    payload->refs = 1;
    payload->n = bytes.n;

    if (bytes.n > 0) {
        memcpy(payload->bytes, bytes.p, bytes.n);
    }

    payload->bytes[bytes.n] = '\0';

    return payload;
}


payload_t *
payload_get(payload_t *payload)
{
    payload->refs++;

    return payload;
}


void
payload_put(payload_t *payload)
{
    if (payload == NULL || --payload->refs > 0) {
        return;
    }

    OPENSSL_cleanse(payload->bytes, payload->n);    /* it may hold a code */
    free(payload);
}
