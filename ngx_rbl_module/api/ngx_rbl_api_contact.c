/*
 * Contacts: how they are read (the family of ngx_rbl_api_read.c), added and
 * updated.  A value is judged and made canonical here (rbl_contact.h); a new
 * contact is pending, and a code is sent to it with the same script.
 */

#include "ngx_rbl_api.h"

#include "rbl_contact.h"
#include "rbl_view.h"


#define NGX_RBL_CONTACT_GUESS  384      /* octets of a contact in an answer */


enum {
    NGX_RBL_CONTACT_VALUE = 0,
    NGX_RBL_CONTACT_TYPE,
    NGX_RBL_CONTACT_SCHEDULE,
    NGX_RBL_CONTACT_GROUP
};

enum {
    NGX_RBL_UPDATE_SCHEDULE = 0,
    NGX_RBL_UPDATE_GROUP
};

typedef struct {
    rbl_sid_t        contact;
    rbl_str_t        type;
    char             buf[RBL_CONTACT_MAX];
    rbl_str_t        value;             /* canonical */
    rbl_str_t        schedule;          /* p NULL: not given */
    rbl_sid_t       *groups;
    ngx_int_t        n;
    ngx_rbl_code_t   code;
} ngx_rbl_contact_t;


static int ngx_rbl_contact_write(ngx_rbl_ctx_t *ctx, rbl_str_t raw);
static int ngx_rbl_contact_render(ngx_rbl_ctx_t *ctx, const char *key,
    rbl_str_t raw);

static void ngx_rbl_contact_add_prepare(ngx_rbl_ctx_t *ctx);
static ngx_int_t ngx_rbl_contact_value(ngx_rbl_ctx_t *ctx,
    ngx_rbl_contact_t *contact);
static ngx_int_t ngx_rbl_contact_schedule(ngx_rbl_ctx_t *ctx,
    ngx_rbl_contact_t *contact, ngx_uint_t field);
static void ngx_rbl_contact_add_proceed(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_contact_add_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply);

static void ngx_rbl_contact_update_prepare(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_contact_update_proceed(ngx_rbl_ctx_t *ctx);


static const ngx_rbl_field_t  ngx_rbl_contact_add_fields[] = {
    { ngx_string("contact"), 0 },
    { ngx_string("type"), 0 },
    { ngx_string("schedule"), 0 },
    { ngx_string("contact_group"), 1 },
    { ngx_null_string, 0 }
};

static const ngx_rbl_field_t  ngx_rbl_contact_update_fields[] = {
    { ngx_string("schedule"), 0 },
    { ngx_string("contact_group"), 1 },
    { ngx_null_string, 0 }
};

const ngx_rbl_outcome_t  ngx_rbl_contact_refusals[] = {
    NGX_RBL_UNKNOWN_ID("CONTACT", "contact"),
    NGX_RBL_INVALID("GROUP", "contact_group"),
    { "GROUPS", NGX_HTTP_CONFLICT,
      "A contact may have at most %L contact groups." },
    NGX_RBL_INVALID("CODE", "authcode"),
    { "PENDING", NGX_HTTP_CONFLICT,
      "The contact is not confirmed yet." },
    { "CONFIRMED", NGX_HTTP_CONFLICT,
      "The contact is confirmed already." },
    { "LOCKED", NGX_HTTP_CONFLICT,
      "Too many wrong codes. Please let a new one be sent." },
    { "LIMIT", NGX_HTTP_CONFLICT,
      "The plan allows at most %L contacts." },
    { "CONTACTS", NGX_HTTP_CONFLICT,
      "An account may have at most %L contacts." },
    { "PLACES", NGX_HTTP_CONFLICT,
      "The contacts of an account may have at most %L contact groups "
      "together." },
    { "CODES", NGX_HTTP_TOO_MANY_REQUESTS,
      "That address was sent many confirmations within the hour. Please "
      "try again later." },
    { "LATER", NGX_HTTP_TOO_MANY_REQUESTS,
      "A confirmation was sent less than a minute ago. Please try again "
      "later." },
    { NULL, 0, NULL }
};


const ngx_rbl_family_t  ngx_rbl_family_contacts = {
    "contact", RBL_SID_CONTACT, "contacts",
    { { "contacts", "total_contacts" }, { NULL, NULL } }, 0,
    NGX_RBL_CONTACT_GUESS, ngx_rbl_contact_write, NULL, NULL, 0
};

const ngx_rbl_op_t  ngx_rbl_op_contact_add = {
    ngx_rbl_contact_add_fields,
    ngx_rbl_contact_add_prepare,
    NULL,
    ngx_rbl_contact_add_proceed,
    ngx_rbl_contact_add_result,
    NULL,
    ngx_rbl_contact_refusals,
    NULL
};

const ngx_rbl_op_t  ngx_rbl_op_contact_update = {
    ngx_rbl_contact_update_fields,
    ngx_rbl_contact_update_prepare,
    NULL,
    ngx_rbl_contact_update_proceed,
    NULL,
    NULL,
    ngx_rbl_contact_refusals,
    "Contact updated successfully."
};


static int
ngx_rbl_contact_write(ngx_rbl_ctx_t *ctx, rbl_str_t raw)
{
    return ngx_rbl_contact_render(ctx, NULL, raw);
}


static int
ngx_rbl_contact_render(ngx_rbl_ctx_t *ctx, const char *key, rbl_str_t raw)
{
    rbl_contact_t  contact;

    if (rbl_contact_decode(&contact, raw) != RBL_OK) {
        ngx_log_error(NGX_LOG_ERR, ctx->request->connection->log, 0,
                      "rbl: a contact record could not be decoded");
        return 0;
    }

    rbl_view_contact(&ctx->doc, key, &contact);

    return 1;
}


static void
ngx_rbl_contact_add_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_uint_t              i;
    ngx_rbl_contact_t      *contact;
    const ngx_rbl_given_t  *group;

    contact = ngx_rbl_data(ctx, sizeof(ngx_rbl_contact_t));
    if (contact == NULL) {
        return;
    }

    for (i = 0; i <= NGX_RBL_CONTACT_SCHEDULE; i++) {
        if (ngx_rbl_text(ctx, i).n == 0) {
            ngx_rbl_missing(ctx,
                          (char *) ngx_rbl_contact_add_fields[i].name.data);
            return;
        }
    }

    if (ngx_rbl_contact_value(ctx, contact) != NGX_OK
        || ngx_rbl_contact_schedule(ctx, contact, NGX_RBL_CONTACT_SCHEDULE)
           != NGX_OK)
    {
        return;
    }

    /* given and empty is as not given: the default group */

    group = &ctx->round.given[NGX_RBL_CONTACT_GROUP];

    if (group->first != group->last || (group->first && group->first->text.n))
    {
        contact->n = ngx_rbl_sids(ctx, NGX_RBL_CONTACT_GROUP, RBL_SID_GROUP,
                                  &contact->groups);
    }
}


static ngx_int_t
ngx_rbl_contact_value(ngx_rbl_ctx_t *ctx, ngx_rbl_contact_t *contact)
{
    rbl_str_t           text;
    ngx_array_t        *hosts;
    rbl_contact_type_t  type;

    text = ngx_rbl_text(ctx, NGX_RBL_CONTACT_VALUE);
    contact->type = ngx_rbl_text(ctx, NGX_RBL_CONTACT_TYPE);

    if (rbl_contact_type(&type, contact->type) != RBL_OK) {
        ngx_rbl_invalid(ctx, "type");
        return NGX_DECLINED;
    }

    hosts = type == RBL_CONTACT_SLACK ? ctx->conf->slack_hosts
            : type == RBL_CONTACT_DISCORD ? ctx->conf->discord_hosts : NULL;

    if (rbl_contact_parse(contact->buf, &contact->value, type, text,
                          hosts ? hosts->elts : NULL, hosts ? hosts->nelts : 0)
        != RBL_OK)
    {
        ngx_rbl_refuse(ctx, NGX_HTTP_BAD_REQUEST,
                       "Invalid contact value provided. Please try again. %s",
                       rbl_contact_expected(type));
        return NGX_DECLINED;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_rbl_contact_schedule(ngx_rbl_ctx_t *ctx, ngx_rbl_contact_t *contact,
    ngx_uint_t field)
{
    contact->schedule = ngx_rbl_text(ctx, field);

    if (contact->schedule.p == NULL
        || rbl_contact_schedule_ok(contact->schedule))
    {
        return NGX_OK;
    }

    ngx_rbl_invalid(ctx, "schedule");

    return NGX_DECLINED;
}


static void
ngx_rbl_contact_add_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_code_t          *code;
    ngx_rbl_contact_t       *contact;
    rbl_contact_add_args_t  *args;

    contact = ctx->data;
    code = &contact->code;

    if (rbl_sid_make(&contact->contact, RBL_SID_CONTACT) != RBL_OK) {
        ngx_rbl_internal(ctx);
        return;
    }

    args = ngx_rbl_args(ctx, sizeof(rbl_contact_add_args_t), contact->n,
                        contact->groups);

    if (args == NULL
        || ngx_rbl_code_make(ctx, code, &contact->contact) != NGX_OK)
    {
        return;
    }

    args->contact = rbl_sid_str(&contact->contact);
    args->type = contact->type;
    args->value = contact->value;
    args->schedule = contact->schedule;
    args->digest = (rbl_str_t) { (char *) code->digest, sizeof(code->digest) };
    args->code = (rbl_str_t) { code->text, sizeof(code->text) };
    args->event = rbl_sid_str(&code->event);

    ngx_rbl_run(ctx, contact_add, args, contact->n);
}


static void
ngx_rbl_contact_add_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    rbl_contact_add_reply_t  said;

    rbl_contact_add_reply(&said, reply);
    ngx_rbl_open(ctx, NGX_RBL_CONTACT_GUESS, "Contact added successfully.");

    if (ngx_rbl_contact_render(ctx, "data", said.record)) {
        ngx_rbl_close(ctx);
    }
}


static void
ngx_rbl_contact_update_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_contact_t  *contact;

    contact = ngx_rbl_data(ctx, sizeof(ngx_rbl_contact_t));

    if (contact == NULL
        || ngx_rbl_contact_schedule(ctx, contact, NGX_RBL_UPDATE_SCHEDULE)
           != NGX_OK)
    {
        return;
    }

    contact->n = ngx_rbl_sids(ctx, NGX_RBL_UPDATE_GROUP, RBL_SID_GROUP,
                              &contact->groups);

    if (contact->n >= 0) {
        (void) ngx_rbl_path_sid(ctx, RBL_SID_CONTACT, "contact",
                                &contact->contact);
    }
}


static void
ngx_rbl_contact_update_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_contact_t          *contact;
    rbl_contact_update_args_t  *args;

    contact = ctx->data;

    args = ngx_rbl_args(ctx, sizeof(rbl_contact_update_args_t), contact->n,
                        contact->groups);
    if (args == NULL) {
        return;
    }

    args->contact = rbl_sid_str(&contact->contact);
    args->schedule = contact->schedule.p ? contact->schedule : RBL_STR("");

    ngx_rbl_run(ctx, contact_update, args, contact->n);
}
