/*
 * The retry schedule: a table of delays, jitter of 20 % to either side so that
 * what failed together does not come back together, and the peer's
 * Retry-After as a minimum that never shortens a delay.
 */

#include "backoff.h"


static const int32_t  backoff_seconds[BACKOFF_ATTEMPTS - 1] = {
    5,
    5 * 60,
    30 * 60,
    2 * 3600,
    5 * 3600,
    10 * 3600,
    14 * 3600,
    20 * 3600,
    24 * 3600
};


int64_t
backoff_next(const backoff_t *b)
{
    int64_t  base, delay, after;

    if (b->attempt >= BACKOFF_ATTEMPTS - 1) {
        return -1;
    }

    /* 0.8 .. 1.2 of the table */

    base = (int64_t) backoff_seconds[b->attempt] * 1000;
    delay = base * 4 / 5
            + (int64_t) ((uint64_t) (base * 2 / 5) * b->random / UINT32_MAX);

    after = b->retry_after;

    if (after > BACKOFF_AFTER_MAX) {
        after = BACKOFF_AFTER_MAX;
    }

    if (delay < after * 1000) {
        delay = after * 1000;
    }

    if (b->short_lived && b->now + delay > b->first + BACKOFF_SHORT) {
        return -1;
    }

    return delay;
}
