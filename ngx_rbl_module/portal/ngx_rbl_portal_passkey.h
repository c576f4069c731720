/*
 * Passkeys: declarations of the files ngx_rbl_portal_passkey*.c.
 */

#ifndef _NGX_RBL_PORTAL_PASSKEY_H_INCLUDED_
#define _NGX_RBL_PORTAL_PASSKEY_H_INCLUDED_

#include "ngx_rbl_portal.h"
#include "ngx_rbl_write.h"

#include "rbl_passkey.h"

#define NGX_RBL_CHALLENGE_HEX  (2 * RBL_PASSKEY_CHALLENGE)
#define NGX_RBL_HANDLE_LEN     32       /* octets that name a user: the digits
                                           of both SIDs */

/* A challenge as the page gets it, and as the store names it. */
typedef struct {
    char  text[ngx_base64_encoded_length(RBL_PASSKEY_CHALLENGE)];
    char  hex[NGX_RBL_CHALLENGE_HEX];
    size_t  n;                          /* of text */
} ngx_rbl_challenge_t;

/* The site that the browser sees: its origin, and the name that passkeys are
   made for, with the SHA-256 of that. */
typedef struct {
    rbl_str_t  origin;
    rbl_str_t  name;
    u_char     digest[32];
} ngx_rbl_site_t;


/* Sets the site.  NGX_DECLINED: refused, since passkeys cannot be used here. */
ngx_int_t ngx_rbl_passkey_site(ngx_rbl_ctx_t *ctx, ngx_rbl_site_t *site);

/* Makes a challenge.  digest: its first octets choose the partition of the
   challenge of a sign-in, as those of a key by its hash; or NULL.  NGX_ERROR:
   refused. */
ngx_int_t ngx_rbl_challenge_make(ngx_rbl_ctx_t *ctx,
    ngx_rbl_challenge_t *challenge, const u_char *digest);

/* Builds the key of the challenge of a sign-in, by its digits. */
rbl_str_t ngx_rbl_challenge_key(ngx_rbl_ctx_t *ctx, rbl_key_t *key,
    const char hex[NGX_RBL_CHALLENGE_HEX]);

/* Decodes a field of at most `size` octets into ctx's pool.  NGX_DECLINED:
   refused. */
ngx_int_t ngx_rbl_passkey_field(ngx_rbl_ctx_t *ctx, ngx_uint_t field,
    size_t size, rbl_str_t *octets);

/* Sets the SID of the passkey with this credential.  NGX_ERROR: refused. */
ngx_int_t ngx_rbl_passkey_sid(ngx_rbl_ctx_t *ctx, rbl_sid_t *sid,
    rbl_str_t credential);

/* Reads client data of that type and sets hex to the digits of the challenge.
   NGX_DECLINED: wrong; not refused. */
ngx_int_t ngx_rbl_passkey_client(char hex[NGX_RBL_CHALLENGE_HEX],
    rbl_str_t client, const char *type, const ngx_rbl_site_t *site);

/* True if the data are of this site, with a user who was recognized. */
ngx_uint_t ngx_rbl_passkey_right(const rbl_passkey_auth_t *auth,
    const ngx_rbl_site_t *site);

/* Writes octets as base64url. */
void ngx_rbl_passkey_write(ngx_rbl_ctx_t *ctx, const char *key,
    rbl_str_t octets);

#endif /* _NGX_RBL_PORTAL_PASSKEY_H_INCLUDED_ */
