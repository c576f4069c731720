/*
 * hosts/read: the hosts of pasted lines (rbl_paste.h), before any is added.
 * The answer has an element for each host: the values that host/add takes, or
 * why host/add would refuse it.  Only the session is read from the store.
 */

#include "ngx_rbl_portal.h"
#include "ngx_rbl_write.h"

#include "rbl_paste.h"


#define NGX_RBL_PASTE_GUESS  128        /* octets of a host in an answer */


typedef struct {
    rbl_str_t    host;
    const char  *type;                  /* "": none */
    const char  *problem;               /* a word; "": none */
    ngx_uint_t   hosts;
    char         buf[RBL_VALUE_MAX];
} ngx_rbl_pasted_t;


static const rbl_field_t  ngx_rbl_paste_fields[] = {
    RBL_TEXT("lines", RBL_LIST, NULL, 0),
    RBL_END
};


/* A subnet of one address is that address. */

static void
ngx_rbl_paste_subnet(ngx_rbl_ctx_t *ctx, ngx_rbl_pasted_t *is)
{
    uint64_t      n;
    rbl_err_t     err;
    rbl_addr_t    addr;
    rbl_subnet_t  net;

    err = rbl_subnet_parse(&net, is->host);
    n = err == RBL_OK ? rbl_subnet_size(&net) : 0;

    if (n == 1) {
        is->type = "rbl";
        addr = rbl_subnet_addr(&net, 0);
        is->host = rbl_addr_text(is->buf, &addr);
        return;
    }

    if (n == 0) {
        is->problem = err == RBL_EHOSTBITS ? "host_bits" : "not_subnet";
        return;
    }

    if (n > ctx->conf->max_expand) {
        is->problem = "subnet_large";
        return;
    }

    is->type = "ip_range";
    is->hosts = n;
    is->host = rbl_subnet_text(is->buf, &net);
}


static void
ngx_rbl_paste_host(ngx_rbl_ctx_t *ctx, ngx_uint_t line, const rbl_paste_t *one)
{
    rbl_addr_t         addr;
    rbl_doc_t         *d;
    ngx_rbl_pasted_t   is;

    is.host = one->value;
    is.type = "";
    is.problem = "";
    is.hosts = 1;

    switch (one->kind) {

    case RBL_PASTE_ADDRESS:
        is.type = "rbl";
        (void) rbl_addr_parse(&addr, one->value);
        is.host = rbl_addr_text(is.buf, &addr);
        break;

    case RBL_PASTE_DOMAIN:
        is.type = "uribl";
        (void) rbl_domain_parse(is.buf, &is.host, one->value);
        break;

    case RBL_PASTE_SUBNET:
        ngx_rbl_paste_subnet(ctx, &is);
        break;

    default:
        is.problem = rbl_range_like(one->value) ? "short_range" : "not_host";
    }

    d = &ctx->doc;

    rbl_doc_object(d, NULL);
    rbl_doc_int(d, "line", (int64_t) line);
    rbl_doc_str(d, "host", is.host);
    rbl_doc_str(d, "name", one->name.p ? one->name : RBL_STR(""));
    rbl_doc_z(d, "type", is.type);
    rbl_doc_int(d, "hosts", (int64_t) is.hosts);
    rbl_doc_z(d, "problem", is.problem);
    rbl_doc_close(d);
}


static void
ngx_rbl_paste_proceed(ngx_rbl_ctx_t *ctx)
{
    size_t        most, n, i, all;
    rbl_paste_t  *out;
    ngx_uint_t    line;
    rbl_value_t  *value;

    most = all = 0;

    for (value = ctx->run.given[0].first; value; value = value->next) {
        n = rbl_paste_most(value->text);
        most = ngx_max(most, n);
        all++;
    }

    out = ngx_palloc(ctx->request->pool, most * sizeof(rbl_paste_t) + 1);
    if (out == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    ngx_rbl_open(ctx, all * NGX_RBL_PASTE_GUESS, "OK");
    rbl_doc_array(&ctx->doc, "data");

    line = 0;

    for (value = ctx->run.given[0].first; value; value = value->next) {
        n = rbl_paste_line(out, value->text);

        for (i = 0; i < n; i++) {
            ngx_rbl_paste_host(ctx, line, &out[i]);
        }

        line++;
    }

    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_hosts_read = {
    .fields = ngx_rbl_paste_fields,
    .proceed = ngx_rbl_paste_proceed
};
