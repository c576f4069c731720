/*
 * The lists that a daemon has asked about, each with its waiting callers.
 *
 * Each list has at most one batch under way in the store; requests that come
 * meanwhile are the next batch.  If many responses come, or the list begins to
 * look bad, a batch waits for a moment first, so that hardly one of many
 * listings that come at once passes before the list is frozen.
 *
 *   IDLE --> ASKING --> (frozen) SAMPLING --> THAWING --> IDLE
 */

#include "guard.h"

#include "base/link.h"
#include "base/log.h"
#include "base/timer.h"
#include "base/xalloc.h"
#include "check/lists/sidmap.h"

#include <stdlib.h>

#define COUNT_EVERY    2.0
#define DOUBT          3                /* listings in the window */
#define BUSY           3                /* responses per second */
#define HOLD           0.3
#define SAMPLE_HOLD    5000             /* ms a sample of another daemon may
                                           take */

typedef enum {
    GUARD_IDLE = 0,
    GUARD_ASKING,
    GUARD_SAMPLING,
    GUARD_THAWING
} guard_state_t;

typedef struct {
    guard_t        *guard;
    char            sid[40];
    list_t         *list;               /* as it was given last */
    guard_state_t   state;
    link_t          waits;              /* the next batch */
    link_t          in_flight;          /* the batch under way */
    unsigned        clear;              /* not reported to the store yet */
    int64_t         turned;             /* listings in the window, by the
                                           store */
    int64_t         frozen;             /* since when, by the store */
    double          second;             /* start of the current second */
    unsigned        answers;            /* responses in it */
    health_q_t     *sample;
    double          since;              /* when it was requested */
    int             kept;               /* caches may still hold responses of
                                           its wildcard */
    loop_timer_t    timer;              /* the next batch */
    loop_timer_t    count;              /* reports clear responses alone */
} guard_list_t;

struct guard_wait_s {
    link_t          link;
    guard_done_pt   done;
    void           *data;
    rbl_family_t    family;
    uint32_t        server;
};

struct guard_s {
    struct ev_loop  *loop;
    store_t         *store;
    health_t        *health;
    sidmap_t         lists;
};


static void on_turn(void *data, const redisReply *reply);


/* Reports all waiting listings; if there are none, only the counts. */

static void
ask(guard_list_t *gl)
{
    char                  clear[RBL_OUT_INT], fresh[RBL_OUT_INT];
    link_t               *l;
    unsigned              n;
    rbl_key_t             key;
    rbl_list_turn_args_t  args;

    n = 0;
    link_move(&gl->in_flight, &gl->waits);

    for (l = gl->in_flight.next; l != &gl->in_flight; l = l->next) {
        n++;
    }

    args.list = store_list_key(gl->guard->store, &key, gl->sid);
    args.clear = rbl_out_int_text(clear, gl->clear);
    args.fresh = rbl_out_int_text(fresh, n);
    args.bad = RBL_STR("");

    gl->clear = 0;
    gl->state = GUARD_ASKING;
    timer_stop(&gl->timer);
    timer_stop(&gl->count);
    store_call(gl->guard->store, list_turn, on_turn, gl, args);
}


static void
came(guard_list_t *gl)
{
    double  now = clock_now();

    if (now - gl->second > 1 || now < gl->second) {
        gl->second = now;
        gl->answers = 0;
    }

    gl->answers++;
}


/* If many responses come, waits a moment for a batch. */

static void
next(guard_list_t *gl)
{
    if (gl->state != GUARD_IDLE || link_empty(&gl->waits)) {
        return;
    }

    if (gl->turned < DOUBT && gl->answers <= BUSY) {
        ask(gl);

    } else {
        timer_arm(&gl->timer, HOLD);
    }
}


/*
 * Calls back all of them, and frees them.  The call backs may make and forget
 * requests; new requests go into the next batch.
 */

static void
reply_all(link_t *waits, int go)
{
    void           *data;
    guard_wait_t   *w;
    guard_done_pt   done;

    while (!link_empty(waits)) {
        w = (guard_wait_t *) link_shift(waits);
        done = w->done;
        data = w->data;
        free(w);
        done(data, go);
    }
}


static void
finish(guard_list_t *gl, int go)
{
    reply_all(&gl->in_flight, go);
    gl->state = GUARD_IDLE;
    next(gl);
}


static void
on_thawed(void *data, const redisReply *reply)
{
    guard_list_t          *gl = data;
    rbl_list_thaw_reply_t  said;

    rbl_list_thaw_reply(&said, reply);

    if (said.word == RBL_LIST_THAW_OK) {
        log_notice("list %s passes its test points: no longer frozen, after"
                   " %lld s", gl->list->zone, (long long) (said.frozen / 1000));
        gl->frozen = 0;
    }

    gl->turned = 0;
    finish(gl, !gl->kept && said.word != RBL_LIST_THAW_NO_REPLY);
}


/* Reports that it failed, so that no daemon takes another sample at once. */

static void
report_failure(guard_list_t *gl)
{
    rbl_key_t             key;
    rbl_list_turn_args_t  args;

    args.list = store_list_key(gl->guard->store, &key, gl->sid);
    args.clear = RBL_STR("0");
    args.fresh = RBL_STR("0");
    args.bad = RBL_STR("1");
    store_call(gl->guard->store, list_turn, NULL, gl, args);
}


static void
on_sample(void *data, const health_verdict_t *verdict)
{
    char                  since[RBL_OUT_INT];
    rbl_key_t             key;
    guard_list_t         *gl = data;
    rbl_list_thaw_args_t  args;

    gl->sample = NULL;
    gl->kept = clock_now() < verdict->wild_until;

    if ((verdict->state != HEALTH_GOOD && verdict->state != HEALTH_UNSUPPORTED)
        || verdict->sampled < gl->since)
    {
        log_info("list %s stays frozen: its state is %s, and no sample has"
                 " passed",
                 gl->list->zone, health_state_names[verdict->state]);
        report_failure(gl);
        finish(gl, 0);
        return;
    }

    args.list = store_list_key(gl->guard->store, &key, gl->sid);
    args.since = rbl_out_int_text(since, gl->frozen);
    gl->state = GUARD_THAWING;
    store_call(gl->guard->store, list_thaw, on_thawed, gl, args);
}


static void
sample(guard_list_t *gl)
{
    guard_wait_t  *w;

    w = (guard_wait_t *) gl->in_flight.next;
    gl->state = GUARD_SAMPLING;
    gl->since = clock_now();
    gl->sample = health_ask(gl->guard->health, gl->list, w->family, w->server,
                            HEALTH_FORCE, on_sample, gl);
    if (gl->sample == NULL) {
        finish(gl, 0);
    }
}


/*
 * Another daemon takes a sample, and the callers wait for its result; or the
 * store does not reply.  The deadlines of their checks bound the wait.
 */

static void
hold(guard_list_t *gl)
{
    while (!link_empty(&gl->waits)) {
        link_add(&gl->in_flight, link_shift(&gl->waits));
    }

    link_move(&gl->waits, &gl->in_flight);
    gl->state = GUARD_IDLE;
    timer_arm(&gl->timer, HOLD);
}


static void
on_frozen(guard_list_t *gl, const rbl_list_turn_reply_t *said)
{
    gl->turned = said->turned;
    gl->frozen = said->since;

    if (said->begins > 0) {
        log_notice("list %s is frozen: %lld of its last %lld responses are new"
                   " listings", gl->list->zone, (long long) said->turned,
                   (long long) said->of);
    }

    if (link_empty(&gl->in_flight)) {
        finish(gl, 0);

    } else if (said->sample > 0) {
        sample(gl);

    } else if (said->age >= 0 && said->age < SAMPLE_HOLD) {
        hold(gl);

    } else {
        finish(gl, 0);
    }
}


static void
on_turn(void *data, const redisReply *reply)
{
    guard_list_t          *gl = data;
    rbl_list_turn_reply_t  said;

    rbl_list_turn_reply(&said, reply);

    if (said.word == RBL_LIST_TURN_FROZEN) {
        on_frozen(gl, &said);

    } else if (said.word == RBL_LIST_TURN_OK) {
        gl->turned = said.turned;
        gl->frozen = 0;
        finish(gl, 1);

    } else if (link_empty(&gl->in_flight)) {
        finish(gl, 0);

    } else if (store_away(gl->guard->store,
                          store_partition(gl->guard->store, gl->sid))
               > STORE_AWAY_LONG)
    {
        finish(gl, -1);

    } else {
        hold(gl);
    }
}


static void
on_timer(void *data)
{
    guard_list_t  *gl = data;

    if (gl->state == GUARD_IDLE) {
        ask(gl);
    }
}


static void
on_count(void *data)
{
    guard_list_t  *gl = data;

    if (gl->state != GUARD_IDLE) {
        timer_in(&gl->count, COUNT_EVERY);

    } else if (gl->clear != 0) {
        ask(gl);
    }
}


/* --- lists --------------------------------------------------------------- */

static guard_list_t *
make_list(guard_t *guard, const list_t *list)
{
    guard_list_t  *gl;

    gl = xcalloc(1, sizeof(guard_list_t));
    gl->guard = guard;
    memcpy(gl->sid, list->sid, sizeof(gl->sid));
    link_init(&gl->waits);
    link_init(&gl->in_flight);
    timer_init(&gl->timer, guard->loop, on_timer, gl);
    timer_init(&gl->count, guard->loop, on_count, gl);
    sidmap_add(&guard->lists, gl->sid, gl);

    return gl;
}


static guard_list_t *
find_list(guard_t *guard, const list_t *list)
{
    guard_list_t  *gl;

    gl = sidmap_find(&guard->lists, rbl_str(list->sid));

    if (gl == NULL) {
        gl = make_list(guard, list);
    }

    if (gl->list != list) {
        list_unref(gl->list);
        gl->list = list_ref((list_t *) list);
    }

    return gl;
}


static void
drop_all(link_t *waits)
{
    while (!link_empty(waits)) {
        free(link_shift(waits));
    }
}


static void
free_list(guard_list_t *gl)
{
    health_drop(gl->sample);
    store_forget(gl->guard->store, gl);
    timer_stop(&gl->timer);
    timer_stop(&gl->count);
    drop_all(&gl->waits);
    drop_all(&gl->in_flight);
    list_unref(gl->list);
    free(gl);
}


/* --- for others ---------------------------------------------------------- */

guard_t *
guard_new(struct ev_loop *loop, store_t *store, health_t *health)
{
    guard_t  *guard;

    guard = xcalloc(1, sizeof(guard_t));
    guard->loop = loop;
    guard->store = store;
    guard->health = health;

    return guard;
}


void
guard_free(guard_t *guard)
{
    size_t         at;
    guard_list_t  *gl;

    if (guard == NULL) {
        return;
    }

    for (at = 0; (gl = sidmap_next(&guard->lists, &at)) != NULL; ) {
        free_list(gl);
    }

    sidmap_free(&guard->lists);
    free(guard);
}


int
guard_frozen(const guard_t *guard, const list_t *list)
{
    const guard_list_t  *gl;

    gl = sidmap_find(&guard->lists, rbl_str(list->sid));

    return gl != NULL && gl->frozen != 0;
}


void
guard_count(guard_t *guard, const list_t *list)
{
    guard_list_t  *gl = find_list(guard, list);

    came(gl);
    gl->clear++;
    timer_arm(&gl->count, COUNT_EVERY);
}


guard_wait_t *
guard_ask(guard_t *guard, const list_t *list, rbl_family_t family,
    uint32_t server, guard_done_pt done, void *data)
{
    guard_list_t  *gl = find_list(guard, list);
    guard_wait_t  *w;

    w = xcalloc(1, sizeof(guard_wait_t));
    w->done = done;
    w->data = data;
    w->family = family;
    w->server = server;

    came(gl);
    link_add(&gl->waits, &w->link);
    next(gl);

    return w;
}


void
guard_forget(guard_wait_t *wait)
{
    if (wait != NULL) {
        link_remove(&wait->link);
        free(wait);
    }
}
