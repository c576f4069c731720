/*
 * Reads a file of block lists.  Checks every member of every entry and prints
 * all mistakes before it fails, so that the operator can correct a file in one
 * go.  The line of a mistake says which values are valid.
 */

#include "lists_file.h"
#include "base/buf.h"
#include "base/xalloc.h"

#include "rbl_codes.h"
#include "rbl_mp.h"
#include "rbl_ops.h"
#include "rbl_query.h"

#include <stdio.h>
#include <stdlib.h>

#define LISTS_FILE_WEBSITE  128             /* each result of a check contains
                                               it */
#define NAME_CHARS  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"    \
                    "0123456789._-"

static const char *const  list_members[] = {
    "zone", "name", "type", "website", "families", "enabled", "codes",
    "lookup", "delist", "weight", "scope", "kind", "control", "names",
    "min_interval", "rate", "day_quota", "terms", "removal", "note", NULL
};

static const char *const  killed_members[] = { "zone", "reason", NULL };

static const char *const  types[] = { "rbl", "uribl", NULL };
static const char *const  scopes[] = { "ip", "range", "asn", "domain", NULL };
static const char *const  kinds[] = { "block", "informational", "allow",
                                      NULL };
static const char *const  families[] = { "ipv4", "ipv6", "domain", NULL };
static const char *const  terms[] = { "registration", "key", "noncommercial",
                                      NULL };
static const char *const  names[] = { "both", "full", "registered", NULL };


rbl_str_t
member_url(entry_read_t *r, const json_t *entry, const char *name, size_t max)
{
    rbl_str_t  s, none = RBL_STR("");

    s = member_text(r, entry, name, max);

    if (s.n != 0 && strncmp(s.p, "https://", 8) != 0
        && strncmp(s.p, "http://", 7) != 0)
    {
        mistake(r, name, "must be empty or begin with http:// or https://");
        return none;
    }

    return s;
}


rbl_str_t
member_weight(entry_read_t *r, const json_t *entry)
{
    return member_word(r, entry, "weight", rbl_weight_words, 1);
}


rbl_str_t
member_names(entry_read_t *r, const json_t *entry, int64_t bits)
{
    rbl_str_t  s;

    s = member_word(r, entry, "names", names, 1);

    if (s.n != 0 && bits != 0 && !(bits & RBL_FAMILY_DOMAIN)) {
        mistake(r, "names", "is for lists that take domains");
    }

    return s;
}


static int64_t
member_families(entry_read_t *r, const json_t *entry, rbl_str_t type)
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


/* The terms are for rblctl doctor, and no part of the record. */
static void
member_terms(entry_read_t *r, const json_t *entry)
{
    size_t         k;
    const json_t  *v;

    v = json_object_get(entry, "terms");

    for (k = 0; k < json_array_size(v); k++) {
        if (one_of(value_str(json_array_get(v, k)), terms) < 0) {
            break;
        }
    }

    if (v != NULL && (!json_is_array(v) || k < json_array_size(v))) {
        mistake(r, "terms", "must be a list of \"registration\", \"key\" and"
                " \"noncommercial\"");
    }
}


const json_t *
member_codes(entry_read_t *r, const json_t *entry)
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
            if (rbl_codes_twice(&codes)) {
                mistake(r, field, "\"%.80s\" has the codes of an earlier"
                        " rule", rule.p);
            }

            break;

        case RBL_ETOOBIG:
            mistake(r, field, "one rule too many, %d are allowed",
                    RBL_CODES_MAX);
            return v;

        default:
            mistake(r, field, "\"%.80s\" is not a rule, as 127.0.0.2=text,"
                    " 127.0.0.4-127.0.0.7=text, 127.0.1.*=text, bit:4=text,"
                    " with ! or ~ before it, or a weight as @info before"
                    " =", rule.p);
            break;
        }
    }

    return v;
}


rbl_str_t
member_control(entry_read_t *r, const json_t *entry)
{
    rbl_str_t                 s;
    static const char *const  words[] = { "ip", "ip-positive-only", "none",
                                          NULL };

    s = member_text(r, entry, "control", ENTRY_TEXT);

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
member_enabled(entry_read_t *r, const json_t *entry)
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

    if (r->label.n && strstr(r->label.p, "{key}") != NULL) {
        mistake(r, "enabled", "must be false: the zone needs a key");
    }

    return 1;
}


/* Reads an entry, its members and its zone; 0, or -1: it cannot be checked. */
static int
list_begin(entry_read_t *r, const json_t *entry, const char *const *members)
{
    memset(&r->label, 0, sizeof(r->label));

    if (!json_is_object(entry)) {
        mistake(r, "entry", "must be an object");
        return -1;
    }

    r->label = value_str(json_object_get(entry, "zone"));

    if (!rbl_text_ok(r->label) || r->label.n > RBL_DOMAIN_MAX) {
        r->label.n = 0;
    }

    if (r->label.n == 0 || !rbl_zone_ok(r->label)) {
        mistake(r, "zone", "must be a domain name in lower case, a label of"
                " it may be {key}");

    } else {
        entry_once(r, "zone");
    }

    entry_members(r, entry, members);
    return 0;
}


static void
put_record(rbl_out_t *out, const rbl_list_t *l, const json_t *codes)
{
    size_t  i;

    rbl_mp_put_array(out, RBL_LIST_KEY);        /* own lists alone have one */
    rbl_mp_put_int(out, RBL_RECORD_VERSION);
    rbl_mp_put_str(out, l->id);
    rbl_mp_put_str(out, l->type);
    rbl_mp_put_str(out, l->zone);
    rbl_mp_put_str(out, l->name);
    rbl_mp_put_str(out, l->website);
    rbl_mp_put_int(out, l->families);
    rbl_mp_put_int(out, 0);
    rbl_mp_put_str(out, l->status);
    rbl_mp_put_z(out, "");
    rbl_mp_put_array(out, json_array_size(codes));
    for (i = 0; i < json_array_size(codes); i++) {
        rbl_mp_put_str(out, value_str(json_array_get(codes, i)));
    }

    rbl_mp_put_str(out, l->lookup);
    rbl_mp_put_str(out, l->delist);
    rbl_mp_put_str(out, l->weight);
    rbl_mp_put_str(out, l->scope);
    rbl_mp_put_str(out, l->kind);
    rbl_mp_put_str(out, l->control);
    rbl_mp_put_str(out, l->names);
    rbl_mp_put_int(out, l->min_interval);
    rbl_mp_put_int(out, l->rate);
    rbl_mp_put_int(out, l->day_quota);
    rbl_mp_put_str(out, l->reason);
    rbl_mp_put_str(out, l->note);
    rbl_mp_put_z(out, "");

    if (l->removal.n > 0) {
        rbl_out_str(out, l->removal);

    } else {
        rbl_mp_put_array(out, 0);
    }
}


/* Adds the record to the file's table. */
static void
entry_end(entry_read_t *r, lists_file_t *file, rbl_list_t *l,
    const json_t *codes, lists_file_status_t status)
{
    rbl_buf_t            buf;
    lists_file_entry_t  *e;

    static const char *const  statuses[] = { "active", "disabled", "killed" };

    e = &file->entry[file->n];
    if (r->mistakes != 0 || ctl_list_sid(&e->sid, l->zone) != 0) {
        return;
    }

    l->id = rbl_sid_str(&e->sid);
    l->status = rbl_str(statuses[status]);

    rbl_buf_init(&buf);
    put_record(&buf.out, l, codes);

    e->status = status;
    e->record = buf.base;
    e->size = rbl_buf_str(&buf).n;
    file->n++;
    file->count[status]++;
}


static void
entry_list(entry_read_t *r, lists_file_t *file, const json_t *entry)
{
    int            enabled;
    rbl_buf_t      removal;
    rbl_list_t     l;
    const json_t  *codes;

    if (list_begin(r, entry, list_members) != 0) {
        return;
    }

    memset(&l, 0, sizeof(l));
    l.zone = r->label;
    l.name = member_text(r, entry, "name", ENTRY_TEXT);
    if (l.name.p != NULL
        && (l.name.n == 0 || rbl_utf8_count(l.name) > RBL_LABEL_MAX))
    {
        mistake(r, "name", "must be 1 to %d characters", RBL_LABEL_MAX);
    }

    l.type = member_word(r, entry, "type", types, 0);
    l.families = member_families(r, entry, l.type);
    l.website = member_url(r, entry, "website", LISTS_FILE_WEBSITE);
    l.lookup = member_url(r, entry, "lookup", LISTS_FILE_URL);
    l.delist = member_url(r, entry, "delist", LISTS_FILE_URL);
    l.weight = member_weight(r, entry);
    l.scope = member_word(r, entry, "scope", scopes, 1);
    l.kind = member_word(r, entry, "kind", kinds, 1);
    l.control = member_control(r, entry);
    l.names = member_names(r, entry, l.families);
    l.min_interval = member_number(r, entry, "min_interval",
                                   RBL_LIST_INTERVAL_MAX, 0);
    l.rate = member_number(r, entry, "rate", RBL_LIST_RATE_MAX, 0);
    l.day_quota = member_number(r, entry, "day_quota", RBL_LIST_QUOTA_MAX, 0);
    codes = member_codes(r, entry);
    enabled = member_enabled(r, entry);
    member_terms(r, entry);
    l.note = member_text(r, entry, "note", ENTRY_TEXT);
    rbl_buf_init(&removal);
    member_removal(r, &removal, entry);
    l.removal = rbl_buf_str(&removal);

    entry_end(r, file, &l, codes,
              enabled ? LISTS_FILE_ACTIVE : LISTS_FILE_DISABLED);
    rbl_buf_free(&removal);
}


static void
entry_killed(entry_read_t *r, lists_file_t *file, const json_t *entry)
{
    rbl_list_t  l;

    if (list_begin(r, entry, killed_members) != 0) {
        return;
    }

    memset(&l, 0, sizeof(l));
    l.zone = r->label;
    l.name = r->label;
    l.reason = member_text(r, entry, "reason", ENTRY_TEXT);
    l.type = RBL_STR("rbl");

    entry_end(r, file, &l, NULL, LISTS_FILE_KILLED);
}


static void
read_arrays(entry_read_t *r, lists_file_t *file, const json_t *root)
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
        entry_list(r, file, json_array_get(lists, r->index));
    }

    r->array = "killed";
    for (r->index = 0; r->index < json_array_size(killed); r->index++) {
        entry_killed(r, file, json_array_get(killed, r->index));
    }
}


int
lists_file_read(lists_file_t *file, const char *path)
{
    json_t        *root;
    entry_read_t   r;

    memset(file, 0, sizeof(*file));

    root = entry_open(&r, path, ctl_line);
    if (root == NULL) {
        return -1;
    }

    file->entry = xcalloc(LISTS_FILE_MAX, sizeof(lists_file_entry_t));
    read_arrays(&r, file, root);

    json_decref(root);

    if (entry_close(&r) != 0) {
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
