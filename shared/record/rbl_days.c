/*
 * The days of an account.  The store has those on which something changed; the
 * others are as the one before them.
 */

#include "rbl_days.h"


enum {                                  /* numbers of an entry */
    RBL_DAY_GAP = 0,
    RBL_DAY_LISTED,
    RBL_DAY_CRITICAL,
    RBL_DAY_UNKNOWN,
    RBL_DAY_BEGUN,
    RBL_DAY_ENDED,
    RBL_DAY_NUMBERS
};

typedef struct {
    rbl_day_t  *day;
    int         n;
    int64_t     from;                   /* the first day that is wanted */
} rbl_days_t;


/* Seven bits in each byte, the lowest first; -1: damaged. */

static int64_t
rbl_days_number(rbl_str_t *days)
{
    unsigned char  c;
    int            shift;
    int64_t        n;

    n = 0;

    for (shift = 0; shift < 35 && days->n > 0; shift += 7) {
        c = (unsigned char) *days->p++;
        days->n--;
        n |= (int64_t) (c & 0x7f) << shift;

        if (c < 0x80) {
            return n;
        }
    }

    return -1;
}


static void
rbl_days_add(rbl_days_t *d, const rbl_day_t *day)
{
    if (day->date >= d->from) {
        d->day[d->n++] = *day;
    }
}


/* The days behind `last` and before `date`, on which nothing changed. */

static void
rbl_days_fill(rbl_days_t *d, const rbl_day_t *last, int64_t date)
{
    rbl_day_t  day;

    day = *last;
    day.begun = day.ended = 0;

    for (day.date = last->date + 1 > d->from ? last->date + 1 : d->from;
         day.date < date; day.date++)
    {
        rbl_days_add(d, &day);
    }
}


/* The entries, and the days behind the last one, before `date`. */

static int
rbl_days_entries(rbl_days_t *d, rbl_str_t days, int64_t first, int64_t date)
{
    int        i, n;
    int64_t    number[RBL_DAY_NUMBERS];
    rbl_day_t  day, last;

    memset(&last, 0, sizeof(last));

    for (n = 0; days.n > 0; n++) {
        for (i = 0; i < RBL_DAY_NUMBERS; i++) {
            number[i] = rbl_days_number(&days);

            if (number[i] < 0) {
                return -1;
            }
        }

        day.date = n == 0 ? first : last.date + number[RBL_DAY_GAP];
        day.listed = number[RBL_DAY_LISTED];
        day.critical = number[RBL_DAY_CRITICAL];
        day.unknown = number[RBL_DAY_UNKNOWN];
        day.begun = number[RBL_DAY_BEGUN];
        day.ended = number[RBL_DAY_ENDED];

        if (day.date >= date || (n > 0 && day.date <= last.date)) {
            return -1;
        }

        if (n > 0) {
            rbl_days_fill(d, &last, day.date);
        }

        rbl_days_add(d, &day);
        last = day;
    }

    if (n > 0) {
        rbl_days_fill(d, &last, date);
    }

    return 0;
}


/* The days behind that of the record.  No list may have answered since: then
   nothing is known of those that are over. */

static void
rbl_days_rest(rbl_days_t *d, rbl_day_t last, const rbl_days_now_t *now)
{
    int64_t  from;

    from = now->answered > last.date ? now->answered + 1 : last.date + 1;

    if (now->answered == 0 || from >= now->day.date) {
        rbl_days_fill(d, &last, now->day.date + 1);
        return;
    }

    rbl_days_fill(d, &last, from);
    last.date = from - 1;
    last.unknown = now->silent;
    rbl_days_fill(d, &last, now->day.date);
    last = now->day;
    last.date--;
    rbl_days_fill(d, &last, now->day.date + 1);
}


int
rbl_days_read(rbl_day_t *day, int most, const rbl_today_t *today,
    rbl_str_t days, const rbl_days_now_t *now)
{
    rbl_day_t   last;
    rbl_days_t  d;

    d.day = day;
    d.n = 0;
    d.from = now->day.date - most + 1;
    last = now->day;
    last.begun = last.ended = 0;

    /* the clock of the store may have been ahead */

    if (today != NULL && today->date <= now->day.date) {
        if (rbl_days_entries(&d, days, today->first, today->date) != 0) {
            return -1;
        }

        last.date = today->date;
        last.begun = today->begun;
        last.ended = today->ended;
    }

    rbl_days_add(&d, &last);
    rbl_days_rest(&d, last, now);

    return d.n;
}
