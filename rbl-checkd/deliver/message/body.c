/*
 * Renders an event for its receivers.  All data comes from the event record;
 * periods are counted up to the event's own date, so no clock is read.  The
 * additional members are at the very end, so that clients that do not know them
 * still work: status and message of a failed check; of an end of a listing that
 * the list has not reported, its reason.
 */

#include "body.h"

#include <ctype.h>

#include "rbl_doc.h"
#include "rbl_sid.h"
#include "rbl_time.h"
#include "rbl_view.h"


#define BILL_SLUG_MAX  128

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
body_listing(rbl_doc_t *doc, const rbl_event_t *event)
{
    rbl_doc_bool(doc, "listed", event->listed != 0);
    rbl_doc_int(doc, "total", event->total);

    return body_details(doc, event->results);
}


static rbl_err_t
body_delisted(rbl_doc_t *doc, const rbl_event_t *event)
{
    rbl_doc_bool(doc, "listed", 0);
    rbl_doc_int(doc, "total", 0);
    rbl_doc_array(doc, "details");
    rbl_doc_close(doc);

    if (event->message.n > 0) {
        rbl_doc_str(doc, "reason", event->message);
    }

    return RBL_OK;
}


static const struct {
    const char  *type;
    rbl_err_t  (*listing)(rbl_doc_t *doc, const rbl_event_t *event);
} check_types[] = {
    { "rbl.host.check.started", NULL },
    { "rbl.host.check.completed", body_listing },
    { "rbl.host.listed", body_listing },
    { "rbl.host.delisted", body_delisted }
};

#define CHECK_TYPES  (sizeof(check_types) / sizeof(check_types[0]))


static void
bill_time(rbl_doc_t *doc, const char *key, int64_t ms)
{
    char  date[RBL_TIME_LEN];

    rbl_doc_str(doc, key, rbl_time_rfc3339(date, ms));
}


/* The id of a plan is made of its name: "Business yearly" is
   "business-yearly". */

static rbl_str_t
bill_slug(char buf[BILL_SLUG_MAX], rbl_str_t name)
{
    size_t  i, n;

    n = 0;

    for (i = 0; i < name.n && n < BILL_SLUG_MAX; i++) {
        if (isascii(name.p[i]) && isalnum(name.p[i])) {
            buf[n++] = (char) tolower(name.p[i]);

        } else if (n > 0 && buf[n - 1] != '-') {
            buf[n++] = '-';
        }
    }

    if (n > 0 && buf[n - 1] == '-') {
        n--;
    }

    return (rbl_str_t) { buf, n };
}


static rbl_err_t
bill_plan(rbl_doc_t *doc, rbl_str_t raw, int renews)
{
    char        slug[BILL_SLUG_MAX];
    rbl_sold_t  sold;

    if (rbl_sold_decode(&sold, raw) != RBL_OK) {
        return RBL_ETYPE;
    }

    rbl_doc_object(doc, "plan");
    rbl_doc_str(doc, "id", bill_slug(slug, sold.plan));
    rbl_doc_str(doc, "name", sold.plan);
    rbl_view_money(doc, "price", sold.price);
    rbl_doc_z(doc, "currency", "USD");
    rbl_doc_int(doc, "hosts", sold.hosts);
    rbl_doc_int(doc, "check_interval", sold.interval);
    bill_time(doc, "expires", sold.expires);
    rbl_doc_bool(doc, "auto_renew", renews && sold.renew != 0);
    rbl_doc_close(doc);

    return RBL_OK;
}


/* Payments by hand have no source, and not all of a server of the operator. */

static rbl_err_t
bill_source(rbl_doc_t *doc, rbl_str_t raw, const char *without)
{
    rbl_source_t  source = { .type = rbl_str(without) };

    if (raw.n > 0 && rbl_source_decode(&source, raw) != RBL_OK) {
        return RBL_ETYPE;
    }

    rbl_doc_object(doc, "payment_source");
    rbl_view_source(doc, &source);
    rbl_doc_close(doc);

    return RBL_OK;
}


static rbl_err_t
bill_payment(rbl_doc_t *doc, const rbl_billing_t *billing)
{
    rbl_err_t      err;
    rbl_payment_t  payment;

    if (rbl_payment_decode(&payment, billing->payment) != RBL_OK) {
        return RBL_ETYPE;
    }

    rbl_doc_object(doc, "payment");
    rbl_doc_str(doc, "id", payment.id);
    rbl_view_money(doc, "amount", payment.amount);
    rbl_doc_z(doc, "currency", "USD");
    bill_time(doc, "date", payment.done);
    rbl_doc_str(doc, "status", payment.state);
    rbl_doc_str(doc, "reference", payment.reference);
    err = bill_source(doc, billing->source,
                      payment.sent > 0 && rbl_str_is(payment.gateway, "http")
                      ? "http" : "manual");
    rbl_doc_close(doc);

    return err;
}


static rbl_err_t
bill_failed(rbl_doc_t *doc, const rbl_billing_t *billing)
{
    rbl_doc_int(doc, "attempt", billing->attempt);
    rbl_doc_str(doc, "reason", billing->reason);
    bill_time(doc, "next_attempt", billing->next);

    return RBL_OK;
}


static rbl_err_t
bill_expires(rbl_doc_t *doc, const rbl_billing_t *billing)
{
    rbl_doc_int(doc, "days", billing->days);

    return RBL_OK;
}


static rbl_err_t
bill_low(rbl_doc_t *doc, const rbl_billing_t *billing)
{
    rbl_view_money(doc, "balance", billing->balance);
    rbl_view_money(doc, "alert_threshold", billing->alert);

    return RBL_OK;
}


static void
bill_limits(rbl_doc_t *doc, const rbl_billing_t *billing)
{
    rbl_view_money(doc, "falls_below", billing->falls_below);
    rbl_view_money(doc, "recharge_to", billing->recharge_to);
}


static rbl_err_t
bill_recharged(rbl_doc_t *doc, const rbl_billing_t *billing)
{
    bill_limits(doc, billing);

    return bill_payment(doc, billing);
}


static rbl_err_t
bill_unpaid(rbl_doc_t *doc, const rbl_billing_t *billing)
{
    bill_limits(doc, billing);

    return bill_failed(doc, billing);
}


static rbl_err_t
bill_card(rbl_doc_t *doc, const rbl_billing_t *billing)
{
    rbl_err_t  err;

    err = bill_source(doc, billing->source, "card");

    return err == RBL_OK ? bill_expires(doc, billing) : err;
}


static const struct {
    const char  *type;
    int          plan;                  /* it comes first */
    rbl_err_t  (*write)(rbl_doc_t *doc, const rbl_billing_t *billing);
} bill_types[] = {
    { "billing.renewal.success", 1, bill_payment },
    { "billing.renewal.failed", 1, bill_failed },
    { "expiring.plan.alert", 1, bill_expires },
    { "expiring.card.alert", 0, bill_card },
    { "billing.balance.alert", 0, bill_low },
    { "billing.recharge.success", 0, bill_recharged },
    { "billing.recharge.failed", 0, bill_unpaid }
};


static int
bill_type(const rbl_event_t *event)
{
    int  i;

    for (i = sizeof(bill_types) / sizeof(bill_types[0]) - 1; i >= 0; i--) {
        if (rbl_str_is(event->type, bill_types[i].type)) {
            break;
        }
    }

    return i;
}


int
body_is_bill(const rbl_event_t *event)
{
    return bill_type(event) >= 0;
}


/* Members that the contract does not name are at the end of their object.  A
   plan whose end is announced does not renew itself, also if renewal is on and
   there is no payment source. */

static rbl_err_t
body_bill(rbl_doc_t *doc, const rbl_event_t *event)
{
    int            type, renews;
    rbl_err_t      err;
    rbl_billing_t  billing;

    if (rbl_billing_decode(&billing, event->data) != RBL_OK) {
        return RBL_ETYPE;
    }

    type = bill_type(event);
    renews = bill_types[type].write != bill_expires;
    err = bill_types[type].plan ? bill_plan(doc, billing.sold, renews) : RBL_OK;

    return err == RBL_OK ? bill_types[type].write(doc, &billing) : err;
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
    size_t     i;
    rbl_err_t  err;

    for (i = 0; i < CHECK_TYPES; i++) {
        if (rbl_str_is(event->type, check_types[i].type)) {
            break;
        }
    }

    if (i == CHECK_TYPES) {
        return RBL_ETYPE;
    }

    rbl_doc_str(doc, "check_sid", event->check);
    err = body_host(doc, event, zone);

    if (err == RBL_OK && check_types[i].listing != NULL) {
        err = check_types[i].listing(doc, event);
    }

    if (err == RBL_OK && event->message.n > 0
        && check_types[i].listing != body_delisted)
    {
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
