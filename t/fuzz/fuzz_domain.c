/*
 * Domain names (shared/text/rbl_domain.c).  The input is the text.
 *
 * An accepted name obeys the rules in rbl_validate.h, which are checked here a
 * second time.  It is canonical: parsing it again changes nothing, and neither
 * do capital letters or a dot at the end.  Every one can be queried in the DNS,
 * and none is an address.
 */

#include "fuzz.h"
#include "dns/wire.h"
#include "rbl_validate.h"

#include <arpa/inet.h>


static int
char_ok(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'
           || c == '_';
}


static void
check_rules(rbl_str_t name)
{
    int     digits;
    size_t  i, start, labels;

    fuzz_check(name.n > 0 && name.n <= RBL_DOMAIN_MAX);

    labels = 0;
    digits = 1;

    for (i = start = 0; i <= name.n; i++) {
        if (i < name.n && name.p[i] != '.') {
            fuzz_check(char_ok(name.p[i]));
            continue;
        }

        fuzz_check(i > start && i - start <= 63);
        fuzz_check(name.p[start] != '-' && name.p[i - 1] != '-');
        labels++;

        for (digits = 1; start < i; start++) {
            digits &= name.p[start] >= '0' && name.p[start] <= '9';
        }

        start = i + 1;
    }

    fuzz_check(labels >= 2 && !digits);
}


static void
check_same(rbl_str_t text, rbl_str_t name)
{
    char       buf[RBL_VALUE_MAX];
    rbl_str_t  again;

    fuzz_check(rbl_domain_parse(buf, &again, text) == RBL_OK);
    fuzz_check(rbl_str_eq(again, name));
}


/* The same with capital letters, with a dot, and with both. */
static void
check_variants(rbl_str_t name)
{
    char       text[RBL_VALUE_MAX + 1];
    size_t     i;
    rbl_str_t  s = { text, name.n };

    check_same(name, name);

    memcpy(text, name.p, name.n);
    text[name.n] = '.';
    s.n++;
    check_same(s, name);

    for (i = 0; i < name.n; i++) {
        text[i] = (char) (text[i] >= 'a' && text[i] <= 'z' ? text[i] - 32
                                                           : text[i]);
    }

    check_same(s, name);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char           buf[RBL_VALUE_MAX];
    fuzz_t         f;
    uint8_t        wire[DNS_NAME_MAX];
    rbl_str_t      name;
    unsigned char  raw[16];

    fuzz_init(&f, data, size);

    if (rbl_domain_parse(buf, &name, fuzz_rest(&f)) == RBL_OK) {
        fuzz_check(name.p == buf && buf[name.n] == '\0');
        fuzz_check(strlen(buf) == name.n);
        check_rules(name);
        check_variants(name);
        fuzz_check(dns_wire_name(wire, buf) == name.n + 2);
        fuzz_check(inet_pton(AF_INET, buf, raw) != 1);

    } else {
        fuzz_check(name.n == 0 && buf[0] == '\0');
    }

    fuzz_done(&f);

    return 0;
}
