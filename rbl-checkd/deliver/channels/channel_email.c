/*
 * Contacts of type email: the message as plain text and, for readers that show
 * it, as HTML.  The mail and its Message-ID are the same at every attempt, so
 * that a repeat after an unknown outcome can be recognized.
 */

#include "channel.h"

#include "deliver/message/html.h"
#include "deliver/message/mime.h"


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
email_headers(rbl_out_t *out, const channel_job_t *job, rbl_str_t to,
    rbl_str_t title)
{
    char         date[MIME_DATE_LEN];
    const char  *from = job->conf->smtp_from;

    email_line(out, "From", "Blocklist monitoring <", rbl_str(from), ">");
    email_line(out, "To", "<", to, ">");
    mime_header(out, "Subject", title);
    email_line(out, "Date", "", mime_date(date, job->first), "");

    rbl_out_z(out, "Message-ID: <");
    rbl_out_str(out, job->event);
    rbl_out_z(out, strchr(from, '@'));
    rbl_out_z(out, ">\r\n");
    email_line(out, "MIME-Version", "", RBL_STR("1.0"), "");
    email_line(out, "Auto-Submitted", "", RBL_STR("auto-generated"), "");
}


/* The plainest part first: a reader shows the last that it knows.  Readers make
   a link of the address in a plain text, and show where it leads. */

static rbl_err_t
email_write(request_t *request, const channel_job_t *job, rbl_str_t to,
    const message_t *message)
{
    rbl_buf_t   html;
    rbl_out_t  *out = &request->body_made.out;

    rbl_out_str(&request->to_made.out, to);
    email_headers(out, job, to, message->title);

    if (rbl_str_is(message->type, MESSAGE_LINK)) {
        mime_body(out, "text/plain", message->text);
        return RBL_OK;
    }

    rbl_buf_init(&html);
    html_message(&html, message);
    mime_parts_begin(out, job->event);
    mime_part(out, job->event, "text/plain", message->text);
    mime_part(out, job->event, "text/html", rbl_buf_str(&html));
    mime_parts_end(out, job->event);

    rbl_buf_free(&html);

    return RBL_OK;
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
    .type = RBL_CONTACT_EMAIL,
    .way = CHANNEL_SMTP,
    .no_value = "not an address that mail can be sent to",
    .repeats = &backoff_contact,
    .needs = {
        CHANNEL_NEED(smtp_url, "no SMTP server is configured (smtp_url)")
    },
    .write = email_write,
    .judge = email_judge
};
