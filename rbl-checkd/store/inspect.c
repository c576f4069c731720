/*
 * One partition after the other, one command at a time: it must not delay
 * checks.  Another failover meanwhile begins it again.
 */

#include "inspect.h"

#include "base/log.h"
#include "base/timer.h"
#include "base/xalloc.h"
#include "rbl_hash.h"

#include <stdlib.h>

#define INSPECT_AFTER  3.0              /* s: clients are served first */
#define INSPECT_AGAIN  30.0             /* s: parts were away */
#define INSPECT_TRIES  10
#define INSPECT_TEXTS  10               /* faults in the log */


struct inspect_s {
    store_t         *store;
    loop_timer_t     begin;
    unsigned         failovers;         /* looked at, or about to be */
    unsigned         tries;
    unsigned         next;              /* partition */
    unsigned         faults, skipped, differ;
    uint64_t         lists;             /* hash of the first copy; 0: none */
    int              busy;
};


static void look(inspect_t *inspect);


/* Some partitions were away: the whole again, unless another failover has done
   that, or they stay away. */

static void
again(inspect_t *inspect)
{
    if (inspect->skipped > 0 && ++inspect->tries < INSPECT_TRIES
        && inspect->failovers == store_failovers(inspect->store))
    {
        timer_in(&inspect->begin, INSPECT_AGAIN);
    }
}


static void
end(inspect_t *inspect)
{
    unsigned  n = store_keyspace(inspect->store)->partitions;

    if (inspect->faults > 0) {
        log_error("after a failover: %u faults in the queues; rblctl fsck"
                  " --repair", inspect->faults);
    }

    if (inspect->differ > 0) {
        log_error("after a failover: %u partitions have other system lists than"
                  " the first; if nobody changes them now, load them again"
                  " (rblctl lists load)", inspect->differ);
    }

    log_notice("after a failover: looked at %u of %u partitions, %s",
               n - inspect->skipped, n, inspect->faults + inspect->differ > 0
               ? "faults" : inspect->skipped > 0 ? "the others were away"
               : "no fault");

    inspect->busy = 0;
    again(inspect);
    inspect_wake(inspect);
}


static void
on_lists(void *data, const redisReply *reply)
{
    uint64_t    hash;
    inspect_t  *inspect = data;

    if (reply == NULL || reply->type == REDIS_REPLY_ERROR) {
        inspect->skipped++;

    } else {                            /* none at all is another text, too */
        hash = rbl_hash(rbl_reply_str(reply), 0) | 1;
        inspect->lists = inspect->lists == 0 ? hash : inspect->lists;
        inspect->differ += hash != inspect->lists;
    }

    inspect->next++;
    look(inspect);
}


static void
take(inspect_t *inspect, const redisReply *reply)
{
    size_t                    i;
    rbl_fsck_account_fault_t  fault;

    for (i = 1; i < rbl_reply_len(reply); i++) {
        rbl_fsck_account_fault(&fault, rbl_reply_at(reply, i));

        if (inspect->faults++ < INSPECT_TEXTS) {
            log_warn("account %.*s: %.*s %.*s %.*s", (int) fault.account.n,
                     fault.account.p, (int) fault.kind.n, fault.kind.p,
                     (int) fault.where.n, fault.where.p, (int) fault.text.n,
                     fault.text.p);
        }
    }
}


static void
on_queues(void *data, const redisReply *reply)
{
    rbl_key_t   key;
    inspect_t  *inspect = data;

    if (reply == NULL || !rbl_str_is(rbl_reply_word(reply), "OK")) {
        if (reply != NULL && reply->type == REDIS_REPLY_ERROR) {
            log_warn("after a failover: partition %u: %.*s", inspect->next,
                     (int) rbl_reply_error(reply).n, rbl_reply_error(reply).p);
        }

        inspect->skipped++;
        inspect->next++;
        look(inspect);
        return;
    }

    take(inspect, reply);
    store_command(inspect->store, on_lists, inspect,
                  RBL_COMMAND("GET", store_key(inspect->store, &key,
                                               inspect->next, "defaults")));
}


/* The next partition. */

static void
look(inspect_t *inspect)
{
    rbl_key_t                key;
    rbl_fsck_sample_args_t   args;

    if (inspect->next == store_keyspace(inspect->store)->partitions) {
        end(inspect);
        return;
    }

    args.due = store_key(inspect->store, &key, inspect->next, "due");
    args.mend = RBL_STR("0");
    store_call(inspect->store, fsck_sample, on_queues, inspect, args);
}


static void
on_begin(void *data)
{
    inspect_t  *inspect = data;

    if (inspect->failovers != store_failovers(inspect->store)) {
        inspect->failovers = store_failovers(inspect->store);
        inspect->tries = 0;
    }

    inspect->next = inspect->faults = 0;
    inspect->skipped = inspect->differ = 0;
    inspect->lists = 0;
    inspect->busy = 1;
    look(inspect);
}


void
inspect_wake(inspect_t *inspect)
{
    if (!inspect->busy
        && inspect->failovers != store_failovers(inspect->store))
    {
        timer_by(&inspect->begin, INSPECT_AFTER);
    }
}


inspect_t *
inspect_new(struct ev_loop *loop, store_t *store)
{
    inspect_t  *inspect;

    inspect = xcalloc(1, sizeof(inspect_t));
    inspect->store = store;
    timer_init(&inspect->begin, loop, on_begin, inspect);

    return inspect;
}


void
inspect_free(inspect_t *inspect)
{
    if (inspect != NULL) {
        store_forget(inspect->store, inspect);
        timer_stop(&inspect->begin);
        free(inspect);
    }
}
