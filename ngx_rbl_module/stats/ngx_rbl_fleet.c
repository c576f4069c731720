/*
 * Counters of the daemons.  The first round reads the names of the daemons seen
 * last, the second their records, which expire soon after a daemon ends.
 *
 * The records come from outside, so their size is limited: the number of
 * daemons, the bytes of a record, and the lists and resolvers in all.
 */

#include "ngx_rbl_status.h"
#include "ngx_rbl_verdict.h"


#define NGX_RBL_FLEET_LAST  "255"       /* rank of the last daemon read */
#define NGX_RBL_FLEET_ROWS  16384


void
ngx_rbl_fleet_ask_names(ngx_rbl_fleet_t *fleet, ngx_rbl_batch_t *batch)
{
    rbl_key_t  key;

    ngx_rbl_batch_command(batch, RBL_COMMAND("ZRANGE",
                          rbl_key(&key, ngx_rbl_store_keyspace(fleet->store),
                                  0, "daemons", RBL_STR(""), RBL_STR("")),
                          RBL_STR("0"), RBL_STR(NGX_RBL_FLEET_LAST),
                          RBL_STR("REV")));
}


void
ngx_rbl_fleet_names(void *data, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_fleet_t  *fleet = data;

    fleet->keys = ngx_rbl_daemon_keys(fleet->pool, fleet->store, reply, 1,
                                      &fleet->nnames);
}


void
ngx_rbl_fleet_ask_records(ngx_rbl_fleet_t *fleet, ngx_rbl_batch_t *batch)
{
    fleet->daemon = ngx_pcalloc(fleet->pool,
                                fleet->nnames * sizeof(ngx_rbl_daemon_t));
    fleet->keys[0] = RBL_STR("MGET");

    ngx_rbl_batch_command(batch, (int) fleet->nnames + 1, fleet->keys);
}


static void
ngx_rbl_fleet_resolvers(ngx_rbl_fleet_t *fleet, ngx_rbl_daemon_t *d)
{
    size_t    n;
    rbl_mp_t  mp;

    rbl_mp_init(&mp, d->record.resolvers);
    n = rbl_mp_array(&mp);
    n = ngx_min(n, RBL_METRICS_RESOLVERS);
    n = ngx_min(n, NGX_RBL_FLEET_ROWS - fleet->rows);

    d->resolver = n ? ngx_palloc(fleet->pool,
                                 n * sizeof(rbl_resolver_metrics_t)) : NULL;

    while (d->resolver && d->nresolvers < n
           && rbl_resolver_metrics_decode(&d->resolver[d->nresolvers], &mp)
              == RBL_OK)
    {
        d->nresolvers++;
        fleet->rows++;
    }
}


static void
ngx_rbl_fleet_lists(ngx_rbl_fleet_t *fleet, ngx_rbl_daemon_t *d)
{
    size_t    n;
    rbl_mp_t  mp;

    rbl_mp_init(&mp, d->record.lists);
    n = rbl_mp_array(&mp);
    n = ngx_min(n, RBL_METRICS_LISTS);
    n = ngx_min(n, NGX_RBL_FLEET_ROWS - fleet->rows);

    d->list = n ? ngx_palloc(fleet->pool, n * sizeof(rbl_list_metrics_t))
                : NULL;

    while (d->list && d->nlists < n
           && rbl_list_metrics_decode(&d->list[d->nlists], &mp) == RBL_OK)
    {
        d->nlists++;
        fleet->rows++;
    }
}


/* NGX_DECLINED: the record has expired or is invalid. */

static ngx_int_t
ngx_rbl_fleet_add(ngx_rbl_fleet_t *fleet, rbl_str_t key, rbl_str_t raw)
{
    ngx_rbl_daemon_t  *d;

    if (raw.n == 0 || raw.n > RBL_DAEMON_MAX) {
        return NGX_DECLINED;
    }

    raw = ngx_rbl_keep(fleet->pool, raw);
    d = &fleet->daemon[fleet->n];

    if (raw.p == NULL || rbl_daemon_decode(&d->record, raw) != RBL_OK
        || rbl_metrics_decode(d->number, d->record.numbers) != RBL_OK)
    {
        return NGX_DECLINED;
    }

    d->record.name = ngx_rbl_daemon_name(fleet->store, key);    /* unique */

    ngx_rbl_fleet_resolvers(fleet, d);
    ngx_rbl_fleet_lists(fleet, d);
    fleet->n++;

    return NGX_OK;
}


void
ngx_rbl_fleet_records(void *data, ngx_uint_t i, const redisReply *reply)
{
    size_t            k, n;
    ngx_rbl_fleet_t  *fleet = data;

    n = fleet->daemon ? rbl_reply_len(reply) : 0;
    n = ngx_min(n, fleet->nnames);

    for (k = 0; k < n; k++) {
        if (ngx_rbl_fleet_add(fleet, fleet->keys[k + 1],
                              rbl_reply_str(rbl_reply_at(reply, k)))
            != NGX_OK)
        {
            ngx_memzero(&fleet->daemon[fleet->n], sizeof(ngx_rbl_daemon_t));
        }
    }
}


/* Sends the batch of this step; `done` begins the next one. */

static ngx_int_t
ngx_rbl_fleet_send(ngx_rbl_fleet_t *fleet, ngx_rbl_done_pt done)
{
    static const ngx_rbl_reply_pt  reply[] = {
        NULL, ngx_rbl_fleet_names, ngx_rbl_fleet_records
    };

    fleet->batch = ngx_rbl_batch_create(fleet->store, reply[fleet->step], done,
                                        fleet);
    if (fleet->batch == NULL) {
        return NGX_DECLINED;
    }

    if (fleet->step == NGX_RBL_FLEET_NAMES) {
        ngx_rbl_fleet_ask_names(fleet, fleet->batch);

    } else if (fleet->step == NGX_RBL_FLEET_RECORDS) {
        ngx_rbl_fleet_ask_records(fleet, fleet->batch);
    }

    ngx_rbl_batch_submit(fleet->batch);

    return NGX_OK;
}


static void
ngx_rbl_fleet_landed(void *data, ngx_rbl_store_rc_e rc)
{
    ngx_rbl_fleet_t  *fleet = data;

    fleet->batch = NULL;
    fleet->up = rc == NGX_RBL_STORE_OK && fleet->step != NGX_RBL_FLEET_WAIT;

    if (rc != NGX_RBL_STORE_OK) {
        fleet->n = 0;

    } else if (fleet->step == NGX_RBL_FLEET_WAIT
               || (fleet->step == NGX_RBL_FLEET_NAMES && fleet->nnames))
    {
        fleet->step++;

        if (ngx_rbl_fleet_send(fleet, ngx_rbl_fleet_landed) == NGX_OK) {
            return;
        }
    }

    fleet->done(fleet->data);
}


ngx_int_t
ngx_rbl_fleet_read(ngx_rbl_fleet_t *fleet, ngx_rbl_store_t *store)
{
    if (store == NULL) {
        return NGX_DECLINED;
    }

    fleet->store = store;

    /* the keys cannot be built before the store is ready */

    fleet->step = ngx_rbl_store_ready(store) ? NGX_RBL_FLEET_NAMES
                                             : NGX_RBL_FLEET_WAIT;

    return ngx_rbl_fleet_send(fleet, ngx_rbl_fleet_landed);
}


void
ngx_rbl_fleet_cancel(ngx_rbl_fleet_t *fleet)
{
    if (fleet->batch) {
        ngx_rbl_batch_cancel(fleet->batch);
        fleet->batch = NULL;
    }
}
