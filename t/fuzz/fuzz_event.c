/*
 * Events of the outbox and records, as customers get them (deliver/body.c,
 * shared/document/rbl_view.c, rbl_time.c).  The first byte gives the kind of
 * the rest, eight bytes are the time, then the raw record of an event, host,
 * profile or list follows.
 *
 * A body is a JSON object with the members that every event has, and is the
 * same when it is made again.  A record that can be read becomes JSON and XML
 * for any numbers and texts.  Times match those of the C library.
 */

#include "fuzz.h"
#include "base/buf.h"
#include "fuzz_xml.h"
#include "deliver/message/body.h"
#include "deliver/message/message.h"
#include "rbl_view.h"
#include "rbl_view_card.h"

#include <jansson.h>
#include <time.h>

static const char *const  members[] = { "event_sid", "event_type",
                                        "event_date", "check_sid", "host" };

#define OF_BILLING  3                   /* of these, the first */


static void
try_event(rbl_str_t raw)
{
    size_t         i, n;
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
    err = body_render(&buf.out, &event, &rbl_timezone_utc);
    fuzz_check(body_render(&again.out, &event, &rbl_timezone_utc) == err);

    if (err == RBL_OK) {
        out = rbl_buf_str(&buf);
        fuzz_check(rbl_str_eq(out, rbl_buf_str(&again)));

        root = json_loadb(out.p, out.n, JSON_ALLOW_NUL, &error);
        fuzz_check(json_is_object(root));

        n = body_is_bill(&event) ? OF_BILLING
                                 : sizeof(members) / sizeof(members[0]);

        for (i = 0; i < n; i++) {
            fuzz_check(json_object_get(root, members[i]) != NULL);
        }

        json_decref(root);
    }

    rbl_buf_free(&buf);
    rbl_buf_free(&again);
}


/* A message with a link has the digest of its secret, which hides it. */

static void
try_link(rbl_str_t raw)
{
    rbl_buf_t    buf;
    rbl_str_t    secret;
    message_t    message;
    rbl_event_t  event;

    if (rbl_event_decode(&event, raw) != RBL_OK) {
        return;
    }

    rbl_buf_init(&buf);

    if (rbl_str_is(event.type, MESSAGE_LINK)
        && message_event(&buf.out, &event, &rbl_timezone_utc) == RBL_OK)
    {
        secret = message_link_digest(&event);
        fuzz_check(secret.n == 64);
        fuzz_check(message_read(&message, rbl_buf_str(&buf)) == RBL_OK);
        fuzz_check(rbl_str_eq(message.code, secret));
        fuzz_check(memmem(message.text.p, message.text.n, secret.p, secret.n));
        message_free(&message);
    }

    rbl_buf_free(&buf);
}


/* Writes a record as an object; 0: not of that kind. */
typedef int (*write_pt)(rbl_doc_t *d, rbl_str_t raw, int64_t now);


static int
write_host(rbl_doc_t *d, rbl_str_t raw, int64_t now)
{
    rbl_host_t  host;

    if (rbl_host_decode(&host, raw) != RBL_OK) {
        return 0;
    }

    rbl_view_host(d, "data", &host, &rbl_timezone_utc, now, 0);

    return 1;
}


static int
write_profile(rbl_doc_t *d, rbl_str_t raw, int64_t now)
{
    rbl_str_t      follows[2] = { RBL_STR("RB1"), raw };
    rbl_profile_t  profile;

    if (rbl_profile_decode(&profile, raw) != RBL_OK) {
        return 0;
    }

    rbl_view_profile(d, "data", &profile, now & 1, 2, follows);

    return 1;
}


static int
write_list(rbl_doc_t *d, rbl_str_t raw, int64_t now)
{
    rbl_list_t     list;
    rbl_host_t     host;
    rbl_listing_t  listing;

    if (rbl_list_decode(&list, raw) != RBL_OK) {
        return 0;
    }

    memset(&host, 0, sizeof(host));
    memset(&listing, 0, sizeof(listing));
    host.value = list.zone;
    host.name = list.name;
    listing.codes = list.codes;
    listing.since = now;

    rbl_doc_object(d, "data");
    rbl_view_list(d, "list", &list);
    rbl_view_ways(d, "removal", list.removal);
    rbl_view_card(d, "card", &list, &host, &listing, NULL);
    rbl_doc_close(d);

    return 1;
}


static int
view(rbl_buf_t *buf, rbl_format_t format, write_pt write, rbl_str_t raw,
    int64_t now)
{
    int        rc;
    rbl_doc_t  d;

    rbl_doc_begin(&d, &buf->out, format);
    rc = write(&d, raw, now);
    rbl_doc_end(&d);

    return rc;
}


static void
try_record(write_pt write, rbl_str_t raw, int64_t now)
{
    json_t        *root;
    rbl_buf_t      buf;
    rbl_str_t      out;
    json_error_t   error;

    rbl_buf_init(&buf);

    if (view(&buf, RBL_JSON, write, raw, now) && !buf.out.failed) {
        out = rbl_buf_str(&buf);
        root = json_loadb(out.p, out.n, JSON_ALLOW_NUL, &error);
        fuzz_check(json_is_object(json_object_get(root, "data")));
        json_decref(root);

        rbl_buf_reset(&buf);
        (void) view(&buf, RBL_XML, write, raw, now);
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

    s = rbl_time_text(buf, ms, &rbl_timezone_utc);
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
    rbl_str_t  raw;

    fuzz_init(&f, data, size);
    kind = fuzz_u8(&f);
    now = (int64_t) ((uint64_t) fuzz_u32(&f) << 32 | fuzz_u32(&f));

    try_time(now);

    raw = fuzz_rest(&f);

    if (kind & 1) {
        try_record(write_host, raw, now);
        try_record(write_profile, raw, now);
        try_record(write_list, raw, now);

    } else {
        try_event(raw);
        try_link(raw);
    }

    fuzz_done(&f);

    return 0;
}
