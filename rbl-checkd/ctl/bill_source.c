/*
 * rblctl bill source, bill settle: payment sources of an account, and payments
 * that only the operator can end.
 */

#include "ctl.h"

#include "rbl_record.h"

#define SOURCE_REFERENCE  255           /* octets */


static const ctl_column_t  source_row[] = {
    { "id", "SOURCE" }, { "type", "TYPE" }, { "brand", "BRAND" },
    { "last4", "LAST4" }, { "exp_month", "MONTH" }, { "exp_year", "YEAR" },
    { NULL, NULL }
};


static int
source_one(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    rbl_source_t  s;

    (void) ctl;

    if (rbl_source_decode(&s, raw) != RBL_OK) {
        ctl_fail("the record of source %.*s is damaged", (int) sid.n, sid.p);
        return -1;
    }

    return json_array_append_new(data,
               json_pack("{so so so so sI sI so sb}",
                         "id", ctl_text(s.id), "type", ctl_text(s.type),
                         "brand", ctl_text(s.brand),
                         "last4", ctl_text(s.last4),
                         "exp_month", (json_int_t) s.month,
                         "exp_year", (json_int_t) s.year,
                         "created", ctl_time(s.created),
                         "live", s.live != 0));
}


/* The page of a source that is being added, on standard error. */

static int
source_setup(ctl_t *ctl)
{
    rbl_sid_t    sid;
    rbl_key_t    key;
    redisReply  *reply;
    rbl_setup_t  setup;

    if (ctl_sid(&sid, RBL_SID_ACCOUNT, ctl->args[0]) != 0) {
        return -1;
    }

    reply = ctl_command(ctl, RBL_COMMAND("GET",
                        rbl_account_key(&key, &ctl->ks, "setup",
                                        rbl_sid_str(&sid), RBL_STR(""))));
    if (reply == NULL) {
        return -1;
    }

    if (rbl_setup_decode(&setup, rbl_reply_str(reply)) == RBL_OK) {
        ctl_note("a source that is being added: %.*s%s%.*s%s%.*s",
                 (int) setup.state.n, setup.state.p, setup.url.n ? ", " : "",
                 (int) setup.url.n, setup.url.p, setup.text.n ? ": " : "",
                 (int) setup.text.n, setup.text.p);
    }

    freeReplyObject(reply);

    return 0;
}


int
ctl_bill_sources(ctl_t *ctl)
{
    return source_setup(ctl) != 0 ? CTL_ERROR
           : ctl_account_records(ctl, "sources", "source", source_one,
                                 source_row);
}


int
ctl_bill_source_add(ctl_t *ctl)
{
    rbl_url_t    url;
    redisReply  *reply;
    const char  *back;

    rbl_bill_setup_args_t   args;
    rbl_bill_setup_reply_t  said;

    back = ctl_option(ctl, "back");

    if (back == NULL || rbl_url_parse(&url, rbl_str(back)) != RBL_OK
        || !url.tls)
    {
        return ctl_fail("--back must be given, an https:// URL");
    }

    args.back = rbl_str(back);
    reply = ctl_account_script(ctl, CTL_SCRIPT(bill_setup, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_bill_setup_reply(&said, reply);
    freeReplyObject(reply);

    switch (said.word) {

    case RBL_BILL_SETUP_OK:
        return ctl_bill_sources(ctl);

    case RBL_BILL_SETUP_GATEWAY:
        return ctl_fail("the gateway of the account keeps no payment sources");

    default:
        return ctl_fail("the account has no bill; rblctl bill plan makes one");
    }
}


int
ctl_bill_source_remove(ctl_t *ctl)
{
    rbl_sid_t    source;
    redisReply  *reply;

    rbl_bill_source_remove_args_t   args;
    rbl_bill_source_remove_reply_t  said;

    if (ctl_sid(&source, RBL_SID_SOURCE, ctl->args[1]) != 0) {
        return CTL_ERROR;
    }

    args.source = rbl_sid_str(&source);
    reply = ctl_account_script(ctl, CTL_SCRIPT(bill_source_remove, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_bill_source_remove_reply(&said, reply);
    freeReplyObject(reply);

    return said.word == RBL_BILL_SOURCE_REMOVE_OK ? ctl_bill_sources(ctl)
           : ctl_fail("the account has no such payment source");
}


static int
settle_said(const rbl_bill_settle_reply_t *said)
{
    switch (said->word) {

    case RBL_BILL_SETTLE_OK:
        return CTL_OK;

    case RBL_BILL_SETTLE_STATE:
        return ctl_fail("the payment does not wait for the gateway: it is"
                        " %.*s", (int) said->state.n, said->state.p);

    case RBL_BILL_SETTLE_FLIGHT:
        return ctl_fail("the daemon still asks the gateway (%.*s): a charge"
                        " that is on its way would be made twice. Wait until"
                        " the payment is left to you, or give --force",
                        (int) said->state.n, said->state.p);

    default:
        return ctl_fail("the account has no such payment; rblctl bill payments"
                        " lists them");
    }
}


int
ctl_bill_settle(ctl_t *ctl)
{
    int          rc;
    rbl_sid_t    payment;
    redisReply  *reply;
    const char  *reference;

    rbl_bill_settle_args_t   args;
    rbl_bill_settle_reply_t  said;

    reference = ctl_option(ctl, "reference");
    args.reference = rbl_str(reference ? reference : "");
    args.result = ctl->args[2];
    args.force = ctl_option(ctl, "force") ? RBL_STR("1") : RBL_STR("");

    if (args.reference.n > SOURCE_REFERENCE || !rbl_text_ok(args.reference)) {
        return ctl_fail("--reference must be a text of at most %d octets",
                        SOURCE_REFERENCE);
    }

    if (!rbl_str_is(args.result, "succeeded")
        && !rbl_str_is(args.result, "failed"))
    {
        return ctl_fail("the third argument must be succeeded or failed");
    }

    if (ctl_sid(&payment, RBL_SID_PAYMENT, ctl->args[1]) != 0) {
        return CTL_ERROR;
    }

    args.payment = rbl_sid_str(&payment);
    reply = ctl_account_script(ctl, CTL_SCRIPT(bill_settle, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_bill_settle_reply(&said, reply);
    rc = settle_said(&said);
    freeReplyObject(reply);

    return rc == CTL_OK ? ctl_bill_show(ctl) : rc;
}
