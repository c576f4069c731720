/*
 * Statistics and refusals of applications: counted when a request is answered,
 * and passed to the carriers of the stores once a second.
 */

#include "ngx_rbl_carrier.h"

#define NGX_RBL_GATHER_PAUSE  1000      /* ms */
#define NGX_RBL_GATHER_IDLE   5000      /* ms; interval for data of other
                                           workers */
#define NGX_RBL_GATHER_SHARE  900       /* one worker per so many ms collects */


typedef struct {
    ngx_rbl_shm_t       *shm;           /* NULL: disabled */
    ngx_rbl_carrier_t   *carriers;      /* same order as the stores of the main
                                           conf */
    ngx_uint_t           n;
    ngx_event_t          tick;
    ngx_uint_t           idle;          /* the next tick only checks */
} ngx_rbl_gather_t;


static ngx_rbl_gather_t  ngx_rbl_gatherer;


/* Is it true of a carrier? */

static ngx_uint_t
ngx_rbl_gather_any(ngx_uint_t (*is)(const ngx_rbl_carrier_t *c))
{
    ngx_uint_t  i;

    for (i = 0; i < ngx_rbl_gatherer.n; i++) {
        if (is(&ngx_rbl_gatherer.carriers[i])) {
            return 1;
        }
    }

    return 0;
}


/*
 * Schedules the next tick.  The timer is cancelable if the store is away or the
 * worker has no data, so that exit does not wait for it.  An exiting worker
 * does not schedule another tick.
 */

static void
ngx_rbl_gather_wait(void)
{
    ngx_rbl_gather_t  *g;

    g = &ngx_rbl_gatherer;

    if (ngx_exiting || g->tick.timer_set) {
        return;
    }

    g->idle = !ngx_rbl_gather_any(ngx_rbl_carrier_waits)
              && !ngx_rbl_shm_dirty(g->shm);
    g->tick.cancelable = g->idle || ngx_rbl_gather_any(ngx_rbl_carrier_stuck);
    ngx_add_timer(&g->tick, g->idle ? NGX_RBL_GATHER_IDLE
                                    : NGX_RBL_GATHER_PAUSE);
}


static void
ngx_rbl_gather_tick(ngx_event_t *ev)
{
    ngx_uint_t         i, turn;
    ngx_rbl_gather_t  *g = ev->data;

    turn = ngx_rbl_shm_turn(g->shm, NGX_RBL_GATHER_SHARE) || ngx_exiting;

    for (i = 0; i < g->n; i++) {
        ngx_rbl_carrier_run(&g->carriers[i], turn);
    }

    ngx_rbl_gather_wait();
}


void
ngx_rbl_gather_init(ngx_rbl_main_conf_t *rmcf, ngx_cycle_t *cycle)
{
    ngx_uint_t              i;
    ngx_rbl_gather_t       *g;
    ngx_rbl_store_t       **live;
    ngx_rbl_store_conf_t  **stores;

    g = &ngx_rbl_gatherer;
    ngx_memzero(g, sizeof(ngx_rbl_gather_t));

    if (rmcf->shm == NULL || rmcf->live == NULL) {
        return;
    }

    g->n = rmcf->stores.nelts;
    g->carriers = ngx_calloc(g->n * sizeof(ngx_rbl_carrier_t), cycle->log);
    if (g->carriers == NULL) {
        return;
    }

    live = rmcf->live->elts;
    stores = rmcf->stores.elts;

    for (i = 0; i < g->n; i++) {
        ngx_rbl_carrier_init(&g->carriers[i], live[i], stores[i],
                             rmcf->shm->data, ngx_rbl_gather_wait);
    }

    g->shm = rmcf->shm->data;
    g->tick.data = g;
    g->tick.log = cycle->log;
    g->tick.handler = ngx_rbl_gather_tick;

    ngx_rbl_gather_wait();
}


void
ngx_rbl_gather_done(void)
{
    ngx_uint_t         i;
    ngx_rbl_gather_t  *g;

    g = &ngx_rbl_gatherer;

    if (g->shm == NULL) {
        return;
    }

    if (g->tick.timer_set) {
        ngx_del_timer(&g->tick);
    }

    for (i = 0; i < g->n; i++) {
        ngx_rbl_carrier_leave(&g->carriers[i]);
    }

    ngx_free(g->carriers);
    g->shm = NULL;
}


static void
ngx_rbl_gather_app(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_usage_t     usage;
    ngx_rbl_gather_t   *g;
    ngx_rbl_carrier_t  *c;

    g = &ngx_rbl_gatherer;

    if ((ngx_uint_t) ctx->conf->store_index >= g->n) {
        return;
    }

    c = &g->carriers[ctx->conf->store_index];

    usage.store = c->id;
    usage.hour = (uint32_t) (ngx_time() / 3600);
    ngx_memcpy(usage.account, ctx->account.s, RBL_SID_LEN);
    ngx_memcpy(usage.app, ctx->app.s, RBL_SID_LEN);
    usage.requests = 1;
    usage.refusals = ctx->run.refusal != 0;

    if (ngx_rbl_shm_add(g->shm, &usage) != NGX_OK) {
        ngx_rbl_meter->uncounted++;
    }

    if (ctx->run.refusal) {
        ngx_rbl_refusals_add(&c->refusals, ctx);
    }

    g->tick.cancelable = 0;

    if (!g->tick.timer_set || g->idle) {
        g->idle = 0;
        ngx_add_timer(&g->tick, NGX_RBL_GATHER_PAUSE);
    }
}


void
ngx_rbl_gather(ngx_rbl_ctx_t *ctx)
{
    ngx_uint_t  code;

    /* a filter may have answered 304 */

    code = ctx->request->headers_out.status == NGX_HTTP_NOT_MODIFIED
           ? NGX_HTTP_NOT_MODIFIED : ctx->status;

    ngx_rbl_meter_answer(code, ngx_rbl_route_number(ctx->route));

    if (ngx_rbl_gatherer.shm != NULL && ctx->round.authenticated
        && ctx->app.n)
    {
        ngx_rbl_gather_app(ctx);
    }
}
