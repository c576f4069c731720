/*
 * Lists of records: the prototypes between the calls that read them.
 */

#ifndef _NGX_RBL_LIST_H_INCLUDED_
#define _NGX_RBL_LIST_H_INCLUDED_

#include "ngx_rbl_cache.h"


/* ngx_rbl_api_read.c, and ngx_rbl_api_one.c */

/* The state of its calls; a family that reads otherwise uses it too. */

typedef struct {
    int64_t      page;
    int64_t      page_size;
    int64_t      total[NGX_RBL_TOTALS];

    ngx_rbl_page_name_t  name;
    int64_t      stamp;                 /* of what was recalled of the page */
    ngx_uint_t   n;                     /* SIDs of the page */
    rbl_str_t   *sids;
    ngx_uint_t   system;                /* SIDs that are the system's, first */
    ngx_uint_t   at;                    /* of the next slice */
    ngx_uint_t   slice;                 /* records of one */
    int64_t      largest;               /* octets of a record, about */
    ngx_rbl_due_t  due;
    unsigned     bounded:1;             /* which is asked for */
    unsigned     read:1;                /* records of a slice came */
    unsigned     recalled:1;            /* the page's SIDs were not asked for */
    unsigned     held:1;                /* nor its records */
    unsigned     one:1;                 /* one record, which is one page */
} ngx_rbl_list_t;

/* Page and page size. */
extern const ngx_rbl_field_t  ngx_rbl_list_fields[];

/* Both from the fields; NGX_DECLINED: refused. */
ngx_int_t ngx_rbl_list_paging(ngx_rbl_ctx_t *ctx, ngx_rbl_list_t *list);

/* Copies the SIDs of a reply behind the n of *sids, where there is room for as
   many as the reply has; NULL: it is made.  What is none of that kind is left
   out: it would make a key that may not be read. */
void ngx_rbl_list_add_sids(ngx_rbl_ctx_t *ctx, ngx_uint_t *n,
    rbl_str_t **sids, rbl_sid_kind_t kind, const redisReply *reply);

/* Notes a reply that comes before it is known who asks (ngx_rbl_op_t.read). */
void ngx_rbl_list_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply);

void ngx_rbl_one_answer(ngx_rbl_ctx_t *ctx, rbl_str_t raw);


/* ngx_rbl_list_slices.c */

/* Which records of the family may be large: the name in their mark's key; NULL:
   none of them. */
const char *ngx_rbl_list_bound(const ngx_rbl_ctx_t *ctx);

/* Has the page fewer records than were asked for, for they are large?  Then
   NGX_DECLINED: its SIDs are not known yet, and the round is repeated. */
ngx_int_t ngx_rbl_list_fits(ngx_rbl_ctx_t *ctx, ngx_rbl_list_t *list);

/* Are n records too many, or too large, to be read at once? */
ngx_uint_t ngx_rbl_list_large(const ngx_rbl_list_t *list, ngx_uint_t n);

/* Reads and answers the page list->sids in slices. */
void ngx_rbl_list_slices(ngx_rbl_ctx_t *ctx, ngx_rbl_list_t *list);


/* ngx_rbl_list_answer.c */

/* The answer: envelope and totals, then objects, then the end. */
void ngx_rbl_list_open(ngx_rbl_ctx_t *ctx, size_t guess);
void ngx_rbl_list_close(ngx_rbl_ctx_t *ctx);

/* The objects of records as the store has them; nil: one is gone meanwhile. */
void ngx_rbl_list_write(ngx_rbl_ctx_t *ctx, ngx_uint_t n,
    redisReply *const *record);

/* All of it.  What may be shown again is held. */
void ngx_rbl_list_answer(ngx_rbl_ctx_t *ctx, ngx_uint_t n,
    redisReply **record);

#endif /* _NGX_RBL_LIST_H_INCLUDED_ */
