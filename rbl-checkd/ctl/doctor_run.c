/*
 * rblctl doctor: the processes of the tries.  Each writes its findings, one
 * write() each, into one pipe.  rblctl reads until all processes have closed
 * it, or until their time is over, and then kills those that are left, with the
 * programs that they have started.
 */

#include "doctor.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUN_PIPE  1048576               /* bytes: more than all findings, so
                                           that no process waits for rblctl */
#define RUN_LOOK  100                   /* ms between looks at the processes */

_Static_assert(sizeof(doctor_found_t) <= PIPE_BUF, "a finding is one write");


int
doctor_open(doctor_t *d)
{
    if (pipe2(d->pipe, O_CLOEXEC) != 0) {
        ctl_fail("cannot make a pipe: %s", strerror(errno));
        return -1;
    }

    (void) fcntl(d->pipe[1], F_SETPIPE_SZ, RUN_PIPE);

    return 0;
}


static void
run_unknown(doctor_t *d, uint64_t rows, const char *why)
{
    unsigned  id;

    for (id = 0; id < DOCTOR__N; id++) {
        if (rows & DOCTOR_ROW(id)) {
            doctor_say(d, (doctor_id_t) id, DOCTOR_UNKNOWN, NULL, "%s", why);
        }
    }
}


/* The process of a try is the leader of a process group. */
static void
run_try(doctor_t *d, const doctor_try_t *t)
{
    (void) setpgid(0, 0);
    close(d->pipe[0]);
    d->to = d->pipe[1];
    t->run(d);
    _exit(0);
}


void
doctor_start(doctor_t *d, const doctor_try_t *tries, size_t n)
{
    size_t          i;
    doctor_proc_t  *proc;

    for (i = 0; i < n && d->n_procs < DOCTOR_TRIES; i++) {
        proc = &d->proc[d->n_procs];
        proc->pid = fork();

        if (proc->pid == 0) {
            run_try(d, &tries[i]);
        }

        if (proc->pid == -1) {
            run_unknown(d, tries[i].rows, "no process could be started");
            continue;
        }

        (void) setpgid(proc->pid, proc->pid);
        proc->rows = tries[i].rows;
        proc->late = clock_now() + DOCTOR_TRY;
        d->n_procs++;
    }
}


/* Reaps processes, and kills those that are late.  Returns how many are
   left. */
static unsigned
run_reap(doctor_t *d)
{
    size_t          i;
    unsigned        left;
    doctor_proc_t  *proc;

    for (i = 0, left = 0; i < d->n_procs; i++) {
        proc = &d->proc[i];

        if (proc->pid == 0) {
            continue;
        }

        if (clock_now() >= proc->late) {
            (void) kill(-proc->pid, SIGKILL);
            (void) waitpid(proc->pid, NULL, 0);
            run_unknown(d, proc->rows, "the try did not end in time");
            proc->pid = 0;

        } else if (waitpid(proc->pid, NULL, WNOHANG) == proc->pid) {
            proc->pid = 0;

        } else {
            left++;
        }
    }

    return left;
}


/* Reads all findings that are there. */
static void
run_read(doctor_t *d)
{
    struct pollfd   fd = { d->pipe[0], POLLIN, 0 };
    doctor_found_t  found;

    while (poll(&fd, 1, 0) == 1
           && read(d->pipe[0], &found, sizeof(found)) == sizeof(found))
    {
        doctor_add(d, &found);
    }
}


/* A row without a finding is not good. */
static void
run_silent(doctor_t *d, uint64_t rows)
{
    unsigned  id;

    for (id = 0; id < DOCTOR__N; id++) {
        if ((rows & DOCTOR_ROW(id)) && d->row[id].n == 0) {
            run_unknown(d, DOCTOR_ROW(id), "the try ended without a result");
        }
    }
}


void
doctor_wait(doctor_t *d)
{
    size_t         i;
    unsigned       left;
    struct pollfd  fd = { d->pipe[0], POLLIN, 0 };

    close(d->pipe[1]);

    do {
        (void) poll(&fd, 1, RUN_LOOK);
        run_read(d);
        left = run_reap(d);
    } while (left > 0);

    run_read(d);
    close(d->pipe[0]);

    for (i = 0; i < d->n_procs; i++) {
        run_silent(d, d->proc[i].rows);
    }
}
