/*
 * hosts/bulk: one change of many hosts, some of them in each call.
 */

#include "ngx_rbl_portal.h"
#include "ngx_rbl_write.h"

#include "rbl_ops.h"


#define NGX_RBL_BULK_MOST  200          /* hosts of a call */
#define NGX_RBL_BULK_TO    1800         /* octets of the groups of a host */


static const char *const  ngx_rbl_bulk_actions[] = {
    "pause", "resume", "delete", "group", "profile", NULL
};


static int
ngx_rbl_bulk_action(rbl_run_t *run, rbl_str_t *text)
{
    size_t  i;

    for (i = 0; ngx_rbl_bulk_actions[i]; i++) {
        if (rbl_str_is(*text, ngx_rbl_bulk_actions[i])) {
            return 0;
        }
    }

    return -1;
}


/* The script judges the rest. */

static int
ngx_rbl_bulk_to(rbl_run_t *run, rbl_str_t *text)
{
    return text->n <= NGX_RBL_BULK_TO ? 0 : -1;
}


static const rbl_field_t  ngx_rbl_bulk_fields[] = {
    RBL_SIDS("hosts", RBL_NEEDED|RBL_LIST, RBL_SID_HOST, 0),
    RBL_TEXT("action", RBL_NEEDED, ngx_rbl_bulk_action,
             RBL_ARG(host_bulk, action)),
    RBL_TEXT("to", RBL_EMPTY, ngx_rbl_bulk_to, RBL_ARG(host_bulk, to)),
    RBL_END
};

static const rbl_outcome_t  ngx_rbl_bulk_refusals[] = {
    RBL_INVALID("GROUP", "to"),
    RBL_INVALID("PROFILE", "to"),
    { "GROUPS", NGX_HTTP_CONFLICT,
      "A host may have at most %L contact groups." },
    NGX_RBL_LAPSED,
    { NULL, 0, NULL }
};


static int
ngx_rbl_bulk_prepare(rbl_run_t *run)
{
    if (run->n_rest <= NGX_RBL_BULK_MOST) {
        return 0;
    }

    rbl_invalid(run, "hosts");

    return -1;
}


static void
ngx_rbl_bulk_rows(rbl_doc_t *doc, const char *name, const redisReply *sids,
    const redisReply *was)
{
    size_t  i;

    rbl_doc_array(doc, name);

    for (i = 0; i < rbl_reply_len(sids); i++) {
        rbl_doc_object(doc, NULL);
        rbl_doc_str(doc, "id", rbl_reply_str(rbl_reply_at(sids, i)));
        rbl_doc_str(doc, "was", rbl_reply_str(rbl_reply_at(was, i)));
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}


static void
ngx_rbl_bulk_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    rbl_host_bulk_reply_t  said;

    rbl_host_bulk_reply(&said, reply);
    rbl_doc_object(doc, "data");
    rbl_doc_int(doc, "left", said.left);
    rbl_doc_int(doc, "gone", said.gone);
    ngx_rbl_bulk_rows(doc, "changed", said.changed, said.was);
    ngx_rbl_bulk_rows(doc, "ranges", said.ranges, said.of);
    rbl_doc_close(doc);
}


static const rbl_op_t  ngx_rbl_bulk = {
    .script = &rbl_script_host_bulk,
    .fields = ngx_rbl_bulk_fields,
    .message = "Hosts changed successfully.",
    .prepare = ngx_rbl_bulk_prepare,
    .answer = ngx_rbl_bulk_answer,
    .refusals = ngx_rbl_bulk_refusals,
    .slow = 1
};


static void
ngx_rbl_bulk_proceed(ngx_rbl_ctx_t *ctx)
{
    char  keep[RBL_OUT_INT];

    ctx->run.argv[RBL_ARG(host_bulk, keep)] =
                              rbl_out_int_text(keep, ctx->conf->check_keep);

    ngx_rbl_write_proceed(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_hosts_bulk = {
    .op = &ngx_rbl_bulk,
    .proceed = ngx_rbl_bulk_proceed
};
