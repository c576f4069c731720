/*
 * Counts responses: in the meter of this worker, and for the applications of
 * each store.  Statistics of applications and their error logs wait in this
 * worker.
 *
 * A hash finds the sums of an application in an hour.  They stay there while a
 * call with them is in flight; what was sent is subtracted afterwards.  Calls
 * are sent in rounds, the next one after the calls of the one before it.
 */

#include "ngx_rbl_usage.h"

#include "ngx_rbl_meter.h"

#include "rbl_nodes.h"

#define NGX_RBL_USAGE_PAUSE    1000     /* ms between rounds */
#define NGX_RBL_USAGE_APPS     8192     /* applications that wait */
#define NGX_RBL_USAGE_HEADS    1024     /* of the hash */
#define NGX_RBL_USAGE_LOGGED   4096     /* refusals that wait */
#define NGX_RBL_USAGE_LOG      1000     /* the same of an application; also in
                                           app_usage.lua */
#define NGX_RBL_CALL_APPS      64       /* applications in a call */
#define NGX_RBL_CALL_SUMS      6        /* arguments for each of them, without
                                           refusals */
#define NGX_RBL_CALL_ARGS      (NGX_RBL_CALL_APPS * NGX_RBL_CALL_SUMS         \
                                + NGX_RBL_USAGE_LOG)


typedef struct {
    ngx_uint_t              requests;
    ngx_uint_t              errors;
    ngx_uint_t              logged;     /* refusals, the oldest of the log */
} ngx_rbl_usage_sums_t;

typedef struct ngx_rbl_usage_s  ngx_rbl_usage_t;

typedef struct {
    ngx_rbl_usage_t        *usage;
    ngx_queue_t             apps;
    ngx_rbl_batch_t        *batch;      /* the call in flight; or NULL */
} ngx_rbl_usage_part_t;

typedef struct ngx_rbl_usage_app_s  ngx_rbl_usage_app_t;

/* An application in one hour. */
struct ngx_rbl_usage_app_s {
    ngx_queue_t             queue;      /* of the partition */
    ngx_rbl_usage_part_t   *part;
    ngx_rbl_usage_app_t    *next;       /* with the same hash */
    char                    account[RBL_SID_LEN];
    char                    app[RBL_SID_LEN];
    time_t                  hour;       /* hours since 1970 */
    ngx_rbl_usage_sums_t    waits;      /* requests is never 0 */
    ngx_rbl_usage_sums_t    sent;       /* part of them: in flight */
    ngx_queue_t             log;        /* of ngx_rbl_refusal_t */
};

struct ngx_rbl_usage_s {
    ngx_rbl_store_t        *store;
    ngx_event_t             tick;
    ngx_uint_t              calls;      /* of the round, in flight */
    unsigned                failed:1;   /* a call of the last round has
                                           failed */
    unsigned                more:1;     /* a call of the last round was full */
    unsigned                damaged:1;  /* keys in the store are damaged; logged
                                           once */
    ngx_uint_t              napps;
    ngx_uint_t              logged;
    ngx_rbl_usage_app_t    *head[NGX_RBL_USAGE_HEADS];
    ngx_rbl_usage_part_t    part[RBL_PARTITIONS_MAX];
};


/* of the stores, in the order of the main conf */
static ngx_rbl_usage_t  **ngx_rbl_usages;
static ngx_uint_t         ngx_rbl_nusages;


static void ngx_rbl_usage_round(ngx_rbl_usage_t *u);


/* Returns the link to an application; NULL in it: it does not wait. */

static ngx_rbl_usage_app_t **
ngx_rbl_usage_find(ngx_rbl_usage_t *u, const char *account, const char *app,
    time_t hour)
{
    uint32_t               hash;
    ngx_rbl_usage_app_t  **at;

    hash = ngx_murmur_hash2((u_char *) app, RBL_SID_LEN);
    at = &u->head[hash % NGX_RBL_USAGE_HEADS];

    while (*at != NULL
           && ((*at)->hour != hour
               || ngx_memcmp((*at)->app, app, RBL_SID_LEN) != 0
               || ngx_memcmp((*at)->account, account, RBL_SID_LEN) != 0))
    {
        at = &(*at)->next;
    }

    return at;
}


/* Returns the application of a request; NULL: no room. */

static ngx_rbl_usage_app_t *
ngx_rbl_usage_app(ngx_rbl_usage_t *u, const ngx_rbl_ctx_t *ctx)
{
    time_t                 hour;
    ngx_rbl_usage_app_t   *app, **at;

    hour = ngx_time() / 3600;
    at = ngx_rbl_usage_find(u, ctx->account.s, ctx->app.s, hour);

    if (*at != NULL || u->napps == NGX_RBL_USAGE_APPS) {
        return *at;
    }

    app = ngx_calloc(sizeof(ngx_rbl_usage_app_t), ngx_cycle->log);
    if (app == NULL) {
        return NULL;
    }

    app->part = &u->part[rbl_partition(ngx_rbl_store_keyspace(u->store),
                                       rbl_sid_str(&ctx->account))];
    ngx_memcpy(app->account, ctx->account.s, RBL_SID_LEN);
    ngx_memcpy(app->app, ctx->app.s, RBL_SID_LEN);
    app->hour = hour;
    ngx_queue_init(&app->log);

    ngx_queue_insert_tail(&app->part->apps, &app->queue);
    *at = app;
    u->napps++;

    return app;
}


/* Removes the oldest refusal. */

static void
ngx_rbl_usage_unlog(ngx_rbl_usage_app_t *app)
{
    ngx_queue_t  *q;

    q = ngx_queue_head(&app->log);
    ngx_queue_remove(q);
    ngx_free(ngx_queue_data(q, ngx_rbl_refusal_t, queue));

    app->waits.logged--;
    app->sent.logged -= app->sent.logged != 0;
    app->part->usage->logged--;
}


/* Forgets what was sent. */

static void
ngx_rbl_usage_forget(ngx_rbl_usage_app_t *app)
{
    ngx_rbl_usage_t       *u;
    ngx_rbl_usage_app_t  **at;

    u = app->part->usage;

    while (app->sent.logged) {
        ngx_rbl_usage_unlog(app);
    }

    app->waits.requests -= app->sent.requests;
    app->waits.errors -= app->sent.errors;
    ngx_memzero(&app->sent, sizeof(ngx_rbl_usage_sums_t));

    if (app->waits.requests == 0) {
        at = ngx_rbl_usage_find(u, app->account, app->app, app->hour);
        *at = app->next;
        ngx_queue_remove(&app->queue);
        ngx_free(app);
        u->napps--;
    }
}


/* The same if it is not in the store, or may be missing there. */

static void
ngx_rbl_usage_lose(ngx_rbl_usage_app_t *app)
{
    ngx_rbl_meter->uncounted += app->sent.requests;
    ngx_rbl_meter->unlogged += app->sent.logged;
    ngx_rbl_usage_forget(app);
}


/* Adds a refusal.  Without room it replaces the oldest one of the application;
   an application that has none takes no room from others and gets it. */

static void
ngx_rbl_usage_log(ngx_rbl_usage_app_t *app, ngx_rbl_refusal_t *refusal)
{
    ngx_rbl_usage_t  *u;

    u = app->part->usage;

    if (app->waits.logged == NGX_RBL_USAGE_LOG
        || (app->waits.logged && u->logged >= NGX_RBL_USAGE_LOGGED))
    {
        ngx_rbl_meter->unlogged += app->sent.logged == 0;
        ngx_rbl_usage_unlog(app);
    }

    ngx_queue_insert_tail(&app->log, &refusal->queue);
    app->waits.logged++;
    u->logged++;
}


/* Counts the response to a request of an application. */

static void
ngx_rbl_usage_count(ngx_rbl_usage_t *u, ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_refusal_t    *refusal;
    ngx_rbl_usage_app_t  *app;

    app = ngx_rbl_usage_app(u, ctx);

    if (app == NULL) {
        ngx_rbl_meter->uncounted++;
        ngx_rbl_meter->unlogged += ctx->run.refusal != 0;
        return;
    }

    app->waits.requests++;

    if (ctx->run.refusal) {
        app->waits.errors++;
        refusal = ngx_rbl_refusal_create(ctx);

        if (refusal != NULL) {
            ngx_rbl_usage_log(app, refusal);

        } else {
            ngx_rbl_meter->unlogged++;
        }
    }

    /* a worker that exits waits for the round */

    u->tick.cancelable = 0;

    if (!u->tick.timer_set) {
        ngx_add_timer(&u->tick, NGX_RBL_USAGE_PAUSE);
    }
}


void
ngx_rbl_gather(ngx_rbl_ctx_t *ctx)
{
    ngx_uint_t  code, i;

    /* a filter may have answered 304 */

    code = ctx->request->headers_out.status == NGX_HTTP_NOT_MODIFIED
           ? NGX_HTTP_NOT_MODIFIED : ctx->status;

    ngx_rbl_meter_answer(code, ngx_rbl_route_number(ctx->route));

    i = (ngx_uint_t) ctx->conf->store_index;

    if (ctx->round.authenticated && ctx->app.n && i < ngx_rbl_nusages
        && ngx_rbl_usages[i] != NULL)
    {
        ngx_rbl_usage_count(ngx_rbl_usages[i], ctx);
    }
}


static void
ngx_rbl_usage_reply(void *data, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_usage_part_t  *part = data;

    if (rbl_reply_number(reply) > 0 && !part->usage->damaged) {
        part->usage->damaged = 1;
        ngx_log_error(NGX_LOG_ERR, ngx_cycle->log, 0,
                      "rbl: there are keys of statistics or error logs in the "
                      "store that are none");
    }
}


static void
ngx_rbl_usage_landed(void *data, ngx_rbl_store_rc_e rc)
{
    ngx_queue_t           *q, *next;
    ngx_rbl_usage_t       *u;
    ngx_rbl_usage_app_t   *app;
    ngx_rbl_usage_part_t  *part = data;

    u = part->usage;
    u->calls--;
    part->batch = NULL;

    if (rc == NGX_RBL_STORE_OK) {
        ngx_rbl_meter->flushes++;

    } else {
        ngx_rbl_meter->flush_errors++;
        u->failed = 1;
    }

    for (q = ngx_queue_head(&part->apps); q != ngx_queue_sentinel(&part->apps);
         q = next)
    {
        next = ngx_queue_next(q);
        app = ngx_queue_data(q, ngx_rbl_usage_app_t, queue);

        if (rc == NGX_RBL_STORE_OK) {
            ngx_rbl_usage_forget(app);

        } else if (rc == NGX_RBL_STORE_LOST) {
            ngx_rbl_usage_lose(app);

        } else {
            ngx_memzero(&app->sent, sizeof(ngx_rbl_usage_sums_t));
        }
    }

    if (u->calls == 0 && !u->failed && (u->more || ngx_exiting)) {
        ngx_rbl_usage_round(u);
    }
}


/* Writes the arguments for an application, and returns their number. */

static ngx_uint_t
ngx_rbl_usage_values(const ngx_rbl_usage_app_t *app, rbl_str_t *arg,
    char text[][RBL_OUT_INT])
{
    ngx_queue_t        *q;
    ngx_rbl_refusal_t  *refusal;

    *arg++ = (rbl_str_t) { app->account, RBL_SID_LEN };
    *arg++ = (rbl_str_t) { app->app, RBL_SID_LEN };
    *arg++ = rbl_out_int_text(text[0], app->hour);
    *arg++ = rbl_out_int_text(text[1], (int64_t) app->waits.requests);
    *arg++ = rbl_out_int_text(text[2], (int64_t) app->waits.errors);
    *arg++ = rbl_out_int_text(text[3], (int64_t) app->waits.logged);

    for (q = ngx_queue_head(&app->log); q != ngx_queue_sentinel(&app->log);
         q = ngx_queue_next(q))
    {
        refusal = ngx_queue_data(q, ngx_rbl_refusal_t, queue);
        *arg++ = (rbl_str_t) { (char *) refusal->data, refusal->len };
    }

    return NGX_RBL_CALL_SUMS + app->waits.logged;
}


/* Sends a partition.  `quiet`: a refusal is not logged. */

static void
ngx_rbl_usage_call(ngx_rbl_usage_part_t *part, ngx_uint_t quiet)
{
    char                  text[NGX_RBL_CALL_APPS][4][RBL_OUT_INT];
    rbl_key_t             key;
    ngx_uint_t            i, n;
    ngx_queue_t          *q;
    ngx_rbl_usage_t      *u;
    ngx_rbl_usage_app_t  *app;

    struct {
        rbl_app_usage_args_t  args;
        rbl_str_t             values[NGX_RBL_CALL_ARGS];
    } call;

    u = part->usage;
    part->batch = ngx_rbl_batch_create(u->store, ngx_rbl_usage_reply,
                                       ngx_rbl_usage_landed, part);
    if (part->batch == NULL) {
        return;
    }

    q = ngx_queue_head(&part->apps);
    app = ngx_queue_data(q, ngx_rbl_usage_app_t, queue);
    call.args.acct = rbl_account_key(&key, ngx_rbl_store_keyspace(u->store),
                                     "acct",
                                     (rbl_str_t) { app->account, RBL_SID_LEN },
                                     RBL_STR(""));

    for (i = 0, n = 0;
         i < NGX_RBL_CALL_APPS && q != ngx_queue_sentinel(&part->apps);
         i++, q = ngx_queue_next(q))
    {
        app = ngx_queue_data(q, ngx_rbl_usage_app_t, queue);

        if (n + NGX_RBL_CALL_SUMS + app->waits.logged > NGX_RBL_CALL_ARGS) {
            break;
        }

        n += ngx_rbl_usage_values(app, &call.values[n], text[i]);
        app->sent = app->waits;
    }

    u->calls++;
    u->more |= q != ngx_queue_sentinel(&part->apps);

    ngx_rbl_batch_script(part->batch, &rbl_script_app_usage,
                         RBL_ARGC(call.args) + (int) n, call.args.argv);
    ngx_rbl_batch_optional(part->batch);

    if (quiet) {
        ngx_rbl_batch_quiet(part->batch);
    }

    ngx_rbl_batch_submit(part->batch);
}


/* Sends what waits, except for partitions that are away.  The first refusal of
   each node is logged, and those of the next rounds are not. */

static void
ngx_rbl_usage_round(ngx_rbl_usage_t *u)
{
    unsigned    p, on, last;
    ngx_uint_t  quiet;

    if (u->calls || !ngx_rbl_store_ready(u->store)) {
        return;
    }

    quiet = u->failed;
    u->failed = 0;
    u->more = 0;
    last = RBL_NODE_NONE;

    for (p = 0; p < ngx_rbl_store_keyspace(u->store)->partitions; p++) {
        on = ngx_rbl_store_on(u->store, p);

        if (on != RBL_NODE_NONE && !ngx_queue_empty(&u->part[p].apps)) {
            ngx_rbl_usage_call(&u->part[p], quiet || on == last);
            last = on;
        }
    }
}


/* After a round the sums are in flight or cannot be sent, so a worker that
   exits does not wait for the next tick. */

static void
ngx_rbl_usage_tick(ngx_event_t *ev)
{
    ngx_rbl_usage_t  *u = ev->data;

    ngx_rbl_usage_round(u);

    if (u->napps && !ngx_exiting) {
        u->tick.cancelable = 1;
        ngx_add_timer(&u->tick, NGX_RBL_USAGE_PAUSE);
    }
}


static ngx_rbl_usage_t *
ngx_rbl_usage_create(ngx_rbl_store_t *store, ngx_log_t *log)
{
    unsigned          p;
    ngx_rbl_usage_t  *u;

    u = store ? ngx_calloc(sizeof(ngx_rbl_usage_t), log) : NULL;
    if (u == NULL) {
        return NULL;
    }

    u->store = store;
    u->tick.data = u;
    u->tick.log = log;
    u->tick.handler = ngx_rbl_usage_tick;

    for (p = 0; p < RBL_PARTITIONS_MAX; p++) {
        u->part[p].usage = u;
        ngx_queue_init(&u->part[p].apps);
    }

    return u;
}


void
ngx_rbl_usage_init(ngx_rbl_main_conf_t *rmcf, ngx_cycle_t *cycle)
{
    ngx_uint_t         i, n;
    ngx_rbl_store_t  **live;

    if (rmcf->shm == NULL || rmcf->live == NULL) {
        return;
    }

    n = rmcf->stores.nelts;
    live = rmcf->live->elts;

    ngx_rbl_usages = ngx_calloc(n * sizeof(ngx_rbl_usage_t *), cycle->log);
    if (ngx_rbl_usages == NULL) {
        return;
    }

    for (i = 0; i < n; i++) {
        ngx_rbl_usages[i] = ngx_rbl_usage_create(live[i], cycle->log);
    }

    ngx_rbl_nusages = n;
}


static void
ngx_rbl_usage_destroy(ngx_rbl_usage_t *u)
{
    unsigned               p;
    ngx_queue_t           *q;
    ngx_rbl_usage_app_t   *app;
    ngx_rbl_usage_part_t  *part;

    if (u == NULL) {
        return;
    }

    if (u->tick.timer_set) {
        ngx_del_timer(&u->tick);
    }

    for (p = 0; p < RBL_PARTITIONS_MAX; p++) {
        part = &u->part[p];

        if (part->batch != NULL) {
            ngx_rbl_batch_cancel(part->batch);
        }

        while (!ngx_queue_empty(&part->apps)) {
            q = ngx_queue_head(&part->apps);
            app = ngx_queue_data(q, ngx_rbl_usage_app_t, queue);
            app->sent = app->waits;
            ngx_rbl_usage_lose(app);
        }
    }

    ngx_free(u);
}


void
ngx_rbl_usage_done(void)
{
    ngx_uint_t  i;

    for (i = 0; i < ngx_rbl_nusages; i++) {
        ngx_rbl_usage_destroy(ngx_rbl_usages[i]);
    }

    ngx_free(ngx_rbl_usages);
    ngx_rbl_usages = NULL;
    ngx_rbl_nusages = 0;
}
