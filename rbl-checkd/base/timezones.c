/*
 * Time zones by name.  Each file is read once, at its first use; a system has
 * some hundreds of small ones, which bounds the cache.  The cache also keeps
 * the first unknown names, so that each is logged once and looked up once.
 */

#include "timezones.h"
#include "log.h"
#include "xalloc.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define TIMEZONES_SLOTS        64
#define TIMEZONES_UNKNOWN_MAX  64

typedef struct timezone_entry_s  timezone_entry_t;

struct timezone_entry_s {
    timezone_entry_t  *next;                /* in its slot */
    rbl_timezone_t     zone;                /* UTC if it is unknown */
    size_t             n;
    char               name[RBL_TIMEZONE_NAME_MAX + 1];
};

struct timezones_s {
    const char        *dir;
    unsigned           n_unknown;
    timezone_entry_t  *slots[TIMEZONES_SLOTS];
};


int
timezones_load(rbl_timezone_t *zone, const char *dir, rbl_str_t name)
{
    int   n;
    char  path[PATH_MAX];

    *zone = rbl_timezone_utc;

    if (rbl_str_is(name, "UTC")) {
        return 0;
    }

    if (!rbl_timezone_ok(name)) {
        return ENOENT;
    }

    n = snprintf(path, sizeof(path), "%s/%.*s", dir, (int) name.n, name.p);
    if (n < 0 || (size_t) n >= sizeof(path)) {
        return ENAMETOOLONG;
    }

    return rbl_timezone_load(zone, path);
}


timezones_t *
timezones_new(const char *dir)
{
    timezones_t  *timezones;

    timezones = xcalloc(1, sizeof(timezones_t));
    timezones->dir = dir;

    return timezones;
}


void
timezones_clear(timezones_t *timezones)
{
    unsigned           i;
    timezone_entry_t  *e;

    for (i = 0; i < TIMEZONES_SLOTS; i++) {
        while ((e = timezones->slots[i]) != NULL) {
            timezones->slots[i] = e->next;
            free(e);
        }
    }

    timezones->n_unknown = 0;
}


void
timezones_free(timezones_t *timezones)
{
    if (timezones != NULL) {
        timezones_clear(timezones);
        free(timezones);
    }
}


/* Records an unknown name; returns whether to keep it in the cache. */

static int
timezones_unknown(timezones_t *timezones, rbl_str_t name)
{
    if (timezones->n_unknown == TIMEZONES_UNKNOWN_MAX) {
        return 0;
    }

    timezones->n_unknown++;

    if (rbl_timezone_ok(name)) {
        log_error("no time zone %.*s in %s: UTC is used", (int) name.n,
                  name.p, timezones->dir);
    } else {
        log_error("invalid time zone of an account: UTC is used");
    }

    return 1;
}


/* NULL: the zone cannot be read, and is not cached. */

static timezone_entry_t *
timezones_add(timezones_t *timezones, timezone_entry_t **slot, rbl_str_t name)
{
    int                err;
    timezone_entry_t  *e;

    e = xcalloc(1, sizeof(timezone_entry_t));
    err = timezones_load(&e->zone, timezones->dir, name);

    if (err != 0 && err != ENOENT) {
        log_error("time zone %.*s: %s", (int) name.n, name.p, strerror(err));
    }

    if (err != 0 && (err != ENOENT || !timezones_unknown(timezones, name))) {
        free(e);
        return NULL;
    }

    memcpy(e->name, name.p, name.n);
    e->n = name.n;
    e->next = *slot;
    *slot = e;

    return e;
}


const rbl_timezone_t *
timezones_find(timezones_t *timezones, rbl_str_t name)
{
    size_t              i;
    unsigned            hash;
    timezone_entry_t   *e, **slot;

    if (name.n == 0 || rbl_str_is(name, "UTC")) {
        return &rbl_timezone_utc;
    }

    if (name.n > RBL_TIMEZONE_NAME_MAX) {
        name.n = RBL_TIMEZONE_NAME_MAX + 1;     /* keeps the length invalid */
    }

    for (i = 0, hash = 0; i < name.n; i++) {
        hash = hash * 31 + (unsigned char) name.p[i];
    }

    slot = &timezones->slots[hash % TIMEZONES_SLOTS];

    for (e = *slot; e != NULL; e = e->next) {
        if (rbl_str_eq((rbl_str_t) { e->name, e->n }, name)) {
            break;
        }
    }

    if (e == NULL) {
        e = timezones_add(timezones, slot, name);
    }

    return e != NULL ? &e->zone : &rbl_timezone_utc;
}
