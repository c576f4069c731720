/*
 * What a call asks of the store: commands and scripts on keys of the account
 * whose credentials came with the request.
 */

#include "ngx_rbl_http.h"


void
ngx_rbl_ask(ngx_rbl_ctx_t *ctx, const char *verb, const char *name,
    rbl_str_t sid, ngx_uint_t argc, const rbl_str_t *argv)
{
    rbl_key_t   key;
    rbl_str_t   all[NGX_RBL_COMMAND_ARGS + 2];
    ngx_uint_t  i;

    all[0] = rbl_str(verb);
    all[1] = rbl_account_key(&key, ngx_rbl_store_keyspace(ctx->store), name,
                             rbl_sid_str(&ctx->account), sid);

    for (i = 0; i < argc && i < NGX_RBL_COMMAND_ARGS; i++) {
        all[i + 2] = argv[i];
    }

    ngx_rbl_batch_command(ctx->batch, (int) i + 2, all);
}


void
ngx_rbl_call(ngx_rbl_ctx_t *ctx, const rbl_script_t *script, int argc,
    rbl_str_t *argv)
{
    rbl_key_t         key;
    ngx_rbl_batch_t  *batch;

    batch = ngx_rbl_next(ctx);
    if (batch == NULL) {
        return;
    }

    argv[0] = rbl_account_key(&key, ngx_rbl_store_keyspace(ctx->store),
                              "acct", rbl_sid_str(&ctx->account),
                              RBL_STR(""));

    ctx->writes = 1;

    ngx_rbl_batch_script(batch, script, 1, argc, argv);
}
