/*
 * The state of lists that the daemons share, and the results of their test
 * points, as two rounds read them.
 */

#ifndef _NGX_RBL_PORTAL_SHARED_H_INCLUDED_
#define _NGX_RBL_PORTAL_SHARED_H_INCLUDED_

#include "ngx_rbl_session.h"

#include "rbl_list_reason.h"

#define NGX_RBL_DAEMON_MAX  65536       /* octets of its record, at most */


#define NGX_RBL_TESTS       8           /* of ngx_rbl_tests */


/* A finding of daemons at the test points of a list. */
typedef struct {
    ngx_uint_t         found;           /* 1: a daemon found this */
    int64_t            since;           /* of the first of them (ms) */
    rbl_list_reason_t  reason;          /* of the same */
} ngx_rbl_test_t;

typedef struct {
    int64_t          used;              /* of the quota of today */
    int64_t          since, till;       /* it refuses (ms); or 0 */
    int64_t          frozen;            /* since (ms); or 0 */
    int64_t          turned, of;
    ngx_rbl_test_t   test[NGX_RBL_TESTS];
    ngx_uint_t       away;              /* 1: its state is not read */
} ngx_rbl_shared_t;

typedef struct {
    ngx_uint_t         n;
    rbl_str_t         *sids;
    ngx_rbl_shared_t  *shared;
    ngx_uint_t         at;              /* the list of the next state */
    ngx_uint_t         partial;         /* states that are away are left out */
    ngx_uint_t         away;            /* partitions that are away */
    ngx_uint_t         blind;           /* 1: the daemons are not read */
    ngx_uint_t         ndaemons;
    rbl_str_t         *daemons;         /* keys, behind a free element */
} ngx_rbl_lists_t;


/* First round, of a call whose data begin with ngx_rbl_lists_t: adds its first
   read, the names of daemons, unless their partition is away.  A second read,
   if there is one, has the SIDs of the lists. */
void ngx_rbl_shared_prepare(ngx_rbl_ctx_t *ctx);
void ngx_rbl_shared_names(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply);

/* Second round: adds the reads, and returns the batch; NULL: refused.  The
   caller adds one command.  ngx_rbl_shared_read returns 1 if it has read the
   reply, and 0 for the reply of the caller's command. */
ngx_rbl_batch_t *ngx_rbl_shared_ask(ngx_rbl_ctx_t *ctx);
ngx_uint_t ngx_rbl_shared_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply);

/* The second round of a call that answers all lists: adds these reads and the
   records of the lists.  Without lists the answer is an empty array.  A list
   whose state is away is answered as one without a state. */
void ngx_rbl_shared_all(ngx_rbl_ctx_t *ctx);

/* Writes the k-th list. */
typedef void (*ngx_rbl_shared_list_pt)(ngx_rbl_ctx_t *ctx, ngx_uint_t k,
    const rbl_list_t *list);

/* Its `result`: answers an array of what `write` writes.  guess: octets of a
   list in the answer. */
void ngx_rbl_shared_answer(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply, size_t guess, ngx_rbl_shared_list_pt write);

/* Write what all answers have: tests, quota_left, frozen and refusing_till. */
void ngx_rbl_shared_write(ngx_rbl_ctx_t *ctx, const ngx_rbl_shared_t *shared,
    const rbl_list_t *list);

/* ngx_rbl_portal_list.c: the members of a list as `list` answers them. */
void ngx_rbl_list_members(ngx_rbl_ctx_t *ctx, const rbl_list_t *list,
    const ngx_rbl_shared_t *shared);

void ngx_rbl_time_write(ngx_rbl_ctx_t *ctx, const char *key, int64_t at);

#endif /* _NGX_RBL_PORTAL_SHARED_H_INCLUDED_ */
