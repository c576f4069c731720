#include "store/visits.h"
#include "works.h"

#include <stdlib.h>

struct works_s {
    store_t   *store;
    visits_t  *visits;
};


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
works_step(void *data, visit_t *visit)
{
    works_t               *works = data;
    rbl_key_t              key;
    rbl_work_step_args_t   args;

    args.acct = rbl_account_key(&key, store_keyspace(works->store), "acct",
                                rbl_sid_str(&visit->account), RBL_STR(""));
    args.id = RBL_STR("");
    store_call(works->store, work_step, on_step, visit, args);
}


static const visits_kind_t  works_kind = {
    "works", "deferred work", works_step
};


works_t *
works_new(struct ev_loop *loop, store_t *store)
{
    works_t  *works;

    works = calloc(1, sizeof(works_t));
    if (works == NULL) {
        return NULL;
    }

    works->store = store;
    works->visits = visits_new(loop, store, &works_kind, works);
    if (works->visits == NULL) {
        free(works);
        return NULL;
    }

    return works;
}


void
works_stop(works_t *works)
{
    visits_stop(works->visits);
}


void
works_free(works_t *works)
{
    if (works != NULL) {
        visits_free(works->visits);
        free(works);
    }
}
