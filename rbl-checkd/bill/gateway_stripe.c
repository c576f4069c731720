/*
 * Stripe: PaymentIntents off session, cards by Checkout in setup mode.  Only
 * ids are kept here, never the number of a card.
 *
 * Stripe forgets a key after a day.  So before an attempt is sent, or sent
 * again, the payments of the customer are read: what was charged for the same
 * purpose is found, also if it is forgotten here (a store that was restored
 * from a backup).
 */

#include "gateway.h"
#include "gateway_json.h"

#include <stdio.h>

#include "base/form.h"
#include "rbl_money.h"
#include "rbl_sid.h"

#define STRIPE_URL      "https://api.stripe.com"
#define STRIPE_VERSION  "2026-10-28.endive"
#define STRIPE_PAGE     "10"            /* payments, of up to 4 KB each */
#define STRIPE_BACK     (40 * INT64_C(86400))   /* s that backups may be old */
#define STRIPE_PAGES    40u             /* of a list */
#define STRIPE_CENT     INT64_C(10000)  /* micro-USD */


/* --- requests ------------------------------------------------------------- */

static rbl_err_t
stripe_begin(request_t *r, const gateway_job_t *job, const char *path)
{
    char             bearer[sizeof("Bearer ") + sizeof(job->conf->gateway_key)];
    rbl_err_t        err;
    const config_t  *conf = job->conf;

    rbl_out_z(&r->to_made.out, conf->gateway_url[0] != '\0'
                               ? conf->gateway_url : STRIPE_URL);
    rbl_out_z(&r->to_made.out, path);

    snprintf(bearer, sizeof(bearer), "Bearer %s", conf->gateway_key);
    err = request_header(r, "Authorization", rbl_str(bearer));
    explicit_bzero(bearer, sizeof(bearer));

    return err != RBL_OK ? err : request_header(r, "Stripe-Version",
                                                RBL_STR(STRIPE_VERSION));
}


static void
stripe_metadata(rbl_buf_t *form, const gateway_job_t *job)
{
    char                  text[RBL_OUT_INT];
    const rbl_payment_t  *p = &job->payment;

    form_add(form, "metadata[account]", job->account);
    form_add(form, "metadata[payment]", p->id);
    form_add(form, "metadata[attempt]",
             rbl_out_int_text(text, p->attempt + 1));
    form_add(form, "metadata[kind]", p->kind);
    form_add(form, "metadata[key]", p->key);
    form_add(form, "metadata[begins]", rbl_out_int_text(text, p->begins));
    form_add(form, "metadata[ends]", rbl_out_int_text(text, p->ends));
}


static rbl_err_t
stripe_charge(request_t *r, const gateway_job_t *job)
{
    char                  key[GATEWAY_WORD_MAX], text[RBL_OUT_INT];
    int64_t               cents;
    rbl_buf_t            *form = &r->body_made;
    const rbl_payment_t  *p = &job->payment;

    if (gateway_cents(&cents, p->amount) != RBL_OK) {
        return RBL_EINVAL;
    }

    r->content_type = FORM_TYPE;
    form_add(form, "amount", rbl_out_int_text(text, cents));
    form_add(form, "currency", RBL_STR("usd"));
    form_add(form, "customer", p->customer);
    form_add(form, "payment_method", p->method);
    form_add(form, "payment_method_types[0]", RBL_STR("card"));
    form_add(form, "confirm", RBL_STR("true"));
    form_add(form, "off_session", RBL_STR("true"));
    form_add(form, "error_on_requires_action", RBL_STR("true"));
    stripe_metadata(form, job);
    gateway_key(key, p);

    if (stripe_begin(r, job, "/v1/payment_intents") != RBL_OK) {
        return RBL_EINVAL;
    }

    return request_header(r, "Idempotency-Key", rbl_str(key));
}


/* Does the next request read the payments of the customer? */

static int
stripe_lists(const gateway_job_t *job)
{
    return job->task == GATEWAY_QUERY
           ? job->payment.reference.n == 0
           : job->task == GATEWAY_CHARGE && !job->looked;
}


/* Newest first. */

static rbl_err_t
stripe_list(request_t *r, const gateway_job_t *job)
{
    char       text[RBL_OUT_INT];
    rbl_out_t *out = &r->to_made.out;

    r->get = 1;

    if (job->payment.customer.n == 0
        || stripe_begin(r, job, "/v1/payment_intents?limit=" STRIPE_PAGE
                        "&customer=") != RBL_OK)
    {
        return RBL_EINVAL;
    }

    rbl_out_percent(out, job->payment.customer);
    rbl_out_z(out, "&created%5Bgte%5D=");
    rbl_out_str(out, rbl_out_int_text(text, job->payment.sent / 1000
                                            - STRIPE_BACK));

    if (job->cursor[0] != '\0') {
        rbl_out_z(out, "&starting_after=");
        rbl_out_z(out, job->cursor);
    }

    return RBL_OK;
}


static rbl_err_t
stripe_session(request_t *r, const gateway_job_t *job)
{
    char        key[RBL_SID_MAX + GATEWAY_WORD_MAX];
    rbl_buf_t  *form = &r->body_made;

    r->content_type = FORM_TYPE;
    form_add(form, "mode", RBL_STR("setup"));
    form_add(form, "currency", RBL_STR("usd"));
    form_add(form, "payment_method_types[0]", RBL_STR("card"));
    form_add(form, "success_url", job->setup.back);
    form_add(form, "cancel_url", job->setup.back);
    form_add(form, "metadata[account]", job->account);

    if (job->customer.n > 0) {
        form_add(form, "customer", job->customer);

    } else {
        form_add(form, "customer_creation", RBL_STR("always"));
    }

    if (stripe_begin(r, job, "/v1/checkout/sessions") != RBL_OK) {
        return RBL_EINVAL;
    }

    snprintf(key, sizeof(key), "%.*s-setup-%lld", (int) job->account.n,
             job->account.p, (long long) job->setup.made);

    return request_header(r, "Idempotency-Key", rbl_str(key));
}


/* Reads an object, or detaches it: without a key, for the second request is
   refused, and has no effect. */

static rbl_err_t
stripe_object(request_t *r, const gateway_job_t *job, const char *path,
    rbl_str_t id, const char *more)
{
    rbl_err_t  err;

    r->get = job->task != GATEWAY_DETACH;

    if (!r->get) {
        r->content_type = FORM_TYPE;
    }

    err = stripe_begin(r, job, path);
    rbl_out_percent(&r->to_made.out, id);
    rbl_out_z(&r->to_made.out, more);

    return err;
}


static rbl_err_t
stripe_make(request_t *r, const gateway_job_t *job)
{
    if (stripe_lists(job)) {
        return stripe_list(r, job);
    }

    switch (job->task) {

    case GATEWAY_CHARGE:
        return stripe_charge(r, job);

    case GATEWAY_QUERY:
        return stripe_object(r, job, "/v1/payment_intents/",
                             job->payment.reference, "");

    case GATEWAY_SESSION:
        return stripe_session(r, job);

    case GATEWAY_LOOK:
        return stripe_object(r, job, "/v1/checkout/sessions/",
                             job->setup.session,
                             "?expand%5B%5D=setup_intent.payment_method");

    case GATEWAY_CARD:
        return stripe_object(r, job, "/v1/payment_methods/",
                             job->source.method, "");

    case GATEWAY_DETACH:
        return stripe_object(r, job, "/v1/payment_methods/",
                             job->source.method, "/detach");

    default:
        return RBL_EINVAL;
    }
}


/* --- answers -------------------------------------------------------------- */

/* Errors of docs.stripe.com/error-codes; the code of the bank says most. */

static void
stripe_declined(gateway_outcome_t *outcome, const json_t *error)
{
    size_t     i;
    rbl_str_t  decline;

    static const char *const  final[] = {
        "lost_card", "stolen_card", "pickup_card", "authentication_required"
    };

    decline = gateway_json(error, "decline_code");

    if (decline.n == 0 || rbl_str_is(decline, "generic_decline")) {
        decline = gateway_json(error, "code");
    }

    outcome->result = GATEWAY_DECLINED;
    outcome->final = gateway_json_is(error, "advice_code", "do_not_try_again")
                     || gateway_json_is(error, "advice_code",
                                        "confirm_card_data");

    for (i = 0; i < sizeof(final) / sizeof(final[0]); i++) {
        outcome->final |= rbl_str_is(decline, final[i]);
    }

    gateway_text(outcome->reason, sizeof(outcome->reason),
                 decline.n > 0 ? decline : RBL_STR("declined"));
    gateway_text(outcome->text, sizeof(outcome->text),
                 gateway_json(error, "message"));
}


static int
stripe_of_payment(const gateway_job_t *job, const json_t *intent)
{
    return rbl_str_eq(gateway_json(json_object_get(intent, "metadata"),
                                   "payment"), job->payment.id);
}


static int
stripe_of_attempt(const gateway_job_t *job, const json_t *intent)
{
    char       text[RBL_OUT_INT];
    rbl_str_t  attempt;

    attempt = gateway_json(json_object_get(intent, "metadata"), "attempt");

    return rbl_str_eq(attempt,
                      rbl_out_int_text(text, job->payment.attempt + 1));
}


/* NULL: it is the payment that was asked for; else what is wrong. */

static const char *
stripe_wrong(const gateway_job_t *job, const json_t *intent)
{
    if (!gateway_json_is(intent, "object", "payment_intent")) {
        return "the answer is not a payment";
    }

    if (!stripe_of_payment(job, intent)) {
        return "the answer is of another payment";
    }

    if (!gateway_json_is(intent, "currency", "usd")) {
        return "the answer is of another currency";
    }

    return json_is_true(json_object_get(intent, "livemode"))
           == gateway_live(job->conf)
           ? NULL : "the answer is of another mode";
}


/* Micro-USD; 0: it cannot be read. */

static int64_t
stripe_amount(const json_t *intent)
{
    json_int_t  cents;

    cents = json_integer_value(json_object_get(intent, "amount"));

    return cents > 0 && cents <= RBL_MONEY_MAX / STRIPE_CENT
           ? cents * STRIPE_CENT : 0;
}


/* A PaymentIntent.  One of an earlier attempt counts only if it was charged, or
   may be. */

static void
stripe_intent(gateway_outcome_t *outcome, const gateway_job_t *job,
    const json_t *intent)
{
    rbl_str_t    status;
    const char  *wrong;

    wrong = stripe_wrong(job, intent);
    gateway_json_id(outcome->reference, intent, "id");

    if (wrong != NULL || outcome->reference[0] == '\0') {
        outcome->reference[0] = '\0';
        gateway_say(outcome, GATEWAY_UNKNOWN, wrong != NULL
                    ? wrong : "the answer has no id");
        return;
    }

    status = gateway_json(intent, "status");

    if (rbl_str_is(status, "succeeded")) {
        outcome->result = GATEWAY_SUCCEEDED;

    } else if (rbl_str_is(status, "processing")) {
        outcome->result = GATEWAY_PROCESSING;

    } else if (stripe_of_attempt(job, intent)
               && (rbl_str_is(status, "requires_payment_method")
                   || rbl_str_is(status, "canceled")))
    {
        stripe_declined(outcome,
                        json_object_get(intent, "last_payment_error"));

    } else {
        gateway_say(outcome, GATEWAY_UNKNOWN, "the answer has a strange"
                    " status");
    }

    if (outcome->result != GATEWAY_UNKNOWN
        && !gateway_amount_fits(outcome, job, stripe_amount(intent)))
    {
        outcome->reference[0] = '\0';
        gateway_say(outcome, GATEWAY_UNKNOWN,
                    "the answer is of another amount");
    }
}


/* An earlier attempt that was declined says nothing about this one. */

static int
stripe_counts(const gateway_job_t *job, const json_t *intent)
{
    return stripe_of_payment(job, intent)
           && (stripe_of_attempt(job, intent)
               || (!gateway_json_is(intent, "status",
                                    "requires_payment_method")
                   && !gateway_json_is(intent, "status", "canceled")));
}


static void
stripe_listed(gateway_outcome_t *outcome, gateway_job_t *job,
    const json_t *root)
{
    size_t         i;
    const json_t  *data, *intent;

    data = json_object_get(root, "data");

    if (!gateway_json_is(root, "object", "list") || !json_is_array(data)) {
        gateway_say(outcome, GATEWAY_UNKNOWN, "the answer is not a list");
        return;
    }

    json_array_foreach(data, i, intent) {
        if (stripe_counts(job, intent)) {
            stripe_intent(outcome, job, intent);
            return;
        }

        gateway_json_id(job->cursor, intent, "id");
    }

    if (json_is_true(json_object_get(root, "has_more")) && i > 0) {
        outcome->result = ++job->pages < STRIPE_PAGES && job->cursor[0] != '\0'
                          ? GATEWAY_AGAIN : GATEWAY_UNKNOWN;
        return;
    }

    job->looked = 1;

    if (job->task == GATEWAY_CHARGE) {
        outcome->result = GATEWAY_AGAIN;
        return;
    }

    gateway_say(outcome, GATEWAY_MISSING, "Stripe does not know the payment");
}


static void
stripe_card(gateway_outcome_t *outcome, const json_t *method)
{
    gateway_json_card(outcome, json_object_get(method, "card"));
    gateway_json_id(outcome->method, method, "id");
    gateway_text(outcome->type, sizeof(outcome->type),
                 gateway_json(method, "type"));
    outcome->live = json_is_true(json_object_get(method, "livemode"));

    if (outcome->month == 0 || outcome->method[0] == '\0'
        || strcmp(outcome->type, "card") != 0)
    {
        gateway_say(outcome, GATEWAY_UNKNOWN, "the answer is not a card");
        return;
    }

    outcome->result = GATEWAY_SUCCEEDED;
}


/* Only over TLS, but for tests on this machine.  It has a fragment. */

static int
stripe_page_ok(const gateway_job_t *job, rbl_str_t url)
{
    size_t      i;
    rbl_url_t   parsed;
    const char *hash;

    for (i = 0; i < url.n && url.p[i] > ' ' && url.p[i] < 0x7f; i++) {
        if (strchr("\"'<>\\", url.p[i]) != NULL) {
            break;
        }
    }

    if (i < url.n || url.n >= GATEWAY_URL_MAX) {
        return 0;
    }

    hash = memchr(url.p, '#', url.n);
    url.n = hash != NULL ? (size_t) (hash - url.p) : url.n;

    return rbl_url_parse(&parsed, url) == RBL_OK
           && (parsed.tls || strncmp(job->conf->gateway_url, "http:", 5) == 0);
}


/* A page, new or looked at. */

static void
stripe_page(gateway_outcome_t *outcome, const gateway_job_t *job,
    const json_t *root)
{
    rbl_str_t      url, status;
    const json_t  *intent;

    gateway_json_id(outcome->reference, root, "id");
    gateway_json_id(outcome->customer, root, "customer");
    url = gateway_json(root, "url");
    status = gateway_json(root, "status");
    intent = json_object_get(root, "setup_intent");

    if (!gateway_json_is(root, "object", "checkout.session")
        || !gateway_json_is(root, "mode", "setup")
        || !rbl_str_eq(gateway_json(json_object_get(root, "metadata"),
                                    "account"), job->account)
        || (job->task == GATEWAY_LOOK
            && !rbl_str_is(job->setup.session, outcome->reference)))
    {
        gateway_say(outcome, GATEWAY_UNKNOWN, "the answer is of another page");

    } else if (rbl_str_is(status, "open") && stripe_page_ok(job, url)) {
        outcome->result = GATEWAY_PROCESSING;
        rbl_copy(outcome->url, sizeof(outcome->url), url);

    } else if (rbl_str_is(status, "expired")) {
        gateway_say(outcome, GATEWAY_DECLINED, "the page has expired");

    } else if (rbl_str_is(status, "complete")
               && gateway_json_is(intent, "status", "succeeded")
               && outcome->customer[0] != '\0')
    {
        stripe_card(outcome, json_object_get(intent, "payment_method"));

    } else {
        gateway_say(outcome, GATEWAY_UNKNOWN, "the answer has a strange"
                    " status");
    }
}


/* 401 and 403 quote the key, so their words are not taken. */

static void
stripe_refused(gateway_outcome_t *outcome, const gateway_job_t *job,
    unsigned status, const json_t *error)
{
    rbl_str_t  param;

    param = gateway_json(error, "param");
    gateway_text(outcome->text, sizeof(outcome->text),
                 status == 401 ? RBL_STR("Stripe does not accept the key")
                 : status == 403 ? RBL_STR("the key lacks a right")
                 : gateway_json(error, "message"));
    outcome->result = GATEWAY_UNKNOWN;

    if (status == 402 && gateway_json_is(error, "type", "card_error")
        && job->task == GATEWAY_CHARGE)
    {
        stripe_intent(outcome, job, json_object_get(error, "payment_intent"));

        if (outcome->result == GATEWAY_DECLINED) {
            stripe_declined(outcome, error);

        } else {
            gateway_say(outcome, GATEWAY_UNKNOWN, "a decline without its"
                        " payment");
        }

    } else if (status == 400 && job->task == GATEWAY_CHARGE
               && gateway_json_is(error, "code", "resource_missing")
               && rbl_str_is(param, "payment_method"))
    {
        stripe_declined(outcome, error);
        outcome->final = 1;

    } else if ((status == 400 || status == 404)
               && job->task == GATEWAY_DETACH)
    {
        outcome->result = GATEWAY_SUCCEEDED;    /* it is of no customer */

    } else if (status == 401 || status == 403 || status == 404
               || (status == 400
                   && !gateway_json_is(error, "type", "idempotency_error")))
    {
        outcome->result = GATEWAY_MISCONFIGURED;
    }
}


static void
stripe_good(gateway_outcome_t *outcome, gateway_job_t *job, const json_t *root)
{
    switch (job->task) {

    case GATEWAY_CHARGE:
    case GATEWAY_QUERY:
        if (stripe_lists(job)) {
            stripe_listed(outcome, job, root);

        } else {
            stripe_intent(outcome, job, root);
        }

        break;

    case GATEWAY_CARD:
        stripe_card(outcome, root);

        if (!rbl_str_is(job->source.method, outcome->method)) {
            gateway_say(outcome, GATEWAY_UNKNOWN, "the answer is of another"
                        " card");
        }

        break;

    case GATEWAY_DETACH:
        outcome->result = GATEWAY_SUCCEEDED;
        break;

    default:
        stripe_page(outcome, job, root);
        break;
    }
}


static void
stripe_judge(gateway_outcome_t *outcome, gateway_job_t *job,
    const gateway_answer_t *answer)
{
    json_t        *root;
    json_error_t   error;

    root = json_loadb(answer->body.p, answer->body.n, 0, &error);

    if (!json_is_object(root)) {
        gateway_say(outcome, GATEWAY_UNKNOWN, "the answer is not of Stripe");

    } else if (answer->status == 200) {
        stripe_good(outcome, job, root);

    } else {
        stripe_refused(outcome, job, answer->status,
                       json_object_get(root, "error"));
    }

    json_decref(root);
}


const gateway_t  gateway_stripe = { "stripe", stripe_make, stripe_judge, 0 };
