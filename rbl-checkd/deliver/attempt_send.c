/*
 * The request of an attempt on its way to the peer, and the answer back.
 *
 * To a URL, of a customer or a service: judges the URL, resolves its host,
 * takes a permitted address, posts.  The error that the customer sees tells a
 * name without an address from one that has some, and does not distinguish a
 * refused address from one that did not respond.
 */

#include "deliver_int.h"

#include <stdio.h>

#include "base/log.h"


#define ATTEMPT_NO_CONNECTION  "connection failed"
#define ATTEMPT_INTERNAL       "internal error"
#define ATTEMPT_JSON           "Content-Type: application/json"
#define ATTEMPT_LEAST_TIME     0.1      /* s; 0 would mean for ever */


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
        "", ATTEMPT_NO_CONNECTION, "timeout", "TLS failed",
        "incomplete HTTP response"
    };

    a->transfer = NULL;

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
    a->back(a, NULL, 0, result->end == TRANSFER_DONE
                        ? errors[TRANSFER_BROKEN] : errors[result->end]);
}


static const char *
attempt_content_type(attempt_t *a)
{
    if (a->request->content_type == NULL) {
        return ATTEMPT_JSON;
    }

    snprintf(a->content_type, sizeof(a->content_type), "Content-Type: %s",
             a->request->content_type);

    return a->content_type;
}


static int
attempt_transfer(attempt_t *a, const rbl_addr_t *addr)
{
    char                       url[TARGET_URL_MAX];
    unsigned                   i, n;
    deliver_t                 *d = a->deliver;
    const char                *headers[CHANNEL_HEADERS + 3];
    transfer_request_t         request;
    const channel_request_t   *made = a->request;

    if (target_url(&a->to, url, sizeof(url)) != 0) {
        return -1;
    }

    n = 0;
    headers[n++] = attempt_content_type(a);

    for (i = 0; i < made->n_headers; i++) {
        headers[n++] = made->header[i];
    }

    /* libcurl would sign this one, and not send it */

    if (made->sigv4[0] == '\0') {
        headers[n++] = "Expect:";
    }

    headers[n] = NULL;

    memset(&request, 0, sizeof(request));
    request.url = url;
    request.tls = a->to.parsed.tls;
    request.addr = *addr;
    request.port = a->to.parsed.port;
    request.headers = headers;
    request.body = made->body;
    request.user = made->user.n > 0 ? made->user.p : "";
    request.password = made->password.n > 0 ? made->password.p : "";
    request.sigv4 = made->sigv4;
    request.fresh = made->fresh;
    request.timeout = a->deadline - clock_now();
    request.connect_timeout = d->conf->deliver_connect_timeout;

    if (request.timeout < ATTEMPT_LEAST_TIME) {
        request.timeout = ATTEMPT_LEAST_TIME;
    }

    a->transfer = transfer_start(made->trusted ? d->services : d->transfers,
                                 &request, attempt_posted, a);

    return a->transfer != NULL ? 0 : -1;
}


static void
attempt_resolved(void *data, const rbl_addr_t *addr, const char *why,
    int known)
{
    attempt_t  *a = data;

    a->resolve = NULL;

    if (addr == NULL) {
        log_info("delivery %s: attempt %u: %s", a->member.p, a->n + 1, why);
        a->back(a, NULL, 0, known ? ATTEMPT_NO_CONNECTION : RESOLVE_UNKNOWN);
        return;
    }

    a->state = ATTEMPT_SENDING;

    if (attempt_transfer(a, addr) != 0) {
        a->back(a, NULL, 0, ATTEMPT_INTERNAL);
    }
}


/* NULL, or why the URL cannot be used, for the customer. */

static const char *
attempt_judge_url(attempt_t *a, resolve_request_t *request, char *buf)
{
    if (rbl_url_parse(&a->to.parsed, a->request->to) != RBL_OK) {
        return "not a valid URL";
    }

    if (!a->to.parsed.tls && !a->deliver->conf->deliver_http
        && !a->request->trusted)
    {
        return "only https is allowed";
    }

    if (target_host(&a->to, request, buf) != RBL_OK) {
        return ATTEMPT_NO_CONNECTION;
    }

    return NULL;
}


static void
attempt_post(attempt_t *a)
{
    char               buf[RBL_VALUE_MAX];
    deliver_t         *d = a->deliver;
    const char        *error;
    resolve_request_t  request;

    a->state = ATTEMPT_RESOLVING;

    if (a->job.step == 0) {
        a->deadline = clock_now() + d->conf->deliver_timeout;
    }

    memset(&request, 0, sizeof(request));
    error = attempt_judge_url(a, &request, buf);

    if (error != NULL) {
        log_info("delivery %s: attempt %u: the URL is refused", a->member.p,
                 a->n + 1);
        a->back(a, NULL, 0, error);
        return;
    }

    request.loop = d->loop;
    request.dns = d->dns;
    request.conf = d->conf;
    request.trusted = a->request->trusted;
    request.attempt = a->n;
    request.timeout = (a->deadline - clock_now()) / 2;

    if (resolve_start(&request, &a->resolve, attempt_resolved, a) != 0) {
        a->back(a, NULL, 0, ATTEMPT_INTERNAL);
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
