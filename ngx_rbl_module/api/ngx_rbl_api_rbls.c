/*
 * Lists: reads of the active system lists, in their order, followed by the
 * custom lists of the account; changes of the latter.  The scripts decide
 * whether a list is a system list, one of the account, or does not exist.
 *
 * A page covers two indexes.  The first round trip reads both sizes, the page's
 * part of the system lists, and all custom lists, which are few.  The second
 * one reads the records, each kind by one command.  One list, of either kind,
 * needs one round trip.
 */

#include "ngx_rbl_api.h"
#include "ngx_rbl_list.h"

#include "rbl_own.h"
#include "rbl_query.h"
#include "rbl_view.h"


#define NGX_RBL_CUSTOMS_MAX  200        /* the limit of rbl_add */
#define NGX_RBL_RBL_GUESS    320        /* octets of a list in an answer */


typedef struct {
    ngx_rbl_list_t  list;               /* must be first; its SIDs are those of
                                           the page, custom ones last */
    int64_t         total_system;
    ngx_uint_t      asked;              /* commands of the second round trip */
} ngx_rbl_rbls_t;


static int
ngx_rbl_rbl_type(rbl_run_t *run, rbl_str_t *text)
{
    return rbl_str_is(*text, "rbl") || rbl_str_is(*text, "uribl")
           ? NGX_OK : NGX_DECLINED;
}


static void
ngx_rbl_rbl_zones(const ngx_array_t *zones, const rbl_str_t **name, size_t *n)
{
    *name = zones != NULL ? zones->elts : NULL;
    *n = zones != NULL ? zones->nelts : 0;
}


/* Refuses zones that exist only in the resolver of the site. */

static int
ngx_rbl_rbl_zone(rbl_run_t *run, rbl_str_t *text)
{
    char           *buf;
    rbl_str_t       under;
    rbl_own_t       own;
    ngx_str_t       name;
    const char     *why;
    ngx_rbl_ctx_t  *ctx;

    ctx = ngx_rbl_of(run);
    buf = rbl_room(run, RBL_VALUE_MAX);

    if (buf == NULL || rbl_domain_parse(buf, text, *text) != RBL_OK) {
        return NGX_DECLINED;
    }

    ngx_rbl_rbl_zones(ctx->conf->refuse_zones, &own.refuse, &own.n_refuse);
    ngx_rbl_rbl_zones(ctx->conf->allow_zones, &own.allow, &own.n_allow);

    if (rbl_own_ok(&own, *text, &under, &why)) {
        return NGX_OK;
    }

    name.data = (u_char *) under.p;
    name.len = under.n;

    ngx_rbl_refuse(ctx, NGX_HTTP_BAD_REQUEST,
                   "Invalid host value provided. A custom RBL cannot be in "
                   "\"%V\", which %s.", &name, why);

    return NGX_DECLINED;
}


static const rbl_field_t  ngx_rbl_rbl_add_fields[] = {
    RBL_TEXT("type", RBL_NEEDED, ngx_rbl_rbl_type,
             RBL_ARG(rbl_add, type)),
    RBL_TEXT("host", RBL_NEEDED, ngx_rbl_rbl_zone,
             RBL_ARG(rbl_add, zone)),
    RBL_END
};


/* A zone as it is shown, with its key hidden, is compared with that of the list
   by the script. */

static int
ngx_rbl_rbl_zone_again(rbl_run_t *run, rbl_str_t *text)
{
    char  *buf;

    if (text->n > RBL_DOMAIN_MAX
        || !rbl_str_is(rbl_zone_slot(*text), RBL_KEY_HIDDEN))
    {
        return ngx_rbl_rbl_zone(run, text);
    }

    buf = rbl_room(run, RBL_DOMAIN_MAX);
    if (buf == NULL) {
        return NGX_DECLINED;
    }

    ngx_strlow((u_char *) buf, (u_char *) text->p, text->n);
    text->p = buf;

    return NGX_OK;
}


static const rbl_field_t  ngx_rbl_rbl_update_fields[] = {
    RBL_TEXT("type", 0, ngx_rbl_rbl_type, RBL_ARG(rbl_update, type)),
    RBL_TEXT("host", 0, ngx_rbl_rbl_zone_again,
             RBL_ARG(rbl_update, zone)),
    RBL_END
};

static const rbl_outcome_t  ngx_rbl_rbl_refusals[] = {
    RBL_UNKNOWN_ID("RBL", "rbl"),
    { "SYSTEM", NGX_HTTP_FORBIDDEN,
      "A system RBL cannot be changed." },
    { "HIDDEN", NGX_HTTP_BAD_REQUEST,
      "Invalid host value provided. Write the key in place of \"****\"." },
    { "EXISTS", NGX_HTTP_CONFLICT,
      "The account has this RBL already." },
    { "LIMIT", NGX_HTTP_CONFLICT,
      "An account may have at most %L custom RBLs." },
    { NULL, 0, NULL }
};


static int
ngx_rbl_rbl_write(ngx_rbl_ctx_t *ctx, const char *key, rbl_str_t raw)
{
    rbl_list_t  list;

    if (rbl_list_decode(&list, raw) != RBL_OK) {
        return ngx_rbl_undecoded(ctx, "list");
    }

    rbl_view_list(&ctx->doc, key, &list);

    return 1;
}


const ngx_rbl_family_t  ngx_rbl_family_rbls = {
    .resource = "rbl",
    .kind = RBL_SID_LIST,
    .index = "rbls",
    .total = { { NULL, "total_rbls" } },
    .guess = NGX_RBL_RBL_GUESS,
    .write = ngx_rbl_rbl_write,
    .refusals = ngx_rbl_rbl_refusals,
    .paid = 1
};


static void
ngx_rbl_rbls_totals(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_ask_system(ctx, ctx->batch, "ZCARD", "lists:active", 0, NULL);
    ngx_rbl_ask_count(ctx, "rbls");
}


static void
ngx_rbl_rbls_prepare(ngx_rbl_ctx_t *ctx)
{
    int64_t          first;
    char             text[2][RBL_OUT_INT];
    ngx_rbl_list_t  *list;

    list = ngx_rbl_data(ctx, sizeof(ngx_rbl_rbls_t));

    if (list == NULL || ngx_rbl_list_paging(ctx, list) != NGX_OK) {
        return;
    }

    first = (list->page - 1) * list->page_size;

    ngx_rbl_rbls_totals(ctx);
    ngx_rbl_ask_system(ctx, ctx->batch, "ZRANGE", "lists:active", RBL_WORDS(
                       rbl_out_int_text(text[0], first),
                       rbl_out_int_text(text[1], first + list->page_size - 1)));
    ngx_rbl_ask_range(ctx, "rbls", 0, NGX_RBL_CUSTOMS_MAX - 1);
}


static void
ngx_rbl_rbls_total(ngx_rbl_rbls_t *rbls, ngx_uint_t i, int64_t n)
{
    rbls->list.total[0] += n;

    if (i == 0) {
        rbls->total_system = n;
    }
}


static void
ngx_rbl_rbls_system(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    ngx_rbl_rbls_t  *rbls;

    rbls = ctx->data;

    rbls->list.sids = ngx_palloc(ctx->request->pool,
                                 (rbl_reply_len(reply) + NGX_RBL_CUSTOMS_MAX)
                                 * sizeof(rbl_str_t));

    if (rbls->list.sids == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    ngx_rbl_list_add_sids(ctx, &rbls->list.n, &rbls->list.sids, RBL_SID_LIST,
                          reply);
    rbls->list.system = rbls->list.n;
}


/* Takes the custom lists that fit on the page after the system lists. */

static void
ngx_rbl_rbls_customs(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    int64_t          skip, n;
    rbl_str_t       *customs;
    ngx_rbl_rbls_t  *rbls;
    ngx_rbl_list_t  *list;

    if (rbl_reply_len(reply) > NGX_RBL_CUSTOMS_MAX) {
        ngx_rbl_internal(ctx);
        return;
    }

    rbls = ctx->data;
    list = &rbls->list;

    ngx_rbl_list_add_sids(ctx, &list->n, &list->sids, RBL_SID_LIST, reply);

    customs = list->sids + list->system;
    n = list->n - rbls->list.system;

    skip = (list->page - 1) * list->page_size - rbls->total_system;
    skip = ngx_min(ngx_max(skip, 0), n);
    n = ngx_min(n - skip, list->page_size - (int64_t) rbls->list.system);
    n = ngx_max(n, 0);

    ngx_memmove(customs, customs + skip, n * sizeof(rbl_str_t));
    list->n = rbls->list.system + n;
}


static void
ngx_rbl_rbls_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    if (i < 2) {
        ngx_rbl_rbls_total(ctx->data, i, ngx_rbl_total(ctx, reply));

    } else if (reply->type != REDIS_REPLY_ARRAY) {
        ngx_rbl_internal(ctx);

    } else if (i == 2) {
        ngx_rbl_rbls_system(ctx, reply);

    } else {
        ngx_rbl_rbls_customs(ctx, reply);
    }
}


static void
ngx_rbl_rbls_ask(ngx_rbl_ctx_t *ctx, rbl_str_t owner, ngx_uint_t n,
    const rbl_str_t *sids)
{
    rbl_str_t        *keys;
    ngx_rbl_rbls_t   *rbls;
    ngx_rbl_batch_t  *batch;

    if (n == 0) {
        return;
    }

    batch = ngx_rbl_next(ctx);
    keys = ngx_rbl_record_keys(ctx, owner, n, sids);

    if (batch == NULL || keys == NULL) {
        return;
    }

    ngx_rbl_batch_records(batch, n, keys);

    rbls = ctx->data;
    rbls->asked++;
}


static void
ngx_rbl_rbls_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_rbls_t  *rbls;
    ngx_rbl_list_t  *list;

    rbls = ctx->data;
    list = &rbls->list;

    if (list->n == 0) {
        ngx_rbl_list_open(ctx, 0);
        ngx_rbl_list_close(ctx);
        return;
    }

    if (list->n > NGX_RBL_PAGE_SIDS) {
        ngx_rbl_list_slices(ctx, list);
        return;
    }

    ngx_rbl_rbls_ask(ctx, RBL_STR("SYS"), list->system, list->sids);
    ngx_rbl_rbls_ask(ctx, rbl_sid_str(&ctx->account), list->n - list->system,
                     list->sids + list->system);
}


/* Handles one reply for each kind of lists; the answer contains both. */

static void
ngx_rbl_rbls_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_rbls_t  *rbls;

    rbls = ctx->data;

    if (reply->type != REDIS_REPLY_ARRAY) {
        ngx_rbl_internal(ctx);
        return;
    }

    if (i == 0) {
        ngx_rbl_list_open(ctx, rbls->list.n * NGX_RBL_RBL_GUESS);
    }

    ngx_rbl_list_write(ctx, rbl_reply_len(reply), reply->element);

    if (i + 1 == rbls->asked) {
        ngx_rbl_list_close(ctx);
    }
}


const ngx_rbl_op_t  ngx_rbl_op_rbls = {
    .fields = rbl_page_fields,
    .prepare = ngx_rbl_rbls_prepare,
    .read = ngx_rbl_rbls_read,
    .proceed = ngx_rbl_rbls_proceed,
    .result = ngx_rbl_rbls_result
};


/* Reads both records that may have this SID; at most one exists. */

static void
ngx_rbl_rbl_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_sid_t  sid;
    rbl_str_t  id, *own, *system;

    if (ngx_rbl_data(ctx, sizeof(ngx_rbl_rbls_t)) == NULL
        || ngx_rbl_path_sid(ctx, RBL_SID_LIST, "rbl", &sid) != NGX_OK)
    {
        return;
    }

    id = rbl_sid_str(&sid);
    own = ngx_rbl_record_keys(ctx, rbl_sid_str(&ctx->account), 1, &id);
    system = ngx_rbl_record_keys(ctx, RBL_STR("SYS"), 1, &id);

    if (own == NULL || system == NULL) {
        return;
    }

    ngx_rbl_rbls_totals(ctx);

    ngx_rbl_batch_command(ctx->batch, RBL_COMMAND("MGET", *own, *system));
    ctx->round.asks++;
}


/* Elements of the reply to MGET. */
enum {
    NGX_RBL_RBL_OWN = 0,
    NGX_RBL_RBL_SYSTEM
};


static void
ngx_rbl_rbl_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    rbl_str_t   raw;
    rbl_list_t  list;

    if (i < 2) {
        ngx_rbl_rbls_total(ctx->data, i, ngx_rbl_total(ctx, reply));
        return;
    }

    raw = rbl_reply_str(rbl_reply_at(reply, NGX_RBL_RBL_OWN));

    if (raw.p == NULL) {
        raw = rbl_reply_str(rbl_reply_at(reply, NGX_RBL_RBL_SYSTEM));
    }

    /* the record of a killed list remains, but is not shown */

    if (raw.p == NULL || (rbl_list_decode(&list, raw) == RBL_OK
                          && rbl_str_is(list.status, "killed")))
    {
        ngx_rbl_unknown_id(ctx, "rbl");
        return;
    }

    ngx_rbl_one_answer(ctx, raw);
}


const ngx_rbl_op_t  ngx_rbl_op_rbl = {
    .prepare = ngx_rbl_rbl_prepare,
    .read = ngx_rbl_rbl_read
};


const ngx_rbl_op_t  ngx_rbl_op_rbl_add = {
    .script = &rbl_script_rbl_add,
    .fields = ngx_rbl_rbl_add_fields,
    .result = ngx_rbl_write_added,
    .message = "RBL added successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_rbl_update = {
    .script = &rbl_script_rbl_update,
    .fields = ngx_rbl_rbl_update_fields,
    .message = "RBL updated successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_rbl_pause = {
    .script = &rbl_script_rbl_status,
    .value = "paused",
    .message = "RBL paused successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_rbl_resume = {
    .script = &rbl_script_rbl_status,
    .value = "active",
    .message = "RBL resumed successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_rbl_delete = {
    .script = &rbl_script_rbl_delete,
    .message = "RBL deleted successfully."
};
