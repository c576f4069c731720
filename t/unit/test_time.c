/*
 * Times and periods as text; dates are also compared with gmtime_r.
 */

#include "rbl_time.h"
#include "tap.h"

#include <time.h>


static const struct {
    int64_t      ms;
    int32_t      offset;
    const char  *text, *rfc;
} times[] = {
    { 0, 0, "", "" },
    { -1, 0, "", "" },
    { INT64_MIN, 0, "", "" },
    { INT64_MAX, 0, "", "" },
    { 1, 0, "1970-01-01 00:00:00 UTC", "1970-01-01T00:00:00+00:00" },
    { 999, 0, "1970-01-01 00:00:00 UTC", "1970-01-01T00:00:00+00:00" },
    { 1478570493000, -18000, "2016-11-07 21:01:33 UTC",
      "2016-11-08T02:01:33+00:00" },
    { 1795167000000, 0, "2026-11-20 09:30:00 UTC",
      "2026-11-20T09:30:00+00:00" },
    { 951782400000, 0, "2000-02-29 00:00:00 UTC",
      "2000-02-29T00:00:00+00:00" },
    { 951868799999, 0, "2000-02-29 23:59:59 UTC",
      "2000-02-29T23:59:59+00:00" },
    { 4107542400000, 0, "2100-03-01 00:00:00 UTC",
      "2100-03-01T00:00:00+00:00" },
    { 1000, -3600, "", "1970-01-01T00:00:01+00:00" },
    { 253402300799999, 0, "9999-12-31 23:59:59 UTC",
      "9999-12-31T23:59:59+00:00" },
    { 253402300799999, 1, "", "9999-12-31T23:59:59+00:00" },
    { 253402300800000, 0, "", "" },
};

static const struct {
    int64_t      ms;
    const char  *text;
} periods[] = {
    { 0, "0 days 00:00:00" },
    { -5000, "0 days 00:00:00" },
    { 999, "0 days 00:00:00" },
    { 729000, "0 days 00:12:09" },
    { 86399000, "0 days 23:59:59" },
    { 128271000, "1 day 11:37:51" },
    { 172800000, "2 days 00:00:00" },
    { 1172158000, "13 days 13:35:58" },
    { INT64_MAX, "106751991167 days 07:12:55" },
};


int
main(void)
{
    int             good;
    char            buf[RBL_TIME_LEN], want[64];
    size_t          i;
    int64_t         sec;
    time_t          t;
    struct tm       tm;
    rbl_timezone_t  tz;

    static const rbl_timezone_t  odd = RBL_TIMEZONE_FIXED(3600, "ABCDEFGH");

    for (i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        tz = rbl_timezone_utc;
        tz.types[0].offset = times[i].offset;
        is_str(rbl_time_text(buf, times[i].ms, &tz), times[i].text, "time");
        is_str(rbl_time_rfc3339(buf, times[i].ms), times[i].rfc, "RFC 3339");
    }

    for (i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
        is_str(rbl_period_text(buf, periods[i].ms), periods[i].text,
               "period");
    }

    good = 1;

    for (sec = 1; sec < INT64_C(253402300799); sec += 86400 * 3 + 12345) {
        t = (time_t) sec;
        gmtime_r(&t, &tm);
        strftime(want, sizeof(want), "%Y-%m-%d %H:%M:%S UTC", &tm);
        good &= rbl_str_is(rbl_time_text(buf, sec * 1000, &rbl_timezone_utc),
                           want);
    }

    ok(good, "the same as gmtime_r, to the year 9999");

    is_str(rbl_time_text(buf, 1000, &odd), "1970-01-01 01:00:01 ABCDEFGH",
           "an abbreviation that fills its room");

    return tap_done();
}
