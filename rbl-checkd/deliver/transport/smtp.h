/*
 * Mails to the configured server: libcurl's easy interface on a thread of its
 * own, since its SMTP blocks the caller (the reply to the end of the data, the
 * end of a session).  One mail after the other; a session is kept while there
 * are more.  The thread touches only the data of smtp.c, and logs nothing.
 */

#ifndef DELIVER_SMTP_H_INCLUDED
#define DELIVER_SMTP_H_INCLUDED

#include <ev.h>

#include "config/config.h"

#define SMTP_QUEUE     4                /* mails in here, the one that is being
                                           sent among them */
#define SMTP_TEXT_MAX  512
#define SMTP_END       3                /* s */

typedef struct smtp_s       smtp_t;
typedef struct smtp_mail_s  smtp_mail_t;

typedef enum {
    SMTP_ANSWERED = 0,                  /* look at status */
    SMTP_RESOLVE,                       /* its name has no address */
    SMTP_CONNECT,                       /* no connection */
    SMTP_TIMEOUT,
    SMTP_TLS,                           /* none, or no valid certificate */
    SMTP_AUTH,                          /* user and password are refused */
    SMTP_BROKEN,                        /* the outcome is not known */
    SMTP_LATE                           /* not sent: `latest` has passed */
} smtp_end_t;

typedef struct {
    smtp_end_t   end;
    unsigned     status;                /* 250: the server took it; else of the
                                           reply that refused it */
    int          unsure;                /* no reply to a mail that was sent
                                           whole: did it arrive? */
    double       seconds;
    const char  *text;                  /* of that reply, foreign bytes */
    const char  *error;                 /* of the library, for the log; may
                                           hold foreign bytes too */
} smtp_result_t;

/* The result lives during the call; the mail is gone after it. */
typedef void (*smtp_done_pt)(void *data, const smtp_result_t *result);

/* `conf` must outlive it.  NULL: curl cannot be used, or no thread. */
smtp_t *smtp_new(struct ev_loop *loop, const config_t *conf);

/*
 * Stops all mails, without calling back, within SMTP_END seconds.  A thread
 * that hangs for longer (in a look-up of the system) is abandoned with its
 * memory, since the process ends then.
 */
void smtp_free(smtp_t *smtp);

/* How many mails it would take now. */
unsigned smtp_room(const smtp_t *smtp);

/*
 * Copies address and message.  A mail that cannot be sent before `latest` (of
 * clock_now) is not sent.  The call back comes exactly once and never from
 * inside this call, unless the mail is cancelled.  NULL: the queue is full.
 */
smtp_mail_t *smtp_send(smtp_t *smtp, rbl_str_t to, rbl_str_t message,
    ev_tstamp latest, smtp_done_pt done, void *data);

/* No call back; the mail itself may still go out. */
void smtp_cancel(smtp_mail_t *mail);

#endif /* DELIVER_SMTP_H_INCLUDED */
