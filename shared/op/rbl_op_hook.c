/*
 * Webhook receivers: the list, one of them, and changes.  A secret is made here
 * and is in the answer once.
 */

#include "rbl_ops.h"

#include "rbl_record.h"
#include "rbl_validate.h"
#include "rbl_view.h"


#define RBL_HOOK_TYPES_MAX    16        /* types that a receiver may name */
#define RBL_HOOK_OVERLAP      86400     /* time that an old secret stays valid
                                           (s), and the longest */
#define RBL_HOOK_OVERLAP_MAX  (30 * 86400)

enum {                                  /* fields of add and update */
    RBL_HOOK_FIELD_NAME = 0,
    RBL_HOOK_FIELD_URL,
    RBL_HOOK_FIELD_TYPES
};

/* The failures of a receiver. */
typedef struct {
    int64_t  since;                     /* ms; 0: it does not fail */
    int64_t  fails;                     /* failed attempts since then */
    int64_t  till;                      /* paused until then (ms); 0: not */
} rbl_hook_fails_t;


static const char *const  rbl_hook_types[] = {
    "rbl.host.check.started", "rbl.host.check.completed", "rbl.host.listed",
    "rbl.host.delisted", "billing.balance.alert", "billing.recharge.success",
    "billing.recharge.failed", "billing.renewal.success",
    "billing.renewal.failed", "expiring.card.alert", "expiring.plan.alert",
    NULL
};

const rbl_outcome_t  rbl_hook_refusals[] = {
    RBL_UNKNOWN_ID("HOOK", "webhook"),
    { "LIMIT", 409, "An account may have at most %L webhooks." },
    { NULL, 0, NULL }
};


static void
rbl_hook_members(rbl_run_t *run, rbl_doc_t *doc, const rbl_hook_t *hook,
    const rbl_hook_fails_t *fails)
{
    int  off;

    off = !rbl_str_is(hook->status, "active");

    rbl_doc_str(doc, "id", hook->id);
    rbl_doc_str(doc, "name", hook->name);
    rbl_view_url(doc, "url", hook->url, run->path);
    (void) rbl_view_texts(doc, "types", hook->types);
    rbl_doc_str(doc, "status", hook->status);
    rbl_run_at(run, doc, "created", hook->created);
    rbl_run_at(run, doc, "disabled", off ? hook->disabled : 0);
    rbl_doc_str(doc, "reason", off ? hook->reason : RBL_STR(""));
    rbl_run_at(run, doc, "failing_since", fails->since);
    rbl_doc_int(doc, "failed", fails->fails);
    rbl_run_at(run, doc, "quiet_until",
               fails->till > run->now ? fails->till : 0);
}


/* -1: refused, the record is damaged. */

static int
rbl_hook_read(rbl_run_t *run, rbl_hook_t *hook, rbl_str_t raw)
{
    if (rbl_hook_decode(hook, raw) == RBL_OK) {
        return 0;
    }

    rbl_refuse(run, 500, "The record of a webhook is damaged.");

    return -1;
}


/* A receiver whose record is damaged is left out: the others are shown. */

static void
rbl_hooks_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    size_t                  i;
    rbl_hook_t              hook;
    rbl_hook_fails_t        fails;
    rbl_hook_list_hook_t    row;
    rbl_hook_list_reply_t   said;

    rbl_hook_list_reply(&said, reply);
    rbl_page_open(run, doc, "total_webhooks", said.total);

    for (i = 0; i < rbl_reply_len(said.hooks); i++) {
        rbl_hook_list_hook(&row, rbl_reply_at(said.hooks, i));

        if (rbl_hook_decode(&hook, row.record) != RBL_OK) {
            run->by->note(run, "The record of a webhook is damaged.");
            continue;
        }

        fails = (rbl_hook_fails_t) { row.since, row.fails, row.till };

        rbl_doc_object(doc, NULL);
        rbl_hook_members(run, doc, &hook, &fails);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_hooks = {
    .script = &rbl_script_hook_list,
    .fields = rbl_page_fields,
    .message = "OK",
    .ranks = RBL_ARG(hook_list, first),
    .answer = rbl_hooks_answer
};


static void
rbl_hook_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    rbl_hook_t              hook;
    rbl_hook_fails_t        fails;
    rbl_hook_show_reply_t   said;

    rbl_hook_show_reply(&said, reply);

    if (rbl_hook_read(run, &hook, said.record) != 0) {
        return;
    }

    fails = (rbl_hook_fails_t) { said.since, said.fails, said.till };

    rbl_doc_object(doc, "data");
    rbl_hook_members(run, doc, &hook, &fails);
    rbl_run_at(run, doc, "old_secret_until",
               hook.old_until > run->now ? hook.old_until : 0);
    rbl_doc_int(doc, "pending", said.pending);
    rbl_doc_int(doc, "account_dead_letters", said.dead);
    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_hook = {
    .script = &rbl_script_hook_show,
    .kinds = { RBL_SID_HOOK },
    .message = "OK",
    .answer = rbl_hook_answer,
    .refusals = rbl_hook_refusals
};


static int
rbl_hook_url(rbl_run_t *run, rbl_str_t *text)
{
    rbl_url_t  url;

    if (rbl_url_parse(&url, *text) == RBL_OK) {
        return 0;
    }

    rbl_refuse(run, 400, "Invalid url value provided: it must be http or https,"
                         " with a host, and without a user name and a"
                         " fragment.");

    return -1;
}


static int
rbl_hook_type_known(rbl_str_t type)
{
    int  i;

    for (i = 0; rbl_hook_types[i] != NULL; i++) {
        if (rbl_str_is(type, rbl_hook_types[i])) {
            return 1;
        }
    }

    return 0;
}


/* The types stand behind the arguments of the script; none: every type. */

static int
rbl_hook_read_types(rbl_run_t *run)
{
    int         i, n;
    rbl_str_t  *types;

    n = rbl_list(run, RBL_HOOK_FIELD_TYPES, &types);

    if (n < 0) {
        return -1;
    }

    if (n == 1 && types[0].n == 0) {
        n = 0;
    }

    for (i = 0; i < n; i++) {
        if (n > RBL_HOOK_TYPES_MAX || !rbl_hook_type_known(types[i])) {
            rbl_refuse(run, 400, "Invalid types value provided: they are"
                       " rbl.host.check.started, rbl.host.check.completed,"
                       " rbl.host.listed, rbl.host.delisted, and those of"
                       " billing.");
            return -1;
        }
    }

    run->rest = types;
    run->n_rest = (size_t) n;

    return 0;
}


static const rbl_field_t  rbl_hook_add_fields[] = {
    RBL_TEXT("name", RBL_NEEDED, rbl_label, RBL_ARG(hook_put, name)),
    RBL_TEXT("url", RBL_NEEDED|RBL_SECRET, rbl_hook_url,
             RBL_ARG(hook_put, url)),
    RBL_TEXT("types", RBL_LIST, NULL, 0),
    RBL_END
};


static void
rbl_hook_add_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    rbl_hook_t             hook;
    rbl_hook_put_reply_t   said;

    static const rbl_hook_fails_t  none;

    rbl_hook_put_reply(&said, reply);

    if (rbl_hook_read(run, &hook, said.record) != 0) {
        return;
    }

    rbl_doc_object(doc, "data");
    rbl_hook_members(run, doc, &hook, &none);
    rbl_doc_str(doc, "secret", hook.secret);
    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_hook_add = {
    .script = &rbl_script_hook_put,
    .fields = rbl_hook_add_fields,
    .kinds = { RBL_SID_HOOK },
    .makes = 1,
    .message = "Webhook added successfully.",
    .secret = RBL_ARG(hook_put, secret),
    .prepare = rbl_hook_read_types,
    .answer = rbl_hook_add_answer,
    .refusals = rbl_hook_refusals
};


static const rbl_field_t  rbl_hook_update_fields[] = {
    RBL_TEXT("name", 0, rbl_label, RBL_ARG(hook_update, name)),
    RBL_TEXT("url", RBL_SECRET, rbl_hook_url, RBL_ARG(hook_update, url)),
    RBL_TEXT("types", RBL_LIST, NULL, 0),
    RBL_END
};


static int
rbl_hook_update_prepare(rbl_run_t *run)
{
    run->argv[RBL_ARG(hook_update, typed)] =
        rbl_digit(run->given[RBL_HOOK_FIELD_TYPES].first != NULL);

    return rbl_hook_read_types(run);
}


const rbl_op_t  rbl_op_hook_update = {
    .script = &rbl_script_hook_update,
    .fields = rbl_hook_update_fields,
    .kinds = { RBL_SID_HOOK },
    .message = "Webhook updated successfully.",
    .prepare = rbl_hook_update_prepare,
    .refusals = rbl_hook_refusals
};


static const rbl_field_t  rbl_hook_rotate_fields[] = {
    RBL_NUMBER("overlap", 0, RBL_HOOK_OVERLAP_MAX, RBL_HOOK_OVERLAP,
               RBL_ARG(hook_secret, stays)),
    RBL_END
};


static void
rbl_hook_rotate_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    rbl_hook_secret_reply_t  said;

    rbl_hook_secret_reply(&said, reply);

    rbl_doc_object(doc, "data");
    rbl_doc_str(doc, "secret", run->argv[RBL_ARG(hook_secret, secret)]);
    rbl_run_at(run, doc, "old_secret_until", said.until);
    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_hook_rotate = {
    .script = &rbl_script_hook_secret,
    .fields = rbl_hook_rotate_fields,
    .kinds = { RBL_SID_HOOK },
    .message = "Secret changed successfully.",
    .secret = RBL_ARG(hook_secret, secret),
    .answer = rbl_hook_rotate_answer,
    .refusals = rbl_hook_refusals
};

const rbl_op_t  rbl_op_hook_enable = {
    .script = &rbl_script_hook_status,
    .kinds = { RBL_SID_HOOK },
    .value = "active",
    .message = "Webhook enabled successfully.",
    .refusals = rbl_hook_refusals
};

const rbl_op_t  rbl_op_hook_disable = {
    .script = &rbl_script_hook_status,
    .kinds = { RBL_SID_HOOK },
    .value = "disabled",
    .message = "Webhook disabled successfully.",
    .refusals = rbl_hook_refusals
};

const rbl_op_t  rbl_op_hook_delete = {
    .script = &rbl_script_hook_delete,
    .kinds = { RBL_SID_HOOK },
    .message = "Webhook deleted successfully.",
    .refusals = rbl_hook_refusals
};
