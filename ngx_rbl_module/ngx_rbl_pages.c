/*
 * What pages held when they were last read, so that the next read of one can
 * ask for its records without asking for its SIDs: clients read the same pages
 * again and again, and hosts come and go rarely.
 *
 * Of hosts and listings the account's totals come with the records, and tell
 * the stamp of the index: if it is the one that was kept with the page, that is
 * the same.  It is read before the page, so a page that changes in between
 * is kept under a stamp that is over.  Of other families the SIDs are asked for
 * all the same, in the same round.  So a page that was remembered wrongly costs
 * a round, and is never answered.
 *
 * The table is the worker's own and has no end of life; a slot holds one page,
 * and the last one read takes it.
 */

#include "ngx_rbl_list.h"

#include "rbl_hash.h"


#define NGX_RBL_PAGES  2048


typedef struct {
    const ngx_rbl_store_t  *store;      /* NULL: empty */
    const char             *index;
    int64_t                 first;
    int64_t                 size;
    int64_t                 stamp;
    uint32_t                n;
    char                    account[RBL_SID_LEN];
    char                    sids[NGX_RBL_PAGE_SIDS][RBL_SID_LEN];
} ngx_rbl_page_t;


static ngx_rbl_page_t  ngx_rbl_pages[NGX_RBL_PAGES];


static ngx_rbl_page_t *
ngx_rbl_page_slot(const ngx_rbl_page_name_t *name)
{
    uint64_t   seed;
    rbl_str_t  account;

    account.p = name->account->s;
    account.n = RBL_SID_LEN;

    seed = (uint64_t) name->first ^ (uint64_t) name->size << 40
           ^ (uintptr_t) name->index;

    return &ngx_rbl_pages[rbl_hash(account, seed) % NGX_RBL_PAGES];
}


ngx_uint_t
ngx_rbl_page_recall(const ngx_rbl_page_name_t *name, int64_t *stamp,
    rbl_str_t *sids)
{
    ngx_uint_t       i;
    ngx_rbl_page_t  *page;

    page = ngx_rbl_page_slot(name);

    if (page->store != name->store || page->index != name->index
        || page->first != name->first || page->size != name->size
        || ngx_memcmp(page->account, name->account->s, RBL_SID_LEN) != 0)
    {
        return 0;
    }

    for (i = 0; i < page->n; i++) {
        sids[i].p = page->sids[i];
        sids[i].n = RBL_SID_LEN;
    }

    *stamp = page->stamp;

    return page->n;
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

    page->store = name->store;
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
