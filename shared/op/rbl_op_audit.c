/*
 * The audit log of an account, one page per call, newest first.
 */

#include "rbl_ops.h"

#include "rbl_audit.h"


#define RBL_AUDIT_LAST  50              /* default */


static int
rbl_audit_of(rbl_run_t *run, rbl_str_t *text)
{
    rbl_sid_t  *sid;

    sid = rbl_room(run, sizeof(rbl_sid_t));

    if (sid == NULL || rbl_audit_sid(sid, *text) != RBL_OK) {
        return rbl_expect(run, "a SID");
    }

    *text = rbl_sid_str(sid);

    return 0;
}


static const rbl_field_t  rbl_audit_fields_of[] = {
    RBL_TEXT("before", 0, rbl_entry, RBL_ARG(audit_show, before)),
    RBL_NUMBER("limit", 1, RBL_AUDIT_PAGE, RBL_AUDIT_LAST,
               RBL_ARG(audit_show, most)),
    RBL_TEXT("who", 0, rbl_audit_of, RBL_ARG(audit_show, who)),
    RBL_TEXT("target", 0, rbl_audit_of, RBL_ARG(audit_show, target)),
    RBL_END
};


static int
rbl_audit_prepare(rbl_run_t *run)
{
    run->argv[RBL_ARG(audit_show, looks)] = RBL_STR(RBL_AUDIT_LOOKS);

    return 0;
}


static void
rbl_audit_named(rbl_doc_t *doc, rbl_str_t id, rbl_str_t name)
{
    rbl_doc_str(doc, "id", id);
    rbl_doc_str(doc, "name", name);
}


static void
rbl_audit_entry(rbl_run_t *run, rbl_doc_t *doc, const rbl_audit_t *entry)
{
    rbl_str_t            name, value;
    rbl_audit_fields_t   fields;

    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "id", entry->id);
    rbl_run_at(run, doc, "at", entry->at);
    rbl_doc_object(doc, "who");
    rbl_doc_str(doc, "kind", rbl_str(entry->kind));
    rbl_audit_named(doc, entry->by.who, entry->by.name);
    rbl_doc_close(doc);
    rbl_doc_str(doc, "from", entry->by.from);
    rbl_doc_str(doc, "call", entry->by.call);
    rbl_doc_int(doc, "count", entry->count);
    rbl_doc_object(doc, "target");
    rbl_audit_named(doc, entry->target, entry->target_name);
    rbl_doc_close(doc);
    rbl_doc_array(doc, "fields");

    rbl_audit_fields(&fields, entry);

    while (rbl_audit_next(&fields, &name, &value)) {
        rbl_doc_object(doc, NULL);
        rbl_doc_str(doc, "name", name);
        rbl_doc_str(doc, "value", value);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
    rbl_doc_close(doc);
}


static void
rbl_audit_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    size_t                   i;
    rbl_audit_t              entry;
    rbl_audit_show_reply_t   said;

    rbl_audit_show_reply(&said, reply);

    rbl_doc_str(doc, "next", said.before);
    rbl_doc_array(doc, "data");

    for (i = 0; i < rbl_reply_len(said.entries); i++) {
        if (rbl_audit_decode(&entry, rbl_reply_at(said.entries, i))
            == RBL_OK)
        {
            rbl_audit_entry(run, doc, &entry);

        } else {
            run->by->note(run, "An entry of the audit log is damaged.");
        }
    }

    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_audit = {
    .script = &rbl_script_audit_show,
    .fields = rbl_audit_fields_of,
    .message = "OK",
    .prepare = rbl_audit_prepare,
    .answer = rbl_audit_answer,
    .slow = 1
};
