/*
 * Times as text, written digit by digit into the caller's buffer.  Years 1970
 * to 9999 are supported; other times are treated as "never".
 */

#include "rbl_time.h"

#include "rbl_out.h"
#include "rbl_validate.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>


#define RBL_TIME_LAST  INT64_C(253402300799)    /* 9999-12-31 23:59:59 */
#define RBL_DAY        INT64_C(86400)


static const char  rbl_time_digits[] =
    "00010203040506070809" "10111213141516171819" "20212223242526272829"
    "30313233343536373839" "40414243444546474849" "50515253545556575859"
    "60616263646566676869" "70717273747576777879" "80818283848586878889"
    "90919293949596979899";


/* 0 to 99, as two digits */

static inline char *
rbl_time_two(char *p, uint32_t v)
{
    memcpy(p, rbl_time_digits + 2 * v, 2);

    return p + 2;
}


static char *
rbl_time_clock(char *p, uint32_t sec)
{
    p = rbl_time_two(p, sec / 3600);
    *p++ = ':';
    p = rbl_time_two(p, sec / 60 % 60);
    *p++ = ':';

    return rbl_time_two(p, sec % 60);
}


/*
 * Computes the Gregorian date of a day since 1970.  Years begin in March here,
 * so that the leap day is the last of its year; the lengths of the months then
 * follow (153 * month + 2) / 5.
 */

static char *
rbl_time_date(char *p, uint32_t days)
{
    uint32_t  era, day, year, yday, month;

    days += 719468;                     /* from 0000-03-01 */
    era = days / 146097;
    day = days % 146097;
    year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    yday = day - (365 * year + year / 4 - year / 100);
    month = (5 * yday + 2) / 153;
    day = yday - (153 * month + 2) / 5 + 1;
    year += era * 400 + (month >= 10);
    month = month < 10 ? month + 3 : month - 9;

    p = rbl_time_two(p, year / 100);
    p = rbl_time_two(p, year % 100);
    *p++ = '-';
    p = rbl_time_two(p, month);
    *p++ = '-';

    return rbl_time_two(p, day);
}


static rbl_str_t
rbl_time_done(char *buf, char *p)
{
    rbl_str_t  s;

    *p = '\0';
    s.p = buf;
    s.n = (size_t) (p - buf);

    return s;
}


static char *
rbl_time_write(char *buf, int64_t sec, char between)
{
    char  *p;

    p = rbl_time_date(buf, (uint32_t) (sec / RBL_DAY));
    *p++ = between;

    return rbl_time_clock(p, (uint32_t) (sec % RBL_DAY));
}


rbl_str_t
rbl_time_text(char buf[RBL_TIME_LEN], int64_t ms, const rbl_timezone_t *tz)
{
    char                       *p;
    int64_t                     sec;
    const rbl_timezone_type_t  *type;

    if (tz == NULL) {
        return rbl_time_rfc3339(buf, ms);
    }

    sec = ms / 1000;

    if (ms <= 0 || sec > RBL_TIME_LAST) {
        return rbl_time_done(buf, buf);
    }

    type = rbl_timezone_at(tz, sec);
    sec += type->offset;

    if (sec < 0 || sec > RBL_TIME_LAST) {
        return rbl_time_done(buf, buf);
    }

    p = rbl_time_write(buf, sec, ' ');
    *p++ = ' ';
    memcpy(p, type->abbr, sizeof(type->abbr));

    return rbl_time_done(buf, p + type->n);
}


rbl_str_t
rbl_time_rfc3339(char buf[RBL_TIME_LEN], int64_t ms)
{
    char     *p;
    int64_t   sec;

    sec = ms / 1000;

    if (ms <= 0 || sec > RBL_TIME_LAST) {
        return rbl_time_done(buf, buf);
    }

    p = rbl_time_write(buf, sec, 'T');
    memcpy(p, "+00:00", 6);

    return rbl_time_done(buf, p + 6);
}


rbl_str_t
rbl_period_text(char buf[RBL_TIME_LEN], int64_t ms)
{
    char       *p, number[RBL_OUT_INT];
    int64_t     sec, days;
    rbl_str_t   digits, unit;

    sec = ms > 0 ? ms / 1000 : 0;
    days = sec / RBL_DAY;
    digits = rbl_out_int_text(number, days);
    unit = days == 1 ? RBL_STR(" day ") : RBL_STR(" days ");

    memcpy(buf, digits.p, digits.n);
    p = buf + digits.n;
    memcpy(p, unit.p, unit.n);
    p = rbl_time_clock(p + unit.n, (uint32_t) (sec % RBL_DAY));

    return rbl_time_done(buf, p);
}


/* The first letters differ. */
static const struct {
    int64_t      sec;
    const char  *name;
} rbl_span_units[] = {
    { RBL_DAY, "d" }, { 3600, "h" }, { 60, "min" }, { 1, "s" }
};

#define RBL_SPAN_UNITS  (sizeof(rbl_span_units) / sizeof(rbl_span_units[0]))


rbl_str_t
rbl_span_text(char buf[RBL_TIME_LEN], int64_t ms)
{
    size_t   i, n;
    int      k;
    int64_t  left;

    left = ms > 0 ? ms / 1000 : 0;

    for (i = 0; i < RBL_SPAN_UNITS - 1 && left < rbl_span_units[i].sec; i++) {
        /* void */
    }

    k = snprintf(buf, RBL_TIME_LEN, "%" PRId64 " %s",
                 left / rbl_span_units[i].sec, rbl_span_units[i].name);
    n = (size_t) k;
    left %= rbl_span_units[i].sec;

    if (i < 2 && left >= rbl_span_units[i + 1].sec) {
        k = snprintf(buf + n, RBL_TIME_LEN - n, " %" PRId64 " %s",
                     left / rbl_span_units[i + 1].sec,
                     rbl_span_units[i + 1].name);
        n += (size_t) k;
    }

    return (rbl_str_t) { buf, n };
}


uint64_t
rbl_span_read(rbl_str_t text)
{
    char      c;
    size_t    i, k;
    uint64_t  n, sec;

    n = sec = 0;

    for (i = 0; i < text.n; i++) {
        c = text.p[i];

        if (c >= '0' && c <= '9') {
            n = 10 * n + (uint64_t) (c - '0');
            continue;
        }

        for (k = 0; k < RBL_SPAN_UNITS; k++) {
            if (c == rbl_span_units[k].name[0]) {
                sec += n * (uint64_t) rbl_span_units[k].sec;
                n = 0;
            }
        }
    }

    return sec;
}


/* How long after `now`; a number has at most seven digits. */

static rbl_err_t
rbl_time_after(int64_t *ms, rbl_str_t text, int64_t now)
{
    char     unit;
    int64_t  n;

    unit = text.p[text.n - 1];
    text.n--;

    if (text.n > 7 || rbl_int_parse(&n, text, 1, 9999999) != RBL_OK) {
        return RBL_EINVAL;
    }

    switch (unit) {

    case 'm':
        n *= 60;
        break;

    case 'h':
        n *= 3600;
        break;

    case 'd':
        n *= 86400;
        break;

    default:
        return RBL_EINVAL;
    }

    *ms = now + n * 1000;

    return RBL_OK;
}


/* The offset of "", "Z", "+01:00"; *local: it is not given. */

static rbl_err_t
rbl_time_offset(int64_t *offset, int *local, const char *s)
{
    int   n;
    char  sign;
    int   hours, minutes;

    *offset = 0;
    *local = s[0] == '\0';

    if (*local || strcmp(s, "Z") == 0) {
        return RBL_OK;
    }

    n = 0;

    if (strspn(s + 1, "0123456789:") != 5
        || sscanf(s, "%c%2d:%2d%n", &sign, &hours, &minutes, &n) != 3
        || n != 6 || s[n] != '\0' || (sign != '+' && sign != '-')
        || hours > 14 || minutes > 59)
    {
        return RBL_EINVAL;
    }

    *offset = (hours * 60 + minutes) * (sign == '-' ? -60 : 60);

    return RBL_OK;
}


/* Offsets change at most once within two days. */

int64_t
rbl_time_of_zone(int64_t shown, const rbl_timezone_t *tz)
{
    int64_t  before, after;

    before = rbl_timezone_at(tz, shown > RBL_DAY ? shown - RBL_DAY
                                                 : 0)->offset;
    after = rbl_timezone_at(tz, shown + RBL_DAY)->offset;

    /* Of two the second one; without any the clocks went on from before. */

    return shown >= after
           && rbl_timezone_at(tz, shown - after)->offset == after
           ? shown - after : shown - before;
}


rbl_err_t
rbl_time_read(int64_t *ms, rbl_str_t text, int64_t now,
    const rbl_timezone_t *tz)
{
    int          local;
    char         z[RBL_TIME_LEN];
    int64_t      offset, sec;
    struct tm    tm;
    const char  *end;

    if (text.n < 2 || text.n >= sizeof(z)) {
        return RBL_EINVAL;
    }

    if (memchr(text.p, '-', text.n) == NULL) {
        return rbl_time_after(ms, text, now);
    }

    rbl_copy(z, sizeof(z), text);
    memset(&tm, 0, sizeof(tm));
    end = strptime(z, "%Y-%m-%dT%H:%M", &tm);

    if (end != NULL && *end == ':') {
        end = strptime(end + 1, "%S", &tm);
    }

    if (end == NULL || strlen(z) != text.n || tm.tm_year < 70
        || tm.tm_year > 205
        || rbl_time_offset(&offset, &local, end) != RBL_OK)
    {
        return RBL_EINVAL;
    }

    sec = (int64_t) timegm(&tm);
    sec = local && tz != NULL ? rbl_time_of_zone(sec, tz) : sec - offset;

    if (sec < 0) {
        return RBL_EINVAL;
    }

    *ms = sec * 1000;

    return RBL_OK;
}
