/*
 * Requests to Stripe: PaymentIntents off session, cards by Checkout in setup
 * mode.  Only ids are kept here, never the number of a card.
 *
 * Stripe forgets a key after a day.  So before an attempt is sent, or sent
 * again, the payments of the customer are read: what was charged for the same
 * purpose is found, also if it is forgotten here (a store that was restored
 * from a backup).
 */

#include "gateway_stripe.h"

#include "base/form.h"

#define STRIPE_URL      "https://api.stripe.com"
#define STRIPE_VERSION  "2026-10-28.endive"
#define STRIPE_PAGE     "10"            /* payments, of up to 4 KB each */
#define STRIPE_BACK     (40 * INT64_C(86400))   /* s that backups may be old */


static rbl_err_t
stripe_begin(gateway_request_t *r, const gateway_job_t *job, const char *path)
{
    const config_t  *conf = job->conf;

    rbl_out_z(&r->url.out, conf->gateway_url[0] != '\0' ? conf->gateway_url
                                                        : STRIPE_URL);
    rbl_out_z(&r->url.out, path);

    if (gateway_header(r, "Authorization: Bearer %s", conf->gateway_key)
        != RBL_OK)
    {
        return RBL_EINVAL;
    }

    return gateway_header(r, "Stripe-Version: %s", STRIPE_VERSION);
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
stripe_charge(gateway_request_t *r, const gateway_job_t *job)
{
    char                  key[GATEWAY_WORD_MAX], text[RBL_OUT_INT];
    int64_t               cents;
    rbl_buf_t            *form = &r->body;
    const rbl_payment_t  *p = &job->payment;

    if (gateway_cents(&cents, p->amount) != RBL_OK) {
        return RBL_EINVAL;
    }

    r->type = FORM_TYPE;
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

    return gateway_header(r, "Idempotency-Key: %s", key);
}


int
stripe_lists(const gateway_job_t *job)
{
    return job->task == GATEWAY_QUERY
           ? job->payment.reference.n == 0
           : job->task == GATEWAY_CHARGE && !job->looked;
}


/* Newest first. */

static rbl_err_t
stripe_list(gateway_request_t *r, const gateway_job_t *job)
{
    char       text[RBL_OUT_INT];
    rbl_out_t *out = &r->url.out;

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
stripe_session(gateway_request_t *r, const gateway_job_t *job)
{
    rbl_buf_t  *form = &r->body;

    r->type = FORM_TYPE;
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

    return gateway_header(r, "Idempotency-Key: %.*s-setup-%lld",
                          (int) job->account.n, job->account.p,
                          (long long) job->setup.made);
}


static rbl_err_t
stripe_get(gateway_request_t *r, const gateway_job_t *job, const char *path,
    rbl_str_t id, const char *more)
{
    rbl_err_t  err;

    err = stripe_begin(r, job, path);
    rbl_out_percent(&r->url.out, id);
    rbl_out_z(&r->url.out, more);

    return err;
}


static rbl_err_t
stripe_make(gateway_request_t *r, const gateway_job_t *job)
{
    if (stripe_lists(job)) {
        return stripe_list(r, job);
    }

    switch (job->task) {

    case GATEWAY_CHARGE:
        return stripe_charge(r, job);

    case GATEWAY_QUERY:
        return stripe_get(r, job, "/v1/payment_intents/",
                          job->payment.reference, "");

    case GATEWAY_SESSION:
        return stripe_session(r, job);

    case GATEWAY_LOOK:
        return stripe_get(r, job, "/v1/checkout/sessions/",
                          job->setup.session,
                          "?expand%5B%5D=setup_intent.payment_method");

    case GATEWAY_CARD:
        return stripe_get(r, job, "/v1/payment_methods/", job->source.method,
                          "");

    default:
        return RBL_EINVAL;
    }
}


const gateway_t  gateway_stripe = { "stripe", stripe_make, stripe_judge };
