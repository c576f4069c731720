/*
 * Setters that serve several directives, like those of nginx.
 */

#include "ngx_rbl_module.h"
#include "ngx_rbl_slots.h"

#include "rbl_validate.h"


/* Checks a name for use in AUTH or in a header: no quotes, no control
   characters. */

char *
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


char *
ngx_rbl_set_number_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
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

    n = ngx_atoi(value[1].data, value[1].len);
    if (n == NGX_ERROR || n < range->min || n > range->max) {
        return ngx_rbl_conf_refuse(cf, cmd, range->allowed);
    }

    *field = n;

    return NGX_CONF_OK;
}


char *
ngx_rbl_set_time_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_int_t         n;
    ngx_str_t        *value;
    ngx_msec_t       *field;
    ngx_rbl_range_t  *range;

    field = (ngx_msec_t *) ((char *) conf + cmd->offset);
    if (*field != NGX_CONF_UNSET_MSEC) {
        return "is duplicate";
    }

    value = cf->args->elts;
    range = cmd->post;

    n = ngx_parse_time(&value[1], 0);
    if (n == NGX_ERROR || n < range->min || n > range->max) {
        return ngx_rbl_conf_refuse(cf, cmd, range->allowed);
    }

    *field = n;

    return NGX_CONF_OK;
}


/* Sets the URL of a page, to which a fragment can be appended.  Plain http is
   only for the machine itself, as signing in is. */

char *
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
    text.p = (char *) value[1].data;
    text.n = value[1].len;

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

char *
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

        host->p = (char *) value[i].data;
        host->n = value[i].len;
    }

    return NGX_CONF_OK;
}


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
