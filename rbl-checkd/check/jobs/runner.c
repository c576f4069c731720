/*
 * The runner owns its check, the references to the lists of the check, and its
 * packed results.  It holds a lease: when most of the lease has passed it
 * releases the job, because another daemon may soon claim it.
 */

#include "base/jitter.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "runner_int.h"
#include "batches.h"

#include <stdio.h>
#include <stdlib.h>

#define PROGRESS_EVERY  0.25


void
runner_over(runner_t *r)
{
    r->done(r->data, r);
}


void
runner_release(runner_t *r)
{
    log_warn("check %s is released: its lease expired before it finished",
             r->job.check.s);
    r->checker->checks.left++;
    runner_over(r);
}


void
runner_again(runner_t *r, runner_step_pt step, double wait)
{
    if (clock_now() + wait >= r->give_up) {
        step = runner_release;
    }

    r->step = step;
    ev_timer_set(&r->timer, wait, 0);
    ev_timer_start(r->checker->loop, &r->timer);
}


static void
again_later(runner_t *r, runner_step_pt step)
{
    double  wait;

    wait = r->backoff * (0.5 + jitter() / 2);
    r->backoff *= 2;
    if (r->backoff > RUNNER_RETRY_MAX) {
        r->backoff = RUNNER_RETRY_MAX;
    }

    runner_again(r, step, wait);
}


static void
on_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
    runner_t  *r = w->data;

    (void) loop;
    (void) revents;

    r->step(r);
}


int
runner_sound(runner_t *r, const redisReply *reply, runner_step_pt step)
{
    rbl_str_t  why;

    if (reply == NULL) {
        again_later(r, step);
        return 0;
    }

    if (rbl_reply_word(reply).n == 0) {
        why = rbl_reply_error(reply);
        log_error("check %s: unexpected reply of the store: %.*s",
                  r->job.check.s, (int) why.n, why.p);
        runner_again(r, runner_release, 0);
        return 0;
    }

    return 1;
}


rbl_str_t
runner_number(char buf[24], size_t v)
{
    int  n;

    n = snprintf(buf, 24, "%zu", v);
    return (rbl_str_t) { buf, (size_t) n };
}


rbl_str_t
runner_keep(const runner_t *r, char buf[24])
{
    int  n;

    n = snprintf(buf, 24, "%.0f", 1000 * (r->job.kind == JOB_MANUAL
                                          ? r->checker->conf->keep_manual
                                          : r->checker->conf->keep_scheduled));
    return (rbl_str_t) { buf, (size_t) n };
}


static void
report_progress(runner_t *r)
{
    char                       done[24], listed[24], unknown[24];
    rbl_key_t                  key;
    rbl_check_progress_args_t  args;

    r->reported = clock_now();
    if (r->reported >= r->give_up) {
        return;                         /* it may be another's by now */
    }

    args.acct = rbl_account_key(&key, store_keyspace(r->checker->store), "acct",
                                rbl_sid_str(&r->job.account), RBL_STR(""));
    args.check = rbl_sid_str(&r->job.check);
    args.checked = runner_number(done, check_done(r->check));
    args.listed = runner_number(listed, check_verdicts(r->check, RBL_LISTED));
    args.unknown = runner_number(unknown,
                                 check_verdicts(r->check, RBL_UNKNOWN));

    store_call(r->checker->store, check_progress, NULL, r, args);
}


static void
on_progress(void *data, check_t *check, int finished)
{
    double     wait;
    runner_t  *r = data;

    (void) check;

    if (finished) {
        runner_end(r, NULL);
        return;
    }

    /* Progress that comes soon after the last report waits for the next one. */

    if (r->job.kind == JOB_MANUAL && !ev_is_active(&r->timer)) {
        wait = r->reported + PROGRESS_EVERY - clock_now();
        r->step = report_progress;
        ev_timer_set(&r->timer, wait > 0 ? wait : 0, 0);
        ev_timer_start(r->checker->loop, &r->timer);
    }
}


void
runner_ask(runner_t *r, int64_t family, rbl_str_t value)
{
    double    timeout, left;
    unsigned  how;

    if (r->lists.n == 0) {
        runner_end(r, r->local ? "No blocklist applies to this host: it is "
                                 "not a public address."
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


runner_t *
runner_start(checker_t *checker, const job_t *job, runner_alone_pt alone,
    runner_done_pt done, void *data)
{
    runner_t  *r;

    r = xcalloc(1, sizeof(runner_t));
    r->checker = checker;
    r->job = *job;
    r->alone = alone;
    r->leave = "0";
    r->done = done;
    r->data = data;
    r->started = clock_now();
    r->give_up = r->started + checker->conf->lease * 0.9;
    r->backoff = RUNNER_RETRY_MIN;
    r->whole = job->kind == JOB_MANUAL;
    result_init(&r->results);
    ev_timer_init(&r->timer, on_timer, 0, 0);
    r->timer.data = r;

    runner_begin(r);
    return r;
}


void
runner_free(runner_t *r)
{
    if (r == NULL) {
        return;
    }

    store_forget(r->checker->store, r);

    if (r->opening) {
        batches_forget(r->checker->opens, r);
    }

    if (r->clearing) {
        batches_forget(r->checker->clears, r);
    }

    ev_timer_stop(r->checker->loop, &r->timer);

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
