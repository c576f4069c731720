/*
 * What jobs.c (keeping jobs) and jobs_read.c (reading them) know of one
 * another.
 */

#ifndef JOBS_INT_H_INCLUDED
#define JOBS_INT_H_INCLUDED

#include "jobs.h"
#include "runner.h"

#define JOBS_BLOCK  1.0                 /* s that a read waits for news */

typedef enum {
    JOBS_OFF = 0,                       /* no store, or stopped */
    JOBS_GROUPS,                        /* making the consumer groups */
    JOBS_IDLE,                          /* no room, or a timer is armed */
    JOBS_READING,
    JOBS_WAITING                        /* blocked until there is news */
} jobs_phase_t;

struct jobs_s {
    daemon_t      *d;
    store_t       *reader;              /* for reads that block */
    takeover_t    *takeover;
    runner_t     **runner;              /* in flight; see places() */
    unsigned       n, reserved;
    unsigned       reading;             /* places that a read may fill */
    unsigned       stopped:1;
    unsigned       woken:1;             /* by news; nothing read since */
    unsigned       partitions;
    rbl_key_t     *key[JOB_KINDS];      /* of each partition's stream */

    jobs_phase_t   phase;
    ev_timer       timer;               /* reads again */
    unsigned       groups_left;
    unsigned       groups_failed;
    int64_t        since;               /* server's ms when the round began */
    unsigned       rounds;
    job_kind_t     kind;                /* what is being read */
    unsigned       kinds_left;          /* this one included */
    unsigned       left;                /* partitions not read this round */
    unsigned       next;                /* partition that comes next */
    unsigned       asked;               /* partitions in the current read */
    unsigned       got;                 /* entries in this round */
};

/* jobs_read.c */
int jobs_read_init(jobs_t *jobs);
void jobs_read_free(jobs_t *jobs);
void jobs_groups(jobs_t *jobs);

/* No read begins any more. */
void jobs_read_stop(jobs_t *jobs);

#endif /* JOBS_INT_H_INCLUDED */
