/*
 * The caller of an audited script: user or application, address, call and
 * fields.
 */

#include "ngx_rbl_write.h"


/* A list is written with commas, as far as it fits. */

static rbl_str_t
ngx_rbl_by_value(const rbl_value_t *value, char buf[RBL_AUDIT_VALUE])
{
    rbl_str_t  all;

    if (value->next == NULL) {
        return value->text;
    }

    all.p = buf;
    all.n = 0;

    for ( /* void */ ; value; value = value->next) {
        if (value->text.n + 1 > RBL_AUDIT_VALUE - all.n) {
            break;
        }

        if (all.n) {
            buf[all.n++] = ',';
        }

        ngx_memcpy(buf + all.n, value->text.p, value->text.n);
        all.n += value->text.n;
    }

    return all;
}


rbl_str_t
ngx_rbl_by(const ngx_rbl_ctx_t *ctx, rbl_audit_by_t *b, rbl_str_t call,
    const rbl_field_t *fields)
{
    char                buf[RBL_AUDIT_VALUE];
    rbl_by_t            by;
    const rbl_field_t  *f;
    const rbl_value_t  *value;

    by.who = rbl_sid_str(ctx->conf->portal ? &ctx->user.sid : &ctx->app);
    by.name = ctx->mail;
    by.account = rbl_sid_str(&ctx->actor);
    by.from = ngx_rbl_str(&ctx->request->connection->addr_text);
    by.call = call;

    rbl_audit_by(b, &by);

    for (f = fields; f && f->name.n; f++) {
        value = ctx->run.given[f - fields].first;

        if (value != NULL) {
            rbl_audit_field(b, f->name,
                            f->flags & RBL_SECRET
                            ? RBL_AUDIT_SECRET
                            : ngx_rbl_by_value(value, buf));
        }
    }

    return rbl_audit_by_end(b);
}
