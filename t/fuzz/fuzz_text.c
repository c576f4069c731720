/*
 * Texts, numbers and flags (shared/text/rbl_text.c), and the cleaning of texts
 * from lists (check/text.c).  The first byte is the size of a buffer, the rest
 * is the text.
 *
 * Cleaned text is always valid, ends with a NUL and fits; cut text is the
 * longest valid start that fits; trimmed text has no white space around it and
 * lost nothing else; a number has strtoll's value.
 */

#include "fuzz.h"
#include "check/lists/text.h"
#include "rbl_utf8.h"
#include "rbl_validate.h"

#include <errno.h>

#define SPACE  " \t\n\v\f\r"


static void
try_clean(rbl_str_t text, size_t size)
{
    char       *buf;
    size_t      n, len;
    rbl_str_t   out;

    buf = malloc(size);
    fuzz_check(buf != NULL);

    n = check_clean(buf, size, text);
    out = (rbl_str_t) { buf, n };
    fuzz_check(n < size && buf[n] == '\0' && rbl_text_ok(out));

    n = check_cut(buf, size, text);
    out.n = n;
    fuzz_check(n < size && buf[n] == '\0' && n <= text.n);
    fuzz_check(n == 0 || memcmp(buf, text.p, n) == 0);
    fuzz_check(rbl_utf8_count(out) <= n);

    if (n < text.n) {
        len = rbl_utf8_len((const unsigned char *) text.p + n,
                           (const unsigned char *) text.p + text.n);
        fuzz_check(len == 0 || n + len >= size);
    }

    free(buf);
}


static void
try_trim(rbl_str_t text)
{
    size_t     i;
    rbl_str_t  s;

    s = rbl_trim(text);
    fuzz_check(s.p >= text.p && s.p + s.n <= text.p + text.n);

    if (s.n > 0) {
        fuzz_check(memchr(SPACE, s.p[0], 6) == NULL);
        fuzz_check(memchr(SPACE, s.p[s.n - 1], 6) == NULL);
    }

    for (i = 0; i < text.n; i++) {
        if (text.p + i < s.p || text.p + i >= s.p + s.n) {
            fuzz_check(memchr(SPACE, text.p[i], 6) != NULL);
        }
    }
}


static void
try_number(rbl_str_t text, const char *z)
{
    char     *end;
    int       flag;
    int64_t   v, want;

    errno = 0;
    want = strtoll(z, &end, 10);

    if (rbl_int_parse(&v, text, 0, INT64_MAX) == RBL_OK) {
        fuzz_check(errno == 0 && end == z + text.n && v == want);
        fuzz_check(rbl_int_parse(&v, text, want, want) == RBL_OK);
        fuzz_check(rbl_int_parse(&v, text, want + (want < INT64_MAX),
                                 INT64_MAX)
                   == RBL_OK || want < INT64_MAX);

    } else {
        fuzz_check(text.n == 0 || strspn(z, "0123456789") != text.n
                   || errno == ERANGE);
    }

    if (rbl_flag_parse(&flag, text) == RBL_OK) {
        fuzz_check(flag == 0 || flag == 1);
        fuzz_check(rbl_str_is(text, flag ? "1" : "0")
                   || rbl_str_is(text, flag ? "true" : "false"));
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_t     f;
    size_t     room;
    rbl_str_t  text;

    fuzz_init(&f, data, size);
    room = fuzz_u8(&f) + 1u;
    text = fuzz_rest(&f);

    try_clean(text, room);
    try_trim(text);
    try_number(text, fuzz_z(&f, text));
    fuzz_check(rbl_utf8_count(text) <= text.n);
    fuzz_done(&f);

    return 0;
}
