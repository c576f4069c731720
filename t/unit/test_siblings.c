/*
 * Which addresses of a range are told as one, and how.
 */

#include "base/buf.h"
#include "deliver/message/siblings.h"
#include "tap.h"

#define HOSTS  8


/*
 * Rows of hosts: the range ("-": none), a letter for each list, "+n" for n
 * lists that are not shown, "*" if the first one is marked, "!" if the lists no
 * longer list the host, and "~" if it flaps.  counts: siblings_count of each
 * host, a digit each.  listed: how many hosts are; all others are no longer.
 */
static const struct {
    const char  *hosts[HOSTS], *counts, *line, *values;
    int64_t      listed, delisted;
} rows[] = {
    { { "a a" }, "1", NULL, NULL, 1, 0 },
    { { "a a", "a a" }, "11", NULL, NULL, 2, 0 },
    { { "a a", "a a", "a a" }, "300", "a: 3 of 16 by A", "0, 1, 2", 3, 0 },
    { { "a a", "a a", "a a" }, "300", "a: at least 3 of 16 by A", "0, 1, 2",
      4, 0 },
    { { "a a", "a b", "a a", "a b", "a a" }, "31010", "a: 3 of 16 by A",
      "0, 2, 4", 5, 0 },
    { { "a ab", "a ba", "a ab" }, "300", "a: 3 of 16 by A and 1 more",
      "0, 1, 2", 3, 0 },
    { { "a ab", "a ac", "a ab" }, "111", NULL, NULL, 3, 0 },
    { { "a a", "a ab", "a a" }, "111", NULL, NULL, 3, 0 },
    { { "a a", "b a", "a a" }, "111", NULL, NULL, 3, 0 },
    { { "- a", "- a", "- a" }, "111", NULL, NULL, 3, 0 },
    { { "a a!", "a a!", "a a!" }, "300", "a: 3 of 16 no longer listed by A",
      "0, 1, 2", 0, 3 },
    { { "a a!", "a a!", "a a!" }, "300",
      "a: at least 3 of 16 no longer listed by A", "0, 1, 2", 0, 4 },
    { { "a ab!", "a ba!", "a ab!" }, "300",
      "a: 3 of 16 no longer listed by A and 1 more", "0, 1, 2", 0, 3 },
    { { "a ab!", "a ac!", "a ab!" }, "111", NULL, NULL, 0, 3 },
    { { "a a!", "a a!", "a ab!" }, "111", NULL, NULL, 0, 3 },
    { { "a a!", "a a!" }, "11", NULL, NULL, 0, 2 },
    { { "a a!", "b a!", "a a!" }, "111", NULL, NULL, 0, 3 },
    { { "- a!", "- a!", "- a!" }, "111", NULL, NULL, 0, 3 },
    { { "a!", "a!", "a!" }, "111", NULL, NULL, 0, 3 },
    { { "a a!~", "a a!", "a a!" }, "111", NULL, NULL, 0, 3 },
    { { "a a~", "a a", "a a" }, "111", NULL, NULL, 3, 0 },
    { { "a a", "a a", "a a!", "a a" }, "3010", "a: 3 of 16 by A", "0, 1, 3",
      3, 0 },
    { { "a a*", "a a", "a a", "a a" }, "1300", NULL, NULL, 4, 0 },
    { { "a a*", "a a*", "a a*" }, "111", NULL, NULL, 3, 0 },
    { { "a a+1", "a a+1", "a a+1" }, "111", NULL, NULL, 3, 0 },
    { { "a", "a", "a" }, "111", NULL, NULL, 3, 0 },
    { { "a a", "b a", "a a", "b a", "a a", "b a" }, "330000",
      "a: 3 of 16 by A", "0, 2, 4", 6, 0 }
};


static void
make(message_host_t *h, message_listing_t *l, message_past_t *past,
    const char *text, const char *value)
{
    size_t  i;

    static const char *const  names[] = { "A", "B", "C" };

    memset(h, 0, sizeof(*h));
    h->value = rbl_str(value);
    h->state = MESSAGE_LISTED;
    h->listing = l;
    h->range = text[0] == '-' ? RBL_STR("") : (rbl_str_t) { text, 1 };
    h->range_hosts = 16;

    for (text += text[1] == ' ' ? 2 : 1; *text != '\0'; text++) {
        if (*text == '!') {
            h->state = MESSAGE_DELISTED;

        } else if (*text == '~') {
            h->flaps = RBL_STR("2026-11-20 08:00:00 UTC");

        } else if (*text == '*') {
            l[0].marked = RBL_STR("ticket 1");

        } else if (*text == '+') {
            h->listed_count += *++text - '0';

        } else {
            memset(&l[h->n_listings], 0, sizeof(*l));
            l[h->n_listings].id = (rbl_str_t) { text, 1 };
            l[h->n_listings].name = rbl_str(names[*text - 'a']);
            h->n_listings++;
            h->listed_count++;
        }
    }

    if (h->state == MESSAGE_DELISTED) {
        for (i = 0; i < h->n_listings; i++) {
            memset(&past[i], 0, sizeof(*past));
            past[i].id = l[i].id;
            past[i].name = l[i].name;
        }

        h->past = past;
        h->n_past = h->n_listings;
        h->n_listings = 0;
        h->listed_count = 0;
    }
}


static void
test_row(size_t r)
{
    char               counts[HOSTS + 1];
    size_t             i;
    message_t          m;
    rbl_buf_t          buf;
    message_host_t     host[HOSTS];
    message_past_t     past[HOSTS][3];
    message_listing_t  listing[HOSTS][3];

    static const char *const  values[] = {
        "0", "1", "2", "3", "4", "5", "6", "7"
    };

    memset(&m, 0, sizeof(m));
    memset(counts, 0, sizeof(counts));
    m.host = host;
    m.listed = rows[r].listed;
    m.delisted = rows[r].delisted;

    for (i = 0; i < HOSTS && rows[r].hosts[i] != NULL; i++) {
        make(&host[i], listing[i], past[i], rows[r].hosts[i], values[i]);
        m.n_hosts++;
    }

    for (i = 0; i < m.n_hosts; i++) {
        counts[i] = (char) ('0' + siblings_count(&m, i));
    }

    ok(strcmp(counts, rows[r].counts) == 0,
       "row %zu: each host is told at its place, %s", r, counts);

    if (rows[r].line != NULL) {
        rbl_buf_init(&buf);
        siblings_line(&buf.out, &m, 0, siblings_count(&m, 0));
        is_str(rbl_buf_str(&buf), rows[r].line, "siblings have a line");
        rbl_buf_reset(&buf);
        siblings_values(&buf.out, &m, 0);
        is_str(rbl_buf_str(&buf), rows[r].values,
               "siblings have their addresses");
        rbl_buf_free(&buf);
    }
}


/* Their addresses have the order of numbers. */

static void
test_order(void)
{
    size_t             i;
    message_t          m;
    rbl_buf_t          buf;
    message_host_t     host[4];
    message_past_t     past[4][3];
    message_listing_t  listing[4][3];

    static const char *const  values[] = {
        "192.0.2.100", "192.0.2.9", "192.0.2.77", "192.0.2.10"
    };

    memset(&m, 0, sizeof(m));
    m.host = host;
    m.n_hosts = 4;

    for (i = 0; i < 4; i++) {
        make(&host[i], listing[i], past[i], "a a", values[i]);
    }

    rbl_buf_init(&buf);
    siblings_values(&buf.out, &m, 0);
    is_str(rbl_buf_str(&buf), "192.0.2.9, 192.0.2.10, 192.0.2.77, 192.0.2.100",
           "addresses of siblings have the order of numbers");
    rbl_buf_free(&buf);
}


/* How long listings lasted that have ended: the three siblings are the first,
   the third and the fourth host. */

static void
test_periods(void)
{
    size_t             i, r;
    message_t          m;
    rbl_buf_t          buf;
    message_host_t     host[4];
    message_past_t     past[4][3];
    message_listing_t  listing[4][3];

    static const struct {
        const char  *period[4], *together;
    } periods[] = {
        { { "6 h", "9 d", "6 h", "6 h" }, "6 h" },
        { { "6 h", "9 d", "6 h 2 min", "5 h 59 min" }, "up to 6 h 2 min" },
        { { "2 d", "9 d", "40 s", "47 h" }, "up to 2 d" }
    };

    for (r = 0; r < sizeof(periods) / sizeof(periods[0]); r++) {
        memset(&m, 0, sizeof(m));
        m.host = host;
        m.n_hosts = 4;

        for (i = 0; i < 4; i++) {
            make(&host[i], listing[i], past[i], i == 1 ? "a b!" : "a ba!",
                 "192.0.2.1");
            past[i][i == 1 ? 0 : 1].period = rbl_str(periods[r].period[i]);
        }

        rbl_buf_init(&buf);
        siblings_period(&buf.out, &m, 0, 3, 1);
        is_str(rbl_buf_str(&buf), periods[r].together,
               "siblings have the longest period");
        rbl_buf_reset(&buf);
        siblings_period(&buf.out, &m, 0, 1, 1);
        is_str(rbl_buf_str(&buf), periods[r].period[0],
               "a host alone has its own");
        rbl_buf_free(&buf);
    }
}


int
main(void)
{
    size_t  i;

    test_order();
    test_periods();

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        test_row(i);
    }

    return tap_done();
}
