/*
 * Bills, payments, their sources, and what billing events tell, as C
 * structures.  Amounts are micro-USD (rbl_money.h), times ms since 1970;
 * schema.txt has the meaning of each field.  Texts are views of the record's
 * bytes.
 */

#ifndef RBL_BILL_H_INCLUDED
#define RBL_BILL_H_INCLUDED

#include "rbl_record.h"

typedef struct {
    rbl_str_t  account, gateway, plan;
    int64_t    price;
    rbl_str_t  period;                  /* month, year, check */
    int64_t    anchor, begins, ends;
    rbl_str_t  state;                   /* active, grace, lapsed */
    rbl_str_t  open;                    /* payment; "": none */
    int64_t    told, stops;
    rbl_str_t  customer;
} rbl_bill_t;

/* The choices of the account; amounts 0: none. */
typedef struct {
    int64_t    renew;
    rbl_str_t  source;
    int64_t    falls_below, recharge_to, alert;
} rbl_terms_t;

typedef struct {
    rbl_str_t  id, kind, key;
    int64_t    amount;
    rbl_str_t  state;                   /* open, sent, processing, unknown,
                                           customer, failed, succeeded, void */
    int64_t    attempt;
    rbl_str_t  reference, reason;
    int64_t    created, done, begins, ends;
    rbl_str_t  source, method, customer, text, url;
    int64_t    sent, tried, next;
} rbl_payment_t;

typedef struct {
    rbl_str_t  id, type, brand, last4;
    int64_t    month, year;             /* when it expires */
    rbl_str_t  method;
    int64_t    live, told, created, asked;
} rbl_source_t;

typedef struct {
    rbl_str_t  state;                   /* wanted, open, done, failed */
    int64_t    made;
    rbl_str_t  back, session, url;
    int64_t    next;
    rbl_str_t  text;
} rbl_setup_t;

/* A plan as events tell it. */
typedef struct {
    rbl_str_t  plan;
    int64_t    price, hosts, interval, expires, renew;
} rbl_sold_t;

/* event.data of a billing event. */
typedef struct {
    rbl_str_t  sold, payment;           /* records; payment "": none */
    int64_t    attempt;
    rbl_str_t  reason;
    int64_t    next, days;
    rbl_str_t  source;                  /* record; "": by hand */
    int64_t    balance, alert, falls_below, recharge_to;
} rbl_billing_t;

/* RBL_ETYPE: not such a record. */
rbl_err_t rbl_bill_decode(rbl_bill_t *v, rbl_str_t raw);
rbl_err_t rbl_terms_decode(rbl_terms_t *v, rbl_str_t raw);
rbl_err_t rbl_payment_decode(rbl_payment_t *v, rbl_str_t raw);
rbl_err_t rbl_source_decode(rbl_source_t *v, rbl_str_t raw);
rbl_err_t rbl_setup_decode(rbl_setup_t *v, rbl_str_t raw);
rbl_err_t rbl_sold_decode(rbl_sold_t *v, rbl_str_t raw);
rbl_err_t rbl_billing_decode(rbl_billing_t *v, rbl_str_t raw);

#endif /* RBL_BILL_H_INCLUDED */
