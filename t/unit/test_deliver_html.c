/* The HTML of a mail: escaping of hostile texts, and its length. */

#include "deliver/message/html.h"

#include <stdlib.h>

#include "rbl_sid.h"
#include "tap.h"

#define S  RBL_STR

#define HOSTILE  "<script>alert(1)</script>\"'&<img src=x onerror=y>" \
                 "</div></table><a href=\"http://x/\">"


static int
has(rbl_str_t s, const char *part)
{
    return memmem(s.p, s.n, part, strlen(part)) != NULL;
}


static size_t
count(rbl_str_t s, const char *part)
{
    size_t       n;
    const char  *at, *end = s.p + s.n;

    for (n = 0, at = s.p; /* void */ ; n++, at++) {
        at = memmem(at, (size_t) (end - at), part, strlen(part));

        if (at == NULL) {
            return n;
        }
    }
}


/* Text that must not be in any page. */

static void
is_safe(rbl_str_t s, const char *name)
{
    size_t  i;

    static const char *const  never[] = {
        "<script", "<img", "<link", "<iframe", "<object", "<form", "src=",
        "@import", "url(", "javascript:", "data:", "\xe2\x80\xae", "\x01"
    };
    static const char *const  pairs[][2] = {
        { "<div", "</div>" }, { "<table", "</table>" }, { "<td", "</td>" },
        { "<a ", "</a>" }, { "<p", "</p>" }, { "<span", "</span>" },
        { "<h2", "</h2>" }, { "<strong", "</strong>" }, { "<tr", "</tr>" }
    };

    for (i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
        ok(!has(s, never[i]), "%s: no %s", name, never[i]);
    }

    for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        ok(count(s, pairs[i][0]) == count(s, pairs[i][1]), "%s: each %s ends",
           name, pairs[i][0]);
    }

    ok(count(s, "href=\"") == count(s, "href=\"http"),
       "%s: links lead to web pages", name);
}


static message_t
trigger(size_t n, message_host_t *host)
{
    message_t  m;

    memset(&m, 0, sizeof(m));
    m.event = S("EV00000000000000000000000000000001");
    m.type = S("contact.trigger");
    m.title = S("1 host listed");
    m.weight = S("critical");
    m.listed = (int64_t) n;
    m.n_hosts = n;
    m.host = host;

    return m;
}


static void
test_hosts(void)
{
    message_t          m;
    rbl_buf_t          buf;
    rbl_str_t          s;
    message_listing_t  l = {
        .zone = S("zen.spamhaus.example"), .name = S("ZEN"),
        .website = S("https://www.example.org/"),
        .details = S("https://check.example.org/?q=192.0.2.7&x=1"),
        .reason = S("CSS"), .delisting = S("https://remove.example.org/"),
        .weight = S("high"), .since = S("2026-11-20 09:30:00 CET")
    };
    message_host_t     hosts[3] = {
        { .value = S("192.0.2.7"), .name = S("mail"), .state = MESSAGE_LISTED,
          .first_listed = S("2026-11-19 09:30:00 CET"), .listed_count = 3,
          .n_listings = 1, .listing = &l },
        { .value = S("192.0.2.8"), .name = S("192.0.2.8"),
          .state = MESSAGE_DELISTED },
        { .value = S("192.0.2.9"), .state = MESSAGE_CLEAR }
    };

    rbl_buf_init(&buf);
    m = trigger(3, hosts);
    m.listed = 7;
    m.delisted = 1;
    m.clear = 1;
    m.portal = S("https://rbl.example.org/portal/#/hosts");
    html_message(&buf, &m);
    s = rbl_buf_str(&buf);

    is_safe(s, "hosts");
    ok(has(s, "href=\"https://rbl.example.org/portal/#/hosts\">Open it in the"
              " portal</a>"), "the portal");
    ok(has(s, ">192.0.2.7</h2>") && has(s, ">mail</div>"), "the host");
    ok(has(s, "Listed on 3 blocklists") && has(s, "Since 2026-11-19 09:30"),
       "where and since when");
    ok(has(s, "<strong>ZEN</strong>") && has(s, ">high<")
       && has(s, "zen.spamhaus.example, since 2026-11-20 09:30:00 CET")
       && has(s, ">CSS</div>"), "its list");
    ok(has(s, "href=\"https://check.example.org/?q=192.0.2.7&amp;x=1\">Look"),
       "where to look it up");
    ok(has(s, "href=\"https://remove.example.org/\">Request removal"),
       "where to request removal");
    ok(!has(s, "www.example.org"), "no page of the list beside that");
    ok(has(s, "And 2 more blocklists."), "and the number of the other lists");
    ok(has(s, "No longer listed") && count(s, "192.0.2.8") == 1, "delisted");
    ok(has(s, "Not listed"), "clear");
    ok(has(s, "And 6 more hosts."), "and the number of the other hosts");
    ok(has(s, "EV00000000000000000000000000000001"), "which message");
    ok(has(s, "prefers-color-scheme:dark") && has(s, "width=device-width"),
       "for the dark and for a phone");
    rbl_buf_free(&buf);
}


static void
test_hostile(void)
{
    message_t          m;
    rbl_buf_t          buf;
    rbl_str_t          s;
    message_listing_t  l[] = {
        { .zone = S(HOSTILE), .name = S(HOSTILE), .website = S(HOSTILE),
          .details = S("javascript:alert(1)"), .reason = S(HOSTILE "\xe2\x80"
          "\xae\x01\xff"), .delisting = S("data:text/html,x"),
          .weight = S(HOSTILE), .since = S(HOSTILE) },
        { .zone = S("x"), .details = S("https://x.example/\"onclick=\"y"),
          .delisting = S("https://x.example/' style=x"),
          .website = S("  https://x.example/") },
        { .zone = S("x"), .details = S("https://u:p@x.example/"),
          .delisting = S("HTTPS://x.example/<b>") }
    };
    message_host_t     host = {
        .value = S(HOSTILE), .name = S(HOSTILE), .state = MESSAGE_LISTED,
        .first_listed = S(HOSTILE), .listed_count = -1, .n_listings = 3,
        .listing = l
    };

    rbl_buf_init(&buf);
    m = trigger(1, &host);
    m.title = S("</title>" HOSTILE);
    m.event = S(HOSTILE);
    html_message(&buf, &m);
    s = rbl_buf_str(&buf);

    /* they appear as text, and no part of them is a tag */

    ok(count(s, "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;") > 6,
       "hostile texts are shown");
    ok(count(s, "</title>") == 1, "the title ends once");
    ok(count(s, "href=\"") == 0, "and none of their URLs is a link");
    ok(!has(s, "<script") && !has(s, "<img") && !has(s, "\" onclick"),
       "no tags of theirs");
    ok(!has(s, "\xe2\x80\xae") && !has(s, "\x01") && !has(s, "\xff"),
       "no control characters, no marks of direction, no broken UTF-8");
    rbl_buf_free(&buf);
}


#define HOSTS     200
#define LISTINGS  50

static void
test_long(void)
{
    size_t              i;
    message_t           m;
    rbl_buf_t           buf;
    rbl_str_t           s;
    char                text[4001];
    message_host_t     *hosts;
    message_listing_t  *l;

    memset(text, '&', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    hosts = calloc(HOSTS, sizeof(message_host_t));
    l = calloc(LISTINGS, sizeof(message_listing_t));

    for (i = 0; i < LISTINGS; i++) {
        l[i].zone = l[i].name = l[i].reason = l[i].since = rbl_str(text);
    }

    for (i = 0; i < HOSTS; i++) {
        hosts[i].value = rbl_str(text);
        hosts[i].state = MESSAGE_LISTED;
        hosts[i].listed_count = LISTINGS;
        hosts[i].n_listings = LISTINGS;
        hosts[i].listing = l;
    }

    rbl_buf_init(&buf);
    m = trigger(HOSTS, hosts);
    html_message(&buf, &m);
    s = rbl_buf_str(&buf);
    is_safe(s, "long");
    ok(s.n < HTML_MAX + 20000, "it is not too long (%zu)", s.n);
    ok(has(s, " more blocklists.") && has(s, " more hosts."),
       "and mentions what is left out");
    ok(has(s, "</body>\n</html>\n"), "and has its end");
    rbl_buf_free(&buf);

    rbl_buf_init(&buf);
    m.n_hosts = 0;
    m.text = rbl_str(text);
    html_message(&buf, &m);
    ok(has(rbl_buf_str(&buf), "&amp;\xe2\x80\xa6</p>")
       || has(rbl_buf_str(&buf), "&amp;</p>"), "words are cut as well");
    rbl_buf_free(&buf);
    free(hosts);
    free(l);
}


static void
test_words(void)
{
    message_t  m;
    rbl_buf_t  buf;
    rbl_str_t  s;

    rbl_buf_init(&buf);
    m = trigger(0, NULL);
    m.type = S("contact.confirm");
    m.code = S("k7m2xq");
    m.text = S("\n\nHello & <b>.\n\n    k7m2xq\n\nOne\ntwo\n\n\n\nEnd\n");
    html_message(&buf, &m);
    s = rbl_buf_str(&buf);
    is_safe(s, "words");
    ok(has(s, ">Hello &amp; &lt;b&gt;.</p>"), "a paragraph");
    ok(has(s, "letter-spacing:4px\">k7m2xq</p>"), "the code, large");
    ok(has(s, ">One<br>\ntwo</p>"), "lines of one");
    ok(has(s, ">End</p>"), "the last");
    ok(!has(s, "is a confirmed contact"), "no word of a confirmation");
    rbl_buf_free(&buf);
}


/* New listings beside old ones, ended ones, and a host that flaps. */

static void
test_news(void)
{
    message_t          m;
    rbl_buf_t          buf;
    rbl_str_t          s;
    message_past_t     past = {
        .zone = S("off.example"), .name = S("Off<"), .period = S("3 d 4 h")
    };
    message_listing_t  l[2] = {
        { .zone = S("one.example"), .weight = S("high"), .fresh = 1,
          .off = S("2 d 3 h") },
        { .zone = S("two.example"), .weight = S("high") }
    };
    message_host_t     host = {
        .value = S("192.0.2.7"), .state = MESSAGE_LISTED, .listed_count = 2,
        .n_listings = 2, .listing = l, .n_past = 1, .past = &past,
        .flaps = S("2026-11-20 09:30:00 CET"), .changes = 5, .held = 1
    };

    rbl_buf_init(&buf);
    m = trigger(1, &host);
    html_message(&buf, &m);
    s = rbl_buf_str(&buf);
    is_safe(s, "news");
    ok(count(s, ">new</span>") == 1, "one listing is new");
    ok(has(s, ">relisted (was off it for 2 d 3 h)</div>"), "a list again");
    ok(has(s, "Off&lt;</span>") && has(s, "listed for 3 d 4 h</div>"),
       "what has ended");
    ok(has(s, ">Flapping since 2026-11-20 09:30:00 CET (5 changes); further"
              " changes are reported when there was none for 6 hours.</div>"),
       "it flaps");
    rbl_buf_free(&buf);

    l[1].fresh = 1;
    rbl_buf_init(&buf);
    html_message(&buf, &m);
    ok(!has(rbl_buf_str(&buf), ">new</span>"), "all listings are new");
    rbl_buf_free(&buf);

    host.state = MESSAGE_DELISTED;
    host.n_listings = 0;
    host.flaps = S("");
    rbl_buf_init(&buf);
    html_message(&buf, &m);
    ok(has(rbl_buf_str(&buf), "listed for 3 d 4 h</div>")
       && !has(rbl_buf_str(&buf), "Flapping"), "an end");
    is_safe(rbl_buf_str(&buf), "an end");
    rbl_buf_free(&buf);
}


/* Links say what they are for, and nothing is there twice. */

static void
test_links(void)
{
    size_t             i;
    message_t          m;
    rbl_buf_t          buf;
    message_listing_t  l = {
        .zone = S("zen.example"), .reason = S("listed"),
        .website = S("https://list.example/"), .since = S("today"),
    };
    message_host_t     host = {
        .value = S("192.0.2.7"), .state = MESSAGE_LISTED, .listed_count = 1,
        .first_listed = S("today"), .n_listings = 1, .listing = &l
    };

    static const struct {
        const char  *how, *link, *label;
        size_t       links;
    } rows[] = {
        { "form", "https://off.example/", "Request removal", 2 },
        { "account", "https://off.example/", "Request removal", 2 },
        { "mail", "https://off.example/", "See the list's page", 2 },
        { "owner", "https://list.example/", "See the list's page", 1 },
        { "ages", "https://list.example/", "See the list's page", 1 },
        { "", "https://list.example/", "See the list's page", 1 },
        { "", "https://off.example/", "Request removal", 2 }
    };

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        l.how = rbl_str(rows[i].how);
        l.cause = S("spam");
        l.delisting = rbl_str(rows[i].link);
        rbl_buf_init(&buf);
        m = trigger(1, &host);
        html_message(&buf, &m);
        ok(has(rbl_buf_str(&buf), rows[i].label)
           && count(rbl_buf_str(&buf), "href=") == rows[i].links,
           "\"%s\" to %s has its label, and no link twice", rows[i].how,
           rows[i].link);
        ok(!has(rbl_buf_str(&buf), ">listed<")
           && count(rbl_buf_str(&buf), "ince today") == 1,
           "nothing is said twice");
        rbl_buf_free(&buf);
    }
}


/* Addresses of a range with one box, which counts the lists that it leaves
   out. */

static void
test_siblings(void)
{
    size_t             i;
    message_t          m;
    rbl_buf_t          buf;
    rbl_str_t          s;
    char               reason[4 * 400];
    rbl_sid_t          id[MESSAGE_LISTINGS];
    message_host_t     hosts[3];
    message_listing_t  l[MESSAGE_LISTINGS];

    memset(l, 0, sizeof(l));
    memset(reason, '<', sizeof(reason));

    for (i = 0; i < MESSAGE_LISTINGS; i++) {
        snprintf(id[i].s, sizeof(id[i].s), "RB%032zu", i);
        l[i].id = rbl_str(id[i].s);
        l[i].zone = S("zen.example");
        l[i].reason = (rbl_str_t) { reason, sizeof(reason) };
        l[i].details = l[i].reason;
    }

    for (i = 0; i < 3; i++) {
        hosts[i] = (message_host_t) {
            .value = S("192.0.2.7"), .state = MESSAGE_LISTED,
            .range = S("192.0.2.0/28"), .range_hosts = 16,
            .listed_count = MESSAGE_LISTINGS, .n_listings = MESSAGE_LISTINGS,
            .listing = l
        };
    }

    rbl_buf_init(&buf);
    m = trigger(3, hosts);
    html_message(&buf, &m);
    s = rbl_buf_str(&buf);
    is_safe(s, "siblings");
    ok(count(s, "<h2") == 1, "siblings have one box");
    ok(has(s, "3 of 16 by zen.example and 49 more</h2>"), "their line");
    ok(has(s, ">192.0.2.7, 192.0.2.7, 192.0.2.7</div>"), "their addresses");
    ok(count(s, ">zen.example</strong>") < MESSAGE_LISTINGS
       && has(s, " more blocklists.</p>"), "the others are counted");
    ok(!has(s, "more host"), "no host is left");
    rbl_buf_free(&buf);
}


int
main(void)
{
    test_hosts();
    test_links();
    test_siblings();
    test_news();
    test_hostile();
    test_long();
    test_words();

    return tap_done();
}
