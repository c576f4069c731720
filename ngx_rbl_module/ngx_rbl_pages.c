/*
 * What pages held when they were last read, so that the next read of one can
 * ask for its records without waiting for its SIDs: clients read the same pages
 * again and again, and hosts come and go rarely.
 *
 * It is a guess and used as one: the SIDs are asked for all the same, in the
 * same round, and the records are used only if the SIDs are those.  So a page
 * that was taken for another costs a round, and can never be answered wrong.
 *
 * The table is the worker's own and has no end of life; a slot holds one page,
 * and the last one read takes it.
 */

#include "ngx_rbl_http.h"


#define NGX_RBL_PAGES  512


typedef struct {
    uint32_t   name;                    /* ngx_rbl_page_name; 0: empty */
    uint32_t   n;
    char       sids[NGX_RBL_PAGE_SIDS][RBL_SID_LEN];
} ngx_rbl_page_t;


static ngx_rbl_page_t  ngx_rbl_pages[NGX_RBL_PAGES];


uint32_t
ngx_rbl_page_name(const rbl_sid_t *account, const char *index, int64_t first,
    int64_t size)
{
    u_char    buf[RBL_SID_MAX + 2 * NGX_INT64_LEN + 16], *last;
    uint32_t  name;

    last = ngx_snprintf(buf, sizeof(buf), "%s %s %L %L", account->s, index,
                        first, size);
    name = ngx_murmur_hash2(buf, last - buf);

    return name ? name : 1;
}


ngx_uint_t
ngx_rbl_page_recall(uint32_t name, rbl_str_t *sids)
{
    ngx_uint_t       i;
    ngx_rbl_page_t  *page;

    page = &ngx_rbl_pages[name % NGX_RBL_PAGES];

    if (page->name != name) {
        return 0;
    }

    for (i = 0; i < page->n; i++) {
        sids[i].p = page->sids[i];
        sids[i].n = RBL_SID_LEN;
    }

    return page->n;
}


void
ngx_rbl_page_keep(uint32_t name, ngx_uint_t n, const rbl_str_t *sids)
{
    ngx_uint_t       i;
    ngx_rbl_page_t  *page;

    page = &ngx_rbl_pages[name % NGX_RBL_PAGES];

    if (n > NGX_RBL_PAGE_SIDS) {
        n = 0;
    }

    page->name = name;
    page->n = n;

    for (i = 0; i < n; i++) {
        ngx_memcpy(page->sids[i], sids[i].p, RBL_SID_LEN);
    }
}
