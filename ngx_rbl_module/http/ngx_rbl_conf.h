/*
 * Values of the directives (ngx_rbl_directives.c), and the objects that a
 * worker keeps for its configuration.
 */

#ifndef _NGX_RBL_CONF_H_INCLUDED_
#define _NGX_RBL_CONF_H_INCLUDED_

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "ngx_rbl_store.h"
#include "rbl_contact.h"


typedef struct {
    ngx_array_t      stores;    /* ngx_rbl_store_conf_t *, distinct */
    ngx_array_t     *live;      /* ngx_rbl_store_t * of this worker, same order;
                                   made in init_process */
    ngx_pool_t      *pool;      /* pool of the configuration */
    ngx_str_t        zoneinfo;  /* rbl_zoneinfo */
    ngx_rbtree_t     timezones; /* of this worker, by name */
    ngx_rbtree_node_t  timezones_sentinel;
    ngx_uint_t       unknown_timezones;
    ngx_shm_zone_t  *shm;       /* rbl_zone; NULL: not configured */
    ngx_int_t        realip;    /* index of $realip_remote_addr; < 0: none is
                                   needed, or there is no realip module */
} ngx_rbl_main_conf_t;

typedef struct {
    ngx_flag_t    api;                  /* rbl_api */
    ngx_flag_t    portal;               /* rbl_portal */
    ngx_rbl_store_conf_t  store;        /* rbl_store and rbl_store_...; place
                                           NULL: not set */
    ngx_str_t     realm;                /* rbl_realm */
    ngx_flag_t    legacy_errors;        /* rbl_legacy_errors */
    ngx_flag_t    etag;                 /* rbl_etag */
    ngx_uint_t    max_page_size;        /* rbl_max_page_size */
    ngx_uint_t    max_expand;           /* rbl_max_expand */
    ngx_msec_t    check_keep;           /* rbl_check_keep */
    ngx_str_t     portal_url;           /* rbl_portal_url; len 0: none */
    ngx_str_t     portal_name;          /* rbl_portal_name; len 0: none */
    ngx_str_t     portal_logo;          /* rbl_portal_logo; len 0: none */
    ngx_int_t     portal_user;          /* rbl_portal_user: index of the
                                           variable; < 0: none */
    ngx_str_t     portal_user_name;     /* its name, in lower case */
    ngx_array_t  *portal_trust;         /* rbl_portal_trust: of rbl_subnet_t;
                                           RBL_FAMILY_NONE: unix sockets;
                                           NULL: everybody */
    ngx_array_t  *contact_hosts[RBL_CONTACT_TYPES];
                                        /* rbl_slack_hosts and so on: hosts that
                                           a type of contact accepts besides
                                           those of its service, of rbl_str_t */
    ngx_array_t  *refuse_zones;         /* rbl_refuse_zones: of rbl_str_t */
    ngx_array_t  *allow_zones;          /* rbl_allow_zones */
    ngx_str_t     base;                 /* the location's prefix ("/3.0/") */
    ngx_int_t     store_index;          /* into main conf's stores */
    ngx_uint_t    status;               /* rbl_status */
} ngx_rbl_loc_conf_t;

/* Forms of rbl_status. */
#define NGX_RBL_STATUS_OFF         0
#define NGX_RBL_STATUS_JSON        1
#define NGX_RBL_STATUS_PROMETHEUS  2

extern ngx_module_t  ngx_rbl_module;

/* Returns the store of a location in this worker.  NULL: none. */
ngx_rbl_store_t *ngx_rbl_store_of(ngx_http_request_t *r);

#endif /* _NGX_RBL_CONF_H_INCLUDED_ */
