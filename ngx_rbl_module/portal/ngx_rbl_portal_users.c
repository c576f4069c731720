/*
 * The users of an account, for its owners.  A link that signs a user in is made
 * here; the answer has the only copy.
 */

#include "ngx_rbl_mail.h"
#include "ngx_rbl_portal.h"
#include "ngx_rbl_write.h"

#include "rbl_contact.h"
#include "rbl_time.h"


#define NGX_RBL_USER_GUESS  320         /* octets of a user in an answer */


/* A write that makes a link. */

typedef struct {
    ngx_rbl_write_t  write;
    char             field[NGX_RBL_FIELD_LEN];
    u_char           digest[32];
    u_char           link[NGX_RBL_COOKIE_LEN];
} ngx_rbl_user_link_t;


static ngx_int_t
ngx_rbl_user_mail(ngx_rbl_ctx_t *ctx, rbl_str_t *text)
{
    char  *buf;

    buf = ngx_rbl_room(ctx, RBL_CONTACT_MAX);

    if (buf == NULL) {
        return NGX_DECLINED;
    }

    return rbl_contact_parse(buf, text, RBL_CONTACT_EMAIL, *text, NULL, 0)
           == RBL_OK ? NGX_OK : NGX_DECLINED;
}


static ngx_int_t
ngx_rbl_user_role(ngx_rbl_ctx_t *ctx, rbl_str_t *text)
{
    return ngx_rbl_role(*text) != NGX_RBL_ROLE_NONE ? NGX_OK : NGX_DECLINED;
}


static const ngx_rbl_field_t  ngx_rbl_user_add_fields[] = {
    NGX_RBL_TEXT("mail", NGX_RBL_NEEDED, ngx_rbl_user_mail,
                 NGX_RBL_ARG(user_put, mail)),
    NGX_RBL_TEXT("role", NGX_RBL_NEEDED, ngx_rbl_user_role,
                 NGX_RBL_ARG(user_put, role)),
    NGX_RBL_TEXT("name", 0, ngx_rbl_label, NGX_RBL_ARG(user_put, name)),
    NGX_RBL_END
};

static const ngx_rbl_field_t  ngx_rbl_user_role_fields[] = {
    NGX_RBL_TEXT("role", NGX_RBL_NEEDED, ngx_rbl_user_role,
                 NGX_RBL_ARG(user_role, role)),
    NGX_RBL_END
};

static const ngx_rbl_outcome_t  ngx_rbl_user_refusals[] = {
    NGX_RBL_UNKNOWN_ID("USER", "user"),
    { "MAIL", NGX_HTTP_CONFLICT, "Another user has this address." },
    { "LIMIT", NGX_HTTP_CONFLICT, "An account may have at most %L users." },
    { "LAST", NGX_HTTP_CONFLICT,
      "This is the only owner. Please make another user an owner first." },
    { NULL, 0, NULL }
};


const ngx_rbl_family_t  ngx_rbl_family_users = {
    .resource = "user",
    .kind = RBL_SID_USER,
    .refusals = ngx_rbl_user_refusals
};


/* An account has at most a hundred users (user_put). */

static void
ngx_rbl_users_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_ask_range(ctx, "users", 0, -1);
}


static void
ngx_rbl_users_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    size_t      k, n;
    rbl_str_t  *sids;

    n = rbl_reply_len(reply);
    sids = ngx_palloc(ctx->request->pool, n * sizeof(rbl_str_t));

    if (sids == NULL || n == 0) {
        ngx_rbl_internal(ctx);
        return;
    }

    for (k = 0; k < n; k++) {
        sids[k] = rbl_reply_str(rbl_reply_at(reply, k));
    }

    ngx_rbl_next_records(ctx, "user", n, sids);
}


static void
ngx_rbl_user_write(ngx_rbl_ctx_t *ctx, const rbl_user_t *user)
{
    char        time[3][RBL_TIME_LEN];
    rbl_doc_t  *doc;

    doc = &ctx->doc;

    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "id", user->id);
    rbl_doc_str(doc, "mail", user->mail);
    rbl_doc_str(doc, "name", user->name);
    rbl_doc_str(doc, "role", user->role);
    rbl_doc_str(doc, "created", rbl_time_rfc3339(time[0], user->created));
    rbl_doc_str(doc, "seen", rbl_time_rfc3339(time[1], user->seen));
    rbl_doc_str(doc, "confirmed", rbl_time_rfc3339(time[2], user->confirmed));
    rbl_doc_close(doc);
}


static void
ngx_rbl_users_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    size_t      k, n;
    rbl_user_t  user;

    n = rbl_reply_len(reply);

    ngx_rbl_open(ctx, n * NGX_RBL_USER_GUESS, "OK");
    rbl_doc_array(&ctx->doc, "data");

    for (k = 0; k < n; k++) {
        if (rbl_user_decode(&user, rbl_reply_str(rbl_reply_at(reply, k)))
            == RBL_OK)
        {
            ngx_rbl_user_write(ctx, &user);
        }
    }

    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_users = {
    .prepare = ngx_rbl_users_prepare,
    .read = ngx_rbl_users_read,
    .result = ngx_rbl_users_result
};


/* Makes the link, and sets the arguments of the script that it is. */

static void
ngx_rbl_user_secret(ngx_rbl_ctx_t *ctx, ngx_uint_t field, ngx_uint_t digest)
{
    ngx_rbl_user_link_t  *link;

    link = ctx->data;

    if (ctx->refusal
        || ngx_rbl_session_secret(ctx, link->link, link->digest) != NGX_OK)
    {
        return;
    }

    link->write.argv[field] = ngx_rbl_auth_field(link->field, link->digest);
    link->write.argv[digest].p = (char *) link->digest;
    link->write.argv[digest].n = sizeof(link->digest);
}


static void
ngx_rbl_user_add_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_write_t  *write;

    ngx_rbl_write_prepare_sized(ctx, sizeof(ngx_rbl_user_link_t));
    ngx_rbl_user_secret(ctx, NGX_RBL_ARG(user_put, field),
                        NGX_RBL_ARG(user_put, digest));

    if (ctx->refusal == 0) {
        write = ctx->data;
        write->argv[NGX_RBL_ARG(user_put, sure)] = RBL_STR("0");
    }
}


static void
ngx_rbl_user_answer(ngx_rbl_ctx_t *ctx, rbl_str_t mail, int64_t confirmed)
{
    rbl_str_t             text;
    ngx_rbl_user_link_t  *link;

    link = ctx->data;
    text.p = (char *) link->link;
    text.n = NGX_RBL_COOKIE_LEN;

    ngx_rbl_open(ctx, 0, ctx->route->op->message);
    rbl_doc_object(&ctx->doc, "data");
    rbl_doc_str(&ctx->doc, "id", rbl_sid_str(&link->write.id));
    rbl_doc_str(&ctx->doc, "link", text);
    rbl_doc_close(&ctx->doc);
    ngx_rbl_close(ctx);

    ngx_rbl_mail_add(ctx, mail, rbl_sid_str(&link->write.id), confirmed);
}


static void
ngx_rbl_user_added(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_write_t        *write;
    rbl_user_put_reply_t    said;

    write = ctx->data;
    rbl_user_put_reply(&said, reply);

    ngx_rbl_user_answer(ctx, write->argv[NGX_RBL_ARG(user_put, mail)],
                        said.confirmed);
}


const ngx_rbl_op_t  ngx_rbl_op_user_add = {
    .script = &rbl_script_user_put,
    .fields = ngx_rbl_user_add_fields,
    .prepare = ngx_rbl_user_add_prepare,
    .result = ngx_rbl_user_added,
    .message = "User added successfully."
};


static void
ngx_rbl_user_link_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_write_prepare_sized(ctx, sizeof(ngx_rbl_user_link_t));
    ngx_rbl_user_secret(ctx, NGX_RBL_ARG(user_link, field),
                        NGX_RBL_ARG(user_link, digest));
}


static void
ngx_rbl_user_linked(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    rbl_user_link_reply_t  said;

    rbl_user_link_reply(&said, reply);

    ngx_rbl_user_answer(ctx, said.mail, said.confirmed);
}


const ngx_rbl_op_t  ngx_rbl_op_user_link = {
    .script = &rbl_script_user_link,
    .prepare = ngx_rbl_user_link_prepare,
    .result = ngx_rbl_user_linked,
    .message = "Link made successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_user_role = {
    .script = &rbl_script_user_role,
    .fields = ngx_rbl_user_role_fields,
    .message = "Role changed successfully."
};


static void
ngx_rbl_user_deleted(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_write_t          *write;
    rbl_user_delete_reply_t   said;

    write = ctx->data;
    rbl_user_delete_reply(&said, reply);

    ngx_rbl_open(ctx, 0, ctx->route->op->message);
    ngx_rbl_close(ctx);

    ngx_rbl_mail_remove(ctx, said.mail, rbl_sid_str(&write->id));
}


const ngx_rbl_op_t  ngx_rbl_op_user_delete = {
    .script = &rbl_script_user_delete,
    .value = "0",
    .result = ngx_rbl_user_deleted,
    .message = "User deleted successfully."
};
