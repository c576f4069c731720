/*
 * The members of an entry in a file of block lists.  An invalid member causes a
 * line that says which values are valid.
 */

#include "lists_read.h"

#include "rbl_codes.h"

#include <stdio.h>

#define NAME_CHARS  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"    \
                    "0123456789._-"

static const char *const  families[] = { "ipv4", "ipv6", "domain", NULL };
static const char *const  tiers[] = { "critical", "high", "normal", "policy",
                                      "neighbourhood", "notspam", "allow",
                                      "utility", NULL };
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
member_tier(entry_read_t *r, const json_t *entry)
{
    return member_word(r, entry, "tier", tiers, 1);
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


int64_t
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


int
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
