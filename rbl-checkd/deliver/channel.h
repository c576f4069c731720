/*
 * Channels: how a delivery becomes a request, and what its answer means.  One
 * file each, and a line in channel.c; nothing here does I/O.  Webhooks and
 * callbacks are a channel like those of the contacts.
 *
 * A channel knows only its own service.  Resolving and judging addresses,
 * sending, the schedule of repeats and the record are the same for all
 * (attempt.c); a failure without an answer is always tried again.
 */

#ifndef DELIVER_CHANNEL_H_INCLUDED
#define DELIVER_CHANNEL_H_INCLUDED

#include "../config.h"
#include "rbl_out.h"

#define CHANNEL_HEADERS     8
#define CHANNEL_HEADER_MAX  192
#define CHANNEL_WHY_MAX     256

typedef enum {
    CHANNEL_HTTP = 0,                   /* POST to a URL */
    CHANNEL_SMTP                        /* a mail to one address */
} channel_way_t;

/* What the store has of a delivery; the same at every attempt. */
typedef struct {
    const config_t  *conf;
    rbl_str_t        to;                /* URL of a receiver, or the value of
                                           a contact */
    rbl_str_t        secret;            /* "": nothing is signed */
    rbl_str_t        event;             /* SID */
    rbl_str_t        body;              /* JSON (body.h, message.h) */
    int64_t          first;             /* ms since 1970 */
} channel_job_t;

typedef struct {
    rbl_str_t  to;                      /* URL, or address */
    rbl_str_t  body;                    /* what is sent; a mail with its
                                           headers, lines ending in CR LF */
    unsigned   n_headers;               /* of HTTP */
    char       header[CHANNEL_HEADERS][CHANNEL_HEADER_MAX];
    rbl_buf_t  to_made, body_made;      /* room for what is not the job's */
    char       why[CHANNEL_WHY_MAX];    /* of a request that cannot be made,
                                           for the customer */
} channel_request_t;

typedef struct {
    unsigned     status;                /* of HTTP, or the last SMTP reply */
    const char  *text;                  /* of that reply; foreign bytes */
} channel_answer_t;

typedef enum {
    CHANNEL_DELIVERED = 0,
    CHANNEL_RETRY,                      /* not before the peer's Retry-After */
    CHANNEL_DEAD,
    CHANNEL_DISABLE                     /* dead, and so is who it goes to */
} channel_verdict_t;

typedef struct {
    const char     *type;               /* of a contact; "": a receiver */
    channel_way_t   way;

    /* RBL_OK; RBL_EINVAL: never, and why; RBL_ENOMEM: not now. */
    rbl_err_t     (*make)(channel_request_t *request,
                          const channel_job_t *job);

    /* Leaves in `why` what the customer may read, unless it is delivered. */
    channel_verdict_t  (*judge)(const channel_answer_t *answer,
                                char why[CHANNEL_WHY_MAX]);
} channel_t;

extern const channel_t  channel_webhook, channel_endpoint, channel_email;

/* NULL: there is none for that type of contact. */
const channel_t *channel_find(rbl_str_t type);

channel_request_t *channel_request_new(void);   /* NULL: no memory */
void channel_request_free(channel_request_t *request);

/* Adds "Name: value"; what does not fit is RBL_EINVAL. */
__attribute__((format(printf, 2, 3)))
rbl_err_t channel_header(channel_request_t *request, const char *fmt, ...);

/* The headers that every POST of JSON has: its type, and the event's id. */
rbl_err_t channel_json(channel_request_t *request, const channel_job_t *job,
    int64_t now);

/* 2xx is delivered, 410 disables, anything else is tried again. */
channel_verdict_t channel_judge_http(const channel_answer_t *answer,
    char why[CHANNEL_WHY_MAX]);

#endif /* DELIVER_CHANNEL_H_INCLUDED */
