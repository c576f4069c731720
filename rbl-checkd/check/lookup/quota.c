/*
 * Callers that wait until a query may be sent to a list.
 *
 * No call back comes from inside quota_take or quota_response: only from timers
 * and replies of the store.  A call back may take, report and forget at will.
 */

#include "base/xalloc.h"
#include "quota_int.h"
#include "rbl_hash.h"

#include <stdlib.h>

#define LOOK_EVERY   10.0
#define TIMER_LEAST  0.0005
#define REFUSE_FOR   300.0              /* s until the store has replied */
#define PROBE_EVERY  60.0
#define UNDER_WAY    10.0


static int
limited(const quota_list_t *ql)
{
    return ql->rate > 0 || ql->day > 0;
}


/* --- waiting callers ----------------------------------------------------- */


static size_t
bucket_of(const void *data)
{
    rbl_str_t  bytes = { (const char *) &data, sizeof(data) };

    return (size_t) rbl_hash(bytes, 0) & (QUOTA_BUCKETS - 1);
}



/* Stops waiting; the call back has not come yet. */

static void
step_out(quota_wait_t *w)
{
    if (!w->over) {
        link_remove(&w->link);
        w->ql->n_waits--;
        w->over = 1;
    }
}


static void
leave(quota_wait_t *w)
{
    step_out(w);
    ev_timer_stop(w->ql->quota->loop, &w->timer);
    link_remove(&w->like);
    free(w);
}


static void
answer(quota_wait_t *w, quota_answer_t what)
{
    void           *data = w->data;
    quota_done_pt   done = w->done;

    leave(w);
    done(data, what);
}


static void
on_wait(struct ev_loop *loop, ev_timer *timer, int revents)
{
    quota_wait_t  *w = timer->data;

    (void) loop;
    (void) revents;

    answer(w, w->what);
}


static void
join(quota_list_t *ql, double patience, quota_done_pt done, void *data)
{
    quota_t       *quota = ql->quota;
    quota_wait_t  *w;

    w = xcalloc(1, sizeof(quota_wait_t));
    w->ql = ql;
    w->done = done;
    w->data = data;
    w->what = QUOTA_USED_UP;
    w->deadline = clock_now() + patience;

    if (ql->n_waits++ == 0 || w->deadline > ql->latest) {
        ql->latest = w->deadline;
    }

    link_add(&ql->waits, &w->link);
    link_add(&quota->bucket[bucket_of(data)], &w->like);

    ev_timer_init(&w->timer, on_wait, patience, 0);
    w->timer.data = w;
    ev_timer_start(quota->loop, &w->timer);
}


/* Each call back has its own timer, since a call back may drop any other. */

void
quota_give_up(quota_list_t *ql, quota_answer_t why, double deadline)
{
    link_t          *l, *after;
    quota_wait_t    *w;
    struct ev_loop  *loop = ql->quota->loop;

    for (l = ql->waits.next; l != &ql->waits; l = after) {
        after = l->next;
        w = link_of(l, quota_wait_t, link);

        if (w->deadline <= deadline) {
            step_out(w);
            w->what = why;
            ev_timer_stop(loop, &w->timer);
            ev_timer_set(&w->timer, 0, 0);
            ev_timer_start(loop, &w->timer);
        }
    }
}


/* The next event for waiting callers: the time of a token, or the store. */

static void
go_on(quota_list_t *ql)
{
    if (ql->n_waits == 0) {
        ev_timer_stop(ql->quota->loop, &ql->timer);

    } else if (ql->spent < ql->n) {
        quota_again(ql, quota_due(ql) - clock_now());

    } else if (!ev_is_active(&ql->timer)) {
        quota_ask(ql);
    }
}


void
quota_serve(quota_list_t *ql)
{
    while (ql->n_waits != 0 && quota_spend(ql)) {
        answer(link_of(ql->waits.next, quota_wait_t, link), QUOTA_GO);
    }

    go_on(ql);
}


static void
on_timer(struct ev_loop *loop, ev_timer *timer, int revents)
{
    (void) loop;
    (void) revents;

    quota_serve(timer->data);
}


void
quota_again(quota_list_t *ql, double seconds)
{
    struct ev_loop  *loop = ql->quota->loop;

    ev_timer_stop(loop, &ql->timer);
    ev_timer_set(&ql->timer, seconds > TIMER_LEAST ? seconds : TIMER_LEAST, 0);
    ev_timer_start(loop, &ql->timer);
}


/* --- lists --------------------------------------------------------------- */


static quota_list_t *
make_list(quota_t *quota, const list_t *list)
{
    quota_list_t  *ql;

    ql = xcalloc(1, sizeof(quota_list_t));
    ql->quota = quota;
    ql->left = -1;
    memcpy(ql->sid, list->sid, sizeof(ql->sid));
    link_init(&ql->waits);
    ev_timer_init(&ql->timer, on_timer, 0, 0);
    ql->timer.data = ql;
    sidmap_add(&quota->lists, ql->sid, ql);

    return ql;
}


static quota_list_t *
find_list(quota_t *quota, const list_t *list)
{
    quota_list_t  *ql;

    ql = sidmap_find(&quota->lists, list->sid);

    if (ql == NULL) {
        ql = make_list(quota, list);
    }

    if (ql->list != list) {
        list_unref(ql->list);
        ql->list = list_ref((list_t *) list);
    }

    ql->rate = list->rate;
    ql->day = list->day_quota;

    return ql;
}


/* Finds out for lists in use whether other daemons still avoid them. */

static void
on_look(struct ev_loop *loop, ev_timer *timer, int revents)
{
    size_t         at;
    quota_t       *quota = timer->data;
    quota_list_t  *ql;

    (void) loop;
    (void) revents;

    for (at = 0; (ql = sidmap_next(&quota->lists, &at)) != NULL; ) {
        if (quota_unreported(ql)) {
            quota_report(ql, 1);

        } else if (ql->used) {
            quota_look(ql);
            quota_probe(ql);
        }

        ql->used = 0;
    }
}


/* --- for others ---------------------------------------------------------- */


quota_t *
quota_new(struct ev_loop *loop, store_t *store, health_t *health)
{
    size_t    i;
    quota_t  *quota;

    quota = xcalloc(1, sizeof(quota_t));
    quota->loop = loop;
    quota->store = store;
    quota->health = health;
    quota->probe_every = PROBE_EVERY;

    for (i = 0; i < QUOTA_BUCKETS; i++) {
        link_init(&quota->bucket[i]);
    }

    ev_timer_init(&quota->look, on_look, LOOK_EVERY, LOOK_EVERY);
    quota->look.data = quota;
    ev_timer_start(loop, &quota->look);

    return quota;
}


void
quota_free(quota_t *quota)
{
    size_t         i;
    quota_list_t  *ql;

    if (quota == NULL) {
        return;
    }

    for (i = 0; i < QUOTA_BUCKETS; i++) {
        while (!link_empty(&quota->bucket[i])) {
            leave(link_of(quota->bucket[i].next, quota_wait_t, like));
        }
    }

    for (i = 0; (ql = sidmap_next(&quota->lists, &i)) != NULL; ) {
        store_forget(quota->store, ql);
        ev_timer_stop(quota->loop, &ql->timer);

        if (ql->probe != NULL) {
            health_drop(ql->probe);
        }

        list_unref(ql->list);
        free(ql);
    }

    ev_timer_stop(quota->loop, &quota->look);
    sidmap_free(&quota->lists);
    free(quota);
}


quota_answer_t
quota_take(quota_t *quota, const list_t *list, double patience,
    quota_done_pt done, void *data)
{
    quota_list_t  *ql;

    if (list->custom) {
        return QUOTA_GO;
    }

    ql = find_list(quota, list);
    ql->used = 1;

    if (quota_refuses(ql)) {
        return ql->refused;
    }

    if (!limited(ql) || (ql->n_waits == 0 && quota_spend(ql))) {
        return QUOTA_GO;
    }

    join(ql, patience, done, data);
    go_on(ql);

    return QUOTA_WAIT;
}


void
quota_forget(quota_t *quota, const void *data)
{
    link_t        *l, *bucket, *after;
    quota_wait_t  *w;

    bucket = &quota->bucket[bucket_of(data)];

    for (l = bucket->next; l != bucket; l = after) {
        after = l->next;
        w = link_of(l, quota_wait_t, like);

        if (w->data == data) {
            leave(w);
        }
    }
}


/* Ignores the response to a query that was under way when the list refused. */

static void
on_answer(quota_list_t *ql)
{
    if ((ql->refused == QUOTA_BLOCKED || ql->times > 0) && !ql->reporting
        && !(ql->unreported && clock_now() - ql->since < UNDER_WAY))
    {
        ql->unreported = 0;
        quota_report(ql, 0);
    }
}


static void
on_refusal(quota_list_t *ql, quota_response_t response, unsigned resolver)
{
    if (quota_refuses(ql) && ql->refused == QUOTA_BLOCKED
        && !(ql->unsure && response == QUOTA_RESPONSE_BLOCKED))
    {
        return;
    }

    quota_refuse(ql, QUOTA_BLOCKED, REFUSE_FOR);
    ql->since = clock_now();
    ql->resolver = resolver;
    ql->unreported = 1;
    ql->unsure = response == QUOTA_RESPONSE_REFUSED
                 && ql->quota->health != NULL;

    if (quota_unreported(ql)) {
        quota_report(ql, 1);
    }
}


void
quota_response(quota_t *quota, const list_t *list, quota_response_t response,
    unsigned resolver)
{
    quota_list_t  *ql;

    ql = list->custom ? NULL
         : response != QUOTA_RESPONSE_ANSWER ? find_list(quota, list)
         : sidmap_find(&quota->lists, list->sid);

    if (ql == NULL) {
        return;
    }

    if (response == QUOTA_RESPONSE_ANSWER) {
        on_answer(ql);

    } else {
        on_refusal(ql, response, resolver);
    }
}


int64_t
quota_left(const quota_t *quota, const list_t *list)
{
    const quota_list_t  *ql;

    if (list->day_quota <= 0 || list->custom) {
        return -1;
    }

    ql = sidmap_find(&quota->lists, list->sid);

    return ql != NULL && ql->left >= 0 ? ql->left : list->day_quota;
}
