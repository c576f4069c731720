/*
 * Rules of time zones: POSIX's TZ with the hours of RFC 9636, 3.3.1 (-167 to
 * 167), so a change may be some days away from the named day.
 */

#include "rbl_zone_rule.h"


#define RBL_DAY         86400
#define RBL_YEAR_AVG    31556952        /* seconds, of 400 years */
#define RBL_HOURS_MAX   167
#define RBL_OFFSET_MIN  (-25 * 3600 + 1)
#define RBL_OFFSET_MAX  (26 * 3600 - 1)


/* The rest of the text.  After a failure all reads return nothing. */

typedef struct {
    const char  *p, *end;
    int          failed;
} rbl_rule_in_t;


static int
rbl_rule_peek(const rbl_rule_in_t *in)
{
    return in->failed || in->p == in->end ? -1 : (unsigned char) *in->p;
}


static int
rbl_rule_take(rbl_rule_in_t *in, char c)
{
    if (rbl_rule_peek(in) != c) {
        return 0;
    }

    in->p++;

    return 1;
}


static int32_t
rbl_rule_number(rbl_rule_in_t *in, int32_t min, int32_t max)
{
    int32_t      v;
    const char  *start;

    v = 0;
    start = in->p;

    while (rbl_rule_peek(in) >= '0' && rbl_rule_peek(in) <= '9' && v <= max) {
        v = v * 10 + (*in->p++ - '0');
    }

    if (in->p == start || v < min || v > max) {
        in->failed = 1;
        return min;
    }

    return v;
}


/* [+-]hh[:mm[:ss]] in seconds */

static int32_t
rbl_rule_time(rbl_rule_in_t *in)
{
    int32_t  v, sign;

    sign = rbl_rule_take(in, '-') ? -1 : 1;

    if (sign > 0) {
        rbl_rule_take(in, '+');
    }

    v = 3600 * rbl_rule_number(in, 0, RBL_HOURS_MAX);

    if (rbl_rule_take(in, ':')) {
        v += 60 * rbl_rule_number(in, 0, 59);

        if (rbl_rule_take(in, ':')) {
            v += rbl_rule_number(in, 0, 59);
        }
    }

    return sign * v;
}


/* <+0330>, or letters alone */

static rbl_str_t
rbl_rule_abbr(rbl_rule_in_t *in)
{
    int        c, quoted;
    rbl_str_t  s;

    quoted = rbl_rule_take(in, '<');
    s.p = in->p;

    for (c = rbl_rule_peek(in); c != -1; c = rbl_rule_peek(in)) {
        if (quoted ? c == '>' : !((c >= 'A' && c <= 'Z')
                                  || (c >= 'a' && c <= 'z')))
        {
            break;
        }

        in->p++;
    }

    s.n = (size_t) (in->p - s.p);

    if (quoted && !rbl_rule_take(in, '>')) {
        in->failed = 1;
    }

    return s;
}


static void
rbl_rule_edge(rbl_rule_in_t *in, rbl_zone_edge_t *edge)
{
    memset(edge, 0, sizeof(*edge));

    if (rbl_rule_take(in, 'M')) {
        edge->kind = RBL_ZONE_WEEKDAY;
        edge->month = rbl_rule_number(in, 1, 12);
        in->failed |= !rbl_rule_take(in, '.');
        edge->week = rbl_rule_number(in, 1, 5);
        in->failed |= !rbl_rule_take(in, '.');
        edge->day = rbl_rule_number(in, 0, 6);

    } else if (rbl_rule_take(in, 'J')) {
        edge->kind = RBL_ZONE_JULIAN;
        edge->day = rbl_rule_number(in, 1, 365);

    } else {
        edge->kind = RBL_ZONE_DAY;
        edge->day = rbl_rule_number(in, 0, 365);
    }

    edge->time = rbl_rule_take(in, '/') ? rbl_rule_time(in) : 2 * 3600;
}


rbl_err_t
rbl_zone_type_set(rbl_zone_type_t *type, int64_t offset, rbl_str_t abbr)
{
    char    c;
    size_t  i;

    memset(type, 0, sizeof(*type));

    if (abbr.n == 0 || abbr.n > RBL_ZONE_ABBR || offset < RBL_OFFSET_MIN
        || offset > RBL_OFFSET_MAX)
    {
        return RBL_EINVAL;
    }

    for (i = 0; i < abbr.n; i++) {
        c = abbr.p[i];

        if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')
              || (c >= '0' && c <= '9') || c == '+' || c == '-'))
        {
            return RBL_EINVAL;
        }
    }

    memcpy(type->abbr, abbr.p, abbr.n);
    type->n = (uint32_t) abbr.n;
    type->offset = (int32_t) offset;

    return RBL_OK;
}


/* A rule counts the offset west of Greenwich. */

rbl_err_t
rbl_zone_rule_parse(rbl_zone_rule_t *rule, rbl_zone_type_t *std,
    rbl_zone_type_t *dst, rbl_str_t text)
{
    int32_t        offset;
    rbl_str_t      abbr;
    rbl_rule_in_t  in;

    memset(rule, 0, sizeof(*rule));
    in.p = text.p;
    in.end = text.p + text.n;
    in.failed = 0;

    abbr = rbl_rule_abbr(&in);
    offset = -rbl_rule_time(&in);

    if (in.failed || rbl_zone_type_set(std, offset, abbr) != RBL_OK) {
        return RBL_EINVAL;
    }

    rule->std_offset = offset;

    if (in.p == in.end) {
        return RBL_OK;
    }

    abbr = rbl_rule_abbr(&in);
    offset = rbl_rule_peek(&in) == ',' ? offset + 3600 : -rbl_rule_time(&in);

    in.failed |= !rbl_rule_take(&in, ',');
    rbl_rule_edge(&in, &rule->start);
    in.failed |= !rbl_rule_take(&in, ',');
    rbl_rule_edge(&in, &rule->end);

    if (in.failed || in.p != in.end
        || rbl_zone_type_set(dst, offset, abbr) != RBL_OK)
    {
        return RBL_EINVAL;
    }

    rule->dst_offset = offset;
    rule->on = 1;

    return RBL_OK;
}


static int
rbl_rule_leap(int64_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}


/* Returns the days from 1970 to the first day of a year. */

static int64_t
rbl_rule_year(int64_t year)
{
    year--;

    return year * 365 + year / 4 - year / 100 + year / 400 - 719162;
}


/* Returns the days from 1970 to the day of `edge` in a year. */

static int64_t
rbl_rule_day(const rbl_zone_edge_t *edge, int64_t year)
{
    int      leap, len;
    int64_t  first, day;

    static const int  before[] = {
        0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365
    };

    first = rbl_rule_year(year);
    leap = rbl_rule_leap(year);

    if (edge->kind == RBL_ZONE_DAY) {
        return first + edge->day;
    }

    if (edge->kind == RBL_ZONE_JULIAN) {
        return first + edge->day - 1 + (leap && edge->day >= 60);
    }

    first += before[edge->month - 1] + (leap && edge->month > 2);
    len = before[edge->month] - before[edge->month - 1]
          + (leap && edge->month == 2);

    day = (edge->day - (first + 4) % 7 + 7) % 7;    /* 1970 began on a
                                                       Thursday */
    day += (edge->week - 1) * 7;

    return first + (day < len ? day : day - 7);
}


static int64_t
rbl_rule_start(const rbl_zone_rule_t *rule, int64_t year)
{
    return rbl_rule_day(&rule->start, year) * RBL_DAY + rule->start.time
           - rule->std_offset;
}


static int64_t
rbl_rule_end(const rbl_zone_rule_t *rule, int64_t year)
{
    return rbl_rule_day(&rule->end, year) * RBL_DAY + rule->end.time
           - rule->dst_offset;
}


/* Returns the year of a second, or the year before or after it. */

static int64_t
rbl_rule_about(int64_t sec)
{
    return 1970 + sec / RBL_YEAR_AVG;
}


/*
 * Each year has one span of dst, or, south of the equator, one of std.  It may
 * begin before the year and end after it.
 */

int
rbl_zone_rule_dst(const rbl_zone_rule_t *rule, int64_t sec)
{
    int      dst;
    int64_t  year, last, start, end;

    dst = 0;
    year = rbl_rule_about(sec) - 1;

    for (last = year + 2; year <= last; year++) {
        start = rbl_rule_start(rule, year);
        end = rbl_rule_end(rule, year);

        if (start <= end) {
            if (sec >= start && sec < end) {
                return 1;
            }

        } else if (sec >= end && sec < start) {
            return 0;

        } else {
            dst = 1;
        }
    }

    return dst;
}


int64_t
rbl_zone_rule_next(const rbl_zone_rule_t *rule, int64_t sec)
{
    int64_t  year, last, start, end, next;

    next = INT64_MAX;
    year = rbl_rule_about(sec) - 1;

    for (last = year + 3; year <= last; year++) {
        start = rbl_rule_start(rule, year);
        end = rbl_rule_end(rule, year);

        if (start > sec && start < next) {
            next = start;
        }

        if (end > sec && end < next) {
            next = end;
        }
    }

    return next;
}
