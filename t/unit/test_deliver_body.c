/* Bodies of events, byte by byte. */

#include "base/buf.h"
#include "deliver/message/body.h"

#include "rbl_view.h"

#include "tap.h"

#define EV  "EV00000000000000000000000000000001"
#define PP  "PP00000000000000000000000000000000000000000000000000000000000000a1"
#define HT  "HT00000000000000000000000000000002"
#define RP  "RP00000000000000000000000000000003"
#define CG  "CG00000000000000000000000000000004"
#define RB  "RB00000000000000000000000000000005"

#define HEAD(type)                                                            \
    "{\"event_sid\":\"" EV "\",\"event_type\":\"" type "\","                  \
    "\"event_date\":\"2026-11-20T09:30:00+00:00\",\"check_sid\":\"" PP "\","

#define DETAIL                                                                \
    "{\"id\":\"" RB "\",\"type\":\"rbl\",\"custom\":0,"                       \
    "\"host\":\"bl.example\",\"website\":\"https://bl.example/\","            \
    "\"status\":\"listed\",\"codes\":[\"127.0.0.2\"],"                        \
    "\"details\":\"https://bl.example/?192.0.2.7\","                          \
    "\"reason\":\"say \\\"no\\\"\",\"error\":\"\",\"response_ms\":12}"

#define NOW  INT64_C(1795167000000)     /* 2026-11-20 09:30:00 UTC */


static void
put_host(rbl_out_t *out, int listed)
{
    rbl_mp_put_array(out, 17);
    rbl_mp_put_int(out, 1);
    rbl_mp_put_z(out, HT);
    rbl_mp_put_z(out, "192.0.2.7");
    rbl_mp_put_z(out, "Mail");
    rbl_mp_put_z(out, "rbl");
    rbl_mp_put_int(out, 1);
    rbl_mp_put_z(out, "");
    rbl_mp_put_z(out, "active");
    rbl_mp_put_z(out, RP);
    rbl_mp_put_array(out, 1);
    rbl_mp_put_z(out, CG);
    rbl_mp_put_int(out, NOW - 86400000);
    rbl_mp_put_int(out, NOW);
    rbl_mp_put_int(out, listed ? NOW - 729000 : 0);
    rbl_mp_put_int(out, listed);
    rbl_mp_put_int(out, 0);
    rbl_mp_put_int(out, NOW + 3600000);
    rbl_mp_put_array(out, 0);
}


static void
put_results(rbl_out_t *out)
{
    rbl_mp_put_array(out, 1);
    rbl_mp_put_array(out, RBL_RESULT__N);
    rbl_mp_put_z(out, RB);
    rbl_mp_put_z(out, "rbl");
    rbl_mp_put_int(out, 0);
    rbl_mp_put_z(out, "bl.example");
    rbl_mp_put_z(out, "https://bl.example/");
    rbl_mp_put_z(out, "listed");
    rbl_mp_put_array(out, 1);
    rbl_mp_put_z(out, "127.0.0.2");
    rbl_mp_put_z(out, "https://bl.example/?192.0.2.7");
    rbl_mp_put_z(out, "say \"no\"");
    rbl_mp_put_z(out, "");
    rbl_mp_put_int(out, 12);
    rbl_mp_put_int(out, 2);
}


static rbl_event_t
event(const char *type, rbl_str_t host, rbl_str_t results)
{
    rbl_event_t  ev;

    memset(&ev, 0, sizeof(ev));
    ev.id = RBL_STR(EV);
    ev.type = rbl_str(type);
    ev.date = NOW;
    ev.check = RBL_STR(PP);
    ev.host = host;
    ev.value = RBL_STR("192.0.2.7");
    ev.results = results;
    ev.listed = 1;
    ev.total = 1;
    ev.message = RBL_STR("");

    return ev;
}


static void
check(const char *name, const rbl_event_t *ev, const char *want)
{
    rbl_buf_t  one, two;

    rbl_buf_init(&one);
    rbl_buf_init(&two);

    ok(body_render(&one.out, ev, &rbl_timezone_utc) == RBL_OK, "%s: is made",
       name);
    is_str(rbl_buf_str(&one), want, name);

    body_render(&two.out, ev, &rbl_timezone_utc);
    ok(rbl_str_eq(rbl_buf_str(&one), rbl_buf_str(&two)),
       "%s: the same bytes again", name);

    rbl_buf_free(&one);
    rbl_buf_free(&two);
}


/* The same of an event about a host: what rbl_view_host writes, at the time of
   the event and without current listings (test_view.c). */

static void
check_host(const char *name, const rbl_event_t *ev, const char *head,
    const char *end)
{
    rbl_doc_t   doc;
    rbl_buf_t   view, want;
    rbl_str_t   text;
    rbl_host_t  host;

    rbl_buf_init(&view);
    rbl_buf_init(&want);

    ok(rbl_host_decode(&host, ev->host) == RBL_OK, "%s: has a host", name);
    rbl_doc_begin(&doc, &view.out, RBL_JSON);
    rbl_view_host(&doc, "host", &host, &rbl_timezone_utc, NOW,
                  RBL_VIEW_NO_DETAILS);
    rbl_doc_end(&doc);

    text = rbl_buf_str(&view);          /* {"host":{...}} */
    rbl_out_z(&want.out, head);
    rbl_out_bytes(&want.out, text.p + 1, text.n - 2);
    rbl_out_z(&want.out, end);
    rbl_out_char(&want.out, '\0');
    check(name, ev, want.base);

    rbl_buf_free(&view);
    rbl_buf_free(&want);
}


static void
check_refused(const char *name, const rbl_event_t *ev)
{
    rbl_buf_t  buf;

    rbl_buf_init(&buf);
    ok(body_render(&buf.out, ev, &rbl_timezone_utc) == RBL_ETYPE, "refused: %s",
       name);
    rbl_buf_free(&buf);
}


static void
check_host_events(rbl_str_t listed, rbl_str_t clear, rbl_str_t results)
{
    rbl_event_t  ev;

    ev = event("rbl.host.check.started", clear, RBL_STR("\x90"));
    check_host("started", &ev, HEAD("rbl.host.check.started"), "}");

    ev = event("rbl.host.check.completed", listed, results);
    check_host("completed, listed", &ev, HEAD("rbl.host.check.completed"),
               ",\"listed\":true,\"total\":1,\"details\":[" DETAIL "]}");

    ev = event("rbl.host.check.completed", clear, RBL_STR("\x90"));
    ev.listed = 0;
    ev.total = 0;
    check_host("completed, clear", &ev, HEAD("rbl.host.check.completed"),
               ",\"listed\":false,\"total\":0,\"details\":[]}");

    ev = event("rbl.host.listed", listed, results);
    check_host("listed", &ev, HEAD("rbl.host.listed"),
               ",\"listed\":true,\"total\":1,\"details\":[" DETAIL "]}");

    ev = event("rbl.host.delisted", clear, results);
    check_host("delisted, whatever the record has", &ev,
               HEAD("rbl.host.delisted"),
               ",\"listed\":false,\"total\":0,\"details\":[]}");
}


static void
check_one_off(rbl_str_t results)
{
    rbl_event_t  ev;

    ev = event("rbl.host.check.completed", RBL_STR(""), results);
    check("one-off", &ev, HEAD("rbl.host.check.completed")
          "\"host\":{\"host\":\"192.0.2.7\"},"
          "\"listed\":true,\"total\":1,\"details\":[" DETAIL "]}");

    ev = event("rbl.host.check.completed", RBL_STR(""), RBL_STR("\x90"));
    ev.listed = 0;
    ev.total = 0;
    ev.message = RBL_STR("No list applies.");
    check("failed", &ev, HEAD("rbl.host.check.completed")
          "\"host\":{\"host\":\"192.0.2.7\"},"
          "\"listed\":false,\"total\":0,\"details\":[],"
          "\"status\":\"failed\",\"message\":\"No list applies.\"}");
}


static void
check_malformed(rbl_str_t host, rbl_str_t results)
{
    rbl_event_t  ev;

    ev = event("rbl.host.moved", host, results);
    check_refused("an unknown type", &ev);
    ev = event("", host, results);
    check_refused("no type", &ev);

    ev = event("rbl.host.listed", host, results);
    ev.id = RBL_STR("EV1\r\nX: y");
    check_refused("an invalid event SID", &ev);
    ev = event("rbl.host.listed", host, results);
    ev.check = RBL_STR("");
    check_refused("no check", &ev);

    ev = event("rbl.host.listed", RBL_STR("\x91\x01"), results);
    check_refused("an invalid host", &ev);
    ev = event("rbl.host.listed", host, RBL_STR(""));
    check_refused("no results", &ev);
    ev = event("rbl.host.listed", host, RBL_STR("\x91\x90"));
    check_refused("an empty result", &ev);
    results.n--;
    ev = event("rbl.host.listed", host, results);
    check_refused("results cut off", &ev);
}


int
main(void)
{
    rbl_buf_t  listed, clear, results;

    rbl_buf_init(&listed);
    rbl_buf_init(&clear);
    rbl_buf_init(&results);
    put_host(&listed.out, 1);
    put_host(&clear.out, 0);
    put_results(&results.out);

    check_host_events(rbl_buf_str(&listed), rbl_buf_str(&clear),
                      rbl_buf_str(&results));
    check_one_off(rbl_buf_str(&results));
    check_malformed(rbl_buf_str(&listed), rbl_buf_str(&results));

    rbl_buf_free(&listed);
    rbl_buf_free(&clear);
    rbl_buf_free(&results);

    return tap_done();
}
