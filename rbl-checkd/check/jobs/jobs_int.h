/*
 * Common declarations of jobs.c (jobs in flight), jobs_read.c (when to claim)
 * and jobs_round.c (calls of a round).
 */

#ifndef JOBS_INT_H_INCLUDED
#define JOBS_INT_H_INCLUDED

#include "jobs.h"
#include "jobs_share.h"
#include "runner.h"

#define JOBS_BLOCK    0.4               /* s that hosts may be due unnoticed */
#define JOBS_PAUSE    0.2               /* after a failure */
#define JOBS_GATHER   0.02              /* delay of a round: few slots are free,
                                           or news brought no job */
#define JOBS_RESERVE  8                 /* one eighth of the slots is
                                           reserved */
#define JOBS_LISTS    100               /* lists of a check per slot */

typedef enum {
    JOBS_OFF = 0,                       /* no store, or stopped */
    JOBS_RECALL,                        /* releasing the jobs that this name had
                                           before */
    JOBS_IDLE,                          /* no room, or a timer is armed */
    JOBS_READING,
    JOBS_WAITING                        /* for news, or for the timer */
} jobs_phase_t;

/* The slots of a kind, main or reserved. */
typedef struct {
    unsigned    running;                /* checks */
    unsigned    reading;                /* slots kept for calls under way */
} jobs_places_t;

/* Marks: a partition may have jobs of this kind. */
typedef enum {
    JOBS_MANUAL = 1,                    /* manual checks */
    JOBS_URGENT = 2,                    /* manual checks that were not offered a
                                           reserved slot; only with
                                           JOBS_MANUAL */
    JOBS_DUE    = 4                     /* due hosts */
} jobs_mark_t;

/* One partition. */
typedef struct {
    jobs_t     *jobs;
    unsigned    partition;
    unsigned    asked;                  /* slots kept for the call under way */
    unsigned    reserved;               /* 1: these are reserved slots */
    unsigned    waits;                  /* 1: a job waits to go alone */
    unsigned    alone;                  /* 1: the call under way may bring a job
                                           that runs alone */
    unsigned    marks;                  /* jobs_mark_t */
    const char *kinds;                  /* argument of the last call */
    unsigned    both;                   /* number of calls for both kinds */
    unsigned    recalled;               /* 1: the jobs that this name had before
                                           are released */
    double      later;                  /* no call before: one has failed */
    rbl_key_t   leases;
} jobs_slice_t;

struct jobs_s {
    checker_t     *checker;
    store_t       *listener;            /* gets the news */
    runner_t     **runner;              /* in flight; checks_max slots */
    unsigned       n;
    unsigned       alone;               /* last attempts: in flight, or a call
                                           may bring one */
    unsigned       asked_alone;         /* calls that may */
    double         waited;              /* until then no call may: a host that
                                           is due waits to go alone */
    unsigned       alone_partition;     /* partition of the next such
                                           call */
    jobs_places_t  places[2];           /* main, reserved */
    jobs_shares_t  shares;
    unsigned       stopped:1;
    unsigned       news:1;              /* since the last round began */
    unsigned       hungry:1;            /* a free slot starts a round */
    unsigned       partitions;
    jobs_slice_t  *slice;

    jobs_phase_t   phase;
    ev_timer       timer;               /* starts a round */
    unsigned       calls;               /* under way */
    double         swept;               /* when all partitions were marked */
    unsigned       useless;             /* consecutive news without jobs */
    unsigned       found;               /* kinds of jobs in this round, as
                                           marks */
    unsigned       empty;               /* consecutive rounds without jobs */
    unsigned       manual_rounds;       /* rounds that brought manual checks */
    unsigned       manual_calls;        /* calls for manual checks since the
                                           last due turn that they gave */
    unsigned       due_turn;            /* partitions that are still called for
                                           due hosts first */
    unsigned       next;                /* where the next call for main slots
                                           begins */
    unsigned       next_due;            /* the same, for due hosts only */
    unsigned       next_reserved;       /* the same, for reserved slots */
};

/*
 * jobs.c: start the job of that handle, or of each host of {AC, end of the
 * lease, {HT...}}, on places of the kind that the call asked for.  They return
 * the number of jobs.
 */
unsigned jobs_start(jobs_t *jobs, const jobs_slice_t *slice, rbl_str_t handle);
unsigned jobs_start_due(jobs_t *jobs, const jobs_slice_t *slice,
    const redisReply *taken);

/*
 * How many more jobs may be claimed now.  One eighth of the places is
 * reserved for manual checks of accounts with few running checks; *reserved 1:
 * only these are left.  So an account can start a check at once, however many
 * checks of another account or of the schedule hang.
 */
unsigned jobs_room(const jobs_t *jobs, int *reserved);

/* The number of manual checks that one account may have in reserved slots. */
unsigned jobs_reserved_share(const jobs_t *jobs);

/* jobs_read.c */
void jobs_read_init(jobs_t *jobs);
void jobs_read_free(jobs_t *jobs);
void jobs_read_start(jobs_t *jobs);

/* To be called when there is room again. */
void jobs_wake(jobs_t *jobs);

/* Starts no more calls. */
void jobs_read_stop(jobs_t *jobs);

/* For jobs_round.c: jobs_later starts a round after that many seconds;
   jobs_usable is 0 for a partition that must not be called now; jobs_rest ends
   a round that calls no partition; the others make arguments of a call, and
   `buf` keeps the number. */
void jobs_later(jobs_t *jobs, double wait);
int jobs_usable(const jobs_slice_t *slice);
void jobs_rest(jobs_t *jobs);
rbl_str_t jobs_number(char buf[24], double v);
rbl_str_t jobs_key(const rbl_key_t *key);

/* jobs_round.c: starts a round. */
void jobs_round(jobs_t *jobs);

/* Call it after each reply.  The last reply of a round starts the next. */
void jobs_call_ends(jobs_t *jobs);

/* 1: a partition is marked and can be called. */
int jobs_marked(const jobs_t *jobs);

/* Marks the next partition in which a job waits to go alone. */
void jobs_mark_alone(jobs_t *jobs);

#endif /* JOBS_INT_H_INCLUDED */
