/*
 * Starts a check: scheduled ones in batches (check_open), manual ones, and
 * those that check_open leaves, by check_begin.
 */

#include "base/log.h"
#include "jobs_entry.h"
#include "runner_int.h"
#include "batches.h"

#include <stdio.h>

#define MOMENT          0.02
#define INTERVAL        3600            /* s, should an account have none */
#define WAIT_FOR_LISTS  3.0             /* s that a list may be missing */

static void begin(runner_t *r);


/* Handles and logs the attempts of a job that other daemons had before. */

static void
count_attempts(runner_t *r)
{
    job_t  *job = &r->job;

    if (job->attempts > JOB_ATTEMPTS_MAX) {
        job->fail = "The check failed after 3 attempts.";
        log_error("check %s of account %s, host %s, fails: %s",
                  job->check.s, job->account.s, job->host.s, job->fail);

    } else if (job->attempts > 1) {
        log_notice("taking over job %s of account %s", job->check.s,
                   job->account.s);
    }
}


/* The store requires another call: with permission to run alone, or later. */

static void
begin_alone(runner_t *r)
{
    switch (r->alone(r->data)) {

    case 1:
        r->job.alone = 1;
        r->leave = "1";
        begin(r);
        return;

    case 0:
        r->leave = "";
        begin(r);
        return;

    default:
        runner_again(r, begin, MOMENT);
    }
}


/* Returns as check_lists_unpack. */

static int
take_lists(runner_t *r, const rbl_check_begin_reply_t *b)
{
    int  wait;

    if (b->lists.n != 0) {
        wait = clock_now() - r->started < WAIT_FOR_LISTS
               || !table_loaded(r->checker->table);
        return check_lists_unpack(&r->lists, r->checker->table,
                                  rbl_sid_str(&r->job.account), b->lists,
                                  b->family & ~RBL_FAMILY_LOCAL, wait);
    }

    if (!rbl_str_is(table_sum(r->checker->table), r->sum)) {
        return 0;                       /* it is another table by now */
    }

    check_lists_system(&r->lists, r->checker->table, b->htype, b->family);
    return 1;
}


static void
begun(runner_t *r, const rbl_check_begin_reply_t *b)
{
    int64_t  family = b->family & ~RBL_FAMILY_LOCAL;

    if (current_read(&r->current, b->standing, b->troubled, b->pending,
                     b->answers, b->checked, b->now)
        != 0)
    {
        log_error("check %s: malformed current listings", r->job.check.s);
        runner_again(r, runner_release, 0);
        return;
    }

    r->interval = b->interval < 1 ? INTERVAL : b->interval;
    r->clear = r->current.before.n != 0;
    r->events = !rbl_str_is(b->events, "0");

    if (r->job.fail != NULL) {
        runner_end(r, r->job.fail);
        return;
    }

    if (b->value.n == 0 || b->value.n >= RBL_VALUE_MAX
        || (family != RBL_FAMILY_IPV4 && family != RBL_FAMILY_IPV6
            && family != RBL_FAMILY_DOMAIN))
    {
        runner_end(r, "The host cannot be checked.");
        return;
    }

    switch (take_lists(r, b)) {

    case 1:
        if (r->job.kind == JOB_DUE) {
            check_lists_due(&r->lists, rbl_sid_str(&r->job.host), b->checked,
                            b->now, &r->current);
        }

        r->local = family != b->family;
        runner_ask(r, family, b->value);
        return;

    case 0:
        table_refresh(r->checker->table);
        runner_again(r, begin, 0.1);
        return;

    default:
        log_error("check %s: malformed lists", r->job.check.s);
        runner_again(r, runner_release, 0);
    }
}


/* 0, or -1: the reply does not name the check. */

static int
count_begun(runner_t *r, rbl_str_t check, int64_t attempts)
{
    if (r->job.kind == JOB_MANUAL || r->job.attempts != 0) {
        return 0;
    }

    if (jobs_entry_begun(&r->job, check, attempts) != 0) {
        return -1;
    }

    count_attempts(r);
    return 0;
}


static void
on_begin(void *data, const redisReply *reply)
{
    runner_t                 *r = data;
    rbl_str_t                 word;
    rbl_check_begin_reply_t   b;

    if (!runner_sound(r, reply, begin)) {
        return;
    }

    rbl_check_begin_reply(&b, reply);

    if (b.word == RBL_CHECK_BEGIN_ALONE && r->leave[0] == '0') {
        begin_alone(r);
        return;
    }

    if (b.word != RBL_CHECK_BEGIN_OK) {
        word = rbl_reply_word(reply);
        log_info("check %s: nothing to do (%.*s)",
                 r->job.check.s, (int) word.n, word.p);
        runner_over(r);
        return;
    }

    if (count_begun(r, b.check, b.times) != 0) {
        log_error("check %s: the store does not name the check",
                  r->job.check.s);
        runner_again(r, runner_release, 0);
        return;
    }

    begun(r, &b);
}


static void
know_table(runner_t *r)
{
    rbl_str_t  sum;

    sum = table_sum(r->checker->table);
    snprintf(r->sum, sizeof(r->sum), "%.*s", (int) sum.n, sum.p);
}


static void
begin(runner_t *r)
{
    char                    keep[24];
    rbl_key_t               key;
    rbl_check_begin_args_t  args;

    know_table(r);

    args.acct = rbl_account_key(&key, store_keyspace(r->checker->store), "acct",
                                rbl_sid_str(&r->job.account), RBL_STR(""));
    args.job = rbl_str(r->job.handle);
    args.keep = runner_keep(r, keep);
    args.sum = rbl_str(r->sum);
    args.leave = rbl_str(r->leave);

    store_call(r->checker->store, check_begin, on_begin, r, args);
}


static void
on_open(void *data, const redisReply *said)
{
    runner_t                 *r = data;
    rbl_check_open_begun_t    one;
    rbl_check_begin_reply_t   b;

    r->opening = 0;

    if (rbl_reply_len(said) == 0) {
        begin(r);
        return;
    }

    r->job.attempts = 1;

    rbl_check_open_begun(&one, said);

    b = (rbl_check_begin_reply_t) {
        .value = one.value, .family = one.family, .htype = one.htype,
        .interval = one.interval, .checked = one.checked, .now = one.now,
        .standing = one.standing, .troubled = one.troubled,
        .pending = one.pending, .answers = one.answers, .lists = RBL_STR(""),
        .events = RBL_STR("0")
    };

    begun(r, &b);
}


void
runner_begin(runner_t *r)
{
    if (r->job.kind == JOB_MANUAL) {
        count_attempts(r);

    } else {
        know_table(r);

        if (r->sum[0] != '\0'
            && batches_add(r->checker->opens, &r->job, 1, r->sum, "",
                           RBL_STR(""), on_open, r) == 0)
        {
            r->opening = 1;
            return;
        }
    }

    begin(r);
}
