/*
 * Hex digits.
 */

#ifndef RBL_HEX_H_INCLUDED
#define RBL_HEX_H_INCLUDED

#include "rbl_common.h"

static const char  rbl_hex_digits[] = "0123456789abcdef";


/* Writes two digits for each of n bytes, without NUL. */

static inline void
rbl_hex(char *text, const unsigned char *bytes, size_t n)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        *text++ = rbl_hex_digits[bytes[i] >> 4];
        *text++ = rbl_hex_digits[bytes[i] & 15];
    }
}


/* The value of a digit of either case; -1: it is none. */

static inline int
rbl_hex_value(char c)
{
    return c >= '0' && c <= '9' ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

#endif /* RBL_HEX_H_INCLUDED */
