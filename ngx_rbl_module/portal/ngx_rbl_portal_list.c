/*
 * list: one list, and what the daemons know of it together.
 * lists/state: the same state of all active system lists.
 *
 * The first round reads the names of the daemons seen last and, of lists/state,
 * the SIDs of the lists.  The second round reads the records of the daemons,
 * the state of each list, and the records of the lists.  Custom lists have no
 * such state.
 */

#include "ngx_rbl_portal.h"
#include "ngx_rbl_portal_shared.h"

#include "rbl_view.h"


#define NGX_RBL_LISTS_LAST    "199"     /* rank of the last system list */
#define NGX_RBL_STATE_GUESS   200       /* octets of a list in an answer */


const ngx_rbl_family_t  ngx_rbl_family_lists = {
    .resource = "list",
    .kind = RBL_SID_LIST
};


static void
ngx_rbl_portal_list_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_sid_t        *sid;
    ngx_rbl_lists_t  *lists;

    lists = ngx_rbl_data(ctx, sizeof(ngx_rbl_lists_t) + sizeof(rbl_str_t)
                              + sizeof(rbl_sid_t));
    if (lists == NULL) {
        return;
    }

    lists->sids = (rbl_str_t *) (lists + 1);
    sid = (rbl_sid_t *) (lists->sids + 1);

    if (ngx_rbl_path_sid(ctx, RBL_SID_LIST, "list", sid) == NGX_OK) {
        lists->sids[0] = rbl_sid_str(sid);
        lists->n = 1;
        ngx_rbl_shared_prepare(ctx);
    }
}


/* Reads both records that may have this SID; at most one exists. */

static void
ngx_rbl_portal_list_proceed(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t        *own, *system;
    ngx_rbl_batch_t  *batch;
    ngx_rbl_lists_t  *lists;

    lists = ctx->data;
    batch = ngx_rbl_shared_ask(ctx);
    own = ngx_rbl_record_keys(ctx, rbl_sid_str(&ctx->account), 1, lists->sids);
    system = ngx_rbl_record_keys(ctx, RBL_STR("SYS"), 1, lists->sids);

    if (batch != NULL && own != NULL && system != NULL) {
        ngx_rbl_batch_command(batch, RBL_COMMAND("MGET", *own, *system));
    }
}


static void
ngx_rbl_portal_list_write(ngx_rbl_ctx_t *ctx, const rbl_list_t *list,
    const ngx_rbl_shared_t *shared)
{
    ngx_rbl_open(ctx, 0, "OK");
    rbl_doc_object(&ctx->doc, "data");
    ngx_rbl_list_members(ctx, list, shared);
    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


/* A killed list is shown, too: its users want to know why it has ended. */

static void
ngx_rbl_portal_list_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    rbl_str_t         raw;
    rbl_list_t        list;
    ngx_rbl_lists_t  *lists;

    if (ngx_rbl_shared_read(ctx, i, reply)) {
        return;
    }

    lists = ctx->data;
    raw = rbl_reply_str(rbl_reply_at(reply, 0));

    if (raw.p == NULL) {
        raw = rbl_reply_str(rbl_reply_at(reply, 1));
    }

    if (raw.p == NULL) {
        ngx_rbl_unknown_id(ctx, "list");

    } else if (rbl_list_decode(&list, raw) != RBL_OK) {
        ngx_rbl_internal(ctx);

    } else {
        ngx_rbl_portal_list_write(ctx, &list, &lists->shared[0]);
    }
}


const ngx_rbl_op_t  ngx_rbl_op_portal_list = {
    .prepare = ngx_rbl_portal_list_prepare,
    .read = ngx_rbl_shared_names,
    .proceed = ngx_rbl_portal_list_proceed,
    .result = ngx_rbl_portal_list_result
};


static void
ngx_rbl_lists_state_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t  all[2] = { RBL_STR("0"), RBL_STR(NGX_RBL_LISTS_LAST) };

    if (ngx_rbl_data(ctx, sizeof(ngx_rbl_lists_t)) != NULL) {
        ngx_rbl_shared_prepare(ctx);
        ngx_rbl_ask_system(ctx, ctx->batch, "ZRANGE", "lists:active", 2, all);
    }
}


static void
ngx_rbl_lists_state_write(ngx_rbl_ctx_t *ctx, ngx_uint_t k,
    const rbl_list_t *list)
{
    ngx_rbl_lists_t  *lists;

    lists = ctx->data;

    rbl_doc_object(&ctx->doc, NULL);
    rbl_doc_str(&ctx->doc, "id", lists->sids[k]);
    rbl_doc_str(&ctx->doc, "tier", list->tier);
    ngx_rbl_shared_write(ctx, &lists->shared[k], list);
    rbl_doc_close(&ctx->doc);
}


static void
ngx_rbl_lists_state_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    ngx_rbl_shared_answer(ctx, i, reply, NGX_RBL_STATE_GUESS,
                          ngx_rbl_lists_state_write);
}


const ngx_rbl_op_t  ngx_rbl_op_lists_state = {
    .prepare = ngx_rbl_lists_state_prepare,
    .read = ngx_rbl_shared_names,
    .proceed = ngx_rbl_shared_all,
    .result = ngx_rbl_lists_state_result
};


void
ngx_rbl_list_members(ngx_rbl_ctx_t *ctx, const rbl_list_t *list,
    const ngx_rbl_shared_t *shared)
{
    rbl_doc_t  *doc;

    doc = &ctx->doc;

    rbl_view_list(doc, "list", list);
    rbl_doc_str(doc, "lookup", list->lookup);
    rbl_doc_str(doc, "delisting", list->delist);
    rbl_doc_str(doc, "tier", list->tier);
    rbl_doc_str(doc, "scope", list->scope);
    rbl_doc_str(doc, "kind", list->kind);
    rbl_doc_int(doc, "min_interval", list->min_interval);
    rbl_doc_int(doc, "rate", list->rate);
    rbl_doc_int(doc, "day_quota", list->day_quota);
    (void) rbl_view_texts(doc, "codes", list->codes);
    rbl_doc_str(doc, "reason", list->reason);
    ngx_rbl_shared_write(ctx, shared, list);
    rbl_doc_int(doc, "quota_used", shared->used);
    rbl_doc_int(doc, "turned", shared->turned);
    rbl_doc_int(doc, "of", shared->of);
    ngx_rbl_time_write(ctx, "refusing", shared->since);
}
