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

static const struct {
    int64_t      ms;
    const char  *text;
} spans[] = {
    { -1, "0 s" },
    { 999, "0 s" },
    { 59999, "59 s" },
    { 60000, "1 min" },
    { 3599000, "59 min" },
    { 3600000, "1 h" },
    { 3720000, "1 h 2 min" },
    { 86400000, "1 d" },
    { 86400000 + 59 * 60000, "1 d" },
    { 76 * 3600000 + 59000, "3 d 4 h" },
    { INT64_C(400) * 86400000, "400 d" },
    { INT64_MAX, "106751991167 d 7 h" }
};

static const struct {
    uint64_t     sec;
    const char  *text;
} spans_read[] = {
    { 0, "" },
    { 0, "long" },
    { 40, "40 s" },
    { 300, "5 min" },
    { 3720, "1 h 2 min" },
    { 273600, "3 d 4 h" }
};


/* Times of people, beside a zone with summer time (Europe/Berlin in 2026: from
   March 29, 2:00 to October 25, 3:00). */

static void
test_read(void)
{
    size_t          i;
    int64_t         ms;
    rbl_err_t       rc;
    char            buf[RBL_TIME_LEN];
    rbl_timezone_t  berlin;

    static const struct {
        const char  *text, *is;         /* NULL: refused */
    } rows[] = {
        { "2026-11-20T17:00", "2026-11-20T16:00:00+00:00" },
        { "2026-07-20T17:00:30", "2026-07-20T15:00:30+00:00" },
        { "2026-11-20T17:00Z", "2026-11-20T17:00:00+00:00" },
        { "2026-11-20T17:00+01:30", "2026-11-20T15:30:00+00:00" },
        { "2026-11-20T17:00:10-05:00", "2026-11-20T22:00:10+00:00" },
        { "2026-03-29T01:59", "2026-03-29T00:59:00+00:00" },
        { "2026-03-29T02:30", "2026-03-29T01:30:00+00:00" },
        { "2026-03-29T03:00", "2026-03-29T01:00:00+00:00" },
        { "2026-10-25T01:59", "2026-10-24T23:59:00+00:00" },
        { "2026-10-25T02:30", "2026-10-25T01:30:00+00:00" },
        { "2026-10-25T03:00", "2026-10-25T02:00:00+00:00" },
        { "90m", "1970-01-01T01:30:01+00:00" },
        { "12h", "1970-01-01T12:00:01+00:00" },
        { "7d", "1970-01-08T00:00:01+00:00" },
        { "", NULL }, { "d", NULL }, { "0d", NULL }, { "+7d", NULL },
        { "7", NULL }, { "7w", NULL }, { "99999999d", NULL },
        { "2026-11-20", NULL }, { "2026-11-20 17:00", NULL },
        { "2026-13-20T17:00", NULL }, { "2026-11-20T24:30", NULL },
        { "2026-11-20T17", NULL }, { "2026-11-20T17:00+0100", NULL },
        { "2026-11-20T17:00+15:00", NULL }, { "2026-11-20T17:00+1:000", NULL },
        { "2026-11-20T17:00CET", NULL }, { "1969-12-31T23:59", NULL },
        { "2200-01-01T00:00", NULL },
        { "2026-11-20T17:00:00+01:00 and more and more", NULL }
    };

    if (rbl_timezone_load(&berlin, "/usr/share/zoneinfo/Europe/Berlin") != 0) {
        ok(1, "times of people # SKIP there are no time zones");
        return;
    }

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        rc = rbl_time_read(&ms, rbl_str(rows[i].text), 1000, &berlin);

        if (rows[i].is == NULL) {
            ok(rc == RBL_EINVAL, "'%s' is no time", rows[i].text);

        } else {
            ok(rc == RBL_OK, "'%s' is a time", rows[i].text);
            is_str(rbl_time_rfc3339(buf, ms), rows[i].is, rows[i].text);
        }
    }

    ok(rbl_time_read(&ms, RBL_STR("2026-11-20T17:00"), 0, NULL) == RBL_OK
       && ms == INT64_C(1795194000000), "without a zone it is UTC");
}


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

    for (i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
        is_str(rbl_span_text(buf, spans[i].ms), spans[i].text, "span");
    }

    for (i = 0; i < sizeof(spans_read) / sizeof(spans_read[0]); i++) {
        ok(rbl_span_read(rbl_str(spans_read[i].text)) == spans_read[i].sec,
           "\"%s\" is so many seconds", spans_read[i].text);
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
    test_read();

    return tap_done();
}
