/*
 * What becomes of an answer: the gate (health), what others have found
 * (trust), the guard.  Each ends in a verdict, or goes on to the next.
 */

#include "check_int.h"

static void go_on(item_t *item, const gate_t *g);


static void
settle_gate(item_t *item, const gate_t *g)
{
    item->result.recheck = g->recheck;
    item_settle(item, g->verdict, g->error);
}


static void
settle_frozen(item_t *item)
{
    item->result.recheck = GATE_FROZEN;
    item_settle(item, RBL_UNKNOWN, RBL_ERR_FROZEN);
}


/* The store or the guard has not answered: that or a sample takes too long. */

static void
settle_unsure(item_t *item)
{
    item->result.recheck = GATE_RECHECK;
    item_settle(item, RBL_UNKNOWN, RBL_ERR_UNCONFIRMED);
}


/* --- guard and gate ----------------------------------------------------- */

static void
on_guard(void *data, int go)
{
    item_t  *item = data;

    item->guarded = 0;

    if (go) {
        item_announce(item);
        return;
    }

    settle_frozen(item);
    check_item_done(item);
}


static void
at_guard(item_t *item)
{
    check_t  *check = item->check;

    if (check->env->guard == NULL) {
        item_announce(item);
        return;
    }

    item->guarded = 1;

    if (guard_ask(check->env->guard, item->result.list, check->family,
                  item->part[item->gate].resolver, on_guard, item)
        != 0)
    {
        on_guard(item, 0);
    }
}


static void
answer_at_gate(gate_answer_t *a, const item_t *item)
{
    const part_t  *p = &item->part[item->gate];

    a->raw = p->raw;
    a->stands = item->stands && (p->raw == RBL_CLEAR || item->same_zone);
    a->cleared = item->cleared;
    a->at = p->at;
    a->told = p->told;
    a->ttl = p->ttl;
    a->soa = p->soa;
    a->addresses = p->n_a != 0;
}


/* All that were at the gate have passed. */

static void
passed(item_t *item)
{
    check_t  *check = item->check;

    if (!item->stands && check->env->guard != NULL) {
        guard_count(check->env->guard, item->result.list);
    }

    item_settle(item, RBL_CLEAR, RBL_ERR_NONE);
    check_item_done(item);
}


static void
on_trust(void *data, const trust_told_t *told)
{
    gate_t          g;
    item_t         *item = data;
    gate_answer_t   a;

    item->trusting = 0;
    answer_at_gate(&a, item);
    g = gate_trust(&a, told);
    go_on(item, &g);
}


static void
at_trust(item_t *item)
{
    check_t       *check = item->check;
    trust_told_t   nothing = { 0, 0, 0 };

    if (check->env->trust == NULL) {
        on_trust(item, &nothing);
        return;
    }

    item->trusting = 1;

    if (trust_ask(check->env->trust, item->result.list, check->family,
                  item->part[item->gate].resolver, item->good, on_trust,
                  item)
        != 0)
    {
        item->trusting = 0;
        settle_unsure(item);
        check_item_done(item);
    }
}


static void
go_on(item_t *item, const gate_t *g)
{
    if (g->verdict != item->part[item->gate].raw) {
        settle_gate(item, g);
        check_item_done(item);

    } else if (g->trust) {
        at_trust(item);

    } else if (g->guard) {
        at_guard(item);

    } else if (g->verdict == RBL_LISTED) {
        item_announce(item);

    } else {
        item->gate++;
        item_at_gate(item);
    }
}


static void
on_health(void *data, const health_verdict_t *verdict)
{
    gate_t          g;
    item_t         *item = data;
    gate_answer_t   a;

    item->health = NULL;
    item->good = verdict->negative;
    item->result.health = verdict->state;
    answer_at_gate(&a, item);
    g = gate_judge(&a, verdict);

    if (verdict->state == HEALTH_LYING && a.raw == RBL_LISTED) {
        health_note_listing(item->check->env->health, item->result.list,
                            item->check->family,
                            item->part[item->gate].resolver, a.ttl);
    }

    go_on(item, &g);
}


static void
believe(health_verdict_t *v, const item_t *item)
{
    memset(v, 0, sizeof(health_verdict_t));
    v->state = HEALTH_GOOD;
    v->negative = v->positive = item->part[item->gate].told + 1;
}


void
item_at_gate(item_t *item)
{
    part_t            *p;
    check_t           *check = item->check;
    health_t          *health = check->env->health;
    gate_answer_t      a;
    health_need_t      need;
    health_verdict_t   v;

    if (item->gate == item->n) {
        passed(item);
        return;
    }

    p = &item->part[item->gate];
    answer_at_gate(&a, item);
    (void) gate_need(&a, &need);

    if (health == NULL) {
        believe(&v, item);
        on_health(item, &v);
        return;
    }

    if (need == HEALTH_KNOWN
        && health_look(health, item->result.list, check->family, p->resolver,
                       &v))
    {
        on_health(item, &v);
        return;
    }

    item->health = health_ask(health, item->result.list, check->family,
                              p->resolver, need, on_health, item);
    if (item->health == NULL) {
        item_settle(item, RBL_UNKNOWN, RBL_ERR_UNHEALTHY);
        check_item_done(item);
    }
}


/* An own list's query may have waited all the time for its account's turn. */

static rbl_lookup_err_t
late_error(const item_t *item)
{
    unsigned  i;

    for (i = 0; i < item->n; i++) {
        if (item->part[i].question != NULL && item->result.list->custom
            && !lookup_sent(item->part[i].question))
        {
            return RBL_ERR_QUOTA;
        }
    }

    return RBL_ERR_TIMEOUT;
}


void
item_late(item_t *item)
{
    gate_t         g;
    gate_answer_t  a;

    if (item->result.verdict == RBL_LISTED) {
        /* only its TXT has not come */

    } else if (item->trusting || item->guarded) {
        settle_unsure(item);

    } else if (item->health != NULL) {
        answer_at_gate(&a, item);
        g = gate_late(&a);
        settle_gate(item, &g);

    } else {
        item_settle(item, RBL_UNKNOWN, late_error(item));
    }

    item_stop(item);
}
