/*
 * Coverage of an account: how many lists apply, and how many have answered.
 */

#include "base/buf.h"
#include "rbl_coverage.h"
#include "rbl_mp.h"
#include "tap.h"

#include <stdlib.h>


#define NOW       1800000000
#define INTERVAL  3600
#define CRITICAL  0x80000000u
#define NEVER     0x40000000u

typedef struct {
    uint32_t  least;
    uint32_t  age;                      /* s; of its last answer */
} list_t;

typedef struct {
    uint32_t    full, seen;             /* ages; full 0: never */
    const char *members;                /* places as letters, from "a" */
} class_t;

typedef struct {
    const char *name;
    list_t      list[8];                /* up to one with age 0 */
    class_t     class[4];               /* up to one without members */
    int64_t     asked, answered, critical_asked, critical_answered,
                critical_long;
    const char *silent;
} case_t;


#define OLD  (3 * INTERVAL + INTERVAL / 8)

static const case_t  cases[] = {
    { "no class", { { 0, 1 } }, { { 0, 0, NULL } }, 0, 0, 0, 0, 0, "" },
    { "one that answered", { { 0, 1 } }, { { 0, 1, "a" } }, 1, 1, 0, 0, 0,
      "" },
    { "before the first answer", { { NEVER, 1 }, { NEVER | CRITICAL, 1 } },
      { { 0, 1, "ab" } }, 2, 0, 1, 0, 0, "ba" },
    { "all of a class answered",
      { { NEVER, 9000 }, { CRITICAL, 99000 } },
      { { 5, 5, "ab" } }, 2, 2, 1, 1, 0, "" },
    { "one and a half intervals ago", { { 0, 5400 }, { 0, 5401 } },
      { { 0, 1, "ab" } }, 2, 1, 0, 0, 0, "b" },
    { "a minimum interval of a day", { { 86400, 129600 }, { 86400, 129601 } },
      { { 0, 1, "ab" } }, 2, 1, 0, 0, 0, "b" },
    { "a minimum interval that is shorter than the account's",
      { { 60, 5400 } }, { { 0, 1, "a" } }, 1, 1, 0, 0, 0, "" },
    { "a critical list is silent for three intervals",
      { { CRITICAL, OLD }, { CRITICAL, OLD + 1 }, { 0, OLD + 1 } },
      { { 0, 1, "abc" } }, 3, 0, 2, 0, 1, "abc" },
    { "a critical one with a minimum interval",
      { { CRITICAL | 86400, 3 * 86400 + 450 },
        { CRITICAL | 86400, 3 * 86400 + 451 } },
      { { 0, 1, "ab" } }, 2, 0, 2, 0, 1, "ab" },
    { "a critical one that had to answer for three intervals",
      { { CRITICAL | NEVER, OLD + 1 }, { CRITICAL | NEVER, 5 } },
      { { 0, 1, "ab" } }, 2, 0, 2, 0, 1, "ab" },
    { "two classes with a list in common", { { 0, 1 }, { 0, 1 }, { 0, 1 } },
      { { 0, 1, "ab" }, { 0, 1, "bc" } }, 3, 3, 0, 0, 0, "" },
    { "a list that answers one class alone", { { NEVER, 1 }, { NEVER, 1 } },
      { { 5, 5, "a" }, { 0, 1, "ab" } }, 2, 1, 0, 0, 0, "b" },
    { "a class whose hosts are gone", { { 0, 6000 }, { 0, 6000 } },
      { { 6000, 5401, "ab" }, { 5, 5, "b" } }, 1, 1, 0, 0, 0, "" },
    { "no class is checked", { { 0, 6000 }, { 0, 6000 } },
      { { 6000, 6000, "a" }, { 7000, 7000, "b" } }, 2, 0, 0, 0, 0, "ab" },
    { "the first five that are silent, critical ones first",
      { { 0, 9000 }, { 0, 9000 }, { 0, 9000 }, { 0, 9000 }, { 0, 9000 },
        { CRITICAL, 9000 } },
      { { 0, 1, "abcdef" } }, 6, 0, 1, 0, 0, "fabcd" },
    { "answers in the future", { { 0, (uint32_t) -1800 }, { 0,
      (uint32_t) -3601 } }, { { 0, 1, "ab" } }, 2, 1, 0, 0, 0, "b" },
};


static void
put_number(rbl_buf_t *b, uint32_t v)
{
    unsigned char  p[4] = { v >> 24, v >> 16, v >> 8, v };

    rbl_out_bytes(&b->out, p, 4);
}


static void
make(rbl_buf_t *b, const case_t *c)
{
    size_t      i, n;
    rbl_buf_t   text;
    const char *m;

    rbl_buf_init(&text);
    rbl_buf_reset(b);

    for (i = 0, n = 2; i < 4 && c->class[i].members != NULL; i++) {
        n++;
    }

    rbl_mp_put_array(&b->out, n);
    rbl_mp_put_int(&b->out, 1);

    for (i = 0; i < 8 && c->list[i].age != 0; i++) {
        rbl_out_bytes(&text.out, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 15);
        rbl_out_char(&text.out, (char) ('a' + i));
        put_number(&text, c->list[i].least);
        put_number(&text, NOW - c->list[i].age);
    }

    rbl_mp_put_str(&b->out, rbl_buf_str(&text));

    for (i = 0; i < n - 2; i++) {
        rbl_buf_reset(&text);
        rbl_out_z(&text.out, "0123456789abcdef");
        put_number(&text, 0);
        put_number(&text, c->class[i].full ? NOW - c->class[i].full : 0);
        put_number(&text, NOW - c->class[i].seen);
        rbl_out_z(&text.out, "RP00000000000000000000000000000001:1:rbl;");

        for (m = c->class[i].members; *m != '\0'; m++) {
            rbl_out_char(&text.out, 0);
            rbl_out_char(&text.out, (char) (*m - 'a' + 1));
        }

        rbl_mp_put_str(&b->out, rbl_buf_str(&text));
    }

    rbl_buf_free(&text);
}


static void
test_case(rbl_buf_t *b, const case_t *c)
{
    char            silent[RBL_COVERAGE_NAMED + 1];
    size_t          n;
    int64_t         answered, never;
    unsigned        i, value;
    rbl_coverage_t  got;

    rbl_coverage_list_t  list[8];

    make(b, c);

    ok(rbl_coverage_read(&got, rbl_buf_str(b), INTERVAL, NOW) == RBL_OK,
       "%s: the record is read", c->name);
    ok(got.asked == c->asked && got.answered == c->answered,
       "%s: %d of %d lists have answered", c->name, (int) c->answered,
       (int) c->asked);
    ok(got.critical_asked == c->critical_asked
       && got.critical_answered == c->critical_answered
       && got.critical_long == c->critical_long,
       "%s: %d of %d critical ones have, %d not for long", c->name,
       (int) c->critical_answered, (int) c->critical_asked,
       (int) c->critical_long);

    n = rbl_coverage_lists(list, sizeof(list) / sizeof(list[0]),
                           rbl_buf_str(b), INTERVAL, NOW);
    answered = never = 0;

    for (i = 0; i < n; i++) {
        answered += list[i].answered != 0;
        never += list[i].answered && list[i].last == 0;
    }

    ok((int64_t) n == c->asked && answered == c->answered && never == 0,
       "%s: each list is told apart", c->name);
    ok(rbl_coverage_lists(list, 1, rbl_buf_str(b), INTERVAL, NOW)
       == (size_t) (c->asked > 0), "%s: no more lists than wanted", c->name);

    for (i = 0; i < got.n_silent; i++) {
        value = 0;
        (void) sscanf(got.silent[i].s + 32, "%2x", &value);
        silent[i] = (char) value;
    }

    is_str(((rbl_str_t) { silent, got.n_silent }), c->silent,
           "the silent ones are named");
}


/* Cut anywhere, and with wrong bytes, a record is read or refused; memory
   checkers see the rest. */

static void
test_damage(rbl_buf_t *b)
{
    int             sound;
    char           *copy;
    size_t          i, n;
    unsigned        v;
    rbl_str_t       raw;
    rbl_coverage_t  got;

    rbl_coverage_list_t  list[8];

    make(b, &cases[10]);
    raw = rbl_buf_str(b);
    sound = 1;

    for (n = 0; n < raw.n; n++) {
        copy = malloc(n + 1);
        memcpy(copy, raw.p, n);
        sound &= rbl_coverage_read(&got, (rbl_str_t) { copy, n }, INTERVAL,
                                   NOW) == RBL_EINVAL;
        free(copy);
    }

    ok(sound, "a record that is cut anywhere is refused");

    copy = malloc(raw.n);

    for (i = 0; i < raw.n; i++) {
        for (v = 0; v < 256; v += 5) {
            memcpy(copy, raw.p, raw.n);
            copy[i] = (char) v;
            (void) rbl_coverage_read(&got, (rbl_str_t) { copy, raw.n },
                                     INTERVAL, NOW);
            sound &= got.answered <= got.asked && got.asked <= 3
                     && (int64_t) rbl_coverage_lists(
                            list, 8, (rbl_str_t) { copy, raw.n }, INTERVAL,
                            NOW)
                        == got.asked;
        }
    }

    free(copy);
    ok(sound, "a wrong byte gives no more answers than lists");
    ok(rbl_coverage_read(&got, (rbl_str_t) { NULL, 0 }, INTERVAL, NOW)
       == RBL_EINVAL && got.asked == 0
       && rbl_coverage_lists(list, 8, (rbl_str_t) { NULL, 0 }, INTERVAL, NOW)
          == 0, "no record is refused");
}


int
main(void)
{
    size_t     i;
    rbl_buf_t  b;

    rbl_buf_init(&b);

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        test_case(&b, &cases[i]);
    }

    test_damage(&b);
    rbl_buf_free(&b);

    return tap_done();
}
