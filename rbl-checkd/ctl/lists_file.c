/*
 * Reading a file of block lists.  Every member of every entry is checked, and
 * all mistakes are told before anything is given up, so that a file is put
 * right in one go.
 */

#include "lists_file.h"

#include "rbl_codes.h"
#include "rbl_mp.h"
#include "rbl_query.h"
#include "rbl_schema.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define LISTS_FILE_TEXT  1024
#define LISTS_FILE_URL   512

#define NAME_CHARS  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"    \
                    "0123456789._-"

typedef struct {
    const char    *path;
    const char    *array;               /* "lists", "killed" */
    size_t         index;
    rbl_str_t      zone;                /* of the entry at hand */
    int            mistakes;
    json_t        *seen;                /* zone -> true */
    lists_file_t  *file;
} lists_read_t;

static const char *const  list_members[] = {
    "zone", "name", "type", "website", "families", "enabled", "codes",
    "lookup", "delist", "tier", "scope", "kind", "control", "note", NULL
};

static const char *const  killed_members[] = { "zone", "reason", NULL };
static const char *const  types[] = { "rbl", "uribl", NULL };
static const char *const  families[] = { "ipv4", "ipv6", "domain", NULL };
static const char *const  scopes[] = { "ip", "range", "asn", "domain", NULL };
static const char *const  kinds[] = { "block", "informational", "allow",
                                      NULL };
static const char *const  tiers[] = { "critical", "high", "normal", "policy",
                                      "neighbourhood", "notspam", "allow",
                                      "utility", NULL };


__attribute__((format(printf, 3, 4)))
static void
mistake(lists_read_t *r, const char *field, const char *fmt, ...)
{
    char     text[512];
    va_list  ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);

    r->mistakes++;
    ctl_fail("%s: %s[%zu]%s%.*s: %s: %s", r->path, r->array, r->index,
             r->zone.n ? " " : "", (int) r->zone.n, r->zone.n ? r->zone.p : "",
             field, text);
}


static rbl_str_t
value_str(const json_t *v)
{
    rbl_str_t  s = { json_string_value(v), json_string_length(v) };

    return s;
}


/* A text member; "" if it is not there, p NULL after a mistake. */
static rbl_str_t
member_text(lists_read_t *r, const json_t *entry, const char *name,
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


static rbl_str_t
member_url(lists_read_t *r, const json_t *entry, const char *name)
{
    rbl_str_t  s, none = RBL_STR("");

    s = member_text(r, entry, name, LISTS_FILE_URL);

    if (s.n != 0 && strncmp(s.p, "https://", 8) != 0
        && strncmp(s.p, "http://", 7) != 0)
    {
        mistake(r, name, "must be empty or begin with http:// or https://");
        return none;
    }

    return s;
}


static int
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


/* A text member out of a few; empty only if `empty` is set. */
static rbl_str_t
member_word(lists_read_t *r, const json_t *entry, const char *name,
    const char *const *words, int empty)
{
    char       all[256];
    rbl_str_t  s;

    s = member_text(r, entry, name, LISTS_FILE_TEXT);

    if (s.p != NULL && one_of(s, words) < 0 && !(empty && s.n == 0)) {
        join(all, sizeof(all), words);
        mistake(r, name, "must be one of %s", all);
    }

    return s;
}


static int64_t
member_families(lists_read_t *r, const json_t *entry, rbl_str_t type)
{
    int            i;
    size_t         k;
    int64_t        bits;
    const json_t  *v;

    v = json_object_get(entry, "families");
    bits = 0;

    for (k = 0; k < json_array_size(v); k++) {
        i = one_of(value_str(json_array_get(v, k)), families);
        if (i < 0 || bits & 1 << i) {
            bits = 0;
            break;
        }

        bits |= 1 << i;
    }

    if (bits == 0) {
        mistake(r, "families", "must be a list of \"ipv4\", \"ipv6\" and"
                " \"domain\", each at most once, at least one");

    } else if (rbl_str_is(type, "uribl") && bits != RBL_FAMILY_DOMAIN) {
        mistake(r, "families", "must be [\"domain\"] for a list of type"
                " \"uribl\"");
    }

    return bits;
}


static const json_t *
member_codes(lists_read_t *r, const json_t *entry)
{
    char           field[32];
    size_t         i;
    rbl_str_t      rule;
    rbl_codes_t    codes;
    const json_t  *v;

    memset(&codes, 0, sizeof(codes));
    v = json_object_get(entry, "codes");

    if (v != NULL && !json_is_array(v)) {
        mistake(r, "codes", "must be a list of rules");
        return NULL;
    }

    for (i = 0; i < json_array_size(v); i++) {
        rule = value_str(json_array_get(v, i));
        snprintf(field, sizeof(field), "codes[%zu]", i);

        if (rule.p == NULL || !rbl_text_ok(rule)) {
            mistake(r, field, "must be text without control characters");
            continue;
        }

        switch (rbl_codes_add(&codes, rule)) {

        case RBL_OK:
            break;

        case RBL_ETOOBIG:
            mistake(r, field, "one rule too many, %d are allowed",
                    RBL_CODES_MAX);
            return v;

        default:
            mistake(r, field, "\"%.80s\" is not a rule, as 127.0.0.2=text,"
                    " 127.0.0.4-127.0.0.7=text, 127.0.1.*=text, bit:4=text,"
                    " with ! or ~ before it", rule.p);
            break;
        }
    }

    return v;
}


static rbl_str_t
member_control(lists_read_t *r, const json_t *entry)
{
    rbl_str_t                 s;
    static const char *const  words[] = { "ip", "ip-positive-only", "none",
                                          NULL };

    s = member_text(r, entry, "control", LISTS_FILE_TEXT);

    if (s.n != 0 && one_of(s, words) < 0
        && (s.n < 6 || s.n > RBL_DOMAIN_MAX || strncmp(s.p, "name:", 5) != 0
            || strspn(s.p + 5, NAME_CHARS) != s.n - 5))
    {
        mistake(r, "control", "must be \"ip\", \"ip-positive-only\", \"none\""
                " or \"name:\" and a name of A-Z a-z 0-9 . _ -");
    }

    return s;
}


static int
member_enabled(lists_read_t *r, const json_t *entry)
{
    const json_t  *v;

    v = json_object_get(entry, "enabled");

    if (v != NULL && !json_is_boolean(v)) {
        mistake(r, "enabled", "must be true or false");
        return 0;
    }

    if (json_is_false(v)) {
        return 0;
    }

    if (r->zone.n && strstr(r->zone.p, "{key}") != NULL) {
        mistake(r, "enabled", "must be false: the zone needs a key");
    }

    return 1;
}


/* Entry, its members and its zone; 0, or -1: it cannot be looked at. */
static int
entry_begin(lists_read_t *r, const json_t *entry, const char *const *members)
{
    const char    *name;
    json_t        *walk;
    void          *it;

    memset(&r->zone, 0, sizeof(r->zone));

    if (!json_is_object(entry)) {
        mistake(r, "entry", "must be an object");
        return -1;
    }

    r->zone = value_str(json_object_get(entry, "zone"));

    if (!rbl_text_ok(r->zone) || r->zone.n > RBL_DOMAIN_MAX) {
        r->zone.n = 0;
    }

    if (r->zone.n == 0 || !rbl_zone_ok(r->zone)) {
        mistake(r, "zone", "must be a domain name in lower case, a label of"
                " it may be {key}");

    } else if (json_object_get(r->seen, r->zone.p) != NULL) {
        mistake(r, "zone", "stands in this file twice");

    } else {
        json_object_set_new(r->seen, r->zone.p, json_true());
    }

    walk = json_object();
    if (walk == NULL || json_object_update(walk, (json_t *) entry) != 0) {
        mistake(r, "entry", "out of memory");
        json_decref(walk);
        return -1;
    }

    for (it = json_object_iter(walk); it != NULL;
         it = json_object_iter_next(walk, it))
    {
        name = json_object_iter_key(it);
        if (one_of(rbl_str(name), members) < 0) {
            mistake(r, name, "is not a member that an entry has");
        }
    }

    json_decref(walk);

    return 0;
}


/* The record goes into the file's table. */
static void
entry_end(lists_read_t *r, rbl_list_t *l, const json_t *codes,
    lists_file_status_t status)
{
    size_t               i;
    rbl_buf_t            buf;
    lists_file_entry_t  *e;

    static const char *const  names[] = { "active", "disabled", "killed" };

    e = &r->file->entry[r->file->n];
    if (r->mistakes != 0 || ctl_list_sid(&e->sid, l->zone) != 0) {
        return;
    }

    rbl_buf_init(&buf);
    rbl_mp_put_array(&buf.out, RBL_LIST__N);
    rbl_mp_put_int(&buf.out, RBL_RECORD_VERSION);
    rbl_mp_put_str(&buf.out, rbl_sid_str(&e->sid));
    rbl_mp_put_str(&buf.out, l->type);
    rbl_mp_put_str(&buf.out, l->zone);
    rbl_mp_put_str(&buf.out, l->name);
    rbl_mp_put_str(&buf.out, l->website);
    rbl_mp_put_int(&buf.out, l->families);
    rbl_mp_put_int(&buf.out, 0);
    rbl_mp_put_z(&buf.out, names[status]);
    rbl_mp_put_z(&buf.out, "");
    rbl_mp_put_array(&buf.out, json_array_size(codes));
    for (i = 0; i < json_array_size(codes); i++) {
        rbl_mp_put_str(&buf.out, value_str(json_array_get(codes, i)));
    }

    rbl_mp_put_str(&buf.out, l->lookup);
    rbl_mp_put_str(&buf.out, l->delist);
    rbl_mp_put_str(&buf.out, l->tier);
    rbl_mp_put_str(&buf.out, l->scope);
    rbl_mp_put_str(&buf.out, l->kind);
    rbl_mp_put_str(&buf.out, l->control);

    if (buf.out.failed) {
        mistake(r, "entry", "out of memory");
        rbl_buf_free(&buf);
        return;
    }

    e->status = status;
    e->record = buf.base;
    e->size = rbl_buf_str(&buf).n;
    r->file->n++;
    r->file->count[status]++;
}


static void
entry_list(lists_read_t *r, const json_t *entry)
{
    int            enabled;
    rbl_list_t     l;
    const json_t  *codes;

    if (entry_begin(r, entry, list_members) != 0) {
        return;
    }

    memset(&l, 0, sizeof(l));
    l.zone = r->zone;
    l.name = member_text(r, entry, "name", LISTS_FILE_TEXT);
    if (l.name.p != NULL
        && (l.name.n == 0 || rbl_utf8_count(l.name) > RBL_LABEL_MAX))
    {
        mistake(r, "name", "must be 1 to %d characters", RBL_LABEL_MAX);
    }

    l.type = member_word(r, entry, "type", types, 0);
    l.families = member_families(r, entry, l.type);
    l.website = member_url(r, entry, "website");
    l.lookup = member_url(r, entry, "lookup");
    l.delist = member_url(r, entry, "delist");
    l.tier = member_word(r, entry, "tier", tiers, 1);
    l.scope = member_word(r, entry, "scope", scopes, 1);
    l.kind = member_word(r, entry, "kind", kinds, 1);
    l.control = member_control(r, entry);
    codes = member_codes(r, entry);
    enabled = member_enabled(r, entry);
    (void) member_text(r, entry, "note", LISTS_FILE_TEXT);

    entry_end(r, &l, codes, enabled ? LISTS_FILE_ACTIVE : LISTS_FILE_DISABLED);
}


static void
entry_killed(lists_read_t *r, const json_t *entry)
{
    rbl_list_t  l;

    if (entry_begin(r, entry, killed_members) != 0) {
        return;
    }

    memset(&l, 0, sizeof(l));
    l.zone = r->zone;
    l.name = member_text(r, entry, "reason", LISTS_FILE_TEXT);
    l.type = RBL_STR("rbl");

    entry_end(r, &l, NULL, LISTS_FILE_KILLED);
}


static void
read_arrays(lists_read_t *r, const json_t *root)
{
    const json_t  *lists, *killed;

    lists = json_object_get(root, "lists");
    killed = json_object_get(root, "killed");

    if (json_integer_value(json_object_get(root, "version")) != 1
        || !json_is_array(lists) || (killed != NULL && !json_is_array(killed)))
    {
        ctl_fail("%s: must be an object of \"version\": 1, \"lists\": [...]"
                 " and \"killed\": [...]", r->path);
        r->mistakes++;
        return;
    }

    if (json_array_size(lists) + json_array_size(killed) > LISTS_FILE_MAX) {
        ctl_fail("%s: has more than %d entries", r->path, LISTS_FILE_MAX);
        r->mistakes++;
        return;
    }

    r->array = "lists";
    for (r->index = 0; r->index < json_array_size(lists); r->index++) {
        entry_list(r, json_array_get(lists, r->index));
    }

    r->array = "killed";
    for (r->index = 0; r->index < json_array_size(killed); r->index++) {
        entry_killed(r, json_array_get(killed, r->index));
    }
}


int
lists_file_read(lists_file_t *file, const char *path)
{
    json_t        *root;
    json_error_t   error;
    lists_read_t   r;

    memset(file, 0, sizeof(*file));
    memset(&r, 0, sizeof(r));

    root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL) {
        if (error.line > 0) {
            ctl_fail("%s:%d: %s", path, error.line, error.text);
        } else {
            ctl_fail("%s: %s", path, error.text);
        }

        return -1;
    }

    r.path = path;
    r.file = file;
    r.seen = json_object();
    file->entry = calloc(LISTS_FILE_MAX, sizeof(lists_file_entry_t));

    if (r.seen == NULL || file->entry == NULL) {
        ctl_fail("out of memory");
        r.mistakes++;
    } else {
        read_arrays(&r, root);
    }

    json_decref(r.seen);
    json_decref(root);

    if (r.mistakes != 0) {
        lists_file_free(file);
        return -1;
    }

    return 0;
}


void
lists_file_free(lists_file_t *file)
{
    size_t  i;

    for (i = 0; i < file->n; i++) {
        free(file->entry[i].record);
    }

    free(file->entry);
    memset(file, 0, sizeof(*file));
}
