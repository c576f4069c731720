/*
 * Time zones, compared with the C library's reading of the same files and
 * rules: every zone of the system at each of its changes and at other times;
 * and files that are damaged at every position.
 */

#include "rbl_time.h"
#include "rbl_zone_rule.h"
#include "tap.h"

#include <ftw.h>
#include <stdlib.h>
#include <time.h>

#define ZONEINFO  "/usr/share/zoneinfo"
#define YEAR_9000 INT64_C(221845392000)


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

/* Each rule is valid for the C library, too. */
static const char *const  rules[] = {
    "EST5", "EST5EDT,M3.2.0,M11.1.0", "EST5EDT4,M3.2.0/2,M11.1.0/2:00:00",
    "IST-1GMT0,M10.5.0,M3.5.0/1", "<+0330>-3:30", "<-02>2<-01>,M3.5.0/-1,"
    "M10.5.0/0", "IST-2IDT,M3.4.4/26,M10.5.0", "EET-2EEST,M3.4.4/50,M10.4.4/50",
    "AEST-10AEDT,M10.1.0,M4.1.0/3", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
    "NST3:30:52NDT2:30:52,M4.1.0/0:01,M10.5.0/0:01", "AAA-1BBB,J60,J300",
    "AAA-1BBB,59,299/3:04:05", "CCC11DDD,J365/1,J1/1", "AAA0BBB,M1.1.1,M12.5.6",
    "AAA0BBB,M2.5.0/0,M2.1.3/0", "LONGNAME+1:02:03", "<-03>3<-02>,M3.2.0,"
    "M11.1.0"
};

static const char *const  bad_rules[] = {
    "", "5", "EST", "EST5EDT", "EST5EDT,", "EST5EDT,M3.2.0", "EST5EDT,M3.2.0,",
    "EST5EDT,M0.1.0,M3.1.0", "EST5EDT,M13.1.0,M3.1.0", "EST5EDT,M1.0.0,M3.1.0",
    "EST5EDT,M1.6.0,M3.1.0", "EST5EDT,M1.1.7,M3.1.0", "EST5EDT,M1.1.0,M3.1.0x",
    "EST5EDT,J0,J3", "EST5EDT,J366,J3", "EST5EDT,366,J3", "EST5EDT,M1.1,J3",
    "EST26", "EST5:60", "EST5:00:60", "EST5EDT,J1/168,J3", "EST5EDT,J1/,J3",
    "<EST5", "<>5", "<E T>5", "EST5<E", "LONGNAMES5", "EST99999999999",
    "EST-26", "EST5EDT,J99999999999,J3", "EST 5", "EST5 ", "\"x\"5", "E_T5"
};


static char        dump[RBL_ZONE_FILE_MAX];
static unsigned    n_zones, n_compared, n_wrong;
static rbl_zone_t  zone;


static rbl_str_t
file_read(const char *path)
{
    FILE       *f;
    rbl_str_t   raw = { dump, 0 };

    f = fopen(path, "rb");

    if (f != NULL) {
        raw.n = fread(dump, 1, sizeof(dump), f);
        fclose(f);
    }

    return raw;
}


static rbl_err_t
zone_read(const char *name)
{
    char  path[256];

    snprintf(path, sizeof(path), ZONEINFO "/%s", name);

    return rbl_zone_decode(&zone, file_read(path));
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
compare_all(const char *name, const char *tz)
{
    unsigned  i;
    int64_t   at;

    setenv("TZ", tz, 1);
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

    for (i = 0; i < 50; i++) {
        compare(name, UINT32_MAX + random_below(YEAR_9000));
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

    if (zone_read(name) != RBL_OK) {
        printf("# %s cannot be read\n", name);
        n_wrong++;

    } else {
        compare_all(name, name);
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
    rbl_err_t  err;
    rbl_str_t  text;

    for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        err = zone_read(known[i].zone);
        text = rbl_time_text(buf, known[i].sec * 1000, &zone);

        /* times before 1970 in local time give no output */

        ok(err == RBL_OK
           && rbl_str_is(text, known[i].sec == 1 ? "" : known[i].text),
           "%s: %s", known[i].zone, known[i].text);
    }
}


static void
test_names(void)
{
    size_t  i;
    char    name[RBL_ZONE_NAME_MAX + 2];

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        ok(rbl_timezone_ok(rbl_str(names[i].name)) == names[i].good,
           "name %zu is %s", i, names[i].good ? "one" : "none");
    }

    memset(name, 'A', sizeof(name));
    ok(rbl_timezone_ok((rbl_str_t) { name, RBL_ZONE_NAME_MAX })
       && !rbl_timezone_ok((rbl_str_t) { name, RBL_ZONE_NAME_MAX + 1 })
       && !rbl_timezone_ok((rbl_str_t) { "A\0B", 3 }), "lengths, NUL");
}


/* --- files of our own -------------------------------------------------- */

static size_t
put(size_t at, uint64_t v, unsigned octets)
{
    while (octets-- > 0) {
        dump[at++] = (char) (v >> octets * 8);
    }

    return at;
}


static size_t
put_header(size_t at, char version, uint32_t times, uint32_t types,
    uint32_t abbrs)
{
    memset(dump + at, 0, 44);
    memcpy(dump + at, "TZif", 4);
    dump[at + 4] = version;
    put(at + 32, times, 4);
    put(at + 36, types, 4);

    return put(at + 40, abbrs, 4);
}


/*
 * A file: an empty first block, `times` changes between two types, every `step`
 * s from `from` on, and a footer.
 */

static rbl_str_t
make_file(uint32_t times, int64_t from, int64_t step, const char *footer)
{
    size_t    n;
    uint32_t  i;

    n = put_header(0, '3', 0, 1, 4);
    memset(dump + n, 0, 10);
    n = put_header(n + 10, '3', times, 2, 8);

    for (i = 0; i < times; i++) {
        n = put(n, (uint64_t) (from + i * step), 8);
    }

    for (i = 0; i < times; i++) {
        n = put(n, i & 1 ? 0 : 1, 1);
    }

    n = put(n, 0, 6);
    n = put(put(put(n, 3600, 4), 1, 1), 4, 1);
    memcpy(dump + n, "AAA\0BBB", 8);
    n += 8;
    n += (size_t) snprintf(dump + n, sizeof(dump) - n, "\n%s\n", footer);

    return (rbl_str_t) { dump, n };
}


static void
test_rules(void)
{
    size_t           i;
    rbl_err_t        err;
    rbl_zone_rule_t  rule;
    rbl_zone_type_t  std, dst;

    n_compared = 0;

    for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        err = rbl_zone_decode(&zone, make_file(0, 0, 0, rules[i]));
        n_wrong = 0;
        compare_all(rules[i], rules[i]);
        ok(err == RBL_OK && n_wrong == 0, "rule %s", rules[i]);
    }

    for (i = 0; i < sizeof(bad_rules) / sizeof(bad_rules[0]); i++) {
        ok(rbl_zone_rule_parse(&rule, &std, &dst, rbl_str(bad_rules[i]))
           == RBL_EINVAL, "not a rule: %s", bad_rules[i]);
    }
}


static void
is_at(int64_t sec, const char *want, const char *name)
{
    const rbl_zone_type_t  *type;

    type = rbl_zone_at(&zone, sec);
    tap_is(type->abbr, type->n, want, __FILE__, __LINE__, name);
}


static void
test_files(void)
{
    size_t     n;
    rbl_str_t  raw;

    ok(rbl_zone_decode(&zone, make_file(3, 1000, 1000, "")) == RBL_OK
       && zone.n_spans == 4, "no rule in the footer");
    is_at(999, "AAA", "before the first change: type 0");
    is_at(1000, "BBB", "at the first change");
    is_at(2500, "AAA", "after the second");
    is_at(UINT32_MAX, "BBB", "after the last one, for ever");
    is_at(YEAR_9000, "BBB", "and ever");

    ok(rbl_zone_decode(&zone, make_file(1, -1000, 0, "")) == RBL_OK, "change"
       " before 1970");
    is_at(0, "BBB", "counts in 1970");
    ok(rbl_zone_decode(&zone, make_file(1, 0, 0, "CCC1")) == RBL_OK,
       "a footer that knows better");
    is_at(0, "CCC", "is right at once");
    rbl_zone_decode(&zone, make_file(3, 1000, 1000, "CCC1"));
    is_at(2999, "AAA", "or from the last change on");
    is_at(3000, "CCC", "at that second");

    ok(rbl_zone_decode(&zone, make_file(0, 0, 0, "EST5EDT,0/0,J365/25"))
       == RBL_OK, "dst all the year");
    is_at(1767225600, "EDT", "at New Year's Eve too");
    is_at(INT64_C(4891363200), "EDT", "of 2125 too");

    ok(rbl_zone_decode(&zone, make_file(1000, 1000, 1000, "")) == RBL_OK,
       "many changes");
    is_at(1000 * 1000, "AAA", "the last of them");
    ok(rbl_zone_decode(&zone, make_file(RBL_ZONE_SPANS, 1000, 1000, ""))
       == RBL_ETOOBIG, "too many changes");
    is_at(1500, "UTC", "it is UTC then");
    ok(rbl_zone_decode(&zone, make_file(3, 1000, 0, "")) == RBL_EINVAL,
       "two changes at once");
    ok(rbl_zone_decode(&zone, make_file(3, 1000, -1, "")) == RBL_EINVAL,
       "changes that go back");

    /* only the first block, with times of four octets */

    raw = make_file(0, 0, 0, "");
    dump[4] = '\0';
    raw.n = 44 + 10;
    ok(rbl_zone_decode(&zone, raw) == RBL_EINVAL, "an empty abbreviation");
    memcpy(dump + 50, "OLD", 3);
    ok(rbl_zone_decode(&zone, raw) == RBL_OK, "version 1");
    is_at(5, "OLD", "has no footer");

    n = put_header(0, '\0', 1, 1, 4);
    n = put(put(put(n, 0x80000000, 4), 0, 1), 0, 6);
    memcpy(dump + n, "OLD", 4);
    ok(rbl_zone_decode(&zone, (rbl_str_t) { dump, n + 4 }) == RBL_OK,
       "a change in 1901");
    is_at(5, "OLD", "is before 1970");

    raw = make_file(0, 0, 0, "");
    memset(dump + raw.n, 'x', sizeof(dump) - raw.n);
    raw.n = RBL_ZONE_FILE_MAX;
    ok(rbl_zone_decode(&zone, raw) == RBL_OK, "octets after the footer");
    raw.n++;
    ok(rbl_zone_decode(&zone, raw) == RBL_ETOOBIG, "too large");
    ok(rbl_zone_decode(&zone, RBL_STR("")) == RBL_EINVAL, "empty");
    ok(zone_read("../zoneinfo/right/Europe/Paris") == RBL_EINVAL,
       "leap seconds");
    ok(zone_read("zone.tab") == RBL_EINVAL, "a text");
}


/* --- damage ------------------------------------------------------------ */

/* A copy, so that a sanitizer reports the first octet beyond it. */

static rbl_err_t
decode_copy(const char *p, size_t n, size_t at, char flip)
{
    char       *copy;
    rbl_err_t   err;

    copy = malloc(n ? n : 1);
    memcpy(copy, p, n);

    if (at < n) {
        copy[at] = (char) (copy[at] ^ flip);
    }

    err = rbl_zone_decode(&zone, (rbl_str_t) { copy, n });
    free(copy);

    return err;
}


/* For any decoded file: an existing type at any time. */

static int
answers(rbl_err_t err)
{
    int      i, good;
    char     buf[RBL_TIME_LEN];
    int64_t  sec;

    good = err == RBL_OK || memcmp(&zone, &rbl_zone_utc, sizeof(zone)) == 0;

    for (i = 0; i < 8; i++) {
        sec = random_below(i & 1 ? UINT32_MAX : YEAR_9000);
        good &= rbl_zone_at(&zone, sec) < zone.types + zone.n_types;
        good &= rbl_time_text(buf, sec * 1000, &zone).n < sizeof(buf);
    }

    return good;
}


static void
test_damage(const char *name)
{
    int           good, refused;
    char          path[256];
    size_t        i, k;
    rbl_err_t     err;
    rbl_str_t     raw;
    static char   kept[RBL_ZONE_FILE_MAX];

    static const char  flips[] = { '\xff', '\x01', '\x80' };

    snprintf(path, sizeof(path), ZONEINFO "/%s", name);
    raw = file_read(path);
    memcpy(kept, raw.p, raw.n);
    good = raw.n > 0;
    refused = 1;

    for (i = 0; i < raw.n; i++) {
        err = decode_copy(kept, i, i, 0);
        refused &= err == RBL_EINVAL;
        good &= answers(err);
    }

    ok(refused, "%s: each truncation is refused", name);

    for (i = 0; i < raw.n; i++) {
        for (k = 0; k < sizeof(flips); k++) {
            good &= answers(decode_copy(kept, raw.n, i, flips[k]));
        }
    }

    ok(good, "%s: no octet does harm", name);
}


int
main(void)
{
    test_known();
    test_names();
    test_system();
    test_rules();
    test_files();
    test_damage("America/New_York");
    test_damage("Asia/Hebron");
    test_damage("Asia/Kolkata");

    return tap_done();
}
