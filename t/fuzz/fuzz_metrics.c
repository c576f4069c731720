/*
 * Metrics of daemons (shared/record/rbl_metrics.c), as nginx and rblctl read
 * them.  A refused record leaves all values empty.  All texts of an accepted
 * one are inside it, and the metrics packed again read back the same.  Its
 * conditions are bounded and sorted.
 */

#include "fuzz.h"
#include "base/buf.h"
#include "rbl_condition.h"
#include "rbl_list_reason.h"
#include "rbl_metrics.h"
#include "rbl_record.h"

static rbl_str_t  raw;


static void
inside(rbl_str_t s)
{
    fuzz_check(s.n == 0
               || (s.p >= raw.p && s.n <= raw.n
                   && s.p <= raw.p + (raw.n - s.n)));
}


static void
try_lists(rbl_str_t packed)
{
    size_t              i, n;
    rbl_mp_t            mp, again;
    rbl_buf_t           buf;
    rbl_list_metrics_t  v, w;

    rbl_buf_init(&buf);
    rbl_mp_init(&mp, packed);
    n = rbl_mp_array(&mp);

    for (i = 0; i < n && rbl_list_metrics_decode(&v, &mp) == RBL_OK; i++) {
        inside(v.list);
        inside(v.zone);
        inside(v.health);
        inside(v.reason);
        fuzz_check(rbl_list_reason(v.reason) < RBL_LIST_REASON__N);

        rbl_buf_reset(&buf);
        rbl_list_metrics_encode(&buf.out, &v);
        rbl_mp_init(&again, rbl_buf_str(&buf));
        fuzz_check(rbl_list_metrics_decode(&w, &again) == RBL_OK);
        fuzz_check(again.pos == again.end && rbl_str_eq(v.zone, w.zone));
        fuzz_check(memcmp(v.number, w.number, sizeof(v.number)) == 0);
    }

    rbl_buf_free(&buf);
}


static void
try_resolvers(rbl_str_t packed)
{
    size_t                  i, n;
    rbl_mp_t                mp, again;
    rbl_buf_t               buf;
    rbl_resolver_metrics_t  v, w;

    rbl_buf_init(&buf);
    rbl_mp_init(&mp, packed);
    n = rbl_mp_array(&mp);

    for (i = 0; i < n && rbl_resolver_metrics_decode(&v, &mp) == RBL_OK; i++) {
        inside(v.address);

        rbl_buf_reset(&buf);
        rbl_resolver_metrics_encode(&buf.out, &v);
        rbl_mp_init(&again, rbl_buf_str(&buf));
        fuzz_check(rbl_resolver_metrics_decode(&w, &again) == RBL_OK);
        fuzz_check(again.pos == again.end
                   && rbl_str_eq(v.address, w.address));
        fuzz_check(memcmp(v.number, w.number, sizeof(v.number)) == 0);
    }

    rbl_buf_free(&buf);
}


static void
try_numbers(rbl_str_t packed)
{
    char      text[32];
    size_t    i;
    int64_t   number[RBL_M__N];

    if (rbl_metrics_decode(number, packed) != RBL_OK) {
        for (i = 0; i < RBL_M__N; i++) {
            fuzz_check(number[i] == 0);
        }
    }

    for (i = 0; i < RBL_M__N; i++) {
        fuzz_check(strlen(rbl_metric_text(text, number[i],
                                          rbl_metrics[i].unit)) < 32);
    }
}


static void
try_dns(rbl_str_t packed)
{
    rbl_mp_t           mp;
    rbl_dns_metrics_t  m;

    rbl_mp_init(&mp, packed);

    if (rbl_dns_metrics_decode(&m, &mp) != RBL_OK) {
        fuzz_check(m.state.n == 0 && m.command.n == 0);
        return;
    }

    inside(m.state);
    inside(m.server);
    inside(m.why);
    inside(m.command);
}


/* The record of two daemons. */

static void
try_conditions(rbl_str_t name, rbl_str_t packed)
{
    unsigned                 i;
    rbl_reader_t             reader = { "", "", "", 0, 0, 0, 0, 0, 0 };
    static rbl_conditions_t  all;

    rbl_conditions_init(&all);
    (void) rbl_conditions_add(&all, name, packed);
    (void) rbl_conditions_add(&all, RBL_STR("two"), packed);
    fuzz_check(rbl_conditions_end(&all, &reader)
               == rbl_conditions_verdict(&all));
    fuzz_check(all.n <= RBL_CONDITIONS_MAX);

    for (i = 0; i < all.n; i++) {
        fuzz_check(all.row[i].daemons >= 1 && all.row[i].daemons <= 2);
        fuzz_check(all.row[i].since >= 0);
        fuzz_check(i == 0 || all.row[i - 1].severity >= all.row[i].severity);
        fuzz_check(strlen(all.row[i].name) > 0);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rbl_daemon_t  d;

    raw.p = (const char *) data;
    raw.n = size;

    if (rbl_daemon_decode(&d, raw) != RBL_OK) {
        fuzz_check(d.name.n == 0 && d.numbers.n == 0 && d.lists.n == 0);
        return 0;
    }

    inside(d.name);
    inside(d.release);
    try_numbers(d.numbers);
    try_resolvers(d.resolvers);
    try_lists(d.lists);
    try_dns(d.dns);
    try_conditions(d.name, d.conditions);

    return 0;
}
