/*
 * The operator configures the address of the gateway, so any address is
 * allowed.  Each request opens a new connection: on a reused connection that
 * has been closed, libcurl would send the request again without asking.
 */

#include "gateway_ask.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/xalloc.h"

#define ASK_STEPS  64u                  /* requests of one job */

struct gateway_ask_s {
    const gateway_line_t  *line;
    gateway_job_t         *job;
    gateway_done_pt        done;
    void                  *data;
    unsigned               steps;
    request_t             *request;
    exchange_t             exchange;
    ev_timer               timer;       /* ends it outside of the call */
    rbl_buf_t              whole;       /* body of the answer */
    gateway_outcome_t      outcome;
};


static void ask_send(gateway_ask_t *ask);


void
gateway_ask_cancel(gateway_ask_t *ask)
{
    ev_timer_stop(ask->line->loop, &ask->timer);
    exchange_cancel(&ask->exchange);
    request_free(ask->request);
    rbl_buf_free(&ask->whole);
    free(ask);
}


static void
ask_over(struct ev_loop *loop, ev_timer *timer, int revents)
{
    gateway_ask_t  *ask = timer->data;

    (void) loop;
    (void) revents;

    ask->done(ask->data, &ask->outcome);
    gateway_ask_cancel(ask);
}


static void
ask_end(gateway_ask_t *ask)
{
    ev_timer_set(&ask->timer, 0.0, 0.0);
    ev_timer_start(ask->line->loop, &ask->timer);
}


static void
ask_fail(gateway_ask_t *ask, gateway_result_t result, const char *text)
{
    gateway_say(&ask->outcome, result, text);
    ask_end(ask);
}


static void
ask_answered(void *data, const transfer_result_t *result)
{
    gateway_ask_t     *ask = data;
    gateway_answer_t   answer;

    if (result->end != TRANSFER_DONE || result->status == 0) {
        log_info("gateway %s: %s", ask->line->gateway->name, result->text);
        ask_fail(ask, GATEWAY_UNKNOWN,
                 result->end == TRANSFER_RESOLVE ? "the name cannot be resolved"
                 : result->end == TRANSFER_INTERNAL ? result->text
                 : "no answer");
        return;
    }

    answer.status = result->status;
    answer.body = result->body;
    memset(&ask->outcome, 0, sizeof(gateway_outcome_t));
    ask->line->gateway->judge(&ask->outcome, ask->job, &answer);
    log_debug("gateway %s: HTTP %u in %.0f ms", ask->line->gateway->name,
              result->status, result->seconds * 1000.0);

    if (ask->outcome.result != GATEWAY_AGAIN) {
        ask_end(ask);

    } else if (++ask->steps < ASK_STEPS) {
        ask_send(ask);

    } else {
        ask_fail(ask, GATEWAY_UNKNOWN, "the answers have no end");
    }
}


static void
ask_send(gateway_ask_t *ask)
{
    exchange_t  *x = &ask->exchange;

    request_free(ask->request);
    ask->request = request_new();

    if (ask->line->gateway->make(ask->request, ask->job) != RBL_OK) {
        ask_fail(ask, GATEWAY_MISCONFIGURED, "the request cannot be made");
        return;
    }

    request_made(ask->request);
    ask->request->trusted = 1;
    ask->request->fresh = 1;
    rbl_buf_reset(&ask->whole);

    x->request = ask->request;
    x->attempt = ask->steps;
    x->deadline = clock_now() + 2 * x->timeout;

    if (exchange_start(x) != NULL) {
        ask_fail(ask, GATEWAY_MISCONFIGURED, "the URL is not valid");
    }
}


gateway_ask_t *
gateway_ask(const gateway_line_t *line, gateway_job_t *job,
    gateway_done_pt done, void *data)
{
    gateway_ask_t  *ask;

    ask = xcalloc(1, sizeof(gateway_ask_t));
    ask->line = line;
    ask->job = job;
    ask->done = done;
    ask->data = data;
    rbl_buf_init(&ask->whole);
    ask->exchange.loop = line->loop;
    ask->exchange.dns = line->dns;
    ask->exchange.conf = line->conf;
    ask->exchange.pool = line->pool;
    ask->exchange.whole = &ask->whole;
    ask->exchange.timeout = line->conf->gateway_timeout;
    ask->exchange.connect_timeout = line->conf->gateway_timeout;
    ask->exchange.done = ask_answered;
    ask->exchange.data = ask;
    ev_init(&ask->timer, ask_over);
    ask->timer.data = ask;
    ask_send(ask);

    return ask;
}
