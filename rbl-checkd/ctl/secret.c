/*
 * Digests, and the SIDs that are made of them.
 */

#include "ctl.h"

#include <openssl/evp.h>


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
