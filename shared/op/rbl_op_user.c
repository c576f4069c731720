/*
 * Users of an account.  A link that signs a user in is made here; the answer
 * has the only copy, "<account>.<64 hex>".
 */

#include "rbl_ops.h"

#include "rbl_record.h"


static const rbl_outcome_t  rbl_user_refusals[] = {
    RBL_UNKNOWN_ID("USER", "user"),
    { "MAIL", 409, "Another user has this address." },
    { "LIMIT", 409, "An account may have at most %L users." },
    { "LAST", 409,
      "This is the only owner. Please make another user an owner first." },
    { NULL, 0, NULL }
};


static void
rbl_user_write(rbl_run_t *run, rbl_doc_t *doc, const rbl_user_t *user)
{
    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "id", user->id);
    rbl_doc_str(doc, "mail", user->mail);
    rbl_doc_str(doc, "name", user->name);
    rbl_doc_str(doc, "role", user->role);
    rbl_run_at(run, doc, "created", user->created);
    rbl_run_at(run, doc, "seen", user->seen);
    rbl_run_at(run, doc, "confirmed", user->confirmed);
    rbl_doc_close(doc);
}


/* An account has at most a hundred users (user_put). */

static void
rbl_users_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    size_t                  i;
    rbl_user_t              user;
    rbl_user_list_reply_t   said;

    rbl_user_list_reply(&said, reply);

    rbl_doc_array(doc, "data");

    for (i = 0; i < rbl_reply_len(said.users); i++) {
        if (rbl_user_decode(&user, rbl_reply_str(rbl_reply_at(said.users, i)))
            == RBL_OK)
        {
            rbl_user_write(run, doc, &user);

        } else {
            run->by->note(run, "The record of a user is damaged.");
        }
    }

    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_users = {
    .script = &rbl_script_user_list,
    .message = "OK",
    .answer = rbl_users_answer
};


static int
rbl_user_role(rbl_run_t *run, rbl_str_t *text)
{
    return rbl_str_is(*text, "owner") || rbl_str_is(*text, "admin")
           || rbl_str_is(*text, "viewer")
           ? 0 : rbl_expect(run, "owner, admin or viewer");
}


static const rbl_field_t  rbl_user_add_fields[] = {
    RBL_TEXT("mail", RBL_NEEDED, rbl_mail, RBL_ARG(user_put, mail)),
    RBL_TEXT("role", RBL_NEEDED, rbl_user_role, RBL_ARG(user_put, role)),
    RBL_TEXT("name", 0, rbl_label, RBL_ARG(user_put, name)),
    RBL_END
};

static const rbl_field_t  rbl_user_role_fields[] = {
    RBL_TEXT("role", RBL_NEEDED, rbl_user_role, RBL_ARG(user_role, role)),
    RBL_END
};


/* The address goes into the index of users. */

static void
rbl_user_answer(rbl_run_t *run, rbl_doc_t *doc, rbl_str_t mail, rbl_str_t role,
    int64_t confirmed)
{
    const rbl_new_token_t  *made;

    made = run->data;
    run->mail = mail;
    run->confirmed = confirmed;

    rbl_doc_object(doc, "data");
    rbl_doc_str(doc, "id", rbl_sid_str(&run->id));
    rbl_doc_str(doc, "mail", mail);
    rbl_doc_str(doc, "role", role);
    rbl_doc_text_open(doc, "link");
    rbl_doc_text_part(doc, run->account);
    rbl_doc_text_part(doc, RBL_STR("."));
    rbl_doc_text_part(doc, (rbl_str_t) { made->text, RBL_TOKEN_LEN });
    rbl_doc_text_close(doc);
    rbl_doc_close(doc);
}


static void
rbl_user_add_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    rbl_user_put_reply_t  said;

    rbl_user_put_reply(&said, reply);
    rbl_user_answer(run, doc, run->argv[RBL_ARG(user_put, mail)],
                    run->argv[RBL_ARG(user_put, role)], said.confirmed);
}


const rbl_op_t  rbl_op_user_add = {
    .script = &rbl_script_user_put,
    .fields = rbl_user_add_fields,
    .kinds = { RBL_SID_USER },
    .makes = 1,
    .operators = 1,
    .message = "User added successfully.",
    .operated = RBL_ARG(user_put, sure),    /* operators know whose it is */
    .token = RBL_ARG(user_put, field),
    .answer = rbl_user_add_answer,
    .refusals = rbl_user_refusals
};


static void
rbl_user_link_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    rbl_user_link_reply_t  said;

    rbl_user_link_reply(&said, reply);
    rbl_user_answer(run, doc, said.mail, said.role, said.confirmed);
}


const rbl_op_t  rbl_op_user_link = {
    .script = &rbl_script_user_link,
    .kinds = { RBL_SID_USER },
    .message = "Link made successfully.",
    .token = RBL_ARG(user_link, field),
    .answer = rbl_user_link_answer,
    .refusals = rbl_user_refusals
};

const rbl_op_t  rbl_op_user_role = {
    .script = &rbl_script_user_role,
    .fields = rbl_user_role_fields,
    .kinds = { RBL_SID_USER },
    .message = "Role changed successfully.",
    .refusals = rbl_user_refusals
};


static void
rbl_user_delete_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    rbl_user_delete_reply_t  said;

    (void) doc;

    rbl_user_delete_reply(&said, reply);
    run->mail = said.mail;
    run->removed = 1;
}


/* Operators may delete the last owner of an account, too. */

const rbl_op_t  rbl_op_user_delete = {
    .script = &rbl_script_user_delete,
    .kinds = { RBL_SID_USER },
    .message = "User deleted successfully.",
    .operated = RBL_ARG(user_delete, last),
    .answer = rbl_user_delete_answer,
    .refusals = rbl_user_refusals
};
