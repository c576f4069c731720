/*
 * Time zones: the changes of a TZif file (RFC 9636) from 1970 to 2106 as one
 * flat structure, which is read-only after loading, so requests may share it.
 * After that the last offset stays.
 */

#ifndef RBL_TIMEZONE_H_INCLUDED
#define RBL_TIMEZONE_H_INCLUDED

#include "rbl_common.h"

#define RBL_TIMEZONE_FILE_MAX  65536    /* bytes; larger files are refused */
#define RBL_TIMEZONE_NAME_MAX  64       /* America/Argentina/Buenos_Aires */

#define RBL_TIMEZONE_SPANS     1024
#define RBL_TIMEZONE_TYPES     32
#define RBL_TIMEZONE_ABBR      8            /* bytes of an abbreviation */

typedef struct {
    int32_t   offset;                   /* seconds east of Greenwich */
    uint32_t  n;                        /* length of the abbreviation */
    char      abbr[RBL_TIMEZONE_ABBR];
} rbl_timezone_type_t;

typedef struct {
    rbl_timezone_type_t  types[RBL_TIMEZONE_TYPES];
    uint16_t         first[256];        /* span at the start of each 2^24 s */
    /* end of a span; UINT32_MAX for the last */
    uint32_t         until[RBL_TIMEZONE_SPANS];
    uint8_t          type[RBL_TIMEZONE_SPANS];
    uint16_t         n_spans, n_types;
} rbl_timezone_t;

/* A time zone with a constant offset. */
#define RBL_TIMEZONE_FIXED(seconds, name)                                     \
    { .types = { { (seconds), sizeof(name) - 1, name } },                     \
      .until = { UINT32_MAX }, .n_spans = 1, .n_types = 1 }

extern const rbl_timezone_t  rbl_timezone_utc;

/*
 * True for a valid time zone name, and thus file name: parts of A-Z, a-z, 0-9,
 * "_", "+" and "-", not empty, joined with "/", the first letter a capital.
 * This excludes other files in that directory: posix/, right/, localtime.
 */
int rbl_timezone_ok(rbl_str_t name);

/*
 * Loads the file at an absolute path.  0 or errno; ENOENT: there is no readable
 * file of a time zone.  The zone is then UTC.  Takes milliseconds.  While it
 * runs the process has another TZ: not for several threads.
 */
int rbl_timezone_load(rbl_timezone_t *zone, const char *path);

/* Returns the type in force at a second since the epoch, 0 to the year 9999. */
static inline const rbl_timezone_type_t *
rbl_timezone_at(const rbl_timezone_t *zone, int64_t sec)
{
    unsigned  i;

    if (zone->n_spans == 1) {
        return &zone->types[0];         /* UTC: avoids the loads below */
    }

    if (sec >= UINT32_MAX) {
        return &zone->types[zone->type[zone->n_spans - 1]];
    }

    i = zone->first[(uint32_t) sec >> 24];

    while ((uint32_t) sec >= zone->until[i]) {
        i++;
    }

    return &zone->types[zone->type[i]];
}

#endif /* RBL_TIMEZONE_H_INCLUDED */
