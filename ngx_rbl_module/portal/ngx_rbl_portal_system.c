/*
 * operator/lists: all system lists with their state, and what the operator
 * changed in the catalogue by hand.
 *
 * The first round reads the names of the daemons, the SIDs of the lists and the
 * fields of the overrides, which also name the lists that were killed.  The
 * second is that of lists/state.
 */

#include "ngx_rbl_portal.h"
#include "ngx_rbl_portal_shared.h"


#define NGX_RBL_SYSTEM_LAST   "199"     /* rank of the last list */
#define NGX_RBL_SYSTEM_MOST   1024      /* lists in the answer */
#define NGX_RBL_SYSTEM_GUESS  900       /* bytes of a list in the answer */

#define NGX_RBL_SYSTEM_HAND   2         /* read of the first round */

typedef struct {
    ngx_rbl_lists_t  lists;
    ngx_uint_t      *hand;              /* bits of ngx_rbl_hand of each list */
} ngx_rbl_system_t;

/* Fields of a list in lists:override, behind its SID (_override.lua). */
static const char *const  ngx_rbl_hand[] = {
    "", ":killed", ":names", ":min_interval", ":rate", ":day_quota", ":tier",
    ":control", ":codes", ":servers", NULL
};

#define NGX_RBL_HAND_KILLED  2          /* bit of ":killed" */


static void
ngx_rbl_system_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t  all[2] = { RBL_STR("0"), RBL_STR(NGX_RBL_SYSTEM_LAST) };

    if (ngx_rbl_data(ctx, sizeof(ngx_rbl_system_t)) != NULL) {
        ngx_rbl_shared_prepare(ctx);
        ngx_rbl_ask_system(ctx, ctx->batch, "ZRANGE", "lists", 2, all);
        ngx_rbl_ask_system(ctx, ctx->batch, "HKEYS", "lists:override", 0, NULL);
    }
}


/* Makes room for n killed lists behind the others. */

static ngx_int_t
ngx_rbl_system_room(ngx_rbl_ctx_t *ctx, ngx_uint_t n)
{
    rbl_str_t         *sids;
    ngx_rbl_system_t  *all;

    all = ctx->data;
    n += all->lists.n + 1;
    sids = ngx_palloc(ctx->request->pool, n * sizeof(rbl_str_t));
    all->hand = ngx_pcalloc(ctx->request->pool, n * sizeof(ngx_uint_t));

    if (sids == NULL || all->hand == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(sids, all->lists.sids, all->lists.n * sizeof(rbl_str_t));
    all->lists.sids = sids;

    return NGX_OK;
}


/* A list that is not in the index was killed. */

static void
ngx_rbl_system_field(ngx_rbl_ctx_t *ctx, rbl_str_t field)
{
    rbl_sid_t         *sid;
    rbl_str_t          name;
    ngx_uint_t         k, bit;
    ngx_rbl_system_t  *all;

    all = ctx->data;
    name.p = field.p;
    name.n = ngx_min(field.n, RBL_SID_LEN);

    for (bit = 0; ngx_rbl_hand[bit] != NULL; bit++) {
        if (field.n == RBL_SID_LEN + ngx_strlen(ngx_rbl_hand[bit])
            && ngx_memcmp(field.p + RBL_SID_LEN, ngx_rbl_hand[bit],
                          field.n - RBL_SID_LEN)
               == 0)
        {
            break;
        }
    }

    for (k = 0; k < all->lists.n; k++) {
        if (rbl_str_eq(all->lists.sids[k], name)) {
            all->hand[k] |= 1 << bit;
            return;
        }
    }

    sid = ngx_palloc(ctx->request->pool, sizeof(rbl_sid_t));

    if (1 << bit == NGX_RBL_HAND_KILLED && k < NGX_RBL_SYSTEM_MOST
        && sid != NULL && rbl_sid_parse(sid, RBL_SID_LIST, name) == RBL_OK)
    {
        all->lists.sids[all->lists.n++] = rbl_sid_str(sid);
    }
}


static void
ngx_rbl_system_hand(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    size_t  k, n;

    n = rbl_reply_len(reply);

    if (ngx_rbl_system_room(ctx, ngx_min(n, NGX_RBL_SYSTEM_MOST)) != NGX_OK) {
        ngx_rbl_internal(ctx);
        return;
    }

    for (k = 0; k < n; k++) {
        ngx_rbl_system_field(ctx, rbl_reply_str(rbl_reply_at(reply, k)));
    }
}


static void
ngx_rbl_system_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_system_t  *all;

    all = ctx->data;

    if (i + all->lists.blind == NGX_RBL_SYSTEM_HAND) {
        ngx_rbl_system_hand(ctx, reply);

    } else {
        ngx_rbl_shared_names(ctx, i, reply);
    }
}


static void
ngx_rbl_system_write(ngx_rbl_ctx_t *ctx, ngx_uint_t k,
    const rbl_list_t *list)
{
    rbl_doc_t         *doc;
    ngx_uint_t         bit;
    ngx_rbl_system_t  *all;

    all = ctx->data;
    doc = &ctx->doc;

    rbl_doc_object(doc, NULL);
    ngx_rbl_list_members(ctx, list, &all->lists.shared[k]);
    rbl_doc_str(doc, "names", list->names);
    rbl_doc_str(doc, "control", list->control);
    rbl_doc_str(doc, "servers", list->servers);
    rbl_doc_str(doc, "note", list->note);
    rbl_doc_array(doc, "by_hand");

    if (all->hand[k] & 1) {
        rbl_doc_z(doc, NULL, "status");
    }

    for (bit = 2; ngx_rbl_hand[bit] != NULL; bit++) {
        if (all->hand[k] & 1 << bit) {
            rbl_doc_z(doc, NULL, ngx_rbl_hand[bit] + 1);
        }
    }

    rbl_doc_close(doc);
    rbl_doc_close(doc);
}


static void
ngx_rbl_system_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    ngx_rbl_shared_answer(ctx, i, reply, NGX_RBL_SYSTEM_GUESS,
                          ngx_rbl_system_write);
}


const ngx_rbl_op_t  ngx_rbl_op_operator_lists = {
    .prepare = ngx_rbl_system_prepare,
    .read = ngx_rbl_system_read,
    .proceed = ngx_rbl_shared_all,
    .result = ngx_rbl_system_result
};
