/*
 * The command table, and the setters that serve a single directive.  Merge
 * checks the conditions that concern several directives.
 */

#include "ngx_rbl_module.h"
#include "ngx_rbl_slots.h"
#include "ngx_rbl_status.h"
#include "ngx_rbl_shm.h"

#define NGX_RBL_CONTEXTS   (NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF              \
                            |NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1)


static ngx_rbl_range_t  ngx_rbl_store_timeout = {
    1, 60000, "a time from 1ms to 60s"
};

static ngx_rbl_range_t  ngx_rbl_check_keep = {
    1000, 31536000000, "a time from 1s to 365d"
};

static ngx_rbl_range_t  ngx_rbl_page_size = {
    1, 10000, "a number from 1 to 10000"
};

/* one script handles all addresses of a subnet: more would take over 2 ms */

static ngx_rbl_range_t  ngx_rbl_expand = {
    1, 1024, "a number from 1 to 1024"
};


/* rbl_api and rbl_portal: the location serves calls. */

static char *
ngx_rbl_set_api(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_rbl_loc_conf_t  *rlcf = conf;

    char                      *rv;
    ngx_uint_t                 plain;
    ngx_http_core_loc_conf_t  *clcf;

    rv = ngx_conf_set_flag_slot(cf, cmd, conf);
    if (rv != NGX_CONF_OK
        || !*(ngx_flag_t *) ((u_char *) conf + cmd->offset))
    {
        return rv;
    }

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    plain = !clcf->named && !clcf->exact_match && !clcf->noname;
#if (NGX_PCRE)
    plain = plain && clcf->regex == NULL;
#endif

    if (!plain || clcf->name.len == 0
        || clcf->name.data[clcf->name.len - 1] != '/')
    {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"%V\" cannot be used in location \"%V\", it "
                           "must be a plain prefix that ends with \"/\"",
                           &cmd->name, &clcf->name);
        return NGX_CONF_ERROR;
    }

    rlcf->base = clcf->name;
    clcf->handler = ngx_rbl_handler;

    return NGX_CONF_OK;
}


static ssize_t
ngx_rbl_read_file(ngx_conf_t *cf, ngx_str_t *name, u_char *buf, size_t size)
{
    ssize_t          n;
    ngx_fd_t         fd;
    ngx_file_info_t  fi;

    fd = ngx_open_file(name->data, NGX_FILE_RDONLY|NGX_FILE_NONBLOCK,
                       NGX_FILE_OPEN, 0);
    if (fd == NGX_INVALID_FILE) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                           ngx_open_file_n " \"%V\" failed", name);
        return NGX_ERROR;
    }

    if (ngx_fd_info(fd, &fi) != NGX_FILE_ERROR
        && (ngx_file_access(&fi) & S_IROTH))
    {
        ngx_conf_log_error(NGX_LOG_WARN, cf, 0,
                           "\"%V\" is readable by everyone, it should not be",
                           name);
    }

    n = ngx_read_fd(fd, buf, size);
    if (n == -1) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                           ngx_read_fd_n " \"%V\" failed", name);
        n = NGX_ERROR;
    }

    if (ngx_close_file(fd) == NGX_FILE_ERROR) {
        ngx_conf_log_error(NGX_LOG_ALERT, cf, ngx_errno,
                           ngx_close_file_n " \"%V\" failed", name);
    }

    return n;
}


/* Reads the first line of a file, because many users can read
   configurations. */

static char *
ngx_rbl_set_password(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_rbl_loc_conf_t  *rlcf = conf;

    ssize_t     n;
    size_t      len;
    u_char      buf[NGX_RBL_TEXT_MAX + 2];
    ngx_str_t   name, *value;

    if (rlcf->store_password.data != NULL) {
        return "is duplicate";
    }

    value = cf->args->elts;
    name = value[1];

    if (ngx_conf_full_name(cf->cycle, &name, 1) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    n = ngx_rbl_read_file(cf, &name, buf, sizeof(buf));
    if (n == NGX_ERROR) {
        return NGX_CONF_ERROR;
    }

    for (len = 0; len < (size_t) n; len++) {
        if (buf[len] == CR || buf[len] == LF) {
            break;
        }
    }

    if (len == 0 || len > NGX_RBL_TEXT_MAX) {
        ngx_explicit_memzero(buf, sizeof(buf));
        return ngx_rbl_conf_refuse(cf, cmd, "a file whose first line has "
                                   "1 to 255 bytes");
    }

    rlcf->store_password.data = ngx_pnalloc(cf->pool, len);
    if (rlcf->store_password.data == NULL) {
        return NGX_CONF_ERROR;
    }

    ngx_memcpy(rlcf->store_password.data, buf, len);
    rlcf->store_password.len = len;
    ngx_explicit_memzero(buf, sizeof(buf));

    return NGX_CONF_OK;
}


static char *
ngx_rbl_set_prefix(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_rbl_loc_conf_t  *rlcf = conf;

    rbl_str_t        prefix;
    ngx_str_t       *value;
    rbl_keyspace_t   ks;

    if (rlcf->store_prefix.data != NULL) {
        return "is duplicate";
    }

    value = cf->args->elts;
    prefix.p = (char *) value[1].data;
    prefix.n = value[1].len;

    if (rbl_keyspace_init(&ks, prefix) != RBL_OK) {
        return ngx_rbl_conf_refuse(cf, cmd, "1 to 32 characters of A-Z, "
                                   "a-z, 0-9, _, . and -");
    }

    rlcf->store_prefix = value[1];

    return NGX_CONF_OK;
}


static char *
ngx_rbl_set_zoneinfo(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_rbl_main_conf_t  *rmcf = conf;

    ngx_str_t        *value;
    ngx_file_info_t   fi;

    if (rmcf->zoneinfo.data != NULL) {
        return "is duplicate";
    }

    value = cf->args->elts;
    rmcf->zoneinfo = value[1];

    if (ngx_conf_full_name(cf->cycle, &rmcf->zoneinfo, 1) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    if (ngx_file_info(rmcf->zoneinfo.data, &fi) == NGX_FILE_ERROR
        || !ngx_is_dir(&fi))
    {
        return ngx_rbl_conf_refuse(cf, cmd, "a directory");
    }

    return NGX_CONF_OK;
}


ngx_command_t  ngx_rbl_commands[] = {

    { ngx_string("rbl_api"),
      NGX_HTTP_LOC_CONF|NGX_CONF_FLAG,
      ngx_rbl_set_api,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_rbl_loc_conf_t, api),
      NULL },

    { ngx_string("rbl_portal"),
      NGX_HTTP_LOC_CONF|NGX_CONF_FLAG,
      ngx_rbl_set_api,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_rbl_loc_conf_t, portal),
      NULL },

    { ngx_string("rbl_store"),
      NGX_RBL_CONTEXTS,
      ngx_rbl_set_store,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("rbl_store_nodes"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_rbl_set_store_nodes,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("rbl_store_tls_ca"),
      NGX_RBL_CONTEXTS,
      ngx_rbl_set_text_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_rbl_loc_conf_t, store_ca),
      NULL },

    { ngx_string("rbl_store_tls_certificate"),
      NGX_RBL_CONTEXTS,
      ngx_rbl_set_text_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_rbl_loc_conf_t, store_cert),
      NULL },

    { ngx_string("rbl_store_tls_key"),
      NGX_RBL_CONTEXTS,
      ngx_rbl_set_text_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_rbl_loc_conf_t, store_key),
      NULL },

    { ngx_string("rbl_store_tls_name"),
      NGX_RBL_CONTEXTS,
      ngx_rbl_set_text_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_rbl_loc_conf_t, store_tls_name),
      NULL },

    { ngx_string("rbl_store_user"),
      NGX_RBL_CONTEXTS,
      ngx_rbl_set_text_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_rbl_loc_conf_t, store_user),
      NULL },

    { ngx_string("rbl_store_password_file"),
      NGX_RBL_CONTEXTS,
      ngx_rbl_set_password,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("rbl_store_timeout"),
      NGX_RBL_CONTEXTS,
      ngx_rbl_set_time_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_rbl_loc_conf_t, store_timeout),
      &ngx_rbl_store_timeout },

    { ngx_string("rbl_store_prefix"),
      NGX_RBL_CONTEXTS,
      ngx_rbl_set_prefix,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_rbl_loc_conf_t, store_prefix),
      NULL },

    { ngx_string("rbl_realm"),
      NGX_RBL_CONTEXTS,
      ngx_rbl_set_text_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_rbl_loc_conf_t, realm),
      NULL },

    { ngx_string("rbl_legacy_errors"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_FLAG,
      ngx_conf_set_flag_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_rbl_loc_conf_t, legacy_errors),
      NULL },

    { ngx_string("rbl_etag"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_FLAG,
      ngx_conf_set_flag_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_rbl_loc_conf_t, etag),
      NULL },

    { ngx_string("rbl_max_page_size"),
      NGX_RBL_CONTEXTS,
      ngx_rbl_set_number_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_rbl_loc_conf_t, max_page_size),
      &ngx_rbl_page_size },

    { ngx_string("rbl_max_expand"),
      NGX_RBL_CONTEXTS,
      ngx_rbl_set_number_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_rbl_loc_conf_t, max_expand),
      &ngx_rbl_expand },

    { ngx_string("rbl_check_keep"),
      NGX_RBL_CONTEXTS,
      ngx_rbl_set_time_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_rbl_loc_conf_t, check_keep),
      &ngx_rbl_check_keep },

    { ngx_string("rbl_zoneinfo"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_rbl_set_zoneinfo,
      NGX_HTTP_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("rbl_zone"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE2,
      ngx_rbl_set_zone,
      NGX_HTTP_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("rbl_status"),
      NGX_HTTP_LOC_CONF|NGX_CONF_NOARGS|NGX_CONF_TAKE1,
      ngx_rbl_set_status,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("rbl_slack_hosts"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_rbl_set_hosts_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_rbl_loc_conf_t, slack_hosts),
      NULL },

    { ngx_string("rbl_discord_hosts"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_rbl_set_hosts_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_rbl_loc_conf_t, discord_hosts),
      NULL },

    { ngx_string("rbl_refuse_zones"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_rbl_set_hosts_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_rbl_loc_conf_t, refuse_zones),
      NULL },

    { ngx_string("rbl_allow_zones"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_rbl_set_hosts_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_rbl_loc_conf_t, allow_zones),
      NULL },

    { ngx_string("rbl_portal_url"),
      NGX_RBL_CONTEXTS,
      ngx_rbl_set_url_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_rbl_loc_conf_t, portal_url),
      NULL },

    { ngx_string("rbl_portal_user"),
      NGX_RBL_CONTEXTS,
      ngx_rbl_set_user,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("rbl_portal_trust"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_rbl_set_trust,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

      ngx_null_command
};
