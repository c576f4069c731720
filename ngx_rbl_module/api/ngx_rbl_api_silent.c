/*
 * Lists that do not answer, in the line for Nagios (ngx_rbl_api_plain.c): how
 * many, and the names of the first ones.
 */

#include "ngx_rbl_api.h"
#include "ngx_rbl_silent.h"


void
ngx_rbl_silent_names(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch,
    const rbl_coverage_t *c)
{
    ngx_uint_t             i;
    rbl_key_t             *key;
    rbl_str_t              argv[2 * RBL_COVERAGE_NAMED + 1], sid, ac;
    const rbl_keyspace_t  *ks;

    ks = ngx_rbl_store_keyspace(ctx->store);
    ac = rbl_sid_str(&ctx->account);

    key = ngx_palloc(ctx->request->pool, 2 * c->n_silent * sizeof(rbl_key_t));

    if (key == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    argv[0] = RBL_STR("MGET");

    for (i = 0; i < c->n_silent; i++, key += 2) {
        sid = rbl_sid_str(&c->silent[i]);
        argv[2 * i + 1] = rbl_key(&key[0], ks, rbl_partition(ks, ac), "r",
                                  RBL_STR("SYS"), sid);
        argv[2 * i + 2] = rbl_account_key(&key[1], ks, "r", ac, sid);
    }

    ngx_rbl_batch_command(batch, (int) i * 2 + 1, argv);
}


void
ngx_rbl_silent_write(rbl_out_t *out, const rbl_coverage_t *c,
    const redisReply *names)
{
    size_t       i;
    rbl_str_t    raw;
    rbl_list_t   list;
    const char  *before;

    rbl_out_int(out, c->asked - c->answered);
    rbl_out_z(out, " of ");
    rbl_out_int(out, c->asked);
    rbl_out_z(out, c->asked == 1 ? " list silent" : " lists silent");

    before = ": ";

    for (i = 0; names != NULL && i < rbl_reply_len(names); i++) {
        raw = rbl_reply_str(rbl_reply_at(names, i));

        if (raw.p != NULL && rbl_list_decode(&list, raw) == RBL_OK) {
            rbl_out_z(out, before);
            rbl_out_str(out, list.zone);
            before = ", ";
        }
    }
}
