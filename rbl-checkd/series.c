/*
 * One call at a time.  With more lists than fit into it, the others are in the
 * next one.
 */

#include "base/log.h"
#include "base/xalloc.h"
#include "rbl_series.h"
#include "series.h"

#include <stdlib.h>
#include <string.h>

#define TICKS  6                        /* between two calls */
#define LISTS  64                       /* in a call */

enum {                                  /* counters of the process */
    CHECKS = 0,
    ANSWERED,
    REFUSED,
    TIMED_OUT,
    FAILED,
    DELIVERED,
    RETRIED,
    DEAD,
    NUMBERS
};

struct series_s {
    const checker_t  *checker;
    const deliver_t  *deliver;
    unsigned          ticks;
    int               open;             /* a call is in flight */
    int               more;             /* lists are left over */
    uint64_t          was[NUMBERS];     /* that the store has */
    uint64_t          next[NUMBERS];    /* with the call in flight */
};

/* The arguments of a call, and the texts of their numbers. */
typedef struct {
    struct {
        rbl_series_add_args_t  args;
        rbl_str_t              rest[4 * LISTS];
    } call;
    char        text[NUMBERS + 1][RBL_OUT_INT];
    char        of_list[LISTS][RBL_RESPONSES__N][RBL_OUT_INT];
    unsigned    lists;
} ask_t;


static void
read_counters(const series_t *s, uint64_t *n)
{
    const uint64_t            *outcome;
    const deliver_counters_t  *d;

    memset(n, 0, NUMBERS * sizeof(uint64_t));
    n[CHECKS] = s->checker->checks.completed + s->checker->checks.failed;
    outcome = counters_outcomes(s->checker->env.counters);
    n[ANSWERED] = outcome[COUNTERS_ANSWERED];
    n[REFUSED] = outcome[COUNTERS_REFUSED];
    n[TIMED_OUT] = outcome[COUNTERS_TIMED_OUT];
    n[FAILED] = outcome[COUNTERS_FAILED];

    if (s->deliver != NULL) {
        d = deliver_counters(s->deliver);
        n[DELIVERED] = d->delivered;
        n[RETRIED] = d->retried;
        n[DEAD] = d->dead;
    }
}


/* Ends the call: its numbers are in the store, or are to be sent again. */

static void
settle(series_t *s, int stored)
{
    size_t            at = 0;
    list_counters_t  *c;

    if (stored) {
        memcpy(s->was, s->next, sizeof(s->was));
    }

    while ((c = counters_next(s->checker->env.counters, &at)) != NULL) {
        if (stored) {
            memcpy(c->stored, c->storing, sizeof(c->stored));
        } else {
            memcpy(c->storing, c->stored, sizeof(c->storing));
        }
    }

    s->open = 0;
}


static void
on_added(void *data, const redisReply *reply)
{
    rbl_str_t   why;
    series_t   *s = data;

    if (reply != NULL && reply->type == REDIS_REPLY_ERROR) {
        why = rbl_reply_error(reply);
        log_warn("the store refused what this daemon has counted: %.*s",
                 (int) why.n, why.p);
        s->more = 0;
        settle(s, 0);
        return;
    }

    settle(s, 1);
}


static rbl_str_t
text_of(char text[RBL_OUT_INT], uint64_t n)
{
    return rbl_out_int_text(text, (int64_t) n);
}


static void
add_list(ask_t *ask, list_counters_t *c)
{
    unsigned    k;
    rbl_str_t  *to = &ask->call.rest[4 * ask->lists];

    _Static_assert(RBL_RESPONSES__N == COUNTERS_STORED, "the same numbers");

    *to++ = rbl_str(c->sid);

    for (k = 0; k < RBL_RESPONSES__N; k++) {
        *to++ = text_of(ask->of_list[ask->lists][k],
                        (uint64_t) (c->number[k] - c->stored[k]));
        c->storing[k] = c->number[k];
    }

    ask->lists++;
}


/* The lists whose numbers have changed; the shared counters are of none. */

static void
add_lists(series_t *s, ask_t *ask)
{
    size_t            at = 0;
    list_counters_t  *c;

    s->more = 0;

    while ((c = counters_next(s->checker->env.counters, &at)) != NULL) {
        if (c->sid[0] == '\0'
            || memcmp(c->number, c->stored, sizeof(c->stored)) == 0)
        {
            continue;
        }

        if (ask->lists == LISTS) {
            s->more = 1;
            return;
        }

        add_list(ask, c);
    }
}


void
series_tick(series_t *s, const metrics_queues_t *queues)
{
    ask_t                   ask;
    int64_t                 late;
    unsigned                i;
    rbl_key_t               key;
    rbl_series_add_args_t  *args = &ask.call.args;

    rbl_str_t  *const  number[NUMBERS] = {
        &args->checks, &args->answered, &args->refused, &args->timed_out,
        &args->failed, &args->delivered, &args->retried, &args->dead
    };

    s->ticks++;

    if (s->open || (s->ticks % TICKS != 0 && !s->more)) {
        return;
    }

    read_counters(s, s->next);
    late = queues->manual_ms > queues->due_ms ? queues->manual_ms
                                              : queues->due_ms;
    ask.lists = 0;

    for (i = 0; i < NUMBERS; i++) {
        *number[i] = text_of(ask.text[i], s->next[i] - s->was[i]);
    }

    args->oldest = rbl_out_int_text(ask.text[NUMBERS],
                                    late > 0 ? late / 1000 : 0);
    args->leases = store_key(s->checker->store, &key, 0, "leases");
    add_lists(s, &ask);
    s->open = 1;
    store_script(s->checker->store, &rbl_script_series_add, on_added, s,
                 RBL_ARGC(*args) + 4 * (int) ask.lists, args->argv);
}


series_t *
series_new(const checker_t *checker, const deliver_t *deliver)
{
    series_t  *s;

    s = xcalloc(1, sizeof(series_t));
    s->checker = checker;
    s->deliver = deliver;

    return s;
}


void
series_free(series_t *s)
{
    if (s == NULL) {
        return;
    }

    store_forget(s->checker->store, s);
    free(s);
}
