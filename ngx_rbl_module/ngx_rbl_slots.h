/*
 * Setters of directives.  Each refuses a second occurrence, then an invalid
 * value, with one line that names the value and the allowed values; nginx adds
 * file and line.
 */

#ifndef NGX_RBL_SLOTS_H_INCLUDED
#define NGX_RBL_SLOTS_H_INCLUDED

#include <ngx_config.h>
#include <ngx_core.h>

#define NGX_RBL_TEXT_MAX  255

/* The "post" of a number or of a time, which is in milliseconds. */
typedef struct {
    ngx_int_t    min;
    ngx_int_t    max;
    const char  *allowed;               /* "it must be ..." */
} ngx_rbl_range_t;

/* ngx_str_t, ngx_uint_t, ngx_msec_t, ngx_array_t * of rbl_str_t */
char *ngx_rbl_set_text_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_rbl_set_number_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_rbl_set_time_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_rbl_set_url_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_rbl_set_hosts_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/* Reports that the directive's first value "must be ..." and returns
   NGX_CONF_ERROR. */
char *ngx_rbl_conf_refuse(ngx_conf_t *cf, ngx_command_t *cmd,
    const char *allowed);

#endif /* NGX_RBL_SLOTS_H_INCLUDED */
