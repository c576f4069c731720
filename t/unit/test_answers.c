/*
 * The answers of the lists of a host: bytes in its record.
 */

#include "rbl_answers.h"
#include "tap.h"

#include <stdlib.h>

#define NOW     1800000000123           /* ms */
#define MINUTE  60000
#define DAY     (1440LL * MINUTE)
#define LISTS   40

typedef struct {
    const char *name;
    const char *lists;                  /* of each: "+" it answered, "-" it was
                                           left out, a letter: its error */
    int         age[12];                /* minutes since its last answer, of
                                           those without one; -1: never */
    size_t      size;                   /* of the field */
} case_t;

static const case_t  cases[] = {
    { "all answered", "++++++++", { 0 }, 4 },
    { "one list answered", "+", { 0 }, 4 },
    { "one is silent and never answered", "+++c++++", { -1 }, 9 },
    { "one is silent since", "+++c++++", { 60 }, 12 },
    { "one was left out", "-", { 60 }, 11 },
    { "the ninth list is silent", "++++++++d", { 1 }, 12 },
    { "all are silent since the same check", "cccccccc",
      { 60, 60, 60, 60, 60, 60, 60, 60 }, 19 },
    { "errors and times of all kinds", "a-ob+", { 3, 60, 525600, -1 }, 23 },
    { "a time just before the check", "c", { 1 }, 11 },
    { "more kinds than have numbers", "abcdefgho-+",
      { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, 27 }
};

static const unsigned char  digest[] = { 0xab, 0, 0xff };


/* The field of lists, as the scripts put it together. */

static rbl_str_t
field_of(unsigned char *buf, const rbl_answer_t *a, size_t n, int64_t checked)
{
    buf[0] = (unsigned char) checked;
    memcpy(buf + 1, digest, sizeof(digest));

    return (rbl_str_t) { (char *) buf, RBL_ANSWERS_HEAD + rbl_answers_rest(
                              buf + RBL_ANSWERS_HEAD, a, n, checked - 999) };
}


static size_t
fill(rbl_answer_t *a, const case_t *c)
{
    size_t  i, missing;

    for (i = missing = 0; c->lists[i] != '\0'; i++) {
        memset(&a[i], 0, sizeof(a[i]));
        a[i].given = c->lists[i] == '+';
        a[i].at = NOW;

        if (!a[i].given) {
            a[i].error = c->lists[i] == '-' ? 0
                         : (unsigned) (c->lists[i] - 'a' + 1);
            a[i].at = c->age[missing] < 0 ? 0
                      : NOW - (int64_t) c->age[missing] * MINUTE;
            missing++;
        }
    }

    return i;
}


static void
test_case(const case_t *c)
{
    int            same;
    size_t         i, n;
    rbl_str_t      field;
    rbl_answer_t   a[16], b[16];
    unsigned char  buf[64];

    n = fill(a, c);
    field = field_of(buf, a, n, NOW);
    ok(field.n == c->size, "%s: it takes %zu bytes", c->name, field.n);
    same = rbl_answers_read(b, n, field, NOW) == RBL_OK;

    for (i = 0; i < n; i++) {
        same = same && b[i].given == a[i].given && b[i].error == a[i].error
               && b[i].at == (a[i].given ? a[i].at
                              : a[i].at / MINUTE * MINUTE);
    }

    ok(same, "%s: it is read as it was written", c->name);

    field = field_of(buf, b, n, NOW);
    ok(field.n == c->size && rbl_answers_read(a, n, field, NOW) == RBL_OK
       && a[n - 1].at == b[n - 1].at,
       "%s: written again, the times are the same", c->name);
}


/* No set of 40 answers takes more than 64 bytes, nor says that a list answered
   later than it did. */

static void
test_bounds(void)
{
    int            sound;
    size_t         i, most, round;
    rbl_str_t      field;
    rbl_answer_t   a[LISTS], b[LISTS];
    unsigned char  buf[RBL_ANSWERS_HEAD + RBL_ANSWERS_REST(LISTS)];

    srand(1);
    sound = 1;
    most = 0;

    for (round = 0; round < 20000; round++) {
        for (i = 0; i < LISTS; i++) {
            a[i].given = (size_t) rand() % 20000 >= round;
            a[i].error = a[i].given ? 0 : (unsigned) rand() % 16;
            a[i].at = a[i].given ? NOW : rand() % 8 == 0 ? 0
                      : NOW - (int64_t) rand() % (30 * 1440) * MINUTE;
        }

        field = field_of(buf, a, LISTS, NOW);
        most = field.n > most ? field.n : most;
        sound = sound && rbl_answers_read(b, LISTS, field, NOW) == RBL_OK;

        for (i = 0; i < LISTS; i++) {
            sound = sound && a[i].given == b[i].given
                    && a[i].error == b[i].error
                    && (a[i].at == 0 ? b[i].at == 0 : b[i].at > 0)
                    && b[i].at <= a[i].at;
        }
    }

    ok(sound, "20,000 sets of 40 answers are read, no time is too late");
    ok(most + 2 <= 64, "40 answers take at most %zu bytes", most + 2);
}


/*
 * 2,000 checks, one an hour, of 40 lists: `often` answer each time, the last
 * one never, the others once a day.  Returns how much older a time seems than
 * it is, in parts of its age; -1: one cannot be read, or seems younger.
 */

static double
drift(size_t often, unsigned error)
{
    double         most, part;
    size_t         i, round;
    int64_t        now, truth[LISTS];
    rbl_str_t      field;
    rbl_answer_t   a[LISTS];
    unsigned char  buf[RBL_ANSWERS_HEAD + RBL_ANSWERS_REST(LISTS)];

    most = 0;
    now = NOW;

    for (i = 0; i < LISTS; i++) {
        truth[i] = now;
        a[i].at = now;
    }

    for (round = 0; round < 2000; round++) {
        now += DAY / 24;

        for (i = 0; i < LISTS; i++) {
            a[i].given = i < often || (i < LISTS - 1 && (round + i) % 24 == 0);
            a[i].error = i == LISTS - 1 || error != 0 ? 3 : 0;
            truth[i] = a[i].given ? now : truth[i];
            a[i].at = a[i].given ? now : a[i].at;
        }

        field = field_of(buf, a, LISTS, now);

        if (rbl_answers_read(a, LISTS, field, now) != RBL_OK) {
            return -1;
        }

        for (i = 0; i < LISTS; i++) {
            if (a[i].at > truth[i] || a[i].at == 0) {
                return -1;
            }

            part = (double) (truth[i] - a[i].at - MINUTE)
                   / (double) (now - truth[i] + 1);
            most = !a[i].given && part > most ? part : most;
        }
    }

    return most;
}


static void
test_drift(void)
{
    double  part;

    part = drift(35, 0);
    ok(part >= 0 && part < 0.0001, "few lists without an answer: their times"
       " are kept to the minute (%.2f %%)", 100 * part);
    part = drift(4, 0);
    ok(part >= 0 && part < 0.07, "35 lists that answer once a day, one that is"
       " dead: times differ by %.2f %% of their age", 100 * part);
    part = drift(0, 3);
    ok(part >= 0 && part < 0.13, "40 lists, one or two of them answer: times"
       " differ by %.2f %%", 100 * part);
}


/* An age that is too large for its bits is not known, and none is younger. */

static void
test_old(void)
{
    int            sound;
    size_t         i, kinds;
    int64_t        age;
    rbl_str_t      field;
    rbl_answer_t   a[LISTS], b[LISTS];
    unsigned char  buf[RBL_ANSWERS_HEAD + RBL_ANSWERS_REST(LISTS)];

    for (kinds = 1; kinds <= 16; kinds += 15) {
        for (sound = 1, age = 0; age < 1 << 23; age = age * 9 / 8 + 1) {
            for (i = 0; i < LISTS; i++) {
                a[i].given = 0;
                a[i].error = (unsigned) (i % kinds);
                a[i].at = NOW - age * MINUTE;
            }

            field = field_of(buf, a, LISTS, NOW);
            sound = sound && rbl_answers_read(b, LISTS, field, NOW) == RBL_OK
                    && b[7].at <= a[7].at
                    && (age > 500000 || b[7].at > 0)
                    && (b[7].at == 0 || NOW - b[7].at <= 3 * age * MINUTE
                                                         + 65 * MINUTE);
        }

        ok(sound, "40 silent lists of %zu kinds: any age of up to a year is"
           " known to a factor of three", kinds);
    }
}


/* Damaged answers. */

static void
test_hostile(void)
{
    int            sound;
    size_t         i, n, round;
    rbl_str_t      field;
    rbl_answer_t   a[24];
    unsigned char  buf[64];
    const case_t  *c = &cases[7];

    n = fill(a, c);
    field = field_of(buf, a, n, NOW);

    for (i = 0; i < c->size; i++) {
        ok(rbl_answers_read(a, n, (rbl_str_t) { field.p, i }, NOW) == (i == 4
           ? RBL_OK : RBL_EINVAL), "cut to %zu bytes it is refused", i);
    }

    ok(rbl_answers_read(a, n, field, 0) == RBL_EINVAL,
       "a host that was never checked has no answers");
    ok(rbl_answers_read(a, n - 4, field, NOW) == RBL_EINVAL,
       "the answers of more lists are refused");
    ok(rbl_answers_read(a, n + 17, field, NOW) == RBL_EINVAL,
       "the answers of fewer lists are refused");
    ok(rbl_answers_read(a, 0, field, NOW) == RBL_EINVAL
       && rbl_answers_read(a, RBL_ANSWERS_LISTS + 1, field, NOW)
          == RBL_EINVAL, "none and too many lists are refused");

    a[0] = (rbl_answer_t) { 0, 3, MINUTE };
    field = field_of(buf, a, 1, NOW);
    ok(rbl_answers_read(a, 1, field, NOW) == RBL_OK && a[0].at == 0,
       "an answer of 1970 is not known any longer, instead of a later time");

    srand(2);

    for (sound = 1, round = 0; round < 100000; round++) {
        for (i = 0; i < sizeof(buf); i++) {
            buf[i] = (unsigned char) (rand() % 3 ? rand() % 4 : rand());
        }

        field = (rbl_str_t) { (char *) buf, (size_t) rand() % 32 };

        if (rbl_answers_read(a, 8, field, NOW) == RBL_OK) {
            for (i = 0; i < 8; i++) {
                sound = sound && a[i].at >= 0 && a[i].at <= NOW
                        && a[i].error < 16;
            }
        }
    }

    ok(sound, "whatever the bytes are, no time is after the check");
}


static void
test_stamp(void)
{
    rbl_str_t      field;
    rbl_answer_t   a[1] = { { 1, 0, NOW } };
    unsigned char  buf[16];

    field = field_of(buf, a, 1, NOW);
    ok(rbl_answers_of(field, NOW), "it is of its check");
    ok(!rbl_answers_of(field, NOW + 1), "it is not of a later check");
    ok(rbl_answers_in(field, "ab00ff0123456789"), "it has its lists");
    ok(!rbl_answers_in(field, "ab00fe0123456789"), "it has no other lists");
    ok(!rbl_answers_in(field, "ab"), "it has no lists of a shorter digest");
    field.n = 3;
    ok(!rbl_answers_of(field, NOW) && !rbl_answers_in(field, "ab00ff"),
       "three bytes are of no check");
    field.n = 0;
    ok(!rbl_answers_of(field, 0), "an empty field is of no check");
}


int
main(void)
{
    size_t  i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        test_case(&cases[i]);
    }

    test_bounds();
    test_drift();
    test_old();
    test_hostile();
    test_stamp();

    return tap_done();
}
