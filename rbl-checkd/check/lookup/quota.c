/*
 * The quota of lists: callers that wait, the tokens in hand, the back-off of
 * lists that refuse, and the calls of the store (list_grant, list_told).
 *
 * No call back comes from inside quota_take or quota_response: only from timers
 * and replies of the store.  A call back may take, report and forget at will.
 *
 * The clock continues while this process or the machine is stopped: tokens that
 * expired meanwhile are not spent.
 */

#include "base/log.h"
#include "base/xalloc.h"
#include "quota_int.h"

#include <stdlib.h>

#define LOOK_EVERY   10.0
#define TIMER_LEAST  0.0005
#define REFUSE_FOR   300.0              /* s until the store has replied */
#define PROBE_EVERY  60.0
#define UNDER_WAY    10.0
#define AGAIN_MOST   1.0                /* s to the next attempt */
#define STORE_AGAIN  0.5


static void on_grant(void *data, const redisReply *reply);
static void on_report(void *data, const redisReply *reply);


/* --- tokens -------------------------------------------------------------- */

static void
count_spent(quota_list_t *ql, double now)
{
    int64_t  half;

    half = (int64_t) (now * 2);

    if (half != ql->half) {
        ql->before_n = half == ql->half + 1 ? ql->now_n : 0;
        ql->now_n = 0;
        ql->half = half;
    }

    ql->now_n++;
}


/* How many were spent within the last second, or somewhat less. */

static int64_t
recent(const quota_list_t *ql, double now)
{
    int64_t  half;

    half = (int64_t) (now * 2);

    return half == ql->half ? ql->now_n + ql->before_n
                            : half == ql->half + 1 ? ql->now_n : 0;
}


/* Spends a token if one is available now.  1: spent. */

static int
spend(quota_list_t *ql)
{
    double   now;

    if (ql->spent >= ql->n) {
        return 0;
    }

    now = clock_now();

    if (now >= ql->till) {
        ql->n = ql->spent = 0;
        return 0;
    }

    if (now < ql->from
        || (ql->granted_rate > 0
            && (now - ql->from) * (double) ql->granted_rate
               < (double) ql->spent))
    {
        return 0;
    }

    ql->spent++;
    count_spent(ql, now);

    return 1;
}


/* The time at which the next token in hand may be spent. */

static double
due(const quota_list_t *ql)
{
    double  at;

    at = ql->from;
    if (ql->granted_rate > 0) {
        at += (double) ql->spent / (double) ql->granted_rate;
    }

    return at < ql->till ? at : ql->till;
}


/* --- back-off ------------------------------------------------------------ */

static void
refuse(quota_list_t *ql, quota_answer_t why, double seconds)
{
    if (why == QUOTA_BLOCKED && ql->refused != why) {
        ql->probed = clock_now();
    }

    ql->refused = why;
    ql->refused_till = clock_now() + seconds;
}


static int
refuses(quota_list_t *ql)
{
    if (ql->refused != QUOTA_GO && clock_now() >= ql->refused_till) {
        ql->refused = QUOTA_GO;
        ql->unreported = 0;
    }

    return ql->refused != QUOTA_GO;
}


/* 1: the list refuses, and that must be reported to the store. */

static int
unreported(quota_list_t *ql)
{
    return ql->unreported && refuses(ql) && ql->refused == QUOTA_BLOCKED
           && (!ql->unsure || health_vouches(ql->quota->health, ql->resolver,
                                             ql->list, ql->since));
}


/* --- list_grant ---------------------------------------------------------- */

static double
seconds(int64_t ms)
{
    return (double) ms / 1000;
}


static void
grant(quota_list_t *ql, store_reply_pt done, int64_t want, int64_t patience)
{
    char                   number[4][RBL_OUT_INT];
    rbl_key_t              key;
    rbl_list_grant_args_t  args;

    args.list = store_list_key(ql->quota->store, &key, ql->sid);
    args.want = rbl_out_int_text(number[0], want);
    args.rate = rbl_out_int_text(number[1], ql->list->rate);
    args.quota = rbl_out_int_text(number[2], ql->list->day_quota);
    args.patience = rbl_out_int_text(number[3], patience);

    store_call(ql->quota->store, list_grant, done, ql, args);
}


/* Requests a quarter more than needed if many tokens were spent lately. */

static void
ask(quota_list_t *ql)
{
    int64_t        n = 0;
    const link_t  *l;

    if (ql->asking) {
        return;
    }

    for (l = ql->waits.next; l != &ql->waits; l = l->next) {
        n++;
    }

    ql->asking = 1;
    ql->sent = clock_now();
    ql->granted_rate = ql->list->rate;

    grant(ql, on_grant, n + recent(ql, ql->sent) / 4,
          ql->latest > ql->sent
          ? (int64_t) ((ql->latest - ql->sent) * 1000) : 0);
}


/* --- waiting callers ----------------------------------------------------- */

static void
leave(quota_wait_t *w)
{
    timer_stop(&w->timer);
    link_remove(&w->link);
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
on_wait(void *data)
{
    quota_wait_t  *w = data;

    answer(w, w->what);
}


static quota_wait_t *
join(quota_list_t *ql, double patience, quota_done_pt done, void *data)
{
    quota_wait_t  *w;

    w = xcalloc(1, sizeof(quota_wait_t));
    w->ql = ql;
    w->done = done;
    w->data = data;
    w->what = QUOTA_USED_UP;
    w->deadline = clock_now() + patience;

    if (link_empty(&ql->waits) || w->deadline > ql->latest) {
        ql->latest = w->deadline;
    }

    link_add(&ql->waits, &w->link);

    timer_init(&w->timer, ql->quota->loop, on_wait, w);
    timer_in(&w->timer, patience);

    return w;
}


/* Each call back has its own timer, since a call back may drop any other. */

static void
give_up(quota_list_t *ql, quota_answer_t why, double deadline)
{
    link_t        *l, *after;
    quota_wait_t  *w;

    for (l = ql->waits.next; l != &ql->waits; l = after) {
        after = l->next;
        w = link_of(l, quota_wait_t, link);

        if (w->deadline <= deadline) {
            link_remove(l);
            link_add(&ql->over, l);
            w->what = why;
            timer_in(&w->timer, 0);
        }
    }
}


static void
again(quota_list_t *ql, double seconds)
{
    timer_in(&ql->timer, seconds > TIMER_LEAST ? seconds : TIMER_LEAST);
}


/* The next event for waiting callers: the time of a token, or the store. */

static void
go_on(quota_list_t *ql)
{
    if (link_empty(&ql->waits)) {
        timer_stop(&ql->timer);

    } else if (ql->spent < ql->n) {
        again(ql, due(ql) - clock_now());

    } else if (!timer_is_set(&ql->timer)) {
        ask(ql);
    }
}


static void
serve(void *data)
{
    quota_list_t  *ql = data;

    while (!link_empty(&ql->waits) && spend(ql)) {
        answer(link_of(ql->waits.next, quota_wait_t, link), QUOTA_GO);
    }

    go_on(ql);
}


/* --- replies to list_grant ----------------------------------------------- */

/* Other daemons counted refusals: this one continues their back-off. */

static void
refused_before(quota_list_t *ql, const rbl_list_grant_reply_t *said)
{
    if (said->refused > 0) {
        ql->times = said->refused;
    }
}


static void
granted(quota_list_t *ql, const rbl_list_grant_reply_t *said)
{
    double  now;

    now = clock_now();
    ql->n = said->n;
    ql->spent = 0;
    ql->from = now + seconds(said->wait);
    ql->till = ql->sent + seconds(said->wait) + seconds(said->life);
    ql->left = said->left;
    ql->said = 0;
    refused_before(ql, said);

    if (ql->till <= now) {
        ql->n = 0;
    }
}


static void
used_up(quota_list_t *ql)
{
    ql->left = 0;

    if (!ql->said) {
        log_notice("list %s: the quota of %lld queries a day (UTC) is used up",
                   ql->list->zone, (long long) ql->list->day_quota);
        ql->said = 1;
    }
}


/* Callers with more patience than that wait, and the store is called again. */

static void
not_before(quota_list_t *ql, double wait)
{
    give_up(ql, QUOTA_USED_UP, clock_now() + wait);
    again(ql, wait < AGAIN_MOST ? wait : AGAIN_MOST);
}


static void
blocked(quota_list_t *ql, double wait, int64_t times)
{
    ql->times = times;
    refuse(ql, QUOTA_BLOCKED, wait);
    give_up(ql, QUOTA_BLOCKED, ql->latest);
}


/* A reply may be late: a grant begins at the reply, and its end is counted from
   the call. */

static void
on_grant(void *data, const redisReply *reply)
{
    double                  wait;
    quota_list_t           *ql = data;
    rbl_list_grant_reply_t  said;

    ql->asking = 0;
    rbl_list_grant_reply(&said, reply);
    wait = seconds(said.wait);

    switch (said.word) {

    case RBL_LIST_GRANT_OK:
        granted(ql, &said);
        break;

    case RBL_LIST_GRANT_BLOCKED:
        blocked(ql, wait, said.refused);
        break;

    case RBL_LIST_GRANT_USED:
        used_up(ql);
        refuse(ql, QUOTA_USED_UP, wait < AGAIN_MOST ? wait : AGAIN_MOST);
        not_before(ql, wait);
        break;

    case RBL_LIST_GRANT_LATE:
        not_before(ql, wait);
        break;

    default:
        if (store_away(ql->quota->store,
                       store_partition(ql->quota->store, ql->sid))
            > STORE_AWAY_LONG)
        {
            give_up(ql, QUOTA_USED_UP, ql->latest);
        }

        again(ql, STORE_AGAIN);
    }

    serve(ql);
}


static void
on_looked(void *data, const redisReply *reply)
{
    quota_list_t           *ql = data;
    rbl_list_grant_reply_t  said;

    ql->looking = 0;
    rbl_list_grant_reply(&said, reply);

    if (ql->reporting || said.word == RBL_LIST_GRANT_NO_REPLY) {
        return;
    }

    if (said.word == RBL_LIST_GRANT_BLOCKED) {
        blocked(ql, seconds(said.wait), said.refused);
        return;
    }

    if (ql->refused == QUOTA_BLOCKED && !ql->unreported) {
        ql->refused = QUOTA_GO;
    }

    if (said.word == RBL_LIST_GRANT_OK) {
        ql->left = said.left;
        refused_before(ql, &said);

    } else if (said.word == RBL_LIST_GRANT_USED) {
        ql->left = 0;
    }
}


static void
look(quota_list_t *ql)
{
    if (ql->looking || ql->reporting) {
        return;
    }

    ql->looking = 1;
    grant(ql, on_looked, 0, 0);
}


/* --- list_told ----------------------------------------------------------- */

static void
report(quota_list_t *ql, int refused)
{
    char                  number[RBL_OUT_INT];
    rbl_key_t             key;
    rbl_list_told_args_t  args;

    if (ql->reporting) {
        return;
    }

    ql->reporting = 1;
    ql->reported = refused != 0;
    args.list = store_list_key(ql->quota->store, &key, ql->sid);
    args.refused = rbl_out_int_text(number, refused);

    store_call(ql->quota->store, list_told, on_report, ql, args);
}


static void
on_report(void *data, const redisReply *reply)
{
    quota_list_t          *ql = data;
    rbl_list_told_reply_t  said;

    ql->reporting = 0;
    rbl_list_told_reply(&said, reply);

    if (said.word != RBL_LIST_TOLD_OK) {
        give_up(ql, QUOTA_BLOCKED, ql->latest);
        return;
    }

    if (ql->reported) {
        ql->unreported = 0;

    } else if (ql->unreported) {        /* it has refused meanwhile */
        if (unreported(ql)) {
            report(ql, 1);
        }

        return;
    }

    if (said.wait > 0) {
        blocked(ql, seconds(said.wait), said.refused);

    } else if (ql->refused == QUOTA_BLOCKED || ql->times > 0) {
        ql->times = 0;
        ql->refused = QUOTA_GO;
        log_notice("list %s responds again", ql->list->zone);
    }

    if (said.begins > 0) {
        log_notice("list %s refuses queries: it gets none for %lld s",
                   ql->list->zone, (long long) (said.wait / 1000));
    }
}


/* Only responses to queries after the refusal count. */

static void
on_probe(void *data, const health_verdict_t *verdict)
{
    quota_list_t  *ql = data;

    ql->probe = NULL;

    if (verdict->state == HEALTH_GOOD && !verdict->unasked
        && verdict->passed >= ql->probed
        && ql->refused == QUOTA_BLOCKED)
    {
        ql->unreported = 0;
        report(ql, 0);
    }
}


/*
 * While a check needs a list in back-off, its test points show when the
 * back-off may end.  They are queried at most once an interval, and through one
 * resolver after the other, since a resolver may refuse where the list does
 * not.
 */

static void
probe(quota_list_t *ql)
{
    double        now;
    quota_t      *quota = ql->quota;
    rbl_family_t  family;

    now = clock_now();

    if (ql->probe != NULL || !refuses(ql) || ql->refused != QUOTA_BLOCKED
        || now < ql->probed + quota->probe_every)
    {
        return;
    }

    family = ql->list->families & RBL_FAMILY_IPV4 ? RBL_FAMILY_IPV4
             : ql->list->families & RBL_FAMILY_IPV6 ? RBL_FAMILY_IPV6
             : RBL_FAMILY_DOMAIN;
    ql->probed = now;
    ql->probed_by = health_server_next(quota->health, ql->list, ql->probed_by);
    ql->probe = health_ask(quota->health, ql->list, family, ql->probed_by,
                           HEALTH_BOTH, on_probe, ql);
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
    link_init(&ql->over);
    timer_init(&ql->timer, quota->loop, serve, ql);
    sidmap_add(&quota->lists, ql->sid, ql);

    return ql;
}


static quota_list_t *
find_list(quota_t *quota, const list_t *list)
{
    quota_list_t  *ql;

    ql = sidmap_find(&quota->lists, rbl_str(list->sid));

    if (ql == NULL) {
        ql = make_list(quota, list);
    }

    if (ql->list != list) {
        list_unref(ql->list);
        ql->list = list_ref((list_t *) list);
    }

    return ql;
}


/* Finds out for lists in use whether other daemons still avoid them. */

static void
on_time(void *data)
{
    size_t         at;
    quota_t       *quota = data;
    quota_list_t  *ql;

    for (at = 0; (ql = sidmap_next(&quota->lists, &at)) != NULL; ) {
        if (unreported(ql)) {
            report(ql, 1);

        } else if (ql->used) {
            look(ql);
            probe(ql);
        }

        ql->used = 0;
    }
}


/* --- for others ---------------------------------------------------------- */

quota_t *
quota_new(struct ev_loop *loop, store_t *store, health_t *health)
{
    quota_t  *quota;

    quota = xcalloc(1, sizeof(quota_t));
    quota->loop = loop;
    quota->store = store;
    quota->health = health;
    quota->probe_every = PROBE_EVERY;

    timer_init(&quota->look, loop, on_time, quota);
    timer_every(&quota->look, LOOK_EVERY, LOOK_EVERY);

    return quota;
}


static void
drop_all(link_t *waits)
{
    while (!link_empty(waits)) {
        leave(link_of(waits->next, quota_wait_t, link));
    }
}


void
quota_free(quota_t *quota)
{
    size_t         at;
    quota_list_t  *ql;

    if (quota == NULL) {
        return;
    }

    for (at = 0; (ql = sidmap_next(&quota->lists, &at)) != NULL; ) {
        drop_all(&ql->waits);
        drop_all(&ql->over);
        store_forget(quota->store, ql);
        timer_stop(&ql->timer);
        health_drop(ql->probe);
        list_unref(ql->list);
        free(ql);
    }

    timer_stop(&quota->look);
    sidmap_free(&quota->lists);
    free(quota);
}


void
quota_probe_after(quota_t *quota, double seconds)
{
    quota->probe_every = seconds;

    if (seconds < LOOK_EVERY) {
        timer_every(&quota->look, seconds, seconds);
    }
}


static int
limited(const list_t *list)
{
    return list->rate > 0 || list->day_quota > 0;
}


quota_answer_t
quota_take(quota_t *quota, const list_t *list, double patience,
    quota_done_pt done, void *data, quota_wait_t **wait)
{
    quota_list_t  *ql;

    *wait = NULL;

    if (list->custom) {
        return QUOTA_GO;
    }

    ql = find_list(quota, list);
    ql->used = 1;

    if (refuses(ql)) {
        return ql->refused;
    }

    if (!limited(list) || (link_empty(&ql->waits) && spend(ql))) {
        return QUOTA_GO;
    }

    *wait = join(ql, patience, done, data);
    go_on(ql);

    return QUOTA_WAIT;
}


void
quota_forget(quota_wait_t *wait)
{
    if (wait != NULL) {
        leave(wait);
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
        report(ql, 0);
    }
}


static void
on_refusal(quota_list_t *ql, quota_response_t response, unsigned resolver)
{
    if (refuses(ql) && ql->refused == QUOTA_BLOCKED
        && !(ql->unsure && response == QUOTA_RESPONSE_BLOCKED))
    {
        return;
    }

    refuse(ql, QUOTA_BLOCKED, REFUSE_FOR);
    ql->since = clock_now();
    ql->resolver = resolver;
    ql->unreported = 1;
    ql->unsure = response == QUOTA_RESPONSE_REFUSED;

    if (unreported(ql)) {
        report(ql, 1);
    }
}


void
quota_response(quota_t *quota, const list_t *list, quota_response_t response,
    unsigned resolver)
{
    quota_list_t  *ql;

    ql = list->custom ? NULL
         : response != QUOTA_RESPONSE_ANSWER ? find_list(quota, list)
         : sidmap_find(&quota->lists, rbl_str(list->sid));

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

    ql = sidmap_find(&quota->lists, rbl_str(list->sid));

    return ql != NULL && ql->left >= 0 ? ql->left : list->day_quota;
}
