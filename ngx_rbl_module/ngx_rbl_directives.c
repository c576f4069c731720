/*
 * The command table, and the setters that serve a single directive or several,
 * like those of nginx.  Each refuses a second occurrence, then an invalid
 * value, with one line that names the value and the allowed values; nginx adds
 * file and line.  Merge checks the conditions that concern several directives.
 */

#include "ngx_rbl_module.h"
#include "ngx_rbl_meter.h"
#include "ngx_rbl_status.h"

#include "rbl_validate.h"

#define NGX_RBL_NAME_MAX  64            /* characters */


/* The "post" of ngx_rbl_set_range_slot. */

typedef struct {
    ngx_int_t    min;
    ngx_int_t    max;
    ngx_uint_t   time;                  /* 1: milliseconds; 0: a number */
    const char  *allowed;               /* "it must be ..." */
} ngx_rbl_range_t;

static ngx_rbl_range_t  ngx_rbl_store_timeout = {
    1, 60000, 1, "a time from 1ms to 60s"
};

static ngx_rbl_range_t  ngx_rbl_check_keep = {
    1000, 31536000000, 1, "a time from 1s to 365d"
};

static ngx_rbl_range_t  ngx_rbl_page_size = {
    1, 10000, 0, "a number from 1 to 10000"
};

/* one script handles all addresses of a subnet: more would take over 2 ms */

static ngx_rbl_range_t  ngx_rbl_expand = {
    1, 1024, 0, "a number from 1 to 1024"
};


char *
ngx_rbl_conf_refuse(ngx_conf_t *cf, ngx_command_t *cmd, const char *allowed)
{
    ngx_str_t  *value;

    value = cf->args->elts;

    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                       "invalid value \"%V\" in \"%V\" directive, it must be "
                       "%s", &value[1], &cmd->name, allowed);

    return NGX_CONF_ERROR;
}


/* Checks a name for use in AUTH or in a header: no quotes, no control
   characters. */

static char *
ngx_rbl_set_text_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    size_t      i;
    u_char      ch;
    ngx_str_t  *field, *value;

    field = (ngx_str_t *) ((char *) conf + cmd->offset);
    if (field->data != NULL) {
        return "is duplicate";
    }

    value = cf->args->elts;

    for (i = 0; i < value[1].len; i++) {
        ch = value[1].data[i];

        if (ch < 0x20 || ch == 0x7f || ch == '"' || ch == '\\') {
            break;
        }
    }

    if (i == 0 || i != value[1].len || i > NGX_RBL_TEXT_MAX) {
        return ngx_rbl_conf_refuse(cf, cmd, "1 to 255 characters without "
                                   "quotes, backslashes and control "
                                   "characters");
    }

    *field = value[1];

    return NGX_CONF_OK;
}


/* A number, or a time in milliseconds: both are of the same type. */

static char *
ngx_rbl_set_range_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_int_t         n;
    ngx_str_t        *value;
    ngx_uint_t       *field;
    ngx_rbl_range_t  *range;

    field = (ngx_uint_t *) ((char *) conf + cmd->offset);
    if (*field != NGX_CONF_UNSET_UINT) {
        return "is duplicate";
    }

    value = cf->args->elts;
    range = cmd->post;

    n = range->time ? ngx_parse_time(&value[1], 0)
                    : ngx_atoi(value[1].data, value[1].len);

    if (n == NGX_ERROR || n < range->min || n > range->max) {
        return ngx_rbl_conf_refuse(cf, cmd, range->allowed);
    }

    *field = n;

    return NGX_CONF_OK;
}


/* Sets the URL of a page, to which a fragment can be appended.  Plain http is
   only for the machine itself, as signing in is. */

static char *
ngx_rbl_set_url_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    rbl_str_t   text;
    rbl_url_t   url;
    ngx_str_t  *field, *value;

    field = (ngx_str_t *) ((char *) conf + cmd->offset);
    if (field->data != NULL) {
        return "is duplicate";
    }

    value = cf->args->elts;
    text = ngx_rbl_str(&value[1]);

    if (text.n > NGX_RBL_TEXT_MAX || rbl_url_parse(&url, text) != RBL_OK
        || ngx_strlchr(value[1].data, value[1].data + text.n, '?')
        || text.p[text.n - 1] != '/'
        || (!url.tls && !rbl_str_is(url.host, "127.0.0.1")
            && !rbl_str_is(url.host, "::1")
            && !rbl_str_is(url.host, "localhost")))
    {
        return ngx_rbl_conf_refuse(cf, cmd, "an https URL that ends with "
                                   "\"/\", or an http URL of the machine "
                                   "itself");
    }

    *field = value[1];

    return NGX_CONF_OK;
}


/* The name of who runs the portal, which people read. */

static char *
ngx_rbl_set_name_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    rbl_str_t   text;
    ngx_str_t  *field, *value;

    field = (ngx_str_t *) ((char *) conf + cmd->offset);
    if (field->data != NULL) {
        return "is duplicate";
    }

    value = cf->args->elts;
    text = ngx_rbl_str(&value[1]);

    if (text.n == 0 || !rbl_text_ok(text)
        || rbl_utf8_count(text) > NGX_RBL_NAME_MAX)
    {
        return ngx_rbl_conf_refuse(cf, cmd, "1 to 64 characters in UTF-8");
    }

    *field = value[1];

    return NGX_CONF_OK;
}


/* A path, by which a browser asks this server: "//" would begin another host,
   and so would a backslash. */

static char *
ngx_rbl_set_path_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    size_t      i;
    u_char      ch;
    ngx_str_t  *field, *value;

    field = (ngx_str_t *) ((char *) conf + cmd->offset);
    if (field->data != NULL) {
        return "is duplicate";
    }

    value = cf->args->elts;

    for (i = 0; i < value[1].len; i++) {
        ch = value[1].data[i];

        if (ch <= 0x20 || ch >= 0x7f || ch == '"' || ch == '\\'
            || ch == '<' || ch == '>')
        {
            break;
        }
    }

    if (i < 2 || i != value[1].len || i > NGX_RBL_TEXT_MAX
        || value[1].data[0] != '/' || value[1].data[1] == '/')
    {
        return ngx_rbl_conf_refuse(cf, cmd, "a path of this server, such as "
                                   "/portal/logo.svg");
    }

    *field = value[1];

    return NGX_CONF_OK;
}


/* Checks that a host would be valid in a URL. */

static ngx_int_t
ngx_rbl_host_ok(ngx_conf_t *cf, ngx_str_t *host)
{
    rbl_str_t  text;
    rbl_url_t  url;

    text.n = sizeof("https://") - 1 + host->len;
    text.p = ngx_pnalloc(cf->temp_pool, text.n + 1);

    if (text.p == NULL) {
        return NGX_ERROR;
    }

    ngx_sprintf((u_char *) text.p, "https://%V", host);

    return rbl_url_parse(&url, text) == RBL_OK && url.host.n == host->len
           ? NGX_OK : NGX_DECLINED;
}


/* Sets host names in lower case, as rbl_contact_parse requires. */

static char *
ngx_rbl_set_hosts_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    rbl_str_t     *host;
    ngx_str_t     *value;
    ngx_uint_t     i;
    ngx_array_t  **field;

    field = (ngx_array_t **) ((char *) conf + cmd->offset);
    if (*field != NGX_CONF_UNSET_PTR) {
        return "is duplicate";
    }

    *field = ngx_array_create(cf->pool, cf->args->nelts - 1,
                              sizeof(rbl_str_t));
    if (*field == NULL) {
        return NGX_CONF_ERROR;
    }

    value = cf->args->elts;

    for (i = 1; i < cf->args->nelts; i++) {
        if (ngx_rbl_host_ok(cf, &value[i]) != NGX_OK) {
            value[1] = value[i];        /* shown in the error message */
            return ngx_rbl_conf_refuse(cf, cmd, "a host name without scheme, "
                                       "port and path");
        }

        host = ngx_array_push(*field);
        if (host == NULL) {
            return NGX_CONF_ERROR;
        }

        ngx_strlow(value[i].data, value[i].data, value[i].len);

        *host = ngx_rbl_str(&value[i]);
    }

    return NGX_CONF_OK;
}


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

    if (rlcf->store.password.data != NULL) {
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

    rlcf->store.password.data = ngx_pnalloc(cf->pool, len);
    if (rlcf->store.password.data == NULL) {
        return NGX_CONF_ERROR;
    }

    ngx_memcpy(rlcf->store.password.data, buf, len);
    rlcf->store.password.len = len;
    ngx_explicit_memzero(buf, sizeof(buf));

    return NGX_CONF_OK;
}


static char *
ngx_rbl_set_prefix(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_rbl_loc_conf_t  *rlcf = conf;

    ngx_str_t       *value;
    rbl_keyspace_t   ks;

    if (rlcf->store.prefix.data != NULL) {
        return "is duplicate";
    }

    value = cf->args->elts;

    if (rbl_keyspace_init(&ks, ngx_rbl_str(&value[1])) != RBL_OK) {
        return ngx_rbl_conf_refuse(cf, cmd, "1 to 32 characters of A-Z, "
                                   "a-z, 0-9, _, . and -");
    }

    rlcf->store.prefix = value[1];

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


/*
 * Rows of the table: name, arguments, setter, member that it sets, "post".  A
 * directive is in http, server and location, or in one of them.
 */

#define NGX_RBL_ANY(name, args, set, member, post)                            \
    { ngx_string(name),                                                       \
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|args, set,       \
      NGX_HTTP_LOC_CONF_OFFSET, offsetof(ngx_rbl_loc_conf_t, member), post }

#define NGX_RBL_LOCATION(name, args, set, member, post)                       \
    { ngx_string(name), NGX_HTTP_LOC_CONF|args, set,                          \
      NGX_HTTP_LOC_CONF_OFFSET, offsetof(ngx_rbl_loc_conf_t, member), post }

#define NGX_RBL_HTTP(name, args, set, member, post)                           \
    { ngx_string(name), NGX_HTTP_MAIN_CONF|args, set,                         \
      NGX_HTTP_MAIN_CONF_OFFSET, offsetof(ngx_rbl_main_conf_t, member), post }

ngx_command_t  ngx_rbl_commands[] = {

    NGX_RBL_LOCATION("rbl_api", NGX_CONF_FLAG, ngx_rbl_set_api, api, NULL),
    NGX_RBL_LOCATION("rbl_portal", NGX_CONF_FLAG, ngx_rbl_set_api, portal,
                     NULL),
    NGX_RBL_ANY("rbl_store", NGX_CONF_TAKE1, ngx_rbl_set_store, store.place,
                NULL),
    NGX_RBL_ANY("rbl_store_nodes", NGX_CONF_1MORE, ngx_rbl_set_store_nodes,
                store.map, NULL),
    NGX_RBL_ANY("rbl_store_tls_ca", NGX_CONF_TAKE1, ngx_rbl_set_text_slot,
                store.ca, NULL),
    NGX_RBL_ANY("rbl_store_tls_certificate", NGX_CONF_TAKE1,
                ngx_rbl_set_text_slot, store.cert, NULL),
    NGX_RBL_ANY("rbl_store_tls_key", NGX_CONF_TAKE1, ngx_rbl_set_text_slot,
                store.key, NULL),
    NGX_RBL_ANY("rbl_store_tls_name", NGX_CONF_TAKE1, ngx_rbl_set_text_slot,
                store.tls_name, NULL),
    NGX_RBL_ANY("rbl_store_user", NGX_CONF_TAKE1, ngx_rbl_set_text_slot,
                store.user, NULL),
    NGX_RBL_ANY("rbl_store_password_file", NGX_CONF_TAKE1, ngx_rbl_set_password,
                store.password, NULL),
    NGX_RBL_ANY("rbl_store_timeout", NGX_CONF_TAKE1, ngx_rbl_set_range_slot,
                store.timeout, &ngx_rbl_store_timeout),
    NGX_RBL_ANY("rbl_store_prefix", NGX_CONF_TAKE1, ngx_rbl_set_prefix,
                store.prefix, NULL),
    NGX_RBL_ANY("rbl_realm", NGX_CONF_TAKE1, ngx_rbl_set_text_slot, realm,
                NULL),
    NGX_RBL_ANY("rbl_legacy_errors", NGX_CONF_FLAG, ngx_conf_set_flag_slot,
                legacy_errors, NULL),
    NGX_RBL_ANY("rbl_etag", NGX_CONF_FLAG, ngx_conf_set_flag_slot, etag, NULL),
    NGX_RBL_ANY("rbl_max_page_size", NGX_CONF_TAKE1, ngx_rbl_set_range_slot,
                max_page_size, &ngx_rbl_page_size),
    NGX_RBL_ANY("rbl_max_expand", NGX_CONF_TAKE1, ngx_rbl_set_range_slot,
                max_expand, &ngx_rbl_expand),
    NGX_RBL_ANY("rbl_check_keep", NGX_CONF_TAKE1, ngx_rbl_set_range_slot,
                check_keep, &ngx_rbl_check_keep),
    NGX_RBL_HTTP("rbl_zoneinfo", NGX_CONF_TAKE1, ngx_rbl_set_zoneinfo, zoneinfo,
                 NULL),
    NGX_RBL_HTTP("rbl_zone", NGX_CONF_TAKE2, ngx_rbl_set_zone, shm, NULL),
    NGX_RBL_LOCATION("rbl_status", NGX_CONF_NOARGS|NGX_CONF_TAKE1,
                     ngx_rbl_set_status, status, NULL),
    NGX_RBL_ANY("rbl_slack_hosts", NGX_CONF_1MORE, ngx_rbl_set_hosts_slot,
                contact_hosts[RBL_CONTACT_SLACK], NULL),
    NGX_RBL_ANY("rbl_discord_hosts", NGX_CONF_1MORE, ngx_rbl_set_hosts_slot,
                contact_hosts[RBL_CONTACT_DISCORD], NULL),
    NGX_RBL_ANY("rbl_refuse_zones", NGX_CONF_1MORE, ngx_rbl_set_hosts_slot,
                refuse_zones, NULL),
    NGX_RBL_ANY("rbl_allow_zones", NGX_CONF_1MORE, ngx_rbl_set_hosts_slot,
                allow_zones, NULL),
    NGX_RBL_ANY("rbl_portal_url", NGX_CONF_TAKE1, ngx_rbl_set_url_slot,
                portal_url, NULL),
    NGX_RBL_ANY("rbl_portal_name", NGX_CONF_TAKE1, ngx_rbl_set_name_slot,
                portal_name, NULL),
    NGX_RBL_ANY("rbl_portal_logo", NGX_CONF_TAKE1, ngx_rbl_set_path_slot,
                portal_logo, NULL),
    NGX_RBL_ANY("rbl_portal_user", NGX_CONF_TAKE1, ngx_rbl_set_user,
                portal_user, NULL),
    NGX_RBL_ANY("rbl_portal_trust", NGX_CONF_1MORE, ngx_rbl_set_trust,
                portal_trust, NULL),

    ngx_null_command
};
