/*
 * A server of the operator: its contract is in rbl-operations(7).  Requests are
 * signed like webhooks.  It knows its keys for ever, so that the same request
 * never charges twice.
 */

#include "gateway.h"
#include "gateway_json.h"

#include <stdio.h>
#include <time.h>

#include "base/sign.h"
#include "rbl_doc.h"
#include "rbl_money.h"


static rbl_err_t
http_sign(request_t *r, const gateway_job_t *job, rbl_str_t key)
{
    char     time_text[RBL_OUT_INT];
    sign_t   sign;
    int64_t  now;

    now = (int64_t) time(NULL);

    if (sign_make(&sign, rbl_str(job->conf->gateway_key), RBL_STR(""), key,
                  now, rbl_buf_str(&r->body_made)) != RBL_OK
        || request_header(r, "Idempotency-Key", key) != RBL_OK
        || request_header(r, "webhook-id", key) != RBL_OK
        || request_header(r, "webhook-timestamp",
                          rbl_out_int_text(time_text, now)) != RBL_OK
        || request_header(r, "X-Webhook-Signature", rbl_str(sign.own))
           != RBL_OK)
    {
        return RBL_EINVAL;
    }

    return request_header(r, "webhook-signature", rbl_str(sign.standard));
}


static void
http_body(request_t *r, const gateway_job_t *job)
{
    char                  text[RBL_MONEY_LEN];
    rbl_doc_t             doc;
    const rbl_payment_t  *p = &job->payment;

    rbl_doc_begin(&doc, &r->body_made.out, RBL_JSON);
    rbl_doc_str(&doc, "account", job->account);
    rbl_doc_str(&doc, "payment", p->id);
    rbl_doc_int(&doc, "attempt", p->attempt + 1);
    rbl_doc_str(&doc, "kind", p->kind);
    rbl_doc_str(&doc, "amount", rbl_money_text(text, p->amount));
    rbl_doc_z(&doc, "currency", "USD");
    rbl_doc_int(&doc, "begins", p->begins / 1000);
    rbl_doc_int(&doc, "ends", p->ends / 1000);
    rbl_doc_end(&doc);
}


static rbl_err_t
http_make(request_t *r, const gateway_job_t *job)
{
    char  key[GATEWAY_WORD_MAX];

    if (job->task != GATEWAY_CHARGE && job->task != GATEWAY_QUERY) {
        return RBL_EINVAL;
    }

    gateway_key(key, &job->payment);
    rbl_out_z(&r->to_made.out, job->conf->gateway_url);
    rbl_out_z(&r->to_made.out, "/payments");

    if (job->task == GATEWAY_CHARGE) {
        http_body(r, job);

    } else {
        r->get = 1;
        rbl_out_char(&r->to_made.out, '/');
        rbl_out_z(&r->to_made.out, key);
    }

    return http_sign(r, job, rbl_str(key));
}


static void
http_status(gateway_outcome_t *outcome, const json_t *root)
{
    size_t     i;
    rbl_str_t  status;

    static const struct {
        const char        *status;
        gateway_result_t   result;
    } states[] = {
        { "succeeded", GATEWAY_SUCCEEDED },
        { "processing", GATEWAY_PROCESSING },
        { "declined", GATEWAY_DECLINED },
        { "customer", GATEWAY_CUSTOMER }
    };

    status = gateway_json(root, "status");

    for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        if (rbl_str_is(status, states[i].status)) {
            outcome->result = states[i].result;
            return;
        }
    }

    gateway_say(outcome, GATEWAY_UNKNOWN, "the answer has a strange status");
}


/* Whether the answer is of the payment; its result is known. */

static int
http_of_payment(gateway_outcome_t *outcome, const gateway_job_t *job,
    const json_t *root)
{
    char       key[GATEWAY_WORD_MAX], text[RBL_MONEY_LEN];
    int64_t    amount;
    rbl_str_t  said;

    gateway_key(key, &job->payment);
    said = gateway_json(root, "amount");

    if (rbl_money_parse(&amount, said, 2) != RBL_OK
        || !rbl_str_eq(said, rbl_money_text(text, amount)))
    {
        amount = 0;
    }

    return gateway_json_is(root, "key", key)
           && gateway_json_is(root, "currency", "USD")
           && gateway_amount_fits(outcome, job, amount);
}


static void
http_good(gateway_outcome_t *outcome, const gateway_job_t *job,
    const json_t *root)
{
    rbl_str_t  url;
    rbl_url_t  parsed;

    http_status(outcome, root);

    if (outcome->result == GATEWAY_UNKNOWN) {
        return;
    }

    if (!http_of_payment(outcome, job, root)) {
        gateway_say(outcome, GATEWAY_UNKNOWN, "the answer is of another"
                    " payment or amount");
        return;
    }

    gateway_json_id(outcome->reference, root, "reference");
    gateway_text(outcome->reason, sizeof(outcome->reason),
                 gateway_json(root, "reason"));
    gateway_text(outcome->text, sizeof(outcome->text),
                 gateway_json(root, "message"));
    outcome->final = json_is_true(json_object_get(root, "final"));
    gateway_json_card(outcome, json_object_get(root, "payment_source"));
    url = gateway_json(root, "url");

    if (outcome->result == GATEWAY_CUSTOMER
        && url.n < GATEWAY_URL_MAX && rbl_url_parse(&parsed, url) == RBL_OK
        && parsed.tls)
    {
        rbl_copy(outcome->url, sizeof(outcome->url), url);
    }

    if ((outcome->result == GATEWAY_SUCCEEDED && outcome->reference[0] == '\0')
        || (outcome->result == GATEWAY_DECLINED && outcome->reason[0] == '\0'))
    {
        gateway_say(outcome, GATEWAY_UNKNOWN, "the answer has no reference or"
                    " no reason");
    }
}


static void
http_judge(gateway_outcome_t *outcome, gateway_job_t *job,
    const gateway_answer_t *answer)
{
    json_t        *root;
    json_error_t   error;

    root = json_loadb(answer->body.p, answer->body.n, 0, &error);

    if (answer->status == 200 && json_is_object(root)) {
        http_good(outcome, job, root);

    } else if (answer->status == 409) {
        outcome->result = GATEWAY_PROCESSING;

    } else if (answer->status == 404 && job->task == GATEWAY_QUERY) {
        gateway_say(outcome, GATEWAY_UNKNOWN, "the server does not know the"
                    " payment");

    } else if (answer->status >= 400 && answer->status < 500
               && answer->status != 408 && answer->status != 425
               && answer->status != 429)
    {
        gateway_say(outcome, GATEWAY_MISCONFIGURED, "the server refuses the"
                    " request");

    } else {
        gateway_say(outcome, GATEWAY_UNKNOWN, "the answer cannot be"
                    " understood");
    }

    json_decref(root);
}


const gateway_t  gateway_http = { "http", http_make, http_judge, 1 };
