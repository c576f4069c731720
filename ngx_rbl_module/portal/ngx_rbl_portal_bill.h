/*
 * Billing: declarations of the files ngx_rbl_portal_bill*.c.
 */

#ifndef _NGX_RBL_PORTAL_BILL_H_INCLUDED_
#define _NGX_RBL_PORTAL_BILL_H_INCLUDED_

#include "ngx_rbl_portal.h"

#include "rbl_record.h"
#include "rbl_money.h"


/* Writes an amount, "25.00"; a time, or "" for 0; a URL of the gateway, or ""
   if it is not of https. */
void ngx_rbl_bill_money(ngx_rbl_ctx_t *ctx, const char *key, int64_t amount);
void ngx_rbl_bill_at(ngx_rbl_ctx_t *ctx, const char *key, int64_t ms);
void ngx_rbl_bill_url(ngx_rbl_ctx_t *ctx, const char *key, rbl_str_t url);

/* Writes the state of a bill: when the period ends, "" if none was paid, and
   when checks stop if that has passed. */
void ngx_rbl_bill_state(ngx_rbl_ctx_t *ctx, const rbl_bill_t *bill);

/* Writes a payment.  A damaged record is left out, and logged. */
void ngx_rbl_bill_payment(ngx_rbl_ctx_t *ctx, const char *key, rbl_str_t raw);

#endif /* _NGX_RBL_PORTAL_BILL_H_INCLUDED_ */
