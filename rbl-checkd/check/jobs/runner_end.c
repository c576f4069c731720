/*
 * Finishes a check: scheduled ones without news in batches (check_clear), all
 * others by check_finish.
 */

#include "answers.h"
#include "base/log.h"
#include "jobs_entry.h"
#include "runner_int.h"
#include "batches.h"

#include <stdio.h>

static void finish(runner_t *r);
static void ask_coverage(runner_t *r);


static void
ended(runner_t *r, const char *how)
{
    log_info("check %s of %s: %s%s, %zu lists, %zu listed, %zu unknown, "
             "%.1f s", r->job.check.s,
             r->job.host.n != 0 ? r->job.host.s : "a value",
             how, r->fail != NULL ? " as failed" : "", r->lists.n,
             r->check ? check_verdicts(r->check, RBL_LISTED) : 0,
             r->check ? check_verdicts(r->check, RBL_UNKNOWN) : 0,
             clock_now() - r->started);

    if (r->fail != NULL) {
        r->checker->checks.failed++;

    } else {
        r->checker->checks.completed++;
    }

    runner_over(r);
}


static void
pack(runner_t *r)
{
    result_pack(&r->results, r->fail != NULL ? NULL : r->check, &r->lists,
                r->last, r->current.now, r->whole);
}


static void
on_finish(void *data, const redisReply *reply)
{
    runner_t                  *r = data;
    rbl_check_finish_reply_t   said;

    if (!runner_sound(r, reply, finish)) {
        return;
    }

    rbl_check_finish_reply(&said, reply);

    /* A client has requested this check since it was claimed from the
       schedule. */

    if (said.word == RBL_CHECK_FINISH_FULL && !r->whole) {
        r->whole = 1;
        r->clear = 1;
        pack(r);
        finish(r);
        return;
    }

    if (r->checker->ended != NULL) {
        r->checker->ended(r->checker->ended_data, r->job.partition);
    }

    ended(r, said.word == RBL_CHECK_FINISH_OK ? "finished"
                                              : "was finished already");
}


static void
on_clear(void *data, const redisReply *said)
{
    runner_t  *r = data;

    r->clearing = 0;

    if (rbl_str_is(rbl_reply_str(said), "1")) {
        ended(r, "finished");

    } else {
        finish(r);
    }
}


/*
 * All lists are clear, none was listed or unknown before, and no client waits
 * for the result.  Skipped lists change nothing, but one list has to answer.
 */

static int
nothing_new(const runner_t *r)
{
    return r->job.kind == JOB_DUE && r->fail == NULL && r->check != NULL
           && !r->events && !r->whole
           && r->current.before.n == 0 && r->current.troubled.n == 0
           && r->lists.digest[0] != '\0'
           && check_verdicts(r->check, RBL_CLEAR) > 0
           && check_verdicts(r->check, RBL_CLEAR)
              + check_verdicts(r->check, RBL_SKIPPED)
              == check_count(r->check);
}


static void
finish(runner_t *r)
{
    char                     handle[JOB_HANDLE_MAX], keep[24], lists[24];
    char                     interval[24], soon[24], details[24];
    rbl_key_t                key;
    rbl_check_finish_args_t  args;

    args.acct = rbl_account_key(&key, store_keyspace(r->checker->store), "acct",
                                rbl_sid_str(&r->job.account), RBL_STR(""));
    args.job = jobs_entry_end(&r->job, handle);
    args.told = rbl_buf_str(&r->results.told);
    args.clear = r->clear ? rbl_buf_str(&r->results.clear) : RBL_STR("");
    args.lists = runner_number(lists, r->results.n);
    args.all = !r->whole ? RBL_STR("")
               : rbl_buf_str(&r->results.clear).n == 0 ? RBL_STR("=")
               : rbl_buf_str(&r->results.all);
    args.why = rbl_str(r->fail != NULL ? r->fail : "");
    args.keep = runner_keep(r, keep);
    args.interval = runner_number(interval, (size_t) r->interval);
    args.events = r->events ? RBL_STR("1") : RBL_STR("0");
    args.soon = runner_number(soon, r->results.recheck);
    args.details = runner_number(details, r->checker->conf->details_size);
    args.asks = rbl_buf_str(&r->results.asks);
    args.members = args.asks.n != 0 ? rbl_buf_str(&r->lists.members)
                                    : RBL_STR("");

    store_call(r->checker->store, check_finish, on_finish, r, args);
}


/* `coverage`: the record if the earlier answers are in another order. */

static void
settle(runner_t *r, rbl_str_t coverage)
{
    char  interval[24];

    if (r->fail == NULL && r->check != NULL) {
        r->last = answers_last(&r->lists, &r->current, coverage);
    }

    pack(r);

    if (clock_now() >= r->give_up) {
        runner_release(r);
        return;
    }

    (void) runner_number(interval, (size_t) r->interval);

    if (nothing_new(r)
        && batches_add(r->checker->clears, &r->job, r->job.attempts, "",
                       interval, rbl_buf_str(&r->results.asks), on_clear, r)
           == 0)
    {
        r->clearing = 1;
        return;
    }

    finish(r);
}


static void
on_coverage(void *data, const redisReply *reply)
{
    runner_t  *r = data;

    if (reply == NULL) {
        runner_again(r, ask_coverage, RUNNER_RETRY_MAX);
        return;
    }

    settle(r, rbl_reply_str(reply));
}


static void
ask_coverage(runner_t *r)
{
    rbl_key_t  key;
    rbl_str_t  argv[2];

    argv[0] = RBL_STR("GET");
    argv[1] = rbl_account_key(&key, store_keyspace(r->checker->store),
                              "coverage", rbl_sid_str(&r->job.account),
                              RBL_STR(""));

    store_command(r->checker->store, on_coverage, r, 2, argv);
}


void
runner_end(runner_t *r, const char *fail)
{
    r->fail = fail;
    r->backoff = RUNNER_RETRY_MIN;
    ev_timer_stop(r->checker->loop, &r->timer);

    if (fail == NULL && answers_moved(r->check, &r->lists, &r->current)) {
        ask_coverage(r);

    } else {
        settle(r, RBL_STR(""));
    }
}
