/*
 * Time zones, by the C library: it reads the file, and is asked for the changes
 * once.  The environment's TZ is another one meanwhile.
 */

#include "rbl_timezone.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* s; two changes are not nearer (Asia/Gaza: 8 days). */
#define RBL_TIMEZONE_STEP  (4 * 86400)

#define RBL_TIMEZONE_ROOM  (sizeof("TZ=:") + PATH_MAX)


/*
 * "TZ=...", in the environment.  It is written in place: setenv could move the
 * environment while a thread of a library reads it.  It is never freed: the
 * environment outlives a module of nginx.
 */
static char  *rbl_timezone_tz;
static char   rbl_timezone_own[PATH_MAX];


const rbl_timezone_t  rbl_timezone_utc = RBL_TIMEZONE_FIXED(0, "UTC");


int
rbl_timezone_ok(rbl_str_t name)
{
    char    c;
    size_t  i;

    if (name.n == 0 || name.n > RBL_TIMEZONE_NAME_MAX || name.p[0] < 'A'
        || name.p[0] > 'Z')
    {
        return 0;
    }

    for (i = 0; i < name.n; i++) {
        c = name.p[i];

        if (c == '/') {
            if (i + 1 == name.n || name.p[i + 1] == '/') {
                return 0;
            }

        } else if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')
                     || (c >= '0' && c <= '9') || c == '_' || c == '+'
                     || c == '-'))
        {
            return 0;
        }
    }

    return 1;
}


/* 0: it may be a file of a time zone; or errno. */

static int
rbl_timezone_file(const char *path)
{
    int          fd, rc;
    char         magic[4];
    struct stat  st;

    fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0) {
        return errno == ENOTDIR || errno == EACCES ? ENOENT : errno;
    }

    rc = fstat(fd, &st) == 0 && S_ISREG(st.st_mode)
         && st.st_size <= RBL_TIMEZONE_FILE_MAX
         && read(fd, magic, sizeof(magic)) == (ssize_t) sizeof(magic)
         && memcmp(magic, "TZif", sizeof(magic)) == 0
         ? 0 : ENOENT;

    close(fd);

    return rc;
}


/* The library then knows the zone of the file; NULL: that of the process. */

static int
rbl_timezone_use(const char *path)
{
    int          n;
    const char  *tz;

    if (rbl_timezone_tz == NULL) {
        rbl_timezone_tz = calloc(1, RBL_TIMEZONE_ROOM);

        if (rbl_timezone_tz == NULL) {
            return ENOMEM;
        }
    }

    tz = getenv("TZ");

    if (tz == NULL || tz != rbl_timezone_tz + sizeof("TZ=") - 1) {
        n = snprintf(rbl_timezone_own, sizeof(rbl_timezone_own), "%s",
                     tz ? tz : ":/etc/localtime");

        if (n >= (int) sizeof(rbl_timezone_own)) {
            return ENAMETOOLONG;
        }

        memcpy(rbl_timezone_tz, "TZ=", sizeof("TZ="));

        if (putenv(rbl_timezone_tz) != 0) {
            return errno;
        }
    }

    n = snprintf(rbl_timezone_tz, RBL_TIMEZONE_ROOM, "TZ=%s%s",
                 path ? ":" : "", path ? path : rbl_timezone_own);
    tzset();

    return n < (int) RBL_TIMEZONE_ROOM ? 0 : ENAMETOOLONG;
}


/* The type in force at a second.  -1: the library has read no file. */

static int
rbl_timezone_type(rbl_timezone_type_t *type, uint32_t sec)
{
    time_t     t = sec;
    struct tm  tm;

    if (localtime_r(&t, &tm) == NULL) {
        return -1;
    }

    memset(type, 0, sizeof(*type));
    type->offset = (int32_t) tm.tm_gmtoff;
    type->n = (uint32_t) strlen(tm.tm_zone);

    if (type->n == 0 || type->n > RBL_TIMEZONE_ABBR) {
        return -1;
    }

    memcpy(type->abbr, tm.tm_zone, type->n);

    return 0;
}


static int
rbl_timezone_same(const rbl_timezone_type_t *a, const rbl_timezone_type_t *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}


/* Ends the last span at a second, and begins one of that type. */

static int
rbl_timezone_span(rbl_timezone_t *zone, uint32_t from,
    const rbl_timezone_type_t *type)
{
    uint8_t   i;
    uint16_t  n;

    for (i = 0; i < zone->n_types; i++) {
        if (rbl_timezone_same(&zone->types[i], type)) {
            break;
        }
    }

    n = zone->n_spans;

    if (i == RBL_TIMEZONE_TYPES || n == RBL_TIMEZONE_SPANS) {
        return -1;
    }

    if (i == zone->n_types) {
        zone->types[zone->n_types++] = *type;
    }

    if (n > 0) {
        zone->until[n - 1] = from;
    }

    zone->type[n] = i;
    zone->until[n] = UINT32_MAX;
    zone->n_spans++;

    return 0;
}


/* The first second after `from` that is not of its type; `to` is not. */

static uint32_t
rbl_timezone_change(uint32_t from, uint32_t to, rbl_timezone_type_t *type)
{
    uint32_t         half;
    rbl_timezone_type_t  before, now;

    if (rbl_timezone_type(&before, from) != 0) {
        return to;
    }

    while (to - from > 1) {
        half = from + (to - from) / 2;

        if (rbl_timezone_type(&now, half) == 0
            && rbl_timezone_same(&now, &before))
        {
            from = half;

        } else {
            to = half;
        }
    }

    (void) rbl_timezone_type(type, to);

    return to;
}


static int
rbl_timezone_fill(rbl_timezone_t *zone)
{
    uint32_t         at, next;
    rbl_timezone_type_t  type, seen;

    if (rbl_timezone_type(&type, 0) != 0
        || rbl_timezone_span(zone, 0, &type) != 0)
    {
        return -1;
    }

    for (at = 0; at < UINT32_MAX - 1; at = next) {
        next = at < UINT32_MAX - 1 - RBL_TIMEZONE_STEP ? at + RBL_TIMEZONE_STEP
                                                   : UINT32_MAX - 1;

        if (rbl_timezone_type(&seen, next) != 0) {
            return -1;
        }

        if (!rbl_timezone_same(&seen, &type)) {
            next = rbl_timezone_change(at, next, &type);

            if (rbl_timezone_span(zone, next, &type) != 0) {
                return -1;
            }
        }
    }

    return 0;
}


int
rbl_timezone_load(rbl_timezone_t *zone, const char *path)
{
    int       rc;
    unsigned  i, slot;

    memset(zone, 0, sizeof(*zone));
    rc = rbl_timezone_file(path);

    if (rc == 0) {
        rc = rbl_timezone_use(path);

        if (rc == 0 && rbl_timezone_fill(zone) != 0) {
            rc = ENOENT;
        }

        (void) rbl_timezone_use(NULL);
    }

    if (rc != 0) {
        *zone = rbl_timezone_utc;
        return rc;
    }

    for (i = 0, slot = 0; slot < 256; slot++) {
        while (zone->until[i] <= slot << 24) {
            i++;
        }

        zone->first[slot] = (uint16_t) i;
    }

    return 0;
}
