/*
 * One batch of a list is with the store at a time.  What comes meanwhile is the
 * next one; where many answers come, or the list begins to look bad, a batch is
 * gathered first, so that of many listings in one moment hardly one has gone
 * before it is frozen.
 *
 *   IDLE --> ASKING --> (frozen) SAMPLING --> THAWING --> IDLE
 */

#include "base/log.h"
#include "guard_int.h"

#include <stdio.h>
#include <stdlib.h>

#define COUNT_EVERY    2.0
#define DOUBT          3                /* listings in the window */
#define BUSY           3                /* answers in a second */
#define HOLD           0.3
#define SAMPLE_HOLD    5000             /* ms a sample of another daemon may
                                           take */

static void on_turn(void *data, const redisReply *reply);


void
guard_arm(struct ev_loop *loop, ev_timer *timer, double seconds)
{
    if (!ev_is_active(timer)) {
        ev_timer_set(timer, seconds, 0);
        ev_timer_start(loop, timer);
    }
}


static int64_t
number(const redisReply *reply, size_t i)
{
    return rbl_reply_int(rbl_reply_at(reply, i), 0);
}


static void
send_script(guard_list_t *gl, const rbl_script_t *script, store_reply_pt done,
    int argc, rbl_str_t *argv)
{
    rbl_key_t              key;
    rbl_str_t              sid;
    const rbl_keyspace_t  *ks;

    ks = store_keyspace(gl->guard->store);
    sid = rbl_str(gl->sid);
    argv[0] = rbl_key(&key, ks, rbl_partition(ks, sid), "list", sid,
                      RBL_STR(""));
    store_script(gl->guard->store, script, done, gl, argc, argv);
}


/* All that wait, or none: then only what was counted is told. */

static void
ask(guard_list_t *gl)
{
    char       clear[16], turned[16];
    link_t    *l;
    unsigned   n;
    rbl_str_t  argv[3];

    n = 0;
    link_move(&gl->asked, &gl->waits);

    for (l = gl->asked.next; l != &gl->asked; l = l->next) {
        n++;
    }

    snprintf(clear, sizeof(clear), "%u", gl->clear);
    snprintf(turned, sizeof(turned), "%u", n);
    argv[1] = rbl_str(clear);
    argv[2] = rbl_str(turned);

    gl->clear = 0;
    gl->state = GUARD_ASKING;
    ev_timer_stop(gl->guard->loop, &gl->timer);
    ev_timer_stop(gl->guard->loop, &gl->count);
    send_script(gl, &rbl_script_list_turn, on_turn, 3, argv);
}


static void
came(guard_list_t *gl)
{
    double  now = dns_clock();

    if (now - gl->second > 1 || now < gl->second) {
        gl->second = now;
        gl->answers = 0;
    }

    gl->answers++;
}


/* Where many answers come a batch is worth a moment, alone it is not. */

static void
next(guard_list_t *gl)
{
    if (gl->state != GUARD_IDLE || link_empty(&gl->waits)) {
        return;
    }

    if (gl->turned < DOUBT && gl->answers <= BUSY) {
        ask(gl);

    } else {
        guard_arm(gl->guard->loop, &gl->timer, HOLD);
    }
}


void
guard_tell(link_t *waits, int go)
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
    guard_tell(&gl->asked, go);
    gl->state = GUARD_IDLE;
    next(gl);
}


static void
on_thawed(void *data, const redisReply *reply)
{
    rbl_str_t      word;
    guard_list_t  *gl = data;

    word = rbl_reply_word(reply);

    if (rbl_str_is(word, "OK")) {
        log_notice("list %s passes its test points: no longer frozen, after"
                   " %lld s", gl->list->zone,
                   (long long) (number(reply, 1) / 1000));
        gl->frozen = 0;
    }

    gl->turned = 0;
    finish(gl, !gl->kept && (rbl_str_is(word, "OK")
                             || rbl_str_is(word, "NONE")));
}


/* So that nobody takes another one at once. */

static void
tell_found(guard_list_t *gl)
{
    rbl_str_t  argv[4];

    argv[1] = argv[2] = RBL_STR("0");
    argv[3] = RBL_STR("1");
    send_script(gl, &rbl_script_list_turn, NULL, 4, argv);
}


static void
on_sample(void *data, const health_verdict_t *verdict)
{
    char           since[24];
    rbl_str_t      argv[2];
    guard_list_t  *gl = data;

    gl->sample = NULL;
    gl->kept = dns_clock() < verdict->lies;

    if ((verdict->state != HEALTH_GOOD && verdict->state != HEALTH_UNSUPPORTED)
        || verdict->sampled < gl->since)
    {
        log_info("list %s stays frozen: its state is %s, and no sample has"
                 " passed",
                 gl->list->zone, health_state_names[verdict->state]);
        tell_found(gl);
        finish(gl, 0);
        return;
    }

    snprintf(since, sizeof(since), "%lld", (long long) gl->frozen);
    argv[1] = rbl_str(since);
    gl->state = GUARD_THAWING;
    send_script(gl, &rbl_script_list_thaw, on_thawed, 2, argv);
}


static void
sample(guard_list_t *gl)
{
    guard_wait_t  *w;

    w = (guard_wait_t *) gl->asked.next;
    gl->state = GUARD_SAMPLING;
    gl->since = dns_clock();
    gl->sample = health_ask(gl->guard->health, gl->list, w->family, w->server,
                            HEALTH_FORCE, on_sample, gl);
    if (gl->sample == NULL) {
        finish(gl, 0);
    }
}


/*
 * Another daemon takes a sample, and these wait for what comes of it; or the
 * store does not answer.  Their checks' deadlines bound that.
 */

static void
hold(guard_list_t *gl)
{
    while (!link_empty(&gl->waits)) {
        link_add(&gl->asked, link_shift(&gl->waits));
    }

    link_move(&gl->waits, &gl->asked);
    gl->state = GUARD_IDLE;
    guard_arm(gl->guard->loop, &gl->timer, HOLD);
}


static void
on_frozen(guard_list_t *gl, const redisReply *reply)
{
    int64_t  age;

    gl->turned = number(reply, 2);
    gl->frozen = number(reply, 6);
    age = number(reply, 5);

    if (number(reply, 1) > 0) {
        log_notice("list %s is frozen: %lld of its last %lld responses are new"
                   " listings", gl->list->zone, (long long) number(reply, 2),
                   (long long) number(reply, 3));
    }

    if (link_empty(&gl->asked)) {
        finish(gl, 0);

    } else if (number(reply, 4) > 0) {
        sample(gl);

    } else if (age >= 0 && age < SAMPLE_HOLD) {
        hold(gl);

    } else {
        finish(gl, 0);
    }
}


static void
on_turn(void *data, const redisReply *reply)
{
    rbl_str_t      word;
    guard_list_t  *gl = data;

    word = rbl_reply_word(reply);

    if (rbl_str_is(word, "FROZEN")) {
        on_frozen(gl, reply);
        return;
    }

    if (rbl_str_is(word, "OK")) {
        gl->turned = number(reply, 1);
        gl->frozen = 0;
        finish(gl, 1);

    } else if (link_empty(&gl->asked)) {
        finish(gl, 0);

    } else {
        hold(gl);
    }
}


static void
on_timer(struct ev_loop *loop, ev_timer *timer, int revents)
{
    guard_list_t  *gl = timer->data;

    (void) loop;
    (void) revents;

    if (gl->state == GUARD_IDLE) {
        ask(gl);
    }
}


static void
on_count(struct ev_loop *loop, ev_timer *timer, int revents)
{
    guard_list_t  *gl = timer->data;

    (void) revents;

    if (gl->state != GUARD_IDLE) {
        guard_arm(loop, timer, COUNT_EVERY);

    } else if (gl->clear != 0) {
        ask(gl);
    }
}


void
guard_turn_init(guard_list_t *gl)
{
    link_init(&gl->waits);
    link_init(&gl->asked);
    ev_timer_init(&gl->timer, on_timer, 0, 0);
    ev_timer_init(&gl->count, on_count, 0, 0);
    gl->timer.data = gl->count.data = gl;
}


void
guard_turn_stop(guard_list_t *gl)
{
    if (gl->sample != NULL) {
        health_drop(gl->sample);
        gl->sample = NULL;
    }

    store_forget(gl->guard->store, gl);
    ev_timer_stop(gl->guard->loop, &gl->timer);
    ev_timer_stop(gl->guard->loop, &gl->count);
}


void
guard_turn_clear(guard_list_t *gl)
{
    came(gl);
    gl->clear++;
    guard_arm(gl->guard->loop, &gl->count, COUNT_EVERY);
}


void
guard_turn_wait(guard_list_t *gl, guard_wait_t *w)
{
    came(gl);
    link_add(&gl->waits, &w->link);
    next(gl);
}
