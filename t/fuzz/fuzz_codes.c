/*
 * Return-code rules and the verdict (shared/names/rbl_codes.c).  A line is a
 * rule, or "@" and an address of the response.
 *
 * For any rules: no address is clear; one outside 127/8 makes the response
 * unknown and hijacked; one in 127.255.255/24 makes it unknown.  The order of
 * the addresses does not matter, a reason is given exactly when the verdict is
 * unknown, and a listing has a valid text that fits.
 */

#include "fuzz.h"
#include "rbl_codes.h"
#include "rbl_validate.h"

#define ADDRS  32


static void
check_text(const char *text, size_t size, const char *whole,
    rbl_verdict_t verdict)
{
    size_t  n;

    n = strnlen(text, size);
    fuzz_check(n < size && rbl_text_ok((rbl_str_t) { text, n }));
    fuzz_check(verdict == RBL_LISTED || n == 0);
    fuzz_check(strncmp(text, whole, n) == 0);
}


static void
try_verdict(const rbl_codes_t *codes, const uint32_t *addr, size_t n,
    size_t size)
{
    int               outside, refused;
    char              whole[65536], *text;
    size_t            i;
    uint32_t          turned[ADDRS];
    rbl_verdict_t     verdict;
    rbl_lookup_err_t  err, again;

    outside = refused = 0;

    for (i = 0; i < n; i++) {
        turned[n - 1 - i] = addr[i];
        outside |= addr[i] >> 24 != 127;
        refused |= addr[i] >> 8 == 0x7fffff;
    }

    verdict = rbl_codes_verdict(codes, addr, n, &err, whole, sizeof(whole));
    fuzz_check(verdict == RBL_CLEAR || verdict == RBL_LISTED
               || verdict == RBL_UNKNOWN);
    fuzz_check((verdict == RBL_UNKNOWN) == (err != RBL_ERR_NONE));
    fuzz_check(n > 0 || verdict == RBL_CLEAR);
    fuzz_check(outside == (err == RBL_ERR_HIJACKED));
    fuzz_check(outside || !refused || err == RBL_ERR_BLOCKED);
    fuzz_check(verdict != RBL_LISTED || whole[0] != '\0');

    text = malloc(size);
    fuzz_check(text != NULL);
    fuzz_check(rbl_codes_verdict(codes, addr, n, &again, text, size)
               == verdict && again == err);
    check_text(text, size, whole, verdict);

    fuzz_check(rbl_codes_verdict(codes, turned, n, &again, text, size)
               == verdict && again == err);
    free(text);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t       n;
    fuzz_t       f;
    unsigned     room, before;
    uint32_t     addr[ADDRS];
    rbl_str_t    line;
    rbl_addr_t   a;
    rbl_codes_t  codes;

    memset(addr, 0, sizeof(addr));
    memset(&codes, 0, sizeof(codes));
    fuzz_init(&f, data, size);
    room = fuzz_u8(&f) + 1;
    n = 0;

    while (fuzz_left(&f) > 0 && f.n < FUZZ_COPIES) {
        line = fuzz_line(&f);

        if (line.n > 0 && line.p[0] == '@') {
            line.p++;
            line.n--;

            if (n < ADDRS && rbl_addr_parse(&a, line) == RBL_OK
                && a.family == RBL_FAMILY_IPV4)
            {
                addr[n++] = (uint32_t) a.b[0] << 24 | (uint32_t) a.b[1] << 16
                            | (uint32_t) a.b[2] << 8 | a.b[3];
            }

            continue;
        }

        before = codes.n;

        if (rbl_codes_add(&codes, line) == RBL_OK) {
            fuzz_check(codes.n == before + 1 && codes.n <= RBL_CODES_MAX);
            fuzz_check(codes.rule[before].text.n > 0);
        } else {
            fuzz_check(codes.n == before);
        }
    }

    try_verdict(&codes, addr, n, room);
    fuzz_done(&f);

    return 0;
}
