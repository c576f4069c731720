/*
 * News in direct mode, the second round trip to a list: side by side each of
 * its servers is asked for the name again, for its test points, and for a
 * listing a sample.  Servers that are known to fail are left out.  Several
 * items at one list share the test points and the sample (health_ask).
 */

#include "check_int.h"
#include "../log.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    confirm_t        *confirm;
    uint32_t          server;
    dns_question_t   *question;         /* NULL: none is under way */
    health_q_t       *health;           /* NULL: likewise */
    part_t            part;             /* what it says */
    gate_vote_t       vote;
} asked_t;

struct confirm_s {
    item_t    *item;
    double     after;
    unsigned   n, open;
    asked_t    asked[DNS_MAX_SERVERS];
};


static const char *
says(const gate_vote_t *vote)
{
    return vote->raw == RBL_LISTED ? "lists it" : "does not list it";
}


/* The log names the servers that disagree, and not the queried name, which may
   hold a key. */

static void
tell_disagreement(const confirm_t *c)
{
    char               text[DNS_SERVER_TEXT];
    unsigned           i;
    const asked_t     *q;
    const item_t      *item = c->item;
    const list_t      *list = item->result.list;

    if (!health_disagree(item->check->env->health, list, item->check->family,
                         c->asked[0].server))
    {
        return;
    }

    for (i = 0; i < c->n; i++) {
        q = &c->asked[i];

        if (q->vote.raw == RBL_UNKNOWN) {
            continue;
        }

        dns_server_text(item->check->env->dns, q->server, text);

        if (q->vote.has_serial) {
            log_notice("list %s, %s: servers disagree about a host: server %s,"
                       " serial %u, %s", list->zone,
                       list_family_name(item->check->family), text,
                       (unsigned) q->vote.serial, says(&q->vote));

        } else {
            log_notice("list %s, %s: servers disagree about a host: server %s,"
                       " serial unknown, %s", list->zone,
                       list_family_name(item->check->family), text,
                       says(&q->vote));
        }
    }
}


/* What has won is what the list says, with its codes. */

static void
take_part(item_t *item, const confirm_t *c, rbl_verdict_t verdict)
{
    unsigned       i;
    part_t        *p = &item->part[item->gate];
    const part_t  *from;

    for (i = 0; i < c->n; i++) {
        from = &c->asked[i].part;

        if (p->raw != verdict && c->asked[i].vote.raw == verdict) {
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
decide(confirm_t *c)
{
    gate_t          g;
    item_t         *item = c->item;
    unsigned        i;
    gate_vote_t     votes[DNS_MAX_SERVERS];
    gate_answer_t   a;

    for (i = 0; i < c->n; i++) {
        if (!c->asked[i].vote.has_serial) {
            c->asked[i].vote.has_serial = c->asked[i].vote.health.has_serial;
            c->asked[i].vote.serial = c->asked[i].vote.health.serial;
        }

        votes[i] = c->asked[i].vote;
    }

    item_gate_answer(&a, item);
    g = gate_votes(&a, votes, c->n, c->after);

    if (g.error == RBL_ERR_DISAGREE) {
        tell_disagreement(c);
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


static void
on_name(void *data, const dns_answer_t *answer)
{
    asked_t  *q = data;

    q->question = NULL;
    q->part.item = q->confirm->item;
    q->part.ttl = answer->ttl;
    q->part.soa = answer->soa;
    item_judge(&q->part, answer);
    q->vote.raw = q->part.raw;
    q->vote.has_serial = answer->has_serial;
    q->vote.serial = answer->serial;
    answered(q->confirm);
}


static void
on_health(void *data, const health_verdict_t *verdict)
{
    asked_t  *q = data;

    q->health = NULL;
    q->vote.health = *verdict;
    answered(q->confirm);
}


/* A server that is known to fail need not be heard. */

static void
ask(asked_t *q, const char *name, health_need_t need)
{
    item_t       *item = q->confirm->item;
    check_t      *check = item->check;
    list_t       *list = (list_t *) item->result.list;
    dns_payer_t   payer;

    q->vote.raw = RBL_UNKNOWN;

    if (health_look(check->env->health, list, check->family, q->server,
                    &q->vote.health)
        && health_bad(q->vote.health.state))
    {
        return;
    }

    payer = list_payer(list, 0);
    q->vote.health.state = HEALTH_UNTRIED;
    q->question = dns_ask_at(check->env->dns, q->server, name, DNS_TYPE_A,
                             &payer, on_name, q);
    q->health = health_ask(check->env->health, list, check->family, q->server,
                           need, on_health, q);
    q->confirm->open += (q->question != NULL) + (q->health != NULL);
}


int
item_confirm(item_t *item, const char *name, health_need_t need)
{
    uint32_t      id[DNS_MAX_SERVERS];
    unsigned      i;
    confirm_t    *c;
    dns_payer_t   payer;

    c = calloc(1, sizeof(confirm_t));
    if (c == NULL) {
        return -1;
    }

    payer = list_payer(item->result.list, 0);
    c->item = item;
    c->after = dns_clock();
    c->n = dns_servers(item->check->env->dns, &payer, id);
    item->confirm = c;

    for (i = 0; i < c->n; i++) {
        c->asked[i].confirm = c;
        c->asked[i].server = id[i];
        ask(&c->asked[i], name, need);
    }

    if (c->open == 0) {
        decide(c);
    }

    return 0;
}


void
item_confirm_stop(item_t *item)
{
    unsigned    i;
    confirm_t  *c = item->confirm;

    if (c == NULL) {
        return;
    }

    for (i = 0; i < c->n; i++) {
        if (c->asked[i].question != NULL) {
            dns_cancel(c->asked[i].question);
        }

        health_drop(c->asked[i].health);
    }

    free(c);
    item->confirm = NULL;
}
