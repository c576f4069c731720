/*
 * A check is started (check_begin), queries its lists, and is finished
 * (check_finish); the functions stand in the opposite order.  Scheduled checks
 * are started and finished in batches if there is nothing special about them
 * (check_open, check_clear).
 *
 * The runner owns its check, the references to the lists of the check, and its
 * packed results.  It holds a lease: when most of the lease has passed it
 * releases the job, because another daemon may soon claim it.
 */

#include "base/jitter.h"
#include "base/log.h"
#include "base/timer.h"
#include "base/xalloc.h"
#include "batches.h"
#include "check/check_lists.h"
#include "check/current.h"
#include "jobs_entry.h"
#include "result.h"
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>

#define RETRY_MIN       0.1             /* s */
#define RETRY_MAX       2.0
#define PROGRESS_EVERY  0.25
#define INTERVAL        3600            /* s, should an account have none */
#define WAIT_FOR_LISTS  3.0             /* s that a list may be missing */

#define FAILED  "The check failed after 3 attempts."

typedef void (*runner_step_pt)(runner_t *r);

struct runner_s {
    checker_t       *checker;
    job_t            job;
    runner_done_pt   done;
    void            *data;
    const char      *leave;             /* check_begin: to go alone */
    char             sum[64];           /* of the table, when it was reported */
    double           started, give_up;
    double           reported;          /* when progress was reported */
    double           backoff;
    int              events;            /* a client wants them */
    int              whole;             /* all results are wanted */
    int              local;             /* the address is not public */
    batches_t       *batches;           /* it waits for one of these */
    loop_timer_t     timer;
    runner_step_pt   step;              /* under way, or action of the timer */
    check_t         *check;
    check_lists_t    lists;
    const char      *fail;
    int64_t          interval;          /* s between checks of the host */
    current_t        current;           /* current listings of the host */
    int64_t         *last;              /* when each list answered last */
    int              clear;             /* 1: the clear lists are wanted */
    result_pack_t    results;
};


static void
abandon(runner_t *r)
{
    log_warn("check %s is abandoned: its lease would end before it",
             r->job.check.s);
    r->checker->checks.left++;
    r->done(r->data, r);
}


/* Another step, later, as long as the lease allows it. */

static void
go_on(runner_t *r, runner_step_pt step, double wait)
{
    if (clock_now() + wait >= r->give_up) {
        step = abandon;
    }

    r->step = step;
    timer_in(&r->timer, wait);
}


/* Repeats the step under way. */

static void
again_later(runner_t *r)
{
    double  wait;

    wait = r->backoff * (0.5 + jitter() / 2);
    r->backoff *= 2;
    if (r->backoff > RETRY_MAX) {
        r->backoff = RETRY_MAX;
    }

    go_on(r, r->step, wait);
}


static void
on_timer(void *data)
{
    runner_t  *r = data;

    r->step(r);
}


/* A reply of the store makes no sense. */

static void
give_back(runner_t *r, const char *why)
{
    log_error("check %s: %s", r->job.check.s, why);
    go_on(r, abandon, 0);
}


/* 1: a valid reply of the script of this step, 0: the runner continues another
   way. */

static int
is_sound(runner_t *r, const redisReply *reply)
{
    rbl_str_t  why;

    if (reply == NULL) {
        again_later(r);
        return 0;
    }

    if (rbl_reply_word(reply).n == 0) {
        why = rbl_reply_error(reply);
        log_error("check %s: unexpected reply of the store: %.*s",
                  r->job.check.s, (int) why.n, why.p);
        go_on(r, abandon, 0);
        return 0;
    }

    return 1;
}


static rbl_str_t
acct_key(const runner_t *r, rbl_key_t *key, const char *name)
{
    return rbl_account_key(key, store_keyspace(r->checker->store), name,
                           rbl_sid_str(&r->job.account), RBL_STR(""));
}


/* Keep time of the record of the check (ms). */

static rbl_str_t
keep_of(const runner_t *r, char buf[RBL_OUT_INT])
{
    const config_t  *conf = r->checker->conf;

    return rbl_out_int_text(buf, (int64_t) (1000 * (r->job.kind == JOB_MANUAL
                                                    ? conf->keep_manual
                                                    : conf->keep_scheduled)));
}


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

    r->done(r->data, r);
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

    if (!is_sound(r, reply)) {
        return;
    }

    rbl_check_finish_reply(&said, reply);

    /* A client has requested this check since it was claimed from the
       schedule. */

    if (said.word == RBL_CHECK_FINISH_FULL && !r->whole) {
        r->whole = 1;
        r->clear = 1;
        pack(r);
        r->step(r);
        return;
    }

    if (r->checker->ended != NULL) {
        r->checker->ended(r->checker->ended_data, r->job.partition);
    }

    ended(r, said.word == RBL_CHECK_FINISH_OK ? "finished"
                                              : "was finished already");
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
    char                     handle[JOB_HANDLE_MAX], keep[RBL_OUT_INT];
    char                     lists[RBL_OUT_INT], interval[RBL_OUT_INT];
    char                     soon[RBL_OUT_INT], details[RBL_OUT_INT];
    rbl_key_t                key;
    rbl_check_finish_args_t  args;

    r->step = finish;
    args.acct = acct_key(r, &key, "acct");
    args.job = jobs_entry_end(&r->job, handle);
    args.told = rbl_buf_str(&r->results.told);
    args.clear = r->clear ? rbl_buf_str(&r->results.clear) : RBL_STR("");
    args.lists = rbl_out_int_text(lists, (int64_t) r->results.n);
    args.all = !r->whole ? RBL_STR("")
               : rbl_buf_str(&r->results.clear).n == 0 ? RBL_STR("=")
               : rbl_buf_str(&r->results.all);
    args.why = rbl_str(r->fail != NULL ? r->fail : "");
    args.keep = keep_of(r, keep);
    args.interval = rbl_out_int_text(interval, r->interval);
    args.events = r->events ? RBL_STR("1") : RBL_STR("0");
    args.soon = rbl_out_int_text(soon, (int64_t) r->results.recheck);
    args.details = rbl_out_int_text(details,
                                    (int64_t) r->checker->conf->details_size);
    args.asks = rbl_buf_str(&r->results.asks);
    args.members = args.asks.n != 0 ? rbl_buf_str(&r->lists.members)
                                    : RBL_STR("");

    store_call(r->checker->store, check_finish, on_finish, r, args);
}


static void
on_clear(void *data, const redisReply *said)
{
    runner_t  *r = data;

    r->batches = NULL;

    if (rbl_str_is(rbl_reply_str(said), "1")) {
        ended(r, "finished");

    } else {
        finish(r);
    }
}


/* `coverage`: the record if the earlier answers are in another order. */

static void
settle(runner_t *r, rbl_str_t coverage)
{
    char  interval[RBL_OUT_INT];

    if (r->fail == NULL && r->check != NULL) {
        r->last = result_last(&r->lists, &r->current, coverage);
    }

    pack(r);

    if (clock_now() >= r->give_up) {
        abandon(r);
        return;
    }

    if (nothing_new(r)
        && batches_add(r->checker->clears, &r->job, r->job.attempts, "",
                       rbl_out_int_text(interval, r->interval),
                       rbl_buf_str(&r->results.asks), on_clear, r)
           == 0)
    {
        r->batches = r->checker->clears;
        return;
    }

    finish(r);
}


static void
on_coverage(void *data, const redisReply *reply)
{
    runner_t  *r = data;

    if (reply == NULL) {
        go_on(r, r->step, RETRY_MAX);
        return;
    }

    settle(r, rbl_reply_str(reply));
}


static void
ask_coverage(runner_t *r)
{
    rbl_key_t  key;

    r->step = ask_coverage;
    store_command(r->checker->store, on_coverage, r,
                  RBL_COMMAND("GET", acct_key(r, &key, "coverage")));
}


/* The check has finished, or failed for that reason.  The outcome is fixed
   then, however often it must be sent. */

static void
end(runner_t *r, const char *fail)
{
    r->fail = fail;
    r->backoff = RETRY_MIN;
    timer_stop(&r->timer);

    if (fail == NULL
        && result_needs_coverage(r->check, &r->lists, &r->current))
    {
        ask_coverage(r);

    } else {
        settle(r, RBL_STR(""));
    }
}


static int64_t
verdicts(const runner_t *r, rbl_verdict_t verdict)
{
    return (int64_t) check_verdicts(r->check, verdict);
}


static void
report_progress(runner_t *r)
{
    char                       done[RBL_OUT_INT], listed[RBL_OUT_INT];
    char                       unknown[RBL_OUT_INT];
    rbl_key_t                  key;
    rbl_check_progress_args_t  args;

    r->reported = clock_now();
    if (r->reported >= r->give_up) {
        return;                         /* it may be another's by now */
    }

    args.acct = acct_key(r, &key, "acct");
    args.check = rbl_sid_str(&r->job.check);
    args.checked = rbl_out_int_text(done, (int64_t) check_done(r->check));
    args.listed = rbl_out_int_text(listed, verdicts(r, RBL_LISTED));
    args.unknown = rbl_out_int_text(unknown, verdicts(r, RBL_UNKNOWN));

    store_call(r->checker->store, check_progress, NULL, r, args);
}


static void
on_progress(void *data, check_t *check, int finished)
{
    runner_t  *r = data;

    (void) check;

    if (finished) {
        end(r, NULL);
        return;
    }

    /* Progress that comes soon after the last report waits for the next one. */

    if (r->job.kind == JOB_MANUAL && !timer_is_set(&r->timer)) {
        r->step = report_progress;
        timer_in(&r->timer, r->reported + PROGRESS_EVERY - clock_now());
    }
}


/* The check is started: queries its lists. */

static void
ask(runner_t *r, int64_t family, rbl_str_t value)
{
    double    timeout, left;
    unsigned  how;

    if (r->lists.n == 0) {
        end(r, r->local ? "No blocklist applies to this host: it is not a "
                          "public address."
                        : "No blocklist applies to this host.");
        return;
    }

    timeout = r->checker->conf->check_timeout;
    left = (r->give_up - clock_now()) * 0.8;

    how = (r->job.kind == JOB_MANUAL ? CHECK_FRESH : 0)
          | (r->job.host.n == 0 ? CHECK_ONCE : 0);

    r->reported = clock_now();
    r->check = check_start(&r->checker->env, (rbl_family_t) family, value,
                           (const list_t *const *) r->lists.list,
                           r->lists.due, &r->current.before,
                           timeout < left ? timeout : left, how, on_progress,
                           r);
    r->checker->asking += check_count(r->check);
}


static void
log_attempts(const job_t *job)
{
    if (job->attempts > JOB_ATTEMPTS_MAX) {
        log_error("check %s of account %s, host %s, fails: " FAILED,
                  job->check.s, job->account.s, job->host.s);

    } else if (job->attempts > 1) {
        log_notice("taking over job %s of account %s", job->check.s,
                   job->account.s);
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
        give_back(r, "malformed current listings");
        return;
    }

    r->interval = b->interval < 1 ? INTERVAL : b->interval;
    r->clear = r->current.before.n != 0;
    r->events = !rbl_str_is(b->events, "0");

    if (r->job.attempts > JOB_ATTEMPTS_MAX) {
        end(r, FAILED);
        return;
    }

    if (b->value.n == 0 || b->value.n >= RBL_VALUE_MAX
        || (family != RBL_FAMILY_IPV4 && family != RBL_FAMILY_IPV6
            && family != RBL_FAMILY_DOMAIN))
    {
        end(r, "The host cannot be checked.");
        return;
    }

    switch (take_lists(r, b)) {

    case 1:
        if (r->job.kind == JOB_DUE) {
            check_lists_due(&r->lists, rbl_sid_str(&r->job.host), b->checked,
                            b->now, &r->current);
        }

        r->local = family != b->family;
        ask(r, family, b->value);
        return;

    case 0:
        table_refresh(r->checker->table);
        go_on(r, r->step, 0.1);
        return;

    default:
        give_back(r, "malformed lists");
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

    log_attempts(&r->job);
    return 0;
}


static void
on_begin(void *data, const redisReply *reply)
{
    runner_t                 *r = data;
    rbl_str_t                 word;
    rbl_check_begin_reply_t   b;

    if (!is_sound(r, reply)) {
        return;
    }

    rbl_check_begin_reply(&b, reply);

    if (b.word == RBL_CHECK_BEGIN_ALONE && r->leave[0] == '0') {
        r->job.alone = r->checker->alone == 0;
        r->checker->alone += r->job.alone;
        r->leave = r->job.alone ? "1" : "";
        r->step(r);
        return;
    }

    if (b.word != RBL_CHECK_BEGIN_OK) {
        word = rbl_reply_word(reply);
        log_info("check %s: nothing to do (%.*s)",
                 r->job.check.s, (int) word.n, word.p);
        r->done(r->data, r);
        return;
    }

    if (count_begun(r, b.check, b.times) != 0) {
        give_back(r, "the store does not name the check");
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
    char                    keep[RBL_OUT_INT];
    rbl_key_t               key;
    rbl_check_begin_args_t  args;

    know_table(r);
    r->step = begin;

    args.acct = acct_key(r, &key, "acct");
    args.job = rbl_str(r->job.handle);
    args.keep = keep_of(r, keep);
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

    r->batches = NULL;
    r->step = begin;                    /* should the table have changed */

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


/* Scheduled checks in batches; manual ones, and those that check_open leaves,
   by check_begin. */

static void
start(runner_t *r)
{
    if (r->job.kind == JOB_MANUAL) {
        log_attempts(&r->job);

    } else {
        know_table(r);

        if (r->sum[0] != '\0'
            && batches_add(r->checker->opens, &r->job, 1, r->sum,
                           RBL_STR(""), RBL_STR(""), on_open, r) == 0)
        {
            r->batches = r->checker->opens;
            return;
        }
    }

    begin(r);
}


runner_t *
runner_start(checker_t *checker, const job_t *job, runner_done_pt done,
    void *data)
{
    runner_t  *r;

    r = xcalloc(1, sizeof(runner_t));
    r->checker = checker;
    r->job = *job;
    r->leave = "0";
    r->done = done;
    r->data = data;
    r->started = clock_now();
    r->give_up = r->started + checker->conf->lease * 0.9;
    r->backoff = RETRY_MIN;
    r->whole = job->kind == JOB_MANUAL;
    result_init(&r->results);
    timer_init(&r->timer, checker->loop, on_timer, r);

    start(r);
    return r;
}


void
runner_free(runner_t *r)
{
    if (r == NULL) {
        return;
    }

    store_forget(r->checker->store, r);

    if (r->batches != NULL) {
        batches_forget(r->batches, r);
    }

    timer_stop(&r->timer);

    if (r->check != NULL) {
        r->checker->asking -= check_count(r->check);
        check_free(r->check);
    }

    check_lists_drop(&r->lists);
    current_free(&r->current);
    result_free(&r->results);
    free(r->last);
    free(r);
}


const job_t *
runner_job(const runner_t *r)
{
    return &r->job;
}
