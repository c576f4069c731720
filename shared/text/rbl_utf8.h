/*
 * Decodes one step of UTF-8 that may be invalid, for validation and the
 * document writers.
 */

#ifndef RBL_UTF8_H_INCLUDED
#define RBL_UTF8_H_INCLUDED

#include "rbl_common.h"

/*
 * Returns the length, 1 to 4, of the valid sequence that begins at p < end; 0:
 * none.  Overlong forms, surrogates and values above U+10FFFF are invalid
 * (Unicode, table 3-7).
 */
static inline size_t
rbl_utf8_len(const unsigned char *p, const unsigned char *end)
{
    size_t         n, i;
    unsigned char  lo, hi;

    if (p[0] < 0x80) {
        return 1;
    }

    if (p[0] < 0xc2 || p[0] > 0xf4) {
        return 0;
    }

    n = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;

    if ((size_t) (end - p) < n) {
        return 0;
    }

    lo = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : 0x80;
    hi = p[0] == 0xed ? 0x9f : p[0] == 0xf4 ? 0x8f : 0xbf;

    if (p[1] < lo || p[1] > hi) {
        return 0;
    }

    for (i = 2; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            return 0;
        }
    }

    return n;
}

#endif /* RBL_UTF8_H_INCLUDED */
