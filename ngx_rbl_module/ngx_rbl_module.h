/*
 * Root of the module: its directives and variables, and the way of a request
 * through the folders.
 */

#ifndef _NGX_RBL_MODULE_H_INCLUDED_
#define _NGX_RBL_MODULE_H_INCLUDED_

#include "ngx_rbl_http.h"


/* ngx_rbl_directives.c */
extern ngx_command_t  ngx_rbl_commands[];

#define NGX_RBL_TEXT_MAX  255           /* bytes of a text in a directive */

/* Reports that the directive's first value "must be ..." and returns
   NGX_CONF_ERROR. */
char *ngx_rbl_conf_refuse(ngx_conf_t *cf, ngx_command_t *cmd,
    const char *allowed);


/* ngx_rbl_place.c */
char *ngx_rbl_set_store(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_rbl_set_store_nodes(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/* Sets the store that is used without rbl_store.  NULL, or an error. */
const char *ngx_rbl_place_default(ngx_conf_t *cf, ngx_rbl_loc_conf_t *rlcf);

/* Makes the TLS context of a store, if it has one. */
char *ngx_rbl_place_tls(ngx_conf_t *cf, ngx_rbl_store_conf_t *store);


/* ngx_rbl_doors.c: the directives of the identity that nginx vouches for */
char *ngx_rbl_set_user(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_rbl_set_trust(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/* Merges them, and refuses a variable that any client could set. */
char *ngx_rbl_merge_user(ngx_conf_t *cf, ngx_rbl_loc_conf_t *prev,
    ngx_rbl_loc_conf_t *conf);


/* ngx_rbl_routes.c: the table of all calls */
extern const ngx_rbl_route_t  ngx_rbl_calls[];


/* ngx_rbl_variables.c */
ngx_int_t ngx_rbl_add_variables(ngx_conf_t *cf);


/* ngx_rbl_request.c */

/* The content handler; installed by rbl_api and rbl_portal. */
ngx_int_t ngx_rbl_handler(ngx_http_request_t *r);

/* Sends ctx->batch and waits; notices a client that closes its connection. */
void ngx_rbl_wait(ngx_rbl_ctx_t *ctx);

/* To be called first when that batch has ended, by the event loop. */
void ngx_rbl_waited(ngx_rbl_ctx_t *ctx);

/* Cancels the rounds: no callback follows.  May be called again. */
void ngx_rbl_round_cancel(ngx_rbl_ctx_t *ctx);

/* Refuses with 503, or with 429 if the account itself is too busy.  `rc`
   determines whether the change may have been made. */
void ngx_rbl_unavailable(ngx_rbl_ctx_t *ctx, ngx_rbl_store_rc_e rc);

/* Sends the response or refusal and ends the request, which frees ctx. */
void ngx_rbl_finish(ngx_rbl_ctx_t *ctx);


/* ngx_rbl_stream.c */

/* Sends the response of ctx->stream, and finalizes the request itself. */
void ngx_rbl_stream_begin(ngx_rbl_ctx_t *ctx);

#endif /* _NGX_RBL_MODULE_H_INCLUDED_ */
