/*
 * Channels: a channel makes a request from a delivery, and judges its answer.
 * Each has one file; channels do no I/O.  Each type of contact has one
 * (RBL_CONTACT_ALL); webhooks and callbacks are a channel like those.
 *
 * A channel knows only its own service.  Resolving and judging addresses,
 * sending, the retry schedule and the record are common code (attempt.c); a
 * failure without an answer is always retried.
 */

#ifndef DELIVER_CHANNEL_H_INCLUDED
#define DELIVER_CHANNEL_H_INCLUDED

#include <stddef.h>

#include "backoff.h"
#include "base/form.h"
#include "base/request.h"
#include "config/config.h"
#include "deliver/message/message.h"
#include "rbl_contact.h"

#define CHANNEL_WHY_MAX     256
#define CHANNEL_STEPS       4           /* requests of one attempt */
#define CHANNEL_NEEDS       3
#define CHANNEL_VALUE_MAX   64
#define CHANNEL_WORDS_MAX   160         /* octets of a peer's words, the rest
                                           of a sentence before them */

typedef enum {
    CHANNEL_HTTP = 0,                   /* POST to a URL */
    CHANNEL_SMTP                        /* a mail to one address */
} channel_way_t;

/* The stored part of a delivery; the same at every attempt. */
typedef struct {
    const config_t  *conf;
    rbl_str_t        to;                /* URL of a receiver, or the value of
                                           a contact */
    rbl_str_t        secret;            /* "": nothing is signed */
    rbl_str_t        old;               /* secret that is still valid, or "" */
    rbl_str_t        event;             /* SID */
    rbl_str_t        body;              /* JSON (body.h, message.h) */
    int64_t          first;             /* ms since 1970 */
    unsigned         step;              /* number of CHANNEL_AGAIN in this
                                           attempt */
} channel_job_t;

/* All of it foreign bytes. */
typedef struct {
    unsigned     step;                  /* of the request answered */
    unsigned     status;                /* of HTTP, or the last SMTP reply */
    const char  *text;                  /* of that reply; "" with HTTP */
    rbl_str_t    body;                  /* the beginning of it */
    rbl_str_t    headers;               /* "Name: value" CR LF, bounded */
} channel_answer_t;

typedef enum {
    CHANNEL_DELIVERED = 0,
    CHANNEL_AGAIN,                      /* the service wants another request
                                           first: the same attempt goes on, in
                                           its time, with the one that is made
                                           at the next step */
    CHANNEL_RETRY,                      /* not before the peer's Retry-After */
    CHANNEL_DEAD,
    CHANNEL_DISABLE                     /* dead letter; a receiver is disabled,
                                           a contact paused */
} channel_verdict_t;

/* Zeroed before the channel judges. */
typedef struct {
    char     why[CHANNEL_WHY_MAX];      /* text for the customer, unless it is
                                           delivered */
    int64_t  wait;                      /* least ms to the next attempt; 0: by
                                           the schedule */
    char     value[CHANNEL_VALUE_MAX];  /* new value of the contact; "":
                                           unchanged */
} channel_outcome_t;

/* A text of the configuration that a channel cannot do without, and what is
   missing then. */
typedef struct {
    size_t       text;                  /* offset of a char[] in config_t */
    const char  *lacks;
} channel_need_t;

#define CHANNEL_NEED(member, lacks)  { offsetof(config_t, member), lacks }

typedef struct {
    const char             *service;    /* begins a reason: "Slack" */
    channel_way_t           way;
    unsigned                keyless:1;  /* the service has no key by which it
                                           recognizes a repeat: a request that
                                           may have arrived is repeated only
                                           once, and each is `fresh` */
    unsigned                exact:1;    /* a value must be stored as
                                           rbl_contact_parse writes it */
    rbl_contact_type_t      type;       /* the contact's value is one of these,
                                           or `no_value` is why nothing is
                                           sent; `no_value` NULL: it is not
                                           looked at */
    const char             *no_value;
    const backoff_table_t  *repeats;
    channel_need_t          needs[CHANNEL_NEEDS];

    /* One of them: makes a request of the body as it is, or writes one with the
       message.  to: the contact's value.  Result: as channel_make. */
    rbl_err_t             (*make)(request_t *request,
                                  const channel_job_t *job);
    rbl_err_t             (*write)(request_t *request,
                                   const channel_job_t *job, rbl_str_t to,
                                   const message_t *message);

    /* Judges an answer; NULL: channel_judge_service does.  Its verdict, if it
       is not "delivered", may be changed by `refused`, which gets the JSON of
       the answer (json_t, NULL: invalid or too long). */
    channel_verdict_t     (*judge)(const channel_answer_t *answer,
                                   channel_outcome_t *outcome);
    channel_verdict_t     (*refused)(const channel_answer_t *answer,
                                     const void *json,
                                     channel_verdict_t verdict,
                                     channel_outcome_t *outcome);
} channel_t;

#define CHANNEL_OF(NAME, name)  extern const channel_t  channel_##name;

RBL_CONTACT_ALL(CHANNEL_OF)

extern const channel_t  channel_webhook;

/* NULL: there is no such type of contact; "": webhooks and callbacks. */
const channel_t *channel_find(rbl_str_t type);

/* Writes a packed array of the types of contacts that can be delivered to. */
void channel_types(rbl_out_t *out, const config_t *conf);

/* Makes the request of a job.  RBL_EINVAL: never, and why; RBL_ENOMEM: not now,
   as OpenSSL has failed. */
rbl_err_t channel_make(const channel_t *channel, request_t *request,
    const channel_job_t *job);

/* The meaning of an answer.  The outcome is zeroed by the caller. */
channel_verdict_t channel_judge(const channel_t *channel,
    const channel_answer_t *answer, channel_outcome_t *outcome);

/* Fills in a POST to a customer's URL: the job's body, and the event's id. */
rbl_err_t channel_json(request_t *request, const channel_job_t *job,
    int64_t now);

/* 2xx is delivered, 410 disables, any other status is retried. */
channel_verdict_t channel_judge_http(const channel_answer_t *answer,
    channel_outcome_t *outcome);


/*
 * For known services (Slack, an SMS gateway).  Their requests go to a base
 * address of the configuration, or to a URL that was judged as the contact's
 * value.
 */

/* to: the base address and the path behind it. */
void channel_service(request_t *request, const char *base,
    rbl_str_t path);

/* Copies user and password behind the URL in to_made, each with a NUL. */
void channel_user(request_t *request, rbl_str_t user,
    rbl_str_t password);

/* RBL_EINVAL, and that is why. */
rbl_err_t channel_never(request_t *request, const char *why);

/*
 * 2xx is delivered, 408, 425, 429 and 5xx are retried, any other status makes a
 * dead letter.  `service` begins the reason: "Slack".
 */
channel_verdict_t channel_judge_service(const channel_answer_t *answer,
    channel_outcome_t *outcome, const char *service);

/* Sets why to "<service> said: <status> <words>", with the words made
   printable. */
void channel_why(channel_outcome_t *outcome, const char *service,
    unsigned status, rbl_str_t words);

/* The same with a member of the answer's JSON, if that is a text. */
void channel_said(channel_outcome_t *outcome, const char *service,
    const channel_answer_t *answer, const void *json);

/* The value of a header, without spaces around it; "" if it is missing. */
rbl_str_t channel_answer_header(const channel_answer_t *answer,
    const char *name);

#endif /* DELIVER_CHANNEL_H_INCLUDED */
