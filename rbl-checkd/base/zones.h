/*
 * Time zones by name, read from the system's time zone files.
 */

#ifndef ZONES_H_INCLUDED
#define ZONES_H_INCLUDED

#include "rbl_zone.h"

typedef struct zones_s  zones_t;

/*
 * Reads the zone of that name below a directory.  Returns 0 or errno; ENOENT:
 * no such zone.  After an error *zone is UTC.  UTC needs no file.
 */
int zones_load(rbl_zone_t *zone, const char *dir, rbl_str_t name);

/* Makes a cache of time zones; dir must outlive it.  NULL: out of memory. */
zones_t *zones_new(const char *dir);
void zones_free(zones_t *zones);        /* NULL is allowed */

/*
 * The zone of that name, valid until zones_clear; UTC if it is unknown, which
 * is logged once.  The first call for a name reads its file.
 */
const rbl_zone_t *zones_find(zones_t *zones, rbl_str_t name);

/* Empties the cache, since the files may have changed. */
void zones_clear(zones_t *zones);

#endif /* ZONES_H_INCLUDED */
