/*
 * account: the account, its limits, and what of them is used.  account/update:
 * its name, time zone and interval.
 */

#include "ngx_rbl_portal.h"
#include "ngx_rbl_write.h"

#include "rbl_time.h"

#define NGX_RBL_INTERVAL_MAX  (30 * 86400)      /* s, as rblctl(8) has it */

enum {                                  /* commands of account */
    NGX_RBL_ACCOUNT_STARTED = 0,
    NGX_RBL_ACCOUNT_HOSTS,
    NGX_RBL_ACCOUNT_CONTACTS,
    NGX_RBL_ACCOUNT_RECORD
};

typedef struct {
    int64_t  checks, hosts, contacts;   /* used */
} ngx_rbl_account_t;


static int
ngx_rbl_account_timezone(rbl_run_t *run, rbl_str_t *text)
{
    ngx_rbl_ctx_t  *ctx;

    ctx = ngx_rbl_of(run);

    return ngx_rbl_timezone_known(ctx->request, *text) ? NGX_OK : NGX_DECLINED;
}


static int
ngx_rbl_account_interval(rbl_run_t *run, rbl_str_t *text)
{
    int64_t  n;

    return rbl_int_parse(&n, *text, 1, NGX_RBL_INTERVAL_MAX) == RBL_OK
           ? NGX_OK : NGX_DECLINED;
}


static const rbl_field_t  ngx_rbl_account_fields[] = {
    RBL_TEXT("name", 0, rbl_label, RBL_ARG(account_want, name)),
    RBL_TEXT("timezone", 0, ngx_rbl_account_timezone,
             RBL_ARG(account_want, timezone)),
    RBL_TEXT("interval", 0, ngx_rbl_account_interval,
             RBL_ARG(account_want, interval)),
    RBL_END
};

static const rbl_outcome_t  ngx_rbl_account_refusals[] = {
    { "SHORT", NGX_HTTP_CONFLICT,
      "The plan allows no interval shorter than %L seconds." },
    { NULL, 0, NULL }
};


const ngx_rbl_family_t  ngx_rbl_family_account = {
    .resource = "account",
    .kind = RBL_SID_ACCOUNT,
    .refusals = ngx_rbl_account_refusals
};


rbl_err_t
ngx_rbl_account_now(rbl_account_t *account, const redisReply *record,
    const redisReply *wanted)
{
    rbl_wanted_t  w;

    if (rbl_account_decode(account, rbl_reply_str(record)) != RBL_OK) {
        return RBL_ETYPE;
    }

    if (rbl_wanted_decode(&w, rbl_reply_str(wanted)) != RBL_OK) {
        return RBL_OK;
    }

    if (w.name.n > 0) {
        account->name = w.name;
    }

    if (w.timezone.n > 0) {
        account->timezone = w.timezone;
    }

    if (w.interval > 0) {
        account->interval = ngx_max(w.interval, account->min_interval);
    }

    return RBL_OK;
}


static void
ngx_rbl_account_prepare(ngx_rbl_ctx_t *ctx)
{
    rbl_key_t  key;
    rbl_str_t  wanted;

    if (ngx_rbl_data(ctx, sizeof(ngx_rbl_account_t)) == NULL) {
        return;
    }

    ngx_rbl_ask(ctx, "GET", "started", RBL_STR(""), 0, NULL);
    ngx_rbl_ask_count(ctx, "hosts");
    ngx_rbl_ask_count(ctx, "contacts");
    wanted = rbl_account_key(&key, ngx_rbl_store_keyspace(ctx->store),
                             "wanted", rbl_sid_str(&ctx->account), RBL_STR(""));
    ngx_rbl_ask(ctx, "MGET", "acct", RBL_STR(""), 1, &wanted);
}


/* most: 0 if there is no limit. */

static void
ngx_rbl_account_limit(ngx_rbl_ctx_t *ctx, const char *key, int64_t used,
    int64_t most)
{
    rbl_doc_object(&ctx->doc, key);
    rbl_doc_int(&ctx->doc, "used", used);
    rbl_doc_int(&ctx->doc, "max", most);
    rbl_doc_close(&ctx->doc);
}


static void
ngx_rbl_account_answer(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    char                created[RBL_TIME_LEN];
    rbl_doc_t          *doc;
    rbl_account_t       account;
    ngx_rbl_account_t  *used;

    if (ngx_rbl_account_now(&account, rbl_reply_at(reply, 0),
                            rbl_reply_at(reply, 1))
        != RBL_OK)
    {

        /* deleted since the session was read */

        ngx_rbl_unauthorized(ctx);
        return;
    }

    doc = &ctx->doc;
    used = ctx->data;

    ngx_rbl_open(ctx, 0, "OK");
    rbl_doc_object(doc, "data");
    rbl_doc_str(doc, "id", account.id);
    rbl_doc_str(doc, "name", account.name);
    rbl_doc_str(doc, "timezone", account.timezone);
    rbl_doc_int(doc, "interval", account.interval);
    rbl_doc_int(doc, "min_interval", account.min_interval);
    rbl_doc_str(doc, "plan", account.plan);
    ngx_rbl_account_limit(ctx, "hosts", used->hosts, account.max_hosts);
    ngx_rbl_account_limit(ctx, "contacts", used->contacts,
                          account.max_contacts);
    ngx_rbl_account_limit(ctx, "checks", used->checks, account.max_checks);
    rbl_doc_str(doc, "profile", rbl_sid_str(&ctx->profile));
    rbl_doc_str(doc, "contact_group", rbl_sid_str(&ctx->group));
    rbl_doc_str(doc, "created", rbl_time_rfc3339(created, account.created));
    rbl_doc_close(doc);
    ngx_rbl_close(ctx);
}


static void
ngx_rbl_account_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_account_t  *account;

    account = ctx->data;

    switch (i) {

    case NGX_RBL_ACCOUNT_STARTED:
        account->checks = rbl_reply_int(reply, 0);
        return;

    case NGX_RBL_ACCOUNT_HOSTS:
        account->hosts = rbl_reply_int(reply, 0);
        return;

    case NGX_RBL_ACCOUNT_CONTACTS:
        account->contacts = rbl_reply_int(reply, 0);
        return;

    default:
        ngx_rbl_account_answer(ctx, reply);
    }
}


const ngx_rbl_op_t  ngx_rbl_op_account = {
    .prepare = ngx_rbl_account_prepare,
    .read = ngx_rbl_account_read
};


static void
ngx_rbl_account_change(ngx_rbl_ctx_t *ctx)
{
    (void) rbl_run_fields(&ctx->run);
}


const ngx_rbl_op_t  ngx_rbl_op_account_update = {
    .script = &rbl_script_account_want,
    .fields = ngx_rbl_account_fields,
    .prepare = ngx_rbl_account_change,
    .message = "Account updated successfully."
};
