/*
 * The verdict of each list on a host: a current listing, unknown, or clear.
 * The lists are those that the profile has for the host's type and family, as
 * in check_begin.
 */

#include "host.h"
#include "rbl_mp.h"

#include <stdio.h>

#define LISTS_MAX  1024


typedef struct {
    ctl_t             *ctl;
    const rbl_sid_t   *account;
    const rbl_host_t  *h;
    int64_t            unknown;         /* of those, the record names these */
    json_t            *rows;
} host_said_t;


/* Finds the entry of host.details, or of host.troubled, for a list; 0: none. */

static int
listing_of(rbl_listing_t *v, const rbl_host_t *h, rbl_str_t sid)
{
    size_t    n;
    rbl_mp_t  mp;

    rbl_mp_init(&mp, h->details);

    for (n = rbl_mp_array(&mp); n > 0; n--) {
        if (rbl_listing_decode(v, &mp) != RBL_OK) {
            return 0;
        }

        if (rbl_str_eq(v->list, sid)) {
            return 1;
        }
    }

    return 0;
}


static int
trouble_of(rbl_trouble_t *v, const rbl_host_t *h, rbl_str_t sid)
{
    size_t    n;
    rbl_mp_t  mp;

    rbl_mp_init(&mp, h->troubled);

    for (n = rbl_mp_array(&mp); n > 0; n--) {
        if (rbl_trouble_decode(v, &mp) != RBL_OK) {
            return 0;
        }

        if (rbl_str_eq(v->list, sid)) {
            return 1;
        }
    }

    return 0;
}


/* Counts the lists that the record names as unknown. */

static int64_t
known_unknown(const rbl_host_t *h)
{
    size_t         n;
    int64_t        unknown;
    rbl_mp_t       mp;
    rbl_trouble_t  t;
    rbl_listing_t  l;

    unknown = 0;

    rbl_mp_init(&mp, h->troubled);
    for (n = rbl_mp_array(&mp);
         n > 0 && rbl_trouble_decode(&t, &mp) == RBL_OK;
         n--)
    {
        unknown++;
    }

    rbl_mp_init(&mp, h->details);
    for (n = rbl_mp_array(&mp);
         n > 0 && rbl_listing_decode(&l, &mp) == RBL_OK;
         n--)
    {
        unknown += l.errors > 0;
    }

    return unknown;
}


/*
 * A list without an entry is clear, unless its state is not known: it was never
 * queried, or there are more unknown lists than the record has room for.  The
 * record does not keep the time of the last query to a list with a minimum
 * interval.
 */

static json_t *
row(const host_said_t *s, rbl_str_t sid, rbl_str_t zone, rbl_str_t name,
    int64_t min_interval)
{
    int64_t        since, asked, errors, cleared;
    rbl_str_t      error, codes;
    const char    *status;
    rbl_listing_t  l;
    rbl_trouble_t  t;

    since = asked = errors = cleared = 0;
    error = RBL_STR("");
    codes = RBL_STR("\x90");

    if (listing_of(&l, s->h, sid)) {
        status = "listed";
        zone = l.zone;
        since = l.since;
        asked = l.asked;
        errors = l.errors;
        cleared = l.cleared;
        codes = l.codes;

    } else if (trouble_of(&t, s->h, sid)) {
        status = "unknown";
        error = t.error;
        since = t.since;
        errors = t.count;

    } else if (s->h->checked == 0 || s->h->unknown_count > s->unknown) {
        status = "";

    } else {
        status = "clear";
        asked = min_interval > 0 ? 0 : s->h->checked;
    }

    return json_pack("{so so so ss so so so sI so so}",
                     "id", ctl_text(sid), "zone", ctl_text(zone),
                     "name", ctl_text(name), "status", status,
                     "since", ctl_time(since), "asked", ctl_time(asked),
                     "error", ctl_text(error), "errors", (json_int_t) errors,
                     "cleared", ctl_time(cleared), "codes", ctl_texts(codes));
}


static int
has_row(const host_said_t *s, rbl_str_t sid)
{
    size_t       i;
    const char  *id;

    for (i = 0; i < json_array_size(s->rows); i++) {
        id = json_string_value(json_object_get(json_array_get(s->rows, i),
                                               "id"));
        if (id != NULL && rbl_str_is(sid, id)) {
            return 1;
        }
    }

    return 0;
}


/*
 * Adds a list that the profile names (asked), or that only the record names.
 * 0; -1: error printed.
 */

static int
add_list(host_said_t *s, rbl_str_t sid, int asked)
{
    int                known;
    rbl_list_t         l;
    rbl_key_t          key, own;
    redisReply        *reply;
    const rbl_host_t  *h = s->h;

    if (has_row(s, sid) || json_array_size(s->rows) == LISTS_MAX) {
        return 0;
    }

    reply = ctl_command(s->ctl, RBL_COMMAND("MGET",
                        rbl_key(&key, &s->ctl->ks,
                                rbl_partition(&s->ctl->ks,
                                              rbl_sid_str(s->account)), "r",
                                RBL_STR("SYS"), sid),
                        rbl_account_key(&own, &s->ctl->ks, "r",
                                        rbl_sid_str(s->account), sid)));
    if (reply == NULL) {
        return -1;
    }

    known = rbl_list_decode(&l, rbl_reply_str(rbl_reply_at(reply, 0)))
            == RBL_OK
            || rbl_list_decode(&l, rbl_reply_str(rbl_reply_at(reply, 1)))
               == RBL_OK;

    if (!asked || (known && rbl_str_is(l.status, "active")
                   && (l.families & h->family) != 0
                   && rbl_str_eq(l.type, h->type)))
    {
        json_array_append_new(s->rows, known
            ? row(s, sid, l.zone, l.name, l.min_interval)
            : row(s, sid, RBL_STR(""), RBL_STR(""), 0));
    }

    freeReplyObject(reply);

    return 0;
}


/* Adds the lists of a packed array of SIDs, or of arrays that begin with
   one. */

static int
add_packed(host_said_t *s, rbl_str_t packed, int nested, int asked)
{
    size_t     n, m;
    rbl_mp_t   mp;
    rbl_str_t  sid;

    rbl_mp_init(&mp, packed);

    for (n = rbl_mp_array(&mp); n > 0 && !mp.failed; n--) {
        m = nested ? rbl_mp_array(&mp) : 1;
        sid = rbl_mp_str(&mp);

        for ( /* void */ ; m > 1 && !mp.failed; m--) {
            rbl_mp_skip(&mp);
        }

        if (!mp.failed && rbl_sid_like(RBL_SID_LIST, sid)
            && add_list(s, sid, asked) != 0)
        {
            return -1;
        }
    }

    return 0;
}


/* Adds the lists of the profile. */

static int
add_asked(host_said_t *s)
{
    int             rc;
    char            field[64];
    rbl_key_t       key;
    rbl_str_t       none = RBL_STR("");
    redisReply     *reply, *defaults;
    rbl_profile_t   p;

    reply = ctl_command(s->ctl, RBL_COMMAND("GET",
                        rbl_account_key(&key, &s->ctl->ks, "r",
                                        rbl_sid_str(s->account),
                                        s->h->profile)));
    if (reply == NULL) {
        return -1;
    }

    (void) rbl_profile_decode(&p, rbl_reply_str(reply));

    if (p.uses_defaults != 1) {
        rc = add_packed(s, p.entries, 0, 1);
        freeReplyObject(reply);
        return rc;
    }

    freeReplyObject(reply);
    snprintf(field, sizeof(field), "%.*s|%lld", s->h->type.n < 32
             ? (int) s->h->type.n : 32, s->h->type.p, (long long) s->h->family);

    defaults = ctl_command(s->ctl, RBL_COMMAND("HGET",
                           rbl_key(&key, &s->ctl->ks,
                                   rbl_partition(&s->ctl->ks,
                                                 rbl_sid_str(s->account)),
                                   "defaults:for", none, none),
                           rbl_str(field)));
    if (defaults == NULL) {
        return -1;
    }

    rc = add_packed(s, rbl_reply_str(defaults), 1, 1);
    freeReplyObject(defaults);

    return rc;
}


json_t *
host_lists(ctl_t *ctl, const rbl_sid_t *account, const rbl_host_t *h)
{
    host_said_t  s;

    s.ctl = ctl;
    s.account = account;
    s.h = h;
    s.unknown = known_unknown(h);
    s.rows = json_array();

    if ((!rbl_str_is(h->type, "ip_range") && add_asked(&s) != 0)
        || add_packed(&s, h->details, 1, 0) != 0
        || add_packed(&s, h->troubled, 1, 0) != 0)
    {
        json_decref(s.rows);
        return NULL;
    }

    return s.rows;
}
