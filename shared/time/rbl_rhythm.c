/*
 * Times of messages, in seconds that clocks of the time zone show.
 */

#include "rbl_rhythm.h"
#include "rbl_time.h"

#define RBL_RHYTHM_HOUR  3600
#define RBL_RHYTHM_DAY   86400

typedef struct {
    int  every;                         /* s between two times; 0: at once */
    int  day;                           /* of a week: 0 Monday; -1: each day */
    int  at;                            /* s of a day */
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


static int
rbl_rhythm_read(rbl_rhythm_t *r, rbl_str_t text)
{
    int   i;
    char  day[4] = "";

    r->every = 0;
    r->day = -1;
    r->at = 0;

    if (text.n == 0 || rbl_str_is(text, "now")) {
        return 1;
    }

    if (rbl_str_is(text, "hourly")) {
        r->every = RBL_RHYTHM_HOUR;
        return 1;
    }

    r->every = RBL_RHYTHM_DAY;

    if (rbl_rhythm_word(&text, "weekly")) {
        for (i = 0; i < 7 && r->day < 0; i++) {
            memcpy(day, rbl_rhythm_days + 4 * i, 3);
            r->day = rbl_rhythm_word(&text, day) ? i : -1;
        }

        if (r->day < 0) {
            return 0;
        }

    } else if (!rbl_rhythm_word(&text, "daily")) {
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

    return rbl_rhythm_read(&r, rhythm);
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


/* The first second after `sec` at which clocks show that time of a day, of that
   day of the week (-1: any). */

static int64_t
rbl_rhythm_day(int64_t sec, int at, int weekday, const rbl_timezone_t *tz)
{
    int64_t  next, day;

    day = rbl_rhythm_shown(sec, tz) / RBL_RHYTHM_DAY;

    for (day--; /* void */; day++) {
        next = rbl_time_of_zone(day * RBL_RHYTHM_DAY + at, tz);

        /* the first day of 1970 was a Thursday */

        if (next > sec && (weekday < 0 || (day + 3) % 7 == weekday)) {
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
              : rbl_rhythm_day(sec, r.at, r.day, tz);
        next = sec * 1000;
    }

    if (rbl_quiet_read(&from, &to, quiet)) {
        sec = next / 1000;
        at = (int) (rbl_rhythm_shown(sec, tz) % RBL_RHYTHM_DAY);

        if (from < to ? at >= from && at < to : at >= from || at < to) {
            next = rbl_rhythm_day(sec, to, -1, tz) * 1000;
        }
    }

    return next;
}
