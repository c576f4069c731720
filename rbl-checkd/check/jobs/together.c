/*
 * Batches, each owned by the list it is in: gathering (at most one of a
 * partition and a head) or sent.  A batch goes when it is full or its moment is
 * over.
 */

#include "base/log.h"
#include "jobs_entry.h"
#include "together.h"

#include <stdio.h>
#include <stdlib.h>

#define MANY  32                        /* checks of one call */

typedef struct batch_s  batch_t;

typedef struct {
    together_done_pt  done;
    void             *data;             /* NULL: forgotten, or told */
    char              member[2 * sizeof(rbl_sid_t)], flight[JOB_HANDLE_MAX];
    char              tail[TOGETHER_ARG_MAX];
} item_t;

struct batch_s {
    together_t  *together;
    batch_t     *next;
    unsigned     partition;
    unsigned     n;
    char         head[TOGETHER_ARG_MAX];
    item_t       item[MANY];
};

struct together_s {
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

    take_out(&batch->together->sent, batch);
    sound = rbl_str_is(rbl_reply_word(reply), "OK");

    if (!sound && reply != NULL) {
        why = rbl_reply_error(reply);
        log_error("%s failed for %u checks: %.*s",
                  batch->together->script->name, batch->n, (int) why.n, why.p);
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
    int          argc;
    unsigned     i;
    rbl_key_t    key;
    rbl_str_t    argv[2 + 3 * MANY], none = RBL_STR("");
    together_t  *t = batch->together;

    take_out(&t->gathering, batch);
    batch->next = t->sent;
    t->sent = batch;

    argc = 0;
    argv[argc++] = rbl_key(&key, store_keyspace(t->store), batch->partition,
                           "flight:due", none, none);

    if (batch->head[0] != '\0') {
        argv[argc++] = rbl_str(batch->head);
    }

    for (i = 0; i < batch->n; i++) {
        argv[argc++] = rbl_str(batch->item[i].member);
        argv[argc++] = rbl_str(batch->item[i].flight);

        if (batch->item[i].tail[0] != '\0') {
            argv[argc++] = rbl_str(batch->item[i].tail);
        }
    }

    store_script(t->store, t->script, on_reply, batch, argc, argv);
}


static void
on_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
    together_t  *t = w->data;

    (void) loop;
    (void) revents;

    while (t->gathering != NULL) {
        send_batch(t->gathering);
    }
}


together_t *
together_new(struct ev_loop *loop, store_t *store, const rbl_script_t *script,
    double moment)
{
    together_t  *t;

    t = calloc(1, sizeof(together_t));
    if (t == NULL) {
        return NULL;
    }

    t->loop = loop;
    t->store = store;
    t->script = script;
    t->moment = moment;
    ev_timer_init(&t->timer, on_timer, moment, 0);
    t->timer.data = t;

    return t;
}


static void
free_list(together_t *t, batch_t *list)
{
    batch_t  *next;

    for ( /* void */ ; list != NULL; list = next) {
        next = list->next;
        store_forget(t->store, list);
        free(list);
    }
}


void
together_free(together_t *t)
{
    if (t == NULL) {
        return;
    }

    ev_timer_stop(t->loop, &t->timer);
    free_list(t, t->gathering);
    free_list(t, t->sent);
    free(t);
}


static batch_t *
batch_for(together_t *t, unsigned partition, const char *head)
{
    batch_t  *batch;

    for (batch = t->gathering; batch != NULL; batch = batch->next) {
        if (batch->partition == partition
            && strcmp(batch->head, head) == 0)
        {
            return batch;
        }
    }

    batch = malloc(sizeof(batch_t));
    if (batch == NULL) {
        return NULL;
    }

    batch->together = t;
    batch->partition = partition;
    batch->n = 0;
    snprintf(batch->head, sizeof(batch->head), "%s", head);
    batch->next = t->gathering;
    t->gathering = batch;

    return batch;
}


int
together_add(together_t *t, const job_t *job, unsigned times,
    const char *head, const char *tail, together_done_pt done, void *data)
{
    item_t   *item;
    batch_t  *batch;

    batch = strlen(head) < TOGETHER_ARG_MAX && strlen(tail) < TOGETHER_ARG_MAX
            ? batch_for(t, job->partition, head) : NULL;
    if (batch == NULL) {
        return -1;
    }

    item = &batch->item[batch->n++];
    item->done = done;
    item->data = data;
    snprintf(item->member, sizeof(item->member), "%s:%s", job->account.s,
             job->host.s);
    snprintf(item->tail, sizeof(item->tail), "%s", tail);
    jobs_entry_flight(job, times, item->flight);

    if (batch->n == MANY) {
        send_batch(batch);

    } else if (!ev_is_active(&t->timer)) {
        ev_timer_set(&t->timer, t->moment, 0);
        ev_timer_start(t->loop, &t->timer);
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
together_forget(together_t *t, void *data)
{
    forget_in(t->gathering, data);
    forget_in(t->sent, data);
}
