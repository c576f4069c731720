/*
 * Deliveries: attempts, dead letters, tests, and dead letters that are sent
 * again.  A receiver is a webhook receiver, an application, to whose callbacks
 * events go, or a contact.
 */

#include "rbl_ops.h"

#include "rbl_record.h"
#include "rbl_time.h"
#include "rbl_validate.h"

#include <time.h>


#define RBL_LOG_LAST      20            /* default */
#define RBL_LOG_AGE       (30 * INT64_C(86400000))  /* of attempts shown, ms */
#define RBL_TEST_HOOK     "webhook.test"            /* types of events */
#define RBL_TEST_CONTACT  "contact.test"
#define RBL_TEST_BODY     1024          /* octets */
#define RBL_TESTS_MOST    "20"          /* events that may wait for a receiver
                                           when its user sends a test */
#define RBL_REPLAY_SLICE  "40"          /* letters of a slice */
#define RBL_REPLAY_TEXT   64            /* octets of a time */

enum {                                  /* fields of replay */
    RBL_REPLAY_EVENT = 0,
    RBL_REPLAY_FROM,
    RBL_REPLAY_TO,
    RBL_REPLAY_ALL,
    RBL_REPLAY_AFTER
};


static const rbl_outcome_t  rbl_delivery_refusals[] = {
    RBL_UNKNOWN_ID("HOOK", "webhook"),
    RBL_UNKNOWN_ID("APP", "application"),
    RBL_UNKNOWN_ID("CONTACT", "contact"),
    { "LATER", 429,
      "Many events wait for this webhook. Please try again in %L seconds." },
    { "DISABLED", 409, "This webhook is disabled. Please enable it first." },
    { NULL, 0, NULL }
};


static const rbl_field_t  rbl_log_fields[] = {
    RBL_NUMBER("last", 1, RBL_LOG_MAX, RBL_LOG_LAST,
               RBL_ARG(delivery_log, last)),
    RBL_END
};


/* Old entries are left out.  A test is sent once.  A receiver may answer with
   what it got, and its URL and headers may be secret. */

static void
rbl_log_try(rbl_run_t *run, rbl_doc_t *doc, rbl_str_t raw)
{
    int        again;
    rbl_try_t  t;

    if (rbl_try_decode(&t, raw) != RBL_OK) {
        run->by->note(run, "An entry of the log of deliveries is damaged.");
        return;
    }

    if (t.at <= run->now - RBL_LOG_AGE) {
        return;
    }

    again = (rbl_str_is(t.outcome, "retry") || rbl_str_is(t.outcome, "unsure"))
            && !rbl_str_is(t.type, RBL_TEST_HOOK)
            && !rbl_str_is(t.type, RBL_TEST_CONTACT);

    rbl_doc_object(doc, NULL);
    rbl_run_at(run, doc, "time", t.at);
    rbl_doc_str(doc, "event", t.event);
    rbl_doc_str(doc, "type", t.type);
    rbl_doc_int(doc, "attempt", t.number);
    rbl_doc_str(doc, "outcome", t.outcome);
    rbl_doc_int(doc, "http", t.status);
    rbl_doc_int(doc, "ms", t.took);
    rbl_run_at(run, doc, "next", again ? t.at + t.next : 0);
    rbl_doc_str(doc, "error", t.error);
    rbl_doc_str(doc, "answer", t.answer.n == 0 || run->path
                               ? t.answer : RBL_STR("****"));
    rbl_doc_close(doc);
}


static void
rbl_log_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    size_t                     n;
    rbl_delivery_log_reply_t   said;

    rbl_delivery_log_reply(&said, reply);

    rbl_doc_array(doc, "data");

    for (n = rbl_reply_len(said.attempts); n-- > 0; /* void */ ) {
        rbl_log_try(run, doc, rbl_reply_str(rbl_reply_at(said.attempts, n)));
    }

    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_delivery_log = {
    .script = &rbl_script_delivery_log,
    .fields = rbl_log_fields,
    .kinds = { RBL_SID_HOOK, RBL_SID_APP, RBL_SID_CONTACT },
    .message = "OK",
    .answer = rbl_log_answer,
    .refusals = rbl_delivery_refusals,
    .slow = 1
};


static const rbl_field_t  rbl_dead_fields[] = {
    RBL_NUMBER("last", 1, RBL_LETTERS_MAX, RBL_LOG_LAST,
               RBL_ARG(hook_dead, most)),
    RBL_TEXT("before", 0, rbl_entry, RBL_ARG(hook_dead, before)),
    RBL_END
};


static void
rbl_dead_letter(rbl_run_t *run, rbl_doc_t *doc,
    const rbl_hook_dead_letter_t *letter)
{
    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "id", letter->id);
    rbl_run_at(run, doc, "time", rbl_reply_entry_ms(letter->id));
    rbl_doc_str(doc, "event", letter->event);
    rbl_doc_str(doc, "type", letter->type);
    rbl_doc_str(doc, "to", letter->to);
    rbl_doc_int(doc, "attempts", letter->attempts);
    rbl_doc_int(doc, "http", letter->status);
    rbl_doc_str(doc, "error", letter->error);
    rbl_doc_int(doc, "kept", letter->kept);
    rbl_doc_close(doc);
}


static void
rbl_dead_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    size_t                   i;
    rbl_hook_dead_reply_t    said;
    rbl_hook_dead_letter_t   letter;

    rbl_hook_dead_reply(&said, reply);

    rbl_doc_str(doc, "next", said.before);
    rbl_doc_array(doc, "data");

    for (i = 0; i < rbl_reply_len(said.letters); i++) {
        rbl_hook_dead_letter(&letter, rbl_reply_at(said.letters, i));
        rbl_dead_letter(run, doc, &letter);
    }

    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_hook_dead = {
    .script = &rbl_script_hook_dead,
    .fields = rbl_dead_fields,
    .kinds = { RBL_SID_HOOK, RBL_SID_APP, RBL_SID_CONTACT },
    .message = "OK",
    .answer = rbl_dead_answer,
    .refusals = rbl_delivery_refusals,
    .slow = 1
};


static int
rbl_replay_event(rbl_run_t *run, rbl_str_t *text)
{
    rbl_sid_t  *sid;

    sid = rbl_room(run, sizeof(rbl_sid_t));

    if (sid == NULL || rbl_sid_parse(sid, RBL_SID_EVENT, *text) != RBL_OK) {
        return -1;
    }

    *text = rbl_sid_str(sid);

    return 0;
}


/* 2026-11-20 or 2026-11-20T09:30:00, with an optional "Z" or "+00:00", becomes
   ms. */

static int
rbl_replay_time(rbl_run_t *run, rbl_str_t *text)
{
    char         z[RBL_REPLAY_TEXT];
    struct tm    tm;
    const char  *end;

    memset(&tm, 0, sizeof(tm));
    rbl_copy(z, sizeof(z), *text);
    end = strptime(z, "%Y-%m-%d", &tm);

    if (end != NULL && *end == 'T') {
        end = strptime(end + 1, "%H:%M:%S", &tm);
    }

    if (end == NULL || text->n >= sizeof(z) || tm.tm_year < 70
        || (*end != '\0' && strcmp(end, "Z") != 0
            && strcmp(end, "+00:00") != 0))
    {
        return rbl_expect(run, "a time in UTC such as 2026-11-20T09:30:00");
    }

    return rbl_run_int(run, text, (int64_t) timegm(&tm) * 1000);
}


/* The id of a letter: the letters behind it. */

static int
rbl_replay_after(rbl_run_t *run, rbl_str_t *text)
{
    char  *room;

    room = rbl_room(run, RBL_ENTRY_ID);

    if (room == NULL || !rbl_entry_id(*text)) {
        return -1;
    }

    room[0] = '(';
    memcpy(room + 1, text->p, text->n);
    text->p = room;
    text->n++;

    return 0;
}


/* from, to and after become the ids that XRANGE takes. */

static const rbl_field_t  rbl_replay_fields[] = {
    RBL_TEXT("event", 0, rbl_replay_event, RBL_ARG(hook_replay, event)),
    RBL_TEXT("from", 0, rbl_replay_time, RBL_ARG(hook_replay, from)),
    RBL_TEXT("to", 0, rbl_replay_time, RBL_ARG(hook_replay, to)),
    RBL_TEXT("all", 0, rbl_flag, 0),
    RBL_TEXT("after", 0, rbl_replay_after, RBL_ARG(hook_replay, from)),
    RBL_END
};


/* One of event, from and all says which letters are meant.  Letters that are
   added meanwhile are not. */

static int
rbl_replay_prepare(rbl_run_t *run)
{
    int  all, from;

    if (rbl_flag_parse(&all, rbl_text(run, RBL_REPLAY_ALL)) != RBL_OK) {
        all = 0;
    }

    from = rbl_text(run, RBL_REPLAY_FROM).p != NULL;

    if (all + from + (rbl_text(run, RBL_REPLAY_EVENT).p != NULL) != 1
        || (rbl_text(run, RBL_REPLAY_TO).p != NULL && !from))
    {
        rbl_refuse(run, 400,
                   "Give an event, or all, or from and perhaps to.");
        return -1;
    }

    run->argv[RBL_ARG(hook_replay, most)] = RBL_STR(RBL_REPLAY_SLICE);

    if (run->argv[RBL_ARG(hook_replay, from)].n == 0) {
        run->argv[RBL_ARG(hook_replay, from)] = RBL_STR("0");
    }

    return run->argv[RBL_ARG(hook_replay, to)].n ? 0
           : rbl_run_int(run, &run->argv[RBL_ARG(hook_replay, to)],
                         run->now + 999);
}


static void
rbl_replay_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    rbl_hook_replay_reply_t  said;

    (void) run;

    rbl_hook_replay_reply(&said, reply);

    rbl_doc_object(doc, "data");
    rbl_doc_int(doc, "deliveries", said.n);
    rbl_doc_str(doc, "next", said.last);
    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_hook_replay = {
    .script = &rbl_script_hook_replay,
    .fields = rbl_replay_fields,
    .kinds = { RBL_SID_HOOK, RBL_SID_APP },
    .message = "Dead letters queued successfully.",
    .prepare = rbl_replay_prepare,
    .answer = rbl_replay_answer,
    .refusals = rbl_delivery_refusals,
    .slow = 1
};


static void
rbl_test_hook_body(rbl_doc_t *doc)
{
    rbl_doc_z(doc, "message", "This is a test of your webhook.");
}


/* A message as the daemon makes them (message.h). */

static void
rbl_test_contact_body(rbl_doc_t *doc)
{
    rbl_doc_z(doc, "title", "Test of a contact for blocklist monitoring");
    rbl_doc_z(doc, "message",
              "This is a test. A user of your account sent it to see whether"
              " messages about hosts on blocklists arrive here.\n\nThere is"
              " nothing to do.\n");
    rbl_doc_z(doc, "url", "");
    rbl_doc_array(doc, "hosts");
    rbl_doc_close(doc);
    rbl_doc_int(doc, "listed", 0);
    rbl_doc_int(doc, "delisted", 0);
    rbl_doc_z(doc, "severity", "info");
    rbl_doc_int(doc, "clear", 0);
}


/* Sets event, type and body, which are the same arguments of both scripts. */

static int
rbl_test_prepare(rbl_run_t *run, const char *type)
{
    int         hook;
    char        date[RBL_TIME_LEN];
    rbl_doc_t   doc;
    rbl_out_t   out;
    rbl_sid_t  *event;
    rbl_str_t   body;

    hook = strcmp(type, RBL_TEST_HOOK) == 0;
    event = rbl_room(run, sizeof(rbl_sid_t));
    body.p = rbl_room(run, RBL_TEST_BODY);

    if (event == NULL || body.p == NULL) {
        return -1;
    }

    if (rbl_sid_make(event, RBL_SID_EVENT) != RBL_OK) {
        rbl_refuse(run, 500, "The kernel gives no random bytes.");
        return -1;
    }

    memset(&out, 0, sizeof(out));
    out.pos = (char *) body.p;
    out.end = out.pos + RBL_TEST_BODY;

    rbl_doc_begin(&doc, &out, RBL_JSON);
    rbl_doc_str(&doc, "event_sid", rbl_sid_str(event));
    rbl_doc_z(&doc, "event_type", type);

    if (hook) {
        rbl_doc_str(&doc, "event_date", rbl_time_rfc3339(date, run->now));
        rbl_test_hook_body(&doc);

    } else {
        rbl_test_contact_body(&doc);
    }

    rbl_doc_end(&doc);

    body.n = (size_t) (out.pos - body.p);
    run->argv[RBL_ARG(hook_test, event)] = rbl_sid_str(event);
    run->argv[RBL_ARG(hook_test, type)] = rbl_str(type);
    run->argv[RBL_ARG(hook_test, body)] = body;

    return 0;
}


static void
rbl_test_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    (void) reply;

    rbl_doc_object(doc, "data");
    rbl_doc_str(doc, "event", run->argv[RBL_ARG(hook_test, event)]);
    rbl_doc_close(doc);
}


static int
rbl_hook_test_prepare(rbl_run_t *run)
{
    run->argv[RBL_ARG(hook_test, most)] = run->operator
                                          ? RBL_STR("0")
                                          : RBL_STR(RBL_TESTS_MOST);

    return rbl_test_prepare(run, RBL_TEST_HOOK);
}


const rbl_op_t  rbl_op_hook_test = {
    .script = &rbl_script_hook_test,
    .kinds = { RBL_SID_HOOK },
    .message = "Test event queued successfully.",
    .prepare = rbl_hook_test_prepare,
    .answer = rbl_test_answer,
    .refusals = rbl_delivery_refusals
};


static int
rbl_contact_test_prepare(rbl_run_t *run)
{
    return rbl_test_prepare(run, RBL_TEST_CONTACT);
}


static const rbl_outcome_t  rbl_contact_test_refusals[] = {
    RBL_UNKNOWN_ID("CONTACT", "contact"),
    { "PENDING", 409, "The contact is not confirmed yet." },
    { "PAUSED", 409, "The contact is paused. Please resume it first." },
    { "SOON", 429,
      "A message was sent less than a minute ago. Please try again in %L "
      "seconds." },
    { NULL, 0, NULL }
};


const rbl_op_t  rbl_op_contact_test = {
    .script = &rbl_script_contact_test,
    .kinds = { RBL_SID_CONTACT },
    .message = "Test message queued successfully.",
    .prepare = rbl_contact_test_prepare,
    .answer = rbl_test_answer,
    .refusals = rbl_contact_test_refusals
};
