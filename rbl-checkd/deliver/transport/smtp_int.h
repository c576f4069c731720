/*
 * One session with the mail server, as the thread of smtp.c drives it
 * (smtp_session.c).
 */

#ifndef DELIVER_SMTP_INT_H_INCLUDED
#define DELIVER_SMTP_INT_H_INCLUDED

#include <curl/curl.h>
#include <pthread.h>

#include "base/clock.h"
#include "smtp.h"

#define SMTP_SOCKETS  4                 /* curl may race two addresses */

/*
 * A session, as both threads see it: with its sockets, so that the main thread
 * can shut them down while libcurl uses them.
 */
typedef struct {
    pthread_mutex_t  lock;
    int              stop;
    int              fd[SMTP_SOCKETS];  /* -1: none */
} smtp_wire_t;

typedef struct {
    const config_t  *conf;
    smtp_wire_t     *wire;
    CURL            *easy;              /* NULL: no session */

    /* of the mail that is being sent */
    rbl_str_t        left;              /* of the message */
    size_t           received;          /* octets of replies */
    char             reply[SMTP_TEXT_MAX];  /* the last refusal */
    size_t           reply_n;
    int              reply_whole;
    int              knows_user;        /* smtp_user was accepted */
    char             error[CURL_ERROR_SIZE];
} smtp_session_t;

/* `text` and `error` point into the session.  `to` NULL: only greets, starts
   TLS and authenticates. */
void smtp_session_send(smtp_session_t *s, const char *to, rbl_str_t message,
    smtp_result_t *result);

/* Sends QUIT, if there is a session, and does not wait for the reply. */
void smtp_session_end(smtp_session_t *s);

/* From the other thread: closes the connection, and prevents new ones. */
void smtp_wire_stop(smtp_wire_t *wire);

#endif /* DELIVER_SMTP_INT_H_INCLUDED */
