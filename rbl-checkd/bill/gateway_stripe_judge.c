/*
 * Meaning of the answers of Stripe.
 */

#include "gateway_stripe.h"

#include "gateway_json.h"

#define STRIPE_PAGES  40u               /* of a list */


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
    int64_t  cents;

    if (!gateway_json_is(intent, "object", "payment_intent")) {
        return "the answer is not a payment";
    }

    if (!stripe_of_payment(job, intent)) {
        return "the answer is of another payment";
    }

    if (gateway_cents(&cents, job->payment.amount) != RBL_OK
        || !json_is_integer(json_object_get(intent, "amount"))
        || json_integer_value(json_object_get(intent, "amount")) != cents
        || !gateway_json_is(intent, "currency", "usd"))
    {
        return "the answer is of another amount";
    }

    return json_is_true(json_object_get(intent, "livemode"))
           == gateway_live(job->conf)
           ? NULL : "the answer is of another mode";
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

    gateway_say(outcome, GATEWAY_UNKNOWN, "Stripe does not know the payment");
}


static void
stripe_card(gateway_outcome_t *outcome, const json_t *method)
{
    const json_t  *card;

    card = json_object_get(method, "card");
    gateway_json_id(outcome->method, method, "id");
    gateway_text(outcome->type, sizeof(outcome->type),
                 gateway_json(method, "type"));
    gateway_text(outcome->brand, sizeof(outcome->brand),
                 gateway_json(card, "brand"));
    gateway_text(outcome->last4, sizeof(outcome->last4),
                 gateway_json(card, "last4"));
    outcome->month = json_integer_value(json_object_get(card, "exp_month"));
    outcome->year = json_integer_value(json_object_get(card, "exp_year"));
    outcome->live = json_is_true(json_object_get(method, "livemode"));

    if (outcome->method[0] == '\0' || strcmp(outcome->type, "card") != 0
        || outcome->month < 1 || outcome->month > 12
        || outcome->year < 2000 || outcome->year > 9999)
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

    default:
        stripe_page(outcome, job, root);
        break;
    }
}


void
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
