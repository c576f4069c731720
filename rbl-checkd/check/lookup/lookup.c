/*
 * A caller's request (lookup_q_t) hangs on the query for its name and type
 * (ask_t), which all such callers share; or, if its answer is known already
 * (cached, or refused), in the list `due`, which a timer serves.  A query lives
 * as long as a caller waits for it: first for the quota, then for the engine.
 */

#include "base/link.h"
#include "base/timer.h"
#include "base/xalloc.h"
#include "cache.h"
#include "lookup.h"
#include "rbl_hash.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define LOOKUP_SLOTS  8192              /* power of two */

/* A response that comes this little too early counts as in time. */
#define ASK_SLACK     0.05

typedef struct ask_s  ask_t;

struct lookup_q_s {
    link_t            link;             /* in ask->waiting, or in due */
    lookup_t         *lookup;
    ask_t            *ask;              /* NULL: due, or being called back */
    lookup_done_pt    done;
    void             *data;
    double            until;            /* its patience */
    rbl_lookup_err_t  error;            /* due only */
    cache_kept_t     *kept;             /* due only; NULL: refused */
};

struct ask_s {
    ask_t           *next;              /* in its slot */
    lookup_t        *lookup;
    list_t          *list;
    dns_query_t     *query;             /* NULL: it waits for the quota */
    quota_wait_t    *wait;              /* NULL: it does not */
    link_t           waiting;           /* never empty between two events */
    double           until;             /* how long it waits for the quota */
    uint16_t         type;
    char             name[];
};

struct lookup_s {
    dns_engine_t       *dns;
    quota_t            *quota;
    counters_t         *list_counters;
    cache_t            *cache;          /* NULL: none */
    loop_timer_t        timer;
    link_t              due;
    uint64_t            seed;
    lookup_counters_t   counters;
    dns_answer_t        scratch;
    ask_t              *slot[LOOKUP_SLOTS];
};


/* --- call backs ---------------------------------------------------------- */

/* Calls back and frees it. */
static void
lookup_reply(lookup_q_t *q, const lookup_answer_t *reply)
{
    void            *data;
    lookup_done_pt   done;

    done = q->done;
    data = q->data;
    free(q->kept);
    free(q);
    done(data, reply);
}


/* Calls back soon; it is in no list. */
static void
lookup_due(lookup_q_t *q, rbl_lookup_err_t error)
{
    lookup_t  *lookup;

    lookup = q->lookup;
    q->ask = NULL;
    q->error = error;
    link_add(&lookup->due, &q->link);
    timer_arm(&lookup->timer, 0);
}


static void
lookup_reply_due(lookup_q_t *q)
{
    lookup_t        *lookup;
    lookup_answer_t  reply;

    lookup = q->lookup;
    memset(&reply, 0, sizeof(reply));
    reply.error = q->error;
    reply.at = clock_now();

    if (q->kept != NULL) {
        cache_unpack(&lookup->scratch, q->kept, reply.at);
        reply.at = q->kept->at;
        reply.answer = &lookup->scratch;
        reply.kept = 1;
    }

    lookup_reply(q, &reply);
}


/* Only those that are due now: requests of their call backs are due the next
   time. */
static void
lookup_timer(void *data)
{
    lookup_t  *lookup;
    link_t     now;

    lookup = data;
    link_init(&now);
    link_move(&now, &lookup->due);

    while (!link_empty(&now)) {
        lookup_reply_due((lookup_q_t *) link_shift(&now));
    }
}


/* --- shared queries ------------------------------------------------------ */

/*
 * The query for that name by that account (0: system lists): NULL, where it
 * would be chained.  Accounts share no queries for own lists.
 */
static ask_t **
ask_place(lookup_t *lookup, const char *name, uint16_t type, uint64_t account)
{
    ask_t     **at;
    uint64_t    hash;

    hash = rbl_hash(rbl_str(name), lookup->seed + type) ^ account;
    at = &lookup->slot[hash % LOOKUP_SLOTS];

    while (*at != NULL
           && ((*at)->type != type || (*at)->list->account != account
               || strcmp((*at)->name, name) != 0))
    {
        at = &(*at)->next;
    }

    return at;
}


static void
ask_free(ask_t *ask)
{
    ask_t  **at;

    at = ask_place(ask->lookup, ask->name, ask->type, ask->list->account);
    *at = ask->next;
    list_unref(ask->list);
    free(ask);
}


/* Ends a shared query; moves its waiting callers to a list. */
static void
ask_end(ask_t *ask, link_t *waiting)
{
    link_t  *link;

    link_init(waiting);
    link_move(waiting, &ask->waiting);

    for (link = waiting->next; link != waiting; link = link->next) {
        ((lookup_q_t *) link)->ask = NULL;
    }

    ask_free(ask);
}


/* Reports the response of the list to the quota. */
static void
ask_quota(ask_t *ask, const dns_answer_t *answer, int blocked)
{
    if (ask->lookup->quota != NULL) {
        quota_response(ask->lookup->quota, ask->list,
                       !blocked ? QUOTA_RESPONSE_ANSWER
                       : answer->status == DNS_REFUSED ? QUOTA_RESPONSE_REFUSED
                       : QUOTA_RESPONSE_BLOCKED, answer->server);
    }
}


/* 1: the response is worth caching. */
static int
ask_judge(ask_t *ask, const dns_answer_t *answer)
{
    char              text[8];
    rbl_verdict_t     verdict;
    rbl_lookup_err_t  error;

    error = RBL_ERR_NONE;
    verdict = RBL_CLEAR;

    switch (answer->status) {

    case DNS_NOERROR:
        if (ask->type == DNS_TYPE_A) {
            verdict = rbl_codes_verdict(ask->list->codes, answer->a,
                                        answer->n_a, &error, text,
                                        sizeof(text));
        }

        break;

    case DNS_NXDOMAIN:
        break;

    case DNS_REFUSED:
        error = RBL_ERR_BLOCKED;
        verdict = RBL_UNKNOWN;
        break;

    default:
        counters_answer(ask->lookup->list_counters, ask->list, answer, 0);
        return 0;
    }

    counters_answer(ask->lookup->list_counters, ask->list, answer,
                    error == RBL_ERR_BLOCKED);

    /* A hijacked response does not come from the list. */

    if (verdict != RBL_UNKNOWN || error == RBL_ERR_BLOCKED) {
        ask_quota(ask, answer, error == RBL_ERR_BLOCKED);
    }

    return verdict != RBL_UNKNOWN;
}


static void
on_answer(void *data, const dns_answer_t *answer)
{
    ask_t           *ask;
    lookup_t        *lookup;
    link_t           waiting;
    lookup_answer_t  reply;

    ask = data;
    lookup = ask->lookup;
    memset(&reply, 0, sizeof(reply));
    reply.answer = answer;
    reply.at = clock_now();

    if (ask_judge(ask, answer) && lookup->cache != NULL) {
        cache_put(lookup->cache, ask->name, ask->type, answer, reply.at);
    }

    ask_end(ask, &waiting);

    /* They may make and cancel lookups, also those that still wait here. */

    while (!link_empty(&waiting)) {
        lookup_reply((lookup_q_t *) link_shift(&waiting), &reply);
    }
}


/* 0, or -1: see dns_ask. */
static int
ask_send(ask_t *ask)
{
    dns_payer_t  payer;

    payer = list_payer(ask->list, 0);
    ask->query = dns_ask(ask->lookup->dns, ask->name, ask->type, &payer,
                            on_answer, ask);

    if (ask->query == NULL) {
        return -1;
    }

    ask->lookup->counters.asked++;
    return 0;
}


static void on_quota(void *data, quota_answer_t answer);


/* Takes from the quota, with the patience of the most patient caller. */
static quota_answer_t
ask_take(ask_t *ask)
{
    double       now;
    link_t      *link;
    lookup_q_t  *q;

    if (ask->lookup->quota == NULL) {
        return QUOTA_GO;
    }

    now = clock_now();
    ask->until = now;

    for (link = ask->waiting.next; link != &ask->waiting; link = link->next) {
        q = (lookup_q_t *) link;
        ask->until = q->until > ask->until ? q->until : ask->until;
    }

    return quota_take(ask->lookup->quota, ask->list, ask->until - now,
                      on_quota, ask, &ask->wait);
}


/* Sends no query; the callers that wait get the error. */
static void
ask_refused(ask_t *ask, rbl_lookup_err_t error)
{
    lookup_t  *lookup;
    link_t     waiting;

    lookup = ask->lookup;
    ask_end(ask, &waiting);

    while (!link_empty(&waiting)) {
        lookup->counters.refused++;
        lookup_due((lookup_q_t *) link_shift(&waiting), error);
    }
}


/* Continues with the decision of the quota.  -1: see dns_ask. */
static int
ask_granted(ask_t *ask, quota_answer_t answer)
{
    switch (answer) {

    case QUOTA_GO:
        return ask_send(ask);

    case QUOTA_WAIT:
        return 0;

    case QUOTA_BLOCKED:
        ask_refused(ask, RBL_ERR_BLOCKED);
        return 0;

    default:
        ask_refused(ask, RBL_ERR_QUOTA);
        return 0;
    }
}


/* Ends the callers whose patience is over; the others continue to wait. */
static void
ask_thin(ask_t *ask, double now)
{
    link_t      *link, *next;
    lookup_q_t  *q;

    for (link = ask->waiting.next; link != &ask->waiting; link = next) {
        next = link->next;
        q = (lookup_q_t *) link;

        if (q->until <= now + ASK_SLACK) {
            link_remove(link);
            ask->lookup->counters.refused++;
            lookup_due(q, RBL_ERR_QUOTA);
        }
    }
}


/*
 * A query may be too late for the first caller, but in time for one that joined
 * later.  A quota that is used up before that is used up for all of them.
 */
static void
on_quota(void *data, quota_answer_t answer)
{
    double   now;
    ask_t   *ask;

    ask = data;
    ask->wait = NULL;
    now = clock_now();

    if (answer == QUOTA_USED_UP && now >= ask->until - ASK_SLACK) {
        ask_thin(ask, now);

        if (link_empty(&ask->waiting)) {
            ask_free(ask);
            return;
        }

        answer = ask_take(ask);
    }

    if (ask_granted(ask, answer) != 0) {
        ask_refused(ask, RBL_ERR_NETWORK);
    }
}


/*
 * Begins an asking for the first that waits for it.  0, or -1: dns_ask refuses
 * the query, and q is untouched.
 */
static int
ask_begin(ask_t **at, lookup_q_t *q, const list_t *list, const char *name,
    uint16_t type)
{
    size_t   n = strlen(name) + 1;
    ask_t   *ask;

    ask = xcalloc(1, sizeof(ask_t) + n);
    ask->lookup = q->lookup;
    ask->list = list_ref((list_t *) list);
    ask->type = type;
    memcpy(ask->name, name, n);
    link_init(&ask->waiting);
    *at = ask;
    q->ask = ask;
    link_add(&ask->waiting, &q->link);

    if (ask_granted(ask, ask_take(ask)) != 0) {
        link_remove(&q->link);
        ask_free(ask);
        return -1;
    }

    return 0;
}


/* To be called when no caller waits for it. */
static void
ask_drop(ask_t *ask)
{
    dns_cancel(ask->query);
    quota_forget(ask->wait);
    ask_free(ask);
}


/* --- the interface ------------------------------------------------------- */

lookup_t *
lookup_new(struct ev_loop *loop, dns_engine_t *dns, quota_t *quota,
    size_t octets)
{
    lookup_t  *lookup;

    lookup = xcalloc(1, sizeof(lookup_t));
    lookup->dns = dns;
    lookup->quota = quota;
    link_init(&lookup->due);
    timer_init(&lookup->timer, loop, lookup_timer, lookup);

    if (octets != 0) {
        lookup->cache = cache_new(octets);
    }

    if ((octets != 0 && lookup->cache == NULL)
        || getrandom(&lookup->seed, sizeof(lookup->seed), 0)
           != (ssize_t) sizeof(lookup->seed))
    {
        lookup_free(lookup);
        return NULL;
    }

    return lookup;
}


static void
lookup_drop_all(link_t *list)
{
    lookup_q_t  *q;

    while (!link_empty(list)) {
        q = (lookup_q_t *) link_shift(list);
        free(q->kept);
        free(q);
    }
}


void
lookup_free(lookup_t *lookup)
{
    unsigned   i;

    if (lookup == NULL) {
        return;
    }

    for (i = 0; i < LOOKUP_SLOTS; i++) {
        while (lookup->slot[i] != NULL) {
            lookup_drop_all(&lookup->slot[i]->waiting);
            ask_drop(lookup->slot[i]);
        }
    }

    lookup_drop_all(&lookup->due);
    timer_stop(&lookup->timer);
    cache_free(lookup->cache);
    free(lookup);
}


/* 1: the response is known, and the call back is due. */
static int
lookup_kept(lookup_q_t *q, const char *name, uint16_t type)
{
    size_t               n;
    lookup_t            *lookup;
    const cache_kept_t  *kept;

    lookup = q->lookup;

    if (lookup->cache == NULL) {
        return 0;
    }

    kept = cache_find(lookup->cache, name, type, clock_now());

    if (kept == NULL) {
        return 0;
    }

    n = cache_kept_size(kept);
    q->kept = xmalloc(n);
    memcpy(q->kept, kept, n);
    lookup->counters.hits++;
    lookup_due(q, RBL_ERR_NONE);

    return 1;
}


lookup_q_t *
lookup_ask(lookup_t *lookup, const list_t *list, const char *name,
    uint16_t type, double patience, int fresh, lookup_done_pt done, void *data)
{
    ask_t      **at;
    lookup_q_t  *q;

    if (!dns_name_ok(name)) {
        return NULL;
    }

    q = xcalloc(1, sizeof(lookup_q_t));
    q->lookup = lookup;
    q->done = done;
    q->data = data;
    q->until = clock_now() + patience;

    if (!fresh && lookup_kept(q, name, type)) {
        return q;
    }

    at = ask_place(lookup, name, type, list->account);

    if (*at != NULL) {
        q->ask = *at;
        link_add(&(*at)->waiting, &q->link);
        lookup->counters.joined++;

    } else if (ask_begin(at, q, list, name, type) != 0) {
        free(q);
        return NULL;
    }

    return q;
}


void
lookup_cancel(lookup_q_t *q)
{
    ask_t  *ask;

    if (q == NULL) {
        return;
    }

    ask = q->ask;
    link_remove(&q->link);
    free(q->kept);
    free(q);

    if (ask != NULL && link_empty(&ask->waiting)) {
        ask_drop(ask);
    }
}


int
lookup_sent(const lookup_q_t *q)
{
    return q->ask == NULL
           || (q->ask->query != NULL && dns_sent(q->ask->query));
}


void
lookup_list_counters(lookup_t *lookup, counters_t *list_counters)
{
    lookup->list_counters = list_counters;
}


const lookup_counters_t *
lookup_counters(lookup_t *lookup)
{
    if (lookup->cache != NULL) {
        lookup->counters.entries = cache_entries(lookup->cache);
        lookup->counters.octets = cache_octets(lookup->cache);
    }

    return &lookup->counters;
}
