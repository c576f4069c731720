/* A message as an SMS: its alphabet, its parts, and omissions. */

#include "deliver/message/sms_text.h"

#include <stdio.h>

#include "deliver/message/clip.h"
#include "tap.h"

#define S  RBL_STR


static void
test_septets(void)
{
    size_t  i;

    static const struct {
        const char  *text;
        size_t       n;
    } cases[] = {
        { "", 0 }, { "abc XYZ 019", 11 }, { "@$_!\"#%&'()*+,-./:;<=>?", 23 },
        { "a\nb", 3 }, { "[]{}^~|\\", 16 }, { "\xe2\x82\xac", 2 },
        { "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xc3\xa9", 5 },
        { "\xce\xa9\xce\x94", 2 }, { "`", 0 }, { "a\tb", 0 },
        { "\xc3\xa1", 0 }, { "\xe4\xb8\xad", 0 }, { "\xf0\x9f\x98\x80", 0 },
        { "\xff", 0 }, { "\x7f", 0 }, { "caf\xc3\xa9 \xe2\x82\xac", 7 }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ok(sms_septets(rbl_str(cases[i].text)) == cases[i].n, "septets %zu",
           i);
    }

    ok(sms_septets((rbl_str_t) { "a\0b", 3 }) == 0, "NUL");
}


static message_t
trigger(const char *title, size_t n, message_host_t *host)
{
    message_t  m;

    memset(&m, 0, sizeof(m));
    m.type = S("contact.trigger");
    m.title = rbl_str(title);
    m.n_hosts = n;
    m.host = host;

    return m;
}


static void
is_text(const message_t *m, const char *want, const char *name)
{
    rbl_buf_t  buf;

    rbl_buf_init(&buf);
    sms_text(&buf, m);
    is_str(rbl_buf_str(&buf), want, name);
    rbl_buf_free(&buf);
}


static void
test_text(void)
{
    char               code[180];
    size_t             i;
    message_t          m;
    rbl_buf_t          buf;
    message_listing_t  zen = { .zone = S("zen.example"), .name = S("ZEN") },
                       bl = { .zone = S("bl.example") };
    message_host_t     h[] = {
        { .value = S("192.0.2.7"), .state = MESSAGE_LISTED, .listed_count = 3,
          .n_listings = 1, .listing = &zen },
        { .value = S("192.0.2.8"), .state = MESSAGE_LISTED, .listed_count = 1,
          .n_listings = 1, .listing = &bl },
        { .value = S("shop.example"), .state = MESSAGE_DELISTED },
        { .value = S("192.0.2.9"), .state = MESSAGE_CLEAR }
    };

    m = trigger("2 hosts listed, 1 host delisted", 4, h);
    m.listed = 2;
    m.delisted = 1;
    m.clear = 1;
    is_text(&m, "Blocklists: 2 hosts listed, 1 host delisted: 192.0.2.7 (ZEN"
            " and 2 more), 192.0.2.8 (bl.example), shop.example delisted",
            "hosts and lists");

    m.listed = 12;
    is_text(&m, "Blocklists: 12 hosts listed, 1 host delisted: 192.0.2.7 (ZEN"
            " and 2 more), 192.0.2.8 (bl.example), shop.example delisted, and"
            " 10 more", "the number of the others");

    m = trigger("1 host delisted", 1, h + 2);
    m.delisted = 1;
    is_text(&m, "Blocklists: 1 host delisted: shop.example", "one delisted");

    h[2].state = MESSAGE_UNREPORTED;
    m = trigger("1 host listed, 1 host no longer reported: 192.0.2.8 and 1"
                " more", 2, h + 1);
    m.listed = 1;
    m.unreported = 1;
    is_text(&m, "Blocklists: 1 host listed, 1 host no longer reported:"
            " 192.0.2.8 (bl.example), shop.example not reported",
            "one that is deleted");

    m = trigger("1 host no longer reported", 1, h + 2);
    m.unreported = 1;
    is_text(&m, "Blocklists: 1 host no longer reported: shop.example",
            "that alone");

    h[2].why = RBL_STR("list A is no longer used");
    m = trigger("1 host no longer reported", 1, h + 2);
    m.unreported = 1;
    is_text(&m, "Blocklists: 1 host no longer reported: shop.example (list no"
                " longer used)", "a list that is no longer used");
    h[2].why = RBL_STR("");

    m = trigger("1 host not listed", 1, h + 3);
    m.clear = 1;
    is_text(&m, "Blocklists: 1 host not listed", "nothing but good");

    h[0].value = S("a\r\nb\x01\x7f");
    m = trigger("x\ny", 1, h);
    m.listed = 1;
    is_text(&m, "Blocklists: 1 host listed: a  b   (ZEN and 2 more)",
            "control characters");

    m = trigger("Confirm", 0, NULL);
    m.code = S("k7m2xq");
    is_text(&m, "k7m2xq is the code that confirms this number for blocklist"
            " monitoring. If you did not ask for it, ignore this.", "a code");

    for (i = 0; i < sizeof(code); i += 3) {
        memcpy(code + i, "\xe4\xb8\xad", 3);
    }

    m.code = (rbl_str_t) { code, sizeof(code) };
    rbl_buf_init(&buf);
    sms_text(&buf, &m);
    ok(clip_length(rbl_buf_str(&buf), CLIP_UTF16) == 134, "a monster");
    rbl_buf_free(&buf);
}


/* Many hosts with such a name: length and end of the text. */

static void
test_long(const char *value, int gsm, const char *name)
{
    size_t          i, n;
    message_t       m;
    rbl_buf_t       buf;
    rbl_str_t       s;
    message_host_t  h[60];

    for (i = 0; i < 60; i++) {
        memset(&h[i], 0, sizeof(h[i]));
        h[i].value = rbl_str(value);
        h[i].state = MESSAGE_LISTED;
    }

    rbl_buf_init(&buf);
    m = trigger("5000 hosts listed", 60, h);
    m.listed = 5000;
    sms_text(&buf, &m);
    s = rbl_buf_str(&buf);
    n = gsm ? sms_septets(s) : clip_length(s, CLIP_UTF16);

    ok(n > (gsm ? 200u : 60u) && n <= (gsm ? 306u : 134u),
       "%s: within two parts (%zu)", name, n);
    ok(memmem(s.p, s.n, " more", 5) == s.p + s.n - 5, "%s: its end", name);
    ok(clip_length(s, CLIP_CHARS) <= 1600, "%s: accepted by the service", name);
    rbl_buf_free(&buf);
}


static void
test_again(void)
{
    message_t          m;
    message_listing_t  zen = { .zone = S("zen.example"), .name = S("ZEN"),
                               .fresh = 1, .off = S("2 d 3 h") };
    message_host_t     h = {
        .value = S("192.0.2.7"), .state = MESSAGE_LISTED, .listed_count = 3,
        .n_listings = 1, .listing = &zen
    };

    m = trigger("", 1, &h);
    m.listed = 1;
    is_text(&m, "Blocklists: 1 host listed: 192.0.2.7 (ZEN and 2 more)"
            " relisted", "a list lists it again");
    h.flaps = S("2026-11-20 09:30:00 CET");
    is_text(&m, "Blocklists: 1 host listed: 192.0.2.7 (ZEN and 2 more)"
            " flapping", "it flaps");
}


int
main(void)
{
    test_again();
    test_septets();
    test_text();
    test_long("198.51.100.200", 1, "addresses");
    test_long("a[b]^{c}~", 1, "letters that count twice");
    test_long("\xe4\xb8\xad\xe6\x96\x87.example", 0, "other letters");
    test_long("\xf0\x9f\x98\x80\xf0\x9f\x98\x80", 0, "faces");

    return tap_done();
}
