/*
 * Times of messages, in seconds that clocks of the time zone show.
 */

#include "rbl_rhythm.h"
#include "rbl_time.h"

#define RBL_RHYTHM_HOUR  3600
#define RBL_RHYTHM_DAY   86400
#define RBL_RHYTHM_DAILY 0x7fu          /* each day of the week */
#define RBL_RHYTHM_LAST  INT64_C(253402300799000)   /* ms, the year 9999 */

typedef struct {
    int       every;                    /* s between two times; 0: at once */
    unsigned  days;                     /* of a week: bit 0 is Monday */
    int       at;                       /* s of a day */
} rbl_rhythm_t;

static const char  rbl_rhythm_days[] = "mon tue wed thu fri sat sun";


/* "08:00" as seconds of a day; -1: it is none. */

static int
rbl_rhythm_time(rbl_str_t text)
{
    int          h, m;
    const char  *p = text.p;

    if (text.n != 5 || p[2] != ':' || p[0] < '0' || p[0] > '2' || p[1] < '0'
        || p[1] > '9' || p[3] < '0' || p[3] > '5' || p[4] < '0' || p[4] > '9')
    {
        return -1;
    }

    h = (p[0] - '0') * 10 + p[1] - '0';
    m = (p[3] - '0') * 10 + p[4] - '0';

    return h < 24 ? h * RBL_RHYTHM_HOUR + m * 60 : -1;
}


/* Takes a word and the space behind it off the text. */

static int
rbl_rhythm_word(rbl_str_t *text, const char *word)
{
    size_t  n = strlen(word);

    if (text->n <= n || text->p[n] != ' ' || memcmp(text->p, word, n) != 0) {
        return 0;
    }

    text->p += n + 1;
    text->n -= n + 1;

    return 1;
}


/* Takes days, "mon" or "mon,sat", and the space behind them off the text. */

static int
rbl_rhythm_days_of(unsigned *days, rbl_str_t *text)
{
    unsigned  i, day;

    *days = 0;

    for ( ;; ) {
        for (i = 0; i < 7; i++) {
            if (text->n > 3
                && memcmp(text->p, rbl_rhythm_days + 4 * i, 3) == 0)
            {
                break;
            }
        }

        day = 1u << i;

        if (i == 7 || (*days & day)
            || (text->p[3] != ' ' && text->p[3] != ','))
        {
            return 0;
        }

        *days |= day;
        text->p += 4;
        text->n -= 4;

        if (text->p[-1] == ' ') {
            return 1;
        }
    }
}


static int
rbl_rhythm_read(rbl_rhythm_t *r, rbl_str_t text)
{
    r->every = 0;
    r->days = RBL_RHYTHM_DAILY;
    r->at = 0;

    if (text.n == 0 || rbl_str_is(text, "now")) {
        return 1;
    }

    if (rbl_str_is(text, "hourly")) {
        r->every = RBL_RHYTHM_HOUR;
        return 1;
    }

    r->every = RBL_RHYTHM_DAY;

    if (!rbl_rhythm_word(&text, "daily")
        && (!rbl_rhythm_word(&text, "weekly")
            || !rbl_rhythm_days_of(&r->days, &text)))
    {
        return 0;
    }

    r->at = rbl_rhythm_time(text);

    return r->at >= 0;
}


static int
rbl_quiet_read(int *from, int *to, rbl_str_t text)
{
    if (text.n != 11 || text.p[5] != '-') {
        return 0;
    }

    *from = rbl_rhythm_time((rbl_str_t) { text.p, 5 });
    *to = rbl_rhythm_time((rbl_str_t) { text.p + 6, 5 });

    return *from >= 0 && *to >= 0 && *from != *to;
}


int
rbl_rhythm_ok(rbl_str_t rhythm)
{
    rbl_rhythm_t  r;

    /* once a week, or daily */

    return rbl_rhythm_read(&r, rhythm)
           && (r.days == RBL_RHYTHM_DAILY || (r.days & (r.days - 1)) == 0);
}


int
rbl_quiet_ok(rbl_str_t quiet)
{
    int  from, to;

    return quiet.n == 0 || rbl_str_is(quiet, "none")
           || rbl_quiet_read(&from, &to, quiet);
}


/* The time that clocks show in that time zone (s since 1970). */

static int64_t
rbl_rhythm_shown(int64_t sec, const rbl_timezone_t *tz)
{
    return sec + rbl_timezone_at(tz, sec)->offset;
}


/* The first second after `sec` at which clocks show that time of a day, on one
   of these days of the week. */

static int64_t
rbl_rhythm_day(int64_t sec, int at, unsigned days, const rbl_timezone_t *tz)
{
    int64_t  next, day;

    day = rbl_rhythm_shown(sec, tz) / RBL_RHYTHM_DAY;

    for (day--; /* void */; day++) {
        next = rbl_time_of_zone(day * RBL_RHYTHM_DAY + at, tz);

        /* the first day of 1970 was a Thursday */

        if (next > sec && ((days >> ((day + 3) % 7)) & 1)) {
            return next;
        }
    }
}


int64_t
rbl_rhythm_next(rbl_str_t rhythm, rbl_str_t quiet, int64_t now,
    const rbl_timezone_t *tz)
{
    int           from, to, at;
    int64_t       sec, next, shown;
    rbl_rhythm_t  r;

    next = now;
    sec = now / 1000;

    if (rbl_rhythm_read(&r, rhythm) && r.every != 0) {
        shown = rbl_rhythm_shown(sec, tz) % RBL_RHYTHM_HOUR;
        sec = r.every == RBL_RHYTHM_HOUR
              ? sec - shown + RBL_RHYTHM_HOUR
              : rbl_rhythm_day(sec, r.at, r.days, tz);
        next = sec * 1000;
    }

    if (rbl_quiet_read(&from, &to, quiet)) {
        sec = next / 1000;
        at = (int) (rbl_rhythm_shown(sec, tz) % RBL_RHYTHM_DAY);

        if (from < to ? at >= from && at < to : at >= from || at < to) {
            next = rbl_rhythm_day(sec, to, RBL_RHYTHM_DAILY, tz) * 1000;
        }
    }

    return next;
}


int
rbl_window_ok(rbl_str_t rule)
{
    rbl_rhythm_t  r;

    return rbl_rhythm_read(&r, rule) && r.every == RBL_RHYTHM_DAY;
}


int64_t
rbl_window_next(rbl_str_t rule, int64_t minutes, int64_t from, int64_t now,
    const rbl_timezone_t *tz)
{
    int64_t       after, sec;
    rbl_rhythm_t  r;

    if (!rbl_rhythm_read(&r, rule) || r.every != RBL_RHYTHM_DAY || minutes < 1
        || minutes > RBL_WINDOW_MINUTES || from > RBL_RHYTHM_LAST
        || now < 2 * RBL_RHYTHM_DAY * 1000 || now > RBL_RHYTHM_LAST)
    {
        return -1;
    }

    after = now / 1000 - minutes * 60;
    sec = from > 0 ? (from + 999) / 1000 - 1 : 0;

    return rbl_rhythm_day(sec > after ? sec : after, r.at, r.days, tz) * 1000;
}
