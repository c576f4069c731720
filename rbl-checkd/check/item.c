/*
 * One list of a check:
 *
 *     names asked -> what the list says -> the gate (health) -> the guard, for
 *     a listing that is new -> TXT of a listing
 *
 * Where a listing stands, its TXT is asked for together with the address: most
 * stand still, and the check need not wait for the list twice.
 *
 * The item owns what is under way for it: the questions, what it wants to know
 * of the list's health, its place at the guard.  A verdict is final once
 * given: a TXT that does not come changes nothing.
 */

#include "check_int.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

static void at_gate(item_t *item);


/* Only a listing has a reason. */

static void
drop_reason(item_t *item)
{
    if (item->reason != NULL) {
        lookup_cancel(item->reason);
        item->reason = NULL;
    }

    free(item->result.reason);
    item->result.reason = NULL;
}


static void
settle(item_t *item, rbl_verdict_t verdict, rbl_lookup_err_t error)
{
    item->result.verdict = verdict;
    item->result.error = error;
    item->check->verdicts[verdict]++;

    if (verdict != RBL_LISTED) {
        drop_reason(item);
    }
}


static void
settle_gate(item_t *item, const gate_t *g)
{
    item->result.recheck = g->recheck;
    settle(item, g->verdict, g->error);
}


static void
settle_frozen(item_t *item)
{
    item->result.recheck = GATE_FROZEN;
    settle(item, RBL_UNKNOWN, RBL_ERR_FROZEN);
}


/* The guard has not answered: a sample or the store takes too long. */

static void
settle_unguarded(item_t *item)
{
    item->result.recheck = GATE_RECHECK;
    settle(item, RBL_UNKNOWN, RBL_ERR_UNCONFIRMED);
}


/* --- the reason --------------------------------------------------------- */

static void
keep_reason(check_result_t *r, const dns_answer_t *answer)
{
    char  text[CHECK_REASON_MAX];

    (void) check_clean(text, sizeof(text),
                       (rbl_str_t) { answer->txt, answer->txt_len });
    r->reason = text[0] != '\0' ? strdup(text) : NULL;
}


static void
on_reason(void *data, const lookup_answer_t *told)
{
    item_t              *item = data;
    const dns_answer_t  *answer = told->answer;

    item->reason = NULL;
    item->reasoned = 1;

    if (answer != NULL && answer->status == DNS_NOERROR
        && answer->txt_len != 0)
    {
        keep_reason(&item->result, answer);
    }

    if (item->result.verdict == RBL_LISTED) {
        check_item_done(item);
    }
}


static void
ask_reason(item_t *item, const names_t *name)
{
    check_t  *check = item->check;

    item->reason = lookup_ask(check->env->lookup, item->result.list, name->s,
                              DNS_TYPE_TXT, check->patience, on_reason, item);
    item->reasoned = item->reason == NULL;
}


static void
announce(item_t *item)
{
    names_t            names[NAMES_MAX];
    rbl_lookup_err_t   error;

    settle(item, RBL_LISTED, RBL_ERR_NONE);

    if (item->reason == NULL && !item->reasoned) {

        /* the names that were asked for its addresses, made once more */

        (void) names_make(names, item->result.list, &item->check->host,
                          &error);
        ask_reason(item, &names[item->gate]);
    }

    if (item->reasoned) {
        check_item_done(item);
    }
}


/* --- guard and gate ----------------------------------------------------- */

static void
on_guard(void *data, int go)
{
    item_t  *item = data;

    item->guarded = 0;

    if (go) {
        announce(item);
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
        announce(item);
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
}


/* All that were at the gate have passed. */

static void
passed(item_t *item)
{
    check_t  *check = item->check;

    if (!item->stands && check->env->guard != NULL) {
        guard_count(check->env->guard, item->result.list);
    }

    settle(item, RBL_CLEAR, RBL_ERR_NONE);
    check_item_done(item);
}


static void
on_health(void *data, const health_verdict_t *verdict)
{
    gate_t          g;
    item_t         *item = data;
    gate_answer_t   a;

    item->health = NULL;
    item->result.health = verdict->state;
    answer_at_gate(&a, item);
    g = gate_judge(&a, verdict);

    if (g.verdict != a.raw) {
        settle_gate(item, &g);
        check_item_done(item);

    } else if (g.guard) {
        at_guard(item);

    } else if (g.verdict == RBL_LISTED) {
        announce(item);

    } else {
        item->gate++;
        at_gate(item);
    }
}


static void
believe(health_verdict_t *v, const item_t *item)
{
    memset(v, 0, sizeof(health_verdict_t));
    v->state = HEALTH_GOOD;
    v->negative = v->positive = item->part[item->gate].told + 1;
}


static void
at_gate(item_t *item)
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
        settle(item, RBL_UNKNOWN, RBL_ERR_UNHEALTHY);
        check_item_done(item);
    }
}


/* --- answers ------------------------------------------------------------ */

static void
keep_codes(item_t *item, const part_t *p)
{
    check_result_t    *r = &item->result;
    rbl_lookup_err_t   error;

    (void) rbl_codes_verdict(&r->list->codes, p->a, p->n_a, &error, r->means,
                             sizeof(r->means));
    memcpy(r->codes, p->a, p->n_a * sizeof(p->a[0]));
    r->n_codes = p->n_a;
    r->ttl = p->ttl;
}


/* Listed if one name is, clear only if all are. */

static void
all_answered(item_t *item)
{
    unsigned  i, at;

    at = 0;

    for (i = 0; i < item->n; i++) {
        if (item->part[i].raw == RBL_LISTED) {
            at = i;
            break;
        }

        if (item->part[i].raw == RBL_UNKNOWN) {
            at = i;
        }
    }

    keep_codes(item, &item->part[at]);

    if (item->part[at].raw == RBL_UNKNOWN) {
        settle(item, RBL_UNKNOWN, item->part[at].error);
        check_item_done(item);
        return;
    }

    item->gate = item->part[at].raw == RBL_LISTED ? at : 0;
    at_gate(item);
}


static void
judge_addresses(part_t *p, const dns_answer_t *answer)
{
    char           text[8];
    unsigned       i;
    const list_t  *list = p->item->result.list;

    p->raw = rbl_codes_verdict(&list->codes, answer->a, answer->n_a,
                               &p->error, text, sizeof(text));

    for (i = 0; i < answer->n_a && i < CHECK_CODES_MAX; i++) {
        p->a[i] = answer->a[i];
    }

    p->n_a = i;
}


static void
judge(part_t *p, const dns_answer_t *answer)
{
    static const rbl_lookup_err_t  errors[] = {
        [DNS_SERVFAIL] = RBL_ERR_SERVFAIL,
        [DNS_REFUSED] = RBL_ERR_REFUSED,
        [DNS_BADREPLY] = RBL_ERR_BADREPLY,
        [DNS_TIMEOUT] = RBL_ERR_TIMEOUT,
        [DNS_TRUNCATED] = RBL_ERR_TRUNCATED,
        [DNS_NETWORK] = RBL_ERR_NETWORK
    };

    switch (answer->status) {

    case DNS_NOERROR:
        judge_addresses(p, answer);
        break;

    case DNS_NXDOMAIN:
        p->raw = RBL_CLEAR;
        break;

    default:
        p->raw = RBL_UNKNOWN;
        p->error = errors[answer->status];
    }
}


static void
on_addresses(void *data, const lookup_answer_t *told)
{
    part_t  *p = data;
    item_t  *item = p->item;

    p->question = NULL;
    p->at = told->at;
    p->told = dns_clock();

    if (told->answer == NULL) {
        p->raw = RBL_UNKNOWN;
        p->error = told->error;

    } else {
        p->ttl = told->answer->ttl;
        p->resolver = told->answer->resolver;
        judge(p, told->answer);

        if (told->answer->ms > item->result.ms) {
            item->result.ms = told->answer->ms;
        }

        if (p->raw == RBL_UNKNOWN && item->check->env->health != NULL) {
            health_doubt(item->check->env->health, item->result.list,
                         item->check->family, p->resolver);
        }
    }

    if (--item->open == 0) {
        all_answered(item);
    }
}


/* --- questions ---------------------------------------------------------- */

int
item_ask(item_t *item)
{
    int                n, i;
    part_t            *p;
    check_t           *check = item->check;
    names_t            names[NAMES_MAX];
    rbl_lookup_err_t   error;

    if (item->result.list->families == 0) {     /* its rules are not known */
        settle(item, RBL_UNKNOWN, RBL_ERR_UNHEALTHY);
        return 1;
    }

    n = names_make(names, item->result.list, &check->host, &error);
    if (n == 0) {
        settle(item, error == RBL_ERR_NONE ? RBL_SKIPPED : RBL_UNKNOWN, error);
        return 1;
    }

    for (i = 0; i < n; i++) {
        p = &item->part[i];
        p->item = item;
        p->question = lookup_ask(check->env->lookup, item->result.list,
                                 names[i].s, DNS_TYPE_A, check->patience,
                                 on_addresses, p);
        if (p->question == NULL) {
            item_stop(item);
            settle(item, RBL_UNKNOWN, RBL_ERR_NAME);
            return 1;
        }

        item->n++;
        item->open++;
    }

    if (item->stands && item->same_zone && n == 1) {
        ask_reason(item, &names[0]);
    }

    return 0;
}


void
item_late(item_t *item)
{
    gate_t         g;
    gate_answer_t  a;

    if (item->result.verdict == RBL_LISTED) {
        /* only its TXT has not come */

    } else if (item->guarded) {
        settle_unguarded(item);

    } else if (item->health != NULL) {
        answer_at_gate(&a, item);
        g = gate_late(&a);
        settle_gate(item, &g);

    } else {
        settle(item, RBL_UNKNOWN, RBL_ERR_TIMEOUT);
    }

    item_stop(item);
}


void
item_stop(item_t *item)
{
    unsigned  i;

    for (i = 0; i < NAMES_MAX; i++) {
        if (item->part[i].question != NULL) {
            lookup_cancel(item->part[i].question);
            item->part[i].question = NULL;
        }
    }

    if (item->reason != NULL) {
        lookup_cancel(item->reason);
        item->reason = NULL;
    }

    health_drop(item->health);
    item->health = NULL;

    if (item->guarded) {
        guard_forget(item->check->env->guard, item);
        item->guarded = 0;
    }
}
