/*
 * Contacts of type email: the message as a mail of plain text, which is the
 * same at every attempt, its Message-ID too, so that a repeat after an outcome
 * that was not known can be told from a second message.
 */

#include "channel.h"

#include <stdio.h>

#include "message.h"
#include "mime.h"
#include "rbl_contact.h"


static void
email_line(rbl_out_t *out, const char *name, const char *before,
    rbl_str_t value, const char *after)
{
    rbl_out_z(out, name);
    rbl_out_z(out, ": ");
    rbl_out_z(out, before);
    rbl_out_str(out, value);
    rbl_out_z(out, after);
    rbl_out_z(out, "\r\n");
}


static void
email_write(rbl_out_t *out, const channel_job_t *job, rbl_str_t to,
    const message_t *message)
{
    char         date[MIME_DATE_LEN];
    const char  *from = job->conf->smtp_from;

    email_line(out, "From", "Blocklist monitoring <", rbl_str(from), ">");
    email_line(out, "To", "<", to, ">");
    mime_header(out, "Subject", message->title);
    email_line(out, "Date", "", mime_date(date, job->first), "");

    rbl_out_z(out, "Message-ID: <");
    rbl_out_str(out, job->event);
    rbl_out_z(out, strchr(from, '@'));
    rbl_out_z(out, ">\r\n");
    email_line(out, "MIME-Version", "", RBL_STR("1.0"), "");
    email_line(out, "Content-Type", "", RBL_STR("text/plain; charset=utf-8"),
               "");
    email_line(out, "Content-Transfer-Encoding", "",
               RBL_STR("quoted-printable"), "");
    email_line(out, "Auto-Submitted", "", RBL_STR("auto-generated"), "");
    rbl_out_z(out, "\r\n");
    mime_quoted_printable(out, message->text);
}


static rbl_err_t
email_make(channel_request_t *request, const channel_job_t *job)
{
    char        buf[RBL_CONTACT_MAX];
    message_t   message;
    rbl_str_t   to;
    rbl_out_t  *out;

    if (job->conf->smtp_url[0] == '\0') {
        return channel_never(request,
                             "no SMTP server is configured (smtp_url)");
    }

    if (rbl_contact_parse(buf, &to, RBL_CONTACT_EMAIL, job->to, NULL, 0)
        != RBL_OK)
    {
        return channel_never(request,
                             "not an address that mail can be sent to");
    }

    if (message_read(&message, job->body) != RBL_OK) {
        return channel_never(request, "the message is malformed");
    }

    rbl_out_str(&request->to_made.out, to);
    out = &request->body_made.out;
    email_write(out, job, to, &message);
    message_free(&message);

    return channel_made(request);
}


static channel_verdict_t
email_judge(const channel_answer_t *answer, channel_outcome_t *outcome)
{
    if (answer->status >= 200 && answer->status <= 299) {
        return CHANNEL_DELIVERED;
    }

    channel_why(outcome, "the mail server", answer->status,
                rbl_str(answer->text));

    return answer->status >= 500 ? CHANNEL_DEAD : CHANNEL_RETRY;
}


const channel_t  channel_email = {
    .type = "email",
    .way = CHANNEL_SMTP,
    .repeats = &backoff_contact,
    .make = email_make,
    .judge = email_judge
};
