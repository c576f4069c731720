/*
 * The table of gateways, and what they share.
 */

#include "gateway.h"

#include <openssl/crypto.h>
#include <stdarg.h>
#include <stdio.h>

#define GATEWAY_CENT  INT64_C(10000)    /* micro-USD */


/* Nothing is asked: the operator books the payments. */

const gateway_t  gateway_manual = { "manual", NULL, NULL };

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


rbl_err_t
gateway_header(gateway_request_t *request, const char *fmt, ...)
{
    int          n;
    va_list      ap;
    const char  *p;

    if (request->n_headers == GATEWAY_HEADERS) {
        return RBL_EINVAL;
    }

    va_start(ap, fmt);
    n = vsnprintf(request->header[request->n_headers], GATEWAY_HEADER_MAX, fmt,
                  ap);
    va_end(ap);

    if (n < 0 || n >= GATEWAY_HEADER_MAX) {
        return RBL_EINVAL;
    }

    for (p = request->header[request->n_headers]; *p != '\0'; p++) {
        if ((unsigned char) *p < ' ' || *p == 0x7f) {
            return RBL_EINVAL;
        }
    }

    request->n_headers++;

    return RBL_OK;
}


/* The headers have the key. */

void
gateway_request_clear(gateway_request_t *request)
{
    OPENSSL_cleanse(request->header, sizeof(request->header));
    request->n_headers = 0;
    request->type = NULL;
    rbl_buf_reset(&request->url);
    rbl_buf_reset(&request->body);
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
