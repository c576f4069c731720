/*
 * The retry schedules: a table of delays, a jitter of 20 % in both directions
 * so that deliveries that failed together are not repeated together, and the
 * delay that the peer requested as a minimum.
 *
 * A message to a contact is useful for hours, not for days: its table is short.
 */

#include "backoff.h"

#define TABLE(seconds)  { sizeof(seconds) / sizeof(seconds[0]), seconds }


static const int32_t  backoff_webhook_seconds[] = {
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

static const int32_t  backoff_contact_seconds[] = {
    30,
    2 * 60,
    10 * 60,
    30 * 60,
    2 * 3600
};

const backoff_table_t  backoff_webhook = TABLE(backoff_webhook_seconds);
const backoff_table_t  backoff_contact = TABLE(backoff_contact_seconds);


int64_t
backoff_next(const backoff_t *b)
{
    int64_t  base, delay, wait, rest;

    if (b->attempt >= b->table->n) {
        return -1;
    }

    /* 0.8 .. 1.2 of the table */

    base = (int64_t) b->table->seconds[b->attempt] * 1000;
    delay = base * 4 / 5
            + (int64_t) ((uint64_t) (base * 2 / 5) * b->random / UINT32_MAX);

    wait = b->wait < BACKOFF_WAIT_MAX ? b->wait : BACKOFF_WAIT_MAX;

    if (delay < wait) {
        delay = wait;
    }

    rest = b->short_lived ? b->first + BACKOFF_SHORT - b->now : delay;

    if (delay <= rest) {
        return delay;
    }

    /* there is one more at the very end, if it is not too soon for that */

    return rest >= BACKOFF_LAST && rest >= wait ? rest : -1;
}
