/*
 * The page cache.  It keeps the SIDs of the pages that were read last, so that
 * the next request for a page reads its records without reading its SIDs first.
 * Clients read the same pages often, and hosts are rarely added or removed.
 *
 * For hosts and listings, the account's totals are read with the records and
 * hold the stamp of the index.  If this stamp is the one that was cached with
 * the page, the SIDs are valid.  The stamp is read before the page, so a page
 * that changes in between is cached under an outdated stamp.  For other
 * families the SIDs are read in the same round in any case.  A wrong page in
 * the cache thus costs a round, and is never sent.
 *
 * Pages of hosts that are read frequently are also cached as JSON.  The text is
 * valid for the version stamp of the hosts, which is deleted when one of them
 * changes, for the time zone, for the times between which the text looks the
 * same (the period of a listing changes every second), and for the stamp of the
 * index.  It is used only while all of these are the same, and at most for a
 * second, because an operator may change the store by hand.
 *
 * The table belongs to the worker.  The hash of a page chooses a row of four
 * slots; a new page takes the slot of the one that was used least recently.  So
 * many accounts share the table without pushing out each other's pages.  The
 * memory for texts is limited: pages give up their texts in turn.  A cached
 * page that has changed costs an additional round, so a page that changes
 * before its text has paid off is cached less often.
 *
 * The version stamp of an account's hosts is a unique value, which a worker
 * stores when pages of these hosts are read frequently.  Every script that
 * changes the record of a host deletes the stamp in the same step
 * (_unchanged.lua).  If a worker reads the stamp together with records, and
 * later reads the same stamp, the records are unchanged, and it need not read
 * them.
 *
 * A stamp costs a write, so only accounts with frequent reads have one.  It
 * expires when it is not used.
 */

#include "ngx_rbl_cache.h"

#include "rbl_hash.h"

#include <openssl/rand.h>


#define NGX_RBL_PAGES       2048
#define NGX_RBL_PAGE_SLOTS  4           /* of a row */
#define NGX_RBL_PAGES_HELD  (4 * 1024 * 1024)  /* bytes */

#define NGX_RBL_PAGE_HOLDS  1000        /* ms */
#define NGX_RBL_PAGE_AGAIN  500         /* ms between reads of a busy page */
#define NGX_RBL_PAGE_WORTH  3           /* responses that pay for caching a
                                           text */
#define NGX_RBL_PAGE_PAUSE  100         /* ms between texts, and between
                                           stamps */
#define NGX_RBL_PAGE_PAUSE_MAX  5000
#define NGX_RBL_MARK_LASTS   "600"      /* seconds */


/* A response refers to its text until it is sent. */
typedef struct {
    ngx_uint_t              refs;       /* of the page and of responses */
    uint64_t                hash;
    size_t                  n;
    char                    bytes[];
} ngx_rbl_text_t;

typedef struct {
    const ngx_rbl_store_t  *store;      /* NULL: empty */
    uint64_t                used;       /* number of the last use; 0: never */
    ngx_uint_t              epoch;      /* of the store */
    const char             *index;
    int64_t                 first;
    int64_t                 size;
    int64_t                 stamp;
    uint32_t                n;
    char                    account[RBL_SID_LEN];
    char                    sids[NGX_RBL_PAGE_SIDS][RBL_SID_LEN];

    ngx_rbl_text_t         *text;       /* NULL: no text is cached */
    ngx_rbl_mark_t          mark;
    int64_t                 from;       /* ms: the text is valid from */
    int64_t                 until;      /* until */
    const rbl_timezone_t   *timezone;
    ngx_uint_t              shown;      /* number of uses */
    ngx_msec_t              held;       /* time of caching */
    ngx_msec_t              asked;      /* last read of its records */
    ngx_msec_t              marked;
    ngx_msec_t              pause;      /* doubled when caching did not pay
                                           off */
} ngx_rbl_page_t;


static ngx_rbl_page_t  ngx_rbl_pages[NGX_RBL_PAGES];
static size_t          ngx_rbl_pages_held;
static ngx_uint_t      ngx_rbl_pages_next;      /* next page to give up its
                                                   text */
static uint64_t        ngx_rbl_pages_used;


static ngx_int_t
ngx_rbl_page_is(const ngx_rbl_page_t *page, const ngx_rbl_page_name_t *name)
{
    return page->store == name->store
           && page->epoch == ngx_rbl_store_epoch(name->store)
           && page->index == name->index
           && page->first == name->first && page->size == name->size
           && ngx_memcmp(page->account, name->account->s, RBL_SID_LEN) == 0;
}


/* The slot that has the page, else the one that it would take. */
static ngx_rbl_page_t *
ngx_rbl_page_slot(const ngx_rbl_page_name_t *name)
{
    uint64_t         seed;
    rbl_str_t        account;
    ngx_uint_t       i;
    ngx_rbl_page_t  *row, *oldest;

    account.p = name->account->s;
    account.n = RBL_SID_LEN;

    seed = (uint64_t) name->first ^ (uint64_t) name->size << 40
           ^ (uintptr_t) name->index;

    row = &ngx_rbl_pages[rbl_hash(account, seed)
                         % (NGX_RBL_PAGES / NGX_RBL_PAGE_SLOTS)
                         * NGX_RBL_PAGE_SLOTS];
    oldest = row;

    for (i = 0; i < NGX_RBL_PAGE_SLOTS; i++) {
        if (ngx_rbl_page_is(&row[i], name)) {
            return &row[i];
        }

        if (row[i].used < oldest->used) {
            oldest = &row[i];
        }
    }

    return oldest;
}


ngx_uint_t
ngx_rbl_page_recall(const ngx_rbl_page_name_t *name, int64_t *stamp,
    rbl_str_t *sids)
{
    ngx_uint_t       i;
    ngx_rbl_page_t  *page;

    page = ngx_rbl_page_slot(name);

    if (!ngx_rbl_page_is(page, name)) {
        return 0;
    }

    for (i = 0; i < page->n; i++) {
        sids[i].p = page->sids[i];
        sids[i].n = RBL_SID_LEN;
    }

    *stamp = page->stamp;
    page->used = ++ngx_rbl_pages_used;

    return page->n;
}


static void
ngx_rbl_text_release(void *data)
{
    ngx_rbl_text_t  *text = data;

    if (--text->refs == 0) {
        ngx_free(text);
    }
}


static void
ngx_rbl_page_drop(ngx_rbl_page_t *page)
{
    if (page->text == NULL) {
        return;
    }

    ngx_rbl_pages_held -= page->text->n;
    ngx_rbl_text_release(page->text);
    page->text = NULL;

    page->pause = page->shown >= NGX_RBL_PAGE_WORTH ? NGX_RBL_PAGE_PAUSE
                  : ngx_min(page->pause * 2, NGX_RBL_PAGE_PAUSE_MAX);
}


void
ngx_rbl_page_keep(const ngx_rbl_page_name_t *name, int64_t stamp, ngx_uint_t n,
    const rbl_str_t *sids)
{
    ngx_uint_t       i;
    ngx_rbl_page_t  *page;

    page = ngx_rbl_page_slot(name);

    if (n > NGX_RBL_PAGE_SIDS) {
        n = 0;
    }

    ngx_rbl_page_drop(page);

    if (!ngx_rbl_page_is(page, name)) {
        page->asked = ngx_current_msec;
        page->pause = NGX_RBL_PAGE_PAUSE;
    }

    page->used = ++ngx_rbl_pages_used;
    page->store = name->store;
    page->epoch = ngx_rbl_store_epoch(name->store);
    page->index = name->index;
    page->first = name->first;
    page->size = name->size;
    page->stamp = stamp;
    page->n = n;
    ngx_memcpy(page->account, name->account->s, RBL_SID_LEN);

    for (i = 0; i < n; i++) {
        ngx_memcpy(page->sids[i], sids[i].p, RBL_SID_LEN);
    }
}


ngx_int_t
ngx_rbl_page_held(const ngx_rbl_ctx_t *ctx, const ngx_rbl_page_name_t *name,
    int64_t stamp)
{
    int64_t                now;
    const ngx_rbl_page_t  *page;

    page = ngx_rbl_page_slot(name);

    if (page->text == NULL || page->stamp != stamp
        || ngx_current_msec - page->held >= NGX_RBL_PAGE_HOLDS
        || !ngx_rbl_page_is(page, name))
    {
        return NGX_DECLINED;
    }

    now = ngx_rbl_now();

    if (now < page->from || now >= page->until) {
        return NGX_DECLINED;
    }

    if (ctx->round.authenticated
        && (page->timezone != ctx->timezone
            || ngx_memcmp(&page->mark, &ctx->mark, sizeof(ngx_rbl_mark_t))
               != 0))
    {
        return NGX_DECLINED;
    }

    return NGX_OK;
}


ngx_int_t
ngx_rbl_page_lend(ngx_rbl_ctx_t *ctx, const ngx_rbl_page_name_t *name)
{
    ngx_rbl_page_t      *page;
    ngx_pool_cleanup_t  *cleanup;

    page = ngx_rbl_page_slot(name);
    cleanup = ngx_pool_cleanup_add(ctx->request->pool, 0);

    if (cleanup == NULL) {
        return NGX_ERROR;
    }

    cleanup->handler = ngx_rbl_text_release;
    cleanup->data = page->text;
    page->text->refs++;
    page->shown++;

    ctx->objects.p = page->text->bytes;
    ctx->objects.n = page->text->n;
    ctx->objects_hash = page->text->hash;

    return NGX_OK;
}


static void
ngx_rbl_page_room(size_t n)
{
    while (ngx_rbl_pages_held > NGX_RBL_PAGES_HELD - n) {
        ngx_rbl_page_drop(&ngx_rbl_pages[ngx_rbl_pages_next]);
        ngx_rbl_pages_next = (ngx_rbl_pages_next + 1) % NGX_RBL_PAGES;
    }
}


void
ngx_rbl_page_hold(const ngx_rbl_ctx_t *ctx, const ngx_rbl_page_name_t *name,
    int64_t stamp)
{
    rbl_str_t        text = ctx->objects;
    ngx_rbl_page_t  *page;

    page = ngx_rbl_page_slot(name);

    if (!ngx_rbl_page_is(page, name) || page->stamp != stamp || text.n == 0
        || text.n > NGX_RBL_PAGES_HELD)
    {
        return;
    }

    ngx_rbl_page_drop(page);
    ngx_rbl_page_room(text.n);

    page->text = ngx_alloc(sizeof(ngx_rbl_text_t) + text.n,
                           ctx->request->connection->log);

    if (page->text == NULL) {
        return;
    }

    page->text->refs = 1;
    page->text->hash = rbl_hash(text, 0);
    page->text->n = text.n;
    ngx_memcpy(page->text->bytes, text.p, text.n);
    ngx_rbl_pages_held += text.n;

    page->mark = ctx->mark;
    page->from = ctx->shown_from;
    page->until = ctx->shown_until;
    page->timezone = ctx->timezone;
    page->held = ngx_current_msec;
    page->shown = 0;
}


void
ngx_rbl_pages_done(void)
{
    ngx_uint_t  i;

    for (i = 0; i < NGX_RBL_PAGES; i++) {
        ngx_rbl_page_drop(&ngx_rbl_pages[i]);
    }
}


void
ngx_rbl_page_release(const ngx_rbl_page_name_t *name)
{
    ngx_rbl_page_t  *page;

    page = ngx_rbl_page_slot(name);

    if (ngx_rbl_page_is(page, name)) {
        ngx_rbl_page_drop(page);
    }
}


ngx_uint_t
ngx_rbl_page_busy(const ngx_rbl_page_name_t *name, ngx_uint_t marked)
{
    ngx_msec_t       since, last;
    ngx_rbl_page_t  *page;

    page = ngx_rbl_page_slot(name);

    if (!ngx_rbl_page_is(page, name)) {
        return 0;
    }

    since = ngx_current_msec - page->asked;
    last = ngx_current_msec - (marked ? page->held : page->marked);
    page->asked = ngx_current_msec;

    if (since > NGX_RBL_PAGE_AGAIN || last < page->pause) {
        return 0;
    }

    if (!marked) {
        page->marked = ngx_current_msec;
    }

    return 1;
}


/* --- the version stamp --------------------------------------------------- */

rbl_str_t
ngx_rbl_mark_key(const ngx_rbl_ctx_t *ctx, rbl_key_t *key)
{
    return rbl_account_key(key, ngx_rbl_store_keyspace(ctx->store),
                           "unchanged", rbl_sid_str(&ctx->account),
                           RBL_STR(""));
}


void
ngx_rbl_mark_read(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    rbl_str_t  raw;

    raw = rbl_reply_str(reply);

    if (raw.n == sizeof(ngx_rbl_mark_t)) {
        ngx_memcpy(&ctx->mark, raw.p, sizeof(ngx_rbl_mark_t));

    } else {
        ngx_memzero(&ctx->mark, sizeof(ngx_rbl_mark_t));
    }
}


ngx_uint_t
ngx_rbl_marked(const ngx_rbl_ctx_t *ctx)
{
    return (ctx->mark.half[0] | ctx->mark.half[1]) != 0;
}


void
ngx_rbl_mark_set(const ngx_rbl_ctx_t *ctx)
{
    rbl_key_t         key;
    ngx_rbl_mark_t    mark;
    ngx_rbl_batch_t  *batch;

    if (ngx_rbl_store_unwilling(ctx->store)
        || RAND_bytes((u_char *) &mark, sizeof(mark)) != 1)
    {
        return;
    }

    batch = ngx_rbl_batch_create(ctx->store, NULL, NULL, NULL);
    if (batch == NULL) {
        return;
    }

    ngx_rbl_batch_command(batch, RBL_COMMAND("SET",
                          ngx_rbl_mark_key(ctx, &key),
                          RBL_OCTETS(mark.half), RBL_STR("NX"),
                          RBL_STR("EX"), RBL_STR(NGX_RBL_MARK_LASTS)));
    ngx_rbl_batch_optional(batch);
    ngx_rbl_batch_submit(batch);
}
