/*
 * operator/account/..., operator/owner/add: requests for a new account, another
 * owner, another plan.  nginx queues a request, with the SIDs of what is to be
 * made and the digest of the owner's link, so that a daemon may begin it again.
 * The answer has the only copy of the link, "<account>.<64 hex>", which works
 * once the request is done.  operator/requests shows them.
 */

#include "ngx_rbl_portal.h"

#include "rbl_request.h"


static const rbl_outcome_t  ngx_rbl_request_refusals[] = {
    { "MANY", 409, "%L requests wait for a daemon already." },
    { "SAME", 409, "The same request waits for a daemon already." },
    { NULL, 0, NULL }
};


static int
ngx_rbl_request_of(rbl_run_t *run, rbl_str_t *text)
{
    rbl_sid_t  *sid;

    sid = rbl_room(run, sizeof(rbl_sid_t));

    if (sid == NULL || rbl_sid_parse(sid, RBL_SID_ACCOUNT, *text) != RBL_OK) {
        return rbl_expect(run, "the SID of an account");
    }

    *text = rbl_sid_str(sid);

    return 0;
}


static const rbl_field_t  ngx_rbl_request_account_fields[] = {
    RBL_TEXT("name", RBL_NEEDED, rbl_label, RBL_ARG(request_add, name)),
    RBL_TEXT("mail", RBL_EMPTY, rbl_mail, RBL_ARG(request_add, mail)),
    RBL_TEXT("plan", RBL_EMPTY, rbl_label, RBL_ARG(request_add, plan)),
    RBL_END
};

static const rbl_field_t  ngx_rbl_request_owner_fields[] = {
    RBL_TEXT("account", RBL_NEEDED, ngx_rbl_request_of,
             RBL_ARG(request_add, account)),
    RBL_TEXT("name", RBL_EMPTY, rbl_label, RBL_ARG(request_add, name)),
    RBL_TEXT("mail", RBL_NEEDED, rbl_mail, RBL_ARG(request_add, mail)),
    RBL_END
};

static const rbl_field_t  ngx_rbl_request_plan_fields[] = {
    RBL_TEXT("account", RBL_NEEDED, ngx_rbl_request_of,
             RBL_ARG(request_add, account)),
    RBL_TEXT("plan", RBL_NEEDED, rbl_label, RBL_ARG(request_add, plan)),
    RBL_END
};


/* A new SID as an argument. */

static int
ngx_rbl_request_sid(rbl_run_t *run, size_t arg, rbl_sid_kind_t kind)
{
    rbl_sid_t  *sid;

    sid = rbl_room(run, sizeof(rbl_sid_t));

    if (sid == NULL || rbl_sid_make(sid, kind) != RBL_OK) {
        rbl_refuse(run, 500, "The kernel gives no random bytes.");
        return -1;
    }

    run->argv[arg] = rbl_sid_str(sid);

    return 0;
}


/* The account of the operators has no plan, and its users are added by other
   calls. */

static int
ngx_rbl_request_prepare(rbl_run_t *run)
{
    if (rbl_str_is(run->argv[RBL_ARG_ID], RBL_SID_OPERATORS)) {
        rbl_refuse(run, 404, RBL_UNKNOWN_HEAD "account" RBL_UNKNOWN_TAIL);
        return -1;
    }

    return run->argv[RBL_ARG(request_add, mail)].n == 0 ? 0
           : ngx_rbl_request_sid(run, RBL_ARG(request_add, user), RBL_SID_USER);
}


static int
ngx_rbl_request_account_prepare(rbl_run_t *run)
{
    if (run->argv[RBL_ARG(request_add, mail)].n == 0) {
        run->argv[RBL_ARG(request_add, field)] = RBL_STR("");
        run->argv[RBL_ARG(request_add, digest)] = RBL_STR("");
    }

    return ngx_rbl_request_sid(run, RBL_ARG(request_add, profile),
                               RBL_SID_PROFILE) != 0
           || ngx_rbl_request_sid(run, RBL_ARG(request_add, group),
                                  RBL_SID_GROUP) != 0
           ? -1 : ngx_rbl_request_prepare(run);
}


static void
ngx_rbl_request_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    rbl_request_add_reply_t   said;
    const rbl_new_token_t    *made;

    rbl_request_add_reply(&said, reply);
    made = run->argv[RBL_ARG(request_add, digest)].n > 0 ? run->data : NULL;

    rbl_doc_object(doc, "data");
    rbl_doc_str(doc, "id", said.id);
    rbl_doc_str(doc, "account", run->argv[RBL_ARG_ID]);
    rbl_doc_text_open(doc, "link");

    if (made != NULL) {
        rbl_doc_text_part(doc, run->argv[RBL_ARG_ID]);
        rbl_doc_text_part(doc, RBL_STR("."));
        rbl_doc_text_part(doc, (rbl_str_t) { made->text, RBL_TOKEN_LEN });
    }

    rbl_doc_text_close(doc);
    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_request_account = {
    .script = &rbl_script_request_add,
    .fields = ngx_rbl_request_account_fields,
    .kinds = { RBL_SID_ACCOUNT },
    .makes = 1,
    .operators = 1,
    .value = "account",
    .message = "Request queued successfully.",
    .token = RBL_ARG(request_add, field),
    .prepare = ngx_rbl_request_account_prepare,
    .answer = ngx_rbl_request_answer,
    .refusals = ngx_rbl_request_refusals
};

const rbl_op_t  rbl_op_request_owner = {
    .script = &rbl_script_request_add,
    .fields = ngx_rbl_request_owner_fields,
    .kinds = { RBL_SID_ACCOUNT },
    .operators = 1,
    .value = "owner",
    .message = "Request queued successfully.",
    .token = RBL_ARG(request_add, field),
    .prepare = ngx_rbl_request_prepare,
    .answer = ngx_rbl_request_answer,
    .refusals = ngx_rbl_request_refusals
};

const rbl_op_t  rbl_op_request_plan = {
    .script = &rbl_script_request_add,
    .fields = ngx_rbl_request_plan_fields,
    .kinds = { RBL_SID_ACCOUNT },
    .operators = 1,
    .value = "plan",
    .message = "Request queued successfully.",
    .prepare = ngx_rbl_request_prepare,
    .answer = ngx_rbl_request_answer,
    .refusals = ngx_rbl_request_refusals
};


/* A request for which no daemon has come in time is expired, though none has
   noted that. */

static void
ngx_rbl_request_write(rbl_run_t *run, rbl_doc_t *doc, const redisReply *raw,
    int64_t now)
{
    rbl_by_t       by;
    rbl_str_t      state;
    rbl_request_t  r;

    if (rbl_request_decode(&r, rbl_reply_str(raw)) != RBL_OK) {
        run->by->note(run, "The record of a request is damaged.");
        return;
    }

    if (rbl_by_decode(&by, r.by) != RBL_OK) {
        by.name = RBL_STR("");
    }

    state = r.state;

    if (rbl_str_is(state, "waiting") && r.tries > 0) {
        state = RBL_STR("begun");

    } else if (rbl_str_is(state, "waiting") && rbl_request_late(&r, now)) {
        state = RBL_STR("expired");
    }

    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "id", r.id);
    rbl_doc_str(doc, "kind", r.kind);
    rbl_doc_str(doc, "account", r.account);
    rbl_doc_str(doc, "name", r.name);
    rbl_doc_str(doc, "mail", r.mail);
    rbl_doc_str(doc, "plan", r.plan);
    rbl_doc_str(doc, "by", by.name);
    rbl_run_at(run, doc, "queued", r.queued);
    rbl_doc_str(doc, "state", state);
    rbl_doc_str(doc, "why", r.why);
    rbl_run_at(run, doc, "ended", r.ended);
    rbl_doc_close(doc);
}


static void
ngx_rbl_requests_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    size_t                      i, n;
    rbl_mp_t                    mp;
    rbl_requests_show_reply_t   said;

    rbl_requests_show_reply(&said, reply);
    rbl_mp_init(&mp, said.plans);

    rbl_doc_array(doc, "plans");

    for (n = said.plans.n > 0 ? rbl_mp_array(&mp) : 0; n > 0; n--) {
        rbl_doc_str(doc, NULL, rbl_mp_str(&mp));

        if (mp.failed) {
            break;
        }
    }

    rbl_doc_close(doc);
    rbl_doc_array(doc, "data");

    for (i = 0; i < rbl_reply_len(said.waiting); i++) {
        ngx_rbl_request_write(run, doc, rbl_reply_at(said.waiting, i),
                              said.now);
    }

    for (i = 0; i < rbl_reply_len(said.ended); i++) {
        ngx_rbl_request_write(run, doc, rbl_reply_at(said.ended, i), said.now);
    }

    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_requests = {
    .script = &rbl_script_requests_show,
    .message = "OK",
    .answer = ngx_rbl_requests_answer
};
