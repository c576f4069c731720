/*
 * When a contact may get messages, rhythms and quiet hours, and when a mute is
 * repeated, also where clocks change (Europe/Berlin in 2026: summer time from
 * 29 March 2:00 to 25 October 3:00; Lord Howe: half an hour).
 */

#include "rbl_rhythm.h"
#include "rbl_time.h"
#include "tap.h"


static const struct {
    const char  *text;
    int          rhythm, quiet;
} texts[] = {
    { "", 1, 1 }, { "now", 1, 0 }, { "none", 0, 1 }, { "hourly", 1, 0 },
    { "daily 00:00", 1, 0 }, { "daily 23:59", 1, 0 },
    { "weekly mon 08:00", 1, 0 }, { "weekly sun 08:00", 1, 0 },
    { "daily", 0, 0 }, { "daily ", 0, 0 }, { "daily 8:00", 0, 0 },
    { "daily 24:00", 0, 0 }, { "daily 08:60", 0, 0 }, { "daily 08:00 ", 0, 0 },
    { "daily  08:00", 0, 0 }, { "Daily 08:00", 0, 0 }, { "daily 08.00", 0, 0 },
    { "daily mon 08:00", 0, 0 }, { "weekly 08:00", 0, 0 },
    { "weekly mo 08:00", 0, 0 }, { "weekly monday 08:00", 0, 0 },
    { "weekly mon", 0, 0 }, { "weekly mon tue 08:00", 0, 0 },
    { "hourly 08:00", 0, 0 }, { "yearly", 0, 0 },
    { "22:00-06:30", 0, 1 }, { "00:00-23:59", 0, 1 }, { "08:00-08:00", 0, 0 },
    { "22:00-24:00", 0, 0 }, { "22:00 06:30", 0, 0 }, { "22:00-6:30", 0, 0 },
    { "22:00-06:30 ", 0, 0 }, { "22:00", 0, 0 }, { "-", 0, 0 },
    { "weekly mon,thu 08:00", 0, 0 }
};

static const struct {
    const char  *text;
    int          ok;
} rules[] = {
    { "daily 22:00", 1 }, { "weekly sat 22:00", 1 },
    { "weekly sat,sun 02:00", 1 }, { "weekly mon,tue,wed,thu,fri 00:00", 1 },
    { "weekly sun,mon,tue,wed,thu,fri,sat 23:59", 1 },
    { "", 0 }, { "now", 0 }, { "none", 0 }, { "hourly", 0 }, { "daily", 0 },
    { "weekly 22:00", 0 }, { "weekly sat", 0 }, { "weekly sat,", 0 },
    { "weekly sat, 22:00", 0 }, { "weekly sat, sun 22:00", 0 },
    { "weekly sat,sat 22:00", 0 }, { "weekly ,sat 22:00", 0 },
    { "weekly satsun 22:00", 0 }, { "weekly sat,sun,22:00", 0 },
    { "weekly Sat 22:00", 0 }, { "weekly sat 24:00", 0 }, { "weekly s", 0 },
    { "sat,sun 22:00", 0 }, { "daily 22:00 90", 0 }
};

static const struct {
    const char  *zone, *rule;
    int64_t      minutes;
    const char  *from, *now, *begins;
} windows[] = {
    { "UTC", "daily 22:00", 90, "", "2026-11-20T21:00",
      "2026-11-20T22:00" },
    { "UTC", "daily 22:00", 90, "", "2026-11-20T22:00",
      "2026-11-20T22:00" },
    { "UTC", "daily 22:00", 90, "", "2026-11-20T23:29:59",
      "2026-11-20T22:00" },
    { "UTC", "daily 22:00", 90, "", "2026-11-20T23:30",
      "2026-11-21T22:00" },
    { "UTC", "daily 23:00", 120, "", "2026-11-21T00:30",
      "2026-11-20T23:00" },
    { "UTC", "daily 23:00", 120, "", "2026-11-21T01:00",
      "2026-11-21T23:00" },

    /* 20 November 2026 is a Friday */
    { "UTC", "weekly sat,sun 02:00", 90, "", "2026-11-20T17:00",
      "2026-11-21T02:00" },
    { "UTC", "weekly sat,sun 02:00", 90, "", "2026-11-21T03:30",
      "2026-11-22T02:00" },
    { "UTC", "weekly sun,sat 02:00", 90, "", "2026-11-22T03:30",
      "2026-11-28T02:00" },
    { "UTC", "weekly mon 23:30", 60, "", "2026-11-24T00:15",
      "2026-11-23T23:30" },

    /* not before a time */
    { "UTC", "daily 22:00", 90, "2026-12-01T00:00", "2026-11-20T21:00",
      "2026-12-01T22:00" },
    { "UTC", "daily 22:00", 90, "2026-12-01T22:00", "2026-11-20T21:00",
      "2026-12-01T22:00" },
    { "UTC", "daily 22:00", 90, "2026-12-01T22:00:01", "2026-11-20T21:00",
      "2026-12-02T22:00" },
    { "UTC", "daily 22:00", 90, "2026-11-20T22:10", "2026-11-20T22:20",
      "2026-11-21T22:00" },

    /* where clocks change */
    { "Europe/Berlin", "daily 02:30", 60, "", "2026-03-28T12:00",
      "2026-03-29T03:30" },
    { "Europe/Berlin", "daily 02:30", 60, "", "2026-03-29T04:29",
      "2026-03-29T03:30" },
    { "Europe/Berlin", "daily 02:30", 60, "", "2026-03-29T04:30",
      "2026-03-30T02:30" },
    { "Europe/Berlin", "daily 01:30", 60, "", "2026-03-29T03:29",
      "2026-03-29T01:30" },
    { "Europe/Berlin", "daily 02:30", 60, "", "2026-10-24T12:00",
      "2026-10-25T02:30+01:00" },
    { "Europe/Berlin", "weekly sun 02:30", 30, "", "2026-10-25T03:00",
      "2026-11-01T02:30" },
    { "Europe/Berlin", "daily 22:00", 1439, "", "2026-03-29T22:58:59",
      "2026-03-28T22:00" },
    { "Europe/Berlin", "daily 22:00", 1439, "", "2026-03-29T22:59",
      "2026-03-29T22:00" },
    { "Australia/Lord_Howe", "daily 02:00", 30, "", "2026-10-03T12:00",
      "2026-10-04T02:30+11:00" },

    /* what is none */
    { "UTC", "daily 22:00", 0, "", "2026-11-20T21:00", "" },
    { "UTC", "daily 22:00", 1440, "", "2026-11-20T21:00", "" },
    { "UTC", "daily 22:00", -1, "", "2026-11-20T21:00", "" },
    { "UTC", "hourly", 30, "", "2026-11-20T21:00", "" },
    { "UTC", "", 30, "", "2026-11-20T21:00", "" },
    { "UTC", "daily 22:00", 90, "", "1970-01-02T00:00", "" }
};

static const struct {
    const char  *zone, *rhythm, *quiet, *now, *next;
} rows[] = {
    /* at once */
    { "UTC", "", "", "2026-11-20T17:00:30",
      "2026-11-20T17:00:30" },
    { "UTC", "now", "none", "2026-11-20T17:05",
      "2026-11-20T17:05" },
    { "UTC", "fortnightly", "22-6", "2026-11-20T17:05",
      "2026-11-20T17:05" },

    /* hourly */
    { "UTC", "hourly", "", "2026-11-20T17:00",
      "2026-11-20T18:00" },
    { "UTC", "hourly", "", "2026-11-20T17:59:59",
      "2026-11-20T18:00" },
    { "Asia/Kolkata", "hourly", "", "2026-11-20T17:20",
      "2026-11-20T18:00" },
    { "Australia/Lord_Howe", "hourly", "", "2026-10-04T01:40+10:30",
      "2026-10-04T02:00+10:30" },

    /* daily */
    { "UTC", "daily 08:00", "", "2026-11-20T07:59",
      "2026-11-20T08:00" },
    { "UTC", "daily 08:00", "", "2026-11-20T08:00",
      "2026-11-21T08:00" },
    { "UTC", "daily 00:00", "", "2026-12-31T12:00",
      "2027-01-01T00:00" },
    { "Europe/Berlin", "daily 08:00", "", "2026-03-28T12:00",
      "2026-03-29T08:00" },
    { "Europe/Berlin", "daily 02:30", "", "2026-03-28T12:00",
      "2026-03-29T03:30" },
    { "Europe/Berlin", "daily 02:30", "", "2026-03-29T03:30",
      "2026-03-30T02:30" },
    { "Europe/Berlin", "daily 02:30", "", "2026-10-24T12:00",
      "2026-10-25T02:30+01:00" },
    { "Europe/Berlin", "daily 02:30", "", "2026-10-25T02:30+01:00",
      "2026-10-26T02:30" },
    { "Pacific/Apia", "daily 08:00", "", "2026-11-20T09:00",
      "2026-11-21T08:00" },

    /* weekly: 20 November 2026 is a Friday */
    { "UTC", "weekly mon 08:00", "", "2026-11-20T17:00",
      "2026-11-23T08:00" },
    { "UTC", "weekly fri 18:00", "", "2026-11-20T17:00",
      "2026-11-20T18:00" },
    { "UTC", "weekly fri 17:00", "", "2026-11-20T17:00",
      "2026-11-27T17:00" },
    { "UTC", "weekly sun 00:00", "", "2026-11-20T17:00",
      "2026-11-22T00:00" },
    { "Europe/Berlin", "weekly sun 02:30", "", "2026-03-27T17:00",
      "2026-03-29T03:30" },

    /* quiet hours */
    { "UTC", "", "22:00-06:30", "2026-11-20T21:59:59",
      "2026-11-20T21:59:59" },
    { "UTC", "", "22:00-06:30", "2026-11-20T22:00",
      "2026-11-21T06:30" },
    { "UTC", "", "22:00-06:30", "2026-11-21T06:29:59",
      "2026-11-21T06:30" },
    { "UTC", "", "22:00-06:30", "2026-11-21T06:30",
      "2026-11-21T06:30" },
    { "UTC", "", "12:00-13:00", "2026-11-20T12:30",
      "2026-11-20T13:00" },
    { "UTC", "", "00:00-23:59", "2026-11-20T12:30",
      "2026-11-20T23:59" },
    { "Europe/Berlin", "", "22:00-06:00", "2026-03-28T23:00",
      "2026-03-29T06:00" },
    { "Europe/Berlin", "", "01:00-02:30", "2026-03-29T01:30",
      "2026-03-29T03:30" },
    { "Europe/Berlin", "", "22:00-06:00", "2026-10-24T23:00",
      "2026-10-25T06:00" },

    /* both */
    { "UTC", "hourly", "22:00-06:30", "2026-11-20T21:10",
      "2026-11-21T06:30" },
    { "UTC", "daily 23:00", "22:00-06:30", "2026-11-20T21:10",
      "2026-11-21T06:30" },
    { "UTC", "daily 08:00", "22:00-06:30", "2026-11-20T21:10",
      "2026-11-21T08:00" }
};


static int64_t
ms_of(const char *text, const rbl_timezone_t *tz)
{
    int64_t  ms = -1;

    (void) rbl_time_read(&ms, rbl_str(text), 0, tz);

    return ms;
}


int
main(void)
{
    char            path[128];
    size_t          i;
    int64_t         next;
    rbl_str_t       text;
    rbl_timezone_t  tz;

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        text = rbl_str(texts[i].text);
        ok(rbl_rhythm_ok(text) == texts[i].rhythm, "\"%s\" as a rhythm",
               texts[i].text);
        ok(rbl_quiet_ok(text) == texts[i].quiet, "\"%s\" as quiet hours",
               texts[i].text);
    }

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        snprintf(path, sizeof(path), "/usr/share/zoneinfo/%s", rows[i].zone);

        if (rbl_timezone_load(&tz, path) != 0) {
            ok(0, "the time zone %s is there", rows[i].zone);
            continue;
        }

        next = rbl_rhythm_next(rbl_str(rows[i].rhythm), rbl_str(rows[i].quiet),
                               ms_of(rows[i].now, &tz), &tz);
        ok(next == ms_of(rows[i].next, &tz), "%s \"%s\" \"%s\" at %s",
               rows[i].zone, rows[i].rhythm, rows[i].quiet, rows[i].now);
    }

    for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        ok(rbl_window_ok(rbl_str(rules[i].text)) == rules[i].ok,
           "\"%s\" as a rule", rules[i].text);
    }

    for (i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
        snprintf(path, sizeof(path), "/usr/share/zoneinfo/%s",
                 windows[i].zone);

        if (rbl_timezone_load(&tz, path) != 0) {
            ok(0, "the time zone %s is there", windows[i].zone);
            continue;
        }

        next = rbl_window_next(rbl_str(windows[i].rule), windows[i].minutes,
                               ms_of(windows[i].from, &tz),
                               ms_of(windows[i].now, &tz), &tz);
        ok(next == ms_of(windows[i].begins, &tz),
           "%s \"%s\" for %d minutes at %s: %lld", windows[i].zone,
           windows[i].rule, (int) windows[i].minutes, windows[i].now,
           (long long) next);
    }

    ok(rbl_window_next(rbl_str("daily 22:00"), 90, INT64_MAX,
                       ms_of("2026-11-20T21:00", &tz), &tz) == -1
       && rbl_window_next(rbl_str("daily 22:00"), 90, 0, INT64_MAX, &tz) == -1,
       "times behind the last one are refused");

    return tap_done();
}
