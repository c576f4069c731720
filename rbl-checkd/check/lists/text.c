/*
 * Cleaning of texts: written into the caller's buffer, no memory of its own.
 */

#include "text.h"
#include "rbl_utf8.h"

#include <string.h>
#include <strings.h>


/* 1: put whole, 0: no room for it. */

static int
put(char *buf, size_t size, size_t *n, const void *p, size_t len)
{
    if (len >= size - *n) {
        return 0;
    }

    memcpy(buf + *n, p, len);
    *n += len;
    return 1;
}


static int
is_control(const unsigned char *p, size_t len)
{
    return *p < 0x20 || *p == 0x7f || (len == 2 && *p == 0xc2 && p[1] < 0xa0);
}


size_t
check_clean(char *buf, size_t size, rbl_str_t raw)
{
    int                   room;
    size_t                n, len;
    const unsigned char  *p, *end;

    while (raw.n > 0 && (unsigned char) raw.p[raw.n - 1] <= ' ') {
        raw.n--;
    }

    while (raw.n > 0 && (unsigned char) *raw.p <= ' ') {
        raw.p++;
        raw.n--;
    }

    n = 0;
    room = 1;
    p = (const unsigned char *) raw.p;
    end = raw.n != 0 ? p + raw.n : p;

    for (; room && p < end; p += len) {
        len = rbl_utf8_len(p, end);

        if (len == 0) {
            len = 1;
            room = put(buf, size, &n, "\xef\xbf\xbd", 3);

        } else if (*p == '\n') {
            room = put(buf, size, &n, "; ", 2);

        } else if (is_control(p, len)) {
            room = put(buf, size, &n, " ", 1);

        } else {
            room = put(buf, size, &n, p, len);
        }
    }

    buf[n] = '\0';
    return n;
}


size_t
check_cut(char *buf, size_t size, rbl_str_t text)
{
    size_t                n, len;
    const unsigned char  *p, *end;

    n = 0;
    p = (const unsigned char *) text.p;
    end = text.n != 0 ? p + text.n : p;

    for (; p < end; p += len) {
        len = rbl_utf8_len(p, end);

        if (len == 0 || !put(buf, size, &n, p, len)) {
            break;
        }
    }

    buf[n] = '\0';
    return n;
}


rbl_str_t
check_shorten(char *buf, size_t cap, rbl_str_t text)
{
    size_t  n;

    if (text.n <= cap) {
        return text;
    }

    n = check_cut(buf, cap - 3 + 1, text);
    memcpy(buf + n, "\xe2\x80\xa6", 4);

    return (rbl_str_t) { buf, n + 3 };
}


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


/* Looks at each position, so that a key that begins inside another one is
   found. */

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
