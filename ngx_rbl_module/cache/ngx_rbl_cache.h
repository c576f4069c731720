/*
 * The page cache of a worker, and the version stamps and totals in the store
 * that show whether a page is out of date.
 */

#ifndef _NGX_RBL_CACHE_H_INCLUDED_
#define _NGX_RBL_CACHE_H_INCLUDED_

#include "ngx_rbl_http.h"

#include "rbl_coverage.h"


/* ngx_rbl_pages.c */

#define NGX_RBL_PAGE_SIDS  32           /* larger pages are not cached */

/* Key of a page: store, account, index and range. */
typedef struct {
    const ngx_rbl_store_t  *store;
    const rbl_sid_t        *account;
    const char             *index;      /* of the family; compared as pointer */
    int64_t                 first;
    int64_t                 size;
} ngx_rbl_page_name_t;

/*
 * Returns the number of SIDs that the page had when it was last read, the SIDs,
 * and the stamp of the index at that time.  `sids` has room for
 * NGX_RBL_PAGE_SIDS; they are valid until the next call of this module.
 */
ngx_uint_t ngx_rbl_page_recall(const ngx_rbl_page_name_t *name, int64_t *stamp,
    rbl_str_t *sids);

/* Caches the SIDs of a page, each of RBL_SID_LEN bytes; they are copied.  With
   none or too many SIDs the page is removed from the cache. */
void ngx_rbl_page_keep(const ngx_rbl_page_name_t *name, int64_t stamp,
    ngx_uint_t n, const rbl_str_t *sids);

/*
 * True (NGX_OK) if the objects of the page are cached in JSON, as they were
 * last written, if they still look the same and, once the request is
 * authenticated, if they were cached under the same index stamp and version
 * stamp.  NGX_DECLINED: they are not.
 */
ngx_int_t ngx_rbl_page_held(const ngx_rbl_ctx_t *ctx,
    const ngx_rbl_page_name_t *name, int64_t stamp);

/* Sets ctx->objects to the text of a page that is held, which lives as long as
   the request.  Caching it has paid off.  NGX_ERROR: out of memory. */
ngx_int_t ngx_rbl_page_lend(ngx_rbl_ctx_t *ctx,
    const ngx_rbl_page_name_t *name);

/* Caches a copy of ctx->objects if the page's SIDs are cached under that index
   stamp.  The request has a version stamp.  The objects look the same from
   ctx->shown_from until ctx->shown_until. */
void ngx_rbl_page_hold(const ngx_rbl_ctx_t *ctx,
    const ngx_rbl_page_name_t *name, int64_t stamp);

/* The cached text is out of date. */
void ngx_rbl_page_release(const ngx_rbl_page_name_t *name);

void ngx_rbl_pages_done(void);          /* exit_process, after the stores */

/*
 * True if the text of a page whose records are read is worth caching (if there
 * is a version stamp), or the hosts are worth a stamp: its records were read
 * within the last half second.  Pages that change often are cached less often.
 */
ngx_uint_t ngx_rbl_page_busy(const ngx_rbl_page_name_t *name,
    ngx_uint_t marked);


/* The version stamp of the hosts of an account */

rbl_str_t ngx_rbl_mark_key(const ngx_rbl_ctx_t *ctx, rbl_key_t *key);
void ngx_rbl_mark_read(ngx_rbl_ctx_t *ctx, const redisReply *reply);

/* True if the request found a version stamp. */
ngx_uint_t ngx_rbl_marked(const ngx_rbl_ctx_t *ctx);

/* Sets the version stamp of the account's hosts if there is none.  Does not
   wait. */
void ngx_rbl_mark_set(const ngx_rbl_ctx_t *ctx);


/* SIDs are random, so their digits are a hash. */
static ngx_inline ngx_uint_t
ngx_rbl_account_hash(const ngx_rbl_ctx_t *ctx)
{
    size_t      i;
    ngx_uint_t  n;

    n = 0;

    for (i = RBL_SID_LEN - 4; i < RBL_SID_LEN; i++) {
        n = n * 31 + (u_char) ctx->account.s[i];
    }

    return n;
}


/* ngx_rbl_progress.c: how far the checks of an account have come */

#define NGX_RBL_COVERAGE_NUMBERS  4

typedef struct {
    int64_t     due;                    /* ms: time of the first due check; -1:
                                           none */
    int64_t     number[NGX_RBL_COVERAGE_NUMBERS];
    rbl_str_t   raw;                    /* the record of the coverage, if
                                           `asked`; NULL: none */
    ngx_uint_t  at;                     /* index of the first of its two
                                           commands in the first round, if
                                           `asked` */
    ngx_uint_t  asked;
} ngx_rbl_progress_t;

/* Adds two reads to the first round unless the worker knows both from a recent
   one.  The reply to the first is a first score, `due`. */
void ngx_rbl_progress_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_progress_t *progress);

/* Stores the reply to the second one, or to another read of the coverage. */
void ngx_rbl_progress_coverage(ngx_rbl_ctx_t *ctx,
    ngx_rbl_progress_t *progress, const redisReply *reply);

/* Reads the record of the coverage at `now` (ms); with none, or a damaged one,
   all is 0. */
void ngx_rbl_progress_count(const ngx_rbl_ctx_t *ctx,
    const ngx_rbl_progress_t *progress, rbl_coverage_t *numbers, int64_t now);

/* Writes the fields at the end of a page of hosts; times are seconds, in whole
   minutes. */
void ngx_rbl_progress_write(ngx_rbl_ctx_t *ctx, ngx_rbl_progress_t *progress);


/* ngx_rbl_totals.c */

/* True if the family's totals are in one record with stamps of its indexes. */
ngx_int_t ngx_rbl_totals_stamped(const ngx_rbl_ctx_t *ctx);

/* Reads the totals of another family, one command for each. */
void ngx_rbl_totals_ask(ngx_rbl_ctx_t *ctx);

/* Returns the size of an index, for the totals of a response.  Any other reply
   is refused (500), because it must not read as "nothing listed". */
int64_t ngx_rbl_total(ngx_rbl_ctx_t *ctx, const redisReply *reply);

/* Returns the first score of a WITHSCORES reply; -1 if it is empty.  Any other
   reply is refused (500). */
int64_t ngx_rbl_first_score(ngx_rbl_ctx_t *ctx, const redisReply *reply);

/*
 * Returns the totals of a family that has them in one record.  NGX_DECLINED:
 * the record is missing or damaged; it is made and read again.
 */
ngx_int_t ngx_rbl_totals_known(ngx_rbl_ctx_t *ctx,
    int64_t total[NGX_RBL_TOTALS]);

/* Stores the reply of totals_make for the next round. */
void ngx_rbl_totals_made(ngx_rbl_ctx_t *ctx, const redisReply *reply);

/* Stores the account's totals (ngx_rbl_totals.c) if the reply holds valid
   ones. */
void ngx_rbl_totals_read(ngx_rbl_ctx_t *ctx, const redisReply *reply);

#endif /* _NGX_RBL_CACHE_H_INCLUDED_ */
