/*
 * One attempt of one delivery: its channel makes the request, attempt_send.c
 * posts or mails it, the channel judges the answer, and the outcome is
 * recorded.  Each step ends exactly once.  The record is repeated
 * until the store takes it or the lease expires; delivery_done counts an
 * attempt once, however often the record is sent.
 *
 * URLs, addresses, secrets and codes are never logged.
 */

#include "deliver_int.h"

#include <stdio.h>
#include <sys/random.h>

#include "base/log.h"
#include "deliver/channels/backoff.h"
#include "deliver/message/message.h"


#define ATTEMPT_RECORD_AGAIN   1.0      /* s */
#define ATTEMPT_SENDS          2u       /* attempts that may have arrived, at a
                                           service that does not recognize a
                                           repeat */
#define ATTEMPT_YIELDED                                                       \
    "timeout, cut short because all slots were in use"
#define ATTEMPT_UNKNOWN        "whether it arrived is unknown"

/* Recorded, or repeated for so long that another daemon has it now. */

static void
attempt_recorded(void *data, const redisReply *reply)
{
    rbl_str_t   why;
    attempt_t  *a = data;
    deliver_t  *d = a->deliver;

    if (reply != NULL) {
        if (rbl_reply_class(reply) != RBL_REPLY_OK) {
            why = rbl_reply_error(reply);
            log_error("delivery %s: the store refused the record: %.*s",
                      a->member.p, (int) why.n, why.p);
        }

        a->ended(a);
        return;
    }

    if (clock_now() > a->claimed + d->lease) {
        log_warn("delivery %s: attempt %u could not be recorded", a->member.p,
                 a->n + 1);
        a->ended(a);
        return;
    }

    ev_timer_set(&a->timer, ATTEMPT_RECORD_AGAIN, 0.0);
    ev_timer_start(d->loop, &a->timer);
}


static void
attempt_record_handler(struct ev_loop *loop, ev_timer *timer, int revents)
{
    (void) loop;
    (void) revents;

    attempt_record(timer->data);
}


void
attempt_record(attempt_t *a)
{
    deliver_t                *d = a->deliver;
    char                      number[4][RBL_OUT_INT];
    rbl_key_t                 key;
    rbl_delivery_done_args_t  args;

    a->state = ATTEMPT_RECORDING;

    args.retry = store_key(d->store, &key, a->part, "retry");
    args.member = a->member;
    args.attempt = rbl_out_int_text(number[0], a->n);
    args.outcome = rbl_str(a->outcome);
    args.delay = rbl_out_int_text(number[1], a->delay);
    args.status = rbl_out_int_text(number[2], a->status);
    args.error = rbl_str(a->error);
    args.value = rbl_str(a->value);
    args.log = rbl_buf_str(&a->log);
    args.quiet = rbl_out_int_text(number[3], a->quiet);
    args.unsure = rbl_str(a->unsure ? "1" : "");

    store_call(d->store, delivery_done, attempt_recorded, a, args);
}


static void
attempt_end(attempt_t *a, const char *outcome, unsigned status, int64_t delay,
    const char *error)
{
    a->outcome = outcome;
    a->status = status;
    a->delay = delay;
    rbl_copy(a->error, sizeof(a->error), rbl_str(error));
    attempt_log(a, outcome, status, delay, error);

    ev_init(&a->timer, attempt_record_handler);
    a->timer.data = a;
    a->state = ATTEMPT_OVER;
    attempt_landed(a);

    if (a->entry != NULL) {
        a->deliver->first_over(a);

    } else {
        attempt_record(a);
    }
}


/* ms, or -1: it is given up */

static int64_t
attempt_delay(const attempt_t *a, int64_t wait)
{
    backoff_t  b;

    b.table = a->channel->repeats;
    b.attempt = a->n;
    b.short_lived = a->short_lived;
    b.first = a->job.first;
    b.now = (int64_t) (ev_time() * 1000);
    b.wait = wait;

    if (getrandom(&b.random, sizeof(b.random), 0) != sizeof(b.random)) {
        b.random = UINT32_MAX / 2;
    }

    return backoff_next(&b);
}


static void
attempt_dead(attempt_t *a, unsigned status, const char *error)
{
    log_warn("delivery %s is dropped: %s", a->member.p, error);
    a->deliver->counters.dead++;
    attempt_end(a, "dead", status, 0, error);
}


static void
attempt_failed(attempt_t *a, unsigned status, int64_t wait, const char *error)
{
    int      unsure;
    int64_t  delay;

    unsure = a->unsure && a->sends > 0;

    if (unsure && a->sends >= ATTEMPT_SENDS) {
        attempt_dead(a, status, ATTEMPT_UNKNOWN);
        return;
    }

    delay = attempt_delay(a, wait);

    if (delay < 0) {
        log_warn("delivery %s is dropped after %u attempts: %s", a->member.p,
                 a->n + 1, error);
        a->deliver->counters.dead++;
        attempt_end(a, "dead", status, 0, error);
        return;
    }

    /* receivers are the customers', the mail server is the operator's */

    log_msg(a->channel->way == CHANNEL_SMTP ? LOG_L_NOTICE : LOG_L_INFO,
            "delivery %s: next attempt in %.1f s: %s", a->member.p,
            (double) delay / 1000.0, error);
    a->deliver->counters.retried++;
    attempt_end(a, unsure ? "unsure" : "retry", status, delay, error);
}


/* Ends the attempt as its timeout would, but earlier. */

void
attempt_yield(attempt_t *a)
{
    if (a->exchange.transfer != NULL) {
        a->unsure = transfer_sent(a->exchange.transfer);
    }

    exchange_cancel(&a->exchange);
    log_info("delivery %s: attempt %u is ended after %.0f ms: its account uses"
             " many slots and another account none", a->member.p, a->n + 1,
             (clock_now() - a->began) * 1000.0);
    attempt_failed(a, 0, 0, ATTEMPT_YIELDED);
}


static void
attempt_gone(attempt_t *a, unsigned status, const char *error)
{
    if (a->contact.n > 0) {
        log_notice("delivery %s is dropped, and its contact paused: %s",
                   a->member.p, error);

    } else {
        log_notice("delivery %s is dropped: the receiver no longer exists (%u)",
                   a->member.p, status);
    }

    a->deliver->counters.dead++;
    attempt_end(a, "gone", status, 0, error);
}


/* If there is no request to be sent, that is the end of it. */

static int
attempt_make(attempt_t *a)
{
    rbl_err_t  err;

    a->request = request_new();
    err = channel_make(a->channel, a->request, &a->job);

    if (err == RBL_OK) {
        return 0;
    }

    if (err == RBL_EINVAL) {
        attempt_dead(a, 0, a->request->why);

    } else {
        attempt_failed(a, 0, 0, "internal error");
    }

    return -1;
}


static void
attempt_again(attempt_t *a, const channel_answer_t *answer)
{
    if (++a->job.step == CHANNEL_STEPS) {
        attempt_failed(a, answer->status, 0,
                       "the service requires too many requests");
        return;
    }

    request_free(a->request);
    a->request = NULL;

    if (attempt_make(a) == 0) {
        attempt_send(a);
    }
}


static void
attempt_answered(attempt_t *a, const channel_answer_t *answer,
    int64_t retry_after)
{
    channel_verdict_t  verdict;
    channel_outcome_t  outcome;

    memset(&outcome, 0, sizeof(outcome));

    attempt_log_answer(a, answer);
    verdict = channel_judge(a->channel, answer, &outcome);
    attempt_hide_code(a, outcome.why);
    rbl_copy(a->value, sizeof(a->value), rbl_str(outcome.value));

    switch (verdict) {

    case CHANNEL_DELIVERED:
        a->deliver->counters.delivered++;
        attempt_end(a, "ok", answer->status, 0, "");
        return;

    case CHANNEL_AGAIN:
        attempt_again(a, answer);
        return;

    case CHANNEL_RETRY:
        if (retry_after > BACKOFF_WAIT_MAX / 1000) {
            retry_after = BACKOFF_WAIT_MAX / 1000;
        }

        a->quiet = retry_after * 1000;
        attempt_failed(a, answer->status,
                       outcome.wait > retry_after * 1000
                       ? outcome.wait : retry_after * 1000,
                       outcome.why);
        return;

    case CHANNEL_DEAD:
        attempt_dead(a, answer->status, outcome.why);
        return;

    case CHANNEL_DISABLE:
        attempt_gone(a, answer->status, outcome.why);
    }
}


/* SMTP may have had no time for the mail: neither an answer nor an error. */

static void
attempt_back(attempt_t *a, const channel_answer_t *answer, int64_t retry_after,
    const char *error)
{
    if (answer != NULL) {
        attempt_answered(a, answer, retry_after);

    } else if (error != NULL) {
        attempt_failed(a, 0, 0, error);

    } else {
        a->ended(a);
    }
}


static void
attempt_marked(void *data, const redisReply *reply)
{
    attempt_t                 *a = data;
    rbl_delivery_send_reply_t  said;

    rbl_delivery_send_reply(&said, reply);

    if (said.word != RBL_DELIVERY_SEND_OK) {
        log_info("delivery %s waits for the end of its lease: its result is not"
                 " recorded", a->member.p);
        a->ended(a);
        return;
    }

    a->sends = said.sent > 0 ? (unsigned) said.sent : UINT32_MAX;

    if (a->sends > ATTEMPT_SENDS) {
        a->unsure = 1;                  /* an earlier one */
        attempt_dead(a, 0, ATTEMPT_UNKNOWN);
        return;
    }

    attempt_send(a);
}


static void
attempt_mark(attempt_t *a)
{
    deliver_t                *d = a->deliver;
    char                      number[RBL_OUT_INT];
    rbl_key_t                 key;
    rbl_delivery_send_args_t  args;

    a->state = ATTEMPT_MARKING;

    args.retry = store_key(d->store, &key, a->part, "retry");
    args.member = a->member;
    args.attempt = rbl_out_int_text(number, a->n);

    store_call(d->store, delivery_send, attempt_marked, a, args);
}


void
attempt_start(attempt_t *a, void (*ended)(attempt_t *a))
{
    char  why[CHANNEL_WHY_MAX];

    a->began = clock_now();
    a->back = attempt_back;
    a->ended = ended;

    if (a->channel == NULL) {
        snprintf(why, sizeof(why), "no channel for %.*s yet",
                 (int) a->contact.n, a->contact.p);
        attempt_dead(a, 0, why);
        return;
    }

    if (a->channel->way == CHANNEL_SMTP && a->deliver->smtp == NULL) {
        log_error("no mail server for mails to contacts: set smtp_url and "
                  "smtp_from, and restart");
        a->deliver->counters.unmailed = a->began;
    }

    if (attempt_make(a) != 0) {
        return;
    }

    if (a->channel->keyless) {
        attempt_mark(a);

    } else {
        attempt_send(a);
    }
}
