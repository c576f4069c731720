/* The table of all calls (ngx_rbl_calls.h). */

#include "ngx_rbl_module.h"

#include "ngx_rbl_calls.h"


#define DOCUMENT  NGX_RBL_DOCUMENT
#define PLAIN     NGX_RBL_PLAIN
#define STARTS    NGX_RBL_STARTS
#define DURABLE   NGX_RBL_DURABLE
#define PORTAL    NGX_RBL_PORTAL
#define SIGN_IN   NGX_RBL_SIGN_IN
#define OPEN      NGX_RBL_OPEN
#define VIEWERS   NGX_RBL_VIEWERS
#define SELF      NGX_RBL_SELF
#define HOME      NGX_RBL_HOME
#define OWNERS    NGX_RBL_OWNERS
#define RECENT    NGX_RBL_RECENT
#define ADMINS    NGX_RBL_ADMINS
#define OPERATOR  NGX_RBL_OPERATOR
#define TABLE     NGX_RBL_TABLE

/* A call of no family: the address is NULL. */
#define ngx_rbl_family_none  (*(const ngx_rbl_family_t *) NULL)

#ifndef NGX_RBL_ROUTE
#define NGX_RBL_ROUTE(op, family)  op, family
#endif

#define NGX_RBL_ROW(method, path, name, flags, op, family)                    \
    { ngx_string(path), ngx_string(name), NGX_HTTP_##method, flags,           \
      NGX_RBL_ROUTE(&ngx_rbl_op_##op, &ngx_rbl_family_##family) },

#define NGX_RBL_OP_ROW(method, path, name, flags, operation, family)          \
    { ngx_string(path), ngx_string(name), NGX_HTTP_##method, flags,           \
      NGX_RBL_ROUTE((&(const ngx_rbl_op_t) { .op = &rbl_op_##operation }),    \
                    &ngx_rbl_family_##family) },


const ngx_rbl_route_t  ngx_rbl_calls[] = {

#include "ngx_rbl_calls.h"

    { ngx_null_string, ngx_null_string, 0, 0, NULL, NULL }
};
