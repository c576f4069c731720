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
    ngx_rbl_contact_word,
    "Contact paused successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_contact_resume = {
    ngx_rbl_no_fields,
    ngx_rbl_state_prepare,
    NULL,
    ngx_rbl_resume_proceed,
    NULL,
    NULL,
    ngx_rbl_contact_word,
    "Contact resumed successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_contact_delete = {
    ngx_rbl_no_fields,
    ngx_rbl_state_prepare,
    NULL,
    ngx_rbl_delete_proceed,
    NULL,
    NULL,
    ngx_rbl_contact_word,
    "Contact deleted successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_contact_resend = {
    ngx_rbl_no_fields,
    ngx_rbl_state_prepare,
    NULL,
    ngx_rbl_resend_proceed,
    NULL,
    NULL,
    ngx_rbl_contact_word,
    "Confirmation sent successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_contact_confirm = {
    ngx_rbl_confirm_fields,
    ngx_rbl_confirm_prepare,
    NULL,
    ngx_rbl_confirm_proceed,
    NULL,
    NULL,
    ngx_rbl_contact_word,
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
    rbl_str_t         argv[3];
    ngx_rbl_state_t  *state;

    state = ctx->data;

    argv[1] = rbl_sid_str(&state->contact);
    argv[2] = status;

    ngx_rbl_call(ctx, &rbl_script_contact_status, 3, argv);
}


static void
ngx_rbl_delete_proceed(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t         argv[2];
    ngx_rbl_state_t  *state;

    state = ctx->data;
    argv[1] = rbl_sid_str(&state->contact);

    ngx_rbl_call(ctx, &rbl_script_contact_delete, 2, argv);
}


static void
ngx_rbl_resend_proceed(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t         argv[5];
    ngx_rbl_code_t   *code;
    ngx_rbl_state_t  *state;

    state = ctx->data;
    code = &state->code;

    if (ngx_rbl_code_make(ctx, code, &state->contact) != NGX_OK) {
        return;
    }

    argv[1] = rbl_sid_str(&state->contact);
    argv[2] = (rbl_str_t) { (char *) code->digest, sizeof(code->digest) };
    argv[3] = (rbl_str_t) { code->text, sizeof(code->text) };
    argv[4] = rbl_sid_str(&code->event);

    ngx_rbl_call(ctx, &rbl_script_contact_resend, 5, argv);
}


/* Whatever was given is a try, of any length and with any letters. */

static void
ngx_rbl_confirm_proceed(ngx_rbl_ctx_t *ctx)
{
    rbl_str_t         argv[3];
    ngx_rbl_state_t  *state;

    state = ctx->data;

    if (ngx_rbl_code_digest(ctx, state->code.digest, &state->contact,
                            ngx_rbl_text(ctx, 0))
        != NGX_OK)
    {
        return;
    }

    argv[1] = rbl_sid_str(&state->contact);
    argv[2].p = (char *) state->code.digest;
    argv[2].n = sizeof(state->code.digest);

    ngx_rbl_call(ctx, &rbl_script_contact_confirm, 3, argv);
}
