/* Messages to contacts, byte by byte, made and parsed. */

#include "base/buf.h"
#include "deliver/message/message.h"

#include "deliver/channels/channel.h"
#include "rbl_sid.h"
#include "tap.h"

#define EV  "EV00000000000000000000000000000001"
#define CO  "CO00000000000000000000000000000002"

#define NOW  INT64_C(1795167000000)     /* 2026-11-20 09:30:00 UTC */


static rbl_event_t
event(void)
{
    rbl_event_t  ev;

    memset(&ev, 0, sizeof(ev));
    ev.id = RBL_STR(EV);
    ev.type = RBL_STR("contact.confirm");
    ev.date = NOW;
    ev.contact = RBL_STR(CO);
    ev.code = RBL_STR("k7m2xq");

    return ev;
}


static rbl_err_t
confirm(rbl_buf_t *buf, const rbl_event_t *ev)
{
    return message_event(&buf->out, ev, &rbl_timezone_utc);
}


static void
test_confirm(void)
{
    rbl_buf_t    buf, again;
    message_t    m;
    rbl_event_t  ev;

    rbl_buf_init(&buf);
    rbl_buf_init(&again);
    ev = event();

    ok(confirm(&buf, &ev) == RBL_OK, "a message is made");
    ok(confirm(&again, &ev) == RBL_OK
       && rbl_str_eq(rbl_buf_str(&buf), rbl_buf_str(&again)),
       "of the same bytes again");

    ok(message_read(&m, rbl_buf_str(&buf)) == RBL_OK, "and read again");
    is_str(m.event, EV, "its event");
    is_str(m.type, "contact.confirm", "its type");
    is_str(m.code, "k7m2xq", "its code");
    is_str(m.url, "", "no URL");
    ok(m.title.n > 0 && m.title.n < 78, "a title of one line");
    ok(memmem(m.text.p, m.text.n, "\n    k7m2xq\n", 12) != NULL,
       "the code on a line of its own");
    ok(memmem(m.text.p, m.text.n, "2026-11-21 09:30:00 UTC", 23) != NULL,
       "until when it is valid");
    message_free(&m);

    rbl_buf_free(&buf);
    rbl_buf_free(&again);
}


static void
refused(rbl_event_t ev, const char *name)
{
    rbl_buf_t  buf;

    rbl_buf_init(&buf);
    ok(confirm(&buf, &ev) == RBL_ETYPE, "refused: %s", name);
    rbl_buf_free(&buf);
}


static void
test_refused(void)
{
    rbl_event_t  ev;

    ev = event();
    ev.type = RBL_STR("rbl.host.listed");
    refused(ev, "another type");
    ev = event();
    ev.id = RBL_STR("EV1");
    refused(ev, "no event");
    ev = event();
    ev.contact = RBL_STR(CO "0");
    refused(ev, "no contact");
    ev = event();
    ev.code = RBL_STR("");
    refused(ev, "no code");
    ev.code = RBL_STR("k7m2xq\n");
    refused(ev, "a code with a line feed");
    ev.code = RBL_STR("k7m2\xc3\xa4");
    refused(ev, "a code that is not ASCII");
    ev.code = RBL_STR("123456789012345678901234567890123");
    refused(ev, "a code that is too long");
}


#define AC    "AC0123456789abcdef0123456789abcdef"
#define HEX   "60e05bd1b195af2f94112fa7197a5c88289058840ce7c6df9693756bc6250f55"
#define LINK  AC "." SECRET

/* HEX is the SHA-256 of SECRET. */
#define SECRET                                                                \
    "0000000000000000000000000000000000000000000000000000000000000000"


static rbl_event_t
link_event(void)
{
    rbl_event_t  ev;

    ev = event();
    ev.type = RBL_STR("user.link");
    ev.check = RBL_STR("https://a.example/portal/");
    ev.value = RBL_STR("192.0.2.1");
    ev.message = RBL_STR("An <account>");
    ev.contact = RBL_STR("US00000000000000000000000000000002");
    ev.code = RBL_STR(AC "." HEX);

    return ev;
}


static void
link_refused(rbl_event_t ev, const char *name)
{
    rbl_buf_t  buf;

    rbl_buf_init(&buf);
    ok(message_event(&buf.out, &ev, &rbl_timezone_utc) == RBL_ETYPE,
       "refused: %s", name);
    rbl_buf_free(&buf);
}


/* The name of an account in the mail; "": it is left out. */

static void
link_named(const char *name, const char *shown)
{
    const char   *at, *link;
    rbl_buf_t     buf;
    message_t     m;
    rbl_event_t   ev;
    char          line[100];

    ev = link_event();
    ev.message = rbl_str(name);
    rbl_buf_init(&buf);
    ok(message_event(&buf.out, &ev, &rbl_timezone_utc) == RBL_OK
       && message_read(&m, rbl_buf_str(&buf)) == RBL_OK, "a mail");
    link = memmem(m.text.p, m.text.n, "#/link/", 7);
    at = memmem(m.text.p, m.text.n, "\n\nAccount: ", 11);
    snprintf(line, sizeof(line), "\n\nAccount: %s\n", shown);

    if (shown[0] == '\0') {
        ok(at == NULL && memmem(m.text.p, m.text.n, name, 12) == NULL,
           "the name \"%s\" is left out", name);

    } else {
        ok(at != NULL && link != NULL && link < at
           && memmem(m.text.p, m.text.n, line, strlen(line)) == at,
           "the name \"%s\" stands behind the link", shown);
    }

    message_free(&m);
    rbl_buf_free(&buf);
}


static void
test_link(void)
{
    char         text[] = "550 " SECRET " no", part[] = "550 0123 no";
    char         json[2048];
    rbl_buf_t    buf;
    message_t    m;
    rbl_event_t  ev;

    ev = link_event();
    rbl_buf_init(&buf);
    ok(message_event(&buf.out, &ev, &rbl_timezone_utc) == RBL_OK, "a link");
    ok(memmem(rbl_buf_str(&buf).p, rbl_buf_str(&buf).n, SECRET, 64) == NULL,
       "the message that is stored has no secret");
    snprintf(json, sizeof(json), "%.*s", (int) rbl_buf_str(&buf).n,
             rbl_buf_str(&buf).p);
    message_link_open(json, strlen(json), RBL_STR("0123"));
    message_link_open(json, strlen(json), RBL_STR(HEX));
    ok(strlen(json) == rbl_buf_str(&buf).n
       && memcmp(json, rbl_buf_str(&buf).p, strlen(json)) == 0,
       "another secret changes nothing");
    message_link_open(json, strlen(json), RBL_STR(SECRET));
    ok(message_read(&m, rbl_str(json)) == RBL_OK, "and read again");
    is_str(m.type, "user.link", "its type");
    is_str(m.code, SECRET, "its secret");
    ok(memmem(m.text.p, m.text.n, "\n    https://a.example/portal/#/link/" LINK
              "\n", 37 + sizeof(LINK)) != NULL, "on a line of its own");
    ok(memmem(m.text.p, m.text.n, "2026-11-20 09:45:00 UTC", 23) != NULL,
       "15 minutes");
    ok(memmem(m.text.p, m.text.n, "192.0.2.1", 9) != NULL
       && memmem(m.text.p, m.text.n, "An <account>", 12) != NULL,
       "who asked, and the account");
    message_free(&m);

    message_hide_code(text, rbl_str(json));
    ok(strspn(text + 4, "*") == 64, "the secret is hidden");
    message_hide_code(part, rbl_str(json));
    is_str(rbl_str(part), "550 0123 no", "nothing else");
    rbl_buf_free(&buf);

    link_named("ACME", "ACME");
    link_named("ACME\". Sign in at https://evil.example/ now", "");
    link_named("Please go to www.evil.example", "");
    link_named("Please go to evil.example/now", "");
    link_named("Mr. Smith & Co.", "Mr. Smith & Co.");
    link_named("0123456789012345678901234567890123456789X",
               "0123456789012345678901234567890123456789");
    link_named("012345678901234567890123456789012345678\xc3\xa4X",
               "012345678901234567890123456789012345678");

    ok(message_is_secret(RBL_STR("user.link"))
       && message_is_secret(RBL_STR("contact.confirm"))
       && !message_is_secret(RBL_STR("contact.trigger")), "types with secrets");

    ev.contact = RBL_STR(CO);
    link_refused(ev, "no user");
    ev = link_event();
    ev.check = RBL_STR("a.example");
    link_refused(ev, "no URL");
    ev = link_event();
    ev.code.n--;
    link_refused(ev, "a short link");
    ev.code = RBL_STR(AC ":" HEX);
    link_refused(ev, "no link");
    ev.code = RBL_STR("US0123456789abcdef0123456789abcdef." HEX);
    link_refused(ev, "no account");
    ev.code = RBL_STR(AC ".X123456789abcdef0123456789abcdef"
                      "0123456789abcdef0123456789abcdef");
    link_refused(ev, "no digits");
}


static void
test_read(void)
{
    size_t     i;
    message_t  m;

    static const char *const  bad[] = {
        "", "{", "[]", "null", "{}", "\"x\"", "{\"event_sid\":1}",
        "{\"event_sid\":\"a\",\"event_type\":\"b\",\"title\":\"c\","
        "\"message\":\"d\"}",
        "{\"event_sid\":\"a\",\"event_type\":\"b\",\"title\":\"c\","
        "\"message\":\"d\\u0000\",\"url\":\"\"}",
        "{\"event_sid\":\"a\",\"event_type\":\"b\",\"title\":null,"
        "\"message\":\"d\",\"url\":\"\"}"
    };

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ok(message_read(&m, rbl_str(bad[i])) == RBL_ETYPE, "no message: %zu",
           i);
    }

    ok(message_read(&m, RBL_STR("{\"event_sid\":\"a\",\"event_type\":\"b\","
                                "\"title\":\"c\",\"message\":\"d\","
                                "\"url\":\"e\"}")) == RBL_OK,
       "one without a code");
    is_str(m.code, "", "has none");
    message_free(&m);
}


static message_listing_t
listing(const char *zone, const char *name, const char *weight)
{
    message_listing_t  l;

    memset(&l, 0, sizeof(l));
    l.id = RBL_STR("RB00000000000000000000000000000003");
    l.zone = rbl_str(zone);
    l.name = rbl_str(name);
    l.details = RBL_STR("https://look.example/?q=192.0.2.7");
    l.reason = RBL_STR("spam \"source\"");
    l.weight = rbl_str(weight);
    l.since = RBL_STR("2026-11-20 09:30:00 UTC");

    return l;
}


static message_host_t
host(const char *value, message_state_t state, size_t n,
    message_listing_t *listings)
{
    message_host_t  h;

    memset(&h, 0, sizeof(h));
    h.id = RBL_STR("HT00000000000000000000000000000004");
    h.value = rbl_str(value);
    h.state = state;
    h.n_listings = n;
    h.listed_count = (int64_t) n;
    h.listing = listings;
    h.first_listed = rbl_str(n > 0 ? "2026-11-20 09:30:00 UTC" : "");

    return h;
}


static const char  *portal = "";


static void
trigger(rbl_buf_t *buf, message_t *m, size_t n, message_host_t *hosts)
{
    size_t  i;

    memset(m, 0, sizeof(*m));
    m->event = RBL_STR(EV);
    m->portal = rbl_str(portal);
    m->n_hosts = n;
    m->host = hosts;

    for (i = 0; i < n; i++) {
        m->listed += hosts[i].state == MESSAGE_LISTED;
        m->delisted += hosts[i].state == MESSAGE_DELISTED;
        m->unreported += hosts[i].state == MESSAGE_UNREPORTED;
        m->clear += hosts[i].state == MESSAGE_CLEAR;
    }

    rbl_buf_init(buf);
    message_trigger(&buf->out, m);
}


/* New listings beside old ones, ended ones, hosts that flap. */

static const struct {
    int          hosts;
    int          fresh;             /* so many of the listings are new */
    size_t       relisted;          /* number of one, from 1; 0: none */
    int          flaps, held;
    const char  *title;
    const char  *text[3];           /* parts of it; NULL */
} news_rows[] = {
    { 1, 3, 0, 0, 0, "1 host listed: 192.0.2.7 by one.example and 2 more",
      { "UTC:\n  - one.example", NULL, NULL } },
    { 1, 1, 0, 0, 0, "1 host listed: 192.0.2.7 by one.example and 2 more",
      { "UTC:\n  New:\n  - one.example, high",
        "  Listed before:\n  - two.example, high",
        "  No longer listed by:\n  - Off (off.example), listed for"
        " 3 d 4 h\n" } },
    { 1, 3, 1, 0, 0, "1 host listed: 192.0.2.7 by one.example and 2 more,"
      " relisted (was off it for 2 d 3 h)",
      { "  - one.example, high, since 2026-11-20 09:30:00 UTC, relisted"
        " (was off it for 2 d 3 h)\n", NULL, NULL } },
    { 1, 3, 3, 0, 0, "1 host listed: 192.0.2.7 by one.example and 2 more,"
      " three.example relisted (was off it for 2 d 3 h)",
      { NULL, NULL, NULL } },
    { 1, 1, 3, 0, 0, "1 host listed: 192.0.2.7 by one.example and 2 more",
      { "three.example, high, since 2026-11-20 09:30:00 UTC, relisted",
        NULL, NULL } },
    { 1, 3, 1, 1, 1, "1 host listed: 192.0.2.7 by one.example and 2 more,"
      " flapping since 2026-11-19 08:00:00 UTC",
      { "  Flapping since 2026-11-19 08:00:00 UTC (5 changes); further"
        " changes are reported when there was none for 6 hours.\n",
        NULL, NULL } },
    { 1, 3, 1, 1, 0, "1 host listed: 192.0.2.7 by one.example and 2 more,"
      " flapping since 2026-11-19 08:00:00 UTC",
      { "  Flapping since 2026-11-19 08:00:00 UTC (5 changes).\n",
        NULL, NULL } },
    { 2, 3, 1, 0, 0, "2 hosts listed: 192.0.2.7, 192.0.2.8, 2 relisted",
      { NULL, NULL, NULL } },
    { 2, 3, 1, 1, 0, "2 hosts listed: 192.0.2.7, 192.0.2.8, 1 relisted,"
      " 1 flapping", { NULL, NULL, NULL } }
};


static void
test_news(void)
{
    size_t             i, k;
    rbl_buf_t          buf;
    message_t          m;
    message_host_t     h[2];
    message_past_t     past;
    message_listing_t  l[3];

    past = (message_past_t) {
        .id = RBL_STR("RB00000000000000000000000000000009"),
        .zone = RBL_STR("off.example"), .name = RBL_STR("Off"),
        .since = RBL_STR("2026-11-17 04:00:00 UTC"),
        .till = RBL_STR("2026-11-20 08:00:00 UTC"),
        .period = RBL_STR("3 d 4 h")
    };

    for (i = 0; i < sizeof(news_rows) / sizeof(news_rows[0]); i++) {
        l[0] = listing("one.example", "", "high");
        l[1] = listing("two.example", "", "high");
        l[2] = listing("three.example", "", "high");

        for (k = 0; k < 3; k++) {
            l[k].fresh = (int) k < news_rows[i].fresh;
            l[k].off = k + 1 == news_rows[i].relisted ? RBL_STR("2 d 3 h")
                                                 : RBL_STR("");
        }

        h[0] = host("192.0.2.7", MESSAGE_LISTED, 3, l);
        h[1] = host("192.0.2.8", MESSAGE_LISTED, 3, l);
        h[0].n_past = news_rows[i].fresh == 1;
        h[0].past = &past;

        if (news_rows[i].flaps) {
            h[0].flaps = RBL_STR("2026-11-19 08:00:00 UTC");
            h[0].changes = 5;
            h[0].held = news_rows[i].held;
        }

        trigger(&buf, &m, (size_t) news_rows[i].hosts, h);
        ok(message_read(&m, rbl_buf_str(&buf)) == RBL_OK
           && m.n_hosts == (size_t) news_rows[i].hosts, "row %zu: read", i);
        is_str(m.title, news_rows[i].title, "its title");

        for (k = 0; k < 3 && news_rows[i].text[k] != NULL; k++) {
            ok(memmem(m.text.p, m.text.n, news_rows[i].text[k],
                      strlen(news_rows[i].text[k])) != NULL,
               "row %zu: its text has part %zu", i, k);
        }

        ok(m.host[0].listing[0].fresh == 1
           && m.host[0].listing[2].fresh == (news_rows[i].fresh == 3)
           && m.host[0].n_past == h[0].n_past
           && m.host[0].changes == (news_rows[i].flaps ? 5 : 0)
           && m.host[0].held == news_rows[i].held, "row %zu: the same", i);
        is_str(m.host[0].flaps,
               news_rows[i].flaps ? "2026-11-19 08:00:00 UTC" : "",
               "since when it flaps");

        if (m.host[0].n_past > 0) {
            is_str(m.host[0].past[0].zone, "off.example", "what has ended");
            is_str(m.host[0].past[0].period, "3 d 4 h", "how long it was");
            is_str(m.host[0].past[0].till, "2026-11-20 08:00:00 UTC", "till");
        }

        message_free(&m);
        rbl_buf_free(&buf);
    }

    h[0] = host("192.0.2.7", MESSAGE_DELISTED, 0, NULL);
    h[0].n_past = 1;
    h[0].past = &past;
    trigger(&buf, &m, 1, h);
    ok(message_read(&m, rbl_buf_str(&buf)) == RBL_OK, "an end");
    is_str(m.text, "No longer listed:\n\n192.0.2.7\n"
           "  - Off (off.example), listed for 3 d 4 h\n", "how long it was");
    message_free(&m);
    rbl_buf_free(&buf);
}


static void
test_trigger(void)
{
    rbl_buf_t          buf;
    message_t          m;
    message_host_t     h[2];
    message_listing_t  l[2];

    l[0] = listing("bl.example", "Example list", "high");
    l[0].delisting = RBL_STR("https://off.example/");
    l[1] = listing("own.example", "", "normal");
    l[1].details = l[1].reason;
    h[0] = host("192.0.2.7", MESSAGE_LISTED, 2, l);
    h[0].name = RBL_STR("mail\nout");
    h[1] = host("192.0.2.9", MESSAGE_DELISTED, 0, NULL);

    trigger(&buf, &m, 2, h);
    is_str(rbl_buf_str(&buf),
           "{\"event_sid\":\"" EV "\",\"event_type\":\"contact.trigger\","
           "\"title\":\"1 host listed, 1 host delisted: 192.0.2.7, 192.0.2.9\","
           "\"message\":\""
           "Listed:\\n\\n192.0.2.7 (mail out) is on 2 lists, listed since "
           "2026-11-20 09:30:00 UTC:\\n"
           "  - Example list (bl.example), high, since "
           "2026-11-20 09:30:00 UTC\\n"
           "    Reason: spam \\\"source\\\"\\n"
           "    Look-up: https://look.example/?q=192.0.2.7\\n"
           "    Delisting: https://off.example/\\n"
           "  - own.example, normal, since 2026-11-20 09:30:00 UTC\\n"
           "    Reason: spam \\\"source\\\"\\n"
           "\\nNo longer listed:\\n\\n192.0.2.9\\n\",\"url\":\"\","
           "\"hosts\":[{\"id\":\"HT00000000000000000000000000000004\","
           "\"host\":\"192.0.2.7\",\"name\":\"mail\\nout\","
           "\"status\":\"listed\","
           "\"first_listed\":\"2026-11-20 09:30:00 UTC\","
           "\"listed_count\":2,\"listings\":["
           "{\"id\":\"RB00000000000000000000000000000003\","
           "\"host\":\"bl.example\",\"name\":\"Example list\","
           "\"website\":\"\","
           "\"details\":\"https://look.example/?q=192.0.2.7\","
           "\"reason\":\"spam \\\"source\\\"\","
           "\"delisting\":\"https://off.example/\","
           "\"weight\":\"high\",\"since\":\"2026-11-20 09:30:00 UTC\","
           "\"new\":0},"
           "{\"id\":\"RB00000000000000000000000000000003\","
           "\"host\":\"own.example\",\"name\":\"\",\"website\":\"\","
           "\"details\":\"spam \\\"source\\\"\","
           "\"reason\":\"spam \\\"source\\\"\",\"delisting\":\"\","
           "\"weight\":\"normal\","
           "\"since\":\"2026-11-20 09:30:00 UTC\",\"new\":0}]},"
           "{\"id\":\"HT00000000000000000000000000000004\","
           "\"host\":\"192.0.2.9\",\"name\":\"\",\"status\":\"delisted\","
           "\"first_listed\":\"\",\"listed_count\":0,\"listings\":[]}],"
           "\"listed\":1,\"delisted\":1,\"weight\":\"high\",\"clear\":0,"
           "\"unreported\":0}",
           "byte by byte");

    ok(message_read(&m, rbl_buf_str(&buf)) == RBL_OK, "and read again");
    is_str(m.event, EV, "its event");
    is_str(m.type, "contact.trigger", "its type");
    is_str(m.title, "1 host listed, 1 host delisted: 192.0.2.7, 192.0.2.9",
           "its title");
    is_str(m.weight, "high", "its weight");
    ok(m.listed == 1 && m.delisted == 1 && m.clear == 0, "its numbers");
    ok(m.n_hosts == 2 && m.host[0].n_listings == 2
       && m.host[1].n_listings == 0, "its hosts");
    ok(m.host[0].state == MESSAGE_LISTED
       && m.host[1].state == MESSAGE_DELISTED, "their states");
    is_str(m.host[0].value, "192.0.2.7", "a host");
    is_str(m.host[0].name, "mail\nout", "its name");
    is_str(m.host[0].listing[1].zone, "own.example", "a list");
    is_str(m.host[0].listing[0].delisting, "https://off.example/",
           "its delisting");
    is_str(m.host[0].listing[0].since, "2026-11-20 09:30:00 UTC", "since");
    message_free(&m);
    rbl_buf_free(&buf);
}


/* Hosts of one network, and the portal. */

static void
test_networks(void)
{
    size_t             i;
    rbl_buf_t          buf;
    message_t          m, again;
    message_host_t     h[3];
    message_listing_t  l[2];

    static const struct {
        const char  *value[3], *title;
    } rows[] = {
        { { "192.0.2.1", "192.0.2.77", "192.0.2.255" },
          "3 hosts listed: 192.0.2.0/24" },
        { { "192.0.2.1", "192.0.2.77", "192.0.3.1" },
          "3 hosts listed: 192.0.2.1, 192.0.2.77 and 1 more" },
        { { "2001:db8::1", "2001:db8::2:3", "2001:db8:0:0:ffff::" },
          "3 hosts listed: 2001:db8::/64" },
        { { "2001:db8::1", "2001:db8:0:1::1", "2001:db8::2" },
          "3 hosts listed: 2001:db8::1, 2001:db8:0:1::1 and 1 more" },
        { { "192.0.2.1", "mx.example", "192.0.2.3" },
          "3 hosts listed: 192.0.2.1, mx.example and 1 more" },
        { { "a-very-long-name-of-a-host-that-has-no-end.at-all.mail.example",
            "b.example", "c.example" },
          "3 hosts listed: a-very-long-name-of-a-host-that-has-no-end.at-a"
          "\xe2\x80\xa6, b.example and 1 more" }
    };

    l[0] = listing("bl.example", "Example list", "high");
    l[1] = l[0];

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        h[0] = host(rows[i].value[0], MESSAGE_LISTED, 1, l);
        h[1] = host(rows[i].value[1], MESSAGE_LISTED, 1, l);
        h[2] = host(rows[i].value[2], MESSAGE_LISTED, 1, l);
        trigger(&buf, &m, 3, h);
        ok(message_read(&again, rbl_buf_str(&buf)) == RBL_OK, "read");
        is_str(again.title, rows[i].title, "hosts in a title");
        message_free(&again);
        rbl_buf_free(&buf);
    }

    portal = "https://rbl.example/portal";
    trigger(&buf, &m, 3, h);
    ok(message_read(&again, rbl_buf_str(&buf)) == RBL_OK, "read");
    is_str(again.portal, "https://rbl.example/portal/#/hosts",
           "the page with all hosts");
    is_str(again.url, "https://rbl.example/portal/#/hosts",
           "it is the link of the message");
    message_free(&again);
    rbl_buf_free(&buf);

    portal = "https://rbl.example/portal/";
    h[0] = host("192.0.2.1", MESSAGE_LISTED, 3, l);
    h[0].n_listings = 2;
    trigger(&buf, &m, 1, h);
    ok(message_read(&again, rbl_buf_str(&buf)) == RBL_OK, "read");
    is_str(again.title, "1 host listed: 192.0.2.1 by Example list and 2 more",
           "several lists in a title");
    is_str(again.portal, "https://rbl.example/portal/#/host/"
                         "HT00000000000000000000000000000004",
           "the page of the host");
    ok(strstr(again.text.p, "\nPortal: https://rbl.example/portal/#/host/HT")
       != NULL, "the text has the link");
    message_free(&again);
    rbl_buf_free(&buf);

    h[0].state = MESSAGE_UNREPORTED;
    trigger(&buf, &m, 1, h);
    ok(message_read(&again, rbl_buf_str(&buf)) == RBL_OK, "read");
    is_str(again.portal, "https://rbl.example/portal/#/hosts",
           "a host that may be gone has no page");
    message_free(&again);
    rbl_buf_free(&buf);
    portal = "";
}


static void
test_titles(void)
{
    rbl_buf_t          buf;
    message_t          m, again;
    message_host_t     h[3];
    message_listing_t  l;

    static const char  ended[] =
        "\"listings\":[],\"reason\":\"list_ended\",\"why\":\"list A is no"
        " longer used\"}";

    l = listing("bl.example", "bl.example", "info");
    h[0] = host("a.example", MESSAGE_CLEAR, 0, NULL);
    h[1] = h[0];
    h[2] = host("b.example", MESSAGE_LISTED, 1, &l);

    trigger(&buf, &m, 2, h);
    ok(message_read(&again, rbl_buf_str(&buf)) == RBL_OK, "read");
    is_str(again.title, "2 hosts not listed: a.example, a.example",
           "clear ones alone");
    is_str(again.text, "Checked and not listed:\n\na.example\na.example\n",
           "in words");
    message_free(&again);
    rbl_buf_free(&buf);

    trigger(&buf, &m, 3, h);
    ok(message_read(&again, rbl_buf_str(&buf)) == RBL_OK, "read");
    is_str(again.title, "1 host listed: a.example, a.example and 1 more",
           "clear ones beside others");
    is_str(again.weight, "info", "nothing worse");
    message_free(&again);
    rbl_buf_free(&buf);

    h[1].state = MESSAGE_UNREPORTED;
    trigger(&buf, &m, 2, h);
    ok(message_read(&again, rbl_buf_str(&buf)) == RBL_OK, "read");
    is_str(again.title, "1 host no longer reported: a.example, a.example",
           "one that is deleted");
    is_str(again.text, "Was listed, and is no longer reported:\n\na.example"
                       "\n\nChecked and not listed:\n\na.example\n",
           "in words");
    ok(again.unreported == 1 && again.host[1].state == MESSAGE_UNREPORTED,
       "and its state is read");
    message_free(&again);
    rbl_buf_free(&buf);

    h[1].why = RBL_STR("list A is no longer used");
    trigger(&buf, &m, 1, h + 1);
    ok(message_read(&again, rbl_buf_str(&buf)) == RBL_OK,
       "a list that is not used: the message is read");
    is_str(again.title, "1 host no longer reported: a.example, list A is no"
                        " longer used", "the title has the list");
    is_str(again.text, "Was listed, and is no longer reported:\n\n"
                       "a.example: list A is no longer used\n",
           "the text has the list");
    is_str(again.host[0].why, "list A is no longer used",
           "the host has the list");
    ok(memmem(rbl_buf_str(&buf).p, rbl_buf_str(&buf).n, ended, strlen(ended))
       != NULL, "the reason and the text end the host");
    message_free(&again);
    rbl_buf_free(&buf);
    h[1].why = RBL_STR("");

    trigger(&buf, &m, 2, h + 1);
    ok(message_read(&again, rbl_buf_str(&buf)) == RBL_OK, "read");
    is_str(again.title, "1 host listed, 1 host no longer reported: a.example,"
                        " b.example", "beside one that is listed");
    message_free(&again);
    rbl_buf_free(&buf);

    trigger(&buf, &m, 1, h + 2);
    ok(message_read(&again, rbl_buf_str(&buf)) == RBL_OK, "read");
    is_str(again.url, "https://look.example/?q=192.0.2.7",
           "one host on one list: where to look");
    is_str(again.title, "1 host listed: b.example by bl.example",
           "one host on one list: the title has both");
    ok(again.portal.n == 0, "no portal is known");
    message_free(&again);
    rbl_buf_free(&buf);
}


/* A storm: complete counts, some of the hosts, a bounded size. */

static void
test_storm(void)
{
    size_t             i;
    rbl_buf_t          buf;
    message_t          m, again;
    message_host_t     h[MESSAGE_HOSTS];
    message_listing_t  l[MESSAGE_LISTINGS + 1];

    for (i = 0; i <= MESSAGE_LISTINGS; i++) {
        l[i] = listing("bl.example", "An example of a list", "normal");
    }

    l[MESSAGE_LISTINGS].weight = RBL_STR("critical");

    for (i = 0; i < MESSAGE_HOSTS; i++) {
        h[i] = host("2001:db8::1", MESSAGE_LISTED, MESSAGE_LISTINGS + 1, l);
    }

    trigger(&buf, &m, MESSAGE_HOSTS, h);
    rbl_buf_free(&buf);
    rbl_buf_init(&buf);
    m.listed = 5000;
    message_trigger(&buf.out, &m);
    ok(rbl_buf_str(&buf).n < MESSAGE_MAX + 2 * MESSAGE_TEXT_MAX,
       "a storm is bounded: %zu", rbl_buf_str(&buf).n);

    ok(message_read(&again, rbl_buf_str(&buf)) == RBL_OK, "read");
    is_str(again.title, "5000 hosts listed: 2001:db8::1, 2001:db8::1 and 4998"
                        " more", "all are counted");
    ok(again.listed == 5000 && again.n_hosts > 5
       && again.n_hosts < MESSAGE_HOSTS, "some are in the message: %zu",
       again.n_hosts);
    ok(again.host[0].n_listings == MESSAGE_LISTINGS
       && again.host[0].listed_count == MESSAGE_LISTINGS + 1,
       "with some of their lists");
    is_str(again.weight, "critical", "the worst of all");
    ok(memmem(again.text.p, again.text.n, "  and 41 lists more\n", 20)
       != NULL, "lists more");
    ok(memmem(again.text.p, again.text.n, " hosts more\n", 12) != NULL,
       "hosts more");
    message_free(&again);
    rbl_buf_free(&buf);
}


/* Addresses of a range that are on twelve lists: the text has ten of them. */

static void
test_siblings(void)
{
    rbl_sid_t          id[12];
    size_t             i;
    rbl_buf_t          buf;
    message_t          m, again;
    message_host_t     h[3];
    message_listing_t  l[12];

    static const char  end[] = "    Look-up: https://look.example/?q=192.0.2.7"
                               "\n  and 2 lists more\n";

    for (i = 0; i < 12; i++) {
        l[i] = listing("bl.example", "A list", "normal");
        snprintf(id[i].s, sizeof(id[i].s), "RB%032zu", i);
        l[i].id = rbl_str(id[i].s);
    }

    h[0] = host("192.0.2.1", MESSAGE_LISTED, 12, l);
    h[1] = host("192.0.2.2", MESSAGE_LISTED, 12, l);
    h[2] = host("192.0.2.3", MESSAGE_LISTED, 12, l);

    for (i = 0; i < 3; i++) {
        h[i].range = RBL_STR("192.0.2.0/28");
        h[i].range_hosts = 16;
    }

    trigger(&buf, &m, 3, h);
    ok(message_read(&again, rbl_buf_str(&buf)) == RBL_OK, "siblings");
    is_str(again.title, "3 hosts listed: 192.0.2.0/28 by A list and 11 more",
           "the title has their range");
    ok(memmem(again.text.p, again.text.n,
              "Listed:\n\n192.0.2.0/28: 3 of 16 by A list and 11 more\n"
              "  192.0.2.1, 192.0.2.2, 192.0.2.3\n  - A list (bl.example),",
              111) != NULL, "the text has one entry for them");
    ok(again.text.n > sizeof(end) && strcmp(again.text.p + again.text.n
                                            - (sizeof(end) - 1), end) == 0,
       "which counts the lists that it leaves out");
    message_free(&again);
    rbl_buf_free(&buf);
}


static void
test_hide(void)
{
    char       text[64];
    rbl_str_t  json = RBL_STR("{\"event_sid\":\"a\",\"event_type\":\"b\","
                              "\"title\":\"c\",\"message\":\"d\","
                              "\"url\":\"e\",\"authcode\":\"k7m2xq\"}");

    snprintf(text, sizeof(text), "k7m2xq, K7M2XQk7m2xq k7m2x");
    message_hide_code(text, json);
    is_str(rbl_str(text), "******, ************ k7m2x", "the code is hidden");
    message_hide_code(text, RBL_STR("{"));
    is_str(rbl_str(text), "******, ************ k7m2x", "no message, no code");
}


static void
test_channels(void)
{
    ok(channel_find(RBL_STR("")) == &channel_webhook, "receivers");
    ok(channel_find(RBL_STR("email")) == &channel_email, "email");
    ok(channel_find(RBL_STR("endpoint")) == &channel_endpoint, "endpoint");
    ok(channel_find(RBL_STR("e")) == NULL, "none");
    ok(channel_find(RBL_STR("email\0")) == NULL, "nor with a NUL behind");
}


/* --- notices ------------------------------------------------------------- */

#define DAY  INT64_C(86400000)
#define PY   "PY00000000000000000000000000000003"

typedef struct {
    const char  *word, *reason;         /* of the event */
    int64_t      total, next, days;
    int64_t      expires, stops, renew;         /* of the plan */
    int64_t      balance, until;        /* of a payment: the end */
    const char  *title, *text;          /* that are wanted */
} notice_row_t;

static const char  *payment_state = "open";


static void
put_sold(rbl_out_t *out, const notice_row_t *row)
{
    rbl_mp_put_array(out, RBL_SOLD__N);
    rbl_mp_put_int(out, 1);
    rbl_mp_put_z(out, "Business");
    rbl_mp_put_int(out, 25000000);
    rbl_mp_put_int(out, 1000);
    rbl_mp_put_int(out, 900);
    rbl_mp_put_int(out, row->expires);
    rbl_mp_put_int(out, row->renew);
    rbl_mp_put_int(out, row->stops);
}


static void
put_payment(rbl_out_t *out, const notice_row_t *row)
{
    int  i;

    rbl_mp_put_array(out, RBL_PAYMENT__N);
    rbl_mp_put_int(out, 1);
    rbl_mp_put_z(out, PY);
    rbl_mp_put_z(out, "renewal");
    rbl_mp_put_z(out, "rn:1");
    rbl_mp_put_int(out, 25000000);
    rbl_mp_put_z(out, payment_state);
    rbl_mp_put_int(out, 1);
    rbl_mp_put_z(out, "");
    rbl_mp_put_z(out, row->reason);
    rbl_mp_put_int(out, NOW);
    rbl_mp_put_int(out, 0);
    rbl_mp_put_int(out, 0);
    rbl_mp_put_int(out, row->until);

    for (i = 0; i < 4; i++) {
        rbl_mp_put_z(out, "");
    }

    rbl_mp_put_z(out, "https://pay.example/1");

    for (i = RBL_PAYMENT_SENT; i <= RBL_PAYMENT_REFUNDED; i++) {
        rbl_mp_put_int(out, 0);
    }

    rbl_mp_put_z(out, "Business");
    rbl_mp_put_z(out, "manual");

    for (i = RBL_PAYMENT_CREDITED; i < RBL_PAYMENT__N; i++) {
        rbl_mp_put_int(out, 0);
    }
}


static void
put_source(rbl_out_t *out)
{
    int  i;

    rbl_mp_put_array(out, RBL_SOURCE__N);
    rbl_mp_put_int(out, 1);
    rbl_mp_put_z(out, "PS00000000000000000000000000000004");
    rbl_mp_put_z(out, "card");
    rbl_mp_put_z(out, "visa");
    rbl_mp_put_z(out, "4242");
    rbl_mp_put_int(out, 3);
    rbl_mp_put_int(out, 2027);
    rbl_mp_put_z(out, "pm_1");

    for (i = RBL_SOURCE_LIVE; i < RBL_SOURCE__N; i++) {
        rbl_mp_put_int(out, 0);
    }
}


static void
put_billing(rbl_out_t *out, const notice_row_t *row)
{
    rbl_buf_t  of;

    rbl_buf_init(&of);
    rbl_mp_put_array(out, RBL_BILLING__N);
    rbl_mp_put_int(out, 1);
    put_sold(&of.out, row);
    rbl_mp_put_str(out, rbl_buf_str(&of));
    rbl_buf_reset(&of);
    put_payment(&of.out, row);
    rbl_mp_put_str(out, rbl_buf_str(&of));
    rbl_mp_put_int(out, 1);
    rbl_mp_put_z(out, row->reason);
    rbl_mp_put_int(out, row->next);
    rbl_mp_put_int(out, row->days);
    rbl_buf_reset(&of);
    put_source(&of.out);
    rbl_mp_put_str(out, rbl_buf_str(&of));
    rbl_mp_put_int(out, row->balance);
    rbl_mp_put_int(out, 5000000);
    rbl_mp_put_int(out, 0);
    rbl_mp_put_int(out, 0);
    rbl_buf_free(&of);
}


static void
test_notice(const notice_row_t *row)
{
    rbl_buf_t    data, buf;
    message_t    m;
    rbl_event_t  ev;

    rbl_buf_init(&data);
    rbl_buf_init(&buf);
    put_billing(&data.out, row);

    memset(&ev, 0, sizeof(ev));
    ev.id = RBL_STR(EV);
    ev.type = RBL_STR("contact.notice");
    ev.date = NOW;
    ev.message = rbl_str(row->word);
    ev.total = row->total;
    ev.data = rbl_buf_str(&data);

    if (row->title == NULL) {
        ok(message_event(&buf.out, &ev, &rbl_timezone_utc) == RBL_ETYPE,
           "%s is no notice", row->word);

    } else {
        ok(message_event(&buf.out, &ev, &rbl_timezone_utc) == RBL_OK
           && message_read(&m, rbl_buf_str(&buf)) == RBL_OK,
           "%s %s is written", row->word, row->reason);
        is_str(m.title, row->title, "its title");
        ok(memmem(m.text.p, m.text.n, row->text, strlen(row->text)) != NULL
           && memchr(m.text.p, '$', m.text.n) == NULL, "its text: %s",
           row->text);
        message_free(&m);
    }

    ev.data.n--;
    rbl_buf_reset(&buf);
    ok(message_event(&buf.out, &ev, &rbl_timezone_utc) == RBL_ETYPE,
       "%s: damaged data", row->word);
    rbl_buf_free(&data);
    rbl_buf_free(&buf);
}


#define ENDS   (NOW + 7 * DAY)          /* of a plan by the period */
#define STOPS  (NOW + 14 * DAY)
#define PLAN   ENDS, STOPS, 1, 0, NOW + 37 * DAY
#define CHECK  0, 0, 1                  /* by the check */
#define PAYS   "The payment of 25.00 USD for the plan \"Business\" "
#define LEAVE  "The checks stop at 2026-12-04 09:30:00 UTC unless it is paid."

static void
test_under_way(void)
{
    int           i;
    notice_row_t  row = {
        "failed", "", 0, 0, 0, PLAN, PAYS "is still under way",
        PAYS "is still under way, and it may yet be charged. Please do not pay"
        " it in another way.\n\n" LEAVE
    };

    static const char  *states[] = {
        "sent", "processing", "unknown", "customer"
    };

    for (i = 0; i < 4; i++) {
        row.reason = payment_state = states[i];
        test_notice(&row);
    }

    payment_state = "failed";
    row.reason = "unknown";
    row.title = PAYS "was not made";
    row.text = "was not made: unknown. Nothing was charged";
    test_notice(&row);
    payment_state = "open";
}


static void
test_notices(void)
{
    size_t  i;

    static const notice_row_t  rows[] = {
        { "due", "", 0, 0, 0, PLAN, "25.00 USD are due for the plan"
          " \"Business\"", "reference " PY ".\n\n" LEAVE },
        { "paid", "", 0, 0, 0, PLAN, "25.00 USD are paid for the plan"
          " \"Business\"", "paid until 2026-12-27 09:30:00 UTC." },
        { "paid", "", 0, 0, 0, CHECK, 1500000, 0, "25.00 USD are paid for the"
          " plan \"Business\"", "The balance is 1.50 USD." },
        { "failed", "card_declined", 0, NOW + DAY, 0, PLAN, PAYS "was not made",
          "card_declined. Nothing was charged.\n\nThe next attempt is made at"
          " 2026-11-21 09:30:00 UTC." },
        { "failed", "card_declined", 0, 0, 0, PLAN, PAYS "was not made",
          "the service makes no other attempt" },
        { "failed", "card_declined", 0, 0, 0, ENDS, NOW - 1, 1, 0, 1,
          PAYS "was not made", "The checks have stopped until it is paid." },
        { "failed", "card_declined", 0, 0, 0, CHECK, 1, 0, PAYS "was not made",
          "The checks stop when the balance is used up." },
        { "failed", "card_declined", 0, 0, 0, CHECK, 1, 0, PAYS "was not made",
          "this payment is not tried again.\n\nTo pay in another way, top up" },
        { "failed", "card_declined", 0, NOW + DAY, 0, CHECK, 1, 0,
          PAYS "was not made", "The next attempt is made at" },
        { "failed", "authentication_required", 0, 0, 0, PLAN, PAYS "needs you",
          "Add the card again" },
        { "failed", "authentication_required", 0, 0, 0, CHECK, 1, 0,
          PAYS "was not made", "this payment is not tried again" },
        { "failed", "unpaid", 0, 0, 0, PLAN,
          "The plan \"Business\" is not paid", LEAVE },
        { "failed", "limit", 0, 0, 0, CHECK, 300000, 0,
          "The balance is not recharged any more today", "is 0.30 USD" },
        { "customer", "", 0, 0, 0, PLAN, PAYS "needs you",
          "Confirm it here:\n\nhttps://pay.example/1\n" },
        { "operator", "", 0, 0, 0, PLAN, PAYS "is not clear",
          "Do not pay in another way" },
        { "ends", "", 0, 0, 14, ENDS, STOPS, 0, 0, 0,
          "The plan \"Business\" ends in 14 days", "its renewal is off" },
        { "ends", "", 0, 0, 1, ENDS, STOPS, 1, 0, 0,
          "The plan \"Business\" ends in 1 day", "no payment source" },
        { "card", "", 0, 0, 30, PLAN,
          "The card visa ...4242 expires in 30 days", "at the end of 03/2027" },
        { "low", "", 0, 0, 0, CHECK, 4998000, 0, "The balance is 4.998 USD",
          "below the alert threshold of 5.00 USD" },
        { "low", "", 0, 0, 0, CHECK, -10000, 0, "The balance is -0.01 USD",
          "The checks have stopped" },
        { "recharge", "", 3, 0, 0, CHECK, 1, 0,
          "Plan \"Business\" is no longer recharged", "failed 3 times" },
        { "recharge", "", 1, 0, 0, CHECK, 1, 0,
          "Plan \"Business\" is no longer recharged", "declined for good" },
        { "expired", "", -1, 0, 0, PLAN, "Plan \"Business\" has expired",
          "All hosts are still checked" },
        { "expired", "", 5, 0, 0, PLAN, "Plan \"Business\" has expired",
          "at most 5." },
        { "active", "", 0, 0, 0, PLAN, "Plan \"Business\" is active again",
          "since 2026-11-20 09:30:00" },
        { "", "", 0, 0, 0, PLAN, NULL, NULL },
        { "hook", "", 0, 0, 0, PLAN, NULL, NULL },
        { "failed:last", "", 0, 0, 0, PLAN, NULL, NULL },
        { "paid$now", "", 0, 0, 0, PLAN, NULL, NULL }
    };

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        test_notice(&rows[i]);
    }
}


int
main(void)
{
    test_notices();
    test_under_way();
    test_confirm();
    test_refused();
    test_link();
    test_read();
    test_trigger();
    test_news();
    test_titles();
    test_networks();
    test_storm();
    test_siblings();
    test_hide();
    test_channels();

    return tap_done();
}
