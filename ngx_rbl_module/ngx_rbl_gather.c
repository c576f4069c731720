/*
 * What is gathered about applications, once a second to the store.
 *
 * Each store has a carrier.  It takes a load out of the zone and out of this
 * worker's refusals, and keeps it until the store has said that it has it: as
 * one batch of scripts, each with a number that is its alone.  If the answer is
 * lost, the same load goes again with the same numbers, and what was done
 * before is not done twice.  There is one load of a carrier at a time, and so
 * no more than that can be lost with a worker that is killed.
 */

#include "ngx_rbl_gather.h"

#define NGX_RBL_GATHER_PAUSE    1000    /* ms */
#define NGX_RBL_GATHER_IDLE     5000    /* ms: what have others left? */
#define NGX_RBL_GATHER_SHARE    900     /* one worker in so many ms takes */
#define NGX_RBL_GATHER_SLOWEST  60000   /* ms, after failures */
#define NGX_RBL_LOAD_USAGE      256
#define NGX_RBL_LOAD_REFUSALS   1000
#define NGX_RBL_CALL_USAGE      64      /* of one script call */
#define NGX_RBL_NUMBER          24      /* octets of a number as text */


typedef struct {
    ngx_rbl_store_t     *store;
    uint32_t             id;            /* in the zone */
    rbl_sid_t            name;          /* to the scripts */
    ngx_rbl_refusals_t   refusals;      /* that wait */

    ngx_rbl_batch_t     *batch;         /* the load, in flight */
    ngx_rbl_usage_t      usage[NGX_RBL_LOAD_USAGE];
    ngx_uint_t           nusage;
    ngx_queue_t          log;
    ngx_uint_t           nlog;

    uint64_t             number;        /* of the last call that is done */
    uint64_t             calls;         /* of the load */
    ngx_uint_t           failed;        /* times in a row */
    ngx_msec_t           again;         /* not before that */
    unsigned             unknown:1;     /* it may have been done */
} ngx_rbl_carrier_t;

typedef struct {
    ngx_rbl_zone_t      *zone;          /* NULL: nothing is gathered */
    ngx_rbl_carrier_t   *carriers;      /* as the stores of the main conf */
    ngx_uint_t           n;
    ngx_event_t          tick;
    ngx_uint_t           idle;          /* the tick is only a look */
    ngx_uint_t           damaged;       /* the store was said to be */
} ngx_rbl_gather_t;


static void ngx_rbl_gather_app(ngx_rbl_ctx_t *ctx);
static uint32_t ngx_rbl_gather_id(const ngx_rbl_store_conf_t *conf);
static void ngx_rbl_gather_tick(ngx_event_t *ev);
static void ngx_rbl_gather_wait(void);
static ngx_uint_t ngx_rbl_gather_stuck(void);
static ngx_uint_t ngx_rbl_gather_waits(void);
static void ngx_rbl_carrier_run(ngx_rbl_carrier_t *c, ngx_uint_t turn);
static void ngx_rbl_carrier_load(ngx_rbl_carrier_t *c, ngx_uint_t turn);
static void ngx_rbl_carrier_send(ngx_rbl_carrier_t *c);
static void ngx_rbl_carrier_usage(ngx_rbl_carrier_t *c);
static void ngx_rbl_carrier_log(ngx_rbl_carrier_t *c);
static void ngx_rbl_carrier_call(ngx_rbl_carrier_t *c,
    const rbl_script_t *script, unsigned partition, int argc,
    rbl_str_t *argv);
static void ngx_rbl_carrier_reply(void *data, ngx_uint_t i,
    const redisReply *reply);
static void ngx_rbl_carrier_done(void *data, ngx_rbl_store_rc_e rc);
static void ngx_rbl_carrier_leave(ngx_rbl_carrier_t *c);


static ngx_rbl_gather_t  ngx_rbl_gatherer;


void
ngx_rbl_gather_init(ngx_rbl_main_conf_t *rmcf, ngx_cycle_t *cycle)
{
    ngx_uint_t              i;
    ngx_rbl_gather_t       *g;
    ngx_rbl_store_t       **live;
    ngx_rbl_store_conf_t  **stores;

    g = &ngx_rbl_gatherer;
    ngx_memzero(g, sizeof(ngx_rbl_gather_t));

    if (rmcf->zone == NULL || rmcf->live == NULL) {
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
        g->carriers[i].store = live[i];
        g->carriers[i].id = ngx_rbl_gather_id(stores[i]);
        ngx_queue_init(&g->carriers[i].log);
        ngx_rbl_refusals_init(&g->carriers[i].refusals);

        if (rbl_sid_make(&g->carriers[i].name, RBL_SID_EVENT) != RBL_OK) {
            ngx_free(g->carriers);
            return;
        }
    }

    g->zone = rmcf->zone->data;
    g->tick.data = g;
    g->tick.log = cycle->log;
    g->tick.handler = ngx_rbl_gather_tick;

    ngx_rbl_gather_wait();
}


/* What a store is called in the zone, whatever its place after a reload. */

static uint32_t
ngx_rbl_gather_id(const ngx_rbl_store_conf_t *conf)
{
    uint32_t  crc;

    ngx_crc32_init(crc);
    ngx_crc32_update(&crc, conf->addr->name.data, conf->addr->name.len);
    ngx_crc32_update(&crc, (u_char *) "", 1);
    ngx_crc32_update(&crc, conf->prefix.data, conf->prefix.len);
    ngx_crc32_final(crc);

    return crc;
}


void
ngx_rbl_gather_done(void)
{
    ngx_uint_t         i;
    ngx_rbl_gather_t  *g;

    g = &ngx_rbl_gatherer;

    if (g->zone == NULL) {
        return;
    }

    if (g->tick.timer_set) {
        ngx_del_timer(&g->tick);
    }

    for (i = 0; i < g->n; i++) {
        ngx_rbl_carrier_leave(&g->carriers[i]);
    }

    ngx_free(g->carriers);
    g->zone = NULL;
}


void
ngx_rbl_gather(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_meter_answer(ctx->status, ngx_rbl_route_number(ctx->route));

    if (ngx_rbl_gatherer.zone != NULL && ctx->authenticated) {
        ngx_rbl_gather_app(ctx);
    }
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
    usage.refusals = ctx->refusal != 0;

    if (ngx_rbl_zone_add(g->zone, &usage) != NGX_OK) {
        ngx_rbl_meter->uncounted++;
    }

    if (ctx->refusal) {
        ngx_rbl_refusals_add(&c->refusals, ctx);
    }

    g->tick.cancelable = 0;

    if (!g->tick.timer_set || g->idle) {
        g->idle = 0;
        ngx_add_timer(&g->tick, NGX_RBL_GATHER_PAUSE);
    }
}


static void
ngx_rbl_gather_tick(ngx_event_t *ev)
{
    ngx_uint_t         i, turn;
    ngx_rbl_gather_t  *g = ev->data;

    turn = ngx_rbl_zone_turn(g->zone, NGX_RBL_GATHER_SHARE) || ngx_exiting;

    for (i = 0; i < g->n; i++) {
        ngx_rbl_carrier_run(&g->carriers[i], turn);
    }

    ngx_rbl_gather_wait();
}


/*
 * The next tick.  Nobody waits for one that can do nothing, nor for the look of
 * a worker that has nothing to do; one that leaves has tried, and that is all.
 */

static void
ngx_rbl_gather_wait(void)
{
    ngx_rbl_gather_t  *g;

    g = &ngx_rbl_gatherer;

    if (ngx_exiting || g->tick.timer_set) {
        return;
    }

    g->idle = !ngx_rbl_gather_waits();
    g->tick.cancelable = g->idle || ngx_rbl_gather_stuck();
    ngx_add_timer(&g->tick, g->idle ? NGX_RBL_GATHER_IDLE
                                    : NGX_RBL_GATHER_PAUSE);
}


static ngx_uint_t
ngx_rbl_gather_stuck(void)
{
    ngx_uint_t          i;
    ngx_rbl_carrier_t  *c;

    for (i = 0; i < ngx_rbl_gatherer.n; i++) {
        c = &ngx_rbl_gatherer.carriers[i];

        if (c->failed || !ngx_rbl_store_ready(c->store)) {
            return 1;
        }
    }

    return 0;
}


static ngx_uint_t
ngx_rbl_gather_waits(void)
{
    ngx_uint_t          i;
    ngx_rbl_carrier_t  *c;

    for (i = 0; i < ngx_rbl_gatherer.n; i++) {
        c = &ngx_rbl_gatherer.carriers[i];

        if (c->batch == NULL && (c->nusage || c->nlog || c->refusals.total)) {
            return 1;
        }
    }

    return ngx_rbl_zone_dirty(ngx_rbl_gatherer.zone);
}


static void
ngx_rbl_carrier_run(ngx_rbl_carrier_t *c, ngx_uint_t turn)
{
    if (c->batch != NULL || !ngx_rbl_store_ready(c->store)) {
        return;
    }

    if (c->nusage == 0 && c->nlog == 0) {
        ngx_rbl_carrier_load(c, turn);

    } else if (!ngx_exiting
               && (ngx_msec_int_t) (ngx_current_msec - c->again) < 0)
    {
        return;
    }

    if (c->nusage || c->nlog) {
        ngx_rbl_carrier_send(c);
    }
}


static void
ngx_rbl_carrier_load(ngx_rbl_carrier_t *c, ngx_uint_t turn)
{
    ngx_uint_t       n;
    ngx_rbl_zone_t  *zone;

    zone = ngx_rbl_gatherer.zone;

    if (turn && ngx_rbl_zone_dirty(zone)) {
        c->nusage = ngx_rbl_zone_take(zone, c->id,
                                      (uint32_t) (ngx_time() / 3600),
                                      c->usage, NGX_RBL_LOAD_USAGE);
    }

    do {
        n = ngx_rbl_refusals_take(&c->refusals, &c->log,
                                  NGX_RBL_LOAD_REFUSALS - c->nlog);
        c->nlog += n;
    } while (n && c->nlog < NGX_RBL_LOAD_REFUSALS);
}


static void
ngx_rbl_carrier_send(ngx_rbl_carrier_t *c)
{
    c->batch = ngx_rbl_batch_create(c->store, ngx_rbl_carrier_reply,
                                    ngx_rbl_carrier_done, c);
    if (c->batch == NULL) {
        return;
    }

    c->calls = 0;
    ngx_rbl_carrier_usage(c);
    ngx_rbl_carrier_log(c);

    ngx_rbl_batch_submit(c->batch);
}


/* The applications of a partition go together. */

static void
ngx_rbl_carrier_usage(ngx_rbl_carrier_t *c)
{
    int               argc;
    u_char            text[NGX_RBL_CALL_USAGE][3][NGX_RBL_NUMBER];
    unsigned          partition[NGX_RBL_LOAD_USAGE];
    rbl_str_t         argv[2 + 5 * NGX_RBL_CALL_USAGE];
    ngx_uint_t        i, j, k, n, number[3];
    ngx_rbl_usage_t  *u;

    for (i = 0; i < c->nusage; i++) {
        partition[i] = rbl_partition(ngx_rbl_store_keyspace(c->store),
                           (rbl_str_t) { c->usage[i].account, RBL_SID_LEN });
    }

    for (i = 0; i < c->nusage; i++) {
        for (j = i, n = 0, argc = 2;
             partition[i] != (unsigned) -1 && j < c->nusage
             && n < NGX_RBL_CALL_USAGE;
             j++)
        {
            if (partition[j] != partition[i]) {
                continue;
            }

            u = &c->usage[j];
            number[0] = u->hour;
            number[1] = u->requests;
            number[2] = u->refusals;

            argv[argc++] = (rbl_str_t) { u->account, RBL_SID_LEN };
            argv[argc++] = (rbl_str_t) { u->app, RBL_SID_LEN };

            for (k = 0; k < 3; k++, argc++) {
                argv[argc].p = (char *) text[n][k];
                argv[argc].n = ngx_sprintf(text[n][k], "%ui", number[k])
                               - text[n][k];
            }

            n++;
            partition[j] = j == i ? partition[i] : (unsigned) -1;
        }

        if (n) {
            ngx_rbl_carrier_call(c, &rbl_script_app_usage, partition[i], argc,
                                 argv);
        }
    }
}


/* The refusals of an application stand together in the load. */

static void
ngx_rbl_carrier_log(ngx_rbl_carrier_t *c)
{
    int                 argc;
    rbl_str_t           argv[4 + NGX_RBL_LOAD_REFUSALS];
    ngx_queue_t        *q;
    ngx_rbl_refusal_t  *first, *refusal;

    first = NULL;
    argc = 0;

    for (q = ngx_queue_head(&c->log); /* void */; q = ngx_queue_next(q)) {
        refusal = q == ngx_queue_sentinel(&c->log) ? NULL
                  : ngx_queue_data(q, ngx_rbl_refusal_t, queue);

        if (first != NULL
            && (refusal == NULL
                || ngx_memcmp(first->app, refusal->app, RBL_SID_LEN) != 0))
        {
            ngx_rbl_carrier_call(c, &rbl_script_app_errors,
                                 rbl_partition(ngx_rbl_store_keyspace(c->store),
                                               argv[2]),
                                 argc, argv);
            first = NULL;
        }

        if (refusal == NULL) {
            return;
        }

        if (first == NULL) {
            first = refusal;
            argv[2] = (rbl_str_t) { first->account, RBL_SID_LEN };
            argv[3] = (rbl_str_t) { first->app, RBL_SID_LEN };
            argc = 4;
        }

        argv[argc++] = (rbl_str_t) { (char *) refusal->data, refusal->len };
    }
}


/* The first two arguments are put in here: who calls, and which call it is. */

static void
ngx_rbl_carrier_call(ngx_rbl_carrier_t *c, const rbl_script_t *script,
    unsigned partition, int argc, rbl_str_t *argv)
{
    u_char     number[NGX_RBL_NUMBER];
    rbl_key_t  key;

    c->calls++;

    argv[0] = rbl_key(&key, ngx_rbl_store_keyspace(c->store), partition,
                      "stats:from", rbl_sid_str(&c->name),
                      RBL_STR(""));
    argv[1].p = (char *) number;
    argv[1].n = ngx_sprintf(number, "%uL", c->number + c->calls) - number;

    ngx_rbl_batch_script(c->batch, script, 1, argc, argv);
}


static void
ngx_rbl_carrier_reply(void *data, ngx_uint_t i, const redisReply *reply)
{
    if (rbl_reply_int(rbl_reply_at(reply, 1), 0) > 0
        && !ngx_rbl_gatherer.damaged)
    {
        ngx_rbl_gatherer.damaged = 1;
        ngx_log_error(NGX_LOG_ERR, ngx_cycle->log, 0,
                      "rbl: there are keys of statistics or error logs in the "
                      "store that are none");
    }
}


static void
ngx_rbl_carrier_done(void *data, ngx_rbl_store_rc_e rc)
{
    ngx_rbl_carrier_t  *c = data;

    ngx_uint_t  more;

    c->batch = NULL;

    if (rc == NGX_RBL_STORE_OK) {
        more = c->nusage == NGX_RBL_LOAD_USAGE
               || c->nlog == NGX_RBL_LOAD_REFUSALS;

        ngx_rbl_meter->flushes++;
        ngx_rbl_refusals_drop(&c->log);
        c->number += c->calls;
        c->nusage = 0;
        c->nlog = 0;
        c->failed = 0;
        c->unknown = 0;

        if (more || ngx_exiting) {
            ngx_rbl_carrier_run(c, 1);
        }

    } else {
        ngx_rbl_meter->flush_errors++;
        c->unknown |= rc == NGX_RBL_STORE_LOST;
        c->again = ngx_current_msec
                   + ngx_min(NGX_RBL_GATHER_PAUSE << c->failed,
                             NGX_RBL_GATHER_SLOWEST);
        c->failed = ngx_min(c->failed + 1, 6);
    }

    ngx_rbl_gather_wait();
}


/*
 * The worker ends.  What is known not to be in the store goes back into the
 * zone; what may be there is not counted twice.
 */

static void
ngx_rbl_carrier_leave(ngx_rbl_carrier_t *c)
{
    ngx_uint_t  i;

    if (c->batch != NULL) {
        ngx_rbl_batch_cancel(c->batch);
        c->batch = NULL;
        c->unknown = 1;
    }

    for (i = 0; i < c->nusage && !c->unknown; i++) {
        if (ngx_rbl_zone_add(ngx_rbl_gatherer.zone, &c->usage[i]) != NGX_OK) {
            ngx_rbl_meter->uncounted += c->usage[i].requests;
        }
    }

    ngx_rbl_refusals_drop(&c->log);
    ngx_rbl_refusals_free(&c->refusals);
}
