/*
 * rbl_status: shared by its files.  ngx_rbl_status.c has the directive, the
 * handler and the counters of the workers.  ngx_rbl_fleet.c reads the counters
 * of the daemons; ngx_rbl_fleet_write.c writes them.
 */

#ifndef _NGX_RBL_STATUS_H_INCLUDED_
#define _NGX_RBL_STATUS_H_INCLUDED_

#include "ngx_rbl_http.h"
#include "ngx_rbl_meter.h"

#include "rbl_metrics.h"


/* ngx_rbl_status.c: the content handler of rbl_status, and its setter */
ngx_int_t ngx_rbl_status_handler(ngx_http_request_t *r);
char *ngx_rbl_set_status(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);


typedef struct {
    rbl_daemon_t            record;     /* points into the pool */
    int64_t                 number[RBL_M__N];
    ngx_uint_t              nresolvers, nlists;
    rbl_resolver_metrics_t *resolver;
    rbl_list_metrics_t     *list;
} ngx_rbl_daemon_t;

typedef enum {
    NGX_RBL_FLEET_WAIT = 0,             /* until the store is ready */
    NGX_RBL_FLEET_NAMES,
    NGX_RBL_FLEET_RECORDS
} ngx_rbl_fleet_step_e;

/* Counters of the daemons; read in two rounds. */
typedef struct {
    ngx_pool_t        *pool;
    ngx_int_t          index;           /* of the store, for the verdict */
    ngx_rbl_store_t   *store;
    ngx_rbl_batch_t   *batch;           /* in flight */
    ngx_rbl_fleet_step_e  step;         /* of it */
    void             (*done)(void *data);
    void              *data;
    ngx_uint_t         up;              /* 1: the store was available */
    ngx_uint_t         nnames;
    rbl_str_t         *keys;            /* of their records, from 1 */
    ngx_uint_t         n;
    ngx_rbl_daemon_t  *daemon;
    ngx_uint_t         rows;            /* number of lists and resolvers */
} ngx_rbl_fleet_t;


/* ngx_rbl_metric.c */

/* Writes "# HELP" and "# TYPE"; the name is prefix and name together. */
void ngx_rbl_metric_family(rbl_out_t *out, const char *prefix,
    const char *name, const char *type, const char *help);

typedef struct {
    const char  *name;
    rbl_str_t    value;
} ngx_rbl_label_t;

/* A sample with n labels; `name` may be the end of its name. */
void ngx_rbl_metric_sample(rbl_out_t *out, const char *name,
    const ngx_rbl_label_t *label, ngx_uint_t n, int64_t number,
    rbl_metric_unit_t unit);

/* A family with one sample, which has no labels. */
void ngx_rbl_metric_one(rbl_out_t *out, const char *name, const char *type,
    const char *help, int64_t number);

/* Writes "buckets" as JSON: of n bounds, and behind them the rest.  Each has
   its own count, without those below it. */
void ngx_rbl_metric_buckets(rbl_doc_t *doc, ngx_uint_t n, const int64_t *bound,
    const int64_t *count);


/* ngx_rbl_fleet.c */

/*
 * Reads the fleet from the store; the caller sets pool, done and data and
 * zeroes the rest.  `done` is called once, never inside this call, unless
 * cancelled.  NGX_DECLINED: `done` will not be called.
 */
ngx_int_t ngx_rbl_fleet_read(ngx_rbl_fleet_t *fleet, ngx_rbl_store_t *store);

/*
 * The same as commands of a batch of the caller, who sets pool and store only.
 * The reply to the first goes to ngx_rbl_fleet_names; then, if nnames is not 0,
 * the second is asked, and its reply goes to ngx_rbl_fleet_records.
 */
void ngx_rbl_fleet_ask_names(ngx_rbl_fleet_t *fleet, ngx_rbl_batch_t *batch);
void ngx_rbl_fleet_names(void *fleet, ngx_uint_t i, const redisReply *reply);
void ngx_rbl_fleet_ask_records(ngx_rbl_fleet_t *fleet, ngx_rbl_batch_t *batch);
void ngx_rbl_fleet_records(void *fleet, ngx_uint_t i, const redisReply *reply);

/* Cancels the read; `done` is not called.  May be called again. */
void ngx_rbl_fleet_cancel(ngx_rbl_fleet_t *fleet);


/* ngx_rbl_fleet_write.c: the counters, and before them the verdict with its
   conditions */

void ngx_rbl_fleet_json(ngx_rbl_fleet_t *fleet, rbl_doc_t *doc);
void ngx_rbl_fleet_prometheus(ngx_rbl_fleet_t *fleet, rbl_out_t *out);

#endif /* _NGX_RBL_STATUS_H_INCLUDED_ */
