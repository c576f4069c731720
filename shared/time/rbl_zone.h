/*
 * Time zones: what a TZif file (RFC 9636, versions 1 to 4) says of the times
 * that can be shown, as one flat structure that is only read afterwards, and
 * so may be shared by all requests and processes.  Nothing is kept of the
 * file's bytes.
 *
 * The changes from 1970 to 2106 are a table, those that the file leaves to
 * its footer too; later years follow the footer's rule as they are asked for.
 */

#ifndef RBL_ZONE_H_INCLUDED
#define RBL_ZONE_H_INCLUDED

#include "rbl_common.h"

#define RBL_ZONE_FILE_MAX  65536        /* octets; larger files are refused */
#define RBL_ZONE_NAME_MAX  64           /* "America/Argentina/Buenos_Aires" */

#define RBL_ZONE_SPANS     1024
#define RBL_ZONE_TYPES     32
#define RBL_ZONE_ABBR      8            /* octets of an abbreviation */

typedef struct {
    int32_t   offset;                   /* seconds east of Greenwich */
    uint32_t  n;                        /* octets of the abbreviation */
    char      abbr[RBL_ZONE_ABBR];
} rbl_zone_type_t;

/* A day of the year and the wall clock's seconds from its midnight. */
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
    int              on;                /* 0: nothing changes any more */
    int32_t          std_offset, dst_offset;
    uint8_t          std, dst;          /* types */
    rbl_zone_edge_t  start, end;        /* of dst */
} rbl_zone_rule_t;

typedef struct {
    rbl_zone_type_t  types[RBL_ZONE_TYPES];
    uint16_t         first[256];        /* span at the begin of each 2^24 s */
    uint32_t         until[RBL_ZONE_SPANS];     /* end of a span; of the last
                                                   one UINT32_MAX */
    uint8_t          type[RBL_ZONE_SPANS];
    uint16_t         n_spans, n_types;
    rbl_zone_rule_t  rule;              /* from 2106 on */
} rbl_zone_t;

/* A zone that has one offset for ever. */
#define RBL_ZONE_FIXED(seconds, name)                                         \
    { .types = { { (seconds), sizeof(name) - 1, name } },                     \
      .until = { UINT32_MAX }, .n_spans = 1, .n_types = 1 }

extern const rbl_zone_t  rbl_zone_utc;

/*
 * May it be the name of a zone, and so of a file: parts of A-Z, a-z, 0-9, "_",
 * "+" and "-", each not empty, joined with "/", the first letter a capital.
 * That leaves out what lies beside the zones: posix/, right/, localtime.
 */
int rbl_timezone_ok(rbl_str_t name);

/*
 * Reads a file.  RBL_EINVAL: it is none, or damaged, or counts leap seconds;
 * RBL_ETOOBIG: it has more changes than there is room for.  The zone is then
 * UTC, in effect.
 */
rbl_err_t rbl_zone_decode(rbl_zone_t *zone, rbl_str_t raw);

/* What is in force at a second since 1970, of the year 2106 and later. */
const rbl_zone_type_t *rbl_zone_late(const rbl_zone_t *zone, int64_t sec);

/* What is in force at a second since 1970, from 0 to the year 9999. */
static inline const rbl_zone_type_t *
rbl_zone_at(const rbl_zone_t *zone, int64_t sec)
{
    unsigned  i;

    if (zone->n_spans == 1 && !zone->rule.on) {
        return &zone->types[0];         /* UTC: nothing waits for a load */
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
