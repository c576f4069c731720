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
#include "rbl_utf8.h"


#define EMAIL_TEXT_MAX  160             /* octets of the server's words */


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
        snprintf(request->why, CHANNEL_WHY_MAX,
                 "no SMTP server is configured (smtp_url)");
        return RBL_EINVAL;
    }

    if (rbl_contact_parse(buf, &to, RBL_CONTACT_EMAIL, job->to, NULL, 0)
        != RBL_OK)
    {
        snprintf(request->why, CHANNEL_WHY_MAX,
                 "not an address that mail can be sent to");
        return RBL_EINVAL;
    }

    if (message_read(&message, job->body) != RBL_OK) {
        snprintf(request->why, CHANNEL_WHY_MAX, "the message is malformed");
        return RBL_EINVAL;
    }

    rbl_out_str(&request->to_made.out, to);
    out = &request->body_made.out;
    email_write(out, job, to, &message);
    message_free(&message);

    request->to = rbl_buf_str(&request->to_made);
    request->body = rbl_buf_str(&request->body_made);

    return request->to_made.out.failed || out->failed ? RBL_ENOMEM : RBL_OK;
}


/* The server's words on one line, cut between characters. */

static void
email_words(char *why, size_t size, const char *text)
{
    size_t                n, len;
    const unsigned char  *p = (const unsigned char *) text, *end;

    end = p + strlen(text);
    n = strlen(why);

    for ( /* void */ ; p < end && n + 4 < size; p += len) {
        len = rbl_utf8_len(p, end);

        if (len == 0 || *p < ' ' || *p == 0x7f
            || (len == 2 && p[0] == 0xc2 && p[1] < 0xa0))
        {
            len = len == 0 ? 1 : len;
            why[n++] = '?';
            continue;
        }

        memcpy(why + n, p, len);
        n += len;
    }

    why[n] = '\0';
}


static channel_verdict_t
email_judge(const channel_answer_t *answer, char why[CHANNEL_WHY_MAX])
{
    if (answer->status >= 200 && answer->status <= 299) {
        return CHANNEL_DELIVERED;
    }

    snprintf(why, CHANNEL_WHY_MAX, "the mail server said: %u ",
             answer->status);
    email_words(why, EMAIL_TEXT_MAX, answer->text);

    return answer->status >= 500 ? CHANNEL_DEAD : CHANNEL_RETRY;
}


const channel_t  channel_email = {
    "email", CHANNEL_SMTP, email_make, email_judge
};
