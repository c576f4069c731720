/*
 * Counters of daemons: the tables are complete and consistent, packed records
 * are read again, also shorter and longer ones, and units are correct.
 */

#include "base/buf.h"
#include "rbl_metrics.h"
#include "tap.h"

#include <ctype.h>


static int
name_ok(const char *s)
{
    size_t  i;

    for (i = 0; s[i] != '\0'; i++) {
        if (!islower((unsigned char) s[i]) && !isdigit((unsigned char) s[i])
            && s[i] != '_')
        {
            return 0;
        }
    }

    return i > 0;
}


static int
ends(const char *s, const char *with)
{
    size_t  n = strlen(s), m = strlen(with);

    return n >= m && strcmp(s + n - m, with) == 0;
}


/* Rows of one family are adjacent and of one kind; none is missing. */

static void
test_table(const char *what, const rbl_metric_t *m, size_t n)
{
    size_t  i, j;

    for (i = 0; i < n; i++) {
        ok(m[i].group && m[i].key && m[i].family && m[i].help
           && name_ok(m[i].group) && name_ok(m[i].key)
           && name_ok(m[i].family), "%s %zu is there", what, i);
        ok((m[i].label == NULL) == (m[i].value == NULL), "a whole label");
        ok(m[i].kind == RBL_METRIC_GAUGE || ends(m[i].family, "_total")
           || ends(m[i].family, "latency_seconds"), "%s is called right",
           m[i].family);
        ok(m[i].unit == RBL_METRIC_ONE || m[i].unit == RBL_METRIC_MILLI
           || m[i].unit == RBL_METRIC_MICRO, "a unit");

        for (j = 0; j < i; j++) {
            if (strcmp(m[i].group, m[j].group) == 0) {
                ok(strcmp(m[i].key, m[j].key) != 0, "a key of its own: %s",
                   m[i].key);
            }

            if (strcmp(m[i].family, m[j].family) == 0) {
                ok(strcmp(m[i - 1].family, m[i].family) == 0,
                   "%s is in one place", m[i].family);
                ok(m[i].label && m[j].label
                   && strcmp(m[i].value, m[j].value) != 0
                   && strcmp(m[i].help, m[j].help) == 0
                   && m[i].kind == m[j].kind && m[i].unit == m[j].unit,
                   "and a label distinguishes its rows: %s", m[i].value);
            }
        }
    }
}


static void
test_numbers(void)
{
    size_t     i, n;
    int64_t    in[RBL_M__N + 5], out[RBL_M__N];
    rbl_buf_t  buf;
    rbl_str_t  raw;

    rbl_buf_init(&buf);

    for (i = 0; i < RBL_M__N + 5; i++) {
        in[i] = i % 3 == 2 ? -1 : (int64_t) i << i;
    }

    for (n = 0; n <= RBL_M__N + 5; n++) {
        rbl_buf_reset(&buf);
        rbl_metrics_encode(&buf.out, in, n);
        memset(out, 0x55, sizeof(out));
        ok(rbl_metrics_decode(out, rbl_buf_str(&buf)) == RBL_OK,
           "%zu numbers", n);

        for (i = 0; i < RBL_M__N && out[i] == (i < n ? in[i] : 0); i++) {
            /* void */
        }

        ok(i == RBL_M__N, "the same again, the rest is 0");
    }

    raw = rbl_buf_str(&buf);

    while (raw.n-- > 0) {
        memset(out, 0x55, sizeof(out));
        ok(rbl_metrics_decode(out, raw) == RBL_ETYPE && out[0] == 0,
           "cut to %zu: refused", raw.n);
    }

    rbl_buf_free(&buf);
}


static void
test_entries(void)
{
    size_t                  i;
    rbl_mp_t                mp;
    rbl_buf_t               buf;
    rbl_list_metrics_t      list = { RBL_STR("RB1"), RBL_STR("a.test"),
                                     RBL_STR("down"),
                                     RBL_STR("timeout"), { 0 } }, list2;
    rbl_resolver_metrics_t  res = { RBL_STR("::1@53"), { 0 } }, res2;

    rbl_buf_init(&buf);

    for (i = 0; i < RBL_ML__N; i++) {
        list.number[i] = (int64_t) i * 1000003;
    }

    for (i = 0; i < RBL_MR__N; i++) {
        res.number[i] = (int64_t) i * 1003;
    }

    rbl_list_metrics_encode(&buf.out, &list);
    rbl_resolver_metrics_encode(&buf.out, &res);
    rbl_mp_init(&mp, rbl_buf_str(&buf));

    ok(rbl_list_metrics_decode(&list2, &mp) == RBL_OK
       && rbl_str_is(list2.list, "RB1") && rbl_str_is(list2.zone, "a.test")
       && rbl_str_is(list2.health, "down")
       && rbl_str_is(list2.reason, "timeout")
       && memcmp(list.number, list2.number, sizeof(list.number)) == 0,
       "a list");
    ok(rbl_resolver_metrics_decode(&res2, &mp) == RBL_OK
       && rbl_str_is(res2.address, "::1@53")
       && memcmp(res.number, res2.number, sizeof(res.number)) == 0,
       "a resolver");
    ok(mp.pos == mp.end, "and nothing more");
    ok(rbl_resolver_metrics_decode(&res2, &mp) == RBL_ETYPE
       && res2.address.n == 0, "behind the end: refused");

    rbl_mp_init(&mp, RBL_STR("\x93\xa1" "x\xa1" "y\xa1" "z"));
    ok(rbl_list_metrics_decode(&list2, &mp) == RBL_ETYPE
       && list2.zone.n == 0, "a list that is too short");
    rbl_mp_init(&mp, RBL_STR("\x90"));
    ok(rbl_resolver_metrics_decode(&res2, &mp) == RBL_ETYPE,
       "a resolver without an address");

    rbl_buf_free(&buf);
}


static void
test_units(void)
{
    char    buf[32];
    size_t  i;

    static const struct {
        int64_t            n;
        rbl_metric_unit_t  unit;
        const char        *text;
    } cases[] = {
        { 0, RBL_METRIC_ONE, "0" }, { -1, RBL_METRIC_ONE, "-1" },
        { INT64_MAX, RBL_METRIC_ONE, "9223372036854775807" },
        { INT64_MIN, RBL_METRIC_ONE, "-9223372036854775808" },
        { 0, RBL_METRIC_MILLI, "0.000" }, { 1, RBL_METRIC_MILLI, "0.001" },
        { 1234567, RBL_METRIC_MILLI, "1234.567" },
        { -1500, RBL_METRIC_MILLI, "-1.500" },
        { 1000000, RBL_METRIC_MICRO, "1.000000" },
        { INT64_MIN, RBL_METRIC_MICRO, "-9223372036854.775808" }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ok(strcmp(rbl_metric_text(buf, cases[i].n, cases[i].unit),
                  cases[i].text) == 0, "%s", cases[i].text);
    }

    for (i = 1; i < RBL_LATENCY_BOUNDS; i++) {
        ok(rbl_latency_bounds[i] > rbl_latency_bounds[i - 1], "bounds grow");
    }
}


int
main(void)
{
    test_table("number", rbl_metrics, RBL_M__N);
    test_table("number of lists", rbl_list_metrics, RBL_ML__N);
    test_table("number of resolvers", rbl_resolver_metrics, RBL_MR_LATENCY);
    test_numbers();
    test_entries();
    test_units();

    return tap_done();
}
