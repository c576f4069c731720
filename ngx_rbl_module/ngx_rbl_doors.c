/*
 * rbl_portal_user and rbl_portal_trust: the identity that nginx vouches for.
 *
 * A variable that a client can set is refused: one made of a header, an
 * argument or a cookie without networks that are trusted with it; and
 * $remote_user, which is what the client says, unless auth_basic has checked
 * its password.  The origin of a variable of map, set or another module cannot
 * be seen here.
 */

#include "ngx_rbl_module.h"

#include "rbl_validate.h"


char *
ngx_rbl_set_user(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_rbl_loc_conf_t  *rlcf = conf;

    u_char      ch;
    ngx_str_t  *value, name;
    ngx_uint_t  i;

    if (rlcf->portal_user != NGX_CONF_UNSET) {
        return "is duplicate";
    }

    value = cf->args->elts;
    name = value[1];

    for (i = 1; i < name.len; i++) {
        ch = name.data[i];

        if (!(ch >= 'a' && ch <= 'z') && !(ch >= 'A' && ch <= 'Z')
            && !(ch >= '0' && ch <= '9') && ch != '_')
        {
            break;
        }
    }

    if (i < 2 || i < name.len || name.data[0] != '$') {
        return ngx_rbl_conf_refuse(cf, cmd, "one variable, such as "
                                   "$remote_user");
    }

    name.data++;
    name.len--;

    rlcf->portal_user_name.len = name.len;
    rlcf->portal_user_name.data = ngx_pstrdup(cf->pool, &name);
    rlcf->portal_user = ngx_http_get_variable_index(cf, &name);

    if (rlcf->portal_user_name.data == NULL || rlcf->portal_user == NGX_ERROR) {
        return NGX_CONF_ERROR;
    }

    ngx_strlow(rlcf->portal_user_name.data, rlcf->portal_user_name.data,
               name.len);

    return NGX_CONF_OK;
}


/* The realip module replaces the address of the connection, and keeps it in a
   variable. */

static ngx_int_t
ngx_rbl_trust_realip(ngx_conf_t *cf)
{
    ngx_uint_t            i;
    ngx_rbl_main_conf_t  *rmcf;

    ngx_str_t  name = ngx_string("realip_remote_addr");

    rmcf = ngx_http_conf_get_module_main_conf(cf, ngx_rbl_module);

    for (i = 0; cf->cycle->modules[i]; i++) {
        if (ngx_strcmp(cf->cycle->modules[i]->name, "ngx_http_realip_module")
            == 0)
        {
            rmcf->realip = ngx_http_get_variable_index(cf, &name);
            return rmcf->realip == NGX_ERROR ? NGX_ERROR : NGX_OK;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_rbl_trust_parse(rbl_subnet_t *net, ngx_str_t *value)
{
    char       buf[RBL_VALUE_MAX];
    rbl_str_t  text;

    if (rbl_network_parse(buf, &text, ngx_rbl_str(value)) != RBL_OK) {
        return NGX_ERROR;
    }

    ngx_memzero(net, sizeof(rbl_subnet_t));

    return rbl_str_is(text, "unix:") || rbl_subnet_parse(net, text) == RBL_OK
           ? NGX_OK : NGX_ERROR;
}


char *
ngx_rbl_set_trust(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_rbl_loc_conf_t  *rlcf = conf;

    ngx_str_t     *value;
    ngx_uint_t     i;
    rbl_subnet_t  *net;

    if (rlcf->portal_trust != NGX_CONF_UNSET_PTR) {
        return "is duplicate";
    }

    rlcf->portal_trust = ngx_array_create(cf->pool, cf->args->nelts - 1,
                                          sizeof(rbl_subnet_t));

    if (rlcf->portal_trust == NULL || ngx_rbl_trust_realip(cf) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    value = cf->args->elts;

    for (i = 1; i < cf->args->nelts; i++) {
        net = ngx_array_push(rlcf->portal_trust);

        if (net == NULL) {
            return NGX_CONF_ERROR;
        }

        if (ngx_rbl_trust_parse(net, &value[i]) != NGX_OK) {
            value[1] = value[i];        /* shown in the error message */
            return ngx_rbl_conf_refuse(cf, cmd, "an address, a network such "
                                       "as 192.0.2.0/24, or unix:");
        }
    }

    return NGX_CONF_OK;
}


static ngx_uint_t
ngx_rbl_user_begins(const ngx_str_t *name, const char *prefix)
{
    size_t  n;

    n = ngx_strlen(prefix);

    return name->len > n && ngx_strncmp(name->data, prefix, n) == 0;
}


/* True if the client chooses the value. */

static ngx_uint_t
ngx_rbl_user_any(const ngx_str_t *name)
{
    ngx_uint_t  i;

    static ngx_str_t  names[] = {
        ngx_string("args"), ngx_string("query_string"),
        ngx_string("is_args"), ngx_string("uri"),
        ngx_string("document_uri"), ngx_string("request_uri"),
        ngx_string("request_filename"), ngx_string("request"),
        ngx_string("request_body"), ngx_string("request_method"),
        ngx_string("host"), ngx_string("content_type"),
        ngx_string("content_length")
    };

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (name->len == names[i].len
            && ngx_strncmp(name->data, names[i].data, name->len) == 0)
        {
            return 1;
        }
    }

    return ngx_rbl_user_begins(name, "http_")
           || ngx_rbl_user_begins(name, "arg_")
           || ngx_rbl_user_begins(name, "cookie_");
}


/* True if no request gets here whose password was not checked.  The structure
   of the auth_basic module is private; the table of its directives says where
   the realm is. */

static ngx_uint_t
ngx_rbl_user_checked(ngx_conf_t *cf)
{
    u_char                     *basic;
    ngx_uint_t                  i;
    ngx_module_t               *module;
    ngx_command_t              *cmd;
    ngx_http_core_loc_conf_t   *clcf;
    ngx_http_complex_value_t   *realm;

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    if (clcf->satisfy == NGX_HTTP_SATISFY_ANY) {
        return 0;
    }

    for (i = 0; cf->cycle->modules[i]; i++) {
        module = cf->cycle->modules[i];

        if (ngx_strcmp(module->name, "ngx_http_auth_basic_module") != 0) {
            continue;
        }

        basic = ((ngx_http_conf_ctx_t *) cf->ctx)->loc_conf[module->ctx_index];

        for (cmd = module->commands; cmd->name.len; cmd++) {
            if (ngx_strcmp(cmd->name.data, "auth_basic") == 0) {
                realm = *(ngx_http_complex_value_t **) (void *)
                            (basic + cmd->offset);

                /* a realm with variables may be "off" for some requests */

                return realm != NULL && realm != NGX_CONF_UNSET_PTR
                       && realm->lengths == NULL
                       && !(realm->value.len == 3
                            && ngx_strncmp(realm->value.data, "off", 3) == 0);
            }
        }
    }

    return 0;
}


static const char *
ngx_rbl_user_wrong(ngx_conf_t *cf, const ngx_rbl_loc_conf_t *conf)
{
    const ngx_str_t  *name;

    name = &conf->portal_user_name;

    if (conf->portal_trust == NULL && ngx_rbl_user_any(name)) {
        return "any client can set: name the networks of your proxies in "
               "\"rbl_portal_trust\"";
    }

    if (name->len == 11 && ngx_strncmp(name->data, "remote_user", 11) == 0
        && !ngx_rbl_user_checked(cf))
    {
        return "any client can set: it needs \"auth_basic\" without variables "
               "in this location, and no \"satisfy any\"";
    }

    return NULL;
}


char *
ngx_rbl_merge_user(ngx_conf_t *cf, ngx_rbl_loc_conf_t *prev,
    ngx_rbl_loc_conf_t *conf)
{
    const char  *wrong;

    if (conf->portal_user == NGX_CONF_UNSET) {
        conf->portal_user = prev->portal_user;
        conf->portal_user_name = prev->portal_user_name;
    }

    ngx_conf_merge_ptr_value(conf->portal_trust, prev->portal_trust, NULL);

    wrong = conf->portal == 1 && conf->portal_user >= 0
            ? ngx_rbl_user_wrong(cf, conf) : NULL;

    if (wrong) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"rbl_portal_user\" is \"$%V\", which %s",
                           &conf->portal_user_name, wrong);
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}
