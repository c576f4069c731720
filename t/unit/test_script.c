/*
 * The generated table of scripts: the sources are what their SHA-1 says.
 */

#include "rbl_script.h"
#include "tap.h"

#include <openssl/evp.h>


static int
sha1_matches(const rbl_script_t *script)
{
    char           hex[41];
    unsigned       i, n;
    unsigned char  digest[EVP_MAX_MD_SIZE];

    if (EVP_Digest(script->source, script->source_len, digest, &n,
                   EVP_sha1(), NULL) != 1
        || n != 20)
    {
        return 0;
    }

    for (i = 0; i < n; i++) {
        snprintf(hex + i * 2, 3, "%02x", digest[i]);
    }

    return strcmp(hex, script->sha1) == 0;
}


int
main(void)
{
    size_t  i, j;

    for (i = 0; rbl_scripts[i] != NULL; i++) {
        ok(sha1_matches(rbl_scripts[i]), "SHA-1 of %s",
           rbl_scripts[i]->name);
        ok(rbl_scripts[i]->source_len > 0
           && rbl_scripts[i]->source_len == strlen(rbl_scripts[i]->source)
           && rbl_scripts[i]->name[0] != '_', "%s is a script",
           rbl_scripts[i]->name);

        for (j = 0; j < i; j++) {
            if (strcmp(rbl_scripts[i]->name, rbl_scripts[j]->name) == 0) {
                ok(0, "%s stands there twice", rbl_scripts[i]->name);
            }
        }
    }

    ok(i > 0, "there are scripts");

    return tap_done();
}
