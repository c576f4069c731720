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

/*
 * Writes the members "verdict" and "conditions" of a store.  Names and states
 * are for everybody; reasons and remedies have addresses of servers.  The
 * verdict is "good", "degraded", "broken", or "unknown".
 */
#define NGX_RBL_VERDICT_REASONS  1
#define NGX_RBL_VERDICT_SECONDS  2      /* times since 1970, not RFC 3339 */

void ngx_rbl_verdict_write(rbl_doc_t *doc, ngx_int_t store_index,
    ngx_uint_t how);

/*
 * Has the store lost its meta data, so that whatever is missing in it proves
 * nothing?  NGX_DECLINED: it has; NGX_OK: a request saw them within the last
 * second, or there is no such store; NGX_AGAIN: that has to be looked up, and
 * ngx_rbl_verdict_met gets the result.
 */
ngx_int_t ngx_rbl_verdict_emptied(ngx_int_t store_index);
void ngx_rbl_verdict_met(ngx_int_t store_index, ngx_uint_t emptied);


/* Returns the keys of the records of daemons in the pool, behind a free
   element; *n is their number.  Their names are every `step`-th element of the
   reply.  NULL: out of memory; n is 0 then. */
rbl_str_t *ngx_rbl_daemon_keys(ngx_pool_t *pool, ngx_rbl_store_t *store,
    const redisReply *reply, size_t step, ngx_uint_t *n);

/* The name in such a key. */
rbl_str_t ngx_rbl_daemon_name(ngx_rbl_store_t *store, rbl_str_t key);

#endif /* _NGX_RBL_VERDICT_H_INCLUDED_ */
