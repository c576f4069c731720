/*
 * Points of the service and hours of a list: sums, days that are shorter or
 * missing, numbers that fill all bytes.
 */

#include "rbl_series.h"
#include "tap.h"


static void
test_points(void)
{
    char       day[3 * RBL_SERIES__N * 4] = { 0 };
    int64_t    n[RBL_SERIES__N] = { 0 };
    unsigned   k;
    rbl_str_t  raw = { day, sizeof(day) };

    for (k = 0; k < RBL_SERIES__N; k++) {
        day[RBL_SERIES__N * 4 + k * 4 + 3] = (char) (k + 1);
        day[2 * RBL_SERIES__N * 4 + k * 4 + 2] = 1;
    }

    rbl_series_add(n, raw, 0);
    rbl_series_add(n, raw, 1);
    ok(n[RBL_SERIES_REPORTS] == 1, "the first number of a point");
    ok(n[RBL_SERIES_DEAD] == RBL_SERIES__N, "the last one");
    rbl_series_add(n, raw, 2);
    ok(n[RBL_SERIES_CHECKS] == 256 + 2, "points are added");
    ok(n[RBL_SERIES_OLDEST] == 256, "of times the largest counts");
    rbl_series_add(n, raw, 1);
    ok(n[RBL_SERIES_OLDEST] == 256, "a smaller time changes nothing");

    raw.n--;
    memset(n, 0, sizeof(n));
    rbl_series_add(n, raw, 2);
    rbl_series_add(n, raw, 287);
    rbl_series_add(n, RBL_STR(""), 0);
    ok(n[RBL_SERIES_CHECKS] == 0, "a point that the day does not have");

    memset(day, 0xff, sizeof(day));
    rbl_series_add(n, raw, 0);
    ok(n[RBL_SERIES_OLDEST] == 4294967295, "numbers are unsigned");
}


static void
test_hours(void)
{
    char       day[24 * RBL_RESPONSES__N * 4] = { 0 };
    int64_t    n[RBL_RESPONSES__N] = { 0 };
    unsigned   i;
    rbl_str_t  raw = { day, sizeof(day) };

    for (i = 0; i < 24; i++) {
        day[i * RBL_RESPONSES__N * 4 + 3] = 1;
        day[i * RBL_RESPONSES__N * 4 + 11] = (char) i;
    }

    rbl_responses_add(n, raw, 20, 23);
    ok(n[RBL_RESPONSES_ANSWERED] == 4, "the last hours of a day");
    ok(n[RBL_RESPONSES_REFUSED] == 0, "none was refused");
    ok(n[RBL_RESPONSES_FAILED] == 20 + 21 + 22 + 23, "those that failed");
    rbl_responses_add(n, raw, 0, 99);
    ok(n[RBL_RESPONSES_ANSWERED] == 28, "a day has 24 hours");
    ok(rbl_responses_hour(raw, 0) == '9', "all queries of an hour were"
       " answered");
    ok(rbl_responses_hour(raw, 1) == '5', "half of them were");
    ok(rbl_responses_hour(raw, 23) == '1', "few of them were");
    day[3] = 0;
    ok(rbl_responses_hour(raw, 0) == '-', "no query of an hour has ended");
    day[7] = 1;
    ok(rbl_responses_hour(raw, 0) == '0', "none of them was answered");
    day[3] = 127;
    ok(rbl_responses_hour(raw, 0) == '8', "nearly all of them were");
    ok(rbl_responses_hour(raw, 24) == '-', "an hour that no day has");

    raw.n--;
    rbl_responses_add(n, raw, 0, 23);
    ok(n[RBL_RESPONSES_ANSWERED] == 28, "a damaged day counts as none");
    ok(rbl_responses_hour(raw, 0) == '-', "also for an hour of it");
}


int
main(void)
{
    test_points();
    test_hours();

    return tap_done();
}
