/*
 * The request of an attempt on its way to the peer, and the answer back.
 *
 * It goes to a URL of a customer or a service, or to the mail server.  The
 * error that the customer sees tells a name without an address from one that
 * has some, and does not distinguish a refused address from one that did not
 * respond.
 */

#include "deliver_int.h"

#include <stdio.h>

#include "base/log.h"


#define ATTEMPT_INTERNAL  "internal error"


/* There is no answer. */

static void
attempt_broken(attempt_t *a, int unsure, double seconds, char text[256],
    const char *why)
{
    a->unsure = unsure;
    snprintf(text, 256, "%s", why);
    attempt_hide_code(a, text);
    log_info("delivery %s: attempt %u failed in %.0f ms: %s", a->member.p,
             a->n + 1, seconds * 1000.0, text);
}


static void
attempt_posted(void *data, const transfer_result_t *result)
{
    char               text[256];
    attempt_t         *a = data;
    channel_answer_t   answer;

    static const char *const  errors[] = {
        [TRANSFER_DONE] = "incomplete HTTP response",
        [TRANSFER_RESOLVE] = "the name cannot be resolved",
        [TRANSFER_CONNECT] = "connection failed",
        [TRANSFER_TIMEOUT] = "timeout",
        [TRANSFER_TLS] = "TLS failed",
        [TRANSFER_BROKEN] = "incomplete HTTP response",
        [TRANSFER_INTERNAL] = ATTEMPT_INTERNAL
    };

    if (result->end == TRANSFER_DONE && result->status != 0) {
        log_info("delivery %s: attempt %u: HTTP %u in %.0f ms", a->member.p,
                 a->n + 1, result->status, result->seconds * 1000.0);

        answer.step = a->job.step;
        answer.status = result->status;
        answer.text = "";
        answer.body = result->body;
        answer.headers = result->headers;
        a->back(a, &answer, result->retry_after, NULL);
        return;
    }

    attempt_broken(a, result->unsure, result->seconds, text, result->text);
    a->back(a, NULL, 0, errors[result->end]);
}


static void
attempt_post(attempt_t *a)
{
    deliver_t   *d = a->deliver;
    exchange_t  *x = &a->exchange;
    const char  *error;

    a->state = ATTEMPT_SENDING;

    if (a->job.step == 0) {
        x->loop = d->loop;
        x->dns = d->dns;
        x->conf = d->conf;
        x->attempt = a->n;
        x->timeout = d->conf->deliver_timeout;
        x->deadline = clock_now() + x->timeout;
        x->connect_timeout = d->conf->deliver_connect_timeout;
        x->done = attempt_posted;
        x->data = a;
    }

    x->request = a->request;
    x->pool = a->request->trusted ? d->services : d->transfers;
    error = exchange_start(x);

    if (error != NULL) {
        log_info("delivery %s: attempt %u: the URL is refused: %s", a->member.p,
                 a->n + 1, error);
        a->back(a, NULL, 0, error);
    }
}


/* Logs errors of the configuration, not of this mail. */

static void
attempt_log_smtp(const smtp_result_t *result, const char *text)
{
    if (result->end == SMTP_AUTH) {
        log_error("the mail server refuses smtp_user and its password: %s",
                  text);

    } else if (result->end == SMTP_TLS) {
        log_error("no TLS connection to the mail server, as smtp_tls requires:"
                  " %s", text);
    }
}


static void
attempt_mailed(void *data, const smtp_result_t *result)
{
    char               text[256];
    attempt_t         *a = data;
    channel_answer_t   answer;

    static const char *const  errors[] = {
        [SMTP_RESOLVE] = "the name of the mail server cannot be resolved",
        [SMTP_CONNECT] = "no connection to the mail server",
        [SMTP_TIMEOUT] = "the mail server did not answer in time",
        [SMTP_TLS] = "no secure connection to the mail server",
        [SMTP_AUTH] = "the mail server refuses its user",
        [SMTP_BROKEN] = "the mail server closed the connection"
    };

    a->mail = NULL;

    if (result->end == SMTP_LATE) {
        log_debug("delivery %s waits for its lease: the mail server is slow",
                  a->member.p);
        a->back(a, NULL, 0, NULL);
        return;
    }

    if (result->end == SMTP_ANSWERED) {
        log_info("delivery %s: attempt %u: SMTP %u in %.0f ms", a->member.p,
                 a->n + 1, result->status, result->seconds * 1000.0);

        memset(&answer, 0, sizeof(answer));
        answer.step = 0;
        answer.status = result->status;
        answer.text = result->text;
        a->back(a, &answer, 0, NULL);
        return;
    }

    attempt_broken(a, result->unsure, result->seconds, text, result->error);
    attempt_log_smtp(result, text);

    a->back(a, NULL, 0, errors[result->end]);
}


static void
attempt_mail(attempt_t *a)
{
    deliver_t  *d = a->deliver;

    a->state = ATTEMPT_SENDING;
    a->mail = smtp_send(d->smtp, a->request->to, a->request->body,
                        a->latest, attempt_mailed, a);

    if (a->mail == NULL) {
        a->back(a, NULL, 0, ATTEMPT_INTERNAL);
    }
}


void
attempt_send(attempt_t *a)
{
    if (a->channel->way == CHANNEL_SMTP) {
        attempt_mail(a);

    } else {
        attempt_post(a);
    }
}
