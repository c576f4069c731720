/*
 * The days of an account, and of its lists.  The store has those on which
 * something changed; the others are as the one before them.
 */

#include "rbl_days.h"

#include "rbl_sid.h"


#define RBL_TRENDS_NAME  6              /* bytes of a SID */


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


/* 0, or -1: the numbers of hosts are damaged. */

static int
rbl_trends_lists(rbl_trends_read_t *trends, rbl_str_t hosts)
{
    size_t  i;

    for (i = 0; i < trends->n_lists; i++) {
        trends->hosts[i] = rbl_days_number(&hosts);

        if (trends->hosts[i] < 0) {
            return -1;
        }
    }

    return hosts.n == 0 ? 0 : -1;
}


/* 0, or -1: the days are damaged. */

static int
rbl_trends_rows(rbl_trends_read_t *trends, rbl_str_t days)
{
    int64_t            date, gap, left, list, change;
    rbl_trends_row_t  *row;

    date = trends->first;

    while (days.n > 0) {
        gap = rbl_days_number(&days);
        left = rbl_days_number(&days);

        if (gap < 0 || left < 0 || date + gap > trends->last) {
            return -1;
        }

        for (date += gap; left > 0; left--) {
            row = &trends->row[trends->n++];
            list = rbl_days_number(&days);
            change = rbl_days_number(&days);
            row->begun = rbl_days_number(&days);

            if (list < 0 || list >= (int64_t) trends->n_lists || change < 0
                || row->begun < 0 || trends->n == RBL_TRENDS_ROWS)
            {
                return -1;
            }

            row->date = date;
            row->list = (unsigned) list;
            row->change = change % 2 == 0 ? change / 2 : -(change + 1) / 2;
        }
    }

    return 0;
}


rbl_err_t
rbl_trends_read(rbl_trends_read_t *trends, rbl_str_t raw)
{
    rbl_trends_t  record;

    trends->first = trends->last = 0;
    trends->n_lists = trends->n = 0;

    if (raw.n == 0) {
        return RBL_OK;
    }

    if (rbl_trends_decode(&record, raw) != RBL_OK || record.first < 0
        || record.first > record.last
        || record.lists.n % RBL_TRENDS_NAME != 0
        || record.lists.n / RBL_TRENDS_NAME > RBL_TRENDS_LISTS)
    {
        return RBL_EINVAL;
    }

    trends->first = record.first;
    trends->last = record.last;
    trends->list = (const unsigned char *) record.lists.p;
    trends->n_lists = record.lists.n / RBL_TRENDS_NAME;

    if (rbl_trends_lists(trends, record.hosts) != 0
        || rbl_trends_rows(trends, record.days) != 0)
    {
        trends->first = trends->last = 0;
        trends->n_lists = trends->n = 0;
        return RBL_EINVAL;
    }

    return RBL_OK;
}


/* The place of a list, or the number of all if it is not there. */

static size_t
rbl_trends_place(const rbl_trends_read_t *trends, rbl_str_t list)
{
    size_t         i;
    unsigned char  sid[16];

    if (rbl_sid_to_digest(sid, list) != RBL_OK) {
        return trends->n_lists;
    }

    for (i = 0; i < trends->n_lists; i++) {
        if (memcmp(trends->list + i * RBL_TRENDS_NAME, sid, RBL_TRENDS_NAME)
            == 0)
        {
            break;
        }
    }

    return i;
}


int
rbl_trends_days(rbl_list_day_t *day, int most, const rbl_trends_read_t *trends,
    const rbl_list_now_t *now)
{
    int                      n;
    size_t                   i, place;
    int64_t                  from, last, date, hosts;
    const rbl_trends_row_t  *row;

    /* the clock of the store may have been ahead */

    last = trends->last < now->date ? trends->last : 0;
    from = last > 0 ? trends->first : now->date;
    from = from > now->date - most + 1 ? from : now->date - most + 1;
    n = (int) (now->date - from) + 1;
    place = rbl_trends_place(trends, now->list);
    hosts = place < trends->n_lists ? trends->hosts[place] : 0;

    for (date = from; date <= now->date; date++, day++) {
        day->date = date;
        day->hosts = date == now->date ? now->hosts : hosts;
        day->begun = date > last && now->date - date < (int64_t) now->n_begun
                     ? now->begun[now->date - date] : 0;
    }

    day -= n;

    for (i = place < trends->n_lists && from < now->date ? trends->n : 0;
         i > 0; i--)
    {
        row = &trends->row[i - 1];

        if (row->list != place || row->date < from) {
            continue;
        }

        day[row->date - from].begun = row->begun;
        hosts = hosts > row->change ? hosts - row->change : 0;

        for (date = from; date < row->date; date++) {
            day[date - from].hosts = hosts;
        }
    }

    return n;
}
