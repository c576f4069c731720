/*
 * Limits the memory of large responses of an account in this worker, because a
 * client that does not read keeps its response in memory.  A response in slices
 * waits for its place before the first slice is read.  A response in one piece,
 * which is already in memory, is refused (429).  A place belongs to the request
 * and ends with it.
 *
 * One queue holds the places of all accounts, in the order of their requests.
 * It is short, because large responses are few.
 */

#include "ngx_rbl_stream.h"

#include <assert.h>


#define NGX_RBL_PLACE_WAIT  30000       /* ms */


static ngx_queue_t  ngx_rbl_places;


static ngx_uint_t
ngx_rbl_place_same(const ngx_rbl_place_t *place, const ngx_rbl_ctx_t *ctx)
{
    return place->ctx->store == ctx->store
           && ngx_memcmp(place->ctx->account.s, ctx->account.s, RBL_SID_LEN)
              == 0;
}


/* True if `size` more bytes fit.  An account's only response always fits. */

static ngx_uint_t
ngx_rbl_place_free(const ngx_rbl_ctx_t *ctx, size_t size)
{
    size_t            used;
    ngx_queue_t      *q;
    ngx_rbl_place_t  *place;

    used = 0;

    for (q = ngx_queue_head(&ngx_rbl_places);
         q != ngx_queue_sentinel(&ngx_rbl_places);
         q = ngx_queue_next(q))
    {
        place = ngx_queue_data(q, ngx_rbl_place_t, queue);

        if (!place->waits && ngx_rbl_place_same(place, ctx)) {
            used += place->size;
        }
    }

    return used == 0 || used + size <= NGX_RBL_PLACES_MAX;
}


static void
ngx_rbl_place_refuse(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_refuse(ctx, NGX_HTTP_TOO_MANY_REQUESTS,
                   "Too many large answers at once: %d MiB of them are on "
                   "their way to this account. Please try again.",
                   NGX_RBL_PLACES_MAX / 1048576);
}


/* The request got its place, or has waited too long. */

static void
ngx_rbl_place_event(ngx_event_t *ev)
{
    ngx_rbl_ctx_t    *ctx;
    ngx_rbl_place_t  *place = ev->data;

    ctx = place->ctx;

    if (place->waits) {
        ngx_rbl_place_leave(ctx);
        ngx_rbl_place_refuse(ctx);
    }

    place->handler(ctx);
}


static ngx_rbl_place_t *
ngx_rbl_place_make(ngx_rbl_ctx_t *ctx, size_t size)
{
    ngx_rbl_place_t  *place;

    place = ngx_pcalloc(ctx->request->pool, sizeof(ngx_rbl_place_t));
    if (place == NULL) {
        return NULL;
    }

    place->ctx = ctx;
    place->size = size;
    place->event.data = place;
    place->event.log = ngx_cycle->log;
    place->event.handler = ngx_rbl_place_event;

    return place;
}


ngx_int_t
ngx_rbl_place_take(ngx_rbl_ctx_t *ctx, size_t size,
    void (*handler)(ngx_rbl_ctx_t *ctx))
{
    ngx_rbl_place_t  *place;

    assert(ctx->place == NULL);

    if (ngx_rbl_places.next == NULL) {
        ngx_queue_init(&ngx_rbl_places);
    }

    if (!ngx_rbl_place_free(ctx, size) && handler == NULL) {
        ngx_rbl_place_refuse(ctx);
        return NGX_DECLINED;
    }

    place = ngx_rbl_place_make(ctx, size);
    if (place == NULL) {
        return NGX_ERROR;
    }

    place->waits = !ngx_rbl_place_free(ctx, size);
    place->handler = handler;

    ngx_queue_insert_tail(&ngx_rbl_places, &place->queue);
    ctx->place = place;

    if (!place->waits) {
        return NGX_OK;
    }

    ngx_add_timer(&place->event, NGX_RBL_PLACE_WAIT);

    return NGX_AGAIN;
}


void
ngx_rbl_place_leave(ngx_rbl_ctx_t *ctx)
{
    ngx_queue_t      *q;
    ngx_rbl_place_t  *place;

    place = ctx->place;

    if (place == NULL) {
        return;
    }

    ctx->place = NULL;
    ngx_queue_remove(&place->queue);

    if (place->event.timer_set) {
        ngx_del_timer(&place->event);
    }

    if (place->event.posted) {
        ngx_delete_posted_event(&place->event);
    }

    for (q = ngx_queue_head(&ngx_rbl_places);
         q != ngx_queue_sentinel(&ngx_rbl_places);
         q = ngx_queue_next(q))
    {
        place = ngx_queue_data(q, ngx_rbl_place_t, queue);

        if (!place->waits || !ngx_rbl_place_same(place, ctx)) {
            continue;
        }

        if (!ngx_rbl_place_free(ctx, place->size)) {
            return;
        }

        place->waits = 0;
        ngx_del_timer(&place->event);
        ngx_post_event(&place->event, &ngx_posted_events);
    }
}
