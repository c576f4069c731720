/*
 * The days of an account and of its lists: gaps, days that are not wanted,
 * damaged entries.
 */

#include "base/buf.h"

#include "rbl_days.h"
#include "rbl_mp.h"
#include "tap.h"


#define NOW   20900                     /* days since 1970 */
#define NONE  -1

typedef struct {
    const char  *name;
    int          most;
    int          date, first;           /* of the record, days before NOW; date
                                           NONE: there is none */
    int          answered;              /* days before NOW; -1: not known */
    const char  *days;                  /* entries; "" has none */
    size_t       n;
    const char  *want;                  /* "ago listed critical unknown new
                                           ended" of each day; NULL: damaged */
} case_t;

#define DAYS(s)  s, sizeof(s) - 1

static const case_t  cases[] = {
    { "no record", 30, NONE, 0, 0, DAYS(""), "0 5 2 1 0 0" },
    { "a change today", 30, 0, 0, 0, DAYS(""), "0 5 2 1 7 8" },
    { "nothing changed since three days", 30, 3, 0, 0, DAYS(""),
      "3 5 2 1 7 8,2 5 2 1 0 0,1 5 2 1 0 0,0 5 2 1 0 0" },
    { "entries with a gap", 30, 0, 4, 0, DAYS("\0\1\0\2\3\4" "\2\6\5\0\1\0"),
      "4 1 0 2 3 4,3 1 0 2 0 0,2 6 5 0 1 0,1 6 5 0 0 0,0 5 2 1 7 8" },
    { "fewer days than are known", 3, 0, 4, 0,
      DAYS("\0\1\0\2\3\4" "\2\6\5\0\1\0"),
      "2 6 5 0 1 0,1 6 5 0 0 0,0 5 2 1 7 8" },
    { "the first wanted day lies in a gap", 4, 0, 4, 0,
      DAYS("\0\1\0\2\3\4" "\2\6\5\0\1\0"),
      "3 1 0 2 0 0,2 6 5 0 1 0,1 6 5 0 0 0,0 5 2 1 7 8" },
    { "the last change is older than what is wanted", 2, 9, 12, 0,
      DAYS("\0\1\0\2\3\4"), "1 5 2 1 0 0,0 5 2 1 0 0" },
    { "numbers of several bytes", 2, 0, 1, 0,
      DAYS("\0\x80\1\xff\xff\7\2\x81\x01\x80\x80\x01"),
      "1 128 131071 2 129 16384,0 5 2 1 7 8" },
    { "a clock that was ahead", 30, -9, 4, 0, DAYS("\0\1\0\2\3\4"),
      "0 5 2 1 0 0" },
    { "it is not known when a list answered", 30, 2, 0, -1, DAYS(""),
      "2 5 2 1 7 8,1 5 2 1 0 0,0 5 2 1 0 0" },
    { "a list answered yesterday", 30, 2, 0, 1, DAYS(""),
      "2 5 2 1 7 8,1 5 2 1 0 0,0 5 2 1 0 0" },
    { "no list has answered since three days", 30, 4, 0, 3, DAYS(""),
      "4 5 2 1 7 8,3 5 2 1 0 0,2 5 2 9 0 0,1 5 2 9 0 0,0 5 2 1 0 0" },
    { "hosts were paused after the last answer", 30, 2, 0, 4, DAYS(""),
      "2 5 2 1 7 8,1 5 2 9 0 0,0 5 2 1 0 0" },
    { "an entry that is cut", 30, 0, 4, 0, DAYS("\0\1\0\2\3"), NULL },
    { "a number that is cut", 30, 0, 4, 0, DAYS("\0\1\0\2\3\x84"), NULL },
    { "a number that does not end", 30, 0, 4, 0,
      DAYS("\0\xff\xff\xff\xff\xff\xff\1\1\1\1\1"), NULL },
    { "two entries of one day", 30, 0, 4, 0,
      DAYS("\0\1\0\2\3\4" "\0\1\0\2\3\4"), NULL },
    { "an entry behind the record's day", 30, 3, 4, 0,
      DAYS("\0\1\0\2\3\4" "\1\1\0\2\3\4"), NULL },
};


static void
test_case(const case_t *c)
{
    int          i, n, len;
    char         got[1024];
    rbl_day_t    day[RBL_DAYS_MAX];
    rbl_str_t    days;
    rbl_today_t  today;

    rbl_days_now_t  now;

    memset(&today, 0, sizeof(today));
    today.date = NOW - c->date;
    today.first = NOW - c->first;
    today.begun = 7;
    today.ended = 8;
    memset(&now, 0, sizeof(now));
    now.day.date = NOW;
    now.day.listed = 5;
    now.day.critical = 2;
    now.day.unknown = 1;
    now.answered = c->answered < 0 ? 0 : NOW - c->answered;
    now.silent = 9;
    days.p = c->days;
    days.n = c->n;

    n = rbl_days_read(day, c->most, c->date == NONE ? NULL : &today, days,
                      &now);

    if (n < 0 || c->want == NULL) {
        ok(n < 0 && c->want == NULL, "%s: %d days", c->name, n);
        return;
    }

    got[0] = '\0';

    for (i = 0, len = 0; i < n; i++) {
        len += snprintf(got + len, sizeof(got) - (size_t) len,
                        "%s%d %d %d %d %d %d", i ? "," : "",
                        (int) (NOW - day[i].date), (int) day[i].listed,
                        (int) day[i].critical, (int) day[i].unknown,
                        (int) day[i].begun, (int) day[i].ended);
    }

    is_str(rbl_str(got), c->want, c->name);
}


/* --- lists ---------------------------------------------------------------- */

#define LIST  "RB" "0102030405061111" "0000000000000000"

typedef struct {
    const char  *name;
    int          most, first, last;     /* days before NOW */
    const char  *lists;                 /* the last digit of each name */
    const char  *hosts;
    const char  *days;
    size_t       n;
    const char  *want;                  /* "ago hosts new"; NULL: damaged */
} list_case_t;

/* Today 5 hosts, 2 new, and 9 yesterday. */
static const list_case_t  lists[] = {
    { "nothing changed", 30, 2, 1, "6", "\4", DAYS(""), "2 4 0,1 4 0,0 5 2" },
    { "it is not in the record", 30, 2, 1, "7", "\4", DAYS(""),
      "2 0 0,1 0 0,0 5 2" },
    { "hosts come and go", 30, 4, 1, "76", "\1\4",
      DAYS("\1\1\1\4\3" "\1\2\0\2\1\1\1\1"),
      "4 3 0,3 5 3,2 4 1,1 4 0,0 5 2" },
    { "the first day has new listings", 30, 2, 1, "6", "\4",
      DAYS("\0\1\0\0\3"), "2 4 3,1 4 0,0 5 2" },
    { "fewer days than are known", 2, 9, 1, "6", "\4",
      DAYS("\1\1\0\4\3"), "1 4 0,0 5 2" },
    { "yesterday is not noted yet", 30, 3, 2, "6", "\4", DAYS(""),
      "3 4 0,2 4 0,1 4 9,0 5 2" },
    { "more came than there are", 30, 3, 1, "6", "\1",
      DAYS("\1\1\0\x14\3"), "3 0 0,2 1 3,1 1 0,0 5 2" },
    { "a clock that was ahead", 30, -2, -3, "6", "\4", DAYS(""), "0 5 2" },
    { "a list that the record lacks", 30, 4, 1, "6", "\4",
      DAYS("\1\1\1\4\3"), NULL },
    { "a day behind the last one", 30, 4, 1, "6", "\4",
      DAYS("\4\1\0\4\3"), NULL },
    { "a day that is cut", 30, 4, 1, "6", "\4", DAYS("\1\1\0\4"), NULL },
    { "a number of hosts is missing", 30, 4, 1, "67", "\4", DAYS(""), NULL },
    { "one too many", 30, 4, 1, "6", "\4\4", DAYS(""), NULL },
    { "the first day behind the last one", 30, 1, 2, "6", "\4", DAYS(""),
      NULL },
};


static void
test_list(const list_case_t *c)
{
    int        i, n, len;
    char       got[1024];
    size_t     k;
    int64_t    begun[] = { 2, 9 };
    rbl_buf_t  raw, names;

    rbl_list_now_t  now = { RBL_STR(LIST), NOW, 5, begun, 2 };
    rbl_list_day_t  day[RBL_DAYS_MAX];

    static rbl_trends_read_t  trends;

    rbl_buf_init(&raw);
    rbl_buf_init(&names);

    for (k = 0; k < strlen(c->lists); k++) {
        rbl_out_z(&names.out, "\1\2\3\4\5");
        rbl_out_char(&names.out, (char) (c->lists[k] - '0'));
    }

    rbl_mp_put_array(&raw.out, 6);
    rbl_mp_put_int(&raw.out, 1);
    rbl_mp_put_int(&raw.out, NOW - c->first);
    rbl_mp_put_int(&raw.out, NOW - c->last);
    rbl_mp_put_str(&raw.out, rbl_buf_str(&names));
    rbl_mp_put_str(&raw.out, rbl_str(c->hosts));
    rbl_mp_put_str(&raw.out, (rbl_str_t) { c->days, c->n });

    if (rbl_trends_read(&trends, rbl_buf_str(&raw)) != RBL_OK) {
        ok(c->want == NULL, "list: %s", c->name);
        ok(rbl_trends_days(day, 30, &trends, &now) == 1 && day[0].hosts == 5,
           "list: %s: today is known", c->name);

    } else {
        n = rbl_trends_days(day, c->most, &trends, &now);
        got[0] = '\0';

        for (i = 0, len = 0; i < n; i++) {
            len += snprintf(got + len, sizeof(got) - (size_t) len,
                            "%s%d %d %d", i ? "," : "",
                            (int) (NOW - day[i].date), (int) day[i].hosts,
                            (int) day[i].begun);
        }

        is_str(rbl_str(got), c->want ? c->want : "damaged", c->name);
    }

    rbl_buf_free(&raw);
    rbl_buf_free(&names);
}


int
main(void)
{
    size_t  i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        test_case(&cases[i]);
    }

    for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        test_list(&lists[i]);
    }

    return tap_done();
}
