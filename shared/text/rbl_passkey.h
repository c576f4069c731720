/*
 * Passkeys (Web Authentication, W3C): readers of what a browser sends, and the
 * check of a signature.  All bytes are foreign.  Results are views into them.
 *
 * Attestation is "none": a passkey says nothing about its maker.  Algorithms:
 * ES256, EdDSA with Ed25519, RS256.
 */

#ifndef RBL_PASSKEY_H_INCLUDED
#define RBL_PASSKEY_H_INCLUDED

#include "rbl_common.h"

#define RBL_PASSKEY_CHALLENGE  32       /* octets */
#define RBL_PASSKEY_ID_MAX     1023     /* of a credential id */
#define RBL_PASSKEY_KEY_MAX    600      /* of a public key: RSA, 4096 bits */
#define RBL_PASSKEY_DATA_MAX   4096     /* of all else that is read here */

/* Algorithms, by their numbers in COSE (RFC 9053). */
#define RBL_PASSKEY_ES256  (-7)
#define RBL_PASSKEY_EDDSA  (-8)
#define RBL_PASSKEY_RS256  (-257)

/* Flags of authenticator data. */
#define RBL_PASSKEY_PRESENT   0x01      /* the user was there */
#define RBL_PASSKEY_VERIFIED  0x04      /* and was recognized */
#define RBL_PASSKEY_ATTESTED  0x40
#define RBL_PASSKEY_EXTENDED  0x80

typedef struct {
    rbl_str_t      rp;                  /* SHA-256 of the site's name */
    unsigned       flags;
    uint32_t       counter;
    rbl_str_t      credential;          /* id; n 0 unless ATTESTED */
    rbl_str_t      key;                 /* public key as COSE_Key; likewise */
} rbl_passkey_auth_t;

/* Decodes base64url without padding into at most `size` octets.  RBL_EINVAL:
   it is not that, or too long. */
rbl_err_t rbl_passkey_text(unsigned char *out, size_t size, size_t *n,
    rbl_str_t text);

/*
 * Reads the client data, a JSON object.  RBL_EINVAL: malformed, of another type
 * than `type` ("webauthn.get", "webauthn.create"), of another origin, or of a
 * page inside a page of another origin.
 */
rbl_err_t rbl_passkey_client(unsigned char challenge[RBL_PASSKEY_CHALLENGE],
    rbl_str_t json, const char *type, rbl_str_t origin);

/* Reads authenticator data; or an attestation object, which holds such data
   with a credential.  RBL_EINVAL: malformed, or another attestation. */
rbl_err_t rbl_passkey_auth(rbl_passkey_auth_t *auth, rbl_str_t data);
rbl_err_t rbl_passkey_attested(rbl_passkey_auth_t *auth, rbl_str_t object);

/* Reads a public key.  RBL_EINVAL: it is none of the algorithms above, or its
   point is not on the curve, or has a small order. */
rbl_err_t rbl_passkey_key(int64_t *algorithm, rbl_str_t key);

/* Checks the signature of authenticator data and client data.  RBL_EINVAL: it
   is wrong; RBL_ENOMEM. */
rbl_err_t rbl_passkey_verify(rbl_str_t key, rbl_str_t data, rbl_str_t client,
    rbl_str_t signature);

#endif /* RBL_PASSKEY_H_INCLUDED */
