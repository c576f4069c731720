#include "works.h"


static void
on_step(void *data, const redisReply *reply)
{
    rbl_str_t              why;
    rbl_work_step_reply_t  said;

    rbl_work_step_reply(&said, reply);
    why = visit_refusal(reply);

    visit_stepped(data, why.n > 0 ? why : said.dropped,
                  said.word == RBL_WORK_STEP_OK && said.left > 0);
}


static void
works_step(void *data, store_t *store, visit_t *visit)
{
    rbl_key_t             key;
    rbl_work_step_args_t  args;

    (void) data;

    args.acct = rbl_account_key(&key, store_keyspace(store), "acct",
                                rbl_sid_str(&visit->account), RBL_STR(""));
    args.id = RBL_STR("");
    store_call(store, work_step, on_step, visit, args);
}


const visits_kind_t  works_kind = { "works", "deferred work", 2, 0,
                                    works_step };


static void
on_settled(void *data, const redisReply *reply)
{
    visit_stepped(data, visit_refusal(reply), 0);
}


static void
settle_step(void *data, store_t *store, visit_t *visit)
{
    rbl_key_t                  key;
    rbl_account_settle_args_t  args;

    (void) data;

    args.acct = rbl_account_key(&key, store_keyspace(store), "acct",
                                rbl_sid_str(&visit->account), RBL_STR(""));
    store_call(store, account_settle, on_settled, visit, args);
}


const visits_kind_t  settle_kind = { "settle", "changes of the record or log",
                                     2, 0, settle_step };
