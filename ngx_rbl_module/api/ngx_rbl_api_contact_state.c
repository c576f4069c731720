/*
 * What becomes of a contact: pause, resume, delete, resend and confirm.  All of
 * their rules, and the life of a code, are in the scripts.
 */

#include "ngx_rbl_api.h"


typedef struct {
    rbl_sid_t       contact;
    ngx_rbl_code_t  code;               /* of resend, and as given to confirm */
} ngx_rbl_state_t;


static void ngx_rbl_state_prepare(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_confirm_prepare(ngx_rbl_ctx_t *ctx);

static void ngx_rbl_pause_proceed(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_resume_proceed(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_status_proceed(ngx_rbl_ctx_t *ctx, rbl_str_t status);
static void ngx_rbl_delete_proceed(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_resend_proceed(ngx_rbl_ctx_t *ctx);
static void ngx_rbl_confirm_proceed(ngx_rbl_ctx_t *ctx);



static const ngx_rbl_field_t  ngx_rbl_no_fields[] = {
    { ngx_null_string, 0 }
};

static const ngx_rbl_field_t  ngx_rbl_confirm_fields[] = {
    { ngx_string("authcode"), 0 },
    { ngx_null_string, 0 }
};


const ngx_rbl_op_t  ngx_rbl_op_contact_pause = {
    ngx_rbl_no_fields,
    ngx_rbl_state_prepare,
    NULL,
    ngx_rbl_pause_proceed,
    NULL,
    NULL,
    ngx_rbl_contact_refusals,
    "Contact paused successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_contact_resume = {
    ngx_rbl_no_fields,
    ngx_rbl_state_prepare,
    NULL,
    ngx_rbl_resume_proceed,
    NULL,
    NULL,
    ngx_rbl_contact_refusals,
    "Contact resumed successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_contact_delete = {
    ngx_rbl_no_fields,
    ngx_rbl_state_prepare,
    NULL,
    ngx_rbl_delete_proceed,
    NULL,
    NULL,
    ngx_rbl_contact_refusals,
    "Contact deleted successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_contact_resend = {
    ngx_rbl_no_fields,
    ngx_rbl_state_prepare,
    NULL,
    ngx_rbl_resend_proceed,
    NULL,
    NULL,
    ngx_rbl_contact_refusals,
    "Confirmation sent successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_contact_confirm = {
    ngx_rbl_confirm_fields,
    ngx_rbl_confirm_prepare,
    NULL,
    ngx_rbl_confirm_proceed,
    NULL,
    NULL,
    ngx_rbl_contact_refusals,
    "Contact confirmed successfully."
};


static void
ngx_rbl_state_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_state_t  *state;

    state = ngx_rbl_data(ctx, sizeof(ngx_rbl_state_t));

    if (state != NULL) {
        (void) ngx_rbl_path_sid(ctx, RBL_SID_CONTACT, "contact",
                                &state->contact);
    }
}


static void
ngx_rbl_confirm_prepare(ngx_rbl_ctx_t *ctx)
{
    if (ngx_rbl_text(ctx, 0).n == 0) {
        ngx_rbl_missing(ctx, "authcode");
        return;
    }

    ngx_rbl_state_prepare(ctx);
}


static void
ngx_rbl_pause_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_status_proceed(ctx, RBL_STR("paused"));
}


static void
ngx_rbl_resume_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_status_proceed(ctx, RBL_STR("active"));
}


static void
ngx_rbl_status_proceed(ngx_rbl_ctx_t *ctx, rbl_str_t status)
{
    ngx_rbl_state_t           *state;
    rbl_contact_status_args_t  args;

    state = ctx->data;

    args.contact = rbl_sid_str(&state->contact);
    args.status = status;

    ngx_rbl_run(ctx, contact_status, &args, 0);
}


static void
ngx_rbl_delete_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_state_t           *state;
    rbl_contact_delete_args_t  args;

    state = ctx->data;
    args.contact = rbl_sid_str(&state->contact);

    ngx_rbl_run(ctx, contact_delete, &args, 0);
}


static void
ngx_rbl_resend_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_code_t            *code;
    ngx_rbl_state_t           *state;
    rbl_contact_resend_args_t  args;

    state = ctx->data;
    code = &state->code;

    if (ngx_rbl_code_make(ctx, code, &state->contact) != NGX_OK) {
        return;
    }

    args.contact = rbl_sid_str(&state->contact);
    args.digest = (rbl_str_t) { (char *) code->digest, sizeof(code->digest) };
    args.code = (rbl_str_t) { code->text, sizeof(code->text) };
    args.event = rbl_sid_str(&code->event);

    ngx_rbl_run(ctx, contact_resend, &args, 0);
}


/* Whatever was given is a try, of any length and with any letters. */

static void
ngx_rbl_confirm_proceed(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_state_t            *state;
    rbl_contact_confirm_args_t  args;

    state = ctx->data;

    if (ngx_rbl_code_digest(ctx, state->code.digest, &state->contact,
                            ngx_rbl_text(ctx, 0))
        != NGX_OK)
    {
        return;
    }

    args.contact = rbl_sid_str(&state->contact);
    args.digest.p = (char *) state->code.digest;
    args.digest.n = sizeof(state->code.digest);

    ngx_rbl_run(ctx, contact_confirm, &args, 0);
}
