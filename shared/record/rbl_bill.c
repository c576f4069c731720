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
rbl_sold_decode(rbl_sold_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, sold, SOLD, v);
}


rbl_err_t
rbl_billing_decode(rbl_billing_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, billing, BILLING, v);
}
