/*
 * Behind the head, unless all lists gave an answer in the check, there are
 * numbers of these widths (bits, the highest first; the last byte is filled up
 * with 0):
 *     3   how many kinds there are of lists without an answer; 0: any
 *     5   width of a time
 *     16  the moment from which ages are measured (minutes since 1970)
 *     4   for each kind: its error
 *     1 to 3, or 5 if there may be any kind: for each list: 0 if it gave an
 *         answer, or the place of its kind from 1, or its error and 1
 *     the width of a time: for each list without an answer: the last one
 *
 * A time of 24 bits is in minutes.  A shorter one is in units of 2^e minutes,
 * which are larger the older it is, so that it keeps its precision: it has four
 * bits of e, less a constant, and the low bits of the number of units since
 * 1970.  Because that is no age, a time that is read and written again stays as
 * it is.  All bits are set if no answer is known.
 */

#include "rbl_answers.h"

#include "rbl_hex.h"

#define MINUTE     60000                /* ms */
#define DIGEST     3                    /* bytes */
#define KINDS      7
#define ANY        5                    /* bits */
#define ERROR      4
#define EXPONENT   4
#define EXACT      24
#define EXACT_MAX  5                    /* times */
#define WIDE       10                   /* of the other times */
#define OLDEST     20                   /* bits of the age of an older time; it
                                           is not known */

typedef struct {
    unsigned char  *p;
    size_t          at, end;            /* bits */
} rbl_answers_bits_t;

typedef struct {
    unsigned  n;                        /* 0: any */
    unsigned  each;                     /* bits */
    unsigned  error[KINDS];
} rbl_answers_kinds_t;


static void
rbl_answers_put(rbl_answers_bits_t *bits, uint32_t v, unsigned width)
{
    for ( /* void */ ; width > 0; width--, bits->at++) {
        if (bits->at % 8 == 0) {
            bits->p[bits->at / 8] = 0;
        }

        bits->p[bits->at / 8] |= (unsigned char)
                                 ((v >> (width - 1) & 1) << (7 - bits->at % 8));
    }
}


/* Behind the end all bits are 0. */

static uint32_t
rbl_answers_get(rbl_answers_bits_t *bits, unsigned width)
{
    uint32_t  v;

    for (v = 0; width > 0; width--, bits->at++) {
        v = v << 1 | (bits->at < bits->end
                      ? bits->p[bits->at / 8] >> (7 - bits->at % 8) & 1u : 0);
    }

    return v;
}


/* The place of a kind from 1; 0: it is not there. */

static unsigned
rbl_answers_kind(const rbl_answers_kinds_t *kinds, unsigned error)
{
    unsigned  i;

    for (i = 0; i < kinds->n; i++) {
        if (kinds->error[i] == error) {
            return i + 1;
        }
    }

    return 0;
}


static unsigned
rbl_answers_each(unsigned n_kinds)
{
    return n_kinds == 0 ? ANY : n_kinds == 1 ? 1 : n_kinds <= 3 ? 2 : 3;
}


static void
rbl_answers_kinds(rbl_answers_kinds_t *kinds, const rbl_answer_t *a, size_t n)
{
    size_t  i;

    kinds->n = 0;

    for (i = 0; i < n; i++) {
        if (a[i].given || rbl_answers_kind(kinds, a[i].error)) {
            continue;
        }

        if (kinds->n == KINDS) {
            kinds->n = 0;
            break;
        }

        kinds->error[kinds->n++] = a[i].error;
    }

    kinds->each = rbl_answers_each(kinds->n);
}


/* The bits of the number of units. */

static unsigned
rbl_answers_low(unsigned width)
{
    return width - EXPONENT;
}


/* The exponent of the smallest unit. */

static unsigned
rbl_answers_least(unsigned width)
{
    unsigned  low = rbl_answers_low(width);

    return low < OLDEST - 14 ? OLDEST - 14 - low : 0;
}


static uint32_t
rbl_answers_code(int64_t at, int64_t anchor, unsigned width)
{
    int64_t   minute;
    unsigned  e, low, least;
    uint32_t  never = (1u << width) - 1;

    minute = at / MINUTE < anchor ? at / MINUTE : anchor;

    if (at <= 0 || anchor - minute >= 1 << EXACT) {
        return never;
    }

    if (width == EXACT) {
        return (uint32_t) minute & never;
    }

    low = rbl_answers_low(width);
    least = rbl_answers_least(width);

    for (e = 0; e < 15; e++) {
        if ((anchor >> (e + least)) - (minute >> (e + least)) < 1 << low) {
            return e << low
                   | ((uint32_t) (minute >> (e + least)) & ((1u << low) - 1));
        }
    }

    return never;
}


static int64_t
rbl_answers_time(uint32_t code, int64_t anchor, unsigned width)
{
    int64_t   units, age;
    unsigned  e, low;

    if (code == (1u << width) - 1) {
        return 0;
    }

    low = width == EXACT ? EXACT : rbl_answers_low(width);
    e = width == EXACT ? 0 : (code >> low) + rbl_answers_least(width);

    units = anchor >> e;
    age = (units - code) & ((1 << low) - 1);

    return age < units ? ((units - age) << e) * MINUTE : 0;
}


/* As wide as the room for n lists allows; k lists gave no answer. */

static unsigned
rbl_answers_width(const rbl_answers_kinds_t *kinds, size_t n, size_t k)
{
    size_t  left;

    left = (8 * RBL_ANSWERS_REST(n) - 24 - ERROR * kinds->n - n * kinds->each)
           / k;

    return left >= EXACT && k <= EXACT_MAX ? EXACT
           : left > WIDE ? WIDE : (unsigned) left;
}


size_t
rbl_answers_rest(unsigned char *rest, const rbl_answer_t *a, size_t n,
    int64_t now)
{
    int                   known;
    size_t                i, k;
    unsigned              width;
    rbl_answers_bits_t    bits = { rest, 0, 0 };
    rbl_answers_kinds_t   kinds;

    for (i = k = 0, known = 0; i < n; i++) {
        k += !a[i].given;
        known |= !a[i].given && a[i].at > 0;
    }

    if (k == 0) {
        return 0;
    }

    rbl_answers_kinds(&kinds, a, n);
    width = known ? rbl_answers_width(&kinds, n, k) : 0;

    rbl_answers_put(&bits, kinds.n, 3);
    rbl_answers_put(&bits, width, 5);
    rbl_answers_put(&bits, (uint32_t) (now / MINUTE) & 0xffff, 16);

    for (i = 0; i < kinds.n; i++) {
        rbl_answers_put(&bits, kinds.error[i], ERROR);
    }

    for (i = 0; i < n; i++) {
        rbl_answers_put(&bits, a[i].given ? 0
                        : kinds.n == 0 ? a[i].error + 1u
                        : rbl_answers_kind(&kinds, a[i].error), kinds.each);
    }

    for (i = 0; i < n && width > 0; i++) {
        if (!a[i].given) {
            rbl_answers_put(&bits, rbl_answers_code(a[i].at, now / MINUTE,
                                                    width), width);
        }
    }

    return (bits.at + 7) / 8;
}


int
rbl_answers_of(rbl_str_t field, int64_t checked)
{
    const unsigned char  *p;

    p = (const unsigned char *) field.p;

    return field.n >= RBL_ANSWERS_HEAD && checked > 0
           && p[0] == (checked & 0xff);
}


int
rbl_answers_in(rbl_str_t field, const char *digits)
{
    char  hex[2 * DIGEST];

    if (field.n < RBL_ANSWERS_HEAD) {
        return 0;
    }

    rbl_hex(hex, (const unsigned char *) field.p + 1, DIGEST);

    return strncmp(digits, hex, sizeof(hex)) == 0;
}


/* The kinds of the lists.  The number of those without an answer; -1:
   damaged. */

static int
rbl_answers_read_kinds(rbl_answer_t *a, size_t n, rbl_answers_bits_t *bits,
    rbl_answers_kinds_t *kinds)
{
    int       k;
    size_t    i;
    unsigned  kind;

    kinds->each = rbl_answers_each(kinds->n);

    for (i = 0; i < kinds->n; i++) {
        kinds->error[i] = rbl_answers_get(bits, ERROR);
    }

    for (i = 0, k = 0; i < n; i++) {
        kind = rbl_answers_get(bits, kinds->each);
        a[i].given = kind == 0;
        k += kind != 0;

        if (kind > (kinds->n == 0 ? 16 : kinds->n)) {
            return -1;
        }

        if (kind != 0) {
            a[i].error = kinds->n == 0 ? kind - 1 : kinds->error[kind - 1];
        }
    }

    return k;
}


static rbl_err_t
rbl_answers_read_rest(rbl_answer_t *a, size_t n, rbl_answers_bits_t *bits,
    int64_t checked)
{
    int                   k;
    size_t                i;
    int64_t               anchor;
    unsigned              width;
    rbl_answers_kinds_t   kinds;

    kinds.n = rbl_answers_get(bits, 3);
    width = rbl_answers_get(bits, 5);
    anchor = checked / MINUTE
             - ((checked / MINUTE - rbl_answers_get(bits, 16)) & 0xffff);
    k = rbl_answers_read_kinds(a, n, bits, &kinds);

    if (k <= 0 || (width != 0 && width <= EXPONENT)
        || (width > WIDE && width != EXACT)
        || (bits->at + (size_t) k * width + 7) / 8 != bits->end / 8)
    {
        return RBL_EINVAL;
    }

    for (i = 0; i < n && width > 0; i++) {
        if (!a[i].given) {
            a[i].at = rbl_answers_time(rbl_answers_get(bits, width), anchor,
                                       width);
        }
    }

    return RBL_OK;
}


rbl_err_t
rbl_answers_read(rbl_answer_t *a, size_t n, rbl_str_t field, int64_t checked)
{
    size_t               i;
    rbl_err_t            err;
    rbl_answers_bits_t   bits;

    if (field.n < RBL_ANSWERS_HEAD || checked <= 0 || n == 0
        || n > RBL_ANSWERS_LISTS)
    {
        return RBL_EINVAL;
    }

    for (i = 0; i < n; i++) {
        a[i].given = 1;
        a[i].error = 0;
        a[i].at = 0;
    }

    if (field.n > RBL_ANSWERS_HEAD) {
        bits.p = (unsigned char *) field.p + RBL_ANSWERS_HEAD;
        bits.at = 0;
        bits.end = 8 * (field.n - RBL_ANSWERS_HEAD);

        err = rbl_answers_read_rest(a, n, &bits, checked);
        if (err != RBL_OK) {
            return err;
        }
    }

    for (i = 0; i < n; i++) {
        if (a[i].given) {
            a[i].at = checked;
        }
    }

    return RBL_OK;
}
