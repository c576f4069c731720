/*
 * Watches each store of this worker: reads the records of the daemons, the meta
 * data, and tries whether each node takes changes.  These are batches of their
 * own, so that a part of a cluster that is away does not hide what the others
 * say.
 */

#include "ngx_rbl_verdict.h"

#include "rbl_contact.h"
#include "rbl_meta.h"
#include "rbl_metrics.h"
#include "rbl_nodes.h"
#include "rbl_out.h"
#include "rbl_time.h"


#define NGX_RBL_VERDICT_EVERY    5000   /* ms */
#define NGX_RBL_VERDICT_FIRST    200
#define NGX_RBL_VERDICT_AGAIN    1000
#define NGX_RBL_VERDICT_MET      1000   /* that a request saw the meta data */
#define NGX_RBL_VERDICT_DAY      86400000   /* ms; older names are ignored */
#define NGX_RBL_VERDICT_MOST     "256"  /* daemons read */


typedef struct {
    ngx_rbl_store_t             *store;
    const ngx_rbl_store_conf_t  *conf;
    ngx_event_t                  tick;
    ngx_msec_t                   met;       /* when a request saw the meta
                                               data; 0: never */
    ngx_uint_t                   open;      /* batches of this look in flight */
    ngx_rbl_batch_t             *names, *records, *meta, *probe;
    ngx_pool_t                  *pool;      /* of this look */
    rbl_str_t                   *keys;      /* of the records, from 1 */
    ngx_uint_t                   nkeys;
    int64_t                      seen;      /* ms; the last daemon; 0: never */
    unsigned                     read:1;    /* the records were read */
    unsigned                     gone:1;    /* there is no meta */
    unsigned                     known:1;

    int64_t                      away, emptied, refused;    /* since (ms); 0 */
    rbl_conditions_t             now, next;
    unsigned                     types, found;  /* of contacts: bits by
                                                   rbl_contact_type_t, now and
                                                   of this look */
} ngx_rbl_verdict_t;


static ngx_rbl_verdict_t  *ngx_rbl_verdicts;
static ngx_uint_t          ngx_rbl_nverdicts;


static ngx_rbl_batch_t *
ngx_rbl_verdict_batch(ngx_rbl_verdict_t *v, ngx_rbl_reply_pt reply,
    ngx_rbl_done_pt done)
{
    ngx_rbl_batch_t  *batch;

    batch = ngx_rbl_batch_create(v->store, reply, done, v);

    if (batch != NULL) {
        ngx_rbl_batch_quiet(batch);
    }

    return batch;
}


rbl_str_t *
ngx_rbl_daemon_keys(ngx_pool_t *pool, ngx_rbl_store_t *store,
    const redisReply *reply, size_t step, ngx_uint_t *n)
{
    size_t      i;
    rbl_key_t   key;
    rbl_str_t   name, s, *keys;

    *n = 0;
    keys = ngx_palloc(pool, (rbl_reply_len(reply) + 1) * sizeof(rbl_str_t));

    for (i = 0; keys != NULL && i < rbl_reply_len(reply); i += step) {
        name = rbl_reply_str(rbl_reply_at(reply, i));
        s = rbl_key(&key, ngx_rbl_store_keyspace(store), 0, "daemon", name,
                    RBL_STR(""));

        if (name.n > 0 && s.n > 0) {
            keys[++*n] = ngx_rbl_keep(pool, s);
            *n -= keys[*n].p == NULL;
        }
    }

    return keys;
}


rbl_str_t
ngx_rbl_daemon_name(ngx_rbl_store_t *store, rbl_str_t key)
{
    size_t     n;
    rbl_key_t  before;

    n = rbl_key(&before, ngx_rbl_store_keyspace(store), 0, "daemon",
                RBL_STR(""), RBL_STR("")).n + 1;

    return (rbl_str_t) { key.p + n, key.n - n };
}


static void
ngx_rbl_verdict_names(void *data, ngx_uint_t i, const redisReply *reply)
{
    size_t              n;
    ngx_rbl_verdict_t  *v = data;

    n = rbl_reply_len(reply);
    v->seen = n ? rbl_reply_int(rbl_reply_at(reply, n - 1), 0) : 0;
    v->keys = ngx_rbl_daemon_keys(v->pool, v->store, reply, 2, &v->nkeys);
}


/* Adds the types of contacts that a daemon delivers to. */

static void
ngx_rbl_verdict_channels(ngx_rbl_verdict_t *v, rbl_str_t channels)
{
    size_t              n;
    rbl_mp_t            mp;
    rbl_contact_type_t  type;

    rbl_mp_init(&mp, channels);

    for (n = rbl_mp_array(&mp); n > 0 && !mp.failed; n--) {
        if (rbl_contact_type(&type, rbl_mp_str(&mp)) == RBL_OK) {
            v->found |= 1u << type;
        }
    }
}


static void
ngx_rbl_verdict_records(void *data, ngx_uint_t i, const redisReply *reply)
{
    rbl_str_t           raw;
    rbl_daemon_t        d;
    ngx_rbl_verdict_t  *v = data;

    raw = rbl_reply_str(reply);

    if (raw.n != 0 && raw.n <= RBL_DAEMON_MAX
        && rbl_daemon_decode(&d, raw) == RBL_OK)
    {
        (void) rbl_conditions_add(&v->next, d.name, d.conditions);
        ngx_rbl_verdict_channels(v, d.channels);
    }
}


/* Notes and logs when it begins and ends. */

static void
ngx_rbl_verdict_since(ngx_rbl_verdict_t *v, int64_t *since, const char *what,
    const char *why)
{
    if (why[0] != '\0' && *since == 0) {
        *since = ngx_time() * 1000;
        ngx_log_error(NGX_LOG_ERR, v->tick.log, 0, "rbl store \"%V\" %s: %s",
                      &v->conf->name, what, why);

    } else if (why[0] == '\0' && *since != 0) {
        *since = 0;
        ngx_log_error(NGX_LOG_NOTICE, v->tick.log, 0,
                      "rbl store \"%V\" %s no longer", &v->conf->name, what);
    }
}


static void
ngx_rbl_verdict_judge(ngx_rbl_verdict_t *v)
{
    u_char        *last;
    u_char         part[RBL_CONDITION_REASON];
    ngx_uint_t     away, partitions;
    rbl_reader_t   reader = { "", "", "", 0, 0, 0, 0, 0, 0 };

    if (v->away) {
        reader.away = "nginx cannot reach the store";

    } else {
        partitions = ngx_rbl_store_keyspace(v->store)->partitions;
        away = ngx_rbl_store_partitions_away(v->store);

        if (away) {
            last = ngx_snprintf(part, sizeof(part) - 1,
                                "%ui of %ui partitions cannot be reached", away,
                                partitions);
            *last = '\0';
            reader.away = (char *) part;
            reader.partly = 1;
        }

        reader.emptied = v->gone ? "the store has lost its meta data" : "";
        reader.refuses = ngx_rbl_store_refusal(v->store);
        ngx_rbl_verdict_since(v, &v->emptied, "was emptied", reader.emptied);
        ngx_rbl_verdict_since(v, &v->refused, "refuses changes",
                              reader.refuses);
    }

    reader.away_since = v->away;
    reader.emptied_since = v->emptied;
    reader.refuses_since = v->refused;
    reader.blind = !v->read;
    reader.daemon_seen = v->seen;

    (void) rbl_conditions_end(&v->next, &reader);
    v->now = v->next;
    v->known = 1;

    if (v->read) {
        v->types = v->found;
    }
}


static void
ngx_rbl_verdict_landed(ngx_rbl_verdict_t *v)
{
    if (--v->open != 0) {
        return;
    }

    if (v->pool != NULL) {
        ngx_destroy_pool(v->pool);
        v->pool = NULL;
    }

    ngx_rbl_verdict_judge(v);

    if (!ngx_exiting) {
        ngx_add_timer(&v->tick, NGX_RBL_VERDICT_EVERY);
    }
}


static void
ngx_rbl_verdict_read(void *data, ngx_rbl_store_rc_e rc)
{
    ngx_rbl_verdict_t  *v = data;

    v->records = NULL;
    v->read = rc == NGX_RBL_STORE_OK;
    ngx_rbl_verdict_landed(v);
}


static void
ngx_rbl_verdict_send(ngx_rbl_verdict_t *v, ngx_rbl_batch_t *batch)
{
    v->open++;
    ngx_rbl_batch_submit(batch);
}


static void
ngx_rbl_verdict_named(void *data, ngx_rbl_store_rc_e rc)
{
    ngx_uint_t          i;
    ngx_rbl_verdict_t  *v = data;

    v->names = NULL;

    if (rc == NGX_RBL_STORE_OK && v->nkeys) {
        v->records = ngx_rbl_verdict_batch(v, ngx_rbl_verdict_records,
                                           ngx_rbl_verdict_read);

        if (v->records != NULL) {
            for (i = 0; i < v->nkeys; i++) {
                ngx_rbl_batch_command(v->records,
                                      RBL_COMMAND("GET", v->keys[i + 1]));
            }

            ngx_rbl_verdict_send(v, v->records);
        }

    } else {
        v->read = rc == NGX_RBL_STORE_OK;
    }

    ngx_rbl_verdict_landed(v);
}


static void
ngx_rbl_verdict_meta(void *data, ngx_uint_t i, const redisReply *reply)
{
    rbl_meta_t          meta;
    ngx_rbl_verdict_t  *v = data;

    if (reply->type == REDIS_REPLY_ARRAY) {
        rbl_meta_read(&meta, reply);
        v->gone = meta.schema == -1;
    }
}


static void
ngx_rbl_verdict_meta_done(void *data, ngx_rbl_store_rc_e rc)
{
    ngx_rbl_verdict_t  *v = data;

    v->meta = NULL;
    ngx_rbl_verdict_landed(v);
}


/* Only its refusal counts, which the store has noted. */

static void
ngx_rbl_verdict_probed(void *data, ngx_rbl_store_rc_e rc)
{
    ngx_rbl_verdict_t  *v = data;

    v->probe = NULL;

    if (rc == NGX_RBL_STORE_OK) {
        ngx_rbl_store_accepts(v->store);
    }

    ngx_rbl_verdict_landed(v);
}


/* One command for each node that is ready.  Its user may write the key. */

static void
ngx_rbl_verdict_ask_probe(ngx_rbl_verdict_t *v)
{
    u_char                 asked[RBL_NODES_MAX] = { 0 };
    unsigned               p, node;
    rbl_key_t              key;
    const rbl_keyspace_t  *ks;

    ks = ngx_rbl_store_keyspace(v->store);
    v->probe = ngx_rbl_verdict_batch(v, NULL, ngx_rbl_verdict_probed);

    if (v->probe == NULL) {
        return;
    }

    for (p = 0; p < ks->partitions; p++) {
        node = ngx_rbl_store_on(v->store, p);

        if (node < RBL_NODES_MAX && !asked[node]) {
            asked[node] = 1;
            ngx_rbl_batch_command(v->probe, RBL_COMMAND("EVAL",
                                  RBL_CONDITION_PROBE, RBL_STR("1"),
                                  rbl_key(&key, ks, p, "flight", RBL_STR(""),
                                          RBL_STR(""))));
        }
    }

    ngx_rbl_verdict_send(v, v->probe);
}


static void
ngx_rbl_verdict_look(ngx_rbl_verdict_t *v)
{
    char                   from[RBL_OUT_INT];
    rbl_key_t              key;
    ngx_rbl_batch_t       *batch;
    const rbl_keyspace_t  *ks;

    ks = ngx_rbl_store_keyspace(v->store);
    rbl_conditions_init(&v->next);

    v->read = 0;
    v->seen = 0;
    v->found = 0;
    v->nkeys = 0;
    v->open = 1;                        /* nothing ends before all is sent */
    v->pool = ngx_create_pool(NGX_DEFAULT_POOL_SIZE, v->tick.log);

    if (v->pool != NULL) {
        batch = ngx_rbl_verdict_batch(v, ngx_rbl_verdict_names,
                                      ngx_rbl_verdict_named);
        v->names = batch;

        if (batch != NULL) {
            ngx_rbl_batch_command(batch, RBL_COMMAND("ZRANGEBYSCORE",
                                  rbl_key(&key, ks, 0, "daemons", RBL_STR(""),
                                          RBL_STR("")),
                                  rbl_out_int_text(from, ngx_time() * 1000
                                                   - NGX_RBL_VERDICT_DAY),
                                  RBL_STR("+inf"), RBL_STR("WITHSCORES"),
                                  RBL_STR("LIMIT"), RBL_STR("0"),
                                  RBL_STR(NGX_RBL_VERDICT_MOST)));
            ngx_rbl_verdict_send(v, batch);
        }
    }

    v->meta = ngx_rbl_verdict_batch(v, ngx_rbl_verdict_meta,
                                    ngx_rbl_verdict_meta_done);

    if (v->meta != NULL) {
        ngx_rbl_batch_command(v->meta, RBL_COMMAND("HMGET",
                              rbl_meta_key(&key, ks), RBL_META_FIELDS));
        ngx_rbl_verdict_send(v, v->meta);
    }

    ngx_rbl_verdict_ask_probe(v);
    ngx_rbl_verdict_landed(v);
}


/* The store is away if it is still not ready after a while. */

static void
ngx_rbl_verdict_tick(ngx_event_t *ev)
{
    ngx_uint_t          first;
    ngx_rbl_verdict_t  *v = ev->data;

    if (ngx_exiting) {
        return;
    }

    if (ngx_rbl_store_ready(v->store)) {
        v->away = 0;
        ngx_rbl_verdict_look(v);
        return;
    }

    first = v->away == 0;

    if (first) {
        v->away = ngx_time() * 1000;

    } else {
        rbl_conditions_init(&v->next);
        ngx_rbl_verdict_judge(v);
    }

    ngx_add_timer(ev, first ? NGX_RBL_VERDICT_AGAIN : NGX_RBL_VERDICT_EVERY);
}


void
ngx_rbl_verdict_init(ngx_rbl_main_conf_t *rmcf, ngx_cycle_t *cycle)
{
    ngx_uint_t              i;
    ngx_rbl_store_t       **live;
    ngx_rbl_verdict_t      *v;
    ngx_rbl_store_conf_t  **stores;

    ngx_rbl_nverdicts = 0;
    ngx_rbl_verdicts = ngx_calloc(rmcf->stores.nelts
                                  * sizeof(ngx_rbl_verdict_t), cycle->log);
    if (ngx_rbl_verdicts == NULL) {
        return;
    }

    live = rmcf->live->elts;
    stores = rmcf->stores.elts;
    ngx_rbl_nverdicts = rmcf->stores.nelts;

    for (i = 0; i < ngx_rbl_nverdicts; i++) {
        v = &ngx_rbl_verdicts[i];
        v->store = live[i];
        v->conf = stores[i];
        v->tick.data = v;
        v->tick.log = cycle->log;
        v->tick.handler = ngx_rbl_verdict_tick;
        v->tick.cancelable = 1;

        if (v->store != NULL) {
            ngx_add_timer(&v->tick, NGX_RBL_VERDICT_FIRST);
        }
    }
}


static void
ngx_rbl_verdict_cancel(ngx_rbl_verdict_t *v)
{
    ngx_uint_t         i;
    ngx_rbl_batch_t  **all[] = { &v->names, &v->records, &v->meta, &v->probe };

    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (*all[i] != NULL) {
            ngx_rbl_batch_cancel(*all[i]);
            *all[i] = NULL;
        }
    }

    if (v->pool != NULL) {
        ngx_destroy_pool(v->pool);
        v->pool = NULL;
    }
}


void
ngx_rbl_verdict_done(void)
{
    ngx_uint_t          i;
    ngx_rbl_verdict_t  *v;

    for (i = 0; i < ngx_rbl_nverdicts; i++) {
        v = &ngx_rbl_verdicts[i];

        if (v->tick.timer_set) {
            ngx_del_timer(&v->tick);
        }

        ngx_rbl_verdict_cancel(v);
    }

    if (ngx_rbl_verdicts != NULL) {
        ngx_free(ngx_rbl_verdicts);
    }

    ngx_rbl_verdicts = NULL;
    ngx_rbl_nverdicts = 0;
}


static ngx_rbl_verdict_t *
ngx_rbl_verdict_of(ngx_int_t store_index)
{
    return store_index >= 0 && (ngx_uint_t) store_index < ngx_rbl_nverdicts
           ? &ngx_rbl_verdicts[store_index] : NULL;
}


const rbl_conditions_t *
ngx_rbl_verdict(ngx_int_t store_index)
{
    ngx_rbl_verdict_t  *v;

    v = ngx_rbl_verdict_of(store_index);

    return v != NULL && v->known ? &v->now : NULL;
}


unsigned
ngx_rbl_verdict_types(ngx_int_t store_index)
{
    ngx_rbl_verdict_t  *v;

    v = ngx_rbl_verdict_of(store_index);

    return v != NULL ? v->types : 0;
}


void
ngx_rbl_verdict_write(rbl_doc_t *doc, ngx_int_t store_index, ngx_uint_t how)
{
    char                     since[RBL_TIME_LEN];
    ngx_uint_t               i;
    const rbl_condition_t   *row;
    const rbl_conditions_t  *all;

    all = ngx_rbl_verdict(store_index);

    rbl_doc_z(doc, "verdict",
              all == NULL ? "unknown"
                          : rbl_service_names[rbl_conditions_verdict(all)]);
    rbl_doc_array(doc, "conditions");

    for (i = 0; all != NULL && i < all->n; i++) {
        row = &all->row[i];

        rbl_doc_object(doc, NULL);
        rbl_doc_z(doc, "name", row->name);
        rbl_doc_z(doc, "state", rbl_service_names[row->severity]);

        if (how & NGX_RBL_VERDICT_SECONDS) {
            rbl_doc_int(doc, "since", row->since / 1000);

        } else {
            rbl_doc_str(doc, "since", rbl_time_rfc3339(since, row->since));
        }

        if (how & NGX_RBL_VERDICT_REASONS) {
            rbl_doc_z(doc, "reason", row->reason);
            rbl_doc_z(doc, "remedy", row->remedy);
        }

        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}


ngx_int_t
ngx_rbl_verdict_emptied(ngx_int_t store_index)
{
    ngx_rbl_verdict_t  *v;

    v = ngx_rbl_verdict_of(store_index);

    if (v == NULL) {
        return NGX_OK;
    }

    if (v->emptied != 0) {
        return NGX_DECLINED;
    }

    return v->met != 0 && ngx_current_msec - v->met < NGX_RBL_VERDICT_MET
           ? NGX_OK : NGX_AGAIN;
}


void
ngx_rbl_verdict_met(ngx_int_t store_index, ngx_uint_t emptied)
{
    ngx_rbl_verdict_t  *v = &ngx_rbl_verdicts[store_index];

    v->met = emptied ? 0 : ngx_current_msec;

    if (emptied && v->emptied == 0 && v->tick.timer_set) {
        ngx_add_timer(&v->tick, 0);
    }
}
