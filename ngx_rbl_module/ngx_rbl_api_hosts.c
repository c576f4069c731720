/*
 * Reads of hosts: hosts, listings (documents, and one line for Nagios and
 * Zabbix), host/{id}.
 *
 * First round: the two totals, then a page of SIDs or the one record.  Second
 * round, lists only: MGET of the page, made straight from the SIDs' reply and
 * rendered straight from its own.
 */

#include "ngx_rbl_http.h"

#include "rbl_view.h"


#define NGX_RBL_PAGE_MAX  1000000000000 /* a page past every end */


enum {
    NGX_RBL_FIELD_PAGE = 0,
    NGX_RBL_FIELD_PAGE_SIZE
};

typedef struct {
    int64_t  page;
    int64_t  page_size;
    int64_t  total_hosts;
    int64_t  total_listed;
} ngx_rbl_list_t;


static void ngx_rbl_hosts_prepare(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_listings_prepare(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_list_prepare(ngx_rbl_ctx_t *ctx, const char *index);
static int64_t ngx_rbl_list_number(ngx_rbl_ctx_t *ctx, ngx_uint_t field,
    int64_t def, int64_t max);
static void ngx_rbl_list_ask(ngx_rbl_ctx_t *ctx, const ngx_rbl_list_t *list,
    const char *index);
static int64_t ngx_rbl_total(ngx_rbl_ctx_t *ctx, const redisReply *reply);
static void ngx_rbl_list_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply);
static void ngx_rbl_list_fetch(ngx_rbl_ctx_t *ctx, const redisReply *sids);
static void ngx_rbl_list_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply);
static void ngx_rbl_listings_plain(ngx_rbl_ctx_t *ctx,
    const redisReply *reply);
static void ngx_rbl_list_open(ngx_rbl_ctx_t *ctx, size_t n);
static void ngx_rbl_list_close(ngx_rbl_ctx_t *ctx);

static void ngx_rbl_host_prepare(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_host_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply);


static const ngx_rbl_field_t  ngx_rbl_list_fields[] = {
    { ngx_string("page"), 0 },
    { ngx_string("page_size"), 0 },
    { ngx_null_string, 0 }
};

static const ngx_rbl_field_t  ngx_rbl_no_fields[] = {
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

const ngx_rbl_op_t  ngx_rbl_op_host = {
    ngx_rbl_no_fields,
    ngx_rbl_host_prepare,
    ngx_rbl_host_read,
    NULL,
    NULL
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
ngx_rbl_list_ask(ngx_rbl_ctx_t *ctx, const ngx_rbl_list_t *list,
    const char *index)
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
}


/* A total that is none must not read as "nothing listed". */

static int64_t
ngx_rbl_total(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    if (reply->type != REDIS_REPLY_INTEGER || reply->integer < 0) {
        ngx_rbl_internal(ctx);
        return 0;
    }

    return reply->integer;
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

    default:
        ngx_rbl_list_fetch(ctx, reply);
    }
}


/*
 * MGET of a page.  All keys have the same form and length, so one is built and
 * the SID exchanged.
 */

static void
ngx_rbl_list_fetch(ngx_rbl_ctx_t *ctx, const redisReply *sids)
{
    char             *p;
    size_t            i, n;
    rbl_key_t         key;
    rbl_str_t        *argv, sid, first;
    ngx_uint_t        argc;
    ngx_rbl_batch_t  *batch;

    if (sids->type != REDIS_REPLY_ARRAY) {
        return;
    }

    n = rbl_reply_len(sids);
    first = rbl_reply_str(rbl_reply_at(sids, 0));

    if (n == 0 || first.n != RBL_SID_LEN) {
        ngx_rbl_list_open(ctx, 0);
        ngx_rbl_list_close(ctx);
        return;
    }

    (void) rbl_account_key(&key, ngx_rbl_store_keyspace(ctx->store), "r",
                           rbl_sid_str(&ctx->account), first);

    argv = ngx_palloc(ctx->request->pool, (n + 1) * sizeof(rbl_str_t));
    p = ngx_pnalloc(ctx->request->pool, n * key.n);
    batch = ngx_rbl_next(ctx);

    if (argv == NULL || p == NULL || batch == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    argv[0] = RBL_STR("MGET");
    argc = 1;

    for (i = 0; i < n; i++) {
        sid = rbl_reply_str(rbl_reply_at(sids, i));

        if (sid.n != RBL_SID_LEN) {
            continue;
        }

        ngx_memcpy(p, key.s, key.n - RBL_SID_LEN);
        ngx_memcpy(p + key.n - RBL_SID_LEN, sid.p, RBL_SID_LEN);

        argv[argc].p = p;
        argv[argc++].n = key.n;
        p += key.n;
    }

    ngx_rbl_batch_command(batch, argc, argv);
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


int
ngx_rbl_host_write(ngx_rbl_ctx_t *ctx, rbl_str_t raw)
{
    rbl_host_t  host;

    if (rbl_host_decode(&host, raw) != RBL_OK) {
        ngx_log_error(NGX_LOG_ERR, ctx->request->connection->log, 0,
                      "rbl: a host record could not be decoded");
        return 0;
    }

    rbl_view_host(&ctx->doc, NULL, &host, &rbl_zone_utc, ngx_rbl_now(), 0);

    return 1;
}


static void
ngx_rbl_host_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_sid_t        sid;
    ngx_rbl_list_t  *list;

    if (ngx_rbl_path_sid(ctx, RBL_SID_HOST, "host", &sid) != NGX_OK) {
        return;
    }

    list = ngx_rbl_data(ctx, sizeof(ngx_rbl_list_t));
    if (list == NULL) {
        return;
    }

    ngx_rbl_ask(ctx, "ZCARD", "hosts", RBL_STR(""), 0, NULL);
    ngx_rbl_ask(ctx, "ZCARD", "listed", RBL_STR(""), 0, NULL);
    ngx_rbl_ask(ctx, "GET", "r", rbl_sid_str(&sid), 0, NULL);
}


static void
ngx_rbl_host_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    rbl_str_t        raw;
    ngx_rbl_list_t  *list;

    if (i < 2) {
        ngx_rbl_list_read(ctx, i, reply);
        return;
    }

    raw = rbl_reply_str(reply);

    if (raw.p == NULL) {
        ngx_rbl_unknown_id(ctx, "host");
        return;
    }

    list = ctx->data;

    ngx_rbl_open(ctx, NGX_RBL_HOST_GUESS + raw.n, "OK");

    rbl_doc_int(&ctx->doc, "page", 1);
    rbl_doc_int(&ctx->doc, "total_pages", 1);
    rbl_doc_int(&ctx->doc, "page_size", NGX_RBL_PAGE_SIZE);
    rbl_doc_int(&ctx->doc, "total_hosts", list->total_hosts);
    rbl_doc_int(&ctx->doc, "total_listed", list->total_listed);
    rbl_doc_array(&ctx->doc, "data");

    if (ngx_rbl_host_write(ctx, raw)) {
        ngx_rbl_list_close(ctx);
    }
}
