/*
 * Hosts as they were last written in JSON: to decode a record and write it
 * anew costs ten times as much as to see that it is the same.
 *
 * A row is kept with the octets of the record that it was made of, all of them,
 * and with all else that it shows: the time zone, and between which times it
 * looks so (of a listed host a second).  Only for the same is it written again,
 * so it is never stale and never another host's: a record that has changed has
 * other octets.
 *
 * The table is the worker's own, and part of its configuration as the zones
 * are.  A slot holds one row.  Another host takes it when it was written twice
 * and that one not in between: who reads thousands of pages in turn does not
 * drive out the ones that are read again and again.  Memory for a row is taken
 * when a slot gets its first one, and not given back; longer rows are not kept.
 */

#include "ngx_rbl_cache.h"

#include "rbl_hash.h"


#define NGX_RBL_ROWS      4096
#define NGX_RBL_ROW_SIZE  1536

/*
 * A record begins with its version and its SID: these octets are digits of it,
 * and tell one host from another.
 */
#define NGX_RBL_ROW_DIGITS       16
#define NGX_RBL_ROW_DIGITS_FROM  16


typedef struct {
    const rbl_zone_t  *zone;
    int64_t            from;            /* ms: when it begins to look so, */
    int64_t            until;           /* and ends */
    uint32_t           n_raw;
    uint32_t           n_text;
    ngx_uint_t         listing;         /* is it one? */
    char               bytes[NGX_RBL_ROW_SIZE - 40];    /* record, then text */
} ngx_rbl_row_t;

typedef struct {
    ngx_rbl_row_t     *row;             /* NULL: there never was one */
    uint32_t           host;            /* a hash of its digits, not 0 */
    uint32_t           next;            /* likewise: who takes it if written
                                           once more; or 0 */
} ngx_rbl_row_slot_t;

struct ngx_rbl_rows_s {
    ngx_rbl_row_slot_t  slot[NGX_RBL_ROWS];
};


static ngx_rbl_row_slot_t *ngx_rbl_row_find(ngx_rbl_ctx_t *ctx, rbl_str_t raw,
    uint32_t *host);


/* NULL: of this record no row is kept. */

static ngx_rbl_row_slot_t *
ngx_rbl_row_find(ngx_rbl_ctx_t *ctx, rbl_str_t raw, uint32_t *host)
{
    uint64_t              hash;
    rbl_str_t             digits;
    ngx_rbl_main_conf_t  *rmcf;

    if (ctx->format != NGX_RBL_JSON
        || raw.n < NGX_RBL_ROW_DIGITS_FROM + NGX_RBL_ROW_DIGITS)
    {
        return NULL;
    }

    rmcf = ngx_http_get_module_main_conf(ctx->request, ngx_rbl_module);

    if (rmcf->rows == NULL) {
        rmcf->rows = ngx_pcalloc(rmcf->pool, sizeof(ngx_rbl_rows_t));

        if (rmcf->rows == NULL) {
            return NULL;
        }
    }

    digits.p = raw.p + NGX_RBL_ROW_DIGITS_FROM;
    digits.n = NGX_RBL_ROW_DIGITS;

    hash = rbl_hash(digits, 0);
    *host = (uint32_t) (hash >> 32) | 1;

    return &rmcf->rows->slot[hash % NGX_RBL_ROWS];
}


ngx_int_t
ngx_rbl_row_recall(ngx_rbl_ctx_t *ctx, rbl_str_t raw, rbl_str_t *text,
    ngx_uint_t *listing)
{
    int64_t              now;
    uint32_t             host;
    ngx_rbl_row_t       *row;
    ngx_rbl_row_slot_t  *slot;

    slot = ngx_rbl_row_find(ctx, raw, &host);

    if (slot == NULL || slot->row == NULL || slot->host != host) {
        return NGX_DECLINED;
    }

    slot->next = 0;
    row = slot->row;

    if (row->n_raw != raw.n || row->zone != ctx->zone
        || ngx_memcmp(row->bytes, raw.p, raw.n) != 0)
    {
        return NGX_DECLINED;
    }

    now = ngx_rbl_now();

    if (now < row->from || now >= row->until) {
        return NGX_DECLINED;
    }

    ngx_rbl_row_shown(ctx, row->from, row->until);

    text->p = row->bytes + row->n_raw;
    text->n = row->n_text;
    *listing = row->listing;

    return NGX_OK;
}


void
ngx_rbl_row_shown(ngx_rbl_ctx_t *ctx, int64_t from, int64_t until)
{
    ctx->shown_from = ngx_max(ctx->shown_from, from);
    ctx->shown_until = ngx_min(ctx->shown_until, until);
}


void
ngx_rbl_row_keep(ngx_rbl_ctx_t *ctx, rbl_str_t raw, rbl_str_t text,
    ngx_uint_t listing, int64_t from, int64_t until)
{
    uint32_t              host;
    ngx_rbl_row_t        *row;
    ngx_rbl_row_slot_t   *slot;
    ngx_rbl_main_conf_t  *rmcf;

    slot = ngx_rbl_row_find(ctx, raw, &host);

    if (slot == NULL || raw.n > sizeof(row->bytes)
        || text.n > sizeof(row->bytes) - raw.n)
    {
        return;
    }

    if (slot->host != host && slot->next != host) {
        slot->next = host;
        return;
    }

    if (slot->row == NULL) {
        rmcf = ngx_http_get_module_main_conf(ctx->request, ngx_rbl_module);
        slot->row = ngx_palloc(rmcf->pool, sizeof(ngx_rbl_row_t));

        if (slot->row == NULL) {
            return;
        }
    }

    slot->host = host;
    slot->next = 0;

    row = slot->row;
    row->zone = ctx->zone;
    row->n_raw = raw.n;
    row->n_text = text.n;
    row->listing = listing;
    row->from = from;
    row->until = until;
    ngx_memcpy(row->bytes, raw.p, raw.n);
    ngx_memcpy(row->bytes + raw.n, text.p, text.n);
}
