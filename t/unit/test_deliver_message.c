/* Messages to contacts, byte by byte, and back. */

#include "deliver/message.h"

#include "deliver/channel.h"
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
    return message_confirm(&buf->out, ev, &rbl_zone_utc);
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


int
main(void)
{
    test_confirm();
    test_refused();
    test_read();
    test_hide();
    test_channels();

    return tap_done();
}
