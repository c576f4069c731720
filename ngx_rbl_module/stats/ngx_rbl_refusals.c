/*
 * Queue of error log entries of applications: each refusal is a packed record
 * (schema.txt: refusal).  It holds no secrets: the path without the query, no
 * header, no body.  Bytes of the client are escaped.
 */

#include "ngx_rbl_gather.h"

#include "rbl_mp.h"

#define NGX_RBL_REFUSALS_MAX  4096      /* waiting in a worker */
#define NGX_RBL_REFUSAL_PATH  256       /* bytes of a path before escaping */
#define NGX_RBL_REFUSAL_TEXT  256
#define NGX_RBL_REFUSAL_SIZE  2048      /* fits any record */


void
ngx_rbl_refusals_init(ngx_rbl_refusals_t *all)
{
    ngx_uint_t  i;

    ngx_memzero(all, sizeof(ngx_rbl_refusals_t));

    for (i = 0; i < NGX_RBL_LOG_LANES; i++) {
        ngx_queue_init(&all->lane[i]);
    }
}


void
ngx_rbl_refusals_free(ngx_rbl_refusals_t *all)
{
    ngx_uint_t  i;

    for (i = 0; i < NGX_RBL_LOG_LANES; i++) {
        ngx_rbl_refusals_drop(&all->lane[i]);
        all->length[i] = 0;
    }

    all->total = 0;
}


void
ngx_rbl_refusals_drop(ngx_queue_t *queue)
{
    ngx_queue_t  *q;

    while (!ngx_queue_empty(queue)) {
        q = ngx_queue_head(queue);
        ngx_queue_remove(q);
        ngx_free(ngx_queue_data(q, ngx_rbl_refusal_t, queue));
    }
}


static int
ngx_rbl_refusal_full(rbl_out_t *out)
{
    return -1;
}


static rbl_str_t
ngx_rbl_refusal_cut(const ngx_str_t *text, size_t max)
{
    rbl_str_t  s;

    s.p = (const char *) text->data;
    s.n = ngx_min(text->len, max);

    return s;
}


/* Returns 0 if it does not fit, which cannot happen. */

static size_t
ngx_rbl_refusal_pack(ngx_rbl_ctx_t *ctx, char *buf, size_t size)
{
    size_t               n;
    u_char               path[3 * NGX_RBL_REFUSAL_PATH], *last;
    rbl_out_t            out;
    ngx_http_request_t  *r;

    r = ctx->request;
    n = ngx_min(r->uri.len, NGX_RBL_REFUSAL_PATH);
    last = (u_char *) ngx_escape_uri(path, r->uri.data, n, NGX_ESCAPE_URI);

    out.pos = buf;
    out.end = buf + size;
    out.more = ngx_rbl_refusal_full;
    out.failed = 0;

    rbl_mp_put_array(&out, RBL_REFUSAL__N);
    rbl_mp_put_int(&out, RBL_RECORD_VERSION);
    rbl_mp_put_int(&out, ngx_rbl_now());
    rbl_mp_put_str(&out, ngx_rbl_refusal_cut(&r->method_name, 16));
    rbl_mp_put_str(&out, (rbl_str_t) { (char *) path, last - path });
    rbl_mp_put_int(&out, (int64_t) ctx->run.refusal);
    rbl_mp_put_str(&out, ngx_rbl_refusal_cut(&ctx->message,
                                             NGX_RBL_REFUSAL_TEXT));
    rbl_mp_put_str(&out, ngx_rbl_refusal_cut(&r->connection->addr_text,
                                             NGX_SOCKADDR_STRLEN));

    return out.failed ? 0 : out.pos - buf;
}


static ngx_uint_t
ngx_rbl_refusals_lane(const char *app)
{
    return ngx_murmur_hash2((u_char *) app, RBL_SID_LEN) % NGX_RBL_LOG_LANES;
}


static void
ngx_rbl_refusals_remove(ngx_rbl_refusals_t *all, ngx_uint_t lane)
{
    ngx_queue_t  *q;

    q = ngx_queue_head(&all->lane[lane]);
    ngx_queue_remove(q);
    ngx_free(ngx_queue_data(q, ngx_rbl_refusal_t, queue));

    all->length[lane]--;
    all->total--;
    ngx_rbl_meter->unlogged++;
}


static void
ngx_rbl_refusals_room(ngx_rbl_refusals_t *all, ngx_uint_t lane)
{
    ngx_uint_t  i, longest;

    if (all->length[lane] >= NGX_RBL_LOG_MAX) {
        ngx_rbl_refusals_remove(all, lane);
        return;
    }

    if (all->total < NGX_RBL_REFUSALS_MAX) {
        return;
    }

    for (i = 1, longest = 0; i < NGX_RBL_LOG_LANES; i++) {
        if (all->length[i] > all->length[longest]) {
            longest = i;
        }
    }

    ngx_rbl_refusals_remove(all, longest);
}


void
ngx_rbl_refusals_add(ngx_rbl_refusals_t *all, ngx_rbl_ctx_t *ctx)
{
    char                buf[NGX_RBL_REFUSAL_SIZE];
    size_t              len;
    ngx_uint_t          lane;
    ngx_rbl_refusal_t  *refusal;

    len = ngx_rbl_refusal_pack(ctx, buf, sizeof(buf));
    if (len == 0) {
        ngx_rbl_meter->unlogged++;
        return;
    }

    refusal = ngx_alloc(offsetof(ngx_rbl_refusal_t, data) + len,
                        ctx->request->connection->log);
    if (refusal == NULL) {
        ngx_rbl_meter->unlogged++;
        return;
    }

    ngx_memcpy(refusal->account, ctx->account.s, RBL_SID_LEN);
    ngx_memcpy(refusal->app, ctx->app.s, RBL_SID_LEN);
    ngx_memcpy(refusal->data, buf, len);
    refusal->len = len;

    lane = ngx_rbl_refusals_lane(refusal->app);
    ngx_rbl_refusals_room(all, lane);
    ngx_queue_insert_tail(&all->lane[lane], &refusal->queue);
    all->length[lane]++;
    all->total++;
}


/* The first refusal of a lane that fits; or NULL. */

static ngx_rbl_refusal_t *
ngx_rbl_refusals_first(ngx_queue_t *lane, const ngx_rbl_fits_t *fits)
{
    ngx_queue_t        *q;
    ngx_rbl_refusal_t  *refusal;

    for (q = ngx_queue_head(lane); q != ngx_queue_sentinel(lane);
         q = ngx_queue_next(q))
    {
        refusal = ngx_queue_data(q, ngx_rbl_refusal_t, queue);

        if (fits->is(fits->data, refusal->account)) {
            return refusal;
        }
    }

    return NULL;
}


ngx_uint_t
ngx_rbl_refusals_take(ngx_rbl_refusals_t *all, const ngx_rbl_fits_t *fits,
    ngx_queue_t *queue, ngx_uint_t n)
{
    ngx_uint_t          i, taken;
    ngx_queue_t        *q, *next;
    ngx_rbl_refusal_t  *first, *refusal;

    first = NULL;

    for (i = 0; i < NGX_RBL_LOG_LANES && all->total > 0; i++) {
        first = ngx_rbl_refusals_first(&all->lane[i], fits);

        if (first != NULL) {
            break;
        }
    }

    if (first == NULL) {
        return 0;
    }

    taken = 0;

    for (q = &first->queue;
         q != ngx_queue_sentinel(&all->lane[i]) && taken < n;
         q = next)
    {
        next = ngx_queue_next(q);
        refusal = ngx_queue_data(q, ngx_rbl_refusal_t, queue);

        if (ngx_memcmp(refusal->app, first->app, RBL_SID_LEN) == 0
            && ngx_memcmp(refusal->account, first->account, RBL_SID_LEN) == 0)
        {
            ngx_queue_remove(q);
            ngx_queue_insert_tail(queue, q);
            taken++;
        }
    }

    all->length[i] -= taken;
    all->total -= taken;

    return taken;
}
