/*
 * Reads of many hosts: hosts, listings (documents, and one line for Nagios and
 * Zabbix).
 *
 * First round: the two totals, then a page of SIDs.  Second round: MGET of the
 * page, rendered straight from its reply.  When the page's SIDs can be guessed,
 * MGET goes with the first round, and a right guess needs no second.
 */

#include "ngx_rbl_http.h"


#define NGX_RBL_PAGE_MAX  1000000000000 /* a page past every end */


enum {
    NGX_RBL_FIELD_PAGE = 0,
    NGX_RBL_FIELD_PAGE_SIZE
};

typedef struct {
    int64_t      page;
    int64_t      page_size;
    int64_t      total_hosts;
    int64_t      total_listed;

    uint32_t     name;                  /* of the page: ngx_rbl_pages.c */
    ngx_uint_t   n;                     /* records that were asked for */
    rbl_str_t   *keys;                  /* "MGET" and n keys */
    unsigned     right:1;               /* they are those of the page */
} ngx_rbl_list_t;


static void ngx_rbl_hosts_prepare(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_listings_prepare(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_list_prepare(ngx_rbl_ctx_t *ctx, const char *index);
static int64_t ngx_rbl_list_number(ngx_rbl_ctx_t *ctx, ngx_uint_t field,
    int64_t def, int64_t max);
static void ngx_rbl_list_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_list_t *list,
    const char *index);
static void ngx_rbl_list_guess(ngx_rbl_ctx_t *ctx, ngx_rbl_list_t *list);
static void ngx_rbl_list_mget(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch,
    ngx_uint_t n, const rbl_str_t *sids);
static void ngx_rbl_list_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply);
static void ngx_rbl_list_sids(ngx_rbl_ctx_t *ctx, const redisReply *reply);
static ngx_int_t ngx_rbl_list_guessed(const ngx_rbl_list_t *list, ngx_uint_t n,
    const rbl_str_t *sids);
static void ngx_rbl_list_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply);
static void ngx_rbl_listings_plain(ngx_rbl_ctx_t *ctx,
    const redisReply *reply);
static void ngx_rbl_list_open(ngx_rbl_ctx_t *ctx, size_t n);
static void ngx_rbl_list_close(ngx_rbl_ctx_t *ctx);


static const ngx_rbl_field_t  ngx_rbl_list_fields[] = {
    { ngx_string("page"), 0 },
    { ngx_string("page_size"), 0 },
    { ngx_null_string, 0 }
};


const ngx_rbl_op_t  ngx_rbl_op_hosts = {
    ngx_rbl_list_fields,
    ngx_rbl_hosts_prepare,
    ngx_rbl_list_read,
    NULL,
    ngx_rbl_list_result
};

const ngx_rbl_op_t  ngx_rbl_op_listings = {
    ngx_rbl_list_fields,
    ngx_rbl_listings_prepare,
    ngx_rbl_list_read,
    NULL,
    ngx_rbl_list_result
};

static void
ngx_rbl_hosts_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_list_prepare(ctx, "hosts");
}


static void
ngx_rbl_listings_prepare(ngx_rbl_ctx_t *ctx)
{
    if (NGX_RBL_PLAIN & (1 << ctx->format)) {
        ngx_rbl_ask(ctx, "ZCARD", "listed", RBL_STR(""), 0, NULL);
        return;
    }

    ngx_rbl_list_prepare(ctx, "listed");
}


static void
ngx_rbl_list_prepare(ngx_rbl_ctx_t *ctx, const char *index)
{
    ngx_rbl_list_t  *list;

    list = ngx_rbl_data(ctx, sizeof(ngx_rbl_list_t));
    if (list == NULL) {
        return;
    }

    list->page = ngx_rbl_list_number(ctx, NGX_RBL_FIELD_PAGE, 1,
                                     NGX_RBL_PAGE_MAX);

    if (ctx->refusal == 0) {
        list->page_size = ngx_rbl_list_number(ctx, NGX_RBL_FIELD_PAGE_SIZE,
                                              NGX_RBL_PAGE_SIZE,
                                              ctx->conf->max_page_size);
    }

    if (ctx->refusal == 0) {
        ngx_rbl_list_ask(ctx, list, index);
    }
}


/* A larger number, however many digits it has, is served as `max`. */

static int64_t
ngx_rbl_list_number(ngx_rbl_ctx_t *ctx, ngx_uint_t field, int64_t def,
    int64_t max)
{
    size_t     i;
    int64_t    n;
    rbl_str_t  text;

    text = ngx_rbl_text(ctx, field);

    if (text.p == NULL) {
        return ngx_min(def, max);
    }

    n = 0;

    for (i = 0; i < text.n && text.p[i] >= '0' && text.p[i] <= '9'; i++) {
        n = ngx_min(n * 10 + (text.p[i] - '0'), max);
    }

    if (i < text.n || n == 0) {
        ngx_rbl_invalid(ctx, (char *) ngx_rbl_list_fields[field].name.data);
    }

    return n;
}


static void
ngx_rbl_list_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_list_t *list, const char *index)
{
    int64_t    first;
    u_char     start[NGX_INT64_LEN], stop[NGX_INT64_LEN];
    rbl_str_t  range[2];

    first = (list->page - 1) * list->page_size;

    range[0].p = (const char *) start;
    range[0].n = ngx_sprintf(start, "%L", first) - start;
    range[1].p = (const char *) stop;
    range[1].n = ngx_sprintf(stop, "%L", first + list->page_size - 1) - stop;

    ngx_rbl_ask(ctx, "ZCARD", "hosts", RBL_STR(""), 0, NULL);
    ngx_rbl_ask(ctx, "ZCARD", "listed", RBL_STR(""), 0, NULL);
    ngx_rbl_ask(ctx, "ZRANGE", index, RBL_STR(""), 2, range);

    list->name = ngx_rbl_page_name(&ctx->account, index, first,
                                   list->page_size);
    ngx_rbl_list_guess(ctx, list);
}


static void
ngx_rbl_list_guess(ngx_rbl_ctx_t *ctx, ngx_rbl_list_t *list)
{
    rbl_str_t   sids[NGX_RBL_PAGE_SIDS];
    ngx_uint_t  n;

    n = ngx_rbl_page_recall(list->name, sids);

    if (n != 0) {
        ngx_rbl_list_mget(ctx, ctx->batch, n, sids);
    }
}


static void
ngx_rbl_list_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_list_t  *list;

    if (NGX_RBL_PLAIN & (1 << ctx->format)) {
        ngx_rbl_listings_plain(ctx, reply);
        return;
    }

    list = ctx->data;

    switch (i) {

    case 0:
        list->total_hosts = ngx_rbl_total(ctx, reply);
        return;

    case 1:
        list->total_listed = ngx_rbl_total(ctx, reply);
        return;

    case 2:
        ngx_rbl_list_sids(ctx, reply);
        return;

    default:
        if (list->right) {
            ngx_rbl_list_result(ctx, 0, reply);
        }
    }
}


/* The page's SIDs: if they were guessed right, the records are on their way. */

static void
ngx_rbl_list_sids(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    size_t            i, n;
    rbl_str_t        *sids;
    ngx_uint_t        found;
    ngx_rbl_list_t   *list;
    ngx_rbl_batch_t  *batch;

    if (reply->type != REDIS_REPLY_ARRAY) {
        return;
    }

    list = ctx->data;
    n = rbl_reply_len(reply);
    found = 0;

    sids = ngx_palloc(ctx->request->pool, ngx_max(n, 1) * sizeof(rbl_str_t));
    if (sids == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    for (i = 0; i < n; i++) {
        sids[found] = rbl_reply_str(rbl_reply_at(reply, i));
        found += sids[found].n == RBL_SID_LEN;
    }

    list->right = ngx_rbl_list_guessed(list, found, sids);

    if (list->right) {
        return;
    }

    ngx_rbl_page_keep(list->name, found, sids);

    if (found == 0) {
        ngx_rbl_list_open(ctx, 0);
        ngx_rbl_list_close(ctx);
        return;
    }

    batch = ngx_rbl_next(ctx);

    if (batch != NULL) {
        ngx_rbl_list_mget(ctx, batch, found, sids);
    }
}


/* Are the records that were asked for those of the page, in this order? */

static ngx_int_t
ngx_rbl_list_guessed(const ngx_rbl_list_t *list, ngx_uint_t n,
    const rbl_str_t *sids)
{
    ngx_uint_t        i;
    const rbl_str_t  *key;

    if (list->n == 0 || list->n != n) {
        return 0;
    }

    for (i = 0; i < n; i++) {
        key = &list->keys[i + 1];

        if (ngx_memcmp(key->p + key->n - RBL_SID_LEN, sids[i].p, RBL_SID_LEN)
            != 0)
        {
            return 0;
        }
    }

    return 1;
}


/*
 * MGET of a page.  All keys have the same form and length, so one is built and
 * the SID exchanged.  They stay, for who compares them with the page.
 */

static void
ngx_rbl_list_mget(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch, ngx_uint_t n,
    const rbl_str_t *sids)
{
    char            *p;
    rbl_key_t        key;
    ngx_uint_t       i;
    ngx_rbl_list_t  *list;

    (void) rbl_account_key(&key, ngx_rbl_store_keyspace(ctx->store), "r",
                           rbl_sid_str(&ctx->account), sids[0]);

    list = ctx->data;
    list->keys = ngx_palloc(ctx->request->pool, (n + 1) * sizeof(rbl_str_t));
    p = ngx_pnalloc(ctx->request->pool, n * key.n);

    if (list->keys == NULL || p == NULL || key.n < RBL_SID_LEN) {
        ngx_rbl_internal(ctx);
        return;
    }

    list->n = n;
    list->keys[0] = RBL_STR("MGET");

    for (i = 0; i < n; i++) {
        ngx_memcpy(p, key.s, key.n - RBL_SID_LEN);
        ngx_memcpy(p + key.n - RBL_SID_LEN, sids[i].p, RBL_SID_LEN);

        list->keys[i + 1].p = p;
        list->keys[i + 1].n = key.n;
        p += key.n;
    }

    ngx_rbl_batch_command(batch, n + 1, list->keys);
}


static void
ngx_rbl_list_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    size_t     n, k;
    rbl_str_t  raw;

    if (reply->type != REDIS_REPLY_ARRAY) {
        return;
    }

    n = rbl_reply_len(reply);

    ngx_rbl_list_open(ctx, n);

    for (k = 0; k < n; k++) {
        raw = rbl_reply_str(rbl_reply_at(reply, k));

        /* nil: deleted between the two rounds */

        if (raw.p != NULL) {
            (void) ngx_rbl_host_write(ctx, raw);
        }
    }

    ngx_rbl_list_close(ctx);
}


static void
ngx_rbl_listings_plain(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    int64_t     n;
    rbl_out_t  *out;

    n = rbl_reply_int(reply, -1);

    if (n < 0) {
        return;
    }

    ngx_rbl_open_plain(ctx);

    out = &ctx->sink.out;

    if (ctx->format == NGX_RBL_NAGIOS) {
        rbl_out_z(out, n ? "CRITICAL - " : "OK - ");
        rbl_out_int(out, n);
        rbl_out_z(out, n == 1 ? " host listed!" : " hosts listed!");
        return;
    }

    rbl_out_int(out, n);
}


static void
ngx_rbl_list_open(ngx_rbl_ctx_t *ctx, size_t n)
{
    int64_t          total;
    ngx_rbl_list_t  *list;

    list = ctx->data;

    total = ctx->route->op == &ngx_rbl_op_listings ? list->total_listed
                                                   : list->total_hosts;

    ngx_rbl_open(ctx, n * NGX_RBL_HOST_GUESS, "OK");

    rbl_doc_int(&ctx->doc, "page", list->page);
    rbl_doc_int(&ctx->doc, "total_pages",
                total / list->page_size + (total % list->page_size != 0));
    rbl_doc_int(&ctx->doc, "page_size", list->page_size);
    rbl_doc_int(&ctx->doc, "total_hosts", list->total_hosts);
    rbl_doc_int(&ctx->doc, "total_listed", list->total_listed);
    rbl_doc_array(&ctx->doc, "data");
}


static void
ngx_rbl_list_close(ngx_rbl_ctx_t *ctx)
{
    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}
