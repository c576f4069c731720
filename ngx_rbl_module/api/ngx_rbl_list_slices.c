/*
 * Large pages: the number of records of a page, and reads in slices.
 *
 * A page is bounded in octets.  Hosts and profiles may be large; the scripts
 * that write them keep the size of the account's largest one, as a power of two
 * (_large.lua): the page size is such that no page can be larger than
 * NGX_RBL_PAGE_OCTETS.  It is the same for all pages of a list, so a client
 * that reads all pages misses nothing.  A list that fits into one page is never
 * divided.
 */

#include "ngx_rbl_list.h"
#include "ngx_rbl_stream.h"


#define NGX_RBL_PAGE_OCTETS   4194304
#define NGX_RBL_LARGE_LEAST   4096      /* least value of a size */
#define NGX_RBL_SLICE_MAX     64        /* records per slice */
#define NGX_RBL_SLICE_WIDE    16        /* the same for profiles, which may use
                                           the default lists */


const char *
ngx_rbl_list_bound(const ngx_rbl_ctx_t *ctx)
{
    switch (ctx->route->family->kind) {

    case RBL_SID_HOST:
        return "hosts";

    case RBL_SID_PROFILE:
        return "profiles";

    default:
        return NULL;
    }
}


ngx_int_t
ngx_rbl_list_fits(ngx_rbl_ctx_t *ctx, ngx_rbl_list_t *list)
{
    int64_t  most, total;

    total = list->total[ctx->route->family->pages];
    most = NGX_RBL_PAGE_OCTETS
           / ngx_max(list->largest, NGX_RBL_LARGE_LEAST);
    most = ngx_max(most, 1);

    if (ctx->page_most || list->page_size <= most || total <= most) {
        return NGX_OK;
    }

    if (list->page > 1) {
        ctx->page_most = most;
        (void) ngx_rbl_again(ctx);
        return NGX_DECLINED;
    }

    list->page_size = most;
    list->n = ngx_min(list->n, (ngx_uint_t) most);

    return NGX_OK;
}


ngx_uint_t
ngx_rbl_list_large(const ngx_rbl_list_t *list, ngx_uint_t n)
{
    return n > NGX_RBL_PAGE_SIDS
           || (int64_t) n * list->largest > NGX_RBL_SLICE;
}


/* The first slice also reads the other data that rendering needs, for the whole
   page. */

static void
ngx_rbl_slice_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch)
{
    rbl_str_t               *keys;
    ngx_uint_t               n, end;
    ngx_rbl_list_t          *list;
    const ngx_rbl_family_t  *family;

    list = ctx->data;
    family = ctx->route->family;

    if (list->at == 0 && family->more) {
        family->more(ctx, batch, list->n, list->sids);
    }

    end = list->at < list->system ? list->system : list->n;
    n = ngx_min(list->slice, end - list->at);

    keys = ngx_rbl_record_keys(ctx, list->at < list->system
                                    ? RBL_STR("SYS")
                                    : rbl_sid_str(&ctx->account),
                               n, list->sids + list->at);
    if (keys == NULL) {
        return;
    }

    ngx_rbl_batch_records(batch, n, keys);

    if (list->at == 0) {
        ngx_rbl_list_open(ctx, n * family->guess);
    }

    list->at += n;
    ctx->stream->over = list->at == list->n;
}


static void
ngx_rbl_slice_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_list_t          *list;
    const ngx_rbl_family_t  *family;

    list = ctx->data;
    family = ctx->route->family;

    if (i == 0 && family->more && list->read == 0) {
        family->more_read(ctx, reply);
        return;
    }

    if (reply->type != REDIS_REPLY_ARRAY) {
        ngx_rbl_internal(ctx);
        return;
    }

    list->read = 1;
    ngx_rbl_list_write(ctx, rbl_reply_len(reply), reply->element);
}


void
ngx_rbl_list_slices(ngx_rbl_ctx_t *ctx, ngx_rbl_list_t *list)
{
    ngx_uint_t         most;
    ngx_rbl_stream_t  *stream;

    stream = ngx_rbl_stream(ctx);
    if (stream == NULL) {
        return;
    }

    most = ctx->route->family->kind == RBL_SID_PROFILE ? NGX_RBL_SLICE_WIDE
                                                       : NGX_RBL_SLICE_MAX;

    stream->ask = ngx_rbl_slice_ask;
    stream->read = ngx_rbl_slice_read;
    stream->close = ngx_rbl_list_close;

    list->at = 0;
    list->slice = NGX_RBL_SLICE / ngx_max(list->largest, NGX_RBL_LARGE_LEAST);
    list->slice = ngx_min(ngx_max(list->slice, 1), most);
}
