/*
 * Time zones: the contents of a TZif file (RFC 9636, versions 1 to 4) for the
 * times that can be shown, as one flat structure.  It is read-only after
 * decoding, so requests and processes may share it.  The file's bytes are not
 * kept.
 *
 * A table holds the changes from 1970 to 2106, including those that the footer
 * defines; later years are computed from the footer's rule when needed.
 */

#ifndef RBL_ZONE_H_INCLUDED
#define RBL_ZONE_H_INCLUDED

#include "rbl_common.h"

#define RBL_ZONE_FILE_MAX  65536        /* bytes; larger files are refused */
#define RBL_ZONE_NAME_MAX  64           /* "America/Argentina/Buenos_Aires" */

#define RBL_ZONE_SPANS     1024
#define RBL_ZONE_TYPES     32
#define RBL_ZONE_ABBR      8            /* bytes of an abbreviation */

typedef struct {
    int32_t   offset;                   /* seconds east of Greenwich */
    uint32_t  n;                        /* length of the abbreviation */
    char      abbr[RBL_ZONE_ABBR];
} rbl_zone_type_t;

/* A day of the year, and seconds of wall clock time from its midnight. */
typedef struct {
    enum {
        RBL_ZONE_JULIAN = 0,            /* day 1 to 365, never 29 February */
        RBL_ZONE_DAY,                   /* day 0 to 365 */
        RBL_ZONE_WEEKDAY                /* the week'th (5: last) such day */
    }        kind;
    int32_t  day, week, month;
    int32_t  time;                      /* may be on another day */
} rbl_zone_edge_t;

typedef struct {
    int              on;                /* 0: no more changes */
    int32_t          std_offset, dst_offset;
    uint8_t          std, dst;          /* types */
    rbl_zone_edge_t  start, end;        /* begin and end of dst */
} rbl_zone_rule_t;

typedef struct {
    rbl_zone_type_t  types[RBL_ZONE_TYPES];
    uint16_t         first[256];        /* span at the start of each 2^24 s */
    uint32_t         until[RBL_ZONE_SPANS];     /* end of a span; UINT32_MAX for
                                                   the last */
    uint8_t          type[RBL_ZONE_SPANS];
    uint16_t         n_spans, n_types;
    rbl_zone_rule_t  rule;              /* from 2106 on */
} rbl_zone_t;

/* A time zone with a constant offset. */
#define RBL_ZONE_FIXED(seconds, name)                                         \
    { .types = { { (seconds), sizeof(name) - 1, name } },                     \
      .until = { UINT32_MAX }, .n_spans = 1, .n_types = 1 }

extern const rbl_zone_t  rbl_zone_utc;

/*
 * True for a valid time zone name, and thus file name: parts of A-Z, a-z, 0-9,
 * "_", "+" and "-", not empty, joined with "/", the first letter a capital.
 * This excludes other files in that directory: posix/, right/, localtime.
 */
int rbl_timezone_ok(rbl_str_t name);

/*
 * Decodes a file.  RBL_EINVAL: invalid, damaged, or with leap seconds;
 * RBL_ETOOBIG: more changes than fit.  The zone is then UTC.
 */
rbl_err_t rbl_zone_decode(rbl_zone_t *zone, rbl_str_t raw);

/* Returns the type in force at a second since the epoch, from 2106 on. */
const rbl_zone_type_t *rbl_zone_late(const rbl_zone_t *zone, int64_t sec);

/* Returns the type in force at a second since the epoch, 0 to the year 9999. */
static inline const rbl_zone_type_t *
rbl_zone_at(const rbl_zone_t *zone, int64_t sec)
{
    unsigned  i;

    if (zone->n_spans == 1 && !zone->rule.on) {
        return &zone->types[0];         /* UTC: avoids the loads below */
    }

    if (sec >= UINT32_MAX) {
        return rbl_zone_late(zone, sec);
    }

    i = zone->first[(uint32_t) sec >> 24];

    while ((uint32_t) sec >= zone->until[i]) {
        i++;
    }

    return &zone->types[zone->type[i]];
}

#endif /* RBL_ZONE_H_INCLUDED */
