/*
 * Users by their mail address: the index mail:<hash> (rbl_keys.h).  It is a
 * hint; the record of a user says whether the user has the address.
 */

#ifndef _NGX_RBL_MAIL_H_INCLUDED_
#define _NGX_RBL_MAIL_H_INCLUDED_

#include "ngx_rbl_http.h"

#define NGX_RBL_MAIL_USERS  5           /* accounts of one address, at most */

typedef struct {
    rbl_str_t   text;                   /* in lower case; in ctx's pool */
    u_char      digest[32];             /* its SHA-256 */
} ngx_rbl_mail_t;

typedef struct {
    rbl_sid_t   account;
    rbl_sid_t   user;
    ngx_uint_t  confirmed;              /* the address, by the user */
} ngx_rbl_mail_user_t;

/* Reads an address.  NGX_DECLINED: it is none; NGX_ERROR: refused (500). */
ngx_int_t ngx_rbl_mail_parse(ngx_rbl_ctx_t *ctx, ngx_rbl_mail_t *mail,
    rbl_str_t text);

/* Adds a round, after the answer, that puts a user of ctx->account into the
   index, or removes the user from it.  confirmed: when the address was (ms), or
   0.  If the round fails the user is put into it by the next link that is made,
   and an entry that stays is removed by the next session/link. */
void ngx_rbl_mail_add(ngx_rbl_ctx_t *ctx, rbl_str_t mail, rbl_str_t user,
    int64_t confirmed);
void ngx_rbl_mail_remove(ngx_rbl_ctx_t *ctx, rbl_str_t mail, rbl_str_t user);

/* Reads members of the index with their scores, of an account or, if its n is
   0, of all; returns their number.  Those that have confirmed come first. */
ngx_uint_t ngx_rbl_mail_users(ngx_rbl_mail_user_t users[NGX_RBL_MAIL_USERS],
    const redisReply *reply, const rbl_sid_t *account);

/* The member of a user; `buf` has room for it. */
#define NGX_RBL_MAIL_MEMBER  (2 * RBL_SID_LEN + 1)

rbl_str_t ngx_rbl_mail_member(char buf[NGX_RBL_MAIL_MEMBER],
    rbl_str_t account, rbl_str_t user);

#endif /* _NGX_RBL_MAIL_H_INCLUDED_ */
