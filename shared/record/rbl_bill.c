#include "rbl_bill.h"

#include "rbl_record_int.h"
#include "rbl_schema.h"

#include <stddef.h>

#define STR(type, name)  { RBL_FIELD_STR, offsetof(type, name) }
#define INT(type, name)  { RBL_FIELD_INT, offsetof(type, name) }


static const rbl_field_t  rbl_bill_fields[RBL_BILL__N] = {
    [RBL_BILL_ACCOUNT] = STR(rbl_bill_t, account),
    [RBL_BILL_GATEWAY] = STR(rbl_bill_t, gateway),
    [RBL_BILL_PLAN] = STR(rbl_bill_t, plan),
    [RBL_BILL_PRICE] = INT(rbl_bill_t, price),
    [RBL_BILL_PERIOD] = STR(rbl_bill_t, period),
    [RBL_BILL_ANCHOR] = INT(rbl_bill_t, anchor),
    [RBL_BILL_BEGINS] = INT(rbl_bill_t, begins),
    [RBL_BILL_ENDS] = INT(rbl_bill_t, ends),
    [RBL_BILL_STATE] = STR(rbl_bill_t, state),
    [RBL_BILL_OPEN] = STR(rbl_bill_t, open),
    [RBL_BILL_TOLD] = INT(rbl_bill_t, told),
    [RBL_BILL_STOPS] = INT(rbl_bill_t, stops),
    [RBL_BILL_CUSTOMER] = STR(rbl_bill_t, customer),
};

static const rbl_field_t  rbl_terms_fields[RBL_TERMS__N] = {
    [RBL_TERMS_RENEW] = INT(rbl_terms_t, renew),
    [RBL_TERMS_SOURCE] = STR(rbl_terms_t, source),
    [RBL_TERMS_FALLS_BELOW] = INT(rbl_terms_t, falls_below),
    [RBL_TERMS_RECHARGE_TO] = INT(rbl_terms_t, recharge_to),
    [RBL_TERMS_ALERT] = INT(rbl_terms_t, alert),
};

static const rbl_field_t  rbl_payment_fields[RBL_PAYMENT__N] = {
    [RBL_PAYMENT_ID] = STR(rbl_payment_t, id),
    [RBL_PAYMENT_KIND] = STR(rbl_payment_t, kind),
    [RBL_PAYMENT_KEY] = STR(rbl_payment_t, key),
    [RBL_PAYMENT_AMOUNT] = INT(rbl_payment_t, amount),
    [RBL_PAYMENT_STATE] = STR(rbl_payment_t, state),
    [RBL_PAYMENT_ATTEMPT] = INT(rbl_payment_t, attempt),
    [RBL_PAYMENT_REFERENCE] = STR(rbl_payment_t, reference),
    [RBL_PAYMENT_REASON] = STR(rbl_payment_t, reason),
    [RBL_PAYMENT_CREATED] = INT(rbl_payment_t, created),
    [RBL_PAYMENT_DONE] = INT(rbl_payment_t, done),
    [RBL_PAYMENT_BEGINS] = INT(rbl_payment_t, begins),
    [RBL_PAYMENT_ENDS] = INT(rbl_payment_t, ends),
    [RBL_PAYMENT_SOURCE] = STR(rbl_payment_t, source),
    [RBL_PAYMENT_METHOD] = STR(rbl_payment_t, method),
    [RBL_PAYMENT_CUSTOMER] = STR(rbl_payment_t, customer),
    [RBL_PAYMENT_TEXT] = STR(rbl_payment_t, text),
    [RBL_PAYMENT_URL] = STR(rbl_payment_t, url),
    [RBL_PAYMENT_SENT] = INT(rbl_payment_t, sent),
    [RBL_PAYMENT_TRIED] = INT(rbl_payment_t, tried),
    [RBL_PAYMENT_NEXT] = INT(rbl_payment_t, next),
};

static const rbl_field_t  rbl_source_fields[RBL_SOURCE__N] = {
    [RBL_SOURCE_ID] = STR(rbl_source_t, id),
    [RBL_SOURCE_TYPE] = STR(rbl_source_t, type),
    [RBL_SOURCE_BRAND] = STR(rbl_source_t, brand),
    [RBL_SOURCE_LAST4] = STR(rbl_source_t, last4),
    [RBL_SOURCE_MONTH] = INT(rbl_source_t, month),
    [RBL_SOURCE_YEAR] = INT(rbl_source_t, year),
    [RBL_SOURCE_METHOD] = STR(rbl_source_t, method),
    [RBL_SOURCE_LIVE] = INT(rbl_source_t, live),
    [RBL_SOURCE_TOLD] = INT(rbl_source_t, told),
    [RBL_SOURCE_CREATED] = INT(rbl_source_t, created),
    [RBL_SOURCE_ASKED] = INT(rbl_source_t, asked),
};

static const rbl_field_t  rbl_setup_fields[RBL_SETUP__N] = {
    [RBL_SETUP_STATE] = STR(rbl_setup_t, state),
    [RBL_SETUP_MADE] = INT(rbl_setup_t, made),
    [RBL_SETUP_BACK] = STR(rbl_setup_t, back),
    [RBL_SETUP_SESSION] = STR(rbl_setup_t, session),
    [RBL_SETUP_URL] = STR(rbl_setup_t, url),
    [RBL_SETUP_NEXT] = INT(rbl_setup_t, next),
    [RBL_SETUP_TEXT] = STR(rbl_setup_t, text),
};

static const rbl_field_t  rbl_sold_fields[RBL_SOLD__N] = {
    [RBL_SOLD_PLAN] = STR(rbl_sold_t, plan),
    [RBL_SOLD_PRICE] = INT(rbl_sold_t, price),
    [RBL_SOLD_HOSTS] = INT(rbl_sold_t, hosts),
    [RBL_SOLD_INTERVAL] = INT(rbl_sold_t, interval),
    [RBL_SOLD_EXPIRES] = INT(rbl_sold_t, expires),
    [RBL_SOLD_RENEW] = INT(rbl_sold_t, renew),
};

static const rbl_field_t  rbl_billing_fields[RBL_BILLING__N] = {
    [RBL_BILLING_SOLD] = STR(rbl_billing_t, sold),
    [RBL_BILLING_PAYMENT] = STR(rbl_billing_t, payment),
    [RBL_BILLING_ATTEMPT] = INT(rbl_billing_t, attempt),
    [RBL_BILLING_REASON] = STR(rbl_billing_t, reason),
    [RBL_BILLING_NEXT] = INT(rbl_billing_t, next),
    [RBL_BILLING_DAYS] = INT(rbl_billing_t, days),
    [RBL_BILLING_SOURCE] = STR(rbl_billing_t, source),
    [RBL_BILLING_BALANCE] = INT(rbl_billing_t, balance),
    [RBL_BILLING_ALERT] = INT(rbl_billing_t, alert),
    [RBL_BILLING_FALLS_BELOW] = INT(rbl_billing_t, falls_below),
    [RBL_BILLING_RECHARGE_TO] = INT(rbl_billing_t, recharge_to),
};


rbl_err_t
rbl_bill_decode(rbl_bill_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, bill, BILL, v);
}


rbl_err_t
rbl_terms_decode(rbl_terms_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, terms, TERMS, v);
}


rbl_err_t
rbl_payment_decode(rbl_payment_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, payment, PAYMENT, v);
}


rbl_err_t
rbl_source_decode(rbl_source_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, source, SOURCE, v);
}


rbl_err_t
rbl_setup_decode(rbl_setup_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, setup, SETUP, v);
}


rbl_err_t
rbl_sold_decode(rbl_sold_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, sold, SOLD, v);
}


rbl_err_t
rbl_billing_decode(rbl_billing_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, billing, BILLING, v);
}
