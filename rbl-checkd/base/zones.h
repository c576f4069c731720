/*
 * Time zones by name, out of the files of the system's time zone data.
 */

#ifndef ZONES_H_INCLUDED
#define ZONES_H_INCLUDED

#include "rbl_zone.h"

typedef struct zones_s  zones_t;

/*
 * Reads the zone of that name below a directory.  0, or why it cannot be read:
 * ENOENT: there is none.  It is UTC then; that is there always.
 */
int zones_load(rbl_zone_t *zone, const char *dir, rbl_str_t name);

/* A cache of them; dir must outlive it.  NULL: out of memory. */
zones_t *zones_new(const char *dir);
void zones_free(zones_t *zones);        /* NULL is none */

/*
 * The zone of that name, until zones_clear; UTC if there is none, which is
 * logged once.  The first call for a name reads its file.
 */
const rbl_zone_t *zones_find(zones_t *zones, rbl_str_t name);

/* Forgets them all: the files may have changed. */
void zones_clear(zones_t *zones);

#endif /* ZONES_H_INCLUDED */
