/*
 * Records as objects of the API.  Records are read in place; nothing is copied.
 */

#include "rbl_view.h"
#include "rbl_codes.h"
#include "rbl_contact.h"
#include "rbl_host_state.h"
#include "rbl_money.h"
#include "rbl_view_card.h"


/* Writes a packed array of texts as one string, joined with commas. */

static void
rbl_view_joined(rbl_doc_t *d, const char *key, rbl_str_t packed)
{
    size_t     i, n;
    rbl_mp_t   mp;
    rbl_str_t  part;

    rbl_mp_init(&mp, packed);
    n = rbl_mp_array(&mp);

    if (n == 1) {
        rbl_doc_str(d, key, rbl_mp_str(&mp));
        return;
    }

    rbl_doc_text_open(d, key);

    for (i = 0; i < n; i++) {
        part = rbl_mp_str(&mp);

        if (mp.failed) {
            break;
        }

        if (i > 0) {
            rbl_doc_text_part(d, RBL_STR(","));
        }

        rbl_doc_text_part(d, part);
    }

    rbl_doc_text_close(d);
}


size_t
rbl_view_texts(rbl_doc_t *d, const char *key, rbl_str_t packed)
{
    size_t     i, n;
    rbl_mp_t   mp;
    rbl_str_t  text;

    rbl_mp_init(&mp, packed);
    n = rbl_mp_array(&mp);

    rbl_doc_array(d, key);

    for (i = 0; i < n; i++) {
        text = rbl_mp_str(&mp);

        if (mp.failed) {
            break;
        }

        rbl_doc_str(d, NULL, text);
    }

    rbl_doc_close(d);

    return i;
}


static void
rbl_view_listings(rbl_doc_t *d, const char *key, rbl_str_t packed,
    const rbl_timezone_t *tz, unsigned flags)
{
    char           buf[RBL_TIME_LEN];
    size_t         i, n;
    rbl_mp_t       mp;
    rbl_listing_t  v;

    rbl_mp_init(&mp, packed);
    n = rbl_mp_array(&mp);

    rbl_doc_array(d, key);

    for (i = 0; i < n; i++) {
        if (rbl_listing_decode(&v, &mp) != RBL_OK) {
            break;
        }

        rbl_doc_object(d, NULL);
        rbl_doc_str(d, "host", v.zone);
        rbl_doc_str(d, "website", v.website);
        rbl_doc_str(d, "details", v.details);

        if (flags & RBL_VIEW_STATE) {
            rbl_doc_str(d, "id", v.list);
            rbl_doc_z(d, "weight", rbl_weight_word((rbl_weight_t) v.weight));
            rbl_doc_str(d, "since", rbl_time_text(buf, v.since, tz));
        }

        rbl_doc_close(d);
    }

    rbl_doc_close(d);
}


/* True if the listing shows a time from which the host is listed. */

static int
rbl_view_listed(const rbl_host_t *h)
{
    return h->listed_count > 0 && h->first_listed > 0;
}


static rbl_str_t
rbl_view_period(char buf[RBL_TIME_LEN], const rbl_host_t *h, int64_t now)
{
    if (!rbl_view_listed(h)) {
        return RBL_STR("");
    }

    return rbl_period_text(buf, now > h->first_listed ? now - h->first_listed
                                                      : 0);
}


void
rbl_view_host_while(const rbl_host_t *h, int64_t now, int64_t *from,
    int64_t *until)
{
    *from = INT64_MIN;
    *until = INT64_MAX;

    if (!rbl_view_listed(h)) {
        return;
    }

    if (now < h->first_listed) {        /* the listing has no time yet */
        *until = h->first_listed;
        return;
    }

    *from = now - (now - h->first_listed) % 1000;
    *until = *from + 1000;
}


/* Why it is unknown whether the host is listed, or "". */

static const char *
rbl_view_reason(const rbl_host_t *h, int stopped, unsigned flags)
{
    if (stopped && (flags & RBL_VIEW_STATE)) {
        return flags & RBL_VIEW_LAPSED ? "plan expired" : "not checked yet";
    }

    return h->uncovered == 0 ? ""
           : h->family & RBL_FAMILY_LOCAL ? "not a public address"
           : "no list applies";
}


void
rbl_view_host(rbl_doc_t *d, const char *key, const rbl_host_t *h,
    const rbl_timezone_t *tz, int64_t now, unsigned flags)
{
    int   stopped;
    char  buf[RBL_TIME_LEN];

    rbl_doc_object(d, key);

    rbl_doc_str(d, "id", h->id);
    rbl_doc_str(d, "host", h->value);
    rbl_doc_str(d, "name", h->name);
    rbl_doc_str(d, "type", h->type);
    rbl_doc_str(d, "parent", h->parent);
    rbl_doc_str(d, "status", h->status);
    rbl_doc_str(d, "rbl_profile", h->profile);
    rbl_view_joined(d, "contact_group", h->groups);
    rbl_doc_str(d, "last_checked", rbl_time_text(buf, h->checked, tz));
    rbl_doc_str(d, "first_listed", rbl_time_text(buf, h->first_listed, tz));
    rbl_doc_str(d, "listed_period", rbl_view_period(buf, h, now));
    rbl_doc_str(d, "listed", h->listed_count > 0 ? RBL_STR("1")
                                                 : RBL_STR("0"));
    rbl_doc_int_str(d, "listed_count", h->listed_count);

    if (!(flags & RBL_VIEW_NO_DETAILS)) {
        rbl_view_listings(d, "listed_details", h->details, tz, flags);
    }

    stopped = h->stopped > 0 && !rbl_str_is(h->status, "paused");

    rbl_doc_str(d, "next_check", rbl_time_text(buf, h->next_check, tz));
    rbl_doc_int_str(d, "unknown_count", stopped && h->unknown_count == 0
                                        ? 1 : h->unknown_count);
    rbl_doc_str(d, "covered", h->uncovered != 0 ? RBL_STR("0")
                                                : RBL_STR("1"));
    rbl_doc_z(d, "reason", rbl_view_reason(h, stopped, flags));

    if (flags & RBL_VIEW_STATE) {
        rbl_doc_str(d, "state", rbl_str(rbl_state_names[rbl_state_of(h)]));
        rbl_doc_str(d, "not_checked_since",
                    rbl_time_text(buf, stopped ? h->stopped : 0, tz));
        rbl_doc_str(d, "flapping_since",
                    rbl_time_text(buf, rbl_host_flaps(h, now), tz));
    }

    rbl_doc_close(d);
}


void
rbl_view_profile(rbl_doc_t *d, const char *key, const rbl_profile_t *p,
    int is_default, size_t n, const rbl_str_t *follows)
{
    size_t  i, used;

    rbl_doc_object(d, key);

    rbl_doc_str(d, "id", p->id);
    rbl_doc_str(d, "name", p->name);
    rbl_doc_int(d, "is_default", is_default != 0);
    rbl_doc_str(d, "status", p->status);

    if (p->uses_defaults != 0) {
        rbl_doc_array(d, "entries");

        for (i = 0, used = 0; i < n; i++) {
            /* No id is a part of two others that are packed. */

            if (p->except.n == 0
                || memmem(p->except.p, p->except.n, follows[i].p, follows[i].n)
                   == NULL)
            {
                rbl_doc_str(d, NULL, follows[i]);
                used++;
            }
        }

        rbl_doc_close(d);
        n = used;

    } else {
        n = rbl_view_texts(d, "entries", p->entries);
    }

    rbl_doc_int(d, "total_entries", (int64_t) n);
    rbl_doc_int(d, "uses_defaults", p->uses_defaults != 0);

    rbl_doc_close(d);
}


void
rbl_view_list(rbl_doc_t *d, const char *key, const rbl_list_t *l)
{
    rbl_doc_object(d, key);

    rbl_doc_str(d, "id", l->id);
    rbl_doc_str(d, "type", l->type);
    rbl_doc_str(d, "host", l->zone);
    rbl_doc_int(d, "custom", l->custom != 0);
    rbl_doc_str(d, "status", l->status);
    rbl_doc_str(d, "name", l->name);
    rbl_doc_str(d, "website", l->website);

    rbl_doc_array(d, "families");

    if (l->families & RBL_FAMILY_IPV4) {
        rbl_doc_z(d, NULL, "ipv4");
    }

    if (l->families & RBL_FAMILY_IPV6) {
        rbl_doc_z(d, NULL, "ipv6");
    }

    if (l->families & RBL_FAMILY_DOMAIN) {
        rbl_doc_z(d, NULL, "domain");
    }

    rbl_doc_close(d);

    rbl_doc_str(d, "health", l->health);

    rbl_doc_close(d);
}


static void
rbl_view_at(rbl_doc_t *d, const char *key, int64_t ms,
    const rbl_timezone_t *tz)
{
    char  text[RBL_TIME_LEN];

    rbl_doc_str(d, key, rbl_time_text(text, ms, tz));
}


void
rbl_view_list_found(rbl_doc_t *d, const rbl_list_t *l,
    const rbl_list_state_t *state, const rbl_timezone_t *tz)
{
    size_t                  i;
    const rbl_list_test_t  *test;

    rbl_doc_array(d, "tests");

    for (i = 0; i < RBL_LIST_TESTS; i++) {
        test = &state->test[i];

        if (test->found) {
            rbl_doc_object(d, NULL);
            rbl_doc_z(d, "state", rbl_list_tests[i]);
            rbl_doc_z(d, "reason", rbl_list_reasons[test->reason].name);
            rbl_view_at(d, "since", test->since, tz);
            rbl_doc_close(d);
        }
    }

    rbl_doc_close(d);

    rbl_doc_int(d, "quota_left", rbl_list_left(state, l));
    rbl_view_at(d, "frozen", state->frozen, tz);
    rbl_view_at(d, "refusing_till", state->till, tz);
}


void
rbl_view_list_all(rbl_doc_t *d, const rbl_list_t *l,
    const rbl_list_state_t *state, const rbl_timezone_t *tz)
{
    rbl_view_list(d, "list", l);
    rbl_doc_str(d, "lookup", l->lookup);
    rbl_doc_str(d, "delisting", l->delist);
    rbl_doc_str(d, "weight", l->weight);
    rbl_doc_str(d, "scope", l->scope);
    rbl_doc_str(d, "kind", l->kind);
    rbl_doc_int(d, "min_interval", l->min_interval);
    rbl_doc_int(d, "rate", l->rate);
    rbl_doc_int(d, "day_quota", l->day_quota);
    (void) rbl_view_texts(d, "codes", l->codes);
    rbl_doc_str(d, "reason", l->reason);
    rbl_view_ways(d, "removal", l->removal);
    rbl_view_list_found(d, l, state, tz);
    rbl_doc_int(d, "quota_used", state->used);
    rbl_doc_int(d, "turned", state->turned);
    rbl_doc_int(d, "of", state->of);
    rbl_view_at(d, "refusing", state->since, tz);
}


void
rbl_view_list_responses(rbl_doc_t *d, const rbl_list_state_t *state,
    const rbl_timezone_t *tz)
{
    rbl_doc_object(d, "responses");
    rbl_doc_int(d, "answered", state->responses[RBL_RESPONSES_ANSWERED]);
    rbl_doc_int(d, "refused", state->responses[RBL_RESPONSES_REFUSED]);
    rbl_doc_int(d, "failed", state->responses[RBL_RESPONSES_FAILED]);
    rbl_doc_str(d, "hours", (rbl_str_t) { state->hours,
                                          sizeof(state->hours) });
    rbl_doc_close(d);
    rbl_view_at(d, "responded", state->responded, tz);
}


void
rbl_view_list_own(rbl_doc_t *d, const rbl_list_t *l)
{
    rbl_doc_str(d, "names", l->names);
    rbl_doc_str(d, "control", l->control);
    rbl_doc_str(d, "servers", l->servers);
    rbl_doc_str(d, "note", l->note);
}


void
rbl_view_result(rbl_doc_t *d, const char *key, const rbl_result_t *r)
{
    rbl_doc_object(d, key);

    rbl_doc_str(d, "id", r->list);
    rbl_doc_str(d, "type", r->type);
    rbl_doc_int(d, "custom", r->custom);
    rbl_doc_str(d, "host", r->zone);
    rbl_doc_str(d, "website", r->website);
    rbl_doc_str(d, "status", r->status);
    (void) rbl_view_texts(d, "codes", r->codes);
    rbl_doc_str(d, "details", r->details);
    rbl_doc_str(d, "reason", r->reason);
    rbl_doc_str(d, "error", r->error);
    rbl_doc_int(d, "response_ms", r->ms);

    rbl_doc_close(d);
}


static void
rbl_view_shown(rbl_doc_t *d, const char *key, rbl_str_t value, rbl_str_t shown)
{
    rbl_doc_text_open(d, key);
    rbl_doc_text_part(d, shown);

    if (shown.n < value.n) {
        rbl_doc_text_part(d, RBL_STR("****"));
    }

    rbl_doc_text_close(d);
}


void
rbl_view_url(rbl_doc_t *d, const char *key, rbl_str_t url, int path)
{
    rbl_view_shown(d, key, url, rbl_url_shown(url, path));
}


void
rbl_view_contact(rbl_doc_t *d, const char *key, const rbl_contact_t *c,
    int path)
{
    rbl_doc_object(d, key);

    rbl_doc_str(d, "id", c->id);

    rbl_view_shown(d, "contact", c->value,
                   rbl_contact_shown(c->type, c->value, path));
    rbl_doc_str(d, "type", c->type);
    rbl_doc_str(d, "schedule", c->schedule);
    rbl_doc_str(d, "status", c->status);
    rbl_view_joined(d, "contact_group", c->groups);

    rbl_doc_close(d);
}


void
rbl_view_group(rbl_doc_t *d, const char *key, const rbl_group_t *g,
    int is_default, int64_t hosts, int64_t contacts)
{
    rbl_doc_object(d, key);

    rbl_doc_str(d, "id", g->id);
    rbl_doc_str(d, "name", g->name);
    rbl_doc_int(d, "is_default", is_default != 0);
    rbl_doc_int(d, "total_hosts", hosts);
    rbl_doc_int(d, "total_contacts", contacts);

    rbl_doc_close(d);
}


void
rbl_view_source(rbl_doc_t *d, const rbl_source_t *s)
{
    rbl_doc_str(d, "id", s->id);
    rbl_doc_str(d, "type", s->type);
    rbl_doc_str(d, "brand", s->brand);
    rbl_doc_str(d, "last4", s->last4);
    rbl_doc_int(d, "exp_month", s->month);
    rbl_doc_int(d, "exp_year", s->year);
}


void
rbl_view_money(rbl_doc_t *d, const char *key, int64_t amount)
{
    char  text[RBL_MONEY_LEN];

    rbl_doc_str(d, key, rbl_money_text(text, amount));
}
