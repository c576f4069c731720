/*
 * Contacts.  nginx validates a value and makes it canonical (rbl_contact.h).  A
 * new contact is pending, and the script that adds it also sends a code.  The
 * scripts implement the states of contacts and codes.
 *
 * A code is sent only to the contact.  The store keeps the SHA-256 of the
 * contact's SID and the code, so that equal codes of two contacts have
 * different digests.
 */

#include "ngx_rbl_api.h"

#include "rbl_contact.h"
#include "rbl_view.h"

#include <openssl/evp.h>
#include <openssl/rand.h>


#define NGX_RBL_CONTACT_GUESS  384      /* octets of a contact in an answer */

#define NGX_RBL_CONTACT_VALUE  0        /* the field "contact" */
#define NGX_RBL_CONTACT_CODE   0        /* the field "authcode" */

#define NGX_RBL_CODE_LEN  6

/* A code that confirms a contact, its digest, and the SID of the event that
   carries it. */
typedef struct {
    char       text[NGX_RBL_CODE_LEN];
    u_char     digest[32];
    rbl_sid_t  event;
} ngx_rbl_code_t;

/* without i, l, o, 0 and 1 */

static const char  ngx_rbl_code_letters[] = "abcdefghjkmnpqrstuvwxyz23456789";

#define NGX_RBL_CODE_LETTERS  (sizeof(ngx_rbl_code_letters) - 1)


/* Reads the type, then the value, which is validated by its type. */

static int
ngx_rbl_contact_type(rbl_run_t *run, rbl_str_t *text)
{
    char                *buf;
    ngx_array_t         *hosts;
    ngx_rbl_ctx_t       *ctx;
    rbl_contact_type_t   type;

    ctx = ngx_rbl_of(run);

    if (rbl_contact_type(&type, *text) != RBL_OK) {
        return NGX_DECLINED;
    }

    buf = rbl_room(run, RBL_CONTACT_MAX);
    if (buf == NULL) {
        return NGX_ERROR;
    }

    hosts = ctx->conf->contact_hosts[type];

    if (rbl_contact_parse(buf,
                          &run->argv[RBL_ARG(contact_add, value)], type,
                          rbl_text(run, NGX_RBL_CONTACT_VALUE),
                          hosts ? hosts->elts : NULL,
                          hosts ? hosts->nelts : 0)
        == RBL_OK)
    {
        return NGX_OK;
    }

    ngx_rbl_refuse(ctx, NGX_HTTP_BAD_REQUEST,
                   "Invalid contact value provided. Please try again. %s",
                   rbl_contact_expected(type));

    return NGX_DECLINED;
}


static int
ngx_rbl_contact_schedule(rbl_run_t *run, rbl_str_t *text)
{
    return rbl_contact_schedule_ok(*text) ? NGX_OK : NGX_DECLINED;
}


static const rbl_field_t  ngx_rbl_contact_add_fields[] = {
    RBL_TEXT("contact", RBL_NEEDED|RBL_SECRET, NULL, 0),
    RBL_TEXT("type", RBL_NEEDED, ngx_rbl_contact_type,
             RBL_ARG(contact_add, type)),
    RBL_TEXT("schedule", RBL_NEEDED, ngx_rbl_contact_schedule,
             RBL_ARG(contact_add, schedule)),
    RBL_SIDS("contact_group", RBL_LIST|RBL_EMPTY, RBL_SID_GROUP,
             0),
    RBL_END
};

static const rbl_field_t  ngx_rbl_contact_update_fields[] = {
    RBL_TEXT("schedule", 0, ngx_rbl_contact_schedule,
             RBL_ARG(contact_update, schedule)),
    RBL_SIDS("contact_group", RBL_LIST, RBL_SID_GROUP, 0),
    RBL_END
};

static const rbl_field_t  ngx_rbl_contact_confirm_fields[] = {
    RBL_TEXT("authcode", RBL_NEEDED|RBL_SECRET, NULL, 0),
    RBL_END
};

static const rbl_outcome_t  ngx_rbl_contact_refusals[] = {
    RBL_UNKNOWN_ID("CONTACT", "contact"),
    RBL_INVALID("GROUP", "contact_group"),
    { "GROUPS", NGX_HTTP_CONFLICT,
      "A contact may have at most %L contact groups." },
    RBL_INVALID("CODE", "authcode"),
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


static int
ngx_rbl_contact_write(ngx_rbl_ctx_t *ctx, const char *key, rbl_str_t raw)
{
    rbl_contact_t  contact;

    if (rbl_contact_decode(&contact, raw) != RBL_OK) {
        return ngx_rbl_undecoded(ctx, "contact");
    }

    rbl_view_contact(&ctx->doc, key, &contact, ngx_rbl_sees_path(ctx));

    return 1;
}


const ngx_rbl_family_t  ngx_rbl_family_contacts = {
    .resource = "contact",
    .kind = RBL_SID_CONTACT,
    .index = "contacts",
    .total = { { "contacts", "total_contacts" } },
    .guess = NGX_RBL_CONTACT_GUESS,
    .write = ngx_rbl_contact_write,
    .refusals = ngx_rbl_contact_refusals
};


/* Makes the digest of a code of that contact.  Users type the code, so capital
   letters are accepted.  NGX_ERROR: refused (500). */

static ngx_int_t
ngx_rbl_code_digest(ngx_rbl_ctx_t *ctx, u_char digest[32],
    const rbl_sid_t *contact, rbl_str_t text)
{
    u_char  *p;

    p = ngx_pnalloc(ctx->request->pool, contact->n + text.n);

    if (p != NULL) {
        ngx_memcpy(p, contact->s, contact->n);
        ngx_strlow(p + contact->n, (u_char *) text.p, text.n);
    }

    if (p == NULL
        || EVP_Digest(p, contact->n + text.n, digest, NULL, EVP_sha256(), NULL)
           != 1)
    {
        ngx_rbl_internal(ctx);
        return NGX_ERROR;
    }

    return NGX_OK;
}


/* Makes a new code.  NGX_ERROR: refused (500). */

static ngx_int_t
ngx_rbl_code_make(ngx_rbl_ctx_t *ctx, ngx_rbl_code_t *code,
    const rbl_sid_t *contact)
{
    u_char     byte;
    rbl_str_t  text;

    text.p = code->text;
    text.n = 0;

    /* large octets are skipped, so that all letters are equally likely */

    while (text.n < NGX_RBL_CODE_LEN) {
        if (RAND_bytes(&byte, 1) != 1) {
            ngx_rbl_internal(ctx);
            return NGX_ERROR;
        }

        if (byte < 256 / NGX_RBL_CODE_LETTERS * NGX_RBL_CODE_LETTERS) {
            code->text[text.n++] =
                           ngx_rbl_code_letters[byte % NGX_RBL_CODE_LETTERS];
        }
    }

    if (rbl_sid_make(&code->event, RBL_SID_EVENT) != RBL_OK) {
        ngx_rbl_internal(ctx);
        return NGX_ERROR;
    }

    return ngx_rbl_code_digest(ctx, code->digest, contact, text);
}


/* In the arguments of both scripts code and event follow the digest. */

static void
ngx_rbl_contact_code(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t       *argv;
    ngx_rbl_code_t   code;

    if (ngx_rbl_code_make(ctx, &code, &ctx->run.id) != NGX_OK) {
        return;
    }

    argv = &ctx->run.argv[ctx->run.script == &rbl_script_contact_add
                        ? RBL_ARG(contact_add, digest)
                        : RBL_ARG(contact_resend, digest)];

    *argv++ = RBL_OCTETS(code.digest);
    *argv++ = RBL_OCTETS(code.text);
    *argv++ = rbl_sid_str(&code.event);

    ngx_rbl_write_proceed(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_contact_add = {
    .script = &rbl_script_contact_add,
    .fields = ngx_rbl_contact_add_fields,
    .proceed = ngx_rbl_contact_code,
    .result = ngx_rbl_write_added,
    .message = "Contact added successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_contact_update = {
    .script = &rbl_script_contact_update,
    .fields = ngx_rbl_contact_update_fields,
    .message = "Contact updated successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_contact_pause = {
    .script = &rbl_script_contact_status,
    .value = "paused",
    .message = "Contact paused successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_contact_resume = {
    .script = &rbl_script_contact_status,
    .value = "active",
    .message = "Contact resumed successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_contact_delete = {
    .script = &rbl_script_contact_delete,
    .message = "Contact deleted successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_contact_resend = {
    .script = &rbl_script_contact_resend,
    .proceed = ngx_rbl_contact_code,
    .message = "Confirmation sent successfully."
};


/* Every input is an attempt, of any length and with any letters. */

static void
ngx_rbl_contact_confirm(ngx_rbl_ctx_t *ctx)
{
    u_char  digest[32];

    if (ngx_rbl_code_digest(ctx, digest, &ctx->run.id,
                            rbl_text(&ctx->run, NGX_RBL_CONTACT_CODE))
        == NGX_OK)
    {
        ctx->run.argv[RBL_ARG(contact_confirm, digest)] = RBL_OCTETS(digest);

        ngx_rbl_write_proceed(ctx);
    }
}


const ngx_rbl_op_t  ngx_rbl_op_contact_confirm = {
    .script = &rbl_script_contact_confirm,
    .fields = ngx_rbl_contact_confirm_fields,
    .proceed = ngx_rbl_contact_confirm,
    .message = "Contact confirmed successfully."
};
