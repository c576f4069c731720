/*
 * host/add: adds one host, the hosts of a subnet, or a range with its children,
 * all or none, by one script.  nginx validates the value and makes it
 * canonical; it expands a subnet only after it has checked the credentials.
 * More than one host is work (ngx_rbl_request.c); the records are read after
 * its end, in slices.
 */

#include "ngx_rbl_api.h"

#include "rbl_paste.h"


#define NGX_RBL_ADD_HOST  0             /* the field "host" */
#define NGX_RBL_ADD_PASTED  1024        /* octets of a text that is taken
                                           apart */
#define NGX_RBL_ADD_READ  64            /* records read at a time */


typedef struct {
    rbl_family_t     family;
    char             buf[RBL_VALUE_MAX];
    rbl_str_t        value;             /* canonical value of one host or a
                                           range */
    rbl_subnet_t     subnet;
    ngx_uint_t       hosts;             /* addresses of the subnet, or 1 */
    rbl_str_t       *sids;              /* SIDs of the range, if any, and the
                                           hosts */
    ngx_uint_t       n_sids;
    ngx_uint_t       asked;             /* number of records requested */
    unsigned         range:1;
    unsigned         expand:1;          /* add each address of the subnet */
} ngx_rbl_add_t;


/* The one host of a text with a comment, quotes, brackets or a name; any other
   text as it is. */

static rbl_str_t
ngx_rbl_add_pasted(ngx_rbl_ctx_t *ctx, rbl_str_t text)
{
    size_t        i;
    rbl_paste_t  *out;

    for (i = 0; i < text.n && !strchr(" ,;\"'#[<(", text.p[i]); i++) {
        /* void */
    }

    if (i == text.n || text.n > NGX_RBL_ADD_PASTED) {
        return text;
    }

    out = ngx_palloc(ctx->request->pool,
                     rbl_paste_most(text) * sizeof(rbl_paste_t));

    return out && rbl_paste_line(out, text) == 1
           && out->kind != RBL_PASTE_NONE ? out->value : text;
}


static ngx_int_t
ngx_rbl_add_subnet(ngx_rbl_ctx_t *ctx, ngx_rbl_add_t *add, rbl_str_t text)
{
    uint64_t    n;
    rbl_err_t   err;
    rbl_addr_t  addr;

    err = rbl_subnet_parse(&add->subnet, text);

    if (err == RBL_EHOSTBITS) {
        add->value = rbl_subnet_text(add->buf, &add->subnet);

        ngx_rbl_refuse(ctx, NGX_HTTP_BAD_REQUEST,
                       "Invalid host value provided. Please try again. "
                       "The subnet is %*s.", add->value.n, add->value.p);
        return NGX_DECLINED;
    }

    if (err != RBL_OK) {
        rbl_invalid(&ctx->run, "host");
        return NGX_DECLINED;
    }

    n = rbl_subnet_size(&add->subnet);

    if (n > ctx->conf->max_expand) {
        ngx_rbl_refuse(ctx, NGX_HTTP_BAD_REQUEST,
                       "Invalid host value provided. Please try again. "
                       "A subnet may have at most %ui addresses.",
                       ctx->conf->max_expand);
        return NGX_DECLINED;
    }

    add->hosts = n;
    add->family = ngx_rbl_host_family(&add->subnet.addr);

    if (n == 1) {
        if (add->range) {
            ngx_rbl_refuse(ctx, NGX_HTTP_BAD_REQUEST,
                           "Invalid host value provided. Please try again. "
                           "A subnet of more than one address is expected.");
            return NGX_DECLINED;
        }

        addr = rbl_subnet_addr(&add->subnet, 0);
        add->value = rbl_addr_text(add->buf, &addr);

        return NGX_OK;
    }

    add->value = rbl_subnet_text(add->buf, &add->subnet);
    add->expand = 1;

    return NGX_OK;
}


/* Reads the type, then the host, which is validated by its type. */

static int
ngx_rbl_add_type(rbl_run_t *run, rbl_str_t *type)
{
    rbl_str_t       text;
    ngx_uint_t      uribl;
    ngx_rbl_add_t  *add;
    ngx_rbl_ctx_t  *ctx;

    ctx = ngx_rbl_of(run);
    add = ctx->data;
    text = ngx_rbl_add_pasted(ctx, rbl_text(run, NGX_RBL_ADD_HOST));

    add->hosts = 1;
    add->range = rbl_str_is(*type, "ip_range");
    uribl = rbl_str_is(*type, "uribl");

    if (!add->range && !uribl && !rbl_str_is(*type, "rbl")) {
        return NGX_DECLINED;
    }

    if (!uribl && memchr(text.p, '/', text.n)) {
        return ngx_rbl_add_subnet(ctx, add, text);
    }

    if (add->range && rbl_range_like(text)) {
        ngx_rbl_invalid_host(ctx, text);
        return NGX_DECLINED;
    }

    if (add->range) {
        ngx_rbl_refuse(ctx, NGX_HTTP_BAD_REQUEST,
                       "Invalid host value provided. Please try again. "
                       "A subnet is expected.");
        return NGX_DECLINED;
    }

    add->family = ngx_rbl_host_parse(add->buf, &add->value, text, !uribl);

    if (add->family == RBL_FAMILY_NONE) {
        ngx_rbl_invalid_host(ctx, text);
        return NGX_DECLINED;
    }

    return NGX_OK;
}


static const rbl_field_t  ngx_rbl_add_fields[] = {
    RBL_TEXT("host", RBL_NEEDED, NULL, 0),
    RBL_TEXT("name", RBL_NEEDED, rbl_label,
             RBL_ARG(host_add, name)),
    RBL_TEXT("type", RBL_LATER, ngx_rbl_add_type,
             RBL_ARG(host_add, type)),
    RBL_SIDS("rbl_profile", RBL_ONE|RBL_EMPTY, RBL_SID_PROFILE,
             RBL_ARG(host_add, profile)),
    RBL_SIDS("contact_group", RBL_LIST|RBL_ONE|RBL_EMPTY,
             RBL_SID_GROUP, RBL_ARG(host_add, group)),
    RBL_END
};


static void
ngx_rbl_add_prepare(ngx_rbl_ctx_t *ctx)
{
    if (ngx_rbl_data(ctx, sizeof(ngx_rbl_add_t)) != NULL) {
        (void) rbl_run_fields(&ctx->run);
    }
}


/* p NULL: out of memory, or the kernel returns no random bytes. */

static rbl_str_t
ngx_rbl_new_sid(ngx_rbl_ctx_t *ctx)
{
    rbl_sid_t  sid;

    return rbl_sid_make(&sid, RBL_SID_HOST) == RBL_OK
           ? ngx_rbl_keep(ctx->request->pool, rbl_sid_str(&sid))
           : (rbl_str_t) { NULL, 0 };
}


static ngx_int_t
ngx_rbl_add_hosts(ngx_rbl_ctx_t *ctx, ngx_rbl_add_t *add,
    rbl_host_add_each_t *hosts)
{
    char        buf[RBL_VALUE_MAX];
    rbl_str_t   value;
    rbl_addr_t  addr;
    ngx_uint_t  i;

    value = add->value;

    for (i = 0; i < add->hosts; i++) {

        if (add->expand) {
            addr = rbl_subnet_addr(&add->subnet, i);
            value = ngx_rbl_keep(ctx->request->pool,
                                 rbl_addr_text(buf, &addr));
        }

        hosts[i].host = ngx_rbl_new_sid(ctx);
        hosts[i].value = value;

        if (hosts[i].host.p == NULL || value.p == NULL) {
            return NGX_ERROR;
        }

        add->sids[add->n_sids++] = hosts[i].host;
    }

    return NGX_OK;
}


static void
ngx_rbl_add_proceed(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t            *argv;
    ngx_rbl_add_t        *add;
    rbl_host_add_each_t  *hosts;

    add = ctx->data;
    argv = ctx->run.argv;

    hosts = ngx_palloc(ctx->request->pool,
                       add->hosts * sizeof(rbl_host_add_each_t));
    add->sids = ngx_palloc(ctx->request->pool,
                           (add->hosts + 1) * sizeof(rbl_str_t));

    if (hosts == NULL || add->sids == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    argv[RBL_ARG(host_add, family)] = ngx_rbl_family_text(add->family);

    if (add->range) {
        add->sids[0] = ngx_rbl_new_sid(ctx);
        add->n_sids = 1;
        argv[RBL_ARG(host_add, range)] = add->sids[0];
        argv[RBL_ARG(host_add, net)] = add->value;
    }

    if (ngx_rbl_add_hosts(ctx, add, hosts) != NGX_OK
        || add->sids[0].p == NULL)
    {
        ngx_rbl_internal(ctx);
        return;
    }

    ctx->run.rest = (rbl_str_t *) hosts;
    ctx->run.n_rest = add->hosts * RBL_ARGC(*hosts);

    ngx_rbl_write_proceed(ctx);

    if (add->hosts > 1) {
        ngx_rbl_slow(ctx);
    }
}


/* Writes the records of a reply, from its element k on.  nil: the host existed
   before, or was deleted meanwhile. */

static void
ngx_rbl_add_records(ngx_rbl_ctx_t *ctx, const redisReply *reply, size_t k)
{
    rbl_str_t                raw;
    const ngx_rbl_family_t  *family;

    family = ctx->route->family;

    for ( /* void */ ; k < rbl_reply_len(reply); k++) {
        raw = rbl_reply_str(rbl_reply_at(reply, k));

        if (raw.p != NULL && !family->write(ctx, NULL, raw)) {
            return;
        }
    }
}


static void
ngx_rbl_add_read(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t        *keys;
    ngx_uint_t        n;
    ngx_rbl_add_t    *add;
    ngx_rbl_batch_t  *batch;

    add = ctx->data;
    n = ngx_min(add->n_sids - add->asked, NGX_RBL_ADD_READ);

    keys = ngx_rbl_record_keys(ctx, rbl_sid_str(&ctx->account), n,
                               add->sids + add->asked);
    batch = keys ? ngx_rbl_next(ctx) : NULL;

    if (batch) {
        ngx_rbl_batch_records(batch, n, keys);
        add->asked += n;
    }
}


/* One host: its record.  Otherwise the work is over, or a slice of records
   came. */

static void
ngx_rbl_add_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_add_t  *add;

    add = ctx->data;

    if (add->asked == 0) {
        ngx_rbl_open(ctx, (ctx->worked ? add->n_sids : 1)
                          * ctx->route->family->guess,
                     add->expand ? "Hosts added successfully."
                                 : "Host added successfully.");
        rbl_doc_array(&ctx->doc, "data");
    }

    if (!ctx->worked) {
        ngx_rbl_add_records(ctx, reply, 1);

    } else if (add->asked > 0) {
        ngx_rbl_add_records(ctx, reply, 0);
    }

    if (ctx->run.refusal != 0) {
        return;
    }

    if (ctx->worked && add->asked < add->n_sids) {
        ngx_rbl_add_read(ctx);
        return;
    }

    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_host_add = {
    .script = &rbl_script_host_add,
    .fields = ngx_rbl_add_fields,
    .prepare = ngx_rbl_add_prepare,
    .proceed = ngx_rbl_add_proceed,
    .result = ngx_rbl_add_result
};
