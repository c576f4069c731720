/*
 * Time zones by name, read from the system's time zone files.
 */

#ifndef TIMEZONES_H_INCLUDED
#define TIMEZONES_H_INCLUDED

#include "rbl_timezone.h"

typedef struct timezones_s  timezones_t;

/*
 * Reads the zone of that name below a directory.  Returns 0 or errno; ENOENT:
 * no such zone.  After an error *zone is UTC.  UTC needs no file.
 */
int timezones_load(rbl_timezone_t *zone, const char *dir, rbl_str_t name);

/* Makes a cache of time zones; dir must outlive it. */
timezones_t *timezones_new(const char *dir);
void timezones_free(timezones_t *timezones);        /* NULL is allowed */

/*
 * The zone of that name, valid until timezones_clear; UTC if it is unknown,
 * which is logged once.  The first call for a name reads its file.
 */
const rbl_timezone_t *timezones_find(timezones_t *timezones, rbl_str_t name);

/* Empties the cache, since the files may have changed. */
void timezones_clear(timezones_t *timezones);

#endif /* TIMEZONES_H_INCLUDED */
