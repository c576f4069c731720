/*
 * Passkeys (shared/text/rbl_passkey.c).  Lines: a text in base64url, client
 * data; then octets: authenticator data, an attestation object, a key.
 *
 * Views lie within the input.  A key that is read is of one of three kinds.  No
 * signature of arbitrary octets is right.
 */

#include "fuzz.h"
#include "rbl_passkey.h"


static int
within(rbl_str_t part, rbl_str_t whole)
{
    return part.n == 0
           || (part.p >= whole.p && part.p + part.n <= whole.p + whole.n);
}


static void
try_text(rbl_str_t text)
{
    size_t         n;
    unsigned char  out[64];

    if (rbl_passkey_text(out, sizeof(out), &n, text) == RBL_OK) {
        fuzz_check(n <= sizeof(out) && n == text.n * 6 / 8);
    }
}


static void
try_key(rbl_str_t key)
{
    int64_t  algorithm;

    if (rbl_passkey_key(&algorithm, key) == RBL_OK) {
        fuzz_check(algorithm == RBL_PASSKEY_ES256
                   || algorithm == RBL_PASSKEY_EDDSA
                   || algorithm == RBL_PASSKEY_RS256);
        fuzz_check(key.n <= RBL_PASSKEY_KEY_MAX);
    }

    fuzz_check(rbl_passkey_verify(key, RBL_STR("data"), RBL_STR("client"), key)
               != RBL_OK);
}


static void
try_auth(const rbl_passkey_auth_t *auth, rbl_str_t whole)
{
    fuzz_check(auth->rp.n == 32 && within(auth->rp, whole));
    fuzz_check(auth->credential.n <= RBL_PASSKEY_ID_MAX);
    fuzz_check(within(auth->credential, whole));
    fuzz_check(within(auth->key, whole));
    fuzz_check((auth->credential.n > 0)
               == ((auth->flags & RBL_PASSKEY_ATTESTED) != 0));

    if (auth->credential.n > 0) {
        try_key(auth->key);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_t               f;
    rbl_str_t            rest;
    unsigned char        challenge[RBL_PASSKEY_CHALLENGE];
    rbl_passkey_auth_t   auth;

    fuzz_init(&f, data, size);

    try_text(fuzz_line(&f));
    (void) rbl_passkey_client(challenge, fuzz_line(&f), "webauthn.get",
                              RBL_STR("https://a.example"));

    rest = fuzz_rest(&f);

    if (rbl_passkey_auth(&auth, rest) == RBL_OK) {
        try_auth(&auth, rest);
    }

    if (rbl_passkey_attested(&auth, rest) == RBL_OK) {
        fuzz_check(auth.credential.n > 0);
        try_auth(&auth, rest);
    }

    try_key(rest);
    fuzz_done(&f);

    return 0;
}
