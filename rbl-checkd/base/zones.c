/*
 * Time zones by name.  Each file is read once, at its first use; a system has
 * some hundreds of small ones, which bounds the cache.  The cache also keeps
 * the first unknown names, so that each is logged once and looked up once.
 */

#include "zones.h"
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ZONES_SLOTS        64
#define ZONES_UNKNOWN_MAX  64

typedef struct zone_entry_s  zone_entry_t;

struct zone_entry_s {
    zone_entry_t  *next;                /* in its slot */
    rbl_zone_t    *zone;                /* NULL: it is unknown */
    size_t         n;
    char           name[RBL_ZONE_NAME_MAX + 1];
};

struct zones_s {
    const char    *dir;
    unsigned       n_unknown;
    zone_entry_t  *slots[ZONES_SLOTS];
};


static int
zones_read(rbl_zone_t *zone, int fd)
{
    char        *buf;
    ssize_t      n;
    rbl_err_t    err;
    struct stat  st;

    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)
        || st.st_size > RBL_ZONE_FILE_MAX)
    {
        return ENOENT;
    }

    buf = malloc((size_t) st.st_size + 1);
    if (buf == NULL) {
        return ENOMEM;
    }

    n = read(fd, buf, (size_t) st.st_size);
    err = n == st.st_size
          ? rbl_zone_decode(zone, (rbl_str_t) { buf, (size_t) n })
          : RBL_EINVAL;
    free(buf);

    return err == RBL_OK ? 0 : ENOENT;
}


int
zones_load(rbl_zone_t *zone, const char *dir, rbl_str_t name)
{
    int   fd, rc, n;
    char  path[PATH_MAX];

    *zone = rbl_zone_utc;

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

    fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return errno == ENOTDIR || errno == EACCES ? ENOENT : errno;
    }

    rc = zones_read(zone, fd);
    close(fd);

    return rc;
}


zones_t *
zones_new(const char *dir)
{
    zones_t  *zones;

    zones = calloc(1, sizeof(zones_t));
    if (zones != NULL) {
        zones->dir = dir;
    }

    return zones;
}


void
zones_clear(zones_t *zones)
{
    unsigned       i;
    zone_entry_t  *e;

    for (i = 0; i < ZONES_SLOTS; i++) {
        while ((e = zones->slots[i]) != NULL) {
            zones->slots[i] = e->next;
            free(e->zone);
            free(e);
        }
    }

    zones->n_unknown = 0;
}


void
zones_free(zones_t *zones)
{
    if (zones != NULL) {
        zones_clear(zones);
        free(zones);
    }
}


/* Records an unknown name; returns whether to keep it in the cache. */

static int
zones_unknown(zones_t *zones, rbl_str_t name)
{
    if (zones->n_unknown == ZONES_UNKNOWN_MAX) {
        return 0;
    }

    zones->n_unknown++;

    if (rbl_timezone_ok(name)) {
        log_error("no time zone %.*s in %s: UTC is used", (int) name.n,
                  name.p, zones->dir);
    } else {
        log_error("invalid time zone of an account: UTC is used");
    }

    return 1;
}


/* 0; -1: the zone cannot be read, and is not cached. */

static int
zones_fill(zones_t *zones, zone_entry_t *e, rbl_str_t name)
{
    int  err;

    e->zone = malloc(sizeof(rbl_zone_t));
    err = e->zone != NULL ? zones_load(e->zone, zones->dir, name) : ENOMEM;

    if (err == 0) {
        return 0;
    }

    free(e->zone);
    e->zone = NULL;

    if (err == ENOENT) {
        return zones_unknown(zones, name) ? 0 : -1;
    }

    log_error("time zone %.*s: %s", (int) name.n, name.p, strerror(err));

    return -1;
}


static zone_entry_t *
zones_add(zones_t *zones, zone_entry_t **slot, rbl_str_t name)
{
    zone_entry_t  *e;

    e = calloc(1, sizeof(zone_entry_t));

    if (e == NULL || zones_fill(zones, e, name) != 0) {
        free(e);
        return NULL;
    }

    memcpy(e->name, name.p, name.n);
    e->n = name.n;
    e->next = *slot;
    *slot = e;

    return e;
}


const rbl_zone_t *
zones_find(zones_t *zones, rbl_str_t name)
{
    size_t          i;
    unsigned        hash;
    zone_entry_t   *e, **slot;

    if (name.n == 0 || rbl_str_is(name, "UTC")) {
        return &rbl_zone_utc;
    }

    if (name.n > RBL_ZONE_NAME_MAX) {
        name.n = RBL_ZONE_NAME_MAX + 1;         /* keeps the length invalid */
    }

    for (i = 0, hash = 0; i < name.n; i++) {
        hash = hash * 31 + (unsigned char) name.p[i];
    }

    slot = &zones->slots[hash % ZONES_SLOTS];

    for (e = *slot; e != NULL; e = e->next) {
        if (rbl_str_eq((rbl_str_t) { e->name, e->n }, name)) {
            break;
        }
    }

    if (e == NULL) {
        e = zones_add(zones, slot, name);
    }

    return e != NULL && e->zone != NULL ? e->zone : &rbl_zone_utc;
}
