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

/* "good", "degraded", "broken", or "unknown" for NULL. */
const char *ngx_rbl_verdict_name(const rbl_conditions_t *conditions);

/*
 * True if the store has lost its meta data: whatever is missing in it proves
 * nothing.  If it is not known to have lost them, looks soon, at most once a
 * second.
 */
ngx_uint_t ngx_rbl_verdict_emptied(ngx_int_t store_index);

#endif /* _NGX_RBL_VERDICT_H_INCLUDED_ */
