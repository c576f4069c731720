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

/* contact_add, contact_update: key and arguments before the groups */

#define NGX_RBL_CONTACT_ADD_ARGS     8
#define NGX_RBL_CONTACT_UPDATE_ARGS  3


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
static rbl_str_t *ngx_rbl_contact_args(ngx_rbl_ctx_t *ctx, ngx_int_t n);


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
    ngx_rbl_contact_word,
    NULL
};

const ngx_rbl_op_t  ngx_rbl_op_contact_update = {
    ngx_rbl_contact_update_fields,
    ngx_rbl_contact_update_prepare,
    NULL,
    ngx_rbl_contact_update_proceed,
    NULL,
    NULL,
    ngx_rbl_contact_word,
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
    rbl_str_t          *argv;
    ngx_rbl_code_t     *code;
    ngx_rbl_contact_t  *contact;

    contact = ctx->data;
    code = &contact->code;

    if (rbl_sid_make(&contact->contact, RBL_SID_CONTACT) != RBL_OK) {
        ngx_rbl_internal(ctx);
        return;
    }

    argv = ngx_rbl_contact_args(ctx, NGX_RBL_CONTACT_ADD_ARGS);

    if (argv == NULL
        || ngx_rbl_code_make(ctx, code, &contact->contact) != NGX_OK)
    {
        return;
    }

    argv[1] = rbl_sid_str(&contact->contact);
    argv[2] = contact->type;
    argv[3] = contact->value;
    argv[4] = contact->schedule;
    argv[5] = (rbl_str_t) { (char *) code->digest, sizeof(code->digest) };
    argv[6] = (rbl_str_t) { code->text, sizeof(code->text) };
    argv[7] = rbl_sid_str(&code->event);

    ngx_rbl_call(ctx, &rbl_script_contact_add,
                 NGX_RBL_CONTACT_ADD_ARGS + contact->n, argv);
}


static void
ngx_rbl_contact_add_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    ngx_rbl_open(ctx, NGX_RBL_CONTACT_GUESS, "Contact added successfully.");

    if (ngx_rbl_contact_render(ctx, "data",
                               rbl_reply_str(rbl_reply_at(reply, 1))))
    {
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
    rbl_str_t          *argv;
    ngx_rbl_contact_t  *contact;

    contact = ctx->data;

    argv = ngx_rbl_contact_args(ctx, NGX_RBL_CONTACT_UPDATE_ARGS);
    if (argv == NULL) {
        return;
    }

    argv[1] = rbl_sid_str(&contact->contact);
    argv[2] = contact->schedule.p ? contact->schedule : RBL_STR("");

    ngx_rbl_call(ctx, &rbl_script_contact_update,
                 NGX_RBL_CONTACT_UPDATE_ARGS + contact->n, argv);
}


/* Room for n arguments, and the groups behind them.  NULL: refused. */

static rbl_str_t *
ngx_rbl_contact_args(ngx_rbl_ctx_t *ctx, ngx_int_t n)
{
    ngx_int_t           i;
    rbl_str_t          *argv;
    ngx_rbl_contact_t  *contact;

    contact = ctx->data;

    argv = ngx_palloc(ctx->request->pool,
                      (n + contact->n) * sizeof(rbl_str_t));
    if (argv == NULL) {
        ngx_rbl_internal(ctx);
        return NULL;
    }

    for (i = 0; i < contact->n; i++) {
        argv[n + i] = rbl_sid_str(&contact->groups[i]);
    }

    return argv;
}


void
ngx_rbl_contact_word(ngx_rbl_ctx_t *ctx, rbl_str_t word,
    const redisReply *reply)
{
    int64_t  n;

    n = rbl_reply_int(rbl_reply_at(reply, 1), 0);

    if (rbl_str_is(word, "CONTACT")) {
        ngx_rbl_unknown_id(ctx, "contact");

    } else if (rbl_str_is(word, "GROUP")) {
        ngx_rbl_invalid(ctx, "contact_group");

    } else if (rbl_str_is(word, "GROUPS")) {
        ngx_rbl_refuse(ctx, NGX_HTTP_CONFLICT,
                       "A contact may have at most %L contact groups.", n);

    } else if (rbl_str_is(word, "CODE")) {
        ngx_rbl_invalid(ctx, "authcode");

    } else if (rbl_str_is(word, "PENDING")) {
        ngx_rbl_refuse(ctx, NGX_HTTP_CONFLICT,
                       "The contact is not confirmed yet.");

    } else if (rbl_str_is(word, "CONFIRMED")) {
        ngx_rbl_refuse(ctx, NGX_HTTP_CONFLICT,
                       "The contact is confirmed already.");

    } else if (rbl_str_is(word, "LOCKED")) {
        ngx_rbl_refuse(ctx, NGX_HTTP_CONFLICT,
                       "Too many wrong codes. Please let a new one be sent.");

    } else if (rbl_str_is(word, "LIMIT")) {
        ngx_rbl_refuse(ctx, NGX_HTTP_CONFLICT,
                       "The plan allows at most %L contacts.", n);

    } else if (rbl_str_is(word, "CONTACTS")) {
        ngx_rbl_refuse(ctx, NGX_HTTP_CONFLICT,
                       "An account may have at most %L contacts.", n);

    } else if (rbl_str_is(word, "PLACES")) {
        ngx_rbl_refuse(ctx, NGX_HTTP_CONFLICT,
                       "The contacts of an account may have at most %L "
                       "contact groups together.", n);

    } else if (rbl_str_is(word, "CODES")) {
        ngx_rbl_refuse_later(ctx, NGX_HTTP_TOO_MANY_REQUESTS,
                             ngx_max(n, 1),
                             "That address was sent many confirmations within "
                             "the hour. Please try again later.");

    } else if (rbl_str_is(word, "LATER")) {
        ngx_rbl_refuse_later(ctx, NGX_HTTP_TOO_MANY_REQUESTS,
                             ngx_max(n, 1),
                             "A confirmation was sent less than a minute ago. "
                             "Please try again later.");
    }
}
