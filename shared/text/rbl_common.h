/*
 * Basic types of the whole project: the counted string and the error codes.
 *
 * Nothing in shared/ logs, keeps state in statics, does I/O or knows nginx,
 * libev, ldns or curl.  A string is always a pointer and a length.  It is a
 * view; the function that passes it documents the owner of its bytes.
 */

#ifndef RBL_COMMON_H_INCLUDED
#define RBL_COMMON_H_INCLUDED

#include <stddef.h>
#include <stdint.h>
#include <string.h>


typedef struct {
    const char  *p;
    size_t       n;
} rbl_str_t;

/* A string literal as a counted string; also valid as an initializer. */
#define RBL_STR(lit)  ((rbl_str_t) { (lit), sizeof(lit) - 1 })

/* All octets of an array as a counted string. */
#define RBL_OCTETS(array)                                                     \
    ((rbl_str_t) { (const char *) (array), sizeof(array) })

typedef enum {
    RBL_OK = 0,
    RBL_ENOMEM,         /* out of memory */
    RBL_EINVAL,         /* not of the expected form */
    RBL_ETOOBIG,        /* valid form, but above a limit */
    RBL_EHOSTBITS,      /* a subnet whose host bits are not zero */
    RBL_ETYPE           /* a store reply or record of another type or version */
} rbl_err_t;

/*
 * Address families of checked hosts; also bits of list.families.  With
 * RBL_FAMILY_LOCAL the address is not public (rbl_addr_local): lists of the
 * system are not queried for it.
 */
typedef enum {
    RBL_FAMILY_NONE = 0,
    RBL_FAMILY_IPV4 = 1,
    RBL_FAMILY_IPV6 = 2,
    RBL_FAMILY_DOMAIN = 4,
    RBL_FAMILY_LOCAL = 8
} rbl_family_t;


static inline rbl_str_t
rbl_str(const char *z)
{
    rbl_str_t  s = { z, strlen(z) };

    return s;
}


static inline int
rbl_str_eq(rbl_str_t a, rbl_str_t b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}


static inline int
rbl_str_is(rbl_str_t a, const char *z)
{
    return rbl_str_eq(a, rbl_str(z));
}


static inline int
rbl_str_begins(rbl_str_t s, const char *z)
{
    size_t  n = strlen(z);

    return s.n >= n && memcmp(s.p, z, n) == 0;
}


/* Takes the text before `sep` off *rest, and `sep`; without one all of it:
   *rest is then p NULL, n 0. */

static inline rbl_str_t
rbl_until(rbl_str_t *rest, char sep)
{
    rbl_str_t    part = *rest;
    const char  *at;

    at = part.n ? memchr(part.p, sep, part.n) : NULL;

    if (at == NULL) {
        *rest = (rbl_str_t) { NULL, 0 };
        return part;
    }

    part.n = (size_t) (at - part.p);
    rest->p = at + 1;
    rest->n -= part.n + 1;

    return part;
}


/* True if the words, with commas between them, have this one. */

static inline int
rbl_words_have(rbl_str_t words, const char *word)
{
    while (words.n > 0) {
        if (rbl_str_is(rbl_until(&words, ','), word)) {
            return 1;
        }
    }

    return 0;
}


/* Copies a string into the caller's buffer, cut to size - 1 bytes and
   terminated with NUL; size must not be 0. */

static inline void
rbl_copy(char *to, size_t size, rbl_str_t s)
{
    size_t  n;

    n = s.n < size ? s.n : size - 1;

    if (n > 0) {
        memcpy(to, s.p, n);
    }

    to[n] = '\0';
}

#endif /* RBL_COMMON_H_INCLUDED */
