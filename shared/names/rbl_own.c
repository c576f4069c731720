/*
 * The table of reserved names, and the rule that decides between them.
 */

#include "rbl_own.h"

#include <strings.h>


/*
 * "example" and "test" (RFC 6761) are not here: they are meant for tests,
 * networks have no names of their own there, and clients are tested with them.
 */

static const struct {
    const char  *name;
    const char  *why;
} rbl_own_reserved[] = {
    { "alt", "is outside the DNS (RFC 9476)" },
    { "arpa", "holds reverse zones and local services (RFC 3172)" },
    { "corp", "is for private networks (RFC 6762)" },
    { "home", "is for private networks (RFC 6762)" },
    { "internal", "is for private networks (ICANN)" },
    { "intranet", "is for private networks (RFC 6762)" },
    { "invalid", "never exists (RFC 6761)" },
    { "lan", "is for private networks (RFC 6762)" },
    { "local", "is for multicast DNS (RFC 6762)" },
    { "localdomain", "is for private networks" },
    { "localhost", "is this machine (RFC 6761)" },
    { "onion", "is outside the DNS (RFC 7686)" },
    { "private", "is for private networks (RFC 6762)" }
};

#define RBL_OWN_RESERVED                                                      \
    (sizeof(rbl_own_reserved) / sizeof(rbl_own_reserved[0]))


/* True if `name` is `top` or is under it. */

static int
rbl_own_under(rbl_str_t name, rbl_str_t top)
{
    size_t  at;

    if (top.n == 0 || top.n > name.n) {
        return 0;
    }

    at = name.n - top.n;

    return strncasecmp(name.p + at, top.p, top.n) == 0
           && (at == 0 || name.p[at - 1] == '.');
}


/* Returns the length of the longest entry that `name` is under; 0: none. */

static size_t
rbl_own_longest(rbl_str_t name, const rbl_str_t *top, size_t n)
{
    size_t  i, longest;

    longest = 0;

    for (i = 0; i < n; i++) {
        if (top[i].n > longest && rbl_own_under(name, top[i])) {
            longest = top[i].n;
        }
    }

    return longest;
}


static size_t
rbl_own_is_reserved(rbl_str_t name, const char **why)
{
    size_t  i;

    for (i = 0; i < RBL_OWN_RESERVED; i++) {
        if (rbl_own_under(name, rbl_str(rbl_own_reserved[i].name))) {
            *why = rbl_own_reserved[i].why;
            return strlen(rbl_own_reserved[i].name);
        }
    }

    return 0;
}


int
rbl_own_ok(const rbl_own_t *own, rbl_str_t name, rbl_str_t *under,
    const char **why)
{
    size_t  allowed, refused, reserved;

    if (name.n && name.p[name.n - 1] == '.') {
        name.n--;
    }

    *under = name;

    if (name.n == 0 || memchr(name.p, '.', name.n) == NULL) {
        *why = "has only one label";
        return 0;
    }

    allowed = rbl_own_longest(name, own->allow, own->n_allow);
    refused = rbl_own_longest(name, own->refuse, own->n_refuse);
    reserved = rbl_own_is_reserved(name, why);

    if (refused > 0) {
        *why = "is refused by the operator";

    } else if (reserved > allowed) {
        refused = reserved;
    }

    under->p = name.p + name.n - refused;
    under->n = refused;

    return refused == 0 || allowed > refused;
}
