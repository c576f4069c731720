/*
 * Each batch is owned by the ring it is in: gathering (at most one of a
 * partition and a head) or sent.  A batch is sent when it is full or `moment`
 * is over.
 */

#include "batches.h"
#include "base/link.h"
#include "base/log.h"
#include "base/timer.h"
#include "base/xalloc.h"
#include "jobs_entry.h"

#include <stdio.h>
#include <stdlib.h>

#define MANY  32                        /* checks of one call */

typedef struct {
    batches_done_pt   done;
    void             *data;             /* NULL: forgotten, or done */
    char              member[2 * sizeof(rbl_sid_t)], flight[JOB_HANDLE_MAX];
    char              tail[BATCHES_ARG_MAX];
    char              more[BATCHES_MORE_MAX];
    size_t            more_n;
} item_t;

typedef struct {
    batches_t  *batches;
    link_t      link;
    unsigned    partition;
    unsigned    n;
    char        head[BATCHES_ARG_MAX];
    item_t      item[MANY];
} batch_t;

struct batches_s {
    store_t             *store;
    const rbl_script_t  *script;
    double               moment;
    loop_timer_t         timer;         /* sends what is gathered */
    link_t               gathering, sent;
};


static void
on_reply(void *data, const redisReply *reply)
{
    int        sound;
    void      *waits;
    batch_t   *batch = data;
    unsigned   i;
    rbl_str_t  why;

    link_remove(&batch->link);
    sound = rbl_str_is(rbl_reply_word(reply), "OK");

    if (!sound && reply != NULL) {
        why = rbl_reply_error(reply);
        log_error("%s failed for %u checks: %.*s",
                  batch->batches->script->name, batch->n, (int) why.n, why.p);
    }

    for (i = 0; i < batch->n; i++) {
        waits = batch->item[i].data;
        batch->item[i].data = NULL;

        if (waits != NULL) {
            batch->item[i].done(waits,
                                sound ? rbl_reply_at(reply, i + 1) : NULL);
        }
    }

    free(batch);
}


static void
send_batch(batch_t *batch)
{
    int         argc;
    unsigned    i;
    rbl_key_t   key;
    rbl_str_t   argv[2 + 4 * MANY];
    batches_t  *batches = batch->batches;

    link_remove(&batch->link);
    link_add(&batches->sent, &batch->link);

    argc = 0;
    argv[argc++] = store_key(batches->store, &key, batch->partition,
                             "flight:due");

    if (batch->head[0] != '\0') {
        argv[argc++] = rbl_str(batch->head);
    }

    for (i = 0; i < batch->n; i++) {
        argv[argc++] = rbl_str(batch->item[i].member);
        argv[argc++] = rbl_str(batch->item[i].flight);

        if (batch->item[i].tail[0] != '\0') {
            argv[argc++] = rbl_str(batch->item[i].tail);
        }

        if (batch->item[i].more_n != 0) {
            argv[argc++] = (rbl_str_t) { batch->item[i].more,
                                         batch->item[i].more_n };
        }
    }

    store_script(batches->store, batches->script, on_reply, batch, argc, argv);
}


static void
on_timer(void *data)
{
    batches_t  *batches = data;

    while (!link_empty(&batches->gathering)) {
        send_batch(link_of(batches->gathering.next, batch_t, link));
    }
}


batches_t *
batches_new(struct ev_loop *loop, store_t *store, const rbl_script_t *script,
    double moment)
{
    batches_t  *batches;

    batches = xcalloc(1, sizeof(batches_t));
    batches->store = store;
    batches->script = script;
    batches->moment = moment;
    link_init(&batches->gathering);
    link_init(&batches->sent);
    timer_init(&batches->timer, loop, on_timer, batches);

    return batches;
}


static void
free_ring(batches_t *batches, link_t *ring)
{
    batch_t  *batch;

    while (!link_empty(ring)) {
        batch = link_of(link_shift(ring), batch_t, link);
        store_forget(batches->store, batch);
        free(batch);
    }
}


void
batches_free(batches_t *batches)
{
    if (batches == NULL) {
        return;
    }

    timer_stop(&batches->timer);
    free_ring(batches, &batches->gathering);
    free_ring(batches, &batches->sent);
    free(batches);
}


static batch_t *
batch_for(batches_t *batches, unsigned partition, const char *head)
{
    link_t   *l;
    batch_t  *batch;

    for (l = batches->gathering.next; l != &batches->gathering; l = l->next) {
        batch = link_of(l, batch_t, link);

        if (batch->partition == partition
            && strcmp(batch->head, head) == 0)
        {
            return batch;
        }
    }

    batch = xmalloc(sizeof(batch_t));
    batch->batches = batches;
    batch->partition = partition;
    batch->n = 0;
    snprintf(batch->head, sizeof(batch->head), "%s", head);
    link_add(&batches->gathering, &batch->link);

    return batch;
}


int
batches_add(batches_t *batches, const job_t *job, unsigned attempts,
    const char *head, rbl_str_t tail, rbl_str_t more, batches_done_pt done,
    void *data)
{
    item_t   *item;
    batch_t  *batch;

    if (strlen(head) >= BATCHES_ARG_MAX || tail.n >= BATCHES_ARG_MAX
        || more.n > BATCHES_MORE_MAX)
    {
        return -1;
    }

    batch = batch_for(batches, job->partition, head);
    item = &batch->item[batch->n++];
    item->done = done;
    item->data = data;
    snprintf(item->member, sizeof(item->member), "%s:%s", job->account.s,
             job->host.s);
    snprintf(item->tail, sizeof(item->tail), "%.*s", (int) tail.n, tail.p);
    memcpy(item->more, more.n != 0 ? more.p : "", more.n);
    item->more_n = more.n;
    jobs_entry_flight(job, attempts, item->flight);

    if (batch->n == MANY) {
        send_batch(batch);

    } else {
        timer_arm(&batches->timer, batches->moment);
    }

    return 0;
}


static void
forget_in(link_t *ring, const void *data)
{
    link_t    *l;
    batch_t   *batch;
    unsigned   i;

    for (l = ring->next; l != ring; l = l->next) {
        batch = link_of(l, batch_t, link);

        for (i = 0; i < batch->n; i++) {
            if (batch->item[i].data == data) {
                batch->item[i].data = NULL;
            }
        }
    }
}


void
batches_forget(batches_t *batches, void *data)
{
    forget_in(&batches->gathering, data);
    forget_in(&batches->sent, data);
}
