#include "bills.h"

#include "base/log.h"
#include "config/config.h"
#include "rbl_out.h"


static void
on_step(void *data, const redisReply *reply)
{
    visit_t                *visit = data;
    rbl_bill_step_reply_t   said;

    rbl_bill_step_reply(&said, reply);

    if (said.word == RBL_BILL_STEP_APART) {
        visit_apart(visit);
        return;
    }

    if (said.opened.n > 0) {
        log_info("account %s: payment %.*s is open", visit->account.s,
                 (int) said.opened.n, said.opened.p);
    }

    visit_stepped(visit, visit_refusal(reply), 0);
}


static void
bills_step(void *data, store_t *store, visit_t *visit)
{
    char                   grace[RBL_OUT_INT], kept[RBL_OUT_INT];
    char                   clock[RBL_OUT_INT];
    rbl_key_t              key;
    const config_t        *conf = data;
    rbl_bill_step_args_t   args;

    args.acct = rbl_account_key(&key, store_keyspace(store), "acct",
                                rbl_sid_str(&visit->account), RBL_STR(""));
    args.grace = rbl_out_int_text(grace, (int64_t) (conf->bill_grace * 1000));
    args.kept = rbl_out_int_text(kept, conf->bill_kept);
    args.clock = visits_clock(clock);
    args.gateway = rbl_str(conf->gateway);
    store_call(store, bill_step, on_step, visit, args);
}


const visits_kind_t  bills_kind = { "billdue", "billing", 2, 1,
                                    bills_step };
