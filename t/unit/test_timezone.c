/*
 * Time zones: every zone of the system at each of its changes and at other
 * times, as the C library shows them; files that are none.
 */

#include "rbl_time.h"
#include "rbl_timezone.h"
#include "tap.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define ZONEINFO  "/usr/share/zoneinfo"


static const struct {
    const char  *zone;
    int64_t      sec;
    const char  *text;
} known[] = {
    { "America/New_York", 1478570493, "2016-11-07 21:01:33 EST" },
    { "America/New_York", 1478411999, "2016-11-06 01:59:59 EDT" },
    { "America/New_York", 1478412000, "2016-11-06 01:00:00 EST" },
    { "America/New_York", 1, "1969-12-31 19:00:01 EST" },
    { "America/New_York", 4118101200, "2100-07-01 01:00:00 EDT" },
    { "Europe/Dublin", 1767225600, "2026-01-01 00:00:00 GMT" },
    { "Europe/Dublin", 1782864000, "2026-07-01 01:00:00 IST" },
    { "Asia/Kolkata", 1782864000, "2026-07-01 05:30:00 IST" },
    { "Asia/Kathmandu", 1782864000, "2026-07-01 05:45:00 +0545" },
    { "Asia/Tehran", 1782864000, "2026-07-01 03:30:00 +0330" },
    { "Africa/Casablanca", 1772323200, "2026-03-01 00:00:00 +00" },
    { "Africa/Casablanca", 1782864000, "2026-07-01 01:00:00 +01" },
    { "Pacific/Apia", 1325239199, "2011-12-29 23:59:59 -10" },
    { "Pacific/Apia", 1325239200, "2011-12-31 00:00:00 +14" },
    { "Australia/Lord_Howe", 1782864000, "2026-07-01 10:30:00 +1030" },
    { "Australia/Lord_Howe", 1767225600, "2026-01-01 11:00:00 +11" },
    { "America/Sao_Paulo", 1782864000, "2026-06-30 21:00:00 -03" },
    { "Pacific/Chatham", 1767225600, "2026-01-01 13:45:00 +1345" },
    { "Etc/GMT+12", 1782864000, "2026-06-30 12:00:00 -12" },
    { "UTC", 1782864000, "2026-07-01 00:00:00 UTC" },
};

static const struct {
    const char  *name;
    int          good;
} names[] = {
    { "UTC", 1 }, { "America/Argentina/Buenos_Aires", 1 },
    { "Etc/GMT+1", 1 }, { "Etc/GMT-14", 1 }, { "W-SU", 1 }, { "EST5EDT", 1 },
    { "", 0 }, { "utc", 0 }, { "localtime", 0 }, { "posix/UTC", 0 },
    { "right/UTC", 0 }, { "/etc/passwd", 0 }, { "../UTC", 0 },
    { "America/../UTC", 0 }, { "America/./UTC", 0 }, { "America//UTC", 0 },
    { "America/", 0 }, { "zone.tab", 0 }, { "A/B.C", 0 }, { "A B", 0 },
    { "A\\B", 0 }, { "A:B", 0 }, { "A%2f", 0 }, { "A\n", 0 },
    { "A\xc3\xa9", 0 }, { "+5", 0 }, { "_A", 0 },
};

static unsigned    n_zones, n_compared, n_wrong;
static rbl_timezone_t  zone;


static int
zone_read(const char *name)
{
    char  path[256];

    snprintf(path, sizeof(path), ZONEINFO "/%s", name);

    return rbl_timezone_load(&zone, path);
}


static int64_t
random_below(int64_t n)
{
    static uint64_t  x = 88172645463325252;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;

    return (int64_t) (x % (uint64_t) n);
}


/* TZ must be set to the same. */

static void
compare(const char *name, int64_t sec)
{
    char       want[64], buf[RBL_TIME_LEN];
    time_t     t;
    rbl_str_t  got;
    struct tm  tm;

    t = (time_t) sec;
    localtime_r(&t, &tm);
    strftime(want, sizeof(want), "%Y-%m-%d %H:%M:%S %Z", &tm);
    got = rbl_time_text(buf, sec * 1000, &zone);
    n_compared++;

    /* output begins with 1970 in local time */

    if (tm.tm_year < 70 ? got.n != 0 : !rbl_str_is(got, want)) {
        if (n_wrong++ < 10) {
            printf("# %s, %lld: %s, not %s\n", name, (long long) sec, got.p,
                   want);
        }
    }
}


static void
compare_all(const char *name)
{
    unsigned  i;
    int64_t   at;

    setenv("TZ", name, 1);
    tzset();

    for (i = 0; i + 1 < zone.n_spans; i++) {
        for (at = zone.until[i] - 1; at <= zone.until[i]; at++) {
            if (at > 0) {
                compare(name, at);
            }
        }
    }

    for (i = 0; i < 200; i++) {
        compare(name, 1 + random_below(UINT32_MAX));
    }
}


static int
visit(const char *path, const struct stat *st, int type, struct FTW *at)
{
    const char  *name;

    (void) st;
    (void) at;

    name = path + sizeof(ZONEINFO);

    if (type != FTW_F || !rbl_timezone_ok(rbl_str(name))) {
        return 0;
    }

    n_zones++;

    if (zone_read(name) != 0) {
        printf("# %s cannot be read\n", name);
        n_wrong++;

    } else {
        compare_all(name);
    }

    return 0;
}


static void
test_system(void)
{
    unsigned  wrong;

    n_wrong = 0;
    nftw(ZONEINFO, visit, 16, 0);

    wrong = n_wrong;
    ok(n_zones > 300, "%u zones", n_zones);
    ok(wrong == 0, "%u times equal those of the C library", n_compared);
}


static void
test_known(void)
{
    char       buf[RBL_TIME_LEN];
    size_t     i;
    int        err;
    rbl_str_t  text;

    for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        err = zone_read(known[i].zone);
        text = rbl_time_text(buf, known[i].sec * 1000, &zone);

        /* times before 1970 in local time give no output */

        ok(err == 0
           && rbl_str_is(text, known[i].sec == 1 ? "" : known[i].text),
           "%s: %s", known[i].zone, known[i].text);
    }
}


static void
test_names(void)
{
    size_t  i;
    char    name[RBL_TIMEZONE_NAME_MAX + 2];

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        ok(rbl_timezone_ok(rbl_str(names[i].name)) == names[i].good,
           "name %zu is %s", i, names[i].good ? "one" : "none");
    }

    memset(name, 'A', sizeof(name));
    ok(rbl_timezone_ok((rbl_str_t) { name, RBL_TIMEZONE_NAME_MAX })
       && !rbl_timezone_ok((rbl_str_t) { name, RBL_TIMEZONE_NAME_MAX + 1 })
       && !rbl_timezone_ok((rbl_str_t) { "A\0B", 3 }), "lengths, NUL");
}


/* A file of its first n octets, and more of one letter. */

static int
cut(const char *name, size_t n, size_t more)
{
    int    rc;
    FILE  *from, *to;
    char   path[] = "/tmp/rbl-zone-XXXXXX";

    from = fopen(name, "rb");
    to = fdopen(mkstemp(path), "wb");

    while (n-- > 0) {
        fputc(fgetc(from), to);
    }

    while (more-- > 0) {
        fputc('x', to);
    }

    fclose(from);
    fclose(to);
    rc = rbl_timezone_load(&zone, path);
    unlink(path);

    return rc;
}


static void
test_files(void)
{
    static const char  paris[] = ZONEINFO "/Europe/Paris";

    ok(zone_read("Europe/Bonn") == ENOENT, "no file");
    ok(zone_read("Europe") == ENOENT, "a directory");
    ok(zone_read("Europe/Paris/x") == ENOENT, "below a file");
    ok(zone_read("zone.tab") == ENOENT, "a text");
    ok(cut(paris, 0, 0) == ENOENT, "an empty file");
    ok(cut(paris, 3, 0) == ENOENT, "three octets");
    ok(cut(paris, 44, 0) == ENOENT, "a header alone");
    ok(cut(paris, 200, 0) == ENOENT, "half of a file");
    ok(cut(paris, 44, RBL_TIMEZONE_FILE_MAX) == ENOENT, "too large");
    ok(memcmp(&zone, &rbl_timezone_utc, sizeof(zone)) == 0, "it is UTC then");

    ok(zone_read("Europe/Paris") == 0, "a whole one");
    tap_is(rbl_timezone_at(&zone, INT64_C(4891363200))->abbr, 3, "CET",
           __FILE__, __LINE__, "the last offset stays after 2106");
}


/* The process keeps its own time zone. */

static void
test_own(void)
{
    time_t     t = 1767225600;
    struct tm  tm;

    setenv("TZ", "Asia/Tokyo", 1);
    zone_read("Europe/Paris");
    ok(strcmp(getenv("TZ"), "Asia/Tokyo") == 0
       && localtime_r(&t, &tm) != NULL && tm.tm_gmtoff == 9 * 3600,
       "TZ is what it was");
    zone_read("Asia/Kolkata");
    ok(strcmp(getenv("TZ"), "Asia/Tokyo") == 0, "and again");
    unsetenv("TZ");
    zone_read("Europe/Paris");
    ok(strcmp(getenv("TZ"), ":/etc/localtime") == 0,
       "without one, it is the machine's");
}


int
main(void)
{
    test_known();
    test_names();
    test_system();
    test_files();
    test_own();

    return tap_done();
}
