/*
 * The reply of the store is copied once; all else are views into that copy.
 */

#include "standing.h"

#include <stdlib.h>

#define LISTINGS_MAX  1024


static int
take_listing(check_standing_t *listing, rbl_mp_t *mp, int64_t now)
{
    size_t  n;

    n = rbl_mp_array(mp);
    listing->sid = rbl_mp_str(mp);
    listing->zone = rbl_mp_str(mp);
    listing->cleared = rbl_mp_int(mp);
    listing->now = now;

    if (n < 3) {
        return -1;
    }

    for (n -= 3; n > 0 && !mp->failed; n--) {
        rbl_mp_skip(mp);
    }

    return mp->failed ? -1 : 0;
}


static int
take_listings(standing_t *standing, rbl_str_t packed, int64_t now)
{
    size_t    i, n;
    rbl_mp_t  mp;

    rbl_mp_init(&mp, packed);
    n = rbl_mp_array(&mp);
    if (mp.failed || n > LISTINGS_MAX) {
        return -1;
    }

    standing->listing = calloc(n + 1, sizeof(check_standing_t));
    if (standing->listing == NULL) {
        return -1;
    }

    for (i = 0; i < n; i++) {
        if (take_listing(&standing->listing[i], &mp, now) != 0) {
            return -1;
        }
    }

    standing->n = n;
    return 0;
}


int
standing_read(standing_t *standing, rbl_str_t packed, rbl_str_t troubled,
    int64_t now)
{
    const char  *colon;

    standing_free(standing);

    if (packed.n + troubled.n == 0) {
        return 0;
    }

    standing->bytes = malloc(packed.n + troubled.n);
    if (standing->bytes == NULL) {
        return -1;
    }

    if (packed.n != 0) {
        memcpy(standing->bytes, packed.p, packed.n);
        packed.p = standing->bytes;

        if (take_listings(standing, packed, now) != 0) {
            standing_free(standing);
            return -1;
        }
    }

    if (troubled.n != 0) {
        standing->troubled.p = standing->bytes + packed.n;
        standing->troubled.n = troubled.n;
        memcpy(standing->bytes + packed.n, troubled.p, troubled.n);

        colon = memchr(standing->troubled.p, ':', troubled.n);
        standing->pending.p = standing->troubled.p;
        standing->pending.n = colon == NULL ? 0 : (size_t)
                              (colon - standing->troubled.p);
    }

    return 0;
}


void
standing_free(standing_t *standing)
{
    free(standing->listing);
    free(standing->bytes);
    memset(standing, 0, sizeof(standing_t));
}


int
standing_open(const standing_t *standing, rbl_str_t sid)
{
    size_t  i;

    for (i = 0; i < standing->n; i++) {
        if (standing->listing[i].cleared != 0
            && rbl_str_eq(standing->listing[i].sid, sid))
        {
            return 1;
        }
    }

    return check_sid_in(standing->troubled, sid);
}
