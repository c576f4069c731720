/*
 * The page cache of a worker, and the marks, totals and stamps in the store
 * that show whether a page is out of date.
 */

#ifndef _NGX_RBL_CACHE_H_INCLUDED_
#define _NGX_RBL_CACHE_H_INCLUDED_

#include "ngx_rbl_http.h"


/* ngx_rbl_pages.c */

#define NGX_RBL_PAGE_SIDS  32           /* larger pages are not remembered */

/* Which page: of which index of which account in which store. */
typedef struct {
    const ngx_rbl_store_t  *store;
    const rbl_sid_t        *account;
    const char             *index;      /* of the family: the pointer counts */
    int64_t                 first;
    int64_t                 size;
} ngx_rbl_page_name_t;

/*
 * The SIDs that the page held when it was last read, and the index' stamp then;
 * how many.  There is room for NGX_RBL_PAGE_SIDS, and they are to be used at
 * once.
 */
ngx_uint_t ngx_rbl_page_recall(const ngx_rbl_page_name_t *name, int64_t *stamp,
    rbl_str_t *sids);

/* Each of RBL_SID_LEN octets; they are copied.  None, or too many to be kept:
   nothing is recalled from now on. */
void ngx_rbl_page_keep(const ngx_rbl_page_name_t *name, int64_t stamp,
    ngx_uint_t n, const rbl_str_t *sids);

/*
 * The objects of the page in JSON, as they were written last: if they look the
 * same now and, once it is known who asks, are under the index' stamp and the
 * request's mark.  NGX_DECLINED: they are not held.  The text lives until the
 * next call of ngx_rbl_page_keep or ngx_rbl_page_hold.
 */
ngx_int_t ngx_rbl_page_held(const ngx_rbl_ctx_t *ctx,
    const ngx_rbl_page_name_t *name, int64_t stamp, rbl_str_t *text);

/* Copies it, if the page is recalled under that stamp.  The request has a mark;
   its objects look so from ctx->shown_from until ctx->shown_until. */
void ngx_rbl_page_hold(const ngx_rbl_ctx_t *ctx,
    const ngx_rbl_page_name_t *name, int64_t stamp, rbl_str_t text);

/* It was shown, and has paid the more; it is no longer what it was. */
void ngx_rbl_page_shown(const ngx_rbl_page_name_t *name);
void ngx_rbl_page_release(const ngx_rbl_page_name_t *name);

void ngx_rbl_pages_done(void);          /* exit_process, after the stores */

/*
 * Its records are read: is it worth to be held (if there is a mark), or to be
 * marked?  It is where they were read within half a second before; but not as
 * often where that has not paid.
 */
ngx_uint_t ngx_rbl_page_busy(const ngx_rbl_page_name_t *name,
    ngx_uint_t marked);


/* ngx_rbl_mark.c */

rbl_str_t ngx_rbl_mark_key(const ngx_rbl_ctx_t *ctx, rbl_key_t *key);
void ngx_rbl_mark_read(ngx_rbl_ctx_t *ctx, const redisReply *reply);

/* Did the request find one? */
ngx_uint_t ngx_rbl_marked(const ngx_rbl_ctx_t *ctx);

/* Marks the account's hosts, if nobody has; nobody waits for it. */
void ngx_rbl_mark_set(const ngx_rbl_ctx_t *ctx);


/* ngx_rbl_due.c: since when the account's oldest check has been due */

typedef struct {
    int64_t     since;                  /* ms; -1: nothing is due */
    ngx_uint_t  at;                     /* which command of the first round
                                           asks for it, if `asked` */
    ngx_uint_t  asked;
} ngx_rbl_due_t;

/* Asks in the first round, if the worker has not asked lately. */
void ngx_rbl_due_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_due_t *due);
void ngx_rbl_due_read(ngx_rbl_ctx_t *ctx, ngx_rbl_due_t *due,
    const redisReply *reply);

/* The field at the end of a page of hosts: seconds, in whole minutes. */
void ngx_rbl_due_write(ngx_rbl_ctx_t *ctx, const ngx_rbl_due_t *due);


/* ngx_rbl_totals.c */

/* Are the family's totals in one record, with stamps of its indexes? */
ngx_int_t ngx_rbl_totals_stamped(const ngx_rbl_ctx_t *ctx);

/* Asks for those of another family, one command each. */
void ngx_rbl_totals_ask(ngx_rbl_ctx_t *ctx);

/* A size of an index, for the totals of an answer; what is none is refused
   (500): it must not read as "nothing listed". */
int64_t ngx_rbl_total(ngx_rbl_ctx_t *ctx, const redisReply *reply);

/* The first score of a reply WITHSCORES, -1 without one; a reply that is none
   is refused (500). */
int64_t ngx_rbl_first_score(ngx_rbl_ctx_t *ctx, const redisReply *reply);

/*
 * The totals of a family that has them in one record.  NGX_DECLINED: there are
 * none yet, or they cannot be read; they are made, and then asked for again.
 */
ngx_int_t ngx_rbl_totals_known(ngx_rbl_ctx_t *ctx,
    int64_t total[NGX_RBL_TOTALS]);

/* Notes those that totals_make tells, for the next round. */
void ngx_rbl_totals_made(ngx_rbl_ctx_t *ctx, const redisReply *reply);

/* Notes the account's totals (ngx_rbl_totals.c), if the reply is such. */
void ngx_rbl_totals_read(ngx_rbl_ctx_t *ctx, const redisReply *reply);

#endif /* _NGX_RBL_CACHE_H_INCLUDED_ */
