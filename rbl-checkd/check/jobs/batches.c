/*
 * Each batch is owned by the list it is in: gathering (at most one of a
 * partition and a head) or sent.  A batch is sent when it is full or `moment`
 * is over.
 */

#include "base/log.h"
#include "base/xalloc.h"
#include "jobs_entry.h"
#include "batches.h"

#include <stdio.h>
#include <stdlib.h>

#define MANY  32                        /* checks of one call */

typedef struct batch_s  batch_t;

typedef struct {
    batches_done_pt   done;
    void             *data;             /* NULL: forgotten, or done */
    char              member[2 * sizeof(rbl_sid_t)], flight[JOB_HANDLE_MAX];
    char              tail[BATCHES_ARG_MAX];
    char              more[BATCHES_MORE_MAX];
    size_t            more_n;
} item_t;

struct batch_s {
    batches_t  *batches;
    batch_t    *next;
    unsigned    partition;
    unsigned    n;
    char        head[BATCHES_ARG_MAX];
    item_t      item[MANY];
};

struct batches_s {
    struct ev_loop      *loop;
    store_t             *store;
    const rbl_script_t  *script;
    double               moment;
    ev_timer             timer;         /* sends what is gathered */
    batch_t             *gathering, *sent;
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
on_reply(void *data, const redisReply *reply)
{
    int        sound;
    void      *waits;
    batch_t   *batch = data;
    unsigned   i;
    rbl_str_t  why;

    take_out(&batch->batches->sent, batch);
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

    take_out(&batches->gathering, batch);
    batch->next = batches->sent;
    batches->sent = batch;

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
on_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
    batches_t  *batches = w->data;

    (void) loop;
    (void) revents;

    while (batches->gathering != NULL) {
        send_batch(batches->gathering);
    }
}


batches_t *
batches_new(struct ev_loop *loop, store_t *store, const rbl_script_t *script,
    double moment)
{
    batches_t  *batches;

    batches = xcalloc(1, sizeof(batches_t));
    batches->loop = loop;
    batches->store = store;
    batches->script = script;
    batches->moment = moment;
    ev_timer_init(&batches->timer, on_timer, moment, 0);
    batches->timer.data = batches;

    return batches;
}


static void
free_list(batches_t *batches, batch_t *list)
{
    batch_t  *next;

    for ( /* void */ ; list != NULL; list = next) {
        next = list->next;
        store_forget(batches->store, list);
        free(list);
    }
}


void
batches_free(batches_t *batches)
{
    if (batches == NULL) {
        return;
    }

    ev_timer_stop(batches->loop, &batches->timer);
    free_list(batches, batches->gathering);
    free_list(batches, batches->sent);
    free(batches);
}


static batch_t *
batch_for(batches_t *batches, unsigned partition, const char *head)
{
    batch_t  *batch;

    for (batch = batches->gathering; batch != NULL; batch = batch->next) {
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
    batch->next = batches->gathering;
    batches->gathering = batch;

    return batch;
}


int
batches_add(batches_t *batches, const job_t *job, unsigned attempts,
    const char *head, const char *tail, rbl_str_t more, batches_done_pt done,
    void *data)
{
    item_t   *item;
    batch_t  *batch;

    if (strlen(head) >= BATCHES_ARG_MAX || strlen(tail) >= BATCHES_ARG_MAX
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
    snprintf(item->tail, sizeof(item->tail), "%s", tail);
    memcpy(item->more, more.n != 0 ? more.p : "", more.n);
    item->more_n = more.n;
    jobs_entry_flight(job, attempts, item->flight);

    if (batch->n == MANY) {
        send_batch(batch);

    } else if (!ev_is_active(&batches->timer)) {
        ev_timer_set(&batches->timer, batches->moment, 0);
        ev_timer_start(batches->loop, &batches->timer);
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
batches_forget(batches_t *batches, void *data)
{
    forget_in(batches->gathering, data);
    forget_in(batches->sent, data);
}
