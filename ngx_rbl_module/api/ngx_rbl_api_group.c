/*
 * Contact groups: how they are read (the family of ngx_rbl_api_read.c) and
 * changed.  Which group is the default is told by the account; how many hosts
 * and contacts have a group is counted beside the records and read with them.
 */

#include "ngx_rbl_api.h"
#include "ngx_rbl_list.h"

#include "rbl_view.h"


#define NGX_RBL_GROUP_GUESS  256        /* octets of a group in an answer */


enum {
    NGX_RBL_GROUP_NAME = 0,
    NGX_RBL_GROUP_DEFAULT
};

/* What counts a group: its SID, and ":h" or ":c". */

#define NGX_RBL_REF_LEN  (RBL_SID_LEN + 2)


typedef struct {
    ngx_uint_t   n;                     /* groups of the page */
    ngx_uint_t   at;                    /* which is written next */
    rbl_str_t   *fields;                /* two for each: hosts, contacts */
    int64_t     *counts;
} ngx_rbl_refs_t;

typedef struct {
    rbl_sid_t    group;
    rbl_str_t    name;                  /* p NULL: not given */
    int          is_default;            /* -1: not given */
} ngx_rbl_group_t;


static int ngx_rbl_group_write(ngx_rbl_ctx_t *ctx, rbl_str_t raw);
static void ngx_rbl_group_more(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch,
    ngx_uint_t n, const rbl_str_t *sids);
static ngx_rbl_refs_t *ngx_rbl_group_refs(ngx_rbl_ctx_t *ctx, ngx_uint_t n,
    const rbl_str_t *sids);
static void ngx_rbl_group_more_read(ngx_rbl_ctx_t *ctx,
    const redisReply *reply);
static const int64_t *ngx_rbl_group_counts(ngx_rbl_refs_t *refs,
    rbl_str_t sid);
static int ngx_rbl_group_decode(ngx_rbl_ctx_t *ctx, rbl_group_t *group,
    rbl_str_t raw);

static void ngx_rbl_group_add_prepare(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_group_update_prepare(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_group_delete_prepare(ngx_rbl_ctx_t *ctx);
static ngx_int_t ngx_rbl_group_given(ngx_rbl_ctx_t *ctx,
    ngx_rbl_group_t *group);
static void ngx_rbl_group_add_proceed(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_group_update_proceed(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_group_delete_proceed(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_group_add_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply);


static const ngx_rbl_field_t  ngx_rbl_group_fields[] = {
    { ngx_string("name"), 0 },
    { ngx_string("is_default"), 0 },
    { ngx_null_string, 0 }
};

static const ngx_rbl_field_t  ngx_rbl_no_fields[] = {
    { ngx_null_string, 0 }
};

static const ngx_rbl_outcome_t  ngx_rbl_group_refusals[] = {
    NGX_RBL_UNKNOWN_ID("GROUP", "contact group"),
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


const ngx_rbl_family_t  ngx_rbl_family_groups = {
    "contact group", RBL_SID_GROUP, "groups",
    { { "groups", "total_contact_groups" }, { NULL, NULL } }, 0,
    NGX_RBL_GROUP_GUESS, ngx_rbl_group_write, ngx_rbl_group_more,
    ngx_rbl_group_more_read, 0
};

const ngx_rbl_op_t  ngx_rbl_op_group_add = {
    ngx_rbl_group_fields,
    ngx_rbl_group_add_prepare,
    NULL,
    ngx_rbl_group_add_proceed,
    ngx_rbl_group_add_result,
    NULL,
    ngx_rbl_group_refusals,
    NULL
};

const ngx_rbl_op_t  ngx_rbl_op_group_update = {
    ngx_rbl_group_fields,
    ngx_rbl_group_update_prepare,
    NULL,
    ngx_rbl_group_update_proceed,
    NULL,
    NULL,
    ngx_rbl_group_refusals,
    "Contact group updated successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_group_delete = {
    ngx_rbl_no_fields,
    ngx_rbl_group_delete_prepare,
    NULL,
    ngx_rbl_group_delete_proceed,
    NULL,
    NULL,
    ngx_rbl_group_refusals,
    "Contact group deleted successfully."
};


static int
ngx_rbl_group_write(ngx_rbl_ctx_t *ctx, rbl_str_t raw)
{
    rbl_group_t      group;
    const int64_t   *counts;
    ngx_rbl_list_t  *list;

    list = ctx->data;

    if (!ngx_rbl_group_decode(ctx, &group, raw)) {
        return 0;
    }

    counts = ngx_rbl_group_counts(list->more, group.id);

    if (counts == NULL) {
        ngx_rbl_internal(ctx);
        return 0;
    }

    rbl_view_group(&ctx->doc, NULL, &group,
                   rbl_str_eq(group.id, rbl_sid_str(&ctx->group)), counts[0],
                   counts[1]);

    return 1;
}


/* HMGET of the counts of all groups of a page. */

static void
ngx_rbl_group_more(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch, ngx_uint_t n,
    const rbl_str_t *sids)
{
    rbl_key_t        key;
    ngx_rbl_list_t  *list;
    ngx_rbl_refs_t  *refs;

    refs = ngx_rbl_group_refs(ctx, n, sids);
    if (refs == NULL) {
        return;
    }

    list = ctx->data;
    list->more = refs;

    refs->fields[-2] = RBL_STR("HMGET");
    refs->fields[-1] = rbl_account_key(&key,
                                       ngx_rbl_store_keyspace(ctx->store),
                                       "refs", rbl_sid_str(&ctx->account),
                                       RBL_STR(""));

    ngx_rbl_batch_command(batch, (int) (2 * n + 2), refs->fields - 2);

    ctx->round.asks += batch == ctx->batch;
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


static void
ngx_rbl_group_more_read(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    int64_t          n;
    ngx_uint_t       i;
    ngx_rbl_list_t  *list;
    ngx_rbl_refs_t  *refs;

    list = ctx->data;
    refs = list->more;

    if (refs == NULL || rbl_reply_len(reply) != 2 * refs->n) {
        ngx_rbl_internal(ctx);
        return;
    }

    /* nil: nobody has it */

    for (i = 0; i < 2 * refs->n; i++) {
        n = rbl_reply_int(rbl_reply_at(reply, i), 0);
        refs->counts[i] = ngx_max(n, 0);
    }
}


/* Groups are written in the order of the page, but some may be gone by now. */

static const int64_t *
ngx_rbl_group_counts(ngx_rbl_refs_t *refs, rbl_str_t sid)
{
    rbl_str_t  field;

    while (refs != NULL && refs->at < refs->n) {
        field = refs->fields[2 * refs->at++];
        field.n = RBL_SID_LEN;

        if (rbl_str_eq(field, sid)) {
            return &refs->counts[2 * (refs->at - 1)];
        }
    }

    return NULL;
}


static int
ngx_rbl_group_decode(ngx_rbl_ctx_t *ctx, rbl_group_t *group, rbl_str_t raw)
{
    if (rbl_group_decode(group, raw) == RBL_OK) {
        return 1;
    }

    ngx_log_error(NGX_LOG_ERR, ctx->request->connection->log, 0,
                  "rbl: a contact group record could not be decoded");

    return 0;
}


static void
ngx_rbl_group_add_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_group_t  *group;

    group = ngx_rbl_data(ctx, sizeof(ngx_rbl_group_t));
    if (group == NULL) {
        return;
    }

    if (ngx_rbl_text(ctx, NGX_RBL_GROUP_NAME).n == 0) {
        ngx_rbl_missing(ctx, "name");
        return;
    }

    if (ngx_rbl_group_given(ctx, group) == NGX_OK
        && rbl_sid_make(&group->group, RBL_SID_GROUP) != RBL_OK)
    {
        ngx_rbl_internal(ctx);
    }
}


static void
ngx_rbl_group_update_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_group_t  *group;

    group = ngx_rbl_data(ctx, sizeof(ngx_rbl_group_t));

    if (group != NULL && ngx_rbl_group_given(ctx, group) == NGX_OK) {
        (void) ngx_rbl_path_sid(ctx, RBL_SID_GROUP, "contact group",
                                &group->group);
    }
}


static void
ngx_rbl_group_delete_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_group_t  *group;

    group = ngx_rbl_data(ctx, sizeof(ngx_rbl_group_t));

    if (group != NULL) {
        (void) ngx_rbl_path_sid(ctx, RBL_SID_GROUP, "contact group",
                                &group->group);
    }
}


static ngx_int_t
ngx_rbl_group_given(ngx_rbl_ctx_t *ctx, ngx_rbl_group_t *group)
{
    group->name = ngx_rbl_text(ctx, NGX_RBL_GROUP_NAME);
    group->is_default = -1;

    if (group->name.p && ngx_rbl_label(ctx, group->name) != NGX_OK) {
        return NGX_DECLINED;
    }

    return ngx_rbl_flag(ctx, NGX_RBL_GROUP_DEFAULT, &group->is_default);
}


static void
ngx_rbl_group_add_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_group_t      *group;
    rbl_group_add_args_t  args;

    group = ctx->data;

    args.group = rbl_sid_str(&group->group);
    args.name = group->name;
    args.is_default = group->is_default == 1 ? RBL_STR("1") : RBL_STR("0");

    ngx_rbl_run(ctx, group_add, &args, 0);
}


static void
ngx_rbl_group_update_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_group_t         *group;
    rbl_group_update_args_t  args;

    group = ctx->data;

    args.group = rbl_sid_str(&group->group);
    args.named = group->name.p ? RBL_STR("1") : RBL_STR("0");
    args.name = group->name.p ? group->name : RBL_STR("");
    args.is_default = group->is_default == -1 ? RBL_STR("")
                      : group->is_default ? RBL_STR("1") : RBL_STR("0");

    ngx_rbl_run(ctx, group_update, &args, 0);
}


static void
ngx_rbl_group_delete_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_group_t         *group;
    rbl_group_delete_args_t  args;

    group = ctx->data;
    args.group = rbl_sid_str(&group->group);

    ngx_rbl_run(ctx, group_delete, &args, 0);
}


static void
ngx_rbl_group_add_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    rbl_group_t            record;
    ngx_rbl_group_t       *group;
    rbl_group_add_reply_t  said;

    rbl_group_add_reply(&said, reply);

    if (!ngx_rbl_group_decode(ctx, &record, said.record)) {
        return;
    }

    group = ctx->data;

    ngx_rbl_open(ctx, NGX_RBL_GROUP_GUESS,
                 "Contact group added successfully.");
    rbl_view_group(&ctx->doc, "data", &record, group->is_default == 1, 0, 0);
    ngx_rbl_close(ctx);
}
