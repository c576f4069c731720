/*
 * Files of entries: common code of their readers.  An invalid member causes a
 * line that says which values are valid.
 */

#include "entry_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>


__attribute__((format(printf, 2, 3)))
static void
entry_say(const entry_read_t *r, const char *fmt, ...)
{
    char     text[ENTRY_LINE];
    va_list  ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);

    r->say(text);
}


void
mistake(entry_read_t *r, const char *field, const char *fmt, ...)
{
    char     text[512];
    va_list  ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);

    r->mistakes++;

    if (r->array == NULL) {
        entry_say(r, "%s: %s: %s", r->path, field, text);
        return;
    }

    entry_say(r, "%s: %s[%zu]%s%.*s: %s: %s", r->path, r->array, r->index,
              r->label.n ? " " : "", (int) r->label.n,
              r->label.n ? r->label.p : "", field, text);
}


rbl_str_t
value_str(const json_t *v)
{
    rbl_str_t  s = { json_string_value(v), json_string_length(v) };

    return s;
}


rbl_str_t
member_text(entry_read_t *r, const json_t *entry, const char *name,
    size_t max)
{
    rbl_str_t      s, none = RBL_STR(""), bad = { NULL, 0 };
    const json_t  *v;

    v = json_object_get(entry, name);
    if (v == NULL) {
        return none;
    }

    s = value_str(v);

    if (!json_is_string(v) || !rbl_text_ok(s) || s.n > max) {
        mistake(r, name, "must be text of at most %zu bytes without control"
                " characters", max);
        return bad;
    }

    return s;
}


int64_t
member_number(entry_read_t *r, const json_t *entry, const char *name,
    int64_t max, int needed)
{
    int64_t        n;
    const json_t  *v;

    v = json_object_get(entry, name);
    n = json_integer_value(v);

    if ((v != NULL || needed) && (!json_is_integer(v) || n < 0 || n > max)) {
        mistake(r, name, "must be %sa whole number from 0 to %lld",
                needed ? "there, " : "", (long long) max);
        return -1;
    }

    return n;
}


int
one_of(rbl_str_t s, const char *const *words)
{
    int  i;

    for (i = 0; words[i] != NULL; i++) {
        if (rbl_str_is(s, words[i])) {
            return i;
        }
    }

    return -1;
}


static void
join(char *buf, size_t size, const char *const *words)
{
    size_t  at;
    int     n;

    buf[0] = '\0';

    for (at = 0; *words != NULL && at < size; words++) {
        n = snprintf(buf + at, size - at, "%s\"%s\"", at ? ", " : "", *words);
        at += n > 0 ? (size_t) n : 0;
    }
}


rbl_str_t
member_word(entry_read_t *r, const json_t *entry, const char *name,
    const char *const *words, int empty)
{
    char       all[256];
    rbl_str_t  s;

    s = member_text(r, entry, name, ENTRY_TEXT);

    if (s.p != NULL && one_of(s, words) < 0 && !(empty && s.n == 0)) {
        join(all, sizeof(all), words);
        mistake(r, name, "must be one of %s", all);
    }

    return s;
}


json_t *
entry_open(entry_read_t *r, const char *path, entry_say_pt say)
{
    char          *p;
    json_t        *root;
    json_error_t   error;

    memset(r, 0, sizeof(*r));
    r->path = path;
    r->say = say;
    root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);

    if (root != NULL) {
        r->seen = json_object();
        return root;
    }

    /* the text quotes the file, perhaps with the end of a line */

    for (p = error.text; *p != '\0'; p++) {
        if ((unsigned char) *p < ' ' || *p == '\x7f') {
            *p = ' ';
        }
    }

    if (error.line > 0) {
        entry_say(r, "%s:%d: %s", path, error.line, error.text);
    } else {
        entry_say(r, "%s", error.text);
    }

    return NULL;
}


int
entry_close(entry_read_t *r)
{
    json_decref(r->seen);

    return r->mistakes == 0 ? 0 : -1;
}


void
entry_members(entry_read_t *r, const json_t *entry, const char *const *known)
{
    void        *it;
    const char  *name;

    for (it = json_object_iter((json_t *) entry); it != NULL;
         it = json_object_iter_next((json_t *) entry, it))
    {
        name = json_object_iter_key(it);
        if (one_of(rbl_str(name), known) < 0) {
            mistake(r, name, "is not a member that an entry has");
        }
    }
}


void
entry_once(entry_read_t *r, const char *field)
{
    if (json_object_get(r->seen, r->label.p) != NULL) {
        mistake(r, field, "is in this file twice");

    } else {
        json_object_set_new(r->seen, r->label.p, json_true());
    }
}


int
entry_seconds(int64_t *seconds, rbl_str_t text)
{
    int64_t      v, unit;
    const char  *letter;

    static const char     letters[] = { 's', 'm', 'h', 'd' };
    static const int64_t  units[] = { 1, 60, 3600, 86400 };

    unit = 1;
    letter = text.n > 1 ? memchr(letters, text.p[text.n - 1], sizeof(letters))
                        : NULL;

    if (letter != NULL) {
        unit = units[letter - letters];
        text.n--;
    }

    if (rbl_int_parse(&v, text, 1, ENTRY_INTERVAL_MAX / unit) != RBL_OK) {
        return -1;
    }

    *seconds = v * unit;

    return 0;
}
