/*
 * Runs an operation: brings the values of its fields, calls its script, and
 * makes the answer.
 */

#include "op.h"

#include "base/xalloc.h"
#include "rbl_validate.h"
#include "rbl_view.h"

#include <obstack.h>
#include <stdlib.h>
#include <time.h>

#define CTL_PAGE_MOST  1000             /* records of a page, at most */

#define obstack_chunk_alloc  xmalloc
#define obstack_chunk_free   free

typedef struct {
    rbl_run_t        run;               /* must be first */
    const char      *account;           /* NULL: a system list is meant, */
    const char      *name;              /* by this */
    struct obstack   room;
    rbl_value_t      value[RBL_FIELDS_MAX];
} ctl_run_t;


static void *
ctl_run_alloc(rbl_run_t *run, size_t n)
{
    ctl_run_t  *r;

    r = (ctl_run_t *) run;

    return memset(obstack_alloc(&r->room, n + 1), 0, n + 1);
}


static void
ctl_run_refuse(rbl_run_t *run, unsigned status, const char *text)
{
    size_t       n, head, tail;
    ctl_run_t   *r;

    r = (ctl_run_t *) run;
    n = strlen(text);
    head = strlen(RBL_UNKNOWN_HEAD);
    tail = strlen(RBL_UNKNOWN_TAIL);

    if (status == 404 && r->account == NULL) {
        ctl_fail("there is no list %s, or it is killed; rblctl lists show"
                 " names them all", r->name);

    } else if (status == 404 && run->id.n > 0 && n > head + tail
        && memcmp(text, RBL_UNKNOWN_HEAD, head) == 0
        && strcmp(text + n - tail, RBL_UNKNOWN_TAIL) == 0)
    {
        ctl_fail("account %s has no %.*s %s", r->account,
                 (int) (n - head - tail), text + head, run->id.s);

    } else {
        ctl_fail("%s", text);
    }
}


static void
ctl_run_note(rbl_run_t *run, const char *text)
{
    (void) run;

    ctl_note("%s", text);
}


static const rbl_runner_t  ctl_runner = {
    ctl_run_alloc, ctl_run_refuse, ctl_run_note
};


/* -1: error printed. */
static int
ctl_run_given(ctl_run_t *r, int n, const ctl_given_t *given)
{
    int        i;
    size_t     f;
    rbl_str_t  text;

    for (i = 0; i < n; i++) {
        for (f = 0; r->run.fields[f].name.n > 0; f++) {
            if (rbl_str_is(r->run.fields[f].name, given[i].name)) {
                break;
            }
        }

        if (r->run.fields[f].name.n == 0 || given[i].value == NULL) {
            continue;
        }

        text = rbl_trim(rbl_str(given[i].value));

        if (!rbl_text_ok(text)) {
            rbl_invalid(&r->run, given[i].name);
            return -1;
        }

        r->value[f].text = text;
        r->run.given[f].first = r->run.given[f].last = &r->value[f];
    }

    return 0;
}


/* Reads or makes the SID of what is meant.  -1: error printed. */
static int
ctl_run_id(rbl_run_t *run, const rbl_op_t *op, rbl_str_t id)
{
    unsigned  i;

    if (op->makes) {
        return rbl_sid_make(&run->id, op->kinds[0]) == RBL_OK ? 0
               : (ctl_fail("the kernel gives no random bytes"), -1);
    }

    for (i = 1; i < RBL_FIELD_KINDS && op->kinds[i] != 0 && id.n > 0; i++) {
        if (rbl_sid_parse(&run->id, op->kinds[i], id) == RBL_OK) {
            return 0;
        }
    }

    return op->kinds[0] == 0 || id.n == 0 ? 0
           : ctl_sid(&run->id, op->kinds[0], id);
}


/* Brings a user into the index of addresses, or out of it. */
static void
ctl_run_mail(ctl_t *ctl, const ctl_run_t *r)
{
    rbl_str_t  user;

    user = rbl_sid_str(&r->run.id);

    if (r->run.removed) {
        (void) ctl_mail_remove(ctl, r->run.mail, r->run.account, user);

    } else if (r->run.mail.n > 0) {
        (void) ctl_mail_add(ctl, r->run.mail, r->run.account, user,
                            r->run.confirmed);
    }
}


json_t *
ctl_document(rbl_buf_t *buf)
{
    json_t        *v;
    rbl_str_t      text;
    json_error_t   error;

    text = rbl_buf_str(buf);
    v = json_loadb(text.p, text.n, JSON_ALLOW_NUL, &error);
    rbl_buf_free(buf);

    if (v == NULL) {
        ctl_fail("the answer cannot be shown: %s", error.text);
    }

    return v;
}


/* The answer to a reply; NULL: error printed. */
static json_t *
ctl_run_answer(ctl_t *ctl, ctl_run_t *r, const rbl_op_t *op,
    const redisReply *reply)
{
    rbl_buf_t  buf;
    rbl_doc_t  doc;

    if (rbl_str_is(rbl_reply_word(reply), "ACCOUNT")) {
        ctl_fail("there is no account %s", r->account);
        return NULL;
    }

    if (!rbl_str_is(rbl_reply_word(reply), "OK")) {
        if (rbl_refuse_by(&r->run, op->refusals, reply) != 0) {
            ctl_fail("the store's reply could not be understood");
        }

        return NULL;
    }

    rbl_buf_init(&buf);
    rbl_doc_begin(&doc, &buf.out, RBL_JSON);

    if (r->account != NULL) {
        rbl_doc_z(&doc, "account", r->account);
    }

    if (r->run.id.n > 0) {
        rbl_doc_str(&doc, "id", rbl_sid_str(&r->run.id));
    }

    rbl_doc_z(&doc, "done", op->message);

    if (op->answer != NULL) {
        op->answer(&r->run, &doc, reply);
    }

    ctl_run_mail(ctl, r);

    rbl_doc_end(&doc);

    if (r->run.refusal) {
        rbl_buf_free(&buf);
        return NULL;
    }

    return ctl_document(&buf);
}


redisReply *
ctl_op_system(ctl_t *ctl, const rbl_op_t *op, rbl_str_t list, int argc,
    rbl_str_t *argv)
{
    unsigned     p, to;
    rbl_key_t    key;
    redisReply  *reply;

    if (ctl_complete(ctl) != 0) {
        return NULL;
    }

    p = op->system == RBL_SYSTEM_ONE ? rbl_partition(&ctl->ks, list) : 0;
    to = op->system == RBL_SYSTEM_ONE ? p + 1 : ctl->ks.partitions;

    for ( /* void */ ; /* void */ ; freeReplyObject(reply)) {
        argv[0] = rbl_system_key(op, &key, &ctl->ks, p, list);
        reply = ctl_script(ctl, op->script, argc, argv);

        if (reply == NULL && op->system == RBL_SYSTEM_ALL && p > 0) {
            ctl_fail("changed in %u of %u partitions: do it again", p, to);
        }

        if (reply == NULL || ++p == to
            || !rbl_str_is(rbl_reply_word(reply), "OK"))
        {
            return reply;
        }
    }
}


/* Calls the script of the operation.  NULL: error printed. */
static json_t *
ctl_run_script(ctl_t *ctl, ctl_run_t *r, const rbl_op_t *op)
{
    int          argc;
    json_t      *answer;
    rbl_str_t   *argv;
    redisReply  *reply;

    if (rbl_op_prepare(&r->run, op) != 0) {
        return NULL;
    }

    argc = op->script->argc + (int) r->run.n_rest;
    argv = rbl_run_argv(&r->run);
    reply = argv == NULL ? NULL
            : op->system ? ctl_op_system(ctl, op, rbl_sid_str(&r->run.id), argc,
                                         argv)
            : ctl_script(ctl, op->script, argc, argv);
    if (reply == NULL) {
        return NULL;
    }

    answer = ctl_run_answer(ctl, r, op, reply);
    freeReplyObject(reply);

    return answer;
}


json_t *
ctl_op_run(ctl_t *ctl, const rbl_op_t *op, rbl_str_t customer, rbl_str_t id,
    int n, const ctl_given_t *given)
{
    json_t     *answer;
    ctl_run_t   r;
    rbl_sid_t   account;
    rbl_key_t   key;

    if (!op->system
        && (op->makes && !op->operators ? ctl_customer(&account, customer)
                      : ctl_sid(&account, RBL_SID_ACCOUNT, customer))
           != 0)
    {
        return NULL;
    }

    memset(&r, 0, sizeof(r));
    obstack_init(&r.room);
    r.account = op->system ? NULL : account.s;
    r.name = customer.p;
    r.run.by = &ctl_runner;
    r.run.fields = op->fields;
    r.run.script = op->script;
    r.run.now = (int64_t) time(NULL) * 1000;
    r.run.page_most = CTL_PAGE_MOST;
    r.run.path = r.run.operator = 1;
    r.run.back = rbl_str(ctl_option(ctl, "back") ? ctl_option(ctl, "back")
                                                 : "");
    r.run.view = RBL_VIEW_STATE|RBL_VIEW_LAPSED;
    r.run.account = op->system ? RBL_STR("") : rbl_sid_str(&account);

    if (ctl_run_given(&r, n, given) != 0 || rbl_run_fields(&r.run) != 0
        || ctl_run_id(&r.run, op, id) != 0)
    {
        obstack_free(&r.room, NULL);
        return NULL;
    }

    if (!op->system) {
        r.run.argv[RBL_ARG_ACCT] = ctl_acct(ctl, &key, &account);
    }

    if (r.run.id.n > 0) {
        r.run.argv[RBL_ARG_ID] = rbl_sid_str(&r.run.id);
    }

    if (op->value != NULL) {
        r.run.argv[RBL_ARG_VALUE] = rbl_str(op->value);
    }

    answer = ctl_run_script(ctl, &r, op);
    obstack_free(&r.room, NULL);

    return answer;
}


json_t *
ctl_op_data(json_t *answer)
{
    json_t  *data;

    data = json_incref(json_object_get(answer, "data"));
    json_decref(answer);

    return data;
}
