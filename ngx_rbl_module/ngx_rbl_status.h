/*
 * rbl_status: what its files share.  ngx_rbl_status.c has the directive, the
 * handler and JSON, ngx_rbl_status_prometheus.c the other form.
 */

#ifndef _NGX_RBL_STATUS_H_INCLUDED_
#define _NGX_RBL_STATUS_H_INCLUDED_

#include "ngx_rbl_gather.h"

#define NGX_RBL_STATUS_LABEL  64        /* octets of a code or an endpoint */


typedef struct {
    rbl_out_t        out;
    ngx_rbl_meter_t  sum;
    ngx_uint_t       workers;
    time_t           since;
} ngx_rbl_status_t;

/* A number of its own, in both forms. */
typedef struct {
    const char  *key;                   /* in JSON; NULL: end of the table */
    const char  *name;                  /* for Prometheus */
    const char  *type;
    const char  *help;
    size_t       offset;                /* in the meter */
} ngx_rbl_status_number_t;

extern const ngx_rbl_status_number_t  ngx_rbl_status_store[];
extern const ngx_rbl_status_number_t  ngx_rbl_status_statistics[];

uint64_t ngx_rbl_status_of(ngx_rbl_status_t *s,
    const ngx_rbl_status_number_t *number);

/*
 * Requests of the endpoint of row i; several rows may have the same one, and
 * its first row has the sum: (uint64_t) -1 for the others.
 */
uint64_t ngx_rbl_status_endpoint(ngx_rbl_status_t *s, ngx_uint_t i);

/* Both write into the text, which has NGX_RBL_STATUS_LABEL octets. */
const char *ngx_rbl_status_code(char *text, ngx_uint_t code);
const char *ngx_rbl_status_text(char *text, const ngx_str_t *s);

/* ngx_rbl_status_prometheus.c */
void ngx_rbl_status_prometheus(ngx_rbl_status_t *s);

#endif /* _NGX_RBL_STATUS_H_INCLUDED_ */
