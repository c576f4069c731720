/*
 * Numbers of an account's coverage.  A list has answered at the later one of
 * its own time and the times at which all lists of a class did.
 */

#include "rbl_answers.h"
#include "rbl_coverage.h"
#include "rbl_mp.h"

#include <string.h>

#define LISTS_MAX    2048
#define ENTRY        24                 /* bytes of a list: SID, least, last */
#define SID_BYTES    16
#define CLASS_FULL   20                 /* places in a class */
#define CLASS_SEEN   24
#define CLASS_NAME   28
#define CRITICAL     0x80000000u
#define NEVER        0x40000000u

typedef struct {
    unsigned char  applies;
    uint32_t       full;                /* s; 0: no class of it was complete */
} place_t;

typedef struct {
    int                   named;        /* 0: only an order of lists */
    const char           *digest;       /* digits */
    const unsigned char  *full;         /* of the class, 4 bytes */
    const unsigned char  *seen;
    const unsigned char  *member;       /* places, 2 bytes each */
    size_t                n;
} class_t;


static uint32_t
number(const unsigned char *p)
{
    return (uint32_t) p[0] << 24 | (uint32_t) p[1] << 16
           | (uint32_t) p[2] << 8 | p[3];
}


/* 0, or -1: damaged. */

static int
class_read(class_t *class, rbl_str_t raw)
{
    const char           *end;
    const unsigned char  *p = (const unsigned char *) raw.p;

    end = raw.n > CLASS_NAME
          ? memchr(raw.p + CLASS_NAME, ';', raw.n - CLASS_NAME) : NULL;
    if (end == NULL) {
        return -1;
    }

    class->named = raw.p[CLASS_NAME] != ';';
    class->digest = raw.p;
    class->full = p + CLASS_FULL;
    class->seen = p + CLASS_SEEN;
    class->member = (const unsigned char *) end + 1;
    class->n = (size_t) (raw.p + raw.n - (end + 1));

    if (class->n % 2 != 0) {
        return -1;
    }

    class->n /= 2;
    return 0;
}


/* Times of another clock, too far ahead, count as old. */

static int
fresh(uint32_t at, int64_t interval, int64_t now)
{
    return at <= now + interval && at >= now - interval - interval / 2;
}


/* The lists of a class apply.  0, or -1: damaged. */

static int
class_apply(const class_t *class, place_t *place, size_t n)
{
    size_t    i, at;
    uint32_t  full;

    full = number(class->full);

    for (i = 0; i < class->n; i++) {
        at = (size_t) class->member[2 * i] << 8 | class->member[2 * i + 1];

        if (at == 0 || at > n) {
            return -1;
        }

        place[at - 1].applies = 1;

        if (full > place[at - 1].full) {
            place[at - 1].full = full;
        }
    }

    return 0;
}


/*
 * Marks the lists of all classes, or, if a class is checked, of those that are.
 * 0, or -1: damaged.
 */

static int
classes_apply(rbl_mp_t mp, size_t n_classes, place_t *place, size_t n,
    int64_t interval, int64_t now)
{
    int       any, all;
    size_t    i;
    class_t   class;
    rbl_mp_t  at;

    any = 0;

    for (all = 0; all < 2; all++) {
        at = mp;

        for (i = 0; i < n_classes; i++) {
            if (class_read(&class, rbl_mp_str(&at)) != 0 || at.failed) {
                return -1;
            }

            if (class.named
                && (all || fresh(number(class.seen), interval, now)))
            {
                any = 1;

                if (class_apply(&class, place, n) != 0) {
                    return -1;
                }
            }
        }

        if (any) {
            break;
        }
    }

    return 0;
}


/* An entry, as the record has it and as it is now. */

typedef struct {
    int      critical, answered, never;
    int64_t  every, last;
} found_t;


static found_t
list_found(const unsigned char *entry, uint32_t full, int64_t interval,
    int64_t now)
{
    found_t   found;
    uint32_t  least;

    least = number(entry + SID_BYTES);
    found.critical = (least & CRITICAL) != 0;
    found.never = full == 0 && (least & NEVER) != 0;
    found.last = number(entry + SID_BYTES + 4);
    found.every = least & ~(CRITICAL | NEVER);
    found.every = found.every > interval ? found.every : interval;

    if (full != 0 && (full > found.last || least & NEVER)) {
        found.last = full;
    }

    found.answered = !found.never
                     && fresh((uint32_t) found.last, found.every, now);

    return found;
}


static void
count_list(rbl_coverage_t *c, const unsigned char *entry, uint32_t full,
    int64_t interval, int64_t now)
{
    found_t  found;

    found = list_found(entry, full, interval, now);

    if (!found.answered && c->n_silent < RBL_COVERAGE_NAMED) {
        rbl_sid_from_digest(&c->silent[c->n_silent++], RBL_SID_LIST, entry);
    }

    c->asked++;
    c->answered += found.answered;

    if (found.critical) {
        c->critical_asked++;
        c->critical_answered += found.answered;
        c->critical_long += !found.answered
                            && found.last + 3 * found.every + interval / 8
                               < now;
    }
}


/* Reads the fields before the classes.  Returns the number of these, or -1:
   damaged. */

static int
record_read(rbl_mp_t *mp, rbl_str_t *lists, rbl_str_t raw)
{
    size_t  fields;

    rbl_mp_init(mp, raw);
    fields = rbl_mp_array(mp);

    if (fields < 2 || rbl_mp_int(mp) != 1) {
        return -1;
    }

    *lists = rbl_mp_str(mp);

    return mp->failed || lists->n % ENTRY != 0 || lists->n / ENTRY > LISTS_MAX
           ? -1 : (int) fields - 2;
}


/* Which lists apply: `place` has room for LISTS_MAX.  Returns how many the
   record has, or -1: damaged. */

static int
record_places(place_t *place, rbl_str_t *lists, rbl_str_t raw, int64_t interval,
    int64_t now)
{
    int       n_classes;
    size_t    n;
    rbl_mp_t  mp;

    n_classes = record_read(&mp, lists, raw);
    if (n_classes < 0) {
        return -1;
    }

    n = lists->n / ENTRY;
    memset(place, 0, n * sizeof(place_t));

    return classes_apply(mp, (size_t) n_classes, place, n, interval, now) == 0
           ? (int) n : -1;
}


rbl_err_t
rbl_coverage_read(rbl_coverage_t *c, rbl_str_t raw, int64_t interval,
    int64_t now)
{
    int                   i, n;
    uint32_t              critical;
    place_t               place[LISTS_MAX];
    rbl_str_t             lists;
    const unsigned char  *entry;

    memset(c, 0, sizeof(rbl_coverage_t));
    interval = interval < 1 ? 1 : interval;
    n = record_places(place, &lists, raw, interval, now);

    if (n < 0) {
        return RBL_EINVAL;
    }

    for (critical = CRITICAL; /* void */ ; critical = 0) {
        entry = (const unsigned char *) lists.p;

        for (i = 0; i < n; i++, entry += ENTRY) {
            if (place[i].applies
                && (number(entry + SID_BYTES) & CRITICAL) == critical)
            {
                count_list(c, entry, place[i].full, interval, now);
            }
        }

        if (critical == 0) {
            return RBL_OK;
        }
    }
}


size_t
rbl_coverage_lists(rbl_coverage_list_t *list, size_t most, rbl_str_t raw,
    int64_t interval, int64_t now)
{
    int                   i, n;
    size_t                found_n;
    found_t               found;
    place_t               place[LISTS_MAX];
    rbl_str_t             lists;
    const unsigned char  *entry;

    interval = interval < 1 ? 1 : interval;
    n = record_places(place, &lists, raw, interval, now);
    entry = (const unsigned char *) lists.p;

    for (i = 0, found_n = 0; i < n && found_n < most; i++, entry += ENTRY) {
        if (place[i].applies) {
            found = list_found(entry, place[i].full, interval, now);
            list[found_n].sid = entry;
            list[found_n].answered = found.answered;
            list[found_n++].last = found.never ? 0 : found.last;
        }
    }

    return found_n;
}


/* Is each place one of n? */

static int
places_sound(const class_t *class, size_t n)
{
    size_t  i, at;

    for (i = 0; i < class->n; i++) {
        at = (size_t) class->member[2 * i] << 8 | class->member[2 * i + 1];

        if (at == 0 || at > n) {
            return 0;
        }
    }

    return class->n > 0 && class->n <= RBL_ANSWERS_LISTS;
}


rbl_err_t
rbl_coverage_order(rbl_coverage_order_t *order, rbl_str_t raw,
    rbl_str_t answers)
{
    int        n_classes;
    class_t    class;
    rbl_mp_t   mp;
    rbl_str_t  lists;

    n_classes = record_read(&mp, &lists, raw);

    for ( /* void */ ; n_classes > 0; n_classes--) {
        if (class_read(&class, rbl_mp_str(&mp)) != 0 || mp.failed) {
            return RBL_EINVAL;
        }

        if (rbl_answers_in(answers, class.digest)
            && places_sound(&class, lists.n / ENTRY))
        {
            order->lists = (const unsigned char *) lists.p;
            order->place = class.member;
            order->n = class.n;
            return RBL_OK;
        }
    }

    return RBL_EINVAL;
}


const unsigned char *
rbl_coverage_list(const rbl_coverage_order_t *order, size_t i)
{
    size_t  at;

    at = (size_t) order->place[2 * i] << 8 | order->place[2 * i + 1];

    return order->lists + (at - 1) * ENTRY;
}
