/*
 * Batches of ends, each owned by the list it is in: gathering (at most one of a
 * partition) or sent.  A batch goes when it is full or its moment is over.
 */

#include "clears.h"
#include "../log.h"
#include "jobs_entry.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define GATHER  0.01                    /* s */
#define MANY    32                      /* checks of one call */

typedef struct batch_s  batch_t;

typedef struct {
    clears_done_pt  done;
    void           *data;               /* NULL: forgotten, or told */
    char            member[2 * sizeof(rbl_sid_t)], flight[JOB_HANDLE_MAX];
    char            interval[24];
} item_t;

struct batch_s {
    clears_t  *clears;
    batch_t   *next;
    unsigned   partition;
    unsigned   n;
    item_t     item[MANY];
};

struct clears_s {
    struct ev_loop  *loop;
    store_t         *store;
    ev_timer         timer;             /* sends what is gathered */
    batch_t         *gathering, *sent;
};


static void
take_out(batch_t **list, const batch_t *batch)
{
    for ( /* void */ ; *list != NULL; list = &(*list)->next) {
        if (*list == batch) {
            *list = batch->next;
            return;
        }
    }
}


static void
on_clear(void *data, const redisReply *reply)
{
    int        sound;
    void      *waits;
    batch_t   *batch = data;
    unsigned   i;
    rbl_str_t  said;

    take_out(&batch->clears->sent, batch);
    sound = rbl_str_is(rbl_reply_word(reply), "OK");

    if (!sound && reply != NULL) {
        log_error("%u checks cannot be ended together: %.120s", batch->n,
                  reply->type == REDIS_REPLY_ERROR ? reply->str : "nonsense");
    }

    for (i = 0; i < batch->n; i++) {
        waits = batch->item[i].data;
        batch->item[i].data = NULL;

        if (waits != NULL) {
            said = rbl_reply_str(rbl_reply_at(reply, i + 1));
            batch->item[i].done(waits, sound && rbl_str_is(said, "1"));
        }
    }

    free(batch);
}


static void
send_batch(batch_t *batch)
{
    int         argc;
    clears_t   *clears = batch->clears;
    unsigned    i;
    rbl_key_t   key;
    rbl_str_t   argv[1 + 3 * MANY], none = RBL_STR("");

    take_out(&clears->gathering, batch);
    batch->next = clears->sent;
    clears->sent = batch;

    argv[0] = rbl_key(&key, store_keyspace(clears->store), batch->partition,
                      "flight:due", none, none);

    for (i = 0, argc = 1; i < batch->n; i++) {
        argv[argc++] = rbl_str(batch->item[i].member);
        argv[argc++] = rbl_str(batch->item[i].flight);
        argv[argc++] = rbl_str(batch->item[i].interval);
    }

    store_script(clears->store, &rbl_script_check_clear, on_clear, batch, 1,
                 argc, argv);
}


static void
on_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
    clears_t  *clears = w->data;

    (void) loop;
    (void) revents;

    while (clears->gathering != NULL) {
        send_batch(clears->gathering);
    }
}


clears_t *
clears_new(struct ev_loop *loop, store_t *store)
{
    clears_t  *clears;

    clears = calloc(1, sizeof(clears_t));
    if (clears == NULL) {
        return NULL;
    }

    clears->loop = loop;
    clears->store = store;
    ev_timer_init(&clears->timer, on_timer, GATHER, 0);
    clears->timer.data = clears;

    return clears;
}


static void
free_list(clears_t *clears, batch_t *list)
{
    batch_t  *next;

    for ( /* void */ ; list != NULL; list = next) {
        next = list->next;
        store_forget(clears->store, list);
        free(list);
    }
}


void
clears_free(clears_t *clears)
{
    if (clears == NULL) {
        return;
    }

    ev_timer_stop(clears->loop, &clears->timer);
    free_list(clears, clears->gathering);
    free_list(clears, clears->sent);
    free(clears);
}


static batch_t *
batch_for(clears_t *clears, unsigned partition)
{
    batch_t  *batch;

    for (batch = clears->gathering; batch != NULL; batch = batch->next) {
        if (batch->partition == partition) {
            return batch;
        }
    }

    batch = malloc(sizeof(batch_t));
    if (batch == NULL) {
        return NULL;
    }

    batch->clears = clears;
    batch->partition = partition;
    batch->n = 0;
    batch->next = clears->gathering;
    clears->gathering = batch;

    return batch;
}


int
clears_add(clears_t *clears, const job_t *job, int64_t interval,
    clears_done_pt done, void *data)
{
    item_t   *item;
    batch_t  *batch;

    batch = batch_for(clears, job->partition);
    if (batch == NULL) {
        return -1;
    }

    item = &batch->item[batch->n++];
    item->done = done;
    item->data = data;
    snprintf(item->member, sizeof(item->member), "%s:%s", job->account.s,
             job->host.s);
    snprintf(item->interval, sizeof(item->interval), "%" PRId64, interval);
    jobs_entry_flight(job, item->flight);

    if (batch->n == MANY) {
        send_batch(batch);

    } else if (!ev_is_active(&clears->timer)) {
        ev_timer_set(&clears->timer, GATHER, 0);
        ev_timer_start(clears->loop, &clears->timer);
    }

    return 0;
}


static void
forget_in(batch_t *batch, const void *data)
{
    unsigned  i;

    for ( /* void */ ; batch != NULL; batch = batch->next) {
        for (i = 0; i < batch->n; i++) {
            if (batch->item[i].data == data) {
                batch->item[i].data = NULL;
            }
        }
    }
}


void
clears_forget(clears_t *clears, void *data)
{
    forget_in(clears->gathering, data);
    forget_in(clears->sent, data);
}
