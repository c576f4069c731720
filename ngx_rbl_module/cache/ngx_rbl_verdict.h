/*
 * The verdict about the service (rbl_condition.h), as this worker knows it: it
 * reads the records of the daemons and tries the store every five seconds, so
 * no request has to.
 */

#ifndef _NGX_RBL_VERDICT_H_INCLUDED_
#define _NGX_RBL_VERDICT_H_INCLUDED_

#include "ngx_rbl_http.h"

#include "rbl_condition.h"


/* Begins and ends the watch of the stores of this worker. */
void ngx_rbl_verdict_init(ngx_rbl_main_conf_t *rmcf, ngx_cycle_t *cycle);
void ngx_rbl_verdict_done(void);

/* The conditions of a store, by its index, worst first.  NULL: not known yet,
   or there is no such store. */
const rbl_conditions_t *ngx_rbl_verdict(ngx_int_t store_index);

/* The types of contacts that the daemons deliver to, as bits by
   rbl_contact_type_t; 0: not known. */
unsigned ngx_rbl_verdict_types(ngx_int_t store_index);

/* "good", "degraded", "broken", or "unknown" for NULL. */
const char *ngx_rbl_verdict_name(const rbl_conditions_t *conditions);

/*
 * Has the store lost its meta data, so that whatever is missing in it proves
 * nothing?  NGX_DECLINED: it has; NGX_OK: a request saw them within the last
 * second, or there is no such store; NGX_AGAIN: that has to be looked up, and
 * ngx_rbl_verdict_met gets the result.
 */
ngx_int_t ngx_rbl_verdict_emptied(ngx_int_t store_index);
void ngx_rbl_verdict_met(ngx_int_t store_index, ngx_uint_t emptied);

#endif /* _NGX_RBL_VERDICT_H_INCLUDED_ */
