/*
 * Contacts of type sms: the Messages API of Twilio, which others offer, too.
 * It has no key that marks a repeat, so a repeat after an unknown outcome may
 * be paid for twice.  Its messages contain the number, so only its codes are
 * shown.
 */

#include "chat.h"

#include <jansson.h>
#include <stdio.h>

#include "deliver/message/sms_text.h"


#define SMS_VALID      "3600"           /* s until a message is out of date */
#define SMS_QUEUE_MS   INT64_C(600000)
#define SMS_SERVICE    "MG"             /* prefix of a messaging service's id */
#define SMS_SID_LEN    34

static const struct {
    int                code;
    channel_verdict_t  verdict;
    const char        *words;
} sms_codes[] = {
    { 20003, CHANNEL_RETRY, "refuses its account" },
    { 20429, CHANNEL_RETRY, "takes no more at once" },
    { 21211, CHANNEL_DISABLE, "does not know this number" },
    { 21214, CHANNEL_DISABLE, "cannot reach this number" },
    { 21217, CHANNEL_DISABLE, "does not know this number" },
    { 21408, CHANNEL_DEAD, "does not send to this country" },
    { 21610, CHANNEL_DISABLE, "reports that this number refuses messages" },
    { 21611, CHANNEL_RETRY, "has too many messages that wait" },
    { 21612, CHANNEL_DEAD, "has no way to this number" },
    { 21614, CHANNEL_DISABLE, "reports that this number cannot receive"
                              " messages" },
    { 30001, CHANNEL_RETRY, "has too many messages that wait" }
};


static void
sms_form(rbl_buf_t *form, const config_t *conf, rbl_str_t to,
    const message_t *message)
{
    rbl_buf_t  text;
    rbl_str_t  from;

    rbl_buf_init(&text);
    sms_text(&text, message);
    from = rbl_str(conf->sms_from);

    form_add(form, "To", to);
    form_add(form, from.n == SMS_SID_LEN
                       && memcmp(from.p, SMS_SERVICE, 2) == 0
                       ? "MessagingServiceSid" : "From", from);
    form_add(form, "Body", rbl_buf_str(&text));
    form_add(form, "ValidityPeriod", RBL_STR(SMS_VALID));
    form_add(form, "SmartEncoded", RBL_STR("true"));

    rbl_buf_free(&text);
}


static rbl_err_t
sms_write(request_t *request, const channel_job_t *job, rbl_str_t to,
    const message_t *message)
{
    const config_t  *conf = job->conf;

    channel_service(request, conf->sms_url, RBL_STR("/2010-04-01/Accounts/"));
    rbl_out_z(&request->to_made.out, conf->sms_account);
    rbl_out_z(&request->to_made.out, "/Messages.json");
    request->user = rbl_str(conf->sms_account);
    request->password = rbl_str(conf->sms_token);
    request->content_type = FORM_TYPE;
    sms_form(&request->body_made, conf, to, message);

    return RBL_OK;
}


/* {"code": 21211, "message": ..., "status": 400} */

static channel_verdict_t
sms_refused(const channel_answer_t *answer, const void *json,
    channel_verdict_t verdict, channel_outcome_t *outcome)
{
    size_t      i;
    json_int_t  code;

    code = json_integer_value(json_object_get(json, "code"));

    if (code <= 0 || code > 99999) {
        code = answer->status == 401 ? 20003 : 0;
    }

    if (code == 21611 || code == 30001) {
        outcome->wait = SMS_QUEUE_MS;
    }

    for (i = 0; i < sizeof(sms_codes) / sizeof(sms_codes[0]); i++) {
        if (sms_codes[i].code == code) {
            snprintf(outcome->why, CHANNEL_WHY_MAX,
                     "the SMS service %s (%u, %d)", sms_codes[i].words,
                     answer->status, (int) code);
            return sms_codes[i].verdict;
        }
    }

    if (code != 0) {
        snprintf(outcome->why, CHANNEL_WHY_MAX,
                 "the SMS service responded: %u, code %d",
                 answer->status, (int) code);
    }

    return verdict;
}


const channel_t  channel_sms = {
    .type = RBL_CONTACT_SMS,
    .service = "the SMS service",
    .keyless = 1,
    .no_value = "not a phone number",
    .repeats = &backoff_contact,
    .needs = {
        CHANNEL_NEED(sms_account, "no SMS account is configured (sms_account)"),
        CHANNEL_NEED(sms_token, "no SMS token is configured (sms_token_file)"),
        CHANNEL_NEED(sms_from, "no sender of SMS is configured (sms_from)")
    },
    .write = sms_write,
    .refused = sms_refused
};
