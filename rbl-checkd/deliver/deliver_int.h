/*
 * Declarations of the delivery's files: the deliverer and the attempt.
 * deliver.h is the interface for the daemon.
 *
 * An event gets first attempts where possible (first.c): its entry in the
 * outbox is its record until all of them are over.  Attempts that take long
 * become queued deliveries.  A queued delivery is leased by delivery_claim,
 * becomes an attempt, waits for a slot (queue.c), runs (attempt.c) and is
 * recorded by delivery_done.  A delivery that is dropped here, or whose daemon
 * dies, comes back after its lease, or after that of its entry.
 *
 * A file calls only files behind it: deliver; outbox, digests, tellings;
 * first_ask; first; entry, queue; attempt; attempt_send; attempt_new.  The
 * others are called by function pointers.
 */

#ifndef DELIVER_INT_H_INCLUDED
#define DELIVER_INT_H_INCLUDED

#include "deliver.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/link.h"
#include "base/timezones.h"
#include "deliver/channels/channel.h"
#include "deliver/transport/exchange.h"
#include "deliver/transport/smtp.h"
#include "safe.h"
#include "store/turns.h"
#include "subqueue.h"
#include "payload.h"

#define DELIVER_GROUP  "deliver"

typedef struct outbox_s   outbox_t;
typedef struct first_s    first_t;
typedef struct entry_s    entry_t;
typedef struct attempt_s  attempt_t;

struct deliver_s {
    struct ev_loop   *loop;
    const config_t   *conf;
    store_t          *store;
    dns_engine_t     *dns;
    transfer_pool_t  *transfers;        /* for URLs of customers */
    transfer_pool_t  *services;         /* for services of the configuration */
    smtp_t           *smtp;             /* NULL: no mail server */
    outbox_t         *outbox;
    first_t          *first;

    /* of first.c, for an attempt that has an entry: it starts now, has an
       outcome, or is not made here (the caller frees it) */
    void            (*first_began)(attempt_t *a);
    void            (*first_over)(attempt_t *a);
    void            (*first_dropped)(attempt_t *a);
    unsigned          n_asking;         /* entries without receivers yet */
    turns_t          *digests;          /* of contacts */
    turns_t          *tellings;         /* of many contacts: one step at a
                                           time */
    int               telling;          /* it is under way */
    ev_tstamp         telling_pause;    /* no next one before */
    timezones_t      *timezones;        /* of accounts */
    double            lease;            /* s */
    int               stopped;
    turns_t          *claims;           /* each look runs the queue, too */
    link_t            waiting, running; /* attempts by HTTP */
    unsigned          n_waiting, n_running, n_asked;
    unsigned          n_first;          /* of those that wait: first attempts */
    unsigned          n_accounts;       /* of both */
    unsigned          n_busy;           /* accounts with attempts in flight */
    subqueues_t       subqueues;        /* of both */
    link_t            mails, sending;   /* attempts by mail */
    unsigned          n_mails, n_sending;
    uint64_t          round;            /* of the mail that began last */
    deliver_counters_t  counters;
};

/* The end of a request: an answer, with its Retry-After in s; or NULL and why,
   for the customer; both NULL: it was not sent. */
typedef void (*attempt_back_pt)(attempt_t *a, const channel_answer_t *answer,
    int64_t retry_after, const char *error);

typedef enum {
    ATTEMPT_WAITING = 0,
    ATTEMPT_MARKING,
    ATTEMPT_SENDING,
    ATTEMPT_OVER,                       /* its entry records it */
    ATTEMPT_RECORDING
} attempt_state_t;

struct attempt_s {
    link_t           link;              /* waiting or running */
    link_t           receiver_link;     /* in receiver_queue->in_flight */
    link_t           account_link;      /* in account_queue->in_flight */
    unsigned        *counted;           /* counter of the running attempts;
                                           NULL: it is not counted */
    entry_t         *entry;             /* its outbox entry, which records
                                           its end; NULL: it has a record of
                                           its own */
    int              first;             /* it was put as a first attempt */
    subqueue_t      *account_queue;     /* of HTTP attempts; NULL: mail */
    subqueue_t      *receiver_queue;    /* of its receiver */
    uint64_t         round;             /* of a mail: see queue.c */
    deliver_t       *deliver;
    unsigned         part;
    attempt_state_t  state;
    ev_tstamp        claimed;           /* lower bound of the lease */
    ev_tstamp        latest;            /* it may start; then its record still
                                           fits into the lease */
    attempt_back_pt  back;
    void           (*ended)(attempt_t *a);
    rbl_str_t        member, type;
    rbl_str_t        contact;           /* type of the contact, "": none */
    payload_t       *body;
    channel_job_t    job;
    char             account[40];
    rbl_str_t        target;            /* of member */
    unsigned         n;                 /* attempt number, from 0 */
    int              short_lived;
    unsigned         sends;             /* that may have arrived, this one
                                           too; 0: not counted */
    int              unsure;            /* this one may have arrived */

    const channel_t  *channel;          /* NULL: there is none */
    request_t        *request;
    smtp_mail_t      *mail;
    exchange_t        exchange;         /* by HTTP */
    ev_timer          timer;            /* records again */

    const char      *outcome;           /* as delivery_done takes it */
    unsigned         status;            /* of HTTP, or 0 */
    int64_t          delay;             /* ms until the next */
    int64_t          quiet;             /* ms that a receiver requested */
    char             value[CHANNEL_VALUE_MAX];
    char             error[CHANNEL_WHY_MAX];    /* for the customer */
    ev_tstamp        began;
    char            *answer;            /* beginning of the answer, or NULL */
    size_t           n_answer;
    rbl_buf_t        log;               /* the attempt as it is logged */
    size_t           size;              /* of bytes */
    char             bytes[];           /* holds the strings above */
};

/* attempt_new.c */

/* `row` as delivery_claim returns it, but the body is apart; the attempt gets
   its own.  NULL: malformed. */
attempt_t *attempt_new(deliver_t *d, unsigned part, ev_tstamp claimed,
    const rbl_delivery_claim_delivery_t *row, payload_t *body);

/* The same, from an element of the reply of delivery_claim. */
attempt_t *attempt_claimed(deliver_t *d, unsigned part, ev_tstamp claimed,
    const redisReply *reply);

/* At any time: stops and frees it.  Its places in the queue are not
   released. */
void attempt_free(attempt_t *a);

/* It waits for no answer any longer. */
void attempt_landed(attempt_t *a);

/* Replaces the code of a confirmation in a foreign text. */
void attempt_hide_code(const attempt_t *a, char *text);

/* Keeps the beginning of an answer for the log. */
void attempt_log_answer(attempt_t *a, const channel_answer_t *answer);
void attempt_log(attempt_t *a, const char *outcome, unsigned status,
    int64_t delay, const char *error);

/* attempt_send.c */

/* Sends its request.  Calls a->back, perhaps at once. */
void attempt_send(attempt_t *a);

/* attempt.c */

/* Calls `ended`, which frees it, when its end is recorded, or another daemon
   has it. */
void attempt_start(attempt_t *a, void (*ended)(attempt_t *a));

/* Records the end of one that is over. */
void attempt_record(attempt_t *a);

/* Ends a running attempt as failed, so that others get its slot. */
void attempt_yield(attempt_t *a);

/* queue.c */

/* queue_room: how many deliveries may be claimed now; queue_has_room: may more
   events be read? */
unsigned queue_room(const deliver_t *d);
int queue_has_room(const deliver_t *d);

/* Takes an attempt, or drops it if its account has too many that wait. */
void queue_put(deliver_t *d, attempt_t *a);

/* Starts all attempts that may start; queue_rest: and claims more soon. */
void queue_run(deliver_t *d);
void queue_rest(deliver_t *d);

/* Releases the slot of a running attempt. */
void queue_leave(attempt_t *a);
void queue_clear(deliver_t *d, int running_too);

/* outbox.c */

outbox_t *outbox_new(deliver_t *d);
void outbox_stop(outbox_t *ob);
void outbox_free(outbox_t *ob);
void outbox_wake(outbox_t *ob, unsigned part);
void outbox_more(outbox_t *ob);         /* continues to read if there is room */
unsigned outbox_pending(const outbox_t *ob);

/* Claims are made on the connection of the outbox, and their deliveries are
   held by outbox_hold, as by safe_hold. */
store_t *outbox_store(const outbox_t *ob);
int outbox_hold(outbox_t *ob, unsigned part, safe_item_t *item);

/* digests.c, tellings.c: claims, and slices; turns_stop starts no more */

turns_t *digests_new(deliver_t *d);
turns_t *tellings_new(deliver_t *d);

/* Digests that are claimed or stored just now. */
unsigned digests_pending(const turns_t *digests);

#endif /* DELIVER_INT_H_INCLUDED */
