/*
 * Shared queries: from the first caller to the response for all callers.
 */

#include "base/xalloc.h"
#include "lookup_int.h"
#include "rbl_hash.h"

#include <stdlib.h>
#include <string.h>

/* A response that comes this little too early counts as in time. */
#define ASK_SLACK  0.05


ask_t **
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


/* Calls back a list of callers, which may make and cancel lookups meanwhile:
   lookups still in the list may be cancelled. */
static void
ask_reply(link_t *list, const lookup_answer_t *reply)
{
    while (!link_empty(list)) {
        lookup_reply((lookup_q_t *) link_shift(list), reply);
    }
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
    ask_reply(&waiting, &reply);
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
                      on_quota, ask);
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


static ask_t *
ask_new(lookup_t *lookup, const list_t *list, const char *name, uint16_t type)
{
    ask_t   *ask;
    size_t   n;

    n = strlen(name) + 1;
    ask = xcalloc(1, sizeof(ask_t) + n);
    ask->lookup = lookup;
    ask->list = list_ref((list_t *) list);
    ask->type = type;
    memcpy(ask->name, name, n);
    link_init(&ask->waiting);

    return ask;
}


int
ask_begin(ask_t **at, lookup_q_t *q, const list_t *list, const char *name,
    uint16_t type)
{
    ask_t  *ask;

    ask = ask_new(q->lookup, list, name, type);
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


void
ask_drop(ask_t *ask)
{
    if (ask->query != NULL) {
        dns_cancel(ask->query);

    } else {
        quota_forget(ask->lookup->quota, ask);
    }

    ask_free(ask);
}
