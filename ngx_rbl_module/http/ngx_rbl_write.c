/*
 * Writes: reads the fields of a call by its table, sends its script, answers.
 */

#include "ngx_rbl_write.h"


static ngx_int_t
ngx_rbl_write_needed(ngx_rbl_ctx_t *ctx, const ngx_rbl_field_t *field)
{
    if (ngx_rbl_text(ctx, field - ctx->route->op->fields).n > 0) {
        return NGX_OK;
    }

    ngx_rbl_missing(ctx, (char *) field->name.data);

    return NGX_DECLINED;
}


/* Returns the number of SIDs of a list, and the SIDs in canonical form.
   NGX_DECLINED: one is malformed; NGX_ERROR: out of memory (both refused). */

static ngx_int_t
ngx_rbl_sids(ngx_rbl_ctx_t *ctx, const ngx_rbl_field_t *field,
    rbl_str_t **sids)
{
    ngx_int_t   i, n;
    rbl_sid_t  *sid;

    n = ngx_rbl_list(ctx, field - ctx->route->op->fields, sids);

    if (n == NGX_ERROR) {
        return NGX_ERROR;
    }

    sid = ngx_palloc(ctx->request->pool, n * sizeof(rbl_sid_t));

    if (sid == NULL) {
        ngx_rbl_internal(ctx);
        return NGX_ERROR;
    }

    for (i = 0; i < n; i++, sid++) {
        if (rbl_sid_parse(sid, field->kind, (*sids)[i]) != RBL_OK) {
            ngx_rbl_invalid(ctx, (char *) field->name.data);
            return NGX_DECLINED;
        }

        (*sids)[i] = rbl_sid_str(sid);
    }

    return n;
}


static ngx_int_t
ngx_rbl_write_sids(ngx_rbl_ctx_t *ctx, const ngx_rbl_field_t *field)
{
    ngx_int_t               n;
    rbl_str_t              *sids;
    ngx_rbl_write_t        *write;
    const ngx_rbl_value_t  *given;

    write = ctx->data;
    given = ctx->round.given[field - ctx->route->op->fields].first;

    n = 0;
    sids = NULL;

    if (given && (given->next || given->text.n
                  || !(field->flags & NGX_RBL_EMPTY)))
    {
        n = ngx_rbl_sids(ctx, field, &sids);
    }

    if (n > 1 && field->flags & NGX_RBL_ONE) {
        ngx_rbl_invalid(ctx, (char *) field->name.data);
        return NGX_DECLINED;
    }

    if (n < 0) {
        return n;
    }

    if (field->flags & NGX_RBL_ONE) {
        write->argv[field->arg] = n ? sids[0] : RBL_STR("");
        return NGX_OK;
    }

    if (field->arg) {
        write->argv[field->arg] = ngx_rbl_digit(given != NULL);
    }

    write->rest = sids;
    write->n = n;

    return NGX_OK;
}


static ngx_int_t
ngx_rbl_write_text(ngx_rbl_ctx_t *ctx, const ngx_rbl_field_t *field)
{
    rbl_str_t         text;
    ngx_rbl_write_t  *write;

    write = ctx->data;

    if ((field->flags & NGX_RBL_LATER
         && ngx_rbl_write_needed(ctx, field) != NGX_OK)
        || ngx_rbl_judged(ctx, field, &text) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    if (field->flags & NGX_RBL_TOLD) {
        write->argv[field->arg - 1] = ngx_rbl_digit(text.p != NULL);
    }

    if (field->arg && text.p) {
        write->argv[field->arg] = text;

    } else if (field->flags & NGX_RBL_ZERO) {
        write->argv[field->arg] = RBL_STR("0");
    }

    return NGX_OK;
}


ngx_int_t
ngx_rbl_write_fields(ngx_rbl_ctx_t *ctx, size_t size)
{
    int                     i, argc;
    ngx_int_t               rc;
    ngx_rbl_write_t        *write;
    const ngx_rbl_field_t  *f, *fields;

    argc = ctx->route->op->script->argc;
    fields = ctx->route->op->fields;

    write = ngx_rbl_data(ctx, size + argc * sizeof(rbl_str_t));
    if (write == NULL) {
        return NGX_ERROR;
    }

    write->argv = (rbl_str_t *) ((u_char *) write + size);

    for (i = 0; i < argc; i++) {
        write->argv[i] = RBL_STR("");
    }

    for (f = fields; f && f->name.len; f++) {
        if (f->flags & NGX_RBL_NEEDED
            && ngx_rbl_write_needed(ctx, f) != NGX_OK)
        {
            return NGX_DECLINED;
        }
    }

    for (f = fields; f && f->name.len; f++) {
        rc = f->kind ? ngx_rbl_write_sids(ctx, f) : ngx_rbl_write_text(ctx, f);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


void
ngx_rbl_write_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_write_prepare_sized(ctx, sizeof(ngx_rbl_write_t));
}


void
ngx_rbl_write_prepare_sized(ngx_rbl_ctx_t *ctx, size_t size)
{
    ngx_str_t               path;
    const char             *value;
    ngx_rbl_write_t        *write;
    const ngx_rbl_family_t  *family;

    if (ngx_rbl_write_fields(ctx, size) != NGX_OK) {
        return;
    }

    write = ctx->data;
    family = ctx->route->family;
    path = ctx->route->path;
    value = ctx->route->op->value;

    if (path.data[path.len - 1] == '/') {
        (void) ngx_rbl_path_sid(ctx, family->kind, family->resource,
                                &write->id);

    } else if (rbl_sid_make(&write->id, family->kind) != RBL_OK) {
        ngx_rbl_internal(ctx);
    }

    write->argv[NGX_RBL_ARG_ID] = rbl_sid_str(&write->id);

    if (value) {
        write->argv[NGX_RBL_ARG_VALUE] = rbl_str(value);
    }
}


void
ngx_rbl_write_proceed(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t           *argv;
    ngx_rbl_write_t     *write;
    const rbl_script_t  *script;

    script = ctx->route->op->script;
    write = ctx->data;
    argv = write->argv;

    if (write->n) {
        argv = ngx_palloc(ctx->request->pool,
                          (script->argc + write->n) * sizeof(rbl_str_t));
        if (argv == NULL) {
            ngx_rbl_internal(ctx);
            return;
        }

        ngx_memcpy(argv, write->argv, script->argc * sizeof(rbl_str_t));
        ngx_memcpy(argv + script->argc, write->rest,
                   write->n * sizeof(rbl_str_t));
    }

    ngx_rbl_call(ctx, script, script->argc + (int) write->n, argv);
}


void
ngx_rbl_write_added(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    const ngx_rbl_family_t  *family;

    family = ctx->route->family;

    ngx_rbl_open(ctx, family->guess, ctx->route->op->message);

    if (family->write(ctx, "data", rbl_reply_str(rbl_reply_rest(reply)))) {
        ngx_rbl_close(ctx);
    }
}
