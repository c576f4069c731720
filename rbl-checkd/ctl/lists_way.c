/*
 * The member "removal" of an entry of a file of lists: how entries leave the
 * list, as packed records (schema.txt, way).
 */

#include "lists_file.h"

#include "rbl_card.h"
#include "rbl_codes.h"
#include "rbl_contact.h"

#define WAY_HOURS  8784                 /* a year */
#define WAYS_SIZE  2400                 /* octets: an answer has many lists */

static const char *const  way_members[] = {
    "codes", "how", "cause", "url", "mail", "ages", "takes", "note", "source",
    "read", NULL
};


/* Packs the codes of a way: texts that stand before the = of a rule. */
static void
way_codes(entry_read_t *r, rbl_out_t *out, const json_t *v)
{
    size_t     i;
    rbl_str_t  match;

    rbl_mp_put_array(out, json_array_size(v));

    for (i = 0; i < json_array_size(v); i++) {
        match = value_str(json_array_get(v, i));

        if (match.p == NULL || rbl_codes_has(match, 0) < 0) {
            mistake(r, "removal: codes", "must be a list of codes, as"
                    " \"127.0.0.2\", \"127.0.0.4-127.0.0.7\" or \"bit:4\"");
            return;
        }

        rbl_mp_put_str(out, match);
    }

    if (v != NULL && json_array_size(v) == 0) {
        mistake(r, "removal: codes", "must have a code, or be left out");
    }
}


static rbl_str_t
way_mail(entry_read_t *r, const json_t *entry)
{
    char       buf[RBL_CONTACT_MAX];
    rbl_str_t  s, mail;

    s = member_text(r, entry, "mail", ENTRY_TEXT);

    if (s.n != 0
        && rbl_contact_parse(buf, &mail, RBL_CONTACT_EMAIL, s, NULL, 0)
           != RBL_OK)
    {
        mistake(r, "removal: mail", "must be an address of mail");
    }

    return s;
}


/* "2026-11-30", or "" */
static rbl_str_t
way_read(entry_read_t *r, const json_t *entry)
{
    size_t             i;
    rbl_str_t          s;
    static const char  form[] = "dddd-dd-dd";

    s = member_text(r, entry, "read", ENTRY_TEXT);

    for (i = 0; i < s.n && i < sizeof(form) - 1; i++) {
        if (form[i] == 'd' ? s.p[i] < '0' || s.p[i] > '9' : s.p[i] != '-') {
            break;
        }
    }

    if (s.n != 0 && (i < s.n || i < sizeof(form) - 1)) {
        mistake(r, "removal: read", "must be a day, as \"2026-11-30\"");
    }

    return s;
}


/* The words of a table, for member_word. */
static rbl_str_t
way_word(entry_read_t *r, const json_t *entry, const char *name)
{
    size_t       n;
    const char  *words[32];

    for (n = 0; name[0] == 'h' && rbl_hows[n].name != NULL; n++) {
        words[n] = rbl_hows[n].name;
    }

    for ( /* void */ ; name[0] == 'c' && rbl_causes[n].name != NULL; n++) {
        words[n] = rbl_causes[n].name;
    }

    words[n] = NULL;

    return member_word(r, entry, name, words, 0);
}


/* Adds a way out of the list.  True: it is for any code. */
static int
member_way(entry_read_t *r, rbl_out_t *out, const json_t *entry)
{
    rbl_buf_t      buf;
    rbl_way_t      way;
    const json_t  *codes;

    entry_members(r, entry, way_members);

    memset(&way, 0, sizeof(way));
    rbl_buf_init(&buf);
    codes = json_object_get(entry, "codes");
    way_codes(r, &buf.out, codes);
    way.codes = rbl_buf_str(&buf);
    way.how = way_word(r, entry, "how");
    way.cause = way_word(r, entry, "cause");
    way.url = member_url(r, entry, "url", LISTS_FILE_URL);
    way.mail = way_mail(r, entry);
    way.ages = member_number(r, entry, "ages", WAY_HOURS, 0);
    way.takes = member_number(r, entry, "takes", WAY_HOURS, 0);
    way.note = member_text(r, entry, "note", ENTRY_TEXT);
    way.source = member_url(r, entry, "source", LISTS_FILE_URL);
    way.read = way_read(r, entry);

    if (r->mistakes == 0) {
        rbl_way_encode(out, &way);
    }

    rbl_buf_free(&buf);

    return codes == NULL;
}


void
member_removal(entry_read_t *r, rbl_buf_t *buf, const json_t *entry)
{
    int            any;
    size_t         i, n;
    const json_t  *v;

    v = json_object_get(entry, "removal");
    n = json_array_size(v);
    rbl_mp_put_array(&buf->out, n);

    if (v == NULL) {
        return;
    }

    if (!json_is_array(v) || n == 0 || n > RBL_WAYS_MAX) {
        mistake(r, "removal", "must be a list of 1 to %d objects",
                RBL_WAYS_MAX);
        return;
    }

    for (i = 0, any = 0; i < n && !any; i++) {
        any = member_way(r, &buf->out, json_array_get(v, i));
    }

    if (!any || i < n) {
        mistake(r, "removal", "must end with an object without codes, the only"
                " one");
    }

    if (rbl_buf_str(buf).n > WAYS_SIZE) {
        mistake(r, "removal", "is too long: at most %d bytes when packed",
                WAYS_SIZE);
    }
}
