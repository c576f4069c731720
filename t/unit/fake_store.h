/*
 * A fake store that replaces rbl-checkd/store/store.c: it records the calls,
 * and replies when the test tells it to.  Also the loop for the tests, and
 * their clock: time passes in run() alone, however slow the machine is.
 */

#ifndef FAKE_STORE_H_INCLUDED
#define FAKE_STORE_H_INCLUDED

#include "store/store.h"

#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CALLS   64
#define FIELDS  11

typedef struct {
    const rbl_script_t  *script;
    store_reply_pt       done;
    void                *data;
    long long            argv[FIELDS];
    char                 text[FIELDS][96];
} call_t;

static struct ev_loop  *loop;
static call_t           call[CALLS];
static unsigned         n_calls, n_done;    /* calls made, and replied to */
static double           away;               /* s that each partition is away */


const rbl_keyspace_t *
store_keyspace(const store_t *store)
{
    static rbl_keyspace_t  ks;

    (void) store;

    if (ks.partitions == 0) {
        rbl_keyspace_init(&ks, RBL_STR("rbl"));
        rbl_keyspace_set_partitions(&ks, 16);
    }

    return &ks;
}


double
store_away(const store_t *store, unsigned partition)
{
    (void) store;
    (void) partition;

    return away;
}


void
store_script(store_t *store, const rbl_script_t *script, store_reply_pt done,
    void *data, int argc, const rbl_str_t *argv)
{
    int     i;
    call_t  *c = &call[n_calls++ % CALLS];

    (void) store;

    c->script = script;
    c->done = done;
    c->data = data;

    for (i = 1; i < argc && i <= FIELDS; i++) {
        snprintf(c->text[i - 1], sizeof(c->text[0]), "%.*s", (int) argv[i].n,
                 argv[i].p);
        c->argv[i - 1] = atoll(c->text[i - 1]);
    }
}


void
store_script_late(store_t *store, const rbl_script_t *script,
    store_reply_pt done, void *data, int argc,
    const rbl_str_t *argv)
{
    store_script(store, script, done, data, argc, argv);
}


void
store_forget(store_t *store, void *data)
{
    (void) store;
    (void) data;

    n_done = n_calls;
}


static unsigned
open_calls(void)
{
    return n_calls - n_done;
}


/* The last call. */

static const call_t *
last_call(void)
{
    return &call[(n_calls - 1) % CALLS];
}


/* Replies to the oldest call with a word and numbers; "": an empty reply. */

static void
reply(const char *word, const char *numbers)
{
    int          n;
    char         text[16], *end;
    call_t      *to = &call[n_done++ % CALLS];
    redisReply   r, item[FIELDS], *items[FIELDS];

    memset(&r, 0, sizeof(r));
    memset(item, 0, sizeof(item));
    snprintf(text, sizeof(text), "%s", word);

    item[0].type = REDIS_REPLY_STRING;
    item[0].str = text;
    item[0].len = strlen(text);
    items[0] = &item[0];

    for (n = 1; n < FIELDS && *numbers != '\0'; n++) {
        items[n] = &item[n];
        item[n].type = REDIS_REPLY_INTEGER;
        item[n].integer = strtoll(numbers, &end, 10);
        numbers = end;
    }

    r.type = REDIS_REPLY_ARRAY;
    r.elements = (size_t) n;
    r.element = items;

    if (to->done != NULL) {
        to->done(to->data, word[0] != '\0' ? &r : NULL);
    }
}


static int64_t  passed = INT64_C(1800000000000);       /* ms */


/* In the place of libc's, for libev, too.  All clocks show the same. */

int
clock_gettime(clockid_t id, struct timespec *ts)
{
    (void) id;

    ts->tv_sec = (time_t) (passed / 1000);
    ts->tv_nsec = (long) (passed % 1000) * 1000000;

    return 0;
}


static void
run(double seconds)
{
    int64_t  end = passed + (int64_t) (seconds * 1e3);

    do {
        ev_run(loop, EVRUN_NOWAIT);
        passed++;
    } while (passed < end);
}

#endif /* FAKE_STORE_H_INCLUDED */
