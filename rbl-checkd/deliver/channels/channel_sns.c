/*
 * Contacts of type aws-sns: Publish to a topic.  Its subscribers get the text
 * of the message; phones get the text of an SMS.  A FIFO topic recognizes a
 * repeat by the event; other topics may get a message twice.
 */

#include "aws.h"

#include <ctype.h>
#include <stdio.h>

#include "deliver/message/clip.h"
#include "deliver/message/sms_text.h"
#include "rbl_doc.h"


#define SNS_SUBJECT   99                /* characters */
#define SNS_TEXT_MAX  100000            /* octets; as JSON within the 262,144
                                           that a message may have */
#define SNS_GROUP     "blocklist-monitoring"


/* Printable ASCII that begins with a letter or a digit. */

static void
sns_subject(rbl_buf_t *form, rbl_str_t title)
{
    char    subject[SNS_SUBJECT];
    size_t  i;

    for (i = 0; i < title.n && i < SNS_SUBJECT; i++) {
        subject[i] = title.p[i] >= ' ' && title.p[i] <= '~' ? title.p[i] : '?';
    }

    if (i > 0 && isalnum((unsigned char) subject[0])) {
        form_add(form, "Subject", (rbl_str_t) { subject, i });
    }
}


static void
sns_attribute(rbl_buf_t *form, unsigned n, const char *name, rbl_str_t value)
{
    char  key[64];

    if (value.n == 0) {
        return;
    }

    snprintf(key, sizeof(key), "MessageAttributes.entry.%u.Name", n);
    form_add(form, key, rbl_str(name));
    snprintf(key, sizeof(key), "MessageAttributes.entry.%u.Value.DataType", n);
    form_add(form, key, RBL_STR("String"));
    snprintf(key, sizeof(key), "MessageAttributes.entry.%u.Value.StringValue",
             n);
    form_add(form, key, value);
}


/* One text for each kind of subscriber, as a JSON object. */

static void
sns_message(rbl_buf_t *form, const message_t *message)
{
    rbl_buf_t  sms, json;
    rbl_doc_t  doc;

    rbl_buf_init(&sms);
    rbl_buf_init(&json);
    sms_text(&sms, message);

    rbl_doc_begin(&doc, &json.out, RBL_JSON);
    rbl_doc_str(&doc, "default",
                clip_begin(message->text, SNS_TEXT_MAX, CLIP_OCTETS));
    rbl_doc_str(&doc, "sms", rbl_buf_str(&sms));
    rbl_doc_end(&doc);
    form_add(form, "Message", rbl_buf_str(&json));
    form_add(form, "MessageStructure", RBL_STR("json"));

    rbl_buf_free(&sms);
    rbl_buf_free(&json);
}


static void
sns_form(rbl_buf_t *form, const aws_value_t *value, const message_t *message)
{
    form_add(form, "Action", RBL_STR("Publish"));
    form_add(form, "Version", RBL_STR("2010-03-31"));
    form_add(form, "TopicArn", value->arn);
    sns_subject(form, message->title);
    sns_message(form, message);
    sns_attribute(form, 1, "event_sid", message->event);
    sns_attribute(form, 2, "event_type", message->type);
    sns_attribute(form, 3, "weight", message->weight);

    if (value->name.n > 5
        && memcmp(value->name.p + value->name.n - 5, ".fifo", 5) == 0)
    {
        form_add(form, "MessageGroupId", RBL_STR(SNS_GROUP));
        form_add(form, "MessageDeduplicationId", message->event);
    }
}


static rbl_err_t
sns_write(request_t *request, const channel_job_t *job, rbl_str_t to,
    const message_t *message)
{
    rbl_err_t    err;
    aws_value_t  value;

    err = aws_request(request, &value, to, "sns", job->conf->sns_url);

    if (err == RBL_OK) {
        request->content_type = FORM_TYPE "; charset=utf-8";
        sns_form(&request->body_made, &value, message);
    }

    return err;
}


static channel_verdict_t
sns_judge(const channel_answer_t *answer, channel_outcome_t *outcome)
{
    rbl_str_t          code;
    channel_verdict_t  verdict;

    verdict = aws_judge(answer, outcome, "Amazon SNS", &code);

    return verdict == CHANNEL_DEAD && (rbl_str_is(code, "NotFound")
                                       || rbl_str_is(code, "EndpointDisabled"))
           ? CHANNEL_DISABLE : verdict;
}


const channel_t  channel_sns = {
    .type = RBL_CONTACT_SNS,
    .no_value = "not a topic with its keys",
    .keyless = 1,
    .exact = 1,
    .repeats = &backoff_contact,
    .write = sns_write,
    .judge = sns_judge
};
