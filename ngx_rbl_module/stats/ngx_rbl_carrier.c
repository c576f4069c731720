/*
 * Loads of statistics and refusals, one for each node of a store: collected,
 * sent, and kept until the store has them.
 */

#include "ngx_rbl_carrier.h"

#define NGX_RBL_CARRIER_PAUSE    1000   /* ms after a failure; doubled */
#define NGX_RBL_CARRIER_SLOWEST  60000
#define NGX_RBL_CALL_USAGE       64     /* applications in one script call */


static void ngx_rbl_load_run(ngx_rbl_load_t *load, ngx_uint_t turn);


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


void
ngx_rbl_carrier_init(ngx_rbl_carrier_t *c, ngx_rbl_store_t *store,
    const ngx_rbl_store_conf_t *conf, ngx_rbl_shm_t *shm,
    void (*landed)(void))
{
    c->store = store;
    c->shm = shm;
    c->id = ngx_rbl_carrier_id(conf);
    c->landed = landed;

    ngx_rbl_refusals_init(&c->refusals);
}


static ngx_uint_t
ngx_rbl_load_empty(const ngx_rbl_load_t *load)
{
    return load->nusage == 0 && load->nlog == 0;
}


ngx_uint_t
ngx_rbl_carrier_waits(const ngx_rbl_carrier_t *c)
{
    ngx_uint_t             k;
    const ngx_rbl_load_t  *load;

    for (k = 0; k < RBL_NODES_MAX; k++) {
        load = c->load[k];

        if (load != NULL && load->batch == NULL && !ngx_rbl_load_empty(load)) {
            return 1;
        }
    }

    return c->refusals.total > 0;
}


ngx_uint_t
ngx_rbl_carrier_stuck(const ngx_rbl_carrier_t *c)
{
    ngx_uint_t  k, failed;

    failed = 0;

    for (k = 0; k < RBL_NODES_MAX; k++) {
        if (c->load[k] == NULL) {
            continue;
        }

        if (!c->load[k]->failed) {
            return !ngx_rbl_store_ready(c->store);
        }

        failed = 1;
    }

    return failed || !ngx_rbl_store_ready(c->store);
}


/* NULL: out of memory, or no random bytes for a name. */

static ngx_rbl_load_t *
ngx_rbl_load_create(ngx_rbl_carrier_t *c, ngx_uint_t node)
{
    ngx_rbl_load_t  *load;

    load = ngx_calloc(sizeof(ngx_rbl_load_t), ngx_cycle->log);

    if (load == NULL) {
        return NULL;
    }

    if (rbl_sid_make(&load->name, RBL_SID_EVENT) != RBL_OK) {
        ngx_free(load);
        return NULL;
    }

    load->carrier = c;
    load->node = node;
    ngx_queue_init(&load->log);

    return load;
}


/* Looks which nodes are ready, and makes their loads. */

static void
ngx_rbl_carrier_look(ngx_rbl_carrier_t *c)
{
    unsigned  p, k;

    for (p = 0; p < ngx_rbl_store_keyspace(c->store)->partitions; p++) {
        k = ngx_rbl_store_on(c->store, p);
        c->on[p] = (u_char) k;

        if (k < RBL_NODES_MAX && c->load[k] == NULL) {
            c->load[k] = ngx_rbl_load_create(c, k);
        }
    }
}


static unsigned
ngx_rbl_load_partition(const ngx_rbl_load_t *load, const char *account)
{
    return rbl_partition(ngx_rbl_store_keyspace(load->carrier->store),
                         (rbl_str_t) { account, RBL_SID_LEN });
}


/* The node of an account, or RBL_NODE_NONE. */

static unsigned
ngx_rbl_load_on(const ngx_rbl_load_t *load, const char *account)
{
    return load->carrier->on[ngx_rbl_load_partition(load, account)];
}


static ngx_uint_t
ngx_rbl_load_fits(void *data, const char *account)
{
    ngx_rbl_load_t  *load = data;

    return ngx_rbl_load_on(load, account) == load->node;
}


static void
ngx_rbl_load_fill(ngx_rbl_load_t *load, ngx_uint_t turn)
{
    ngx_uint_t          n;
    ngx_rbl_fits_t      fits = { ngx_rbl_load_fits, load };
    ngx_rbl_carrier_t  *c;

    c = load->carrier;

    if (turn && ngx_rbl_shm_dirty(c->shm)) {
        load->nusage = ngx_rbl_shm_take(c->shm, c->id,
                                         (uint32_t) (ngx_time() / 3600), &fits,
                                         load->usage, NGX_RBL_LOAD_USAGE);
    }

    do {
        n = ngx_rbl_refusals_take(&c->refusals, &fits, &load->log,
                                  NGX_RBL_LOAD_REFUSALS - load->nlog);
        load->nlog += n;
    } while (n && load->nlog < NGX_RBL_LOAD_REFUSALS);
}


/* True if no partition of the load is away: some may be on another node now. */

static ngx_uint_t
ngx_rbl_load_ready(const ngx_rbl_load_t *load)
{
    ngx_uint_t          i;
    ngx_queue_t        *q;
    ngx_rbl_refusal_t  *refusal;

    for (i = 0; i < load->nusage; i++) {
        if (ngx_rbl_load_on(load, load->usage[i].account) == RBL_NODE_NONE) {
            return 0;
        }
    }

    for (q = ngx_queue_head(&load->log); q != ngx_queue_sentinel(&load->log);
         q = ngx_queue_next(q))
    {
        refusal = ngx_queue_data(q, ngx_rbl_refusal_t, queue);

        if (ngx_rbl_load_on(load, refusal->account) == RBL_NODE_NONE) {
            return 0;
        }
    }

    return 1;
}


static void
ngx_rbl_load_reply(void *data, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_load_t  *load = data;

    if (rbl_reply_number(reply) > 0 && !load->carrier->damaged) {
        load->carrier->damaged = 1;
        ngx_log_error(NGX_LOG_ERR, ngx_cycle->log, 0,
                      "rbl: there are keys of statistics or error logs in the "
                      "store that are none");
    }
}


/* Sends the next load if this one was full. */

static void
ngx_rbl_load_stored(ngx_rbl_load_t *load)
{
    ngx_uint_t  more;

    more = load->nusage == NGX_RBL_LOAD_USAGE
           || load->nlog == NGX_RBL_LOAD_REFUSALS;

    ngx_rbl_meter->flushes++;
    ngx_rbl_refusals_drop(&load->log);
    load->number += load->calls;
    load->nusage = 0;
    load->nlog = 0;
    load->failed = 0;
    load->unknown = 0;

    if ((more || ngx_exiting) && ngx_rbl_store_ready(load->carrier->store)) {
        ngx_rbl_carrier_look(load->carrier);
        ngx_rbl_load_run(load, 1);
    }
}


static void
ngx_rbl_load_done(void *data, ngx_rbl_store_rc_e rc)
{
    ngx_rbl_load_t  *load = data;

    load->batch = NULL;

    if (rc == NGX_RBL_STORE_OK) {
        ngx_rbl_load_stored(load);

    } else {
        ngx_rbl_meter->flush_errors++;
        load->unknown |= rc == NGX_RBL_STORE_LOST;
        load->again = ngx_current_msec
                      + ngx_min(NGX_RBL_CARRIER_PAUSE << load->failed,
                                NGX_RBL_CARRIER_SLOWEST);
        load->failed = ngx_min(load->failed + 1, 6);
    }

    load->carrier->landed();
}


/* Sets the first two arguments: the sender and the number of the call. */

static void
ngx_rbl_load_call(ngx_rbl_load_t *load, const rbl_script_t *script,
    unsigned partition, int argc, rbl_str_t *sender, rbl_str_t *call)
{
    char       number[RBL_OUT_INT];
    rbl_key_t  key;

    load->calls++;

    *sender = rbl_key(&key, ngx_rbl_store_keyspace(load->carrier->store),
                      partition, "stats:from", rbl_sid_str(&load->name),
                      RBL_STR(""));
    *call = rbl_out_int_text(number, load->number + load->calls);

    ngx_rbl_batch_script(load->batch, script, argc, sender);

    *sender = RBL_STR("");
    *call = RBL_STR("");
}


/* Sends the applications of one partition together. */

static void
ngx_rbl_load_usage(ngx_rbl_load_t *load)
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

    for (i = 0; i < load->nusage; i++) {
        partition[i] = ngx_rbl_load_partition(load, load->usage[i].account);
    }

    for (i = 0; i < load->nusage; i++) {
        for (j = i, n = 0;
             partition[i] != (unsigned) -1 && j < load->nusage
             && n < NGX_RBL_CALL_USAGE;
             j++)
        {
            if (partition[j] != partition[i]) {
                continue;
            }

            u = &load->usage[j];
            call.app[n].account = (rbl_str_t) { u->account, RBL_SID_LEN };
            call.app[n].app = (rbl_str_t) { u->app, RBL_SID_LEN };
            call.app[n].hour = rbl_out_int_text(text[n][0], u->hour);
            call.app[n].requests = rbl_out_int_text(text[n][1], u->requests);
            call.app[n].errors = rbl_out_int_text(text[n][2], u->refusals);
            n++;
            partition[j] = j == i ? partition[i] : (unsigned) -1;
        }

        if (n) {
            ngx_rbl_load_call(load, &rbl_script_app_usage, partition[i],
                              RBL_ARGC(call.args)
                              + (int) n * RBL_ARGC(call.app[0]),
                              &call.args.sender, &call.args.call);
        }
    }
}


/* The refusals of an application are consecutive in the load. */

static void
ngx_rbl_load_log(ngx_rbl_load_t *load)
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

    for (q = ngx_queue_head(&load->log); /* void */; q = ngx_queue_next(q)) {
        refusal = q == ngx_queue_sentinel(&load->log) ? NULL
                  : ngx_queue_data(q, ngx_rbl_refusal_t, queue);

        if (first != NULL
            && (refusal == NULL
                || ngx_memcmp(first->app, refusal->app, RBL_SID_LEN) != 0))
        {
            ngx_rbl_load_call(load, &rbl_script_app_errors,
                              ngx_rbl_load_partition(load, first->account),
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


static void
ngx_rbl_load_send(ngx_rbl_load_t *load)
{
    load->batch = ngx_rbl_batch_create(load->carrier->store, ngx_rbl_load_reply,
                                       ngx_rbl_load_done, load);
    if (load->batch == NULL) {
        return;
    }

    load->calls = 0;
    ngx_rbl_load_usage(load);
    ngx_rbl_load_log(load);

    ngx_rbl_batch_optional(load->batch);
    ngx_rbl_batch_submit(load->batch);
}


static void
ngx_rbl_load_run(ngx_rbl_load_t *load, ngx_uint_t turn)
{
    if (load->batch != NULL) {
        return;
    }

    if (ngx_rbl_load_empty(load)) {
        ngx_rbl_load_fill(load, turn);

    } else if (!ngx_rbl_load_ready(load)
               || (!ngx_exiting
                   && (ngx_msec_int_t) (ngx_current_msec - load->again) < 0))
    {
        return;
    }

    if (!ngx_rbl_load_empty(load)) {
        ngx_rbl_load_send(load);
    }
}


void
ngx_rbl_carrier_run(ngx_rbl_carrier_t *c, ngx_uint_t turn)
{
    ngx_uint_t  k;

    if (!ngx_rbl_store_ready(c->store)) {
        return;
    }

    ngx_rbl_carrier_look(c);

    for (k = 0; k < RBL_NODES_MAX; k++) {
        if (c->load[k] != NULL) {
            ngx_rbl_load_run(c->load[k], turn);
        }
    }
}


static void
ngx_rbl_load_leave(ngx_rbl_load_t *load)
{
    ngx_uint_t  i;

    if (load->batch != NULL) {
        ngx_rbl_batch_cancel(load->batch);
        load->unknown = 1;
    }

    for (i = 0; i < load->nusage; i++) {
        if (load->unknown
            || ngx_rbl_shm_add(load->carrier->shm, &load->usage[i])
               != NGX_OK)
        {
            ngx_rbl_meter->uncounted += load->usage[i].requests;
        }
    }

    ngx_rbl_meter->unlogged += load->nlog;
    ngx_rbl_refusals_drop(&load->log);
}


void
ngx_rbl_carrier_leave(ngx_rbl_carrier_t *c)
{
    ngx_uint_t  k;

    for (k = 0; k < RBL_NODES_MAX; k++) {
        if (c->load[k] != NULL) {
            ngx_rbl_load_leave(c->load[k]);
            ngx_free(c->load[k]);
        }
    }

    ngx_rbl_meter->unlogged += c->refusals.total;
    ngx_rbl_refusals_free(&c->refusals);
}
