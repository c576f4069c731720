/*
 * Common declarations of runner.c (the check), runner_begin.c and runner_end.c
 * (its outcome).
 */

#ifndef RUNNER_INT_H_INCLUDED
#define RUNNER_INT_H_INCLUDED

#include "check/check_lists.h"
#include "check/check.h"
#include "result.h"
#include "runner.h"
#include "check/current.h"

#define RUNNER_RETRY_MIN  0.1
#define RUNNER_RETRY_MAX  2.0

typedef void (*runner_step_pt)(runner_t *r);

struct runner_s {
    checker_t       *checker;
    job_t            job;
    runner_alone_pt  alone;
    runner_done_pt   done;
    void            *data;
    const char      *leave;             /* check_begin: to go alone */
    char             sum[64];           /* of the table, when it was reported */
    double           started, give_up;
    double           reported;          /* when progress was reported */
    double           backoff;
    int              events;            /* a client wants them */
    int              whole;             /* all results are wanted */
    int              local;             /* the address is not public */
    int              opening;           /* check_open is under way */
    int              clearing;          /* the same for check_clear */
    ev_timer         timer;
    runner_step_pt   step;              /* action of the timer */
    check_t         *check;
    check_lists_t    lists;
    const char      *fail;
    int64_t          interval;          /* s between checks of the host */
    current_t        current;           /* current listings of the host */
    int64_t         *last;              /* when each list answered last */
    int              clear;             /* 1: the clear lists are wanted */
    result_pack_t    results;
};

/* runner.c: the job is over here. */
void runner_over(runner_t *r);
void runner_release(runner_t *r);

/* Repeats a step later, as long as the lease allows it. */
void runner_again(runner_t *r, runner_step_pt step, double wait);

/* 1: a valid reply of the script, 0: the runner continues another way. */
int runner_sound(runner_t *r, const redisReply *reply, runner_step_pt step);

rbl_str_t runner_number(char buf[24], size_t v);

/* Keep time of the record of the check (ms). */
rbl_str_t runner_keep(const runner_t *r, char buf[24]);

/* The check is started: queries its lists. */
void runner_ask(runner_t *r, int64_t family, rbl_str_t value);

/* runner_begin.c */
void runner_begin(runner_t *r);

/*
 * runner_end.c: the check has finished, or failed for that reason.  The outcome
 * is fixed then, however often it must be sent.
 */
void runner_end(runner_t *r, const char *fail);

#endif /* RUNNER_INT_H_INCLUDED */
