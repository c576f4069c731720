/*
 * Events of the outbox and hosts, as customers get them (deliver/body.c,
 * shared/rbl_view.c, rbl_time.c).  The first octet says what the rest is, eight
 * octets are the time: then comes the raw record of an event, or of a host.
 *
 * A body that is made is a JSON object with the members that every event has,
 * and is made of the same bytes a second time.  A host that is read becomes
 * JSON and XML, whatever its numbers and texts are.  Times are as the C library
 * tells them.
 */

#include "fuzz.h"
#include "fuzz_xml.h"
#include "deliver/body.h"
#include "rbl_view.h"

#include <jansson.h>
#include <time.h>

static const char *const  members[] = { "event_sid", "event_type",
                                        "event_date", "check_sid", "host" };


static void
try_event(rbl_str_t raw)
{
    size_t         i;
    json_t        *root;
    rbl_buf_t      buf, again;
    rbl_str_t      out;
    rbl_err_t      err;
    rbl_event_t    event;
    json_error_t   error;

    if (rbl_event_decode(&event, raw) != RBL_OK) {
        return;
    }

    rbl_buf_init(&buf);
    rbl_buf_init(&again);
    err = body_render(&buf.out, &event, &rbl_zone_utc);
    fuzz_check(body_render(&again.out, &event, &rbl_zone_utc) == err);

    if (err == RBL_OK) {
        out = rbl_buf_str(&buf);
        fuzz_check(rbl_str_eq(out, rbl_buf_str(&again)));

        root = json_loadb(out.p, out.n, JSON_ALLOW_NUL, &error);
        fuzz_check(json_is_object(root));

        for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
            fuzz_check(json_object_get(root, members[i]) != NULL);
        }

        json_decref(root);
    }

    rbl_buf_free(&buf);
    rbl_buf_free(&again);
}


static void
view(rbl_buf_t *buf, rbl_format_t format, const rbl_host_t *host, int64_t now)
{
    rbl_doc_t  d;

    rbl_doc_begin(&d, &buf->out, format);
    rbl_view_host(&d, "host", host, &rbl_zone_utc, now, 0);
    rbl_doc_end(&d);
}


static void
try_host(rbl_str_t raw, int64_t now)
{
    json_t        *root;
    rbl_buf_t      buf;
    rbl_str_t      out;
    rbl_host_t     host;
    json_error_t   error;

    if (rbl_host_decode(&host, raw) != RBL_OK) {
        return;
    }

    rbl_buf_init(&buf);
    view(&buf, RBL_JSON, &host, now);

    if (!buf.out.failed) {
        out = rbl_buf_str(&buf);
        root = json_loadb(out.p, out.n, JSON_ALLOW_NUL, &error);
        fuzz_check(json_is_object(json_object_get(root, "host")));
        json_decref(root);

        rbl_buf_reset(&buf);
        view(&buf, RBL_XML, &host, now);
        out = rbl_buf_str(&buf);
        fuzz_check(!buf.out.failed && xml_well_formed(out.p, out.n));
    }

    rbl_buf_free(&buf);
}


static void
try_time(int64_t ms)
{
    char       buf[RBL_TIME_LEN], want[64];
    time_t     sec;
    rbl_str_t  s;
    struct tm  tm;

    sec = ms / 1000;
    s = rbl_time_rfc3339(buf, ms);
    fuzz_check(s.n < RBL_TIME_LEN && buf[s.n] == '\0');

    if (s.n > 0) {
        fuzz_check(gmtime_r(&sec, &tm) != NULL);
        fuzz_check(strftime(want, sizeof(want), "%FT%T+00:00", &tm) > 0);
        fuzz_check(rbl_str_is(s, want));
    }

    s = rbl_time_text(buf, ms, &rbl_zone_utc);
    fuzz_check(s.n < RBL_TIME_LEN);

    if (s.n > 0) {
        fuzz_check(strftime(want, sizeof(want), "%F %T UTC", &tm) > 0);
        fuzz_check(rbl_str_is(s, want));
    }

    s = rbl_period_text(buf, ms);
    sec = ms > 0 ? sec : 0;
    snprintf(want, sizeof(want), "%lld day%s %02d:%02d:%02d",
             (long long) sec / 86400, sec / 86400 == 1 ? "" : "s",
             (int) (sec % 86400 / 3600), (int) (sec % 3600 / 60),
             (int) (sec % 60));
    fuzz_check(rbl_str_is(s, want));
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_t     f;
    int64_t    now;
    unsigned   kind;

    fuzz_init(&f, data, size);
    kind = fuzz_u8(&f);
    now = (int64_t) ((uint64_t) fuzz_u32(&f) << 32 | fuzz_u32(&f));

    try_time(now);

    if (kind & 1) {
        try_host(fuzz_rest(&f), now);
    } else {
        try_event(fuzz_rest(&f));
    }

    fuzz_done(&f);

    return 0;
}
