/*
 * host/alerts: who is notified about the listings of a host, by its contact
 * groups.
 */

#include "ngx_rbl_portal.h"
#include "ngx_rbl_write.h"

#include "rbl_ops.h"


#define NGX_RBL_ALERTS_MOST  "10"         /* contacts of a group */

enum {                                  /* fields of a group */
    NGX_RBL_ALERTS_ID = 0,
    NGX_RBL_ALERTS_RECORD,
    NGX_RBL_ALERTS_CONTACTS,
    NGX_RBL_ALERTS_ACTIVE,
    NGX_RBL_ALERTS_FIRST
};


/* A group that is gone has no name. */

static void
ngx_rbl_alerts_groups(rbl_doc_t *doc, const redisReply *groups)
{
    size_t             i, k;
    rbl_group_t        group;
    const redisReply  *row, *first;

    rbl_doc_array(doc, "groups");

    for (i = 0; i < rbl_reply_len(groups); i++) {
        row = rbl_reply_at(groups, i);
        first = rbl_reply_at(row, NGX_RBL_ALERTS_FIRST);

        if (rbl_group_decode(&group, rbl_reply_str(
                                 rbl_reply_at(row, NGX_RBL_ALERTS_RECORD)))
            != RBL_OK)
        {
            group.name = RBL_STR("");
        }

        rbl_doc_object(doc, NULL);
        rbl_doc_str(doc, "id", rbl_reply_str(rbl_reply_at(row,
                                                          NGX_RBL_ALERTS_ID)));
        rbl_doc_str(doc, "name", group.name);
        rbl_doc_int(doc, "total_contacts", rbl_reply_int(
                        rbl_reply_at(row, NGX_RBL_ALERTS_CONTACTS), 0));
        rbl_doc_int(doc, "active_contacts",
                    rbl_reply_int(rbl_reply_at(row, NGX_RBL_ALERTS_ACTIVE), 0));
        rbl_doc_array(doc, "contacts");

        for (k = 0; k < rbl_reply_len(first); k++) {
            rbl_doc_str(doc, NULL, rbl_reply_str(rbl_reply_at(first, k)));
        }

        rbl_doc_close(doc);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}


static void
ngx_rbl_alerts_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    rbl_host_alerts_reply_t  said;

    rbl_host_alerts_reply(&said, reply);
    rbl_doc_object(doc, "data");
    ngx_rbl_alerts_groups(doc, said.groups);
    rbl_doc_array(doc, "contacts");
    rbl_alert_rows(run, doc, said.contacts);
    rbl_doc_close(doc);
    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_host_alerts = {
    .script = &rbl_script_host_alerts,
    .kinds = { RBL_SID_HOST },
    .value = NGX_RBL_ALERTS_MOST,
    .message = "OK",
    .answer = ngx_rbl_alerts_answer,
    .refusals = rbl_host_refusals,
    .slow = 1
};
