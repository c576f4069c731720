/*
 * Occurrences are searched at each position, so that one that begins inside
 * another is found.
 */

#include "hide.h"

#include <string.h>
#include <strings.h>


/* The number of octets to be hidden from `at` on. */

static size_t
longest(rbl_str_t text, size_t at, const rbl_str_t *keys, size_t n, int cut)
{
    size_t  i, len, most;

    for (i = most = 0; i < n; i++) {
        len = keys[i].n;

        if (len > text.n - at) {
            len = cut ? text.n - at : 0;
        }

        if (len > most && strncasecmp(text.p + at, keys[i].p, len) == 0) {
            most = len;
        }
    }

    return most;
}


size_t
hide_keys(char *buf, size_t size, rbl_str_t text, const rbl_str_t *keys,
    size_t n, int cut, rbl_str_t mark)
{
    int     hidden;
    size_t  at, end, len, out;

    out = end = 0;
    hidden = 0;

    for (at = 0; at < text.n; at++) {
        len = longest(text, at, keys, n, cut);
        end = at + len > end ? at + len : end;
        len = at >= end ? 1 : hidden ? 0 : mark.n;

        if (len > size - out) {
            break;
        }

        memcpy(buf + out, at >= end ? text.p + at : mark.p, len);
        out += len;
        hidden = at < end;
    }

    return out;
}
