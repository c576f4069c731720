/*
 * Hosts and results as a client sees them: the fields of the contract in their
 * order, and records with damaged packed parts.
 */

#include "base/buf.h"
#include "rbl_host_state.h"
#include "rbl_view.h"
#include "tap.h"


#define NOW     1480000000000           /* 2016-11-24 15:06:40 UTC */
#define LISTED  (NOW - 729)             /* stands in for "just now" */


static const rbl_timezone_t  est = RBL_TIMEZONE_FIXED(-5 * 3600, "EST");


static void
put_listing(rbl_out_t *out, const char *zone)
{
    rbl_mp_put_array(out, 6);
    rbl_mp_put_z(out, "RB1");
    rbl_mp_put_z(out, zone);
    rbl_mp_put_z(out, "https://bl.example/");
    rbl_mp_put_z(out, "https://bl.example/?q=192.0.2.1");
    rbl_mp_put_array(out, 1);
    rbl_mp_put_z(out, "127.0.0.2");
    rbl_mp_put_int(out, LISTED);
}


static void
host_fill(rbl_host_t *h, rbl_buf_t *groups, rbl_buf_t *details)
{
    memset(h, 0, sizeof(*h));
    h->id = RBL_STR("HT1");
    h->value = RBL_STR("192.0.2.1");
    h->name = RBL_STR("mail \"out\"");
    h->type = RBL_STR("rbl");
    h->status = RBL_STR("active");
    h->profile = RBL_STR("RP1");

    rbl_mp_put_array(&groups->out, 2);
    rbl_mp_put_z(&groups->out, "CG1");
    rbl_mp_put_z(&groups->out, "CG2");
    h->groups = rbl_buf_str(groups);

    rbl_mp_put_array(&details->out, 2);
    put_listing(&details->out, "bl.example");
    put_listing(&details->out, "dnsbl.example");
    h->details = rbl_buf_str(details);

    h->checked = 1478570493000;
    h->first_listed = NOW - (13 * 86400 + 13 * 3600 + 35 * 60 + 58) * 1000LL;
    h->listed_count = 2;
    h->unknown_count = 3;
}


static rbl_str_t
host_view_at(rbl_buf_t *b, const rbl_host_t *h, int64_t now)
{
    rbl_doc_t  d;

    rbl_buf_reset(b);
    rbl_doc_begin(&d, &b->out, RBL_JSON);
    rbl_view_host(&d, "host", h, &rbl_timezone_utc, now, 0);
    rbl_doc_end(&d);

    return rbl_buf_str(b);
}


static rbl_str_t
host_view(rbl_buf_t *b, const rbl_host_t *h, const rbl_timezone_t *tz,
    unsigned flags)
{
    rbl_doc_t  d;

    rbl_buf_reset(b);
    rbl_doc_begin(&d, &b->out, RBL_JSON);
    rbl_view_host(&d, "host", h, tz, NOW, flags);
    rbl_doc_end(&d);

    return rbl_buf_str(b);
}


#define HOST_HEAD                                                             \
    "{\"host\":{\"id\":\"HT1\",\"host\":\"192.0.2.1\","                       \
    "\"name\":\"mail \\\"out\\\"\",\"type\":\"rbl\",\"parent\":\"\","         \
    "\"status\":\"active\",\"rbl_profile\":\"RP1\","

#define LISTING(zone)                                                         \
    "{\"host\":\"" zone "\",\"website\":\"https://bl.example/\","             \
    "\"details\":\"https://bl.example/?q=192.0.2.1\"}"


static void
test_host(void)
{
    rbl_buf_t   b, groups, details;
    rbl_host_t  h;

    rbl_buf_init(&b);
    rbl_buf_init(&groups);
    rbl_buf_init(&details);
    host_fill(&h, &groups, &details);

    is_str(host_view(&b, &h, &est, 0),
           HOST_HEAD "\"contact_group\":\"CG1,CG2\","
           "\"last_checked\":\"2016-11-07 21:01:33 EST\","
           "\"first_listed\":\"2016-11-10 20:30:42 EST\","
           "\"listed_period\":\"13 days 13:35:58\","
           "\"listed\":\"1\",\"listed_count\":\"2\","
           "\"listed_details\":[" LISTING("bl.example") ","
           LISTING("dnsbl.example") "],"
           "\"next_check\":\"\",\"unknown_count\":\"3\",\"covered\":\"1\","
           "\"reason\":\"\"}}",
           "listed host");

    host_view(&b, &h, &est, RBL_VIEW_STATE);
    rbl_out_char(&b.out, '\0');
    ok(strstr(b.base, "\"details\":\"https://bl.example/?q=192.0.2.1\","
              "\"id\":\"RB1\",\"weight\":\"\","
              "\"since\":\"2016-11-24 10:06:39 EST\"}") != NULL,
       "with its state, a listing has its list, weight and time");

    is_str(host_view(&b, &h, &est, RBL_VIEW_NO_DETAILS),
           HOST_HEAD "\"contact_group\":\"CG1,CG2\","
           "\"last_checked\":\"2016-11-07 21:01:33 EST\","
           "\"first_listed\":\"2016-11-10 20:30:42 EST\","
           "\"listed_period\":\"13 days 13:35:58\","
           "\"listed\":\"1\",\"listed_count\":\"2\","
           "\"next_check\":\"\",\"unknown_count\":\"3\",\"covered\":\"1\","
           "\"reason\":\"\"}}",
           "without details");

    h.groups = RBL_STR("\x90");
    h.details = RBL_STR("\x90");
    h.checked = 0;
    h.first_listed = 0;
    h.listed_count = 0;
    h.unknown_count = 0;
    h.uncovered = 1;
    h.next_check = NOW;

    is_str(host_view(&b, &h, &rbl_timezone_utc, 0),
           HOST_HEAD "\"contact_group\":\"\",\"last_checked\":\"\","
           "\"first_listed\":\"\",\"listed_period\":\"\",\"listed\":\"0\","
           "\"listed_count\":\"0\",\"listed_details\":[],"
           "\"next_check\":\"2016-11-24 15:06:40 UTC\","
           "\"unknown_count\":\"0\",\"covered\":\"0\","
           "\"reason\":\"no list applies\"}}", "new host");

    h.family = RBL_FAMILY_IPV6 | RBL_FAMILY_LOCAL;
    host_view(&b, &h, &est, RBL_VIEW_STATE);
    rbl_out_char(&b.out, '\0');
    ok(strstr(b.base, "\"covered\":\"0\",\"reason\":\"not a public address\","
              "\"state\":\"uncovered\",\"not_checked_since\":\"\","
              "\"flapping_since\":\"\"}}")
       != NULL, "the view has the state and the reason of a private address");

    h.uncovered = 0;
    h.stopped = NOW;
    host_view(&b, &h, &rbl_timezone_utc, RBL_VIEW_STATE | RBL_VIEW_LAPSED);
    rbl_out_char(&b.out, '\0');
    ok(strstr(b.base, "\"unknown_count\":\"1\",\"covered\":\"1\","
              "\"reason\":\"plan expired\",\"state\":\"unknown\","
              "\"not_checked_since\":\"2016-11-24 15:06:40 UTC\","
              "\"flapping_since\":\"\"}}") != NULL,
       "its plan has expired");

    host_view(&b, &h, &rbl_timezone_utc, RBL_VIEW_STATE);
    rbl_out_char(&b.out, '\0');
    ok(strstr(b.base, "\"reason\":\"not checked yet\"") != NULL,
       "the plan was paid since");
    h.stopped = 0;

    h.listed_count = 1;
    h.first_listed = NOW + 5000;
    host_view(&b, &h, &rbl_timezone_utc, 0);
    rbl_out_char(&b.out, '\0');
    ok(strstr(b.base, "\"listed_period\":\"0 days 00:00:00\"") != NULL,
       "a listing from the future");

    rbl_buf_free(&b);
    rbl_buf_free(&groups);
    rbl_buf_free(&details);
}


static void
test_flaps(void)
{
    size_t      i, k;
    rbl_buf_t   b;
    rbl_host_t  h;

    static const struct {
        size_t       n;                 /* elements of the record's field */
        int          hours;             /* from now to the last change */
        int64_t      since, is;
        const char  *name;
    } rows[] = {
        { 0, 0, 0, 0, "no list has ever changed" },
        { 9, -1, 0, 0, "a host that does not flap" },
        { 9, -5, 70, 70, "one that flaps" },
        { 9, -6, 70, 0, "one that has been quiet" },
        { 9, 5, 70, 70, "the clock was set back" },
        { 9, 6, 70, 0, "and by more" },
        { 3, -1, 70, 0, "a damaged field" }
    };

    memset(&h, 0, sizeof(h));
    ok(rbl_host_flaps(&h, NOW) == 0, "a record without the field");
    rbl_buf_init(&b);

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        rbl_buf_reset(&b);
        rbl_mp_put_array(&b.out, rows[i].n);

        for (k = 0; k < rows[i].n; k++) {
            rbl_mp_put_int(&b.out, k == 0 ? NOW + rows[i].hours
                                                  * INT64_C(3600000)
                                   : k == 6 ? rows[i].since : 1);
        }

        h.flap = rbl_buf_str(&b);
        ok(rbl_host_flaps(&h, NOW) == rows[i].is, "%s", rows[i].name);
    }

    rbl_buf_free(&b);
}


static void
test_state(void)
{
    rbl_host_t  h;

    memset(&h, 0, sizeof(h));
    h.type = RBL_STR("rbl");
    h.status = RBL_STR("active");
    ok(rbl_state_of(&h) == RBL_STATE_UNKNOWN, "never checked: unknown");

    h.checked = 1;
    ok(rbl_state_of(&h) == RBL_STATE_CLEAR, "all lists are clear");

    h.unknown_count = 1;
    ok(rbl_state_of(&h) == RBL_STATE_UNKNOWN, "one list is unknown");

    h.uncovered = 1;
    ok(rbl_state_of(&h) == RBL_STATE_UNCOVERED, "no list applies");

    h.listed_count = 1;
    ok(rbl_state_of(&h) == RBL_STATE_LISTED, "one list lists it");

    h.stopped = 1;
    ok(rbl_state_of(&h) == RBL_STATE_UNKNOWN, "its plan has expired");

    h.type = RBL_STR("ip_range");
    ok(rbl_state_of(&h) == RBL_STATE_RANGE, "a range has no state");

    h.status = RBL_STR("paused");
    ok(rbl_state_of(&h) == RBL_STATE_PAUSED, "paused");
}


/* The rendering is valid until the given time, and no longer. */

static void
test_while(void)
{
    int         same;
    int64_t     from, until, at;
    rbl_buf_t   first, b;
    rbl_host_t  h;

    memset(&h, 0, sizeof(h));
    h.details = RBL_STR("\x90");
    rbl_view_host_while(&h, NOW, &from, &until);
    ok(from == INT64_MIN && until == INT64_MAX, "not listed: for ever");

    h.first_listed = NOW;
    rbl_view_host_while(&h, NOW, &from, &until);
    ok(from == INT64_MIN && until == INT64_MAX, "it was listed: for ever");

    h.listed_count = 1;
    rbl_buf_init(&first);
    rbl_buf_init(&b);

    for (at = NOW - 1500; at < NOW + 3500; at += 250) {
        rbl_view_host_while(&h, at, &from, &until);
        same = from <= at && at < until
               && rbl_str_eq(host_view_at(&first, &h, at),
                             host_view_at(&b, &h, until - 1));

        if (at >= NOW) {
            same = same && until - from == 1000
                   && rbl_str_eq(host_view_at(&first, &h, at),
                                 host_view_at(&b, &h, from))
                   && !rbl_str_eq(host_view_at(&first, &h, at),
                                  host_view_at(&b, &h, until));
        }

        ok(same, "listed: at %d ms", (int) (at - NOW));
    }

    h.first_listed = INT64_MAX;
    rbl_view_host_while(&h, NOW, &from, &until);
    ok(from == INT64_MIN && until == INT64_MAX, "listed at the end of time");
    h.first_listed = 1;
    rbl_view_host_while(&h, INT64_MIN, &from, &until);
    ok(from == INT64_MIN && until == 1, "a clock before all time");

    rbl_buf_free(&first);
    rbl_buf_free(&b);
}


/* Damaged arrays may lose their end, but the document remains valid. */

static void
test_damage(void)
{
    int         good;
    size_t      n;
    rbl_buf_t   b, groups, details;
    rbl_str_t   s;
    rbl_host_t  h, cut;

    rbl_buf_init(&b);
    rbl_buf_init(&groups);
    rbl_buf_init(&details);
    host_fill(&h, &groups, &details);
    good = 1;

    for (n = 0; n < h.details.n; n++) {
        cut = h;
        cut.details.n = n;
        cut.groups.n = n < h.groups.n ? n : h.groups.n;
        s = host_view(&b, &cut, &est, 0);
        good &= !b.out.failed && memcmp(s.p + s.n - 3, "\"}}", 3) == 0;
    }

    ok(good, "details and groups cut anywhere");

    rbl_buf_free(&b);
    rbl_buf_free(&groups);
    rbl_buf_free(&details);
}


static void
test_result(void)
{
    rbl_doc_t     d;
    rbl_buf_t     b;
    rbl_result_t  r;

    memset(&r, 0, sizeof(r));
    r.list = RBL_STR("RB1");
    r.type = RBL_STR("uribl");
    r.zone = RBL_STR("bl.example");
    r.website = RBL_STR("https://bl.example/");
    r.status = RBL_STR("listed");
    r.codes = RBL_STR("\x92\xa9" "127.0.0.2\xa9" "127.0.0.4");
    r.details = RBL_STR("https://bl.example/?q=x");
    r.reason = RBL_STR("spam");
    r.error = RBL_STR("");
    r.ms = 12;

    rbl_buf_init(&b);
    rbl_doc_begin(&d, &b.out, RBL_JSON);
    rbl_doc_array(&d, "details");
    rbl_view_result(&d, NULL, &r);
    r.codes = RBL_STR("\x90");
    r.custom = 1;
    r.status = RBL_STR("unknown");
    r.error = RBL_STR("timeout");
    rbl_view_result(&d, NULL, &r);
    rbl_doc_close(&d);
    rbl_doc_end(&d);

    is_str(rbl_buf_str(&b),
           "{\"details\":[{\"id\":\"RB1\",\"type\":\"uribl\",\"custom\":0,"
           "\"host\":\"bl.example\",\"website\":\"https://bl.example/\","
           "\"status\":\"listed\",\"codes\":[\"127.0.0.2\",\"127.0.0.4\"],"
           "\"details\":\"https://bl.example/?q=x\",\"reason\":\"spam\","
           "\"error\":\"\",\"response_ms\":12},"
           "{\"id\":\"RB1\",\"type\":\"uribl\",\"custom\":1,"
           "\"host\":\"bl.example\",\"website\":\"https://bl.example/\","
           "\"status\":\"unknown\",\"codes\":[],"
           "\"details\":\"https://bl.example/?q=x\",\"reason\":\"spam\","
           "\"error\":\"timeout\",\"response_ms\":12}]}", "two results");

    rbl_buf_free(&b);
}


static rbl_str_t
profile_view(rbl_buf_t *b, const rbl_profile_t *p, int is_default, size_t n,
    const rbl_str_t *follows)
{
    rbl_doc_t  d;

    rbl_buf_reset(b);
    rbl_doc_begin(&d, &b->out, RBL_JSON);
    rbl_view_profile(&d, "data", p, is_default, n, follows);
    rbl_doc_end(&d);

    return rbl_buf_str(b);
}


#define PROFILE(is_default, entries, total, uses)                             \
    "{\"data\":{\"id\":\"RP1\",\"name\":\"a \\\"b\\\"\",\"is_default\":"       \
    is_default ",\"status\":\"active\",\"entries\":[" entries "],"             \
    "\"total_entries\":" total ",\"uses_defaults\":" uses "}}"


static void
test_profile(void)
{
    rbl_buf_t      b;
    rbl_profile_t  p;
    rbl_str_t      follows[2] = { RBL_STR("RB1"), RBL_STR("RB2") };

    memset(&p, 0, sizeof(p));
    p.id = RBL_STR("RP1");
    p.name = RBL_STR("a \"b\"");
    p.status = RBL_STR("active");
    p.entries = RBL_STR("\x92\xa3RB7\xa3RB9");

    rbl_buf_init(&b);

    is_str(profile_view(&b, &p, 0, 2, follows),
           PROFILE("0", "\"RB7\",\"RB9\"", "2", "0"), "a profile's lists");
    p.entries = RBL_STR("\x90");
    is_str(profile_view(&b, &p, 1, 2, follows), PROFILE("1", "", "0", "0"),
           "none of them");
    p.uses_defaults = 1;
    is_str(profile_view(&b, &p, 5, 2, follows),
           PROFILE("1", "\"RB1\",\"RB2\"", "2", "1"), "those it follows");
    is_str(profile_view(&b, &p, 0, 0, NULL), PROFILE("0", "", "0", "1"),
           "while there are none");
    p.except = RBL_STR("\x92\xa3RB0\xa3RB1");
    is_str(profile_view(&b, &p, 0, 2, follows),
           PROFILE("0", "\"RB2\"", "1", "1"),
           "a profile that leaves lists out has the others");
    p.except = RBL_STR("\x92\xa3RB2\xa3RB1");
    is_str(profile_view(&b, &p, 0, 2, follows), PROFILE("0", "", "0", "1"),
           "a profile that leaves all lists out has none");
    p.except = RBL_STR("");

    p.uses_defaults = 0;
    p.entries = RBL_STR("\xdd\xff\xff\xff\xff\xa3RB7\xc1");
    (void) profile_view(&b, &p, 0, 0, NULL);
    p.entries = RBL_STR("\x93\xa3RB7\x05\xa3RB8");
    is_str(profile_view(&b, &p, 0, 0, NULL), PROFILE("0", "\"RB7\"", "1", "0"),
           "damaged ones end there");
    p.entries = RBL_STR("");
    is_str(profile_view(&b, &p, 0, 0, NULL), PROFILE("0", "", "0", "0"),
           "and an invalid array is empty");

    rbl_buf_free(&b);
}


static void
test_list(void)
{
    rbl_buf_t   b;
    rbl_doc_t   d;
    rbl_list_t  l;

    memset(&l, 0, sizeof(l));
    l.id = RBL_STR("RB1");
    l.type = RBL_STR("rbl");
    l.zone = RBL_STR("bl.example");
    l.name = RBL_STR("A <list>");
    l.website = RBL_STR("https://bl.example/");
    l.status = RBL_STR("active");
    l.health = RBL_STR("good");
    l.families = RBL_FAMILY_IPV4 | RBL_FAMILY_DOMAIN;

    rbl_buf_init(&b);
    rbl_doc_begin(&d, &b.out, RBL_JSON);
    rbl_doc_array(&d, "data");
    rbl_view_list(&d, NULL, &l);
    l.custom = 1;
    l.families = ~0;
    rbl_view_list(&d, NULL, &l);
    rbl_doc_close(&d);
    rbl_doc_end(&d);

    is_str(rbl_buf_str(&b),
           "{\"data\":[{\"id\":\"RB1\",\"type\":\"rbl\","
           "\"host\":\"bl.example\",\"custom\":0,\"status\":\"active\","
           "\"name\":\"A <list>\",\"website\":\"https://bl.example/\","
           "\"families\":[\"ipv4\",\"domain\"],\"health\":\"good\"},"
           "{\"id\":\"RB1\",\"type\":\"rbl\","
           "\"host\":\"bl.example\",\"custom\":1,\"status\":\"active\","
           "\"name\":\"A <list>\",\"website\":\"https://bl.example/\","
           "\"families\":[\"ipv4\",\"ipv6\",\"domain\"],"
           "\"health\":\"good\"}]}", "two lists");

    rbl_buf_free(&b);
}


static rbl_str_t
contact_view(rbl_buf_t *b, const char *type, const char *value)
{
    rbl_doc_t      d;
    rbl_buf_t      groups;
    rbl_contact_t  c;

    rbl_buf_init(&groups);
    rbl_mp_put_array(&groups.out, 2);
    rbl_mp_put_z(&groups.out, "CG1");
    rbl_mp_put_z(&groups.out, "CG2");

    memset(&c, 0, sizeof(c));
    c.id = RBL_STR("CO1");
    c.type = rbl_str(type);
    c.value = rbl_str(value);
    c.schedule = RBL_STR("every_check");
    c.status = RBL_STR("pending");
    c.groups = rbl_buf_str(&groups);
    c.digest = RBL_STR("digest");

    rbl_buf_reset(b);
    rbl_doc_begin(&d, &b->out, RBL_JSON);
    rbl_view_contact(&d, "c", &c, 1);
    rbl_doc_end(&d);
    rbl_buf_free(&groups);

    return rbl_buf_str(b);
}


#define CONTACT(value, type)                                                  \
    "{\"c\":{\"id\":\"CO1\",\"contact\":\"" value "\",\"type\":\"" type "\","  \
    "\"schedule\":\"every_check\",\"status\":\"pending\","                  \
    "\"contact_group\":\"CG1,CG2\"}}"

static void
test_contact(void)
{
    rbl_buf_t  b;

    rbl_buf_init(&b);
    is_str(contact_view(&b, "email", "ops@a.example"),
           CONTACT("ops@a.example", "email"), "a contact");
    is_str(contact_view(&b, "datadog", "datadoghq.eu,key"),
           CONTACT("datadoghq.eu,****", "datadog"), "one with a secret");
    is_str(contact_view(&b, "other", "key"), CONTACT("****", "other"),
           "one of a type that is not known");
    rbl_buf_free(&b);
}


static void
test_group(void)
{
    rbl_buf_t    b;
    rbl_doc_t    d;
    rbl_group_t  g = { RBL_STR("CG1"), RBL_STR("Ops"), 7 };

    rbl_buf_init(&b);
    rbl_doc_begin(&d, &b.out, RBL_JSON);
    rbl_view_group(&d, "g", &g, 2, 3, 4);
    rbl_doc_end(&d);
    is_str(rbl_buf_str(&b), "{\"g\":{\"id\":\"CG1\",\"name\":\"Ops\","
           "\"is_default\":1,\"total_hosts\":3,\"total_contacts\":4}}",
           "a contact group");
    rbl_buf_free(&b);
}


int
main(void)
{
    test_host();
    test_profile();
    test_list();
    test_flaps();
    test_state();
    test_while();
    test_damage();
    test_result();
    test_contact();
    test_group();

    return tap_done();
}
