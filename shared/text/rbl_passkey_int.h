/*
 * Declarations of the files rbl_passkey*.c.
 */

#ifndef RBL_PASSKEY_INT_H_INCLUDED
#define RBL_PASSKEY_INT_H_INCLUDED

#include "rbl_passkey.h"

#define PASSKEY_COORD   32              /* octets of a coordinate, and of an
                                           Ed25519 key */
#define PASSKEY_RSA_MAX 512
#define PASSKEY_EXP_MAX 4

/* A reader; `failed` is set by the first fault, and no function reads on. */
typedef struct {
    const unsigned char  *p, *end;
    int                   failed;
} passkey_cbor_t;

typedef struct {
    int64_t    algorithm;
    rbl_str_t  x, y;                    /* RSA: modulus and exponent */
} passkey_key_t;

void passkey_init(passkey_cbor_t *c, rbl_str_t s);

/* Reads a COSE_Key. */
void passkey_cose(passkey_key_t *key, passkey_cbor_t *c);

#endif /* RBL_PASSKEY_INT_H_INCLUDED */
