/*
 * The way of an attempt to the mail server.
 */

#include "deliver_int.h"

#include <stdio.h>

#include "base/log.h"


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
        log_debug("delivery %.*s waits for its lease: the mail server is slow",
                  (int) a->member.n, a->member.p);
        queue_over(a);
        return;
    }

    if (result->end == SMTP_ANSWERED) {
        log_info("delivery %.*s: attempt %u: SMTP %u in %.0f ms",
                 (int) a->member.n, a->member.p, a->n + 1, result->status,
                 result->seconds * 1000.0);

        memset(&answer, 0, sizeof(answer));
        answer.step = 0;
        answer.status = result->status;
        answer.text = result->text;
        attempt_answered(a, &answer, 0);
        return;
    }

    a->unsure = result->unsure;
    snprintf(text, sizeof(text), "%s", result->error);
    attempt_hide_code(a, text);
    log_info("delivery %.*s: attempt %u failed in %.0f ms: %s",
             (int) a->member.n, a->member.p, a->n + 1,
             result->seconds * 1000.0, text);
    attempt_log_smtp(result, text);

    attempt_failed(a, 0, 0, errors[result->end]);
}


void
attempt_mail(attempt_t *a)
{
    deliver_t  *d = a->deliver;

    a->state = ATTEMPT_SENDING;
    a->mail = smtp_send(d->smtp, a->request->to, a->request->body,
                        queue_latest(a), attempt_mailed, a);

    if (a->mail == NULL) {
        attempt_failed(a, 0, 0, "internal error");
    }
}
