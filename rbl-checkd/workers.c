/*
 * The parent of several workers.  It has no event loop, for that would have to
 * be undone in every worker: signals come by signalfd, what a worker tells by
 * its socket, and poll waits for both and for the next time.
 *
 * A worker gets its orders by its socket too: a signal that was sent to all
 * processes at once (a terminal, a service manager) is then not handed on as a
 * second one.
 */

#include "base/log.h"
#include "rbl_version.h"
#include "service.h"
#include "workers_int.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define KILL_MORE  4.0                  /* s beyond a worker's own bound */


static int
open_signals(workers_t *w)
{
    sigset_t  set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGCHLD);
    signal(SIGCHLD, SIG_DFL);

    if (sigprocmask(SIG_BLOCK, &set, &w->before) != 0) {
        return -1;
    }

    w->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);

    return w->signals < 0 ? -1 : 0;
}


static unsigned
running(const workers_t *w)
{
    unsigned  i, n;

    for (i = 0, n = 0; i < w->n; i++) {
        n += w->worker[i].pid != 0;
    }

    return n;
}


static void
order(workers_t *w, service_order_t what)
{
    char      octet = (char) what;
    unsigned  i;

    for (i = 0; i < w->n; i++) {
        if (w->worker[i].fd >= 0
            && send(w->worker[i].fd, &octet, 1, MSG_NOSIGNAL) < 0
            && errno != EPIPE && errno != ECONNRESET)
        {
            log_warn("cannot signal worker %u: %s", i + 1, strerror(errno));
        }
    }
}


void
workers_stop(workers_t *w)
{
    if (w->end != 0) {
        log_notice("second signal: leaving at once");
        order(w, SERVICE_LEAVE);
        w->end = workers_now() + KILL_MORE;
        return;
    }

    log_notice("stopping %u workers", running(w));
    service_tell(SERVICE_STOPPING);
    order(w, SERVICE_STOP);
    w->end = workers_now() + service_stop_bound(w->conf) + KILL_MORE;
}


static void
reload(workers_t *w)
{
    unsigned  i;

    if (w->end != 0) {
        return;
    }

    service_tell(SERVICE_RELOADING);
    service_read_again(w->conf, w->file);

    w->reloading = 1;
    for (i = 0; i < w->n; i++) {
        w->worker[i].reloading = w->worker[i].fd >= 0;
    }

    order(w, SERVICE_RELOAD);
}


static void
kill_rest(workers_t *w)
{
    unsigned  i;

    for (i = 0; i < w->n; i++) {
        if (w->worker[i].pid != 0) {
            log_warn("worker %u does not exit: killed", i + 1);
            kill(w->worker[i].pid, SIGKILL);
        }
    }

    w->end = workers_now() + KILL_MORE;
}


static void
tell_stores(workers_t *w)
{
    char      text[80];
    unsigned  i, n;

    for (i = 0, n = 0; i < w->n; i++) {
        n += w->worker[i].store;
    }

    if (n == w->told) {
        return;
    }

    w->told = n;

    if (n == w->n) {
        snprintf(text, sizeof(text), "STATUS=The store is ready; %u workers.",
                 n);

    } else {
        snprintf(text, sizeof(text), "STATUS=%u of %u workers wait for the "
                 "store.", w->n - n, w->n);
    }

    service_notify(text);
}


void
workers_sum(workers_t *w)
{
    unsigned  i, ready, reloading;

    for (i = 0, ready = 0, reloading = 0; i < w->n; i++) {
        ready += w->worker[i].ready;
        reloading += w->worker[i].reloading;
    }

    if (!w->begun && ready == w->n) {
        w->begun = 1;
        service_tell(SERVICE_READY);
    }

    if (w->reloading && reloading == 0) {
        w->reloading = 0;
        service_tell(SERVICE_RELOADED);
    }

    tell_stores(w);
}


static void
heard(workers_t *w, worker_t *worker, int event)
{
    worker->heard = workers_now();

    switch (event) {

    case SERVICE_READY:
        worker->ready = 1;
        break;

    case SERVICE_STORE:
    case SERVICE_NO_STORE:
        worker->store = event == SERVICE_STORE;
        break;

    case SERVICE_RELOADED:
        worker->reloading = 0;
        break;

    default:
        return;                         /* it lives */
    }

    workers_sum(w);
}


void
workers_hear(workers_t *w, worker_t *worker)
{
    char     octet;
    ssize_t  n;

    while (worker->fd >= 0) {
        n = recv(worker->fd, &octet, 1, 0);

        if (n == 1) {
            heard(w, worker, octet);

        } else if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
            return;

        } else {
            close(worker->fd);
            worker->fd = -1;
        }
    }
}


static void
on_signals(workers_t *w)
{
    struct signalfd_siginfo  info;

    while (read(w->signals, &info, sizeof(info)) == sizeof(info)) {
        switch (info.ssi_signo) {
        case SIGCHLD:
            workers_reap(w);
            break;

        case SIGHUP:
            reload(w);
            break;

        default:
            workers_stop(w);
            break;
        }
    }
}


/* The manager hears that all is well if every worker that runs was heard. */

static void
on_times(workers_t *w)
{
    double    at = workers_now();
    unsigned  i;

    if (w->end != 0 && at >= w->end) {
        kill_rest(w);
    }

    if (w->watchdog == 0 || at < w->tell) {
        return;
    }

    w->tell = at + w->watchdog / 4;

    for (i = 0; i < w->n; i++) {
        if (w->worker[i].pid != 0 && at - w->worker[i].heard > w->watchdog / 2)
        {
            log_error("worker %u: no heartbeat for %.1f seconds", i + 1,
                      at - w->worker[i].heard);
            return;
        }
    }

    service_tell(SERVICE_ALIVE);
}


/* In ms, for poll. */

static int
time_left(const workers_t *w)
{
    double    at = INFINITY, left;
    unsigned  i;

    if (w->end != 0) {
        at = w->end;
    }

    if (w->watchdog != 0 && w->tell < at) {
        at = w->tell;
    }

    for (i = 0; i < w->n && w->end == 0; i++) {
        if (w->worker[i].pid == 0 && w->worker[i].due < at) {
            at = w->worker[i].due;
        }
    }

    if (at == INFINITY) {
        return -1;
    }

    left = at - workers_now();

    return left > 0 ? (int) (left * 1000) + 1 : 0;
}


static void
wait_events(workers_t *w)
{
    unsigned       i;
    struct pollfd  fds[CONFIG_MAX_WORKERS + 1];

    for (i = 0; i < w->n; i++) {
        fds[i].fd = w->worker[i].fd;    /* -1: left out */
        fds[i].events = POLLIN;
        fds[i].revents = 0;
    }

    fds[i].fd = w->signals;
    fds[i].events = POLLIN;
    fds[i].revents = 0;

    if (poll(fds, w->n + 1, time_left(w)) > 0) {
        for (i = 0; i < w->n; i++) {
            if (fds[i].revents != 0) {
                workers_hear(w, &w->worker[i]);
            }
        }

        if (fds[i].revents != 0) {
            on_signals(w);
        }
    }

    on_times(w);
}


int
workers_run(config_t *conf, const char *file)
{
    unsigned          i;
    static workers_t  w;

    w.conf = conf;
    w.file = file;
    w.n = conf->workers;
    w.watchdog = service_watchdog();

    for (i = 0; i < w.n; i++) {
        w.worker[i].fd = -1;
    }

    if (w.watchdog == 0) {
        unsetenv("WATCHDOG_USEC");      /* nor from workers to the parent */
    }

    unsetenv("WATCHDOG_PID");           /* it is this one's, and the workers' */

    if (open_signals(&w) != 0) {
        log_error("signals: %s", strerror(errno));
        return 1;
    }

    log_notice("rbl-checkd " RBL_VERSION " as %s, %u workers", conf->name,
               w.n);

    for ( ;; ) {
        if (workers_start(&w) == 1) {
            return WORKERS_CHILD;
        }

        if (w.end != 0 && running(&w) == 0) {
            break;
        }

        wait_events(&w);
    }

    close(w.signals);
    log_notice("stopped");

    return w.failed ? 1 : 0;
}
