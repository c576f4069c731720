/*
 * Contact groups.  The account names the default group.  The numbers of hosts
 * and contacts of a group are in other keys, which are read with the records.
 */

#include "ngx_rbl_api.h"

#include "rbl_view.h"


#define NGX_RBL_GROUP_GUESS  256        /* octets of a group in an answer */

/* A field of the counters: the SID of a group, and ":h" or ":c". */

#define NGX_RBL_REF_LEN  (RBL_SID_LEN + 2)


typedef struct {
    ngx_uint_t   n;                     /* groups of the page */
    ngx_uint_t   at;                    /* group to write next */
    rbl_str_t   *fields;                /* two for each group: hosts,
                                           contacts */
    int64_t     *counts;
} ngx_rbl_refs_t;


static const rbl_field_t  ngx_rbl_group_add_fields[] = {
    RBL_TEXT("name", RBL_NEEDED, rbl_label,
             RBL_ARG(group_add, name)),
    RBL_TEXT("is_default", RBL_ZERO, rbl_flag,
             RBL_ARG(group_add, is_default)),
    RBL_END
};

static const rbl_field_t  ngx_rbl_group_update_fields[] = {
    RBL_TEXT("name", RBL_TOLD, rbl_label,
             RBL_ARG(group_update, name)),
    RBL_TEXT("is_default", 0, rbl_flag,
             RBL_ARG(group_update, is_default)),
    RBL_END
};

static const rbl_outcome_t  ngx_rbl_group_refusals[] = {
    RBL_UNKNOWN_ID("GROUP", "contact group"),
    { "USED", NGX_HTTP_CONFLICT,
      "A host or a contact has this contact group." },
    { "LAST", NGX_HTTP_CONFLICT,
      "The last contact group cannot be deleted." },
    { "DEFAULT", NGX_HTTP_CONFLICT,
      "This contact group is the default. Please make another one the "
      "default instead." },
    { "LIMIT", NGX_HTTP_CONFLICT,
      "An account may have at most %L contact groups." },
    { NULL, 0, NULL }
};


/* Finds the counters of a group.  Groups are written in the order of the page,
   but some may be deleted by now.  A new group has no hosts and contacts. */

static const int64_t *
ngx_rbl_group_counts(ngx_rbl_refs_t *refs, rbl_str_t sid)
{
    rbl_str_t  field;

    static const int64_t  none[2];

    if (refs == NULL) {
        return none;
    }

    while (refs->at < refs->n) {
        field = refs->fields[2 * refs->at++];
        field.n = RBL_SID_LEN;

        if (rbl_str_eq(field, sid)) {
            return &refs->counts[2 * (refs->at - 1)];
        }
    }

    return NULL;
}


static int
ngx_rbl_group_write(ngx_rbl_ctx_t *ctx, const char *key, rbl_str_t raw)
{
    rbl_group_t     group;
    const int64_t  *counts;

    if (rbl_group_decode(&group, raw) != RBL_OK) {
        return ngx_rbl_undecoded(ctx, "contact group");
    }

    counts = ngx_rbl_group_counts(ctx->more, group.id);

    if (counts == NULL) {
        ngx_rbl_internal(ctx);
        return 0;
    }

    rbl_view_group(&ctx->doc, key, &group,
                   rbl_str_eq(group.id, rbl_sid_str(&ctx->group)), counts[0],
                   counts[1]);

    return 1;
}


static ngx_rbl_refs_t *
ngx_rbl_group_refs(ngx_rbl_ctx_t *ctx, ngx_uint_t n, const rbl_str_t *sids)
{
    char            *p;
    ngx_uint_t       i;
    ngx_pool_t      *pool;
    ngx_rbl_refs_t  *refs;

    pool = ctx->request->pool;

    refs = ngx_pcalloc(pool, sizeof(ngx_rbl_refs_t));
    p = ngx_pnalloc(pool, 2 * n * NGX_RBL_REF_LEN);

    if (refs == NULL || p == NULL) {
        ngx_rbl_internal(ctx);
        return NULL;
    }

    refs->n = n;
    refs->counts = ngx_pcalloc(pool, 2 * n * sizeof(int64_t));
    refs->fields = ngx_palloc(pool, (2 * n + 2) * sizeof(rbl_str_t));

    if (refs->counts == NULL || refs->fields == NULL) {
        ngx_rbl_internal(ctx);
        return NULL;
    }

    refs->fields += 2;

    for (i = 0; i < 2 * n; i++) {
        ngx_memcpy(p, sids[i / 2].p, RBL_SID_LEN);
        p[RBL_SID_LEN] = ':';
        p[RBL_SID_LEN + 1] = i % 2 ? 'c' : 'h';

        refs->fields[i].p = p;
        refs->fields[i].n = NGX_RBL_REF_LEN;
        p += NGX_RBL_REF_LEN;
    }

    return refs;
}


/* Reads the counters of all groups of a page by one HMGET. */

static void
ngx_rbl_group_more(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch, ngx_uint_t n,
    const rbl_str_t *sids)
{
    rbl_key_t        key;
    ngx_rbl_refs_t  *refs;

    refs = ngx_rbl_group_refs(ctx, n, sids);
    if (refs == NULL) {
        return;
    }

    ctx->more = refs;

    refs->fields[-2] = RBL_STR("HMGET");
    refs->fields[-1] = ngx_rbl_account_key(ctx, &key, "refs", RBL_STR(""));

    ngx_rbl_batch_command(batch, (int) (2 * n + 2), refs->fields - 2);

    ctx->round.asks += batch == ctx->batch;
}


static void
ngx_rbl_group_more_read(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    int64_t          n;
    ngx_uint_t       i;
    ngx_rbl_refs_t  *refs;

    refs = ctx->more;

    if (refs == NULL || rbl_reply_len(reply) != 2 * refs->n) {
        ngx_rbl_internal(ctx);
        return;
    }

    /* nil: the group has no hosts or contacts */

    for (i = 0; i < 2 * refs->n; i++) {
        n = rbl_reply_int(rbl_reply_at(reply, i), 0);
        refs->counts[i] = ngx_max(n, 0);
    }
}


const ngx_rbl_family_t  ngx_rbl_family_groups = {
    .resource = "contact group",
    .kind = RBL_SID_GROUP,
    .index = "groups",
    .total = { { "groups", "total_contact_groups" } },
    .guess = NGX_RBL_GROUP_GUESS,
    .write = ngx_rbl_group_write,
    .more = ngx_rbl_group_more,
    .more_read = ngx_rbl_group_more_read,
    .refusals = ngx_rbl_group_refusals
};


static void
ngx_rbl_group_added(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    if (rbl_str_is(ctx->run.argv[RBL_ARG(group_add, is_default)], "1")) {
        ctx->group = ctx->run.id;
    }

    ngx_rbl_write_added(ctx, i, reply);
}


const ngx_rbl_op_t  ngx_rbl_op_group_add = {
    .script = &rbl_script_group_add,
    .fields = ngx_rbl_group_add_fields,
    .result = ngx_rbl_group_added,
    .message = "Contact group added successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_group_update = {
    .script = &rbl_script_group_update,
    .fields = ngx_rbl_group_update_fields,
    .message = "Contact group updated successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_group_delete = {
    .script = &rbl_script_chosen_delete,
    .value = "groups",
    .message = "Contact group deleted successfully."
};
