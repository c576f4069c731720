/*
 * Tokens, secrets and digests.  Random bytes come from the kernel.  The command
 * that makes a token or a secret prints it; rblctl keeps no copy.
 */

#include "ctl.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/random.h>

#define CTL_TOKEN_BYTES  32


static void
ctl_hex(char *out, const unsigned char *p, size_t n)
{
    size_t             i;
    static const char  digits[] = "0123456789abcdef";

    for (i = 0; i < n; i++) {
        out[2 * i] = digits[p[i] >> 4];
        out[2 * i + 1] = digits[p[i] & 15];
    }

    out[2 * n] = '\0';
}


static int
ctl_random(unsigned char *p, size_t n)
{
    /* getrandom returns up to 256 bytes completely or not at all */

    if (getrandom(p, n, 0) != (ssize_t) n) {
        ctl_fail("the kernel gives no random bytes");
        return -1;
    }

    return 0;
}


int
ctl_token_make(char token[CTL_SECRET_SIZE])
{
    unsigned char  bytes[CTL_TOKEN_BYTES];

    if (ctl_random(bytes, sizeof(bytes)) != 0) {
        return -1;
    }

    ctl_hex(token, bytes, sizeof(bytes));
    OPENSSL_cleanse(bytes, sizeof(bytes));

    return 0;
}


int
ctl_sha256(unsigned char digest[32], rbl_str_t s)
{
    unsigned  n;

    if (EVP_Digest(s.p, s.n, digest, &n, EVP_sha256(), NULL) != 1 || n != 32) {
        ctl_fail("SHA-256 is not available");
        return -1;
    }

    return 0;
}


int
ctl_list_sid(rbl_sid_t *sid, rbl_str_t zone)
{
    unsigned char  digest[32];

    if (ctl_sha256(digest, zone) != 0) {
        return -1;
    }

    rbl_sid_from_digest(sid, RBL_SID_LIST, digest);

    return 0;
}
