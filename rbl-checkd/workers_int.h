/*
 * What workers.c (the parent) and workers_start.c (how a worker begins and
 * ends) know of one another.
 */

#ifndef WORKERS_INT_H_INCLUDED
#define WORKERS_INT_H_INCLUDED

#include "workers.h"

#include <signal.h>
#include <sys/types.h>

typedef struct {
    pid_t     pid;                      /* 0: it does not run */
    int       fd;                       /* its socket; -1: none */
    double    since;                    /* when it was started */
    double    heard;                    /* when it was last known to be alive */
    double    due;                      /* when it is to be started */
    double    pause;
    unsigned  ready:1;
    unsigned  store:1;
    unsigned  reloading:1;
} worker_t;

typedef struct {
    config_t    *conf;
    const char  *file;
    int          signals;
    sigset_t     before;                /* the mask that workers have */
    unsigned     n;
    unsigned     told;                  /* how many have the store */
    double       watchdog;              /* s; 0: nobody wants to know */
    double       tell;                  /* when to tell it next */
    double       end;                   /* of patience; 0: not stopping */
    unsigned     begun:1;               /* all have been ready once */
    unsigned     reloading:1;
    unsigned     failed:1;
    worker_t     worker[CONFIG_MAX_WORKERS];
} workers_t;

double workers_now(void);

/* Starts those whose time has come.  1: this is one of them. */
int workers_start(workers_t *w);

/* Takes note of those that have ended. */
void workers_reap(workers_t *w);

/* Reads what a worker has told. */
void workers_hear(workers_t *w, worker_t *worker);

/* Tells the service manager what all workers together have come to. */
void workers_sum(workers_t *w);

/* All of them; the second time at once. */
void workers_stop(workers_t *w);

#endif /* WORKERS_INT_H_INCLUDED */
