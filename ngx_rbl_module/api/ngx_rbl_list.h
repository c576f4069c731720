/*
 * Pages of records: declarations for the calls that read them.
 */

#ifndef _NGX_RBL_LIST_H_INCLUDED_
#define _NGX_RBL_LIST_H_INCLUDED_

#include "ngx_rbl_cache.h"


/* ngx_rbl_api_read.c */

/* The state of these calls; families with their own read functions use it
   too. */

typedef struct {
    int64_t      page;
    int64_t      page_size;
    int64_t      total[NGX_RBL_TOTALS];

    ngx_rbl_page_name_t  name;
    int64_t      stamp;                 /* version stamp of the cached page */
    ngx_uint_t   n;                     /* SIDs of the page */
    rbl_str_t   *sids;
    ngx_uint_t   system;                /* SIDs of system lists, which go
                                           first */
    ngx_uint_t   at;                    /* index of the next slice */
    ngx_uint_t   slice;                 /* records per slice */
    int64_t      largest;               /* octets of the largest record,
                                           about */
    ngx_rbl_progress_t  progress;
    unsigned     bounded:1;             /* which is requested */
    unsigned     read:1;                /* a slice has arrived */
    unsigned     recalled:1;            /* cached SIDs are used */
    unsigned     held:1;                /* cached objects are used */
    unsigned     one:1;                 /* one record, which is a page */
} ngx_rbl_list_t;

/* Reads page and page size from the fields; NGX_DECLINED: refused. */
ngx_int_t ngx_rbl_list_paging(ngx_rbl_ctx_t *ctx, ngx_rbl_list_t *list);

/* Appends the SIDs of a reply to the n of *sids, which has room for as many as
   the reply has; NULL: allocates it.  Skips invalid SIDs, and those of another
   kind, since they would make a key that may not be read. */
void ngx_rbl_list_add_sids(ngx_rbl_ctx_t *ctx, ngx_uint_t *n,
    rbl_str_t **sids, rbl_sid_kind_t kind, const redisReply *reply);

/* Stores a reply that comes before the credentials are checked
   (ngx_rbl_op_t.read). */
void ngx_rbl_list_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply);

/* Answers with one record.  One that cannot be decoded is an internal error. */
void ngx_rbl_one_answer(ngx_rbl_ctx_t *ctx, rbl_str_t raw);


/* ngx_rbl_list_slices.c */

/* The name in the key of the size of the family's largest record; NULL: its
   records are small. */
const char *ngx_rbl_list_bound(const ngx_rbl_ctx_t *ctx);

/* Must the page have fewer records than requested, since they are large?  Then
   NGX_DECLINED: its SIDs are not known yet, and the round trip is repeated. */
ngx_int_t ngx_rbl_list_fits(ngx_rbl_ctx_t *ctx, ngx_rbl_list_t *list);

/* Are n records too many, or too large, for one read? */
ngx_uint_t ngx_rbl_list_large(const ngx_rbl_list_t *list, ngx_uint_t n);

/* Reads and answers the page list->sids in slices. */
void ngx_rbl_list_slices(ngx_rbl_ctx_t *ctx, ngx_rbl_list_t *list);


/* ngx_rbl_list_answer.c */

/* Write the answer: envelope and totals, then objects, then the end. */
void ngx_rbl_list_open(ngx_rbl_ctx_t *ctx, size_t guess);
void ngx_rbl_list_close(ngx_rbl_ctx_t *ctx);

/* Writes the objects of records in the form of the store; nil: deleted
   meanwhile. */
void ngx_rbl_list_write(ngx_rbl_ctx_t *ctx, ngx_uint_t n,
    redisReply *const *record);

/* Writes the whole answer, and caches it if it may be shown again. */
void ngx_rbl_list_answer(ngx_rbl_ctx_t *ctx, ngx_uint_t n,
    redisReply **record);

#endif /* _NGX_RBL_LIST_H_INCLUDED_ */
