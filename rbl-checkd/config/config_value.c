/*
 * The values of a configuration: one parser for each type, all strict.
 */

#include "base/log.h"
#include "config_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char  *name;
    double       seconds;
} units[] = {
    { "ms", 0.001 }, { "s", 1 }, { "m", 60 }, { "h", 3600 }, { "d", 86400 }
};

#define N_UNITS  (sizeof(units) / sizeof(units[0]))


static void *
field(config_t *conf, const config_key_t *key)
{
    return (char *) conf + key->offset;
}


int
config_copy(config_t *conf, const config_key_t *key, const char *value)
{
    size_t  n;

    n = strlen(value);
    if (n == 0 || n >= key->size) {
        return -1;
    }

    memcpy(field(conf, key), value, n + 1);
    return 0;
}


int
config_set_text(config_t *conf, const config_key_t *key, const char *value,
    char *err, size_t size)
{
    (void) err;
    (void) size;

    return config_copy(conf, key, value);
}


int
config_set_path(config_t *conf, const config_key_t *key, const char *value,
    char *err, size_t size)
{
    if (access(value, R_OK) != 0) {
        snprintf(err, size, "the file cannot be read: %s", strerror(errno));
        return -1;
    }

    return config_copy(conf, key, value);
}


int
config_set_dir(config_t *conf, const config_key_t *key, const char *value,
    char *err, size_t size)
{
    struct stat  st;

    /* the default file may be missing: that is an error only where it is
       used */

    if (strcmp(value, key->def) == 0) {
        return config_copy(conf, key, value);
    }

    if (stat(value, &st) != 0) {
        snprintf(err, size, "the directory cannot be read: %s",
                 strerror(errno));
        return -1;
    }

    return S_ISDIR(st.st_mode) ? config_copy(conf, key, value) : -1;
}


int
config_set_log(config_t *conf, const config_key_t *key, const char *value,
    char *err, size_t size)
{
    (void) err;
    (void) size;

    if (value[0] != '/' && strcmp(value, "stderr") != 0
        && strcmp(value, "syslog") != 0)
    {
        return -1;
    }

    return config_copy(conf, key, value);
}


int
config_set_level(config_t *conf, const config_key_t *key, const char *value,
    char *err, size_t size)
{
    int  level;

    (void) err;
    (void) size;

    level = log_level_parse(value);
    if (level < 0) {
        return -1;
    }

    *(int *) field(conf, key) = level;
    return 0;
}


int
config_set_flag(config_t *conf, const config_key_t *key, const char *value,
    char *err, size_t size)
{
    int  on;

    (void) err;
    (void) size;

    on = strcmp(value, "on") == 0;
    if (!on && strcmp(value, "off") != 0) {
        return -1;
    }

    *(unsigned *) field(conf, key) = (unsigned) on;
    return 0;
}


static int
whole_number(const config_key_t *key, const char *value, int64_t *v)
{
    return rbl_int_parse(v, rbl_str(value), (int64_t) key->min,
                         (int64_t) key->max)
           == RBL_OK ? 0 : -1;
}


int
config_set_count(config_t *conf, const config_key_t *key, const char *value,
    char *err, size_t size)
{
    int64_t  v;

    (void) err;
    (void) size;

    if (whole_number(key, value, &v) != 0) {
        return -1;
    }

    *(unsigned *) field(conf, key) = (unsigned) v;
    return 0;
}


int
config_set_rate(config_t *conf, const config_key_t *key, const char *value,
    char *err, size_t size)
{
    int64_t  v;

    (void) err;
    (void) size;

    if (whole_number(key, value, &v) != 0) {
        return -1;
    }

    *(double *) field(conf, key) = (double) v;
    return 0;
}


int
config_duration(double *seconds, const char *text)
{
    size_t   i, digits;
    int64_t  v;

    digits = strspn(text, "0123456789");

    if (rbl_int_parse(&v, (rbl_str_t) { text, digits }, 0, 1000000000)
        != RBL_OK)
    {
        return -1;
    }

    for (i = 0; i < N_UNITS; i++) {
        if (strcmp(text + digits, units[i].name) == 0) {
            *seconds = (double) v * units[i].seconds;
            return 0;
        }
    }

    return -1;
}


int
config_set_duration(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size)
{
    double  seconds;

    (void) err;
    (void) size;

    if (config_duration(&seconds, value) != 0 || seconds < key->min
        || seconds > key->max)
    {
        return -1;
    }

    *(double *) field(conf, key) = seconds;
    return 0;
}


/* Bytes: a number, with an optional unit k (KiB), m (MiB) or g (GiB). */

int
config_set_size(config_t *conf, const config_key_t *key, const char *value,
    char *err, size_t size)
{
    size_t       digits, shift;
    int64_t      v;
    const char  *unit;

    (void) err;
    (void) size;

    digits = strspn(value, "0123456789");
    unit = value + digits;
    shift = 0;

    if (*unit != '\0') {
        shift = *unit == 'k' ? 10 : *unit == 'm' ? 20 : *unit == 'g' ? 30 : 0;

        if (shift == 0 || unit[1] != '\0') {
            return -1;
        }
    }

    if (rbl_int_parse(&v, (rbl_str_t) { value, digits }, 0,
                      (int64_t) key->max >> shift)
        != RBL_OK
        || v << shift < (int64_t) key->min)
    {
        return -1;
    }

    *(size_t *) field(conf, key) = (size_t) v << shift;
    return 0;
}


static void
size_text(char *buf, size_t size, double octets)
{
    size_t                    i;
    int64_t                   v;
    static const char *const  unit[] = { "", "k", "m", "g" };

    v = (int64_t) octets;

    for (i = 0; i < 3 && v != 0 && v % 1024 == 0; i++) {
        v /= 1024;
    }

    snprintf(buf, size, "%lld%s", (long long) v, unit[i]);
}


/* Writes the largest unit that gives a whole number. */

static void
duration_text(char *buf, size_t size, double seconds)
{
    size_t   i;
    int64_t  ms, unit;

    ms = (int64_t) (seconds * 1000 + 0.5);

    for (i = N_UNITS - 1; i > 0; i--) {
        unit = (int64_t) (units[i].seconds * 1000);
        if (ms % unit == 0 && (ms >= unit || i == 1)) {
            break;
        }
    }

    unit = (int64_t) (units[i].seconds * 1000 + 0.5);
    snprintf(buf, size, "%lld%s", (long long) (ms / unit), units[i].name);
}


void
config_allowed(char *buf, size_t size, const config_key_t *key)
{
    char  min[32], max[32];

    if (key->allowed != NULL) {
        snprintf(buf, size, "%s", key->allowed);

    } else if (key->set == config_set_flag) {
        snprintf(buf, size, "on or off");

    } else if (key->set == config_set_duration) {
        duration_text(min, sizeof(min), key->min);
        duration_text(max, sizeof(max), key->max);
        snprintf(buf, size, "a duration such as 500ms, 2s, 5m, 6h or 7d, from "
                 "%s to %s", min, max);

    } else if (key->set == config_set_size) {
        size_text(min, sizeof(min), key->min);
        size_text(max, sizeof(max), key->max);
        snprintf(buf, size, "a size such as 512k, 64m or 1g, from %s to %s",
                 min, max);

    } else {
        snprintf(buf, size, "a whole number from %.0f to %.0f", key->min,
                 key->max);
    }
}


int
config_set_prefix(config_t *conf, const config_key_t *key, const char *value,
    char *err, size_t size)
{
    rbl_keyspace_t  ks;

    (void) err;
    (void) size;

    if (rbl_keyspace_init(&ks, rbl_str(value)) != RBL_OK) {
        return -1;
    }

    return config_copy(conf, key, value);
}
