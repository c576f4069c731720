/*
 * The operator configures the address of the gateway, so any address is
 * allowed.  Each request opens a new connection: on a reused connection that
 * has been closed, libcurl would send the request again without asking.
 */

#include "gateway_ask.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "deliver/transport/target.h"

#define ASK_STEPS  64u                  /* requests of one job */

struct gateway_ask_s {
    const gateway_line_t  *line;
    gateway_job_t         *job;
    gateway_done_pt        done;
    void                  *data;
    unsigned               steps;
    resolve_t             *resolve;
    transfer_t            *transfer;
    ev_timer               timer;       /* ends it outside of the call */
    rbl_buf_t              whole;       /* body of the answer */
    target_t               to;
    char                   type[96];    /* the header */
    gateway_request_t      request;
    gateway_outcome_t      outcome;
};


static void ask_send(gateway_ask_t *ask);


static void
ask_free(gateway_ask_t *ask)
{
    ev_timer_stop(ask->line->loop, &ask->timer);

    if (ask->resolve != NULL) {
        resolve_cancel(ask->resolve);
    }

    if (ask->transfer != NULL) {
        transfer_cancel(ask->transfer);
    }

    gateway_request_clear(&ask->request);
    rbl_buf_free(&ask->request.url);
    rbl_buf_free(&ask->request.body);
    rbl_buf_free(&ask->whole);
    free(ask);
}


void
gateway_ask_cancel(gateway_ask_t *ask)
{
    ask_free(ask);
}


static void
ask_over(struct ev_loop *loop, ev_timer *timer, int revents)
{
    gateway_ask_t  *ask = timer->data;

    (void) loop;
    (void) revents;

    ask->done(ask->data, &ask->outcome);
    ask_free(ask);
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

    ask->transfer = NULL;

    if (result->end != TRANSFER_DONE || result->status == 0) {
        log_info("gateway %s: %s", ask->line->gateway->name, result->text);
        ask_fail(ask, GATEWAY_UNKNOWN, "no answer");
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
ask_resolved(void *data, const rbl_addr_t *addr, const char *why, int known)
{
    char                url[TARGET_URL_MAX];
    unsigned            i, n;
    const char         *headers[GATEWAY_HEADERS + 3];
    gateway_ask_t      *ask = data;
    gateway_request_t  *r = &ask->request;
    transfer_request_t  request;

    ask->resolve = NULL;

    if (addr == NULL) {
        log_info("gateway %s: %s", ask->line->gateway->name, why);
        ask_fail(ask, GATEWAY_UNKNOWN, known ? "no connection"
                                             : RESOLVE_UNKNOWN);
        return;
    }

    for (n = 0, i = 0; i < r->n_headers; i++) {
        headers[n++] = r->header[i];
    }

    if (r->type != NULL) {
        snprintf(ask->type, sizeof(ask->type), "Content-Type: %s", r->type);
        headers[n++] = ask->type;
    }

    headers[n++] = "Expect:";
    headers[n] = NULL;

    memset(&request, 0, sizeof(request));
    request.url = url;
    request.tls = ask->to.parsed.tls;
    request.addr = *addr;
    request.port = ask->to.parsed.port;
    request.headers = headers;
    request.body = rbl_buf_str(&r->body);
    request.get = r->type == NULL;
    request.whole = &ask->whole;
    request.user = request.password = request.sigv4 = "";
    request.fresh = 1;
    request.timeout = request.connect_timeout
                    = ask->line->conf->gateway_timeout;
    rbl_buf_reset(&ask->whole);

    if (target_url(&ask->to, url, sizeof(url)) == 0) {
        ask->transfer = transfer_start(ask->line->pool, &request,
                                       ask_answered, ask);
    }

    if (ask->transfer == NULL) {
        ask_fail(ask, GATEWAY_UNKNOWN, "the request cannot be sent");
    }
}


static void
ask_send(gateway_ask_t *ask)
{
    char                buf[RBL_VALUE_MAX];
    resolve_request_t   request;
    gateway_request_t  *r = &ask->request;

    gateway_request_clear(r);

    if (ask->line->gateway->make(r, ask->job) != RBL_OK) {
        ask_fail(ask, GATEWAY_MISCONFIGURED, "the request cannot be made");
        return;
    }

    memset(&request, 0, sizeof(request));
    request.loop = ask->line->loop;
    request.dns = ask->line->dns;
    request.conf = ask->line->conf;
    request.trusted = 1;
    request.attempt = ask->steps;
    request.timeout = ask->line->conf->gateway_timeout;

    if (rbl_url_parse(&ask->to.parsed, rbl_buf_str(&r->url)) != RBL_OK
        || target_host(&ask->to, &request, buf) != RBL_OK
        || resolve_start(&request, &ask->resolve, ask_resolved, ask) != 0)
    {
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
    rbl_buf_init(&ask->request.url);
    rbl_buf_init(&ask->request.body);
    ev_init(&ask->timer, ask_over);
    ask->timer.data = ask;
    ask_send(ask);

    return ask;
}
