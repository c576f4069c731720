/*
 * Marks of a listing in words.
 */

#include "rbl_mark.h"
#include "tap.h"

#define NOW   INT64_C(1800000000000)
#define MIN   INT64_C(60000)
#define HOUR  (60 * MIN)
#define DAY   (24 * HOUR)

static const struct {
    rbl_mark_t   mark;
    const char  *text;
} cases[] = {
    { { .asked = 0 }, "" },
    { { .asked = NOW - 2 * DAY, .asked_by = { "Ann", 3 },
        .ticketed = NOW, .ticket = { "4711", 4 } },
      "removal asked 2 d ago by Ann, ticket 4711" },
    { { .asked = NOW }, "removal asked 1 min ago" },
    { { .asked = NOW + DAY }, "removal asked 1 min ago" },
    { { .asked = NOW - 119 * MIN }, "removal asked 119 min ago" },
    { { .asked = NOW - 2 * HOUR }, "removal asked 2 h ago" },
    { { .asked = NOW - 2 * DAY + 1 }, "removal asked 47 h ago" },
    { { .asked = NOW - 400 * DAY }, "removal asked 400 d ago" },
    { { .expected = NOW - 5 * MIN, .expected_by = { "Bob", 3 } },
      "marked as expected 5 min ago by Bob" },
    { { .asked = NOW - DAY, .expected = NOW - 3 * HOUR, .ticketed = 1,
        .ticket = { "T", 1 }, .ticketed_by = { "Eve", 3 } },
      "removal asked 24 h ago, marked as expected 3 h ago, ticket T" },
};


int
main(void)
{
    char       buf[RBL_MARK_TEXT];
    size_t     i;
    rbl_out_t  out;
    rbl_str_t  text;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        out = (rbl_out_t) { buf, buf + sizeof(buf), NULL, 0 };
        rbl_mark_text(&out, &cases[i].mark, NOW);
        text = (rbl_str_t) { buf, (size_t) (out.pos - buf) };
        ok(rbl_str_is(text, cases[i].text), "a mark says \"%s\"",
           cases[i].text);
    }

    return tap_done();
}
