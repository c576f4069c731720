#include "bills.h"

#include "base/log.h"
#include "rbl_out.h"
#include "store/visits.h"

#include <stdlib.h>

struct bills_s {
    store_t        *store;
    const config_t *conf;
    visits_t       *visits;
};


static void
on_step(void *data, const redisReply *reply)
{
    visit_t                *visit = data;
    rbl_bill_step_reply_t   said;

    rbl_bill_step_reply(&said, reply);

    if (said.opened.n > 0) {
        log_info("account %s: payment %.*s is open", visit->account.s,
                 (int) said.opened.n, said.opened.p);
    }

    visit_stepped(visit, visit_refusal(reply), 0);
}


static void
bills_step(void *data, visit_t *visit)
{
    char                   grace[RBL_OUT_INT];
    bills_t               *bills = data;
    rbl_key_t              key;
    rbl_bill_step_args_t   args;

    args.acct = rbl_account_key(&key, store_keyspace(bills->store), "acct",
                                rbl_sid_str(&visit->account), RBL_STR(""));
    args.grace = rbl_out_int_text(grace,
                                  (int64_t) (bills->conf->bill_grace * 1000));
    store_call(bills->store, bill_step, on_step, visit, args);
}


static const visits_kind_t  bills_kind = { "billdue", "billing", bills_step };


bills_t *
bills_new(struct ev_loop *loop, const config_t *conf, store_t *store)
{
    bills_t  *bills;

    bills = calloc(1, sizeof(bills_t));
    if (bills == NULL) {
        return NULL;
    }

    bills->conf = conf;
    bills->store = store;
    bills->visits = visits_new(loop, store, &bills_kind, bills);
    if (bills->visits == NULL) {
        free(bills);
        return NULL;
    }

    return bills;
}


void
bills_stop(bills_t *bills)
{
    visits_stop(bills->visits);
}


void
bills_free(bills_t *bills)
{
    if (bills != NULL) {
        visits_free(bills->visits);
        free(bills);
    }
}
