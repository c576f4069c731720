/*
 * Marks of listings, and what they are in words.
 */

#include "rbl_mark.h"


int
rbl_mark_find(rbl_mark_t *mark, rbl_str_t marks, rbl_str_t list)
{
    size_t    n;
    rbl_mp_t  mp;

    if (marks.n == 0) {
        return 0;
    }

    rbl_mp_init(&mp, marks);

    for (n = rbl_mp_array(&mp); n > 0; n--) {
        if (rbl_mark_decode(mark, &mp) != RBL_OK) {
            return -1;
        }

        if (rbl_str_eq(mark->list, list)) {
            return 1;
        }
    }

    return mp.failed ? -1 : 0;
}


/* "5 min", "3 h", "2 d"; at least a minute. */

static void
rbl_mark_age(rbl_out_t *out, int64_t ms)
{
    int64_t  minutes;

    minutes = ms / 60000 > 1 ? ms / 60000 : 1;

    if (minutes < 120) {
        rbl_out_int(out, minutes);
        rbl_out_z(out, " min");

    } else if (minutes < 2 * 1440) {
        rbl_out_int(out, minutes / 60);
        rbl_out_z(out, " h");

    } else {
        rbl_out_int(out, minutes / 1440);
        rbl_out_z(out, " d");
    }
}


static const char *
rbl_mark_part(rbl_out_t *out, const char *before, const char *what, int64_t at,
    rbl_str_t by, int64_t now)
{
    if (at == 0) {
        return before;
    }

    rbl_out_z(out, before);
    rbl_out_z(out, what);
    rbl_mark_age(out, now - at);
    rbl_out_z(out, " ago");

    if (by.n > 0) {
        rbl_out_z(out, " by ");
        rbl_out_str(out, by);
    }

    return ", ";
}


void
rbl_mark_text(rbl_out_t *out, const rbl_mark_t *mark, int64_t now)
{
    const char  *before;

    before = rbl_mark_part(out, "", "removal asked ", mark->asked,
                           mark->asked_by, now);
    before = rbl_mark_part(out, before, "marked as expected ", mark->expected,
                           mark->expected_by, now);

    if (mark->ticketed != 0) {
        rbl_out_z(out, before);
        rbl_out_z(out, "ticket ");
        rbl_out_str(out, mark->ticket);
    }
}
