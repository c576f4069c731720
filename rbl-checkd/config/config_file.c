/*
 * Parses the configuration file into keys and values.  Each error is one line
 * with the file's name and the line's number.
 */

#include "config_int.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>

#define LINE_LEN   1024
#define LINES_MAX  10000

typedef struct {
    FILE      *f;
    char       line[LINE_LEN];
    unsigned   number;
    unsigned   seen[CONFIG_KEYS_MAX];   /* line of each key; 0: none */
    char       why[CONFIG_ERR_MAX];
} reader_t;


/* 1: a line, 0: the end, -1: an error, in r->why. */

static int
next_line(reader_t *r)
{
    int     c;
    size_t  n;

    if (++r->number > LINES_MAX) {
        snprintf(r->why, sizeof(r->why), "too long; at most %d lines are "
                 "allowed", LINES_MAX);
        return -1;
    }

    for (n = 0; (c = getc(r->f)) != EOF && c != '\n'; n++) {
        if (c == '\0' || (c != '\t' && c != '\r' && iscntrl(c))) {
            snprintf(r->why, sizeof(r->why), "a control character (byte %d); "
                     "only text is allowed", c);
            return -1;
        }

        if (n == LINE_LEN - 1) {
            snprintf(r->why, sizeof(r->why), "too long; at most %d bytes a "
                     "line are allowed", LINE_LEN - 1);
            return -1;
        }

        r->line[n] = (char) c;
    }

    if (ferror(r->f)) {
        snprintf(r->why, sizeof(r->why), "cannot be read: %s",
                 strerror(errno));
        return -1;
    }

    r->line[n] = '\0';
    return c != EOF || n != 0;
}


static char *
skip_space(char *p)
{
    return p + strspn(p, " \t\r");
}


/*
 * Cuts the value after the key: quoted, or up to a comment and without trailing
 * space.  NULL: invalid.
 */

static char *
cut_value(reader_t *r, char *p)
{
    char  *end, *rest;

    p = skip_space(p);

    if (*p != '"') {
        end = p + strcspn(p, "#\"");

        if (*end == '"') {
            snprintf(r->why, sizeof(r->why), "a quote inside a value; the "
                     "whole value may be in double quotes");
            return NULL;
        }

        while (end > p && strchr(" \t\r", end[-1]) != NULL) {
            end--;
        }

        *end = '\0';
        return p;
    }

    p++;
    end = strchr(p, '"');
    if (end == NULL) {
        snprintf(r->why, sizeof(r->why), "the closing quote is missing");
        return NULL;
    }

    *end = '\0';
    rest = skip_space(end + 1);

    if (*rest != '\0' && *rest != '#') {
        snprintf(r->why, sizeof(r->why), "text behind the closing quote; only "
                 "a comment is allowed there");
        return NULL;
    }

    return p;
}


static int
check_twice(reader_t *r, const char *name)
{
    size_t               i;
    const config_key_t  *k;

    k = config_find(name);
    if (k == NULL) {
        return 0;
    }

    i = (size_t) (k - config_keys);

    if (r->seen[i] != 0 && !k->repeat) {
        snprintf(r->why, sizeof(r->why), "%s: given in line %u already; once "
                 "is allowed", name, r->seen[i]);
        return -1;
    }

    r->seen[i] = r->number;
    return 0;
}


static int
take_line(config_t *conf, reader_t *r)
{
    char   *key, *value, *p;
    size_t  n;

    key = skip_space(r->line);
    if (*key == '\0' || *key == '#') {
        return 0;
    }

    n = strcspn(key, " \t\r#\"");
    p = key + n;

    value = cut_value(r, p);
    if (value == NULL) {
        return -1;
    }

    *p = '\0';

    if (check_twice(r, key) != 0) {
        return -1;
    }

    return config_set(conf, key, value, r->why, sizeof(r->why));
}


/* A check record that expires before its check may end would be lost. */

static int
keeps_a_lease(const config_t *conf, reader_t *r, const char *key, double keep)
{
    size_t  at;

    if (keep >= 2 * conf->lease) {
        return 1;
    }

    at = (size_t) (config_find(key) - config_keys);
    r->number = r->seen[at];
    snprintf(r->why, sizeof(r->why), "%s: %gs is less than twice lease (%gs)",
             key, keep, conf->lease);
    return 0;
}


/* Checks dependencies between keys. */

static int
check_whole(config_t *conf, reader_t *r)
{
    size_t       lease, timeout;
    const char  *key;

    if (conf->store_user[0] != '\0' && conf->store_password[0] == '\0') {
        r->number = r->seen[config_find("store_user") - config_keys];
        snprintf(r->why, sizeof(r->why), "store_user: store_password_file must"
                 " be given too");
        return -1;
    }

    if (config_check_store_tls(conf, &key, r->why, sizeof(r->why)) != 0
        || config_check_smtp(conf, &key, r->why, sizeof(r->why)) != 0
        || config_check_sms(conf, &key, r->why, sizeof(r->why)) != 0
        || config_check_gateway(conf, &key, r->why, sizeof(r->why)) != 0
        || config_check_fallback(conf, &key, r->why, sizeof(r->why)) != 0)
    {
        r->number = r->seen[config_find(key) - config_keys];
        return -1;
    }

    if (!conf->dns.direct && !r->seen[config_find("resolver") - config_keys]) {
        (void) config_set(conf, "resolver", CONFIG_RESOLVER, r->why,
                          sizeof(r->why));
    }

    lease = (size_t) (config_find("lease") - config_keys);
    timeout = (size_t) (config_find("check_timeout") - config_keys);

    if (conf->lease <= 2 * conf->check_timeout) {
        r->number = r->seen[lease] ? r->seen[lease] : r->seen[timeout];
        snprintf(r->why, sizeof(r->why), "lease: %gs is not more than twice "
                 "check_timeout (%gs)", conf->lease, conf->check_timeout);
        return -1;
    }

    return keeps_a_lease(conf, r, "keep_manual", conf->keep_manual)
           && keeps_a_lease(conf, r, "keep_scheduled", conf->keep_scheduled)
           ? 0 : -1;
}


int
config_read(config_t *conf, const char *path, char *err, size_t size)
{
    int       rc;
    reader_t  r;

    memset(&r, 0, sizeof(r));

    r.f = fopen(path, "re");
    if (r.f == NULL) {
        snprintf(err, size, "%s: cannot be read: %s", path, strerror(errno));
        return -1;
    }

    while ((rc = next_line(&r)) == 1) {
        rc = take_line(conf, &r);
        if (rc != 0) {
            break;
        }
    }

    fclose(r.f);

    if (rc == 0) {
        rc = check_whole(conf, &r);
    }

    if (rc != 0) {
        snprintf(err, size, "%s:%u: %s", path, r.number, r.why);

    } else if (conf->given_name[0] != '\0') {
        snprintf(conf->name, sizeof(conf->name), "%s", conf->given_name);
    }

    return rc;
}
