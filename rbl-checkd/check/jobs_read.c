/*
 * Reads jobs.  A round asks the manual streams of all partitions, then the due
 * ones, never for more than there is room; it begins at another partition each
 * time.  Every fourth round asks the due ones first: whoever starts more manual
 * checks than can be done must not end the scheduled ones of everybody.  After
 * a round that found nothing, a blocking XREAD outside the group waits for
 * news: it takes nothing, so it cannot bring in too much.
 */

#include "jobs_int.h"
#include "../group.h"
#include "../log.h"

#include <stdio.h>
#include <stdlib.h>

#define PAUSE       0.2                 /* after a failure */
#define GATHER      0.02                /* while there is little room */
#define READ_MAX    100                 /* entries of one stream a read */
#define DUE_FIRST   4                   /* every so many rounds */

static void read_some(jobs_t *jobs);


static void
later(jobs_t *jobs, double wait)
{
    jobs->phase = JOBS_IDLE;
    ev_timer_stop(jobs->d->loop, &jobs->timer);
    ev_timer_set(&jobs->timer, wait, 0);
    ev_timer_start(jobs->d->loop, &jobs->timer);
}


static void
on_time(void *data, const redisReply *reply)
{
    int64_t   s, us;
    jobs_t   *jobs = data;

    s = rbl_reply_int(rbl_reply_at(reply, 0), 0);
    us = rbl_reply_int(rbl_reply_at(reply, 1), 0);
    jobs->since = s * 1000 + us / 1000;
}


static void
begin_round(jobs_t *jobs)
{
    rbl_str_t  argv[1];

    if (jobs->stopped || !store_ready(jobs->d->store)) {
        jobs->phase = JOBS_OFF;
        return;
    }

    if (jobs_room(jobs) == 0) {
        jobs->phase = JOBS_IDLE;
        return;
    }

    jobs->kind = ++jobs->rounds % DUE_FIRST == 0 ? JOB_DUE : JOB_MANUAL;
    jobs->kinds_left = JOB_KINDS;
    jobs->left = jobs->partitions;
    jobs->got = 0;

    argv[0] = RBL_STR("TIME");
    store_command(jobs->d->store, on_time, jobs, 1, argv);
    read_some(jobs);
}


static void
on_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
    jobs_t  *jobs = w->data;

    (void) loop;
    (void) revents;

    if (jobs->phase == JOBS_IDLE) {
        begin_round(jobs);
    }
}


void
jobs_wake(jobs_t *jobs)
{
    if (jobs->phase != JOBS_IDLE || ev_is_active(&jobs->timer)) {
        return;
    }

    /* A little more room makes one read of what would be many. */

    later(jobs, jobs_room(jobs) >= jobs->partitions ? 0 : GATHER);
}


static void
on_news(void *data, const redisReply *reply)
{
    jobs_t  *jobs = data;

    if (jobs->phase != JOBS_WAITING) {
        return;
    }

    if (reply == NULL || reply->type == REDIS_REPLY_ERROR) {
        later(jobs, PAUSE);
        return;
    }

    jobs->phase = JOBS_IDLE;
    jobs->woken = reply->type == REDIS_REPLY_ARRAY;
    begin_round(jobs);
}


/* Appends the keys of `n` partitions, beginning with `from`. */

static int
add_keys(const jobs_t *jobs, rbl_str_t *argv, job_kind_t kind, unsigned from,
    unsigned n)
{
    unsigned  i;

    for (i = 0; i < n; i++) {
        argv[i] = jobs_key(jobs, kind, (from + i) % jobs->partitions);
    }

    return (int) n;
}


static void
wait_for_news(jobs_t *jobs)
{
    int         n, i, keys;
    char        id[64], block[24];
    rbl_str_t  *argv;

    if (!store_ready(jobs->reader)) {
        later(jobs, PAUSE);
        return;
    }

    keys = (int) (JOB_KINDS * jobs->partitions);
    argv = malloc((size_t) (2 * keys + 6) * sizeof(rbl_str_t));
    if (argv == NULL) {
        later(jobs, PAUSE);
        return;
    }

    /* Everything that came in the round's first millisecond or later. */

    n = snprintf(id, sizeof(id), "%lld-18446744073709551615",
                 (long long) (jobs->since - 1));
    argv[0] = RBL_STR("XREAD");
    argv[1] = RBL_STR("COUNT");
    argv[2] = RBL_STR("1");
    argv[3] = RBL_STR("BLOCK");
    argv[4] = (rbl_str_t) { block, (size_t) snprintf(block, sizeof(block),
                                                "%.0f", JOBS_BLOCK * 1000) };
    argv[5] = RBL_STR("STREAMS");
    i = 6;
    i += add_keys(jobs, argv + i, JOB_MANUAL, 0, jobs->partitions);
    i += add_keys(jobs, argv + i, JOB_DUE, 0, jobs->partitions);
    for (; i < 6 + 2 * keys; i++) {
        argv[i] = (rbl_str_t) { id, (size_t) n };
    }

    jobs->phase = JOBS_WAITING;
    store_command(jobs->reader, on_news, jobs, i, argv);
    free(argv);
}


static int
partition_of(const jobs_t *jobs, rbl_str_t stream)
{
    unsigned  i, p;

    for (i = 0; i < jobs->asked; i++) {
        p = (jobs->next + i) % jobs->partitions;
        if (rbl_str_eq(jobs_key(jobs, jobs->kind, p), stream)) {
            return (int) p;
        }
    }

    return -1;
}


static void
take_streams(jobs_t *jobs, const redisReply *reply)
{
    int                p;
    size_t             i, k;
    const redisReply  *stream, *entries;

    for (i = 0; i < rbl_reply_len(reply); i++) {
        stream = rbl_reply_at(reply, i);
        p = partition_of(jobs, rbl_reply_str(rbl_reply_at(stream, 0)));
        entries = rbl_reply_at(stream, 1);

        for (k = 0; p >= 0 && k < rbl_reply_len(entries); k++) {
            jobs->got++;
            jobs->woken = 0;
            jobs_take(jobs, jobs->kind, (unsigned) p,
                      rbl_reply_at(entries, k), NULL);
        }
    }
}


static void
on_jobs(void *data, const redisReply *reply)
{
    jobs_t  *jobs = data;

    jobs->reading = 0;

    /* Whatever was read is taken, even if no more is wanted. */

    if (rbl_reply_class(reply) == RBL_REPLY_OK) {
        take_streams(jobs, reply);
    }

    if (jobs->phase != JOBS_READING) {
        return;
    }

    if (reply == NULL) {
        later(jobs, PAUSE);
        return;
    }

    if (rbl_reply_class(reply) == RBL_REPLY_NOGROUP) {
        jobs_groups(jobs);
        return;
    }

    if (rbl_reply_class(reply) != RBL_REPLY_OK) {
        log_error("jobs cannot be read: %.120s", reply->str);
        later(jobs, PAUSE);
        return;
    }

    jobs->next = (jobs->next + jobs->asked) % jobs->partitions;
    jobs->left -= jobs->asked;

    if (jobs_room(jobs) == 0) {
        jobs->phase = JOBS_IDLE;        /* a check that ends wakes it */

    } else if (jobs->left > 0) {
        read_some(jobs);

    } else if (--jobs->kinds_left > 0) {
        jobs->kind = jobs->kind == JOB_MANUAL ? JOB_DUE : JOB_MANUAL;
        jobs->left = jobs->partitions;
        read_some(jobs);

    } else if (jobs->got > 0) {
        begin_round(jobs);

    } else {
        jobs->next = (jobs->next + 1) % jobs->partitions;

        /*
         * News that were no jobs for us: others were faster, or the clock of
         * the store went back and old entries look new.
         */

        if (jobs->woken) {
            jobs->woken = 0;
            later(jobs, GATHER);
            return;
        }

        wait_for_news(jobs);
    }
}


/* From as many partitions, and as much of each, as there is room for. */

static void
read_some(jobs_t *jobs)
{
    int         i, n;
    char        count[24];
    unsigned    room, each;
    rbl_str_t  *argv;

    room = jobs_room(jobs);
    jobs->asked = room < jobs->left ? room : jobs->left;
    each = room / jobs->asked;
    each = each > READ_MAX ? READ_MAX : each;

    argv = malloc((size_t) (2 * jobs->asked + 7) * sizeof(rbl_str_t));
    if (argv == NULL) {
        later(jobs, PAUSE);
        return;
    }

    n = snprintf(count, sizeof(count), "%u", each);
    argv[0] = RBL_STR("XREADGROUP");
    argv[1] = RBL_STR("GROUP");
    argv[2] = RBL_STR(JOBS_GROUP);
    argv[3] = rbl_str(jobs->d->conf->name);
    argv[4] = RBL_STR("COUNT");
    argv[5] = (rbl_str_t) { count, (size_t) n };
    argv[6] = RBL_STR("STREAMS");
    i = 7;
    i += add_keys(jobs, argv + i, jobs->kind, jobs->next, jobs->asked);
    for (; i < 7 + 2 * (int) jobs->asked; i++) {
        argv[i] = RBL_STR(">");
    }

    jobs->phase = JOBS_READING;
    jobs->reading = each * jobs->asked;
    store_command(jobs->d->store, on_jobs, jobs, i, argv);
    free(argv);
}


static void
on_group(void *data, const redisReply *reply)
{
    jobs_t  *jobs = data;

    if (jobs->groups_left == 0) {
        return;
    }

    if (reply == NULL) {
        jobs->groups_failed = 1;

    } else if (reply->type == REDIS_REPLY_ERROR
               && strncmp(reply->str, "BUSYGROUP", 9) != 0)
    {
        log_error("a consumer group cannot be made: %.120s", reply->str);
        jobs->groups_failed = 1;
    }

    if (--jobs->groups_left > 0 || jobs->phase != JOBS_GROUPS) {
        return;
    }

    if (jobs->groups_failed) {
        later(jobs, PAUSE);             /* NOGROUP brings it back here */
        return;
    }

    jobs->phase = JOBS_IDLE;
    takeover_start(jobs->takeover);
    begin_round(jobs);
}


static int
make_keys(jobs_t *jobs)
{
    unsigned               k, p;
    const rbl_keyspace_t  *ks;

    if (jobs->partitions != 0) {
        return 0;
    }

    ks = store_keyspace(jobs->d->store);

    for (k = 0; k < JOB_KINDS; k++) {
        free(jobs->key[k]);
        jobs->key[k] = calloc(ks->partitions, sizeof(rbl_key_t));
        if (jobs->key[k] == NULL) {
            return -1;
        }

        for (p = 0; p < ks->partitions; p++) {
            (void) rbl_key(&jobs->key[k][p], ks, p, job_streams[k],
                           RBL_STR(""), RBL_STR(""));
        }
    }

    jobs->partitions = ks->partitions;
    jobs->next = (unsigned) (daemon_jitter() * jobs->partitions);
    return 0;
}


void
jobs_groups(jobs_t *jobs)
{
    unsigned   k, p;
    rbl_str_t  argv[6];

    if (jobs->groups_left > 0) {
        return;
    }

    if (make_keys(jobs) != 0) {
        log_error("out of memory");
        later(jobs, PAUSE);
        return;
    }

    jobs->phase = JOBS_GROUPS;
    jobs->groups_left = JOB_KINDS * jobs->partitions;
    jobs->groups_failed = 0;

    argv[0] = RBL_STR("XGROUP");
    argv[1] = RBL_STR("CREATE");
    argv[3] = RBL_STR(JOBS_GROUP);
    argv[4] = RBL_STR("0");
    argv[5] = RBL_STR("MKSTREAM");

    for (k = 0; k < JOB_KINDS; k++) {
        for (p = 0; p < jobs->partitions; p++) {
            argv[2] = jobs_key(jobs, (job_kind_t) k, p);
            store_command(jobs->d->store, on_group, jobs, 6, argv);
            group_trim(jobs->d->store, argv[2], argv[3]);
        }
    }
}


static void
on_reader(void *data, int ready)
{
    (void) data;
    (void) ready;
}


int
jobs_read_init(jobs_t *jobs)
{
    jobs->reader = store_new(jobs->d->loop, jobs->d->conf, JOBS_BLOCK,
                             on_reader, jobs);
    ev_timer_init(&jobs->timer, on_timer, 0, 0);
    jobs->timer.data = jobs;

    return jobs->reader != NULL ? 0 : -1;
}


void
jobs_read_stop(jobs_t *jobs)
{
    jobs->phase = JOBS_OFF;
    ev_timer_stop(jobs->d->loop, &jobs->timer);
}


void
jobs_read_free(jobs_t *jobs)
{
    unsigned  k;

    jobs_read_stop(jobs);
    store_forget(jobs->d->store, jobs);

    if (jobs->reader != NULL) {
        store_forget(jobs->reader, jobs);
        store_free(jobs->reader);
    }

    for (k = 0; k < JOB_KINDS; k++) {
        free(jobs->key[k]);
    }
}
