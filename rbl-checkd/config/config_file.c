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
    FILE              *f;
    char               line[LINE_LEN];
    unsigned           number;
    unsigned           seen[CONFIG_KEYS_MAX];   /* line of each key; 0: none */
    config_setting_t   s;
} reader_t;


/* 1: a line, 0: the end, -1: an error. */

static int
next_line(reader_t *r)
{
    int     c;
    size_t  n;

    r->s.key = NULL;

    if (++r->number > LINES_MAX) {
        return config_wrong(&r->s, "too long; at most %d lines are allowed",
                            LINES_MAX);
    }

    for (n = 0; (c = getc(r->f)) != EOF && c != '\n'; n++) {
        if (c == '\0' || (c != '\t' && c != '\r' && iscntrl(c))) {
            return config_wrong(&r->s, "a control character (byte %d); only"
                                " text is allowed", c);
        }

        if (n == LINE_LEN - 1) {
            return config_wrong(&r->s, "too long; at most %d bytes a line are"
                                " allowed", LINE_LEN - 1);
        }

        r->line[n] = (char) c;
    }

    if (ferror(r->f)) {
        return config_wrong(&r->s, "cannot be read: %s", strerror(errno));
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
            (void) config_wrong(&r->s, "a quote inside a value; the whole value"
                                " may be in double quotes");
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
        (void) config_wrong(&r->s, "the closing quote is missing");
        return NULL;
    }

    *end = '\0';
    rest = skip_space(end + 1);

    if (*rest != '\0' && *rest != '#') {
        (void) config_wrong(&r->s, "text behind the closing quote; only a"
                            " comment is allowed there");
        return NULL;
    }

    return p;
}


/* The line of a key; 0: it is not in the file. */

static unsigned
line_of(const reader_t *r, const config_key_t *key)
{
    return key != NULL ? r->seen[key - config_keys] : 0;
}


static int
take_line(reader_t *r)
{
    char                *name, *value, *end;
    const config_key_t  *key;

    name = skip_space(r->line);
    if (*name == '\0' || *name == '#') {
        return 0;
    }

    end = name + strcspn(name, " \t\r#\"");
    value = cut_value(r, end);
    if (value == NULL) {
        return -1;
    }

    *end = '\0';
    key = config_find(name);

    if (key != NULL && !key->repeat && line_of(r, key) != 0) {
        r->s.key = key;
        return config_wrong(&r->s, "given in line %u already; once is allowed",
                            line_of(r, key));
    }

    if (key != NULL) {
        r->seen[key - config_keys] = r->number;
    }

    return config_apply(&r->s, name, value);
}


int
config_read(config_t *conf, const char *path, char *err, size_t size)
{
    int       rc;
    reader_t  r;

    memset(&r, 0, sizeof(r));
    r.s.conf = conf;

    r.f = fopen(path, "re");
    if (r.f == NULL) {
        snprintf(err, size, "%s: cannot be read: %s", path, strerror(errno));
        return -1;
    }

    while ((rc = next_line(&r)) == 1) {
        rc = take_line(&r);
        if (rc != 0) {
            break;
        }
    }

    fclose(r.f);

    if (rc == 0) {
        rc = config_check(&r.s);
        r.number = line_of(&r, r.s.key);

        if (r.number == 0) {
            r.number = line_of(&r, r.s.other);
        }
    }

    if (rc != 0) {
        snprintf(err, size, "%s:%u: %s", path, r.number, r.s.why);

    } else if (conf->given_name[0] != '\0') {
        snprintf(conf->name, sizeof(conf->name), "%s", conf->given_name);
    }

    return rc;
}
