/*
 * How a worker begins and ends: its process, its socket, and the pause before
 * another takes its place, which grows for one that never lives long.
 */

#include "base/log.h"
#include "service.h"
#include "workers_int.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEADY      10.0                /* s: then its start did not fail */
#define PAUSE_MIN   0.5                 /* s before one that was not is */
#define PAUSE_MAX   30.0                /* started again; doubled each time */


double
workers_now(void)
{
    struct timespec  ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);

    return (double) ts.tv_sec + (double) ts.tv_nsec / 1e9;
}


/* In the worker: nothing of the parent is left but its log. */

static void
become(workers_t *w, unsigned i, int fd)
{
    size_t    n;
    unsigned  j;

    for (j = 0; j < w->n; j++) {
        if (w->worker[j].fd >= 0) {
            close(w->worker[j].fd);
        }
    }

    close(w->signals);
    sigprocmask(SIG_SETMASK, &w->before, NULL);

    n = strlen(w->conf->name);
    snprintf(w->conf->name + n, sizeof(w->conf->name) - n, ".%u", i + 1);

    service_worker(fd);
}


/* How long until the next attempt to start it. */

static void
delay(worker_t *worker, double at)
{
    double  pause;

    pause = worker->pause * 2 > PAUSE_MIN ? worker->pause * 2 : PAUSE_MIN;
    pause = pause < PAUSE_MAX ? pause : PAUSE_MAX;

    worker->pause = at - worker->since >= STEADY ? 0 : pause;
    worker->due = at + worker->pause;
}


/* 1: this is the worker. */

static int
start(workers_t *w, unsigned i)
{
    int        fd[2];
    pid_t      pid;
    worker_t  *worker = &w->worker[i];

    worker->since = workers_now();
    worker->heard = worker->since;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
                   fd)
        != 0)
    {
        log_error("cannot create a socket for worker %u: %s", i + 1,
                  strerror(errno));
        delay(worker, worker->since);
        return 0;
    }

    pid = fork();

    if (pid == 0) {
        close(fd[0]);
        become(w, i, fd[1]);
        return 1;
    }

    close(fd[1]);

    if (pid < 0) {
        log_error("cannot start worker %u: %s", i + 1, strerror(errno));
        close(fd[0]);
        delay(worker, worker->since);
        return 0;
    }

    worker->pid = pid;
    worker->fd = fd[0];
    worker->ready = 0;
    worker->store = 0;
    worker->reloading = 0;
    log_info("worker %u is process %ld", i + 1, (long) pid);

    return 0;
}


int
workers_start(workers_t *w)
{
    unsigned  i;

    for (i = 0; i < w->n && w->end == 0; i++) {
        if (w->worker[i].pid == 0 && w->worker[i].due <= workers_now()
            && start(w, i) == 1)
        {
            return 1;
        }
    }

    return 0;
}


/* A worker has ended: why, and what now? */

static void
ended(workers_t *w, unsigned i, int status)
{
    worker_t  *worker = &w->worker[i];

    workers_hear(w, worker);                    /* what it had still told */

    if (worker->fd >= 0) {
        close(worker->fd);
        worker->fd = -1;
    }

    worker->pid = 0;

    if (w->end != 0) {
        return;
    }

    if (WIFSIGNALED(status)) {
        log_error("worker %u was killed by signal %d", i + 1, WTERMSIG(status));

    } else {
        log_error("worker %u exited with status %d", i + 1,
                  WEXITSTATUS(status));
    }

    if (!w->begun && !worker->ready && WIFEXITED(status)) {
        w->failed = 1;                  /* it would do so again */
        workers_stop(w);
        return;
    }

    worker->ready = 0;
    worker->store = 0;
    worker->reloading = 0;
    delay(worker, workers_now());
    workers_sum(w);
}


void
workers_reap(workers_t *w)
{
    int       status;
    pid_t     pid;
    unsigned  i;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        for (i = 0; i < w->n; i++) {
            if (w->worker[i].pid == pid) {
                ended(w, i, status);
                break;
            }
        }
    }
}
