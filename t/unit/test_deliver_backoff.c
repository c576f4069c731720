/* The retry schedule as a pure function. */

#include "deliver/channels/backoff.h"

#include <inttypes.h>

#include "tap.h"

static const int64_t  seconds[] = {
    5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400
};


static int64_t
next(unsigned attempt, int callback, int64_t age_s, int64_t after,
    uint32_t random)
{
    backoff_t  b;

    b.table = &backoff_webhook;
    b.attempt = attempt;
    b.short_lived = callback;
    b.first = INT64_C(1800000000000);
    b.now = b.first + age_s * 1000;
    b.wait = after > INT64_MAX / 1000 ? INT64_MAX : after * 1000;
    b.random = random;

    return backoff_next(&b);
}


static void
check_table(void)
{
    unsigned  i;
    int64_t   ms, low, high;

    for (i = 0; i < 9; i++) {
        ms = seconds[i] * 1000;
        low = next(i, 0, 0, 0, 0);
        high = next(i, 0, 0, 0, UINT32_MAX);

        ok(low == ms * 8 / 10, "attempt %u: least %" PRId64, i, low);
        ok(high == ms * 12 / 10, "attempt %u: most %" PRId64, i, high);
        low = next(i, 0, 0, 0, UINT32_MAX / 2);
        ok(low >= ms - 2 && low <= ms + 2, "attempt %u: middle %" PRId64, i,
           low);
    }

    ok(next(9, 0, 0, 0, 0) == -1, "the tenth attempt is the last");
    ok(next(10, 0, 0, 0, 0) == -1, "none after it");
    ok(next(4000000000u, 0, 0, 0, 0) == -1, "nor much later");
}


static void
check_retry_after(void)
{
    ok(next(0, 0, 0, 60, 0) == 60000, "Retry-After is a minimum");
    ok(next(1, 0, 0, 60, 0) == 240000, "never a shortening");
    ok(next(0, 0, 0, 1000000, 0) == 86400000, "capped at a day");
    ok(next(0, 0, 0, INT64_MAX, 0) == 86400000, "a huge one too");
    ok(next(0, 0, 0, 0, 0) == 4000, "none given");
    ok(next(9, 0, 0, 60, 0) == -1, "no eleventh attempt");
}


static void
check_callback(void)
{
    ok(next(0, 1, 0, 0, 0) == 4000, "a callback has the same schedule");
    ok(next(5, 1, 30000, 0, 0) == 28800000, "within 24 hours");
    ok(next(5, 1, 86400 - 28800, 0, 0) == 28800000, "to the last instant");
    ok(next(5, 1, 86400 - 28799, 0, 0) == 28799000, "and not after it");
    ok(next(5, 1, 86400 - 3600, 0, 0) == 3600000, "the last one at the end");
    ok(next(5, 1, 86400 - 3599, 0, 0) == -1, "if it is not too soon for that");
    ok(next(5, 1, 86400 - 7200, 7201, 0) == -1, "nor for the peer");
    ok(next(5, 0, 86400 - 28799, 0, 0) == 28800000, "a receiver has longer");
    ok(next(0, 1, 86400, 0, 0) == -1, "too old for any");
    ok(next(0, 1, 10, 86400, 0) == -1, "Retry-After beyond the end");
}


static void
check_contact(void)
{
    size_t     i;
    int64_t    ms;
    backoff_t  b;

    static const int64_t  delays[] = { 30, 120, 600, 1800, 7200 };

    memset(&b, 0, sizeof(b));
    b.table = &backoff_contact;

    for (i = 0; i < 5; i++) {
        b.attempt = (unsigned) i;
        ms = backoff_next(&b);
        ok(ms == delays[i] * 800, "a contact, attempt %zu: least %" PRId64, i,
           ms);
    }

    b.attempt = 5;
    ok(backoff_next(&b) == -1, "the sixth attempt is the last");
}


int
main(void)
{
    check_table();
    check_contact();
    check_retry_after();
    check_callback();

    return tap_done();
}
