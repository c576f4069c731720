/*
 * Confirms news in direct mode, the second round trip to a list: each of its
 * servers is queried for its test points, for a listing the sample, and right
 * after these for the name again.  Servers that are known to fail are left out.
 * Several items at one list share the test points and the sample (health_ask).
 *
 * If the queries for test points were sent later than the one for the name (one
 * was lost, or had to wait), the name is queried once more after they pass.
 */

#include "base/log.h"
#include "base/xalloc.h"
#include "check_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEST_POINTS_FIRST  0.003        /* s: more than health gathers */

typedef struct {
    confirm_t        *confirm;
    uint32_t          server;
    int               wanted;           /* it is not known to fail */
    dns_query_t      *query;            /* NULL: none is under way */
    health_q_t       *health;           /* NULL: no request is under way */
    part_t            part;             /* its response */
    gate_vote_t       vote;
} confirm_query_t;

struct confirm_s {
    item_t           *item;
    double            after;
    loop_timer_t      timer;            /* sends the queries for the name */
    char              name[RBL_VALUE_MAX];
    unsigned          n, open;          /* servers, pending responses */
    confirm_query_t   query[DNS_MAX_SERVERS];
};


static const char *
says(const gate_vote_t *vote)
{
    return vote->raw == RBL_LISTED ? "lists it" : "does not list it";
}


/* The log names the servers that disagree, and not the queried name, which may
   hold a key. */

static void
log_disagreement(const confirm_t *c)
{
    char                    text[DNS_SERVER_TEXT], serial[16];
    unsigned                i;
    const confirm_query_t  *q;
    const item_t           *item = c->item;
    const list_t           *list = item->result.list;

    if (!health_disagree(item->check->env->health, list, item->check->family,
                         c->query[0].server))
    {
        return;
    }

    for (i = 0; i < c->n; i++) {
        q = &c->query[i];

        if (q->vote.raw == RBL_UNKNOWN) {
            continue;
        }

        dns_server_text(item->check->env->dns, q->server, text);

        if (q->vote.has_serial) {
            snprintf(serial, sizeof(serial), "%u", (unsigned) q->vote.serial);
        }

        log_notice("list %s, %s: servers disagree about a host: server %s,"
                   " serial %s, %s", list->zone,
                   list_family_name(item->check->family), text,
                   q->vote.has_serial ? serial : "unknown", says(&q->vote));
    }
}


/* Takes the result of the majority, with its codes. */

static void
take_part(item_t *item, const confirm_t *c, rbl_verdict_t verdict)
{
    unsigned       i;
    part_t        *p = &item->part[item->gate];
    const part_t  *from;

    for (i = 0; i < c->n; i++) {
        from = &c->query[i].part;

        if (c->query[i].vote.raw != verdict) {
            continue;
        }

        if (!health_bad(c->query[i].vote.health.state)) {
            item->result.health = c->query[i].vote.health.state;
        }

        if (p->raw != verdict) {
            p->raw = verdict;
            p->error = RBL_ERR_NONE;
            p->ttl = from->ttl;
            p->soa = from->soa;
            p->n_a = from->n_a;
            memcpy(p->a, from->a, sizeof(p->a));
            item_keep_codes(item, p);
        }
    }
}


static void
trace_votes(const confirm_t *c, const gate_answer_t *a)
{
    char                    serial[32];
    unsigned                i;
    const char             *why;
    const item_t           *item = c->item;
    const confirm_query_t  *q;

    for (i = 0; i < c->n; i++) {
        q = &c->query[i];
        why = gate_no_vote(a, &q->vote, c->after);
        serial[0] = '\0';

        if (q->vote.has_serial) {
            snprintf(serial, sizeof(serial), ", serial %u",
                     (unsigned) q->vote.serial);
        }

        if (why != NULL) {
            trace_server(item->check->env->dns, item->result.list,
                         item->check->family, q->server, "has no vote: %s (%s)",
                         why, health_state_names[q->vote.health.state]);

        } else {
            trace_server(item->check->env->dns, item->result.list,
                         item->check->family, q->server, "passes and %s%s",
                         says(&q->vote), serial);
        }
    }
}


static void
decide(confirm_t *c)
{
    gate_t          g;
    item_t         *item = c->item;
    unsigned        i;
    gate_vote_t     votes[DNS_MAX_SERVERS];
    gate_answer_t   a;

    for (i = 0; i < c->n; i++) {
        if (!c->query[i].vote.has_serial) {
            c->query[i].vote.has_serial = c->query[i].vote.health.has_serial;
            c->query[i].vote.serial = c->query[i].vote.health.serial;
        }

        votes[i] = c->query[i].vote;
    }

    item_gate_answer(&a, item);
    trace_votes(c, &a);
    g = gate_votes(&a, votes, c->n, c->after);

    if (g.error == RBL_ERR_DISAGREE) {
        log_disagreement(c);
    }

    if (g.verdict == RBL_LISTED || g.verdict == RBL_CLEAR) {
        take_part(item, c, g.verdict);
    }

    item->confirm = NULL;
    free(c);
    item_go_on(item, &g);
}


static void
answered(confirm_t *c)
{
    if (--c->open == 0) {
        decide(c);
    }
}


static void on_name(void *data, const dns_answer_t *answer);


static void
ask_name(confirm_query_t *q)
{
    item_t       *item = q->confirm->item;
    dns_payer_t   payer;

    payer = list_payer(item->result.list, 0);
    q->vote.raw = RBL_UNKNOWN;
    memset(&q->part, 0, sizeof(part_t));
    q->query = dns_ask_at(item->check->env->dns, q->server, q->confirm->name,
                             DNS_TYPE_A, &payer, on_name, q);
    q->confirm->open += q->query != NULL;
}


/* Both responses have come, perhaps in the wrong order. */

static void
in_order(confirm_query_t *q)
{
    health_state_t  state = q->vote.health.state;
    const item_t   *item = q->confirm->item;

    if (q->query == NULL && q->health == NULL && q->vote.sent != 0
        && q->vote.raw != RBL_UNKNOWN && !gate_in_order(&q->vote)
        && (state == HEALTH_GOOD || state == HEALTH_UNSUPPORTED))
    {
        trace_server(item->check->env->dns, item->result.list,
                     item->check->family, q->server, "test points were sent"
                     " after the query: it is queried for the name again");
        ask_name(q);
    }
}


static void
on_name(void *data, const dns_answer_t *answer)
{
    confirm_query_t  *q = data;

    q->query = NULL;
    q->part.item = q->confirm->item;
    q->part.ttl = answer->ttl;
    q->part.soa = answer->soa;
    item_judge(&q->part, answer);
    q->vote.raw = q->part.raw;
    q->vote.sent = clock_now() - answer->ms / 1000;
    q->vote.has_serial = answer->has_serial;
    q->vote.serial = answer->serial;
    in_order(q);
    answered(q->confirm);
}


static void
on_health(void *data, const health_verdict_t *verdict)
{
    confirm_query_t  *q = data;

    q->health = NULL;
    q->vote.health = *verdict;
    in_order(q);
    answered(q->confirm);
}


static void
on_timer(void *data)
{
    unsigned    i;
    confirm_t  *c = data;

    for (i = 0; i < c->n; i++) {
        if (c->query[i].wanted) {
            ask_name(&c->query[i]);
        }
    }

    answered(c);
}


/* A server that is known to fail needs no response. */

static void
ask_health(confirm_query_t *q, health_need_t need)
{
    item_t    *item = q->confirm->item;
    check_t   *check = item->check;
    list_t    *list = (list_t *) item->result.list;
    health_t  *health = check->env->health;

    q->vote.raw = RBL_UNKNOWN;

    if (health_look(health, list, check->family, q->server, &q->vote.health)
        && health_bad(q->vote.health.state))
    {
        return;
    }

    q->wanted = 1;
    q->vote.health.state = HEALTH_UNTRIED;
    q->health = health_ask(health, list, check->family, q->server, need,
                           on_health, q);
    q->confirm->open += q->health != NULL;
}


void
item_confirm(item_t *item, const char *name, health_need_t need)
{
    uint32_t      id[DNS_MAX_SERVERS];
    unsigned      i;
    confirm_t    *c;
    dns_payer_t   payer;

    payer = list_payer(item->result.list, 0);
    c = xcalloc(1, sizeof(confirm_t));
    c->item = item;
    rbl_copy(c->name, sizeof(c->name), rbl_str(name));
    c->after = clock_now();
    c->n = dns_servers(item->check->env->dns, &payer, id);
    item->confirm = c;

    for (i = 0; i < c->n; i++) {
        c->query[i].confirm = c;
        c->query[i].server = id[i];
        ask_health(&c->query[i], need);
    }

    c->open++;
    timer_init(&c->timer, item->check->env->loop, on_timer, c);
    timer_in(&c->timer, TEST_POINTS_FIRST);
}


void
item_confirm_stop(item_t *item)
{
    unsigned    i;
    confirm_t  *c = item->confirm;

    if (c == NULL) {
        return;
    }

    timer_stop(&c->timer);

    for (i = 0; i < c->n; i++) {
        dns_cancel(c->query[i].query);
        health_drop(c->query[i].health);
    }

    free(c);
    item->confirm = NULL;
}
