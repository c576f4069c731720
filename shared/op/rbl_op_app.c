/*
 * Applications of an account and their tokens.  Token and secret are made here
 * and are in the answer of the operation that makes them; the store gets the
 * SHA-256 of the token, and the secret, with which callbacks are signed.
 */

#include "rbl_ops.h"

#include "rbl_record.h"
#include "rbl_validate.h"
#include "rbl_view.h"

#include <stdio.h>
#include <stdlib.h>


#define RBL_APP_QUOTED  60              /* octets of a wrong network */

typedef struct {
    rbl_str_t    field;
    rbl_token_t  token;
} rbl_token_row_t;


static const rbl_outcome_t  rbl_app_refusals[] = {
    RBL_UNKNOWN_ID("APP", "application"),
    { "REVOKED", 409, "The application is revoked." },
    { "LIMIT", 409, "An account may have at most %L applications." },
    { "TOKENS", 409,
      "An account may have at most %L tokens. Please revoke one first." },
    { "MOST", 409,
      "An application may have at most %L tokens. Please revoke one first." },
    { "TOKEN", 404, "No token of this application begins with these digits." },
    { "MANY", 409,
      "Several tokens begin with these digits. Please give more digits." },
    { NULL, 0, NULL }
};


int
rbl_app_open(rbl_run_t *run, rbl_doc_t *doc, const char *key, rbl_app_t *app,
    rbl_str_t raw)
{
    int64_t  limits[RBL_LIMITS];

    if (rbl_app_decode(app, raw) != RBL_OK) {
        rbl_refuse(run, 500, "The record of an application is damaged.");
        return -1;
    }

    rbl_limits_decode(limits, app->limits);

    rbl_doc_object(doc, key);
    rbl_doc_str(doc, "id", app->id);
    rbl_doc_str(doc, "name", app->name);
    rbl_doc_str(doc, "status", app->status);
    rbl_run_at(run, doc, "created", app->created);

    rbl_doc_object(doc, "limits");
    rbl_doc_int(doc, "hour", limits[RBL_LIMIT_HOUR]);
    rbl_doc_int(doc, "reads", limits[RBL_LIMIT_READS]);
    rbl_doc_int(doc, "writes", limits[RBL_LIMIT_WRITES]);
    rbl_doc_int(doc, "starts", limits[RBL_LIMIT_STARTS]);
    rbl_doc_close(doc);

    (void) rbl_view_texts(doc, "allow", app->allow);

    return 0;
}


static void
rbl_app_token(rbl_run_t *run, rbl_doc_t *doc, rbl_str_t field,
    rbl_str_t status, int64_t created)
{
    if (field.n > RBL_TOKEN_DIGITS) {
        field.n = RBL_TOKEN_DIGITS;
    }

    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "digits", field);
    rbl_doc_str(doc, "status", status);
    rbl_run_at(run, doc, "created", created);
    rbl_doc_close(doc);
}


int
rbl_app_row(rbl_run_t *run, rbl_doc_t *doc, rbl_app_t *app, rbl_str_t raw)
{
    if (rbl_app_decode(app, raw) != RBL_OK) {
        run->by->note(run, "The record of an application is damaged.");
        return -1;
    }

    return rbl_app_open(run, doc, NULL, app, raw);
}


static void
rbl_apps_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    size_t                 i;
    rbl_app_t              app;
    rbl_app_list_app_t     row;
    rbl_app_list_reply_t   said;

    rbl_app_list_reply(&said, reply);
    rbl_page_open(run, doc, "total_applications", said.total);

    for (i = 0; i < rbl_reply_len(said.apps); i++) {
        rbl_app_list_app(&row, rbl_reply_at(said.apps, i));

        if (rbl_app_row(run, doc, &app, row.record) == 0) {
            rbl_doc_int(doc, "total_tokens", row.tokens);
            rbl_doc_close(doc);
        }
    }

    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_apps = {
    .script = &rbl_script_app_list,
    .fields = rbl_page_fields,
    .message = "OK",
    .ranks = RBL_ARG(app_list, first),
    .answer = rbl_apps_answer
};


static int
rbl_token_order(const void *one, const void *two)
{
    const rbl_token_row_t  *a, *b;

    a = one;
    b = two;

    return (a->token.created > b->token.created)
           - (a->token.created < b->token.created);
}


/* The tokens, oldest first. */

static void
rbl_app_tokens(rbl_run_t *run, rbl_doc_t *doc, const redisReply *tokens)
{
    size_t                  i, n;
    rbl_token_row_t        *rows;
    rbl_app_show_token_t    said;

    n = 0;
    rows = rbl_room(run, (rbl_reply_len(tokens) + 1) * sizeof(*rows));

    for (i = 0; rows != NULL && i < rbl_reply_len(tokens); i++) {
        rbl_app_show_token(&said, rbl_reply_at(tokens, i));
        rows[n].field = said.field;
        n += rbl_token_decode(&rows[n].token, said.record) == RBL_OK;
    }

    if (n > 0) {
        qsort(rows, n, sizeof(*rows), rbl_token_order);
    }

    rbl_doc_array(doc, "tokens");

    for (i = 0; i < n; i++) {
        rbl_app_token(run, doc, rows[i].field, rows[i].token.status,
                      rows[i].token.created);
    }

    rbl_doc_close(doc);
}


static void
rbl_app_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    rbl_app_t              app;
    rbl_app_show_reply_t   said;

    rbl_app_show_reply(&said, reply);

    if (rbl_app_open(run, doc, "data", &app, said.record) == 0) {
        rbl_app_tokens(run, doc, said.tokens);
        rbl_doc_close(doc);
    }
}


const rbl_op_t  rbl_op_app = {
    .script = &rbl_script_app_show,
    .kinds = { RBL_SID_APP },
    .message = "OK",
    .answer = rbl_app_answer,
    .refusals = rbl_app_refusals
};


static const rbl_field_t  rbl_app_add_fields[] = {
    RBL_TEXT("name", RBL_NEEDED, rbl_label, RBL_ARG(app_put, name)),
    RBL_END
};


static void
rbl_app_add_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    rbl_app_t               app;
    rbl_app_put_reply_t     said;
    const rbl_new_token_t  *made;

    made = run->data;
    rbl_app_put_reply(&said, reply);

    if (rbl_app_open(run, doc, "data", &app, said.record) != 0) {
        return;
    }

    rbl_doc_array(doc, "tokens");
    rbl_app_token(run, doc, RBL_OCTETS(made->field), app.status, app.created);
    rbl_doc_close(doc);

    rbl_doc_str(doc, "token", RBL_OCTETS(made->text));
    rbl_doc_str(doc, "secret", run->argv[RBL_ARG(app_put, secret)]);
    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_app_add = {
    .script = &rbl_script_app_put,
    .fields = rbl_app_add_fields,
    .kinds = { RBL_SID_APP },
    .makes = 1,
    .message = "Application added successfully.",
    .token = RBL_ARG(app_put, field),
    .secret = RBL_ARG(app_put, secret),
    .answer = rbl_app_add_answer,
    .refusals = rbl_app_refusals
};


/* The argument is the opposite of the field. */

static int
rbl_app_keep(rbl_run_t *run, rbl_str_t *text)
{
    if (rbl_flag(run, text) != 0) {
        return -1;
    }

    *text = rbl_digit(rbl_str_is(*text, "0"));

    return 0;
}


static const rbl_field_t  rbl_app_rotate_fields[] = {
    RBL_TEXT("keep", 0, rbl_app_keep, RBL_ARG(app_token, alone)),
    RBL_END
};


static int
rbl_app_rotate_prepare(rbl_run_t *run)
{
    rbl_str_t  *alone;

    alone = &run->argv[RBL_ARG(app_token, alone)];

    if (alone->n == 0) {
        *alone = RBL_STR("1");
    }

    return 0;
}


static void
rbl_app_rotate_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    const rbl_new_token_t  *made;

    (void) reply;

    made = run->data;

    rbl_doc_object(doc, "data");
    rbl_doc_str(doc, "id", rbl_sid_str(&run->id));
    rbl_doc_str(doc, "digits", (rbl_str_t) { made->field, RBL_TOKEN_DIGITS });
    rbl_doc_str(doc, "token", RBL_OCTETS(made->text));
    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_app_rotate = {
    .script = &rbl_script_app_token,
    .fields = rbl_app_rotate_fields,
    .kinds = { RBL_SID_APP },
    .message = "Token made successfully.",
    .token = RBL_ARG(app_token, field),
    .prepare = rbl_app_rotate_prepare,
    .answer = rbl_app_rotate_answer,
    .refusals = rbl_app_refusals
};

const rbl_op_t  rbl_op_app_revoke = {
    .script = &rbl_script_app_revoke,
    .kinds = { RBL_SID_APP },
    .message = "Application revoked successfully.",
    .refusals = rbl_app_refusals
};


static int
rbl_app_digits(rbl_run_t *run, rbl_str_t *text)
{
    char  *buf;

    buf = rbl_room(run, RBL_TOKEN_FIELD + 1);

    return buf != NULL && rbl_token_digits(buf, text, *text) == RBL_OK ? 0
           : rbl_expect(run, "8 to 16 hex digits of the SHA-256 of the token");
}


static const rbl_field_t  rbl_token_revoke_fields[] = {
    RBL_TEXT("token", RBL_NEEDED, rbl_app_digits,
             RBL_ARG(app_token_revoke, digits)),
    RBL_END
};

const rbl_op_t  rbl_op_token_revoke = {
    .script = &rbl_script_app_token_revoke,
    .fields = rbl_token_revoke_fields,
    .kinds = { RBL_SID_APP },
    .message = "Token revoked successfully.",
    .refusals = rbl_app_refusals
};


/* Replaces a network by its canonical form.  -1: refused. */

static int
rbl_app_network(rbl_run_t *run, rbl_str_t *net, rbl_str_t text)
{
    int         n;
    char       *buf, why[RBL_REFUSAL_MAX];
    rbl_err_t   err;

    buf = rbl_room(run, RBL_VALUE_MAX);

    if (buf == NULL) {
        return -1;
    }

    err = rbl_network_parse(buf, net, text);

    if (err == RBL_OK) {
        return 0;
    }

    /* the beginning of the text, up to the end of a character */

    for (n = text.n < RBL_APP_QUOTED ? (int) text.n : RBL_APP_QUOTED;
         n > 0 && (size_t) n < text.n && (text.p[n] & 0xc0) == 0x80;
         n--)
    {
        /* void */
    }

    if (err == RBL_EHOSTBITS) {
        snprintf(why, sizeof(why), "Invalid allow value provided: %.*s has"
                 " host bits set. The network is %s.", n, text.p, buf);

    } else {
        snprintf(why, sizeof(why), "Invalid allow value provided: %.*s is not"
                 " a network such as 192.0.2.0/24, 192.0.2.7, 2001:db8::/32 or"
                 " unix:.", n, text.p);
    }

    rbl_refuse(run, 400, why);

    return -1;
}


static const rbl_field_t  rbl_app_allow_fields[] = {
    RBL_TEXT("allow", RBL_LIST, NULL, 0),
    RBL_END
};


/* The networks stand behind the arguments of the script; an empty list allows
   every address. */

static int
rbl_app_allow_prepare(rbl_run_t *run)
{
    int         i, n;
    char        why[RBL_REFUSAL_MAX];
    size_t      k, last;
    rbl_str_t  *parts;

    if (rbl_text(run, 0).p == NULL) {
        rbl_missing(run, "allow");
        return -1;
    }

    n = rbl_list(run, 0, &parts);

    if (n < 0 || (n == 1 && parts[0].n == 0)) {
        return n < 0 ? -1 : 0;
    }

    run->rest = parts;

    for (i = 0; i < n; i++) {
        last = run->n_rest;

        if (rbl_app_network(run, &parts[last], parts[i]) != 0) {
            return -1;
        }

        for (k = 0; !rbl_str_eq(parts[k], parts[last]); k++) { /* void */ }

        run->n_rest += k == last;

        if (run->n_rest > RBL_NETWORKS_MAX) {
            snprintf(why, sizeof(why),
                     "An application may have at most %d networks.",
                     RBL_NETWORKS_MAX);
            rbl_refuse(run, 400, why);
            return -1;
        }
    }

    return 0;
}


const rbl_op_t  rbl_op_app_allow = {
    .script = &rbl_script_app_allow,
    .fields = rbl_app_allow_fields,
    .kinds = { RBL_SID_APP },
    .message = "Allowed networks updated successfully.",
    .prepare = rbl_app_allow_prepare,
    .refusals = rbl_app_refusals
};


static const rbl_field_t  rbl_app_limit_fields[] = {
    RBL_NUMBER("hour", 0, RBL_HOUR_MAX, 0, RBL_ARG(app_limit, hour)),
    RBL_NUMBER("reads", 0, RBL_RATE_MAX, 0, RBL_ARG(app_limit, reads)),
    RBL_NUMBER("writes", 0, RBL_RATE_MAX, 0, RBL_ARG(app_limit, writes)),
    RBL_NUMBER("starts", 0, RBL_RATE_MAX, 0, RBL_ARG(app_limit, starts)),
    RBL_END
};

const rbl_op_t  rbl_op_app_limit = {
    .script = &rbl_script_app_limit,
    .fields = rbl_app_limit_fields,
    .kinds = { RBL_SID_APP },
    .message = "Limits updated successfully.",
    .refusals = rbl_app_refusals
};
