/*
 * Store commands of an API call: commands and scripts on keys of the
 * authenticated account or of its partition, in the first round, in a second
 * round, in a repeated first round, or in slices.
 */

#include "ngx_rbl_http.h"
#include "ngx_rbl_stream.h"

#define NGX_RBL_REPEATS  3


rbl_str_t
ngx_rbl_account_key(const ngx_rbl_ctx_t *ctx, rbl_key_t *key,
    const char *name, rbl_str_t sid)
{
    return rbl_account_key(key, ngx_rbl_store_keyspace(ctx->store), name,
                           rbl_sid_str(&ctx->account), sid);
}


static void
ngx_rbl_ask_key(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch, const char *verb,
    rbl_str_t key, ngx_uint_t argc, const rbl_str_t *argv)
{
    rbl_str_t   all[NGX_RBL_COMMAND_ARGS + 2];
    ngx_uint_t  i;

    all[0] = rbl_str(verb);
    all[1] = key;

    for (i = 0; i < argc && i < NGX_RBL_COMMAND_ARGS; i++) {
        all[i + 2] = argv[i];
    }

    ngx_rbl_batch_command(batch, (int) i + 2, all);

    ctx->round.asks += batch == ctx->batch;
}


void
ngx_rbl_ask(ngx_rbl_ctx_t *ctx, const char *verb, const char *name,
    rbl_str_t sid, ngx_uint_t argc, const rbl_str_t *argv)
{
    rbl_key_t  key;

    ngx_rbl_ask_key(ctx, ctx->batch, verb,
                    ngx_rbl_account_key(ctx, &key, name, sid), argc, argv);
}


void
ngx_rbl_ask_state(ngx_rbl_ctx_t *ctx, rbl_state_t state)
{
    char  text[2][RBL_OUT_INT];

    ngx_rbl_ask(ctx, "ZCOUNT", "states", RBL_STR(""), RBL_WORDS(
                rbl_out_int_text(text[0], state * RBL_STATE_WIDTH),
                rbl_out_int_text(text[1], (state + 1) * RBL_STATE_WIDTH - 1)));
}


void
ngx_rbl_ask_count(ngx_rbl_ctx_t *ctx, const char *name)
{
    ngx_rbl_ask(ctx, "ZCARD", name, RBL_STR(""), 0, NULL);
}


void
ngx_rbl_ask_first(ngx_rbl_ctx_t *ctx, const char *name)
{
    ngx_rbl_ask(ctx, "ZRANGE", name, RBL_STR(""), RBL_WORDS(
                RBL_STR("0"), RBL_STR("0"), RBL_STR("WITHSCORES")));
}


void
ngx_rbl_ask_range(ngx_rbl_ctx_t *ctx, const char *name, int64_t first,
    int64_t last)
{
    char  text[2][RBL_OUT_INT];

    ngx_rbl_ask(ctx, "ZRANGE", name, RBL_STR(""), RBL_WORDS(
                rbl_out_int_text(text[0], first),
                rbl_out_int_text(text[1], last)));
}


void
ngx_rbl_ask_system(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch,
    const char *verb, const char *name, ngx_uint_t argc, const rbl_str_t *argv)
{
    rbl_key_t              key;
    const rbl_keyspace_t  *ks;

    ks = ngx_rbl_store_keyspace(ctx->store);

    ngx_rbl_ask_key(ctx, batch, verb,
                    rbl_key(&key, ks,
                            rbl_partition(ks, rbl_sid_str(&ctx->account)),
                            name, RBL_STR(""), RBL_STR("")),
                    argc, argv);
}


/*
 * All keys of a page have the same form and length, so one key is built and
 * only its SID is replaced.
 */

rbl_str_t *
ngx_rbl_record_keys(ngx_rbl_ctx_t *ctx, rbl_str_t owner, ngx_uint_t n,
    const rbl_str_t *sids)
{
    char                  *p;
    rbl_key_t              key;
    rbl_str_t             *keys;
    ngx_uint_t             i;
    const rbl_keyspace_t  *ks;

    ks = ngx_rbl_store_keyspace(ctx->store);

    (void) rbl_key(&key, ks, rbl_partition(ks, rbl_sid_str(&ctx->account)),
                   "r", owner, sids[0]);

    keys = ngx_palloc(ctx->request->pool,
                      (NGX_RBL_KEYS_BEFORE + n) * sizeof(rbl_str_t));
    p = ngx_pnalloc(ctx->request->pool, n * key.n + 1);

    if (keys == NULL || p == NULL || key.n < RBL_SID_LEN) {
        ngx_rbl_internal(ctx);
        return NULL;
    }

    keys += NGX_RBL_KEYS_BEFORE;

    for (i = 0; i < n; i++) {
        ngx_memcpy(p, key.s, key.n - RBL_SID_LEN);
        ngx_memcpy(p + key.n - RBL_SID_LEN, sids[i].p, RBL_SID_LEN);

        keys[i].p = p;
        keys[i].n = key.n;
        p += key.n;
    }

    return keys;
}


void
ngx_rbl_ask_records(ngx_rbl_ctx_t *ctx, ngx_uint_t n, const rbl_str_t *sids)
{
    ctx->round.records = ngx_rbl_record_keys(ctx, rbl_sid_str(&ctx->account), n,
                                       sids);
    ctx->round.n_records = ctx->round.records ? n : 0;
}


void
ngx_rbl_batch_records(ngx_rbl_batch_t *batch, ngx_uint_t n, rbl_str_t *keys)
{
    keys[-1] = RBL_STR("MGET");

    ngx_rbl_batch_command(batch, (int) n + 1, keys - 1);
}


ngx_rbl_batch_t *
ngx_rbl_next(ngx_rbl_ctx_t *ctx)
{
    if (ctx->next == NULL) {
        ctx->next = ngx_rbl_batch_create(ctx->store, ctx->next_reply,
                                         ctx->next_done, ctx);

        if (ctx->next == NULL) {
            ngx_rbl_internal(ctx);
        }
    }

    return ctx->next;
}


void
ngx_rbl_next_script(ngx_rbl_ctx_t *ctx, const rbl_script_t *script, int argc,
    const rbl_str_t *argv)
{
    ngx_rbl_batch_t  *batch;

    batch = ngx_rbl_next(ctx);

    if (batch != NULL) {
        ngx_rbl_batch_script(batch, script, argc, argv);
    }
}


void
ngx_rbl_next_command(ngx_rbl_ctx_t *ctx, int argc, const rbl_str_t *argv)
{
    ngx_rbl_next_script(ctx, NULL, argc, argv);
}


void
ngx_rbl_next_ask(ngx_rbl_ctx_t *ctx, const char *verb, const char *name,
    rbl_str_t sid, ngx_uint_t argc, const rbl_str_t *argv)
{
    rbl_key_t         key;
    ngx_rbl_batch_t  *batch;

    batch = ngx_rbl_next(ctx);

    if (batch != NULL) {
        ngx_rbl_ask_key(ctx, batch, verb,
                        ngx_rbl_account_key(ctx, &key, name, sid), argc, argv);
    }
}


void
ngx_rbl_next_records(ngx_rbl_ctx_t *ctx, const char *name, ngx_uint_t n,
    const rbl_str_t *parts)
{
    rbl_key_t        *keys;
    rbl_str_t        *argv;
    ngx_uint_t        i;
    ngx_rbl_batch_t  *batch;

    batch = ngx_rbl_next(ctx);
    keys = ngx_palloc(ctx->request->pool, n * sizeof(rbl_key_t));
    argv = ngx_palloc(ctx->request->pool, (n + 1) * sizeof(rbl_str_t));

    if (batch == NULL || keys == NULL || argv == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    argv++;

    for (i = 0; i < n; i++) {
        argv[i] = ngx_rbl_account_key(ctx, &keys[i], name, parts[i]);
    }

    ngx_rbl_batch_records(batch, n, argv);
}


void
ngx_rbl_call(ngx_rbl_ctx_t *ctx, const rbl_script_t *script, int argc,
    rbl_str_t *argv)
{
    rbl_key_t        key;
    rbl_str_t       *all;
    rbl_audit_by_t   by;

    *argv = ngx_rbl_account_key(ctx, &key, "acct", RBL_STR(""));

    ctx->round.writes = ctx->route->method != NGX_HTTP_GET;

    if (!script->audited) {
        ngx_rbl_next_script(ctx, script, argc, argv);
        return;
    }

    all = ngx_palloc(ctx->request->pool, (argc + 1) * sizeof(rbl_str_t));

    if (all == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    ngx_memcpy(all, argv, argc * sizeof(rbl_str_t));
    all[argc] = ngx_rbl_by(ctx, &by, ngx_rbl_str(&ctx->route->endpoint),
                           ctx->run.fields);

    ngx_rbl_next_script(ctx, script, argc + 1, all);
}


void
ngx_rbl_slow(ngx_rbl_ctx_t *ctx)
{
    if (ctx->next != NULL) {
        ngx_rbl_batch_slow(ctx->next, &ctx->account);
    }
}


ngx_rbl_batch_t *
ngx_rbl_aside(ngx_rbl_ctx_t *ctx)
{
    ctx->gate = ngx_rbl_batch_create(ctx->store, NULL, ctx->after_done, ctx);

    if (ctx->gate == NULL) {
        ngx_rbl_internal(ctx);
    }

    return ctx->gate;
}


ngx_int_t
ngx_rbl_again(ngx_rbl_ctx_t *ctx)
{
    if (ctx->repeated == NGX_RBL_REPEATS) {
        ngx_rbl_internal(ctx);
        return NGX_DECLINED;
    }

    ctx->round.again = 1;

    return NGX_OK;
}


ngx_rbl_stream_t *
ngx_rbl_stream(ngx_rbl_ctx_t *ctx)
{
    ctx->stream = ngx_pcalloc(ctx->request->pool, sizeof(ngx_rbl_stream_t));

    if (ctx->stream == NULL) {
        ngx_rbl_internal(ctx);
    }

    return ctx->stream;
}
