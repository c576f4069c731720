/*
 * One load of statistics and refusals: collected, sent, and kept until the
 * store has it.
 */

#include "ngx_rbl_carrier.h"

#define NGX_RBL_CARRIER_PAUSE    1000   /* ms after a failure; doubled */
#define NGX_RBL_CARRIER_SLOWEST  60000
#define NGX_RBL_CALL_USAGE       64     /* applications in one script call */


static uint32_t ngx_rbl_carrier_id(const ngx_rbl_store_conf_t *conf);
static void ngx_rbl_carrier_load(ngx_rbl_carrier_t *c, ngx_uint_t turn);
static void ngx_rbl_carrier_send(ngx_rbl_carrier_t *c);
static void ngx_rbl_carrier_usage(ngx_rbl_carrier_t *c);
static void ngx_rbl_carrier_log(ngx_rbl_carrier_t *c);
static void ngx_rbl_carrier_call(ngx_rbl_carrier_t *c,
    const rbl_script_t *script, unsigned partition, int argc,
    rbl_str_t *sender, rbl_str_t *call);
static void ngx_rbl_carrier_reply(void *data, ngx_uint_t i,
    const redisReply *reply);
static void ngx_rbl_carrier_done(void *data, ngx_rbl_store_rc_e rc);


ngx_int_t
ngx_rbl_carrier_init(ngx_rbl_carrier_t *c, ngx_rbl_store_t *store,
    const ngx_rbl_store_conf_t *conf, ngx_rbl_zone_t *zone,
    void (*landed)(void))
{
    c->store = store;
    c->zone = zone;
    c->id = ngx_rbl_carrier_id(conf);
    c->landed = landed;

    ngx_queue_init(&c->log);
    ngx_rbl_refusals_init(&c->refusals);

    return rbl_sid_make(&c->name, RBL_SID_EVENT) == RBL_OK ? NGX_OK
                                                           : NGX_ERROR;
}


/* Returns the id of a store in shared memory; it stays the same after a
   reload. */

static uint32_t
ngx_rbl_carrier_id(const ngx_rbl_store_conf_t *conf)
{
    uint32_t  crc;

    ngx_crc32_init(crc);
    ngx_crc32_update(&crc, conf->name.data, conf->name.len);
    ngx_crc32_update(&crc, (u_char *) "", 1);
    ngx_crc32_update(&crc, conf->prefix.data, conf->prefix.len);
    ngx_crc32_final(crc);

    return crc;
}


ngx_uint_t
ngx_rbl_carrier_waits(const ngx_rbl_carrier_t *c)
{
    return c->batch == NULL && (c->nusage || c->nlog || c->refusals.total);
}


ngx_uint_t
ngx_rbl_carrier_stuck(const ngx_rbl_carrier_t *c)
{
    return c->failed || !ngx_rbl_store_ready(c->store);
}


void
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
    ngx_uint_t  n;

    if (turn && ngx_rbl_zone_dirty(c->zone)) {
        c->nusage = ngx_rbl_zone_take(c->zone, c->id,
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

    ngx_rbl_batch_optional(c->batch);
    ngx_rbl_batch_submit(c->batch);
}


/* Sends the applications of one partition together. */

static void
ngx_rbl_carrier_usage(ngx_rbl_carrier_t *c)
{
    char              text[NGX_RBL_CALL_USAGE][3][RBL_OUT_INT];
    unsigned          partition[NGX_RBL_LOAD_USAGE];
    ngx_uint_t        i, j, n;
    ngx_rbl_usage_t  *u;

    struct {
        rbl_app_usage_args_t  args;
        rbl_app_usage_each_t  app[NGX_RBL_CALL_USAGE];
    } call;

    ngx_memzero(partition, sizeof(partition));

    for (i = 0; i < c->nusage; i++) {
        partition[i] = rbl_partition(ngx_rbl_store_keyspace(c->store),
                           (rbl_str_t) { c->usage[i].account, RBL_SID_LEN });
    }

    for (i = 0; i < c->nusage; i++) {
        for (j = i, n = 0;
             partition[i] != (unsigned) -1 && j < c->nusage
             && n < NGX_RBL_CALL_USAGE;
             j++)
        {
            if (partition[j] != partition[i]) {
                continue;
            }

            u = &c->usage[j];
            call.app[n].account = (rbl_str_t) { u->account, RBL_SID_LEN };
            call.app[n].app = (rbl_str_t) { u->app, RBL_SID_LEN };
            call.app[n].hour = rbl_out_int_text(text[n][0], u->hour);
            call.app[n].requests = rbl_out_int_text(text[n][1], u->requests);
            call.app[n].errors = rbl_out_int_text(text[n][2], u->refusals);
            n++;
            partition[j] = j == i ? partition[i] : (unsigned) -1;
        }

        if (n) {
            ngx_rbl_carrier_call(c, &rbl_script_app_usage, partition[i],
                                 RBL_ARGC(call.args)
                                 + (int) n * RBL_ARGC(call.app[0]),
                                 &call.args.sender, &call.args.call);
        }
    }
}


/* The refusals of an application are consecutive in the load. */

static void
ngx_rbl_carrier_log(ngx_rbl_carrier_t *c)
{
    ngx_uint_t          n;
    ngx_queue_t        *q;
    ngx_rbl_refusal_t  *first, *refusal;

    struct {
        rbl_app_errors_args_t  args;
        rbl_str_t              refusals[NGX_RBL_LOAD_REFUSALS];
    } call;

    first = NULL;
    n = 0;

    for (q = ngx_queue_head(&c->log); /* void */; q = ngx_queue_next(q)) {
        refusal = q == ngx_queue_sentinel(&c->log) ? NULL
                  : ngx_queue_data(q, ngx_rbl_refusal_t, queue);

        if (first != NULL
            && (refusal == NULL
                || ngx_memcmp(first->app, refusal->app, RBL_SID_LEN) != 0))
        {
            ngx_rbl_carrier_call(c, &rbl_script_app_errors,
                                 rbl_partition(ngx_rbl_store_keyspace(c->store),
                                               call.args.account),
                                 RBL_ARGC(call.args) + (int) n,
                                 &call.args.sender, &call.args.call);
            first = NULL;
        }

        if (refusal == NULL) {
            return;
        }

        if (first == NULL) {
            first = refusal;
            call.args.account = (rbl_str_t) { first->account, RBL_SID_LEN };
            call.args.app = (rbl_str_t) { first->app, RBL_SID_LEN };
            n = 0;
        }

        call.refusals[n++] = (rbl_str_t) { (char *) refusal->data,
                                           refusal->len };
    }
}


/* Sets the first two arguments: the sender and the number of the call. */

static void
ngx_rbl_carrier_call(ngx_rbl_carrier_t *c, const rbl_script_t *script,
    unsigned partition, int argc, rbl_str_t *sender, rbl_str_t *call)
{
    char       number[RBL_OUT_INT];
    rbl_key_t  key;

    c->calls++;

    *sender = rbl_key(&key, ngx_rbl_store_keyspace(c->store), partition,
                      "stats:from", rbl_sid_str(&c->name), RBL_STR(""));
    *call = rbl_out_int_text(number, c->number + c->calls);

    ngx_rbl_batch_script(c->batch, script, argc, sender);

    *sender = RBL_STR("");
    *call = RBL_STR("");
}


static void
ngx_rbl_carrier_reply(void *data, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_carrier_t  *c = data;

    if (rbl_reply_number(reply) > 0 && !c->damaged) {
        c->damaged = 1;
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
                   + ngx_min(NGX_RBL_CARRIER_PAUSE << c->failed,
                             NGX_RBL_CARRIER_SLOWEST);
        c->failed = ngx_min(c->failed + 1, 6);
    }

    c->landed();
}


void
ngx_rbl_carrier_leave(ngx_rbl_carrier_t *c)
{
    ngx_uint_t  i;

    if (c->batch != NULL) {
        ngx_rbl_batch_cancel(c->batch);
        c->batch = NULL;
        c->unknown = 1;
    }

    for (i = 0; i < c->nusage && !c->unknown; i++) {
        if (ngx_rbl_zone_add(c->zone, &c->usage[i]) != NGX_OK) {
            ngx_rbl_meter->uncounted += c->usage[i].requests;
        }
    }

    ngx_rbl_refusals_drop(&c->log);
    ngx_rbl_refusals_free(&c->refusals);
}
