/*
 * Messages that contacts get: what each is notified about, and when; mutes.
 */

#include "rbl_ops.h"

#include "rbl_codes.h"
#include "rbl_rhythm.h"
#include "rbl_time.h"
#include "rbl_validate.h"
#include "rbl_view.h"


#define RBL_MUTE_LONGEST  (366 * INT64_C(86400000))     /* ms */
#define RBL_MUTE_REASON   200           /* characters */
#define RBL_ALERT_AFTER   10080         /* minutes, a week */
#define RBL_ALERT_CHECKS  5             /* one more than _judge.lua keeps */


/* --- contacts ------------------------------------------------------------ */

static const rbl_outcome_t  rbl_alert_refusals[] = {
    RBL_UNKNOWN_ID("CONTACT", "contact"),
    { NULL, 0, NULL }
};


static void
rbl_alert_members(const rbl_run_t *run, rbl_doc_t *doc,
    const rbl_contact_t *contact)
{
    rbl_weight_t  weight;

    weight = contact->weight > RBL_WEIGHT_INFO
             && contact->weight <= RBL_WEIGHTS
             ? (rbl_weight_t) contact->weight : RBL_WEIGHT_INFO;

    rbl_view_contact(doc, "contact", contact, run->path);
    rbl_doc_z(doc, "weight", rbl_weight_word(weight));
    rbl_doc_str(doc, "rhythm", contact->rhythm.n > 0 ? contact->rhythm
                                                     : RBL_STR("now"));
    rbl_doc_str(doc, "quiet", contact->quiet.n > 0 ? contact->quiet
                                                   : RBL_STR("none"));
    rbl_doc_int(doc, "after", contact->after);
    rbl_doc_int(doc, "checks", contact->checks > 1 ? contact->checks : 1);
}


static void
rbl_alert_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    rbl_contact_t              contact;
    rbl_contact_show_reply_t   said;

    rbl_contact_show_reply(&said, reply);

    if (rbl_contact_decode(&contact, said.record) != RBL_OK) {
        rbl_refuse(run, 500, "The record of a contact is damaged.");
        return;
    }

    rbl_doc_object(doc, "data");
    rbl_alert_members(run, doc, &contact);
    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_alert_show = {
    .script = &rbl_script_contact_show,
    .kinds = { RBL_SID_CONTACT },
    .message = "OK",
    .answer = rbl_alert_answer,
    .refusals = rbl_alert_refusals
};


void
rbl_alert_rows(rbl_run_t *run, rbl_doc_t *doc, const redisReply *contacts)
{
    size_t         i;
    rbl_contact_t  contact;

    for (i = 0; i < rbl_reply_len(contacts); i++) {
        if (rbl_contact_decode(&contact,
                               rbl_reply_str(rbl_reply_at(contacts, i)))
            != RBL_OK)
        {
            run->by->note(run, "The record of a contact is damaged.");
            continue;
        }

        rbl_doc_object(doc, NULL);
        rbl_alert_members(run, doc, &contact);
        rbl_doc_close(doc);
    }
}


static void
rbl_alerts_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    rbl_contacts_show_reply_t  said;

    rbl_contacts_show_reply(&said, reply);
    rbl_page_open(run, doc, "total_contacts", said.total);
    rbl_alert_rows(run, doc, said.contacts);
    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_alerts = {
    .script = &rbl_script_contacts_show,
    .fields = rbl_page_fields,
    .message = "OK",
    .ranks = RBL_ARG(contacts_show, first),
    .answer = rbl_alerts_answer
};


static int
rbl_alert_weight(rbl_run_t *run, rbl_str_t *text)
{
    rbl_weight_t  weight;

    weight = rbl_weight_parse(*text);

    if (weight == RBL_WEIGHT_NONE) {
        return rbl_expect(run, "critical, high, normal or info");
    }

    *text = rbl_digit(weight);

    return 0;
}


static int
rbl_alert_rhythm(rbl_run_t *run, rbl_str_t *text)
{
    return text->n > 0 && rbl_rhythm_ok(*text) ? 0
           : rbl_expect(run, "now, hourly, daily 08:00 or weekly mon 08:00");
}


static int
rbl_alert_quiet(rbl_run_t *run, rbl_str_t *text)
{
    return text->n > 0 && rbl_quiet_ok(*text) ? 0
           : rbl_expect(run, "two different times such as 22:00-06:30, or"
                             " none");
}


static const rbl_field_t  rbl_alert_fields[] = {
    RBL_TEXT("weight", 0, rbl_alert_weight, RBL_ARG(contact_alert, weight)),
    RBL_TEXT("rhythm", 0, rbl_alert_rhythm, RBL_ARG(contact_alert, rhythm)),
    RBL_TEXT("quiet", 0, rbl_alert_quiet, RBL_ARG(contact_alert, quiet)),
    RBL_NUMBER("after", 0, RBL_ALERT_AFTER, 0, RBL_ARG(contact_alert, after)),
    RBL_NUMBER("checks", 1, RBL_ALERT_CHECKS, 0,
               RBL_ARG(contact_alert, checks)),
    RBL_END
};

const rbl_op_t  rbl_op_alert = {
    .script = &rbl_script_contact_alert,
    .fields = rbl_alert_fields,
    .kinds = { RBL_SID_CONTACT },
    .message = "Contact updated successfully.",
    .refusals = rbl_alert_refusals
};


/* --- mutes --------------------------------------------------------------- */

static const rbl_outcome_t  rbl_mute_refusals[] = {
    RBL_UNKNOWN_ID("MUTE", "mute"),
    RBL_INVALID("TARGET", "target"),
    RBL_INVALID("GROUP", "group"),
    { "PAST", 400,
      "Invalid until value provided: it must be a time that is to come, after"
      " the begin." },
    { "FAR", 400,
      "Invalid begin value provided: a mute begins within %L days." },
    { "LONG", 400,
      "Invalid until value provided: a mute lasts at most %L days." },
    { "LIMIT", 409,
      "An account may have at most %L mutes. Please end one first." },
    { NULL, 0, NULL }
};


static void
rbl_mute_members(const rbl_run_t *run, rbl_doc_t *doc, const rbl_mute_t *mute,
    int64_t now)
{
    rbl_doc_str(doc, "id", mute->id);
    rbl_doc_str(doc, "target", mute->target);
    rbl_doc_str(doc, "name", mute->name);
    rbl_doc_str(doc, "group", mute->group);
    rbl_doc_str(doc, "group_name", mute->group_name);
    rbl_doc_str(doc, "reason", mute->reason);
    rbl_doc_str(doc, "by", mute->by);
    rbl_run_at(run, doc, "made", mute->made);
    rbl_run_at(run, doc, "begins", mute->rule.n > 0 && mute->ends == 0
                                   ? 0 : mute->begins);
    rbl_run_at(run, doc, "ends", mute->ends);
    rbl_doc_str(doc, "repeat", mute->rule.n > 0 ? mute->rule
                                                : RBL_STR("none"));
    rbl_doc_int(doc, "minutes", mute->minutes);
    rbl_run_at(run, doc, "until", mute->rule.n > 0 ? mute->last : mute->ends);
    rbl_doc_int(doc, "active", mute->rule.n > 0
                               ? mute->last == 0 || mute->last > now
                               : mute->ends > now);
    rbl_doc_int(doc, "open", mute->begins <= now && mute->ends > now);
}


static void
rbl_mutes_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    size_t                    i;
    rbl_mute_t                mute;
    rbl_mutes_show_reply_t    said;

    rbl_mutes_show_reply(&said, reply);
    rbl_page_open(run, doc, "total_mutes", said.total);

    for (i = 0; i < rbl_reply_len(said.mutes); i++) {
        if (rbl_mute_decode(&mute, rbl_reply_str(rbl_reply_at(said.mutes, i)))
            != RBL_OK)
        {
            run->by->note(run, "The record of a mute is damaged.");
            continue;
        }

        rbl_doc_object(doc, NULL);
        rbl_mute_members(run, doc, &mute, said.now);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_mutes = {
    .script = &rbl_script_mutes_show,
    .fields = rbl_page_fields,
    .message = "OK",
    .ranks = RBL_ARG(mutes_show, first),
    .answer = rbl_mutes_answer
};


/* A SID of what may be muted; an empty text is the account. */

static int
rbl_mute_target(rbl_run_t *run, rbl_str_t *text)
{
    size_t      i;
    rbl_sid_t  *sid;

    static const rbl_sid_kind_t  kinds[] = {
        RBL_SID_HOST, RBL_SID_GROUP, RBL_SID_LIST
    };

    if (text->n == 0) {
        return 0;
    }

    sid = rbl_room(run, sizeof(rbl_sid_t));
    if (sid == NULL) {
        return -1;
    }

    for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (rbl_sid_parse(sid, kinds[i], *text) == RBL_OK) {
            *text = rbl_sid_str(sid);
            return 0;
        }
    }

    return rbl_expect(run, "the id of a host, a contact group or a list, or"
                           " empty for the account");
}


static int
rbl_mute_begin(rbl_run_t *run, rbl_str_t *text)
{
    int64_t  ms;

    if (rbl_time_read(&ms, *text, run->now, run->timezone) != RBL_OK) {
        return rbl_expect(run, "a time such as 2026-11-20T17:00, or in how"
                               " long, such as 90m, 12h or 7d");
    }

    return rbl_run_int(run, text, ms);
}


/* A time, or how long after the begin. */

static int
rbl_mute_until(rbl_run_t *run, rbl_str_t *text)
{
    int64_t    ms, begins;
    rbl_str_t  begin = run->argv[RBL_ARG(mute_add, begins)];

    if (rbl_str_is(*text, "never")) {
        *text = rbl_digit(0);
        return 0;
    }

    if (rbl_int_parse(&begins, begin, 0, INT64_MAX) != RBL_OK) {
        begins = run->now;
    }

    if (rbl_time_read(&ms, *text, begins, run->timezone) != RBL_OK) {
        return rbl_expect(run, "a time such as 2026-11-20T17:00, or how long,"
                               " such as 90m, 12h or 7d; or never, for a mute"
                               " that is repeated");
    }

    return rbl_run_int(run, text, ms);
}


static int
rbl_mute_rule(rbl_run_t *run, rbl_str_t *text)
{
    if (rbl_str_is(*text, "none")) {
        *text = RBL_STR("");
        return 0;
    }

    return rbl_window_ok(*text) ? 0
           : rbl_expect(run, "none, daily 22:00 or weekly sat,sun 22:00");
}


static int
rbl_mute_reason(rbl_run_t *run, rbl_str_t *text)
{
    (void) run;

    return text->n > 0 && rbl_utf8_count(*text) <= RBL_MUTE_REASON ? 0 : -1;
}


static const rbl_field_t  rbl_mute_fields[] = {
    RBL_TEXT("target", RBL_EMPTY, rbl_mute_target,
             RBL_ARG(mute_add, target)),
    RBL_SIDS("group", RBL_EMPTY|RBL_ONE, RBL_SID_GROUP,
             RBL_ARG(mute_add, group)),
    RBL_TEXT("begin", RBL_EMPTY, rbl_mute_begin, RBL_ARG(mute_add, begins)),
    RBL_TEXT("until", RBL_NEEDED, rbl_mute_until, RBL_ARG(mute_add, ends)),
    RBL_TEXT("repeat", RBL_EMPTY, rbl_mute_rule, RBL_ARG(mute_add, rule)),
    RBL_NUMBER("minutes", 1, RBL_WINDOW_MINUTES, 0, RBL_ARG(mute_add, minutes)),
    RBL_TEXT("reason", RBL_NEEDED, rbl_mute_reason,
             RBL_ARG(mute_add, reason)),
    RBL_END
};


/* Only a list is muted within a group, and only a mute that is repeated has
   minutes and may go on for ever. */

static int
rbl_mute_prepare(rbl_run_t *run)
{
    int        repeated = run->argv[RBL_ARG(mute_add, rule)].n > 0;
    rbl_sid_t  sid;

    if (run->argv[RBL_ARG(mute_add, group)].n > 0
        && rbl_sid_parse(&sid, RBL_SID_LIST,
                         run->argv[RBL_ARG(mute_add, target)]) != RBL_OK)
    {
        rbl_refuse(run, 400, "Invalid group value provided: only a list can be"
                             " muted within a contact group.");
        return -1;
    }

    if (repeated != (run->argv[RBL_ARG(mute_add, minutes)].n > 0)) {
        rbl_missing(run, repeated ? "minutes" : "repeat");
        return -1;
    }

    if (!repeated && rbl_str_is(run->argv[RBL_ARG(mute_add, ends)], "0")) {
        rbl_refuse(run, 400, "Invalid until value provided: only a mute that is"
                             " repeated may last for ever.");
        return -1;
    }

    return rbl_run_int(run, &run->argv[RBL_ARG(mute_add, longest)],
                       RBL_MUTE_LONGEST);
}


static void
rbl_mute_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    rbl_mute_t             mute;
    rbl_mute_add_reply_t   said;

    rbl_mute_add_reply(&said, reply);

    if (rbl_mute_decode(&mute, said.record) != RBL_OK) {
        rbl_refuse(run, 500, "The record of a mute is damaged.");
        return;
    }

    rbl_doc_object(doc, "data");
    rbl_mute_members(run, doc, &mute, mute.made);
    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_mute_add = {
    .script = &rbl_script_mute_add,
    .fields = rbl_mute_fields,
    .kinds = { RBL_SID_MUTE },
    .makes = 1,
    .message = "Mute added successfully.",
    .prepare = rbl_mute_prepare,
    .answer = rbl_mute_answer,
    .refusals = rbl_mute_refusals
};

const rbl_op_t  rbl_op_mute_end = {
    .script = &rbl_script_mute_end,
    .kinds = { RBL_SID_MUTE },
    .message = "Mute ended successfully.",
    .refusals = rbl_mute_refusals
};
