/*
 * The table of gateways, and what they share.
 */

#include "gateway.h"

#include <stdio.h>

#include "rbl_money.h"

#define GATEWAY_CENT  INT64_C(10000)    /* micro-USD */


/* Nothing is asked: the operator books the payments. */

const gateway_t  gateway_manual = { "manual", NULL, NULL, 0 };

static const gateway_t *const  gateways[] = {
    &gateway_manual, &gateway_stripe, &gateway_http
};


const gateway_t *
gateway_find(const config_t *conf)
{
    size_t  i;

    for (i = 0; i < sizeof(gateways) / sizeof(gateways[0]); i++) {
        if (strcmp(conf->gateway, gateways[i]->name) == 0) {
            return gateways[i];
        }
    }

    return NULL;
}


int
gateway_live(const config_t *conf)
{
    return strcmp(conf->gateway, "stripe") != 0
           || strncmp(conf->gateway_key + 2, "_live_", 6) == 0;
}


void
gateway_key(char key[GATEWAY_WORD_MAX], const rbl_payment_t *payment)
{
    snprintf(key, GATEWAY_WORD_MAX, "%.*s-%lld", (int) payment->id.n,
             payment->id.p, (long long) payment->attempt + 1);
}


rbl_err_t
gateway_cents(int64_t *cents, int64_t amount)
{
    *cents = amount / GATEWAY_CENT;

    return amount > 0 && amount % GATEWAY_CENT == 0 ? RBL_OK : RBL_EINVAL;
}


int
gateway_amount_fits(gateway_outcome_t *outcome, const gateway_job_t *job,
    int64_t amount)
{
    int64_t  cents;

    if (outcome->result == GATEWAY_DECLINED || amount == job->payment.amount) {
        return 1;
    }

    if (rbl_str_is(job->payment.kind, "renewal")
        || gateway_cents(&cents, amount) != RBL_OK || amount > RBL_MONEY_MAX)
    {
        return 0;
    }

    outcome->amount = amount;

    return 1;
}


void
gateway_say(gateway_outcome_t *outcome, gateway_result_t result,
    const char *text)
{
    outcome->result = result;
    snprintf(outcome->text, sizeof(outcome->text), "%s", text);
}


void
gateway_text(char *to, size_t size, rbl_str_t text)
{
    size_t  i;

    for (i = 0; i < text.n && i + 1 < size; i++) {
        to[i] = text.p[i] >= ' ' && text.p[i] < 0x7f ? text.p[i] : '?';
    }

    to[i] = '\0';
}
