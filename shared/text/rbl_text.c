/*
 * Validation of texts, numbers and flags.
 */

#include "rbl_validate.h"
#include "rbl_utf8.h"


int
rbl_text_ok(rbl_str_t s)
{
    size_t                n;
    const unsigned char  *p, *end;

    if (s.n == 0) {
        return 1;
    }

    p = (const unsigned char *) s.p;

    for (end = p + s.n; p < end; p += n) {
        n = rbl_utf8_len(p, end);

        if (n == 0 || *p < 0x20 || *p == 0x7f
            || (*p == 0xc2 && p[1] < 0xa0))
        {
            return 0;
        }
    }

    return 1;
}


static int
rbl_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}


rbl_str_t
rbl_trim(rbl_str_t s)
{
    while (s.n > 0 && rbl_is_space(s.p[0])) {
        s.p++;
        s.n--;
    }

    while (s.n > 0 && rbl_is_space(s.p[s.n - 1])) {
        s.n--;
    }

    return s;
}


size_t
rbl_utf8_count(rbl_str_t s)
{
    size_t  i, n;

    n = 0;

    for (i = 0; i < s.n; i++) {
        if (((unsigned char) s.p[i] & 0xc0) != 0x80) {
            n++;
        }
    }

    return n;
}


rbl_err_t
rbl_int_parse(int64_t *v, rbl_str_t text, int64_t min, int64_t max)
{
    size_t   i;
    int64_t  n, digit;

    if (text.n == 0) {
        return RBL_EINVAL;
    }

    n = 0;

    for (i = 0; i < text.n; i++) {
        digit = text.p[i] - '0';

        if (digit < 0 || digit > 9 || n > (INT64_MAX - digit) / 10) {
            return RBL_EINVAL;
        }

        n = n * 10 + digit;
    }

    if (n < min || n > max) {
        return RBL_EINVAL;
    }

    *v = n;

    return RBL_OK;
}


rbl_err_t
rbl_flag_parse(int *v, rbl_str_t text)
{
    if (rbl_str_is(text, "1") || rbl_str_is(text, "true")) {
        *v = 1;
        return RBL_OK;
    }

    if (rbl_str_is(text, "0") || rbl_str_is(text, "false")) {
        *v = 0;
        return RBL_OK;
    }

    return RBL_EINVAL;
}
