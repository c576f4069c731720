/*
 * Output of rblctl.  A command makes one JSON value, an object or an array of
 * objects; this file prints it as JSON, lines or a table.  Any text may be
 * untrusted, so all output to a terminal goes through ctl_put and ctl_json.
 */

#include "base/xalloc.h"
#include "ctl.h"

#include "rbl_time.h"
#include "rbl_utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define CTL_MAX_COLUMNS  16
#define CTL_CELL         512
#define CTL_KEY          32


/* Decodes one UTF-8 character at s; returns its length in bytes, or 0 if it is
   invalid. */
static size_t
ctl_decode(const unsigned char *s, size_t n, uint32_t *c)
{
    size_t  i, len;

    len = rbl_utf8_len(s, s + n);
    *c = len > 1 ? s[0] & (0x7fu >> len) : s[0];

    for (i = 1; i < len; i++) {
        *c = *c << 6 | (s[i] & 0x3f);
    }

    return len;
}


/* Can the character control a terminal?  C0, DEL, C1, and the marks that change
   the direction of writing. */
static int
ctl_steers(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0)
           || (c >= 0x200e && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e)
           || (c >= 0x2066 && c <= 0x2069);
}


size_t
ctl_put(FILE *out, const char *s, size_t n)
{
    size_t                len, width;
    uint32_t              c;
    const unsigned char  *p;

    width = 0;
    p = (const unsigned char *) s;

    while (n > 0) {
        len = ctl_decode(p, n, &c);

        if (len > 0 && !ctl_steers(c)) {
            if (out != NULL) {
                fwrite(p, 1, len, out);
            }

            width++;

        } else {
            len = 1;
            if (out != NULL) {
                fprintf(out, "\\x%02x", *p);
            }

            width += 4;
        }

        p += len;
        n -= len;
    }

    return width;
}


json_t *
ctl_text(rbl_str_t s)
{
    char    *copy;
    size_t   i;
    json_t  *v;

    if (s.n == 0) {
        return json_string("");
    }

    v = json_stringn(s.p, s.n);
    if (v != NULL) {
        return v;
    }

    copy = xmalloc(s.n);

    for (i = 0; i < s.n; i++) {
        copy[i] = (unsigned char) s.p[i] < 0x80 ? s.p[i] : '?';
    }

    v = json_stringn(copy, s.n);
    free(copy);

    return v;
}


json_t *
ctl_time(int64_t ms)
{
    char  buf[RBL_TIME_LEN];

    return ctl_text(rbl_time_rfc3339(buf, ms));
}


/* Appends s to the cell as far as it fits. */
static size_t
ctl_cell_add(char *cell, size_t at, const char *s, size_t n)
{
    if (n > CTL_CELL - 1 - at) {
        n = CTL_CELL - 1 - at;
    }

    memcpy(cell + at, s, n);

    return at + n;
}


/* Writes a value as text; returns the number of bytes. */
static size_t
ctl_cell(char *cell, const json_t *v)
{
    char           number[32];
    size_t         i, at;
    const json_t  *item;

    switch (v == NULL ? JSON_NULL : json_typeof(v)) {

    case JSON_STRING:
        return ctl_cell_add(cell, 0, json_string_value(v),
                            json_string_length(v));

    case JSON_INTEGER:
        snprintf(number, sizeof(number), "%lld",
                 (long long) json_integer_value(v));
        return ctl_cell_add(cell, 0, number, strlen(number));

    case JSON_REAL:
        snprintf(number, sizeof(number), "%.1f", json_real_value(v));
        return ctl_cell_add(cell, 0, number, strlen(number));

    case JSON_TRUE:
        return ctl_cell_add(cell, 0, "yes", 3);

    case JSON_FALSE:
        return ctl_cell_add(cell, 0, "no", 2);

    case JSON_ARRAY:
        for (i = 0, at = 0; i < json_array_size(v); i++) {
            item = json_array_get(v, i);
            at = ctl_cell_add(cell, at, " ", i > 0);
            if (json_is_string(item)) {
                at = ctl_cell_add(cell, at, json_string_value(item),
                                  json_string_length(item));
            }
        }

        return at;

    default:
        return 0;
    }
}


static void
ctl_pad(size_t width, size_t to)
{
    for ( /* void */ ; width < to; width++) {
        putchar(' ');
    }
}


/* The member of an object; "limits.hour" is one of its member "limits". */
static const json_t *
ctl_member(const json_t *object, const char *key)
{
    char         name[CTL_KEY];
    const char  *dot;

    dot = strchr(key, '.');

    if (dot == NULL) {
        return json_object_get(object, key);
    }

    rbl_copy(name, sizeof(name), (rbl_str_t) { key, (size_t) (dot - key) });

    return json_object_get(json_object_get(object, name), dot + 1);
}


static void
ctl_table(const ctl_column_t *columns, const json_t *rows)
{
    int            number;
    char           cell[CTL_CELL];
    size_t         r, c, n, w, width[CTL_MAX_COLUMNS];
    const json_t  *v;

    for (c = 0; c < CTL_MAX_COLUMNS && columns[c].key != NULL; c++) {
        width[c] = ctl_put(NULL, columns[c].title, strlen(columns[c].title));

        for (r = 0; r < json_array_size(rows); r++) {
            v = ctl_member(json_array_get(rows, r), columns[c].key);
            w = ctl_put(NULL, cell, ctl_cell(cell, v));
            width[c] = w > width[c] ? w : width[c];
        }
    }

    n = c;

    for (r = 0; r <= json_array_size(rows); r++) {
        for (c = 0; c < n; c++) {
            v = r == 0 ? NULL
                : ctl_member(json_array_get(rows, r - 1), columns[c].key);
            number = json_is_number(v);
            w = r == 0 ? ctl_cell_add(cell, 0, columns[c].title,
                                      strlen(columns[c].title))
                : ctl_cell(cell, v);

            if (number) {
                ctl_pad(ctl_put(NULL, cell, w), width[c]);
            }

            w = ctl_put(stdout, cell, w);

            if (c < n - 1) {
                ctl_pad(number ? width[c] : w, width[c] + 2);
            }
        }

        putchar('\n');
    }
}


static void
ctl_lines(const ctl_column_t *columns, const json_t *object)
{
    char    cell[CTL_CELL];
    size_t  c, w, width;

    width = 0;
    for (c = 0; columns[c].key != NULL; c++) {
        w = strlen(columns[c].title);
        width = w > width ? w : width;
    }

    for (c = 0; columns[c].key != NULL; c++) {
        fputs(columns[c].title, stdout);
        ctl_pad(strlen(columns[c].title), width + 2);
        ctl_put(stdout, cell,
                ctl_cell(cell, ctl_member(object, columns[c].key)));
        putchar('\n');
    }
}


/*
 * Writes the output of jansson, whole characters at a time.  jansson does not
 * escape all characters that are unsafe for a terminal; the newlines are its
 * own.
 */
static int
ctl_json(const char *s, size_t n, void *data)
{
    FILE                 *out = data;
    size_t                len;
    uint32_t              c;
    const unsigned char  *p;

    for (p = (const unsigned char *) s; n > 0; p += len, n -= len) {
        len = ctl_decode(p, n, &c);

        if (len == 0) {
            return -1;
        }

        if (c != '\n' && ctl_steers(c)) {
            fprintf(out, "\\u%04x", c);

        } else {
            fwrite(p, 1, len, out);
        }
    }

    return ferror(out) ? -1 : 0;
}


int
ctl_print(ctl_t *ctl, const ctl_column_t *columns, json_t *value)
{
    int  rc;

    rc = CTL_OK;

    if (value == NULL) {
        return ctl_fail("a text to print is not UTF-8");
    }

    if (ctl->json) {
        if (json_dump_callback(value, ctl_json, stdout, JSON_INDENT(2)) != 0) {
            rc = ctl_fail("cannot write to standard output");
        }

        putchar('\n');

    } else if (json_is_array(value)) {
        ctl_table(columns, value);

    } else {
        ctl_lines(columns, value);
    }

    json_decref(value);

    return rc;
}


__attribute__((format(printf, 1, 0)))
static void
ctl_say(const char *fmt, va_list ap)
{
    char  line[1024];

    vsnprintf(line, sizeof(line), fmt, ap);

    fflush(stdout);
    fputs("rblctl: ", stderr);
    ctl_put(stderr, line, strlen(line));
    fputc('\n', stderr);
}


int
ctl_fail(const char *fmt, ...)
{
    va_list  ap;

    va_start(ap, fmt);
    ctl_say(fmt, ap);
    va_end(ap);

    return CTL_ERROR;
}


void
ctl_note(const char *fmt, ...)
{
    va_list  ap;

    va_start(ap, fmt);
    ctl_say(fmt, ap);
    va_end(ap);
}
