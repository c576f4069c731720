/*
 * A pasted line (rbl_paste.c).
 *
 * Values and names are inside the line, and not more than rbl_paste_most says.
 * Each value has its kind, and an address that is pasted alone is the same host
 * again.
 */

#include "fuzz.h"
#include "rbl_name.h"
#include "rbl_paste.h"

#include <stdlib.h>


static int
inside(rbl_str_t part, rbl_str_t line)
{
    return part.p >= line.p && part.p + part.n <= line.p + line.n;
}


static void
check_again(rbl_str_t value, rbl_paste_kind_t kind)
{
    size_t        n;
    rbl_paste_t  *out;

    out = malloc(rbl_paste_most(value) * sizeof(rbl_paste_t));
    fuzz_check(out != NULL);
    n = rbl_paste_line(out, value);
    fuzz_check(n == 1 && out[0].kind == kind && out[0].name.n == 0
               && rbl_str_eq(out[0].value, value));
    free(out);
}


static void
check_host(const rbl_paste_t *one, rbl_str_t line)
{
    char          buf[RBL_VALUE_MAX];
    rbl_str_t     domain;
    rbl_addr_t    a;
    rbl_subnet_t  net;
    rbl_err_t     err;

    fuzz_check(one->value.n > 0 && inside(one->value, line));
    fuzz_check(one->name.n == 0 || inside(one->name, line));

    switch (one->kind) {

    case RBL_PASTE_ADDRESS:
        fuzz_check(rbl_addr_parse(&a, one->value) == RBL_OK);
        check_again(one->value, one->kind);
        break;

    case RBL_PASTE_SUBNET:
        err = rbl_subnet_parse(&net, one->value);
        fuzz_check(err == RBL_OK || err == RBL_EINVAL || err == RBL_EHOSTBITS);
        break;

    case RBL_PASTE_DOMAIN:
        fuzz_check(rbl_domain_parse(buf, &domain, one->value) == RBL_OK
                   && rbl_domain_top_ok(domain)
                   && !rbl_range_like(one->value));
        break;

    default:
        fuzz_check(one->kind == RBL_PASTE_NONE);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t        i, n, most;
    fuzz_t        f;
    rbl_str_t     line;
    rbl_paste_t  *out;

    fuzz_init(&f, data, size);
    line = fuzz_rest(&f);

    most = rbl_paste_most(line);
    out = malloc(most * sizeof(rbl_paste_t));
    fuzz_check(out != NULL && most >= 1 && most <= line.n + 1);

    n = rbl_paste_line(out, line);
    fuzz_check(n <= most);

    for (i = 0; i < n; i++) {
        check_host(&out[i], line);
    }

    free(out);
    fuzz_done(&f);

    return 0;
}
