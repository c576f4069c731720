/*
 * An account: its record, its limits, and what of them is used; what its users
 * may choose.
 */

#include "rbl_ops.h"

#include "rbl_validate.h"


#define RBL_INTERVAL_MAX  (30 * 86400)  /* s */

static const rbl_outcome_t  rbl_account_refusals[] = {
    { "SHORT", 409, "The plan allows no interval shorter than %L seconds." },
    { NULL, 0, NULL }
};


rbl_err_t
rbl_account_now(rbl_account_t *account, rbl_str_t record, rbl_str_t wanted)
{
    rbl_wanted_t  w;

    if (rbl_account_decode(account, record) != RBL_OK) {
        return RBL_ETYPE;
    }

    if (rbl_wanted_decode(&w, wanted) != RBL_OK) {
        return RBL_OK;
    }

    if (w.name.n > 0) {
        account->name = w.name;
    }

    if (w.timezone.n > 0) {
        account->timezone = w.timezone;
    }

    if (w.interval > 0) {
        account->interval = w.interval > account->min_interval
                            ? w.interval : account->min_interval;
    }

    return RBL_OK;
}


/* most: 0 if there is no limit. */

static void
rbl_account_limit(rbl_doc_t *doc, const char *key, int64_t used, int64_t most)
{
    rbl_doc_object(doc, key);
    rbl_doc_int(doc, "used", used);
    rbl_doc_int(doc, "max", most);
    rbl_doc_close(doc);
}


static void
rbl_account_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    rbl_chosen_t                chosen;
    rbl_account_t               account;
    rbl_account_show_reply_t    said;

    rbl_account_show_reply(&said, reply);

    if (rbl_account_now(&account, said.record, said.wanted) != RBL_OK) {
        rbl_refuse(run, 500, "The record of the account is damaged.");
        return;
    }

    if (rbl_chosen_decode(&chosen, said.chosen) != RBL_OK) {
        chosen.profile = chosen.group = RBL_STR("");
    }

    rbl_doc_object(doc, "data");
    rbl_doc_str(doc, "id", account.id);
    rbl_doc_str(doc, "name", account.name);
    rbl_doc_str(doc, "timezone", account.timezone);
    rbl_doc_int(doc, "interval", account.interval);
    rbl_doc_int(doc, "min_interval", account.min_interval);
    rbl_doc_str(doc, "plan", account.plan);
    rbl_account_limit(doc, "hosts", said.hosts, account.max_hosts);
    rbl_account_limit(doc, "contacts", said.contacts, account.max_contacts);
    rbl_account_limit(doc, "checks", said.checks, account.max_checks);
    rbl_doc_str(doc, "profile", chosen.profile);
    rbl_doc_str(doc, "contact_group", chosen.group);
    rbl_run_at(run, doc, "created", account.created);

    if (run->operator) {
        rbl_doc_str(doc, "status", account.status);
        rbl_doc_bool(doc, "paid", account.paid != 0);
        rbl_doc_int(doc, "listed", said.listed);
        rbl_doc_int(doc, "apps", said.apps);
        rbl_doc_int(doc, "webhooks", said.hooks);
    }

    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_account = {
    .script = &rbl_script_account_show,
    .message = "OK",
    .answer = rbl_account_answer
};


/* The program knows the time zones, and has judged the name of one. */

static const rbl_field_t  rbl_account_fields[] = {
    RBL_TEXT("name", 0, rbl_label, RBL_ARG(account_update, name)),
    RBL_TEXT("timezone", 0, NULL, RBL_ARG(account_update, timezone)),
    RBL_NUMBER("interval", 1, RBL_INTERVAL_MAX, 0,
               RBL_ARG(account_update, interval)),
    RBL_END
};


/* nginx may not write the record of an account. */

const rbl_op_t  rbl_op_account_update = {
    .script = &rbl_script_account_update,
    .fields = rbl_account_fields,
    .message = "Account updated successfully.",
    .operated = RBL_ARG(account_update, now),
    .refusals = rbl_account_refusals
};
