/*
 * The queue between the event loop and the sending thread.
 *
 * A mail belongs to the loop.  While it is `sending`, the thread reads its
 * address and message and writes its result.  The only other shared data is
 * under the lock: the two rings, `sending`, `n` and `stop`.  The thread frees a
 * mail that is cancelled meanwhile.
 */

#include "base/xalloc.h"
#include "smtp_int.h"

#include <openssl/crypto.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/link.h"
#include "base/log.h"


struct smtp_mail_s {
    link_t         link;                /* queued or done */
    smtp_t        *smtp;
    smtp_done_pt   done;
    void          *data;
    ev_tstamp      latest;
    int            cancelled;
    smtp_result_t  result;
    char           text[SMTP_TEXT_MAX], error[CURL_ERROR_SIZE];
    rbl_str_t      message;             /* into bytes */
    const char    *to;
    size_t         size;
    char           bytes[];
};

struct smtp_s {
    struct ev_loop   *loop;
    ev_async          wake;
    pthread_t         thread;
    pthread_mutex_t   lock;
    pthread_cond_t    more;
    link_t            queued, done;
    smtp_mail_t      *sending;
    unsigned          n;                /* in either ring, or sending */
    int               stop;
    smtp_wire_t       wire;
    smtp_session_t    session;          /* of the thread alone */
};


static void
smtp_mail_free(smtp_mail_t *mail)
{
    OPENSSL_cleanse(mail->bytes, mail->size);
    free(mail);
}


static void
smtp_deliver(smtp_t *smtp, smtp_mail_t *mail)
{
    smtp_result_t  *result = &mail->result;

    if (clock_now() > mail->latest) {
        result->end = SMTP_LATE;

    } else {
        smtp_session_send(&smtp->session, mail->to, mail->message, result);
        snprintf(mail->text, sizeof(mail->text), "%s", result->text);
        snprintf(mail->error, sizeof(mail->error), "%s", result->error);
    }

    result->text = mail->text;
    result->error = mail->error;
}


/* With the lock held; releases it while a mail is sent. */

static void
smtp_next(smtp_t *smtp)
{
    smtp_mail_t  *mail;

    mail = link_of(smtp->queued.next, smtp_mail_t, link);
    link_remove(&mail->link);
    smtp->sending = mail;
    pthread_mutex_unlock(&smtp->lock);

    smtp_deliver(smtp, mail);

    pthread_mutex_lock(&smtp->lock);
    smtp->sending = NULL;

    if (mail->cancelled) {
        smtp->n--;
        smtp_mail_free(mail);
        return;
    }

    link_add(&smtp->done, &mail->link);

    if (!smtp->stop) {                  /* else the loop may be gone */
        ev_async_send(smtp->loop, &smtp->wake);
    }
}


/* Is there something to do?  Before it waits, the session is ended. */

static int
smtp_wait(smtp_t *smtp)
{
    if (smtp->stop) {
        return 0;
    }

    if (link_empty(&smtp->queued) && smtp->session.easy != NULL) {
        pthread_mutex_unlock(&smtp->lock);
        smtp_session_end(&smtp->session);
        pthread_mutex_lock(&smtp->lock);
    }

    while (link_empty(&smtp->queued) && !smtp->stop) {
        pthread_cond_wait(&smtp->more, &smtp->lock);
    }

    return !smtp->stop;
}


static void *
smtp_run(void *data)
{
    smtp_t  *smtp = data;

    pthread_mutex_lock(&smtp->lock);

    while (smtp_wait(smtp)) {
        smtp_next(smtp);
    }

    pthread_mutex_unlock(&smtp->lock);
    smtp_session_end(&smtp->session);

    return NULL;
}


static void
smtp_wake_handler(struct ev_loop *loop, ev_async *wake, int revents)
{
    smtp_t       *smtp = wake->data;
    smtp_mail_t  *mail;

    (void) loop;
    (void) revents;

    for ( ;; ) {
        pthread_mutex_lock(&smtp->lock);

        if (link_empty(&smtp->done)) {
            pthread_mutex_unlock(&smtp->lock);
            return;
        }

        mail = link_of(smtp->done.next, smtp_mail_t, link);
        link_remove(&mail->link);
        smtp->n--;
        pthread_mutex_unlock(&smtp->lock);

        mail->done(mail->data, &mail->result);
        smtp_mail_free(mail);
    }
}


unsigned
smtp_room(const smtp_t *smtp)
{
    unsigned          n;
    pthread_mutex_t  *lock = (pthread_mutex_t *) &smtp->lock;

    pthread_mutex_lock(lock);
    n = smtp->n;
    pthread_mutex_unlock(lock);

    return n < SMTP_QUEUE ? SMTP_QUEUE - n : 0;
}


static smtp_mail_t *
smtp_mail_new(rbl_str_t to, rbl_str_t message)
{
    smtp_mail_t  *mail;

    mail = xcalloc(1, sizeof(smtp_mail_t) + to.n + 1 + message.n);
    link_init(&mail->link);
    mail->size = to.n + 1 + message.n;
    mail->to = mail->bytes;
    mail->message.p = mail->bytes + to.n + 1;
    mail->message.n = message.n;
    memcpy(mail->bytes, to.p, to.n);
    memcpy(mail->bytes + to.n + 1, message.p, message.n);

    return mail;
}


smtp_mail_t *
smtp_send(smtp_t *smtp, rbl_str_t to, rbl_str_t message, ev_tstamp latest,
    smtp_done_pt done, void *data)
{
    smtp_mail_t  *mail;

    if (smtp_room(smtp) == 0) {
        return NULL;
    }

    mail = smtp_mail_new(to, message);
    mail->smtp = smtp;
    mail->latest = latest;
    mail->done = done;
    mail->data = data;

    pthread_mutex_lock(&smtp->lock);
    link_add(&smtp->queued, &mail->link);
    smtp->n++;
    pthread_cond_signal(&smtp->more);
    pthread_mutex_unlock(&smtp->lock);

    return mail;
}


void
smtp_cancel(smtp_mail_t *mail)
{
    smtp_t  *smtp = mail->smtp;

    pthread_mutex_lock(&smtp->lock);

    if (smtp->sending == mail) {
        mail->cancelled = 1;

    } else {
        link_remove(&mail->link);
        smtp->n--;
        smtp_mail_free(mail);
    }

    pthread_mutex_unlock(&smtp->lock);
}


/* Signals are for the loop's thread. */

static int
smtp_start(smtp_t *smtp)
{
    int       rc;
    sigset_t  all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(&smtp->thread, NULL, smtp_run, smtp);
    pthread_sigmask(SIG_SETMASK, &before, NULL);

    return rc == 0 ? 0 : -1;
}


smtp_t *
smtp_new(struct ev_loop *loop, const config_t *conf)
{
    int      i;
    smtp_t  *smtp;

    smtp = xcalloc(1, sizeof(smtp_t));
    smtp->loop = loop;
    link_init(&smtp->queued);
    link_init(&smtp->done);
    pthread_mutex_init(&smtp->lock, NULL);
    pthread_mutex_init(&smtp->wire.lock, NULL);
    pthread_cond_init(&smtp->more, NULL);
    smtp->session.conf = conf;
    smtp->session.wire = &smtp->wire;

    for (i = 0; i < SMTP_SOCKETS; i++) {
        smtp->wire.fd[i] = -1;
    }

    ev_async_init(&smtp->wake, smtp_wake_handler);
    smtp->wake.data = smtp;
    ev_async_start(loop, &smtp->wake);

    if (curl_global_init_mem(CURL_GLOBAL_DEFAULT, xmalloc, free, xrealloc,
                             xstrdup, xcalloc)
        != CURLE_OK
        || smtp_start(smtp) != 0)
    {
        ev_async_stop(loop, &smtp->wake);
        free(smtp);
        return NULL;
    }

    return smtp;
}


static void
smtp_clear(link_t *ring)
{
    smtp_mail_t  *mail;

    while (!link_empty(ring)) {
        mail = link_of(ring->next, smtp_mail_t, link);
        link_remove(&mail->link);
        smtp_mail_free(mail);
    }
}


void
smtp_free(smtp_t *smtp)
{
    struct timespec  end;

    pthread_mutex_lock(&smtp->lock);
    smtp->stop = 1;
    pthread_cond_signal(&smtp->more);
    pthread_mutex_unlock(&smtp->lock);
    smtp_wire_stop(&smtp->wire);
    ev_async_stop(smtp->loop, &smtp->wake);

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += SMTP_END;

    if (pthread_timedjoin_np(smtp->thread, NULL, &end) != 0) {
        log_warn("a mail session that hangs is abandoned");
        return;
    }

    smtp_clear(&smtp->queued);
    smtp_clear(&smtp->done);
    pthread_cond_destroy(&smtp->more);
    pthread_mutex_destroy(&smtp->wire.lock);
    pthread_mutex_destroy(&smtp->lock);
    free(smtp);
    curl_global_cleanup();
}
