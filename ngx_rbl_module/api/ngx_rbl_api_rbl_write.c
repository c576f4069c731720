/*
 * Changes of custom lists: add, update, pause, resume, delete.  The scripts
 * decide whether a list is a system list, one of the account, or does not
 * exist.
 */

#include "ngx_rbl_api.h"
#include "rbl_own.h"
#include "rbl_query.h"


static int
ngx_rbl_rbl_type(rbl_run_t *run, rbl_str_t *text)
{
    return rbl_str_is(*text, "rbl") || rbl_str_is(*text, "uribl")
           ? NGX_OK : NGX_DECLINED;
}


static void
ngx_rbl_rbl_zones(const ngx_array_t *zones, const rbl_str_t **name, size_t *n)
{
    *name = zones != NULL ? zones->elts : NULL;
    *n = zones != NULL ? zones->nelts : 0;
}


/* Refuses zones that exist only in the resolver of the site. */

static int
ngx_rbl_rbl_zone(rbl_run_t *run, rbl_str_t *text)
{
    char           *buf;
    rbl_str_t       under;
    rbl_own_t       own;
    ngx_str_t       name;
    const char     *why;
    ngx_rbl_ctx_t  *ctx;

    ctx = ngx_rbl_of(run);
    buf = rbl_room(run, RBL_VALUE_MAX);

    if (buf == NULL || rbl_domain_parse(buf, text, *text) != RBL_OK) {
        return NGX_DECLINED;
    }

    ngx_rbl_rbl_zones(ctx->conf->refuse_zones, &own.refuse, &own.n_refuse);
    ngx_rbl_rbl_zones(ctx->conf->allow_zones, &own.allow, &own.n_allow);

    if (rbl_own_ok(&own, *text, &under, &why)) {
        return NGX_OK;
    }

    name.data = (u_char *) under.p;
    name.len = under.n;

    ngx_rbl_refuse(ctx, NGX_HTTP_BAD_REQUEST,
                   "Invalid host value provided. A custom RBL cannot be in "
                   "\"%V\", which %s.", &name, why);

    return NGX_DECLINED;
}


static const rbl_field_t  ngx_rbl_rbl_add_fields[] = {
    RBL_TEXT("type", RBL_NEEDED, ngx_rbl_rbl_type,
             RBL_ARG(rbl_add, type)),
    RBL_TEXT("host", RBL_NEEDED, ngx_rbl_rbl_zone,
             RBL_ARG(rbl_add, zone)),
    RBL_END
};


/* A zone as it is shown, with its key hidden, is compared with that of the list
   by the script. */

static int
ngx_rbl_rbl_zone_again(rbl_run_t *run, rbl_str_t *text)
{
    char  *buf;

    if (text->n > RBL_DOMAIN_MAX
        || !rbl_str_is(rbl_zone_slot(*text), RBL_KEY_HIDDEN))
    {
        return ngx_rbl_rbl_zone(run, text);
    }

    buf = rbl_room(run, RBL_DOMAIN_MAX);
    if (buf == NULL) {
        return NGX_DECLINED;
    }

    ngx_strlow((u_char *) buf, (u_char *) text->p, text->n);
    text->p = buf;

    return NGX_OK;
}


static const rbl_field_t  ngx_rbl_rbl_update_fields[] = {
    RBL_TEXT("type", 0, ngx_rbl_rbl_type, RBL_ARG(rbl_update, type)),
    RBL_TEXT("host", 0, ngx_rbl_rbl_zone_again,
             RBL_ARG(rbl_update, zone)),
    RBL_END
};

const rbl_outcome_t  ngx_rbl_rbl_refusals[] = {
    RBL_UNKNOWN_ID("RBL", "rbl"),
    { "SYSTEM", NGX_HTTP_FORBIDDEN,
      "A system RBL cannot be changed." },
    { "HIDDEN", NGX_HTTP_BAD_REQUEST,
      "Invalid host value provided. Write the key in place of \"****\"." },
    { "EXISTS", NGX_HTTP_CONFLICT,
      "The account has this RBL already." },
    { "LIMIT", NGX_HTTP_CONFLICT,
      "An account may have at most %L custom RBLs." },
    { NULL, 0, NULL }
};


const ngx_rbl_op_t  ngx_rbl_op_rbl_add = {
    .script = &rbl_script_rbl_add,
    .fields = ngx_rbl_rbl_add_fields,
    .result = ngx_rbl_write_added,
    .message = "RBL added successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_rbl_update = {
    .script = &rbl_script_rbl_update,
    .fields = ngx_rbl_rbl_update_fields,
    .message = "RBL updated successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_rbl_pause = {
    .script = &rbl_script_rbl_status,
    .value = "paused",
    .message = "RBL paused successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_rbl_resume = {
    .script = &rbl_script_rbl_status,
    .value = "active",
    .message = "RBL resumed successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_rbl_delete = {
    .script = &rbl_script_rbl_delete,
    .message = "RBL deleted successfully."
};
