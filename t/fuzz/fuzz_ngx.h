/*
 * For targets of the module: a request with a pool, and stubs for functions
 * that are not under test.  nginx's strings, pools and memory are linked from
 * its source; each allocation is separate (NGX_DEBUG_PALLOC).
 *
 * nginx.h comes first, as in the module.
 */

#ifndef FUZZ_NGX_H_INCLUDED
#define FUZZ_NGX_H_INCLUDED

#include "ngx_rbl_http.h"
#include "fuzz.h"

#define FUZZ_MODULES  1

static ngx_log_t           fuzz_log;
static ngx_cycle_t         fuzz_cycle;
static ngx_connection_t    fuzz_connection;
static ngx_http_request_t  fuzz_request;
static ngx_rbl_loc_conf_t  fuzz_conf;
static ngx_rbl_ctx_t       fuzz_ctx;
static void               *fuzz_ctxs[FUZZ_MODULES], *fuzz_confs[FUZZ_MODULES];

volatile ngx_cycle_t  *ngx_cycle = &fuzz_cycle;
ngx_pid_t              ngx_pid;


void
ngx_log_error_core(ngx_uint_t level, ngx_log_t *log, ngx_err_t err,
    const char *fmt, ...)
{
    (void) level;
    (void) log;
    (void) err;
    (void) fmt;
}


static void *
fuzz_run_alloc(rbl_run_t *run, size_t n)
{
    void  *p;

    p = ngx_palloc(ngx_rbl_of(run)->request->pool, n);
    fuzz_check(p != NULL);

    return p;
}


/* A refusal is made once. */
static void
fuzz_run_refuse(rbl_run_t *run, unsigned status, const char *text)
{
    fuzz_check(run->refusal == status && status == 400 && text[0] != '\0');
}


__attribute__((unused))
static const rbl_runner_t  fuzz_runner = { fuzz_run_alloc, fuzz_run_refuse,
                                           NULL };


__attribute__((unused))
static void
fuzz_ngx_init(void)
{
    if (ngx_pagesize == 0) {
        ngx_pagesize = (ngx_uint_t) getpagesize();
        ngx_cacheline_size = 64;
    }

    fuzz_cycle.log = &fuzz_log;
    memset(&fuzz_request, 0, sizeof(fuzz_request));
    memset(&fuzz_ctx, 0, sizeof(fuzz_ctx));
    memset(&fuzz_conf, 0, sizeof(fuzz_conf));

    fuzz_connection.log = &fuzz_log;
    fuzz_request.connection = &fuzz_connection;
    fuzz_request.main = &fuzz_request;
    fuzz_request.pool = ngx_create_pool(4096, &fuzz_log);
    fuzz_request.ctx = fuzz_ctxs;
    fuzz_request.loc_conf = fuzz_confs;
    fuzz_ctxs[0] = &fuzz_ctx;
    fuzz_confs[0] = &fuzz_conf;
    fuzz_check(fuzz_request.pool != NULL);

    fuzz_ctx.request = &fuzz_request;
    fuzz_ctx.conf = &fuzz_conf;
}


__attribute__((unused))
static void
fuzz_ngx_done(void)
{
    ngx_destroy_pool(fuzz_request.pool);
}

#endif /* FUZZ_NGX_H_INCLUDED */
