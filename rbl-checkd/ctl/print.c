/*
 * Output of rblctl.  A command makes one JSON value, an object or an array of
 * objects; this file prints it as JSON, lines or a table.  Any text may be
 * untrusted, so all output to a terminal goes through ctl_put and ctl_json.
 */

#include "base/xalloc.h"
#include "ctl.h"

#include "rbl_time.h"
#include "rbl_utf8.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define CTL_COLUMNS  48
#define CTL_CELL     512
#define CTL_KEY      32
#define CTL_TITLE    48

typedef struct {
    char    key[CTL_KEY];
    char    title[CTL_TITLE];
    size_t  width;                      /* of title and cells */
} ctl_column_t;


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


/* Reads the text of columns; a title that is not given is the key.  Returns
   their number. */
static size_t
ctl_columns(ctl_column_t *c, const char *text, int capital)
{
    char        *p;
    size_t       n, key, len;
    const char  *dot;

    for (n = 0; *text != '\0' && n < CTL_COLUMNS; n++, c++) {
        len = strcspn(text, ",");
        key = strcspn(text, ":,");
        rbl_copy(c->key, CTL_KEY, (rbl_str_t) { text, key });
        dot = strchr(c->key, '.');
        rbl_copy(c->title, CTL_TITLE, key < len
                 ? (rbl_str_t) { text + key + 1, len - key - 1 }
                 : rbl_str(dot != NULL ? dot + 1 : c->key));

        for (p = c->title; key == len && *p != '\0'; p++) {
            *p = *p == '_' ? ' ' : capital ? (char) toupper(*p) : *p;
        }

        c->width = strlen(c->title);
        text += len;
        text += strspn(text, ", ");
    }

    assert(*text == '\0');

    return n;
}


static void
ctl_table(const char *columns, const json_t *rows)
{
    int            number;
    char           cell[CTL_CELL];
    size_t         r, c, n, w;
    const json_t  *v;
    ctl_column_t   column[CTL_COLUMNS];

    n = ctl_columns(column, columns, 1);

    for (c = 0; c < n; c++) {
        for (r = 0; r < json_array_size(rows); r++) {
            v = ctl_member(json_array_get(rows, r), column[c].key);
            w = ctl_put(NULL, cell, ctl_cell(cell, v));
            column[c].width = w > column[c].width ? w : column[c].width;
        }
    }

    for (r = 0; r <= json_array_size(rows); r++) {
        for (c = 0; c < n; c++) {
            v = r == 0 ? NULL
                : ctl_member(json_array_get(rows, r - 1), column[c].key);
            number = json_is_number(v);
            w = r == 0 ? ctl_cell_add(cell, 0, column[c].title,
                                      strlen(column[c].title))
                : ctl_cell(cell, v);

            if (number) {
                ctl_pad(ctl_put(NULL, cell, w), column[c].width);
            }

            w = ctl_put(stdout, cell, w);

            if (c < n - 1) {
                ctl_pad(number ? column[c].width : w, column[c].width + 2);
            }
        }

        putchar('\n');
    }
}


static void
ctl_lines(const char *columns, const json_t *object)
{
    char          cell[CTL_CELL];
    size_t        c, n, width;
    ctl_column_t  column[CTL_COLUMNS];

    n = ctl_columns(column, columns, 0);

    for (c = 0, width = 0; c < n; c++) {
        width = column[c].width > width ? column[c].width : width;
    }

    for (c = 0; c < n; c++) {
        fputs(column[c].title, stdout);
        ctl_pad(column[c].width, width + 2);
        ctl_put(stdout, cell,
                ctl_cell(cell, ctl_member(object, column[c].key)));
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
ctl_print(ctl_t *ctl, const char *columns, json_t *value)
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


int
ctl_print_tables(ctl_t *ctl, const char *columns, const ctl_table_t *tables,
    json_t *value)
{
    int      rc;
    json_t  *rows;

    rc = ctl_print(ctl, columns, json_incref(value));

    for ( /* void */ ; tables->member != NULL && !ctl->json; tables++) {
        rows = json_object_get(value, tables->member);

        if (json_array_size(rows) > 0) {
            putchar('\n');
            rc |= ctl_print(ctl, tables->columns, json_incref(rows));
        }
    }

    json_decref(value);

    return rc;
}


/* Where lines go instead of standard error; NULL: nowhere else. */
static char    *caught;
static size_t   caught_size;


void
ctl_catch(char *text, size_t size)
{
    caught = text;
    caught_size = size;
}


__attribute__((format(printf, 1, 0)))
static void
ctl_say(const char *fmt, va_list ap)
{
    char  line[1024];

    vsnprintf(line, sizeof(line), fmt, ap);

    if (caught != NULL) {
        snprintf(caught, caught_size, "%s", line);
        return;
    }

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
