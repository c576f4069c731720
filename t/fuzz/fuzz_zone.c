/*
 * Time zones (shared/time/rbl_zone.c, rbl_zone_rule.c).  A byte, then a file:
 * unchanged, or, if the byte is odd, a generated file with the rest as footer.
 *
 * An accepted file answers for every time, in order: spans end where the next
 * one begins, and each time is in the span that was found.  A refused file
 * gives UTC.  A valid name leads to no other directory.
 */

#include "fuzz.h"
#include "rbl_time.h"


#define HEAD  (44 + 6 + 4)
#define LATE  INT64_C(253402300799)     /* second of the year 9999 */


/* Makes a whole file with that footer. */
static rbl_str_t
around(fuzz_t *f, rbl_str_t rule)
{
    int        i;
    char      *p;
    size_t     n;
    rbl_str_t  made;

    n = 2 * HEAD + rule.n + 2;
    p = calloc(1, n);
    fuzz_check(p != NULL);

    for (i = 0; i < 2; i++) {
        memcpy(p + i * HEAD, "TZif3", 5);
        p[i * HEAD + 39] = 1;           /* types */
        p[i * HEAD + 43] = 4;           /* bytes of abbreviations */
        memcpy(p + i * HEAD + 50, "ABC", 3);
    }

    p[2 * HEAD] = '\n';
    p[n - 1] = '\n';

    if (rule.n > 0) {
        memcpy(p + 2 * HEAD + 1, rule.p, rule.n);
    }

    made = fuzz_copy(f, p, n);
    free(p);

    return made;
}


static void
try_time(const rbl_zone_t *zone, int64_t sec)
{
    char                    buf[RBL_TIME_LEN];
    rbl_str_t               s;
    const rbl_zone_type_t  *type;

    type = rbl_zone_at(zone, sec);
    fuzz_check(type >= zone->types && type < zone->types + zone->n_types);
    fuzz_check(type->n > 0 && type->n <= sizeof(type->abbr));
    fuzz_check(type->offset > -86400 * 2 && type->offset < 86400 * 2);

    s = rbl_time_text(buf, sec * 1000, zone);
    fuzz_check(s.n == 0 || s.n == 20 + type->n);
    fuzz_check(s.n == 0 || memcmp(s.p + 20, type->abbr, type->n) == 0);
}


static void
try_zone(const rbl_zone_t *zone)
{
    unsigned  i;
    uint32_t  from;

    fuzz_check(zone->n_spans > 0 && zone->n_spans <= RBL_ZONE_SPANS);
    fuzz_check(zone->n_types > 0 && zone->n_types <= RBL_ZONE_TYPES);
    fuzz_check(zone->until[zone->n_spans - 1] == UINT32_MAX);

    for (i = 0, from = 0; i < zone->n_spans; i++) {
        fuzz_check(zone->until[i] >= from && zone->type[i] < zone->n_types);

        if (zone->until[i] > from) {
            fuzz_check(rbl_zone_at(zone, from)
                       == &zone->types[zone->type[i]]);
            fuzz_check(rbl_zone_at(zone, zone->until[i] - 1)
                       == &zone->types[zone->type[i]]);
        }

        from = zone->until[i];
        try_time(zone, from);
    }

    for (i = 0; i < 64; i++) {
        try_time(zone, LATE / 64 * i);
    }

    try_time(zone, LATE);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_t             f;
    rbl_err_t          err;
    rbl_str_t          raw;
    static rbl_zone_t  zone;

    fuzz_init(&f, data, size);

    if (fuzz_u8(&f) & 1) {
        raw = around(&f, fuzz_rest(&f));

    } else {
        raw = fuzz_rest(&f);
    }

    err = rbl_zone_decode(&zone, raw);
    fuzz_check(err == RBL_OK || memcmp(&zone, &rbl_zone_utc, sizeof(zone))
                                == 0);
    try_zone(&zone);

    if (rbl_timezone_ok(raw)) {
        fuzz_check(raw.n <= RBL_ZONE_NAME_MAX && raw.p[0] != '/');
        fuzz_check(memchr(raw.p, '.', raw.n) == NULL
                   && memchr(raw.p, '\0', raw.n) == NULL);
    }

    fuzz_done(&f);

    return 0;
}
