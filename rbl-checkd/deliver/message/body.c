/*
 * Renders an event for its receivers.  All data comes from the event record;
 * periods are counted up to the event's own date, so no clock is read.  The
 * additional members of a failed check (status, message) are at the very end,
 * so that clients that do not know them still work.
 */

#include "body.h"

#include "body_bill.h"
#include "rbl_doc.h"
#include "rbl_sid.h"
#include "rbl_time.h"
#include "rbl_view.h"


typedef enum {
    BODY_STARTED = 0,
    BODY_COMPLETED,
    BODY_LISTED,
    BODY_DELISTED,
    BODY_UNKNOWN
} body_type_t;

static const char *const  body_types[] = {
    "rbl.host.check.started",
    "rbl.host.check.completed",
    "rbl.host.listed",
    "rbl.host.delisted"
};


static body_type_t
body_type(rbl_str_t name)
{
    unsigned  i;

    for (i = 0; i < BODY_UNKNOWN; i++) {
        if (rbl_str_is(name, body_types[i])) {
            break;
        }
    }

    return (body_type_t) i;
}


static rbl_err_t
body_host(rbl_doc_t *doc, const rbl_event_t *event, const rbl_timezone_t *zone)
{
    rbl_host_t  host;

    if (event->host.n == 0) {
        rbl_doc_object(doc, "host");
        rbl_doc_str(doc, "host", event->value);
        rbl_doc_close(doc);
        return RBL_OK;
    }

    if (rbl_host_decode(&host, event->host) != RBL_OK) {
        return RBL_ETYPE;
    }

    rbl_view_host(doc, "host", &host, zone, event->date, RBL_VIEW_NO_DETAILS);

    return RBL_OK;
}


static rbl_err_t
body_details(rbl_doc_t *doc, rbl_str_t results)
{
    size_t        i, n;
    rbl_mp_t      mp;
    rbl_result_t  result;

    rbl_doc_array(doc, "details");
    rbl_mp_init(&mp, results);
    n = rbl_mp_array(&mp);

    for (i = 0; i < n && !mp.failed; i++) {
        if (rbl_result_decode(&result, &mp) != RBL_OK) {
            return RBL_ETYPE;
        }

        rbl_view_result(doc, NULL, &result);
    }

    rbl_doc_close(doc);

    return mp.failed ? RBL_ETYPE : RBL_OK;
}


static rbl_err_t
body_listing(rbl_doc_t *doc, const rbl_event_t *event, body_type_t type)
{
    if (type == BODY_DELISTED) {
        rbl_doc_bool(doc, "listed", 0);
        rbl_doc_int(doc, "total", 0);
        rbl_doc_array(doc, "details");
        rbl_doc_close(doc);
        return RBL_OK;
    }

    rbl_doc_bool(doc, "listed", event->listed != 0);
    rbl_doc_int(doc, "total", event->total);

    return body_details(doc, event->results);
}


static int
body_ids_ok(const rbl_event_t *event)
{
    rbl_sid_t  sid;

    return rbl_sid_parse(&sid, RBL_SID_EVENT, event->id) == RBL_OK
           && (body_is_bill(event)
               || rbl_sid_parse(&sid, RBL_SID_CHECK, event->check) == RBL_OK);
}


static void
body_head(rbl_doc_t *doc, const rbl_event_t *event)
{
    char  date[RBL_TIME_LEN];

    rbl_doc_str(doc, "event_sid", event->id);
    rbl_doc_str(doc, "event_type", event->type);
    rbl_doc_str(doc, "event_date", rbl_time_rfc3339(date, event->date));
}


static rbl_err_t
body_check(rbl_doc_t *doc, const rbl_event_t *event, const rbl_timezone_t *zone)
{
    rbl_err_t    err;
    body_type_t  type;

    type = body_type(event->type);
    if (type == BODY_UNKNOWN) {
        return RBL_ETYPE;
    }

    rbl_doc_str(doc, "check_sid", event->check);
    err = body_host(doc, event, zone);

    if (err == RBL_OK && type != BODY_STARTED) {
        err = body_listing(doc, event, type);
    }

    if (err == RBL_OK && event->message.n > 0) {
        rbl_doc_z(doc, "status", "failed");
        rbl_doc_str(doc, "message", event->message);
    }

    return err;
}


rbl_err_t
body_render(rbl_out_t *out, const rbl_event_t *event,
    const rbl_timezone_t *zone)
{
    rbl_err_t  err;
    rbl_doc_t  doc;

    if (!body_ids_ok(event)) {
        return RBL_ETYPE;
    }

    rbl_doc_begin(&doc, out, RBL_JSON);
    body_head(&doc, event);

    err = body_is_bill(event) ? body_bill(&doc, event)
                              : body_check(&doc, event, zone);
    if (err != RBL_OK) {
        return err;
    }

    rbl_doc_end(&doc);

    return RBL_OK;
}
