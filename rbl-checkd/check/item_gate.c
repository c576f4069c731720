/*
 * The steps that judge a response: the gate (health), evidence of other
 * daemons, the guard.  Each ends in a verdict, or goes on to the next.
 */

#include "check_int.h"

/* `recheck`: as in the result. */

static void
settle(item_t *item, rbl_verdict_t verdict, rbl_lookup_err_t error,
    double recheck)
{
    item->result.recheck = recheck;
    item_settle(item, verdict, error);
}


static void
finish(item_t *item, rbl_verdict_t verdict, rbl_lookup_err_t error,
    double recheck)
{
    settle(item, verdict, error, recheck);
    check_item_done(item);
}


/* --- guard and gate ----------------------------------------------------- */

static void
on_guard(void *data, int go)
{
    item_t  *item = data;

    item->guarded = NULL;

    if (go > 0) {
        item_announce(item);

    } else if (go == 0) {
        finish(item, RBL_UNKNOWN, RBL_ERR_FROZEN, GATE_FROZEN);

    } else {
        finish(item, RBL_UNKNOWN, RBL_ERR_UNCONFIRMED, GATE_RECHECK);
    }
}


/* New listings at custom lists are always announced. */

static int
is_guarded(const item_t *item)
{
    return item->check->env->guard != NULL && !item->result.list->custom;
}


static void
at_guard(item_t *item)
{
    check_t  *check = item->check;

    if (!is_guarded(item)) {
        item_announce(item);
        return;
    }

    item->guarded = guard_ask(check->env->guard, item->result.list,
                              check->family, item->part[item->gate].server,
                              on_guard, item);
}


void
item_gate_answer(gate_answer_t *a, const item_t *item)
{
    const part_t  *p = &item->part[item->gate];

    a->raw = p->raw;
    a->current = item->current && (p->raw == RBL_CLEAR || item->same_zone);
    a->own = item->result.list->custom;
    a->cleared = item->cleared;
    a->pending = item->pending;
    a->doubted = item->pending && dns_direct(item->check->env->dns);
    a->at = p->at;
    a->now = p->received;
    a->ttl = p->ttl;
    a->soa = p->soa;
    a->minimum = p->minimum < HEALTH_NONE_MAX ? p->minimum
                                             : HEALTH_NONE_MAX;
    a->addresses = p->n_a != 0;
    a->once = (item->check->how & CHECK_ONCE) != 0;
}


/* All names at the gate have passed. */

static void
passed(item_t *item)
{
    check_t  *check = item->check;

    if (!item->current && is_guarded(item)) {
        guard_count(check->env->guard, item->result.list);
    }

    finish(item, RBL_CLEAR, RBL_ERR_NONE, 0);
}


static void
on_evidence(void *data, const evidence_known_t *known)
{
    gate_t          g;
    item_t         *item = data;
    gate_answer_t   a;

    static const evidence_known_t  nothing;

    item->evidence = NULL;
    item_gate_answer(&a, item);

    /* without the store, what this daemon remembers counts, unless the news
       must be seen again after a wait */

    if (known == NULL && item->news.waits.n > 0) {
        finish(item, RBL_UNKNOWN, RBL_ERR_UNCONFIRMED, GATE_RECHECK);
        return;
    }

    if (known == NULL) {
        known = &nothing;

    } else {
        health_recall(item->check->env->health, item->result.list,
                      item->check->family, item->part[item->gate].server,
                      known->had_point, known->soa);
    }

    g = gate_evidence(&a, &item->news, known);
    item_go_on(item, &g);
}


static void
at_evidence(item_t *item)
{
    check_t          *check = item->check;
    const part_t     *p = &item->part[item->gate];
    evidence_seen_t   seen = { check->value, p->raw == RBL_LISTED, p->at,
                               item->news.waits };
    evidence_known_t  nothing = { 0, 0, 0, 0 };

    if (check->env->evidence == NULL) {
        on_evidence(item, &nothing);
        return;
    }

    item->evidence = evidence_ask(check->env->evidence, item->result.list,
                                  check->family, p->server, item->good, &seen,
                                  on_evidence, item);
}


void
item_go_on(item_t *item, const gate_t *g)
{
    item_trace(item, "%s: %s", rbl_verdict_names[g->verdict], g->why);

    if (g->verdict != item->part[item->gate].raw) {
        finish(item, g->verdict, g->error, g->recheck);

    } else if (g->evidence) {
        item->news = *g;
        at_evidence(item);

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
    item->good = verdict->passed;
    item->result.health = verdict->state;
    item_gate_answer(&a, item);

    if (a.raw == RBL_UNKNOWN) {
        if (!health_bad(verdict->state) || !item_again(item)) {
            finish(item, RBL_UNKNOWN, item->part[item->gate].error, 0);
        }

        return;
    }

    if (health_bad(verdict->state) && !a.current && item_again(item)) {
        return;
    }

    g = gate_judge(&a, verdict);

    if (verdict->state == HEALTH_WILDCARDING && a.raw == RBL_LISTED) {
        health_note_listing(item->check->env->health, item->result.list,
                            item->check->family,
                            item->part[item->gate].server, a.ttl);
    }

    item_go_on(item, &g);
}


/*
 * News in direct mode.  The TXT of a listing is queried at the same time.
 */

static void
at_confirm(item_t *item, const gate_answer_t *a, health_need_t need)
{
    names_t           names[NAMES_MAX];
    rbl_lookup_err_t  error;

    (void) names_make(names, item->result.list, &item->check->host, &error);

    if (a->raw == RBL_LISTED) {
        item_reason(item, &names[item->gate]);
    }

    item_confirm(item, names[item->gate].s, need);
}


static void
at_health(item_t *item, health_need_t need)
{
    uint32_t           server = item->part[item->gate].server;
    check_t           *check = item->check;
    health_t          *health = check->env->health;
    health_verdict_t   v;

    if (need == HEALTH_KNOWN
        && health_look(health, item->result.list, check->family, server, &v))
    {
        on_health(item, &v);
        return;
    }

    item->health = health_ask(health, item->result.list, check->family, server,
                              need, on_health, item);
    if (item->health == NULL) {
        finish(item, RBL_UNKNOWN, RBL_ERR_UNHEALTHY, 0);
    }
}


/*
 * Is the result no verdict, perhaps because of one server?  Then another server
 * is queried, if there is one.
 */

static int
is_doubtful(const item_t *item)
{
    const part_t  *p = &item->part[item->gate];

    return dns_direct(item->check->env->dns) && p->raw == RBL_UNKNOWN
           && (p->error == RBL_ERR_HIJACKED || p->error == RBL_ERR_BLOCKED)
           && p->n_a != 0;
}


static void
trace_news(const item_t *item, const gate_answer_t *a, gate_need_t news)
{
    const char  *what;

    if (is_doubtful(item)) {
        what = "no verdict; the test points show whether the server or the"
               " list is at fault";

    } else if (news == GATE_NO_VERDICT) {
        what = "no verdict, so nothing changes";

    } else if (news == GATE_AS_KNOWN) {
        what = a->raw == RBL_CLEAR
               ? "clear, and no listing is known: accepted if the test points"
                 " passed in the last ten minutes"
               : "listed, as before: accepted if the test points passed in the"
                 " last ten minutes";

    } else if (dns_direct(item->check->env->dns)) {
        what = a->raw == RBL_LISTED
               ? "news, a new listing: every trusted server is queried for the"
                 " name again, its test points and a sample, to confirm it"
               : "news, the end of a listing, or of one that was not"
                 " confirmed: every trusted server is queried for the name"
                 " again and its test points, to confirm it";

    } else {
        what = a->raw == RBL_LISTED
               ? "news, a new listing: test points and a sample must confirm it"
               : "news, the end of a listing: test points must confirm it";
    }

    item_trace(item, "%s", what);
}


void
item_at_gate(item_t *item)
{
    check_t        *check = item->check;
    gate_need_t     news;
    gate_answer_t   a;
    health_need_t   need;

    if (item->gate == item->n) {
        passed(item);
        return;
    }

    item_gate_answer(&a, item);
    news = gate_need(&a, &need);

    health_watch(check->env->health, item->result.list, check->family);
    trace_news(item, &a, news);

    if (is_doubtful(item)) {
        at_health(item, HEALTH_BOTH);

    } else if (news == GATE_NO_VERDICT) {
        finish(item, a.raw, item->part[item->gate].error, 0);

    } else if (news == GATE_NEWS && dns_direct(check->env->dns)) {
        at_confirm(item, &a, need);

    } else {
        at_health(item, need);
    }
}


/* An own list's query may have waited all the time for its account's budget. */

static rbl_lookup_err_t
late_error(const item_t *item)
{
    unsigned  i;

    for (i = 0; i < item->n; i++) {
        if (item->part[i].query != NULL && item->result.list->custom
            && !lookup_sent(item->part[i].query))
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

    item_trace(item, "the time of the check is up");

    if (item->result.verdict == RBL_LISTED) {
        /* only its TXT is missing */

    } else if (item->evidence != NULL || item->guarded != NULL) {
        /* The store or the guard has not replied: the call or a sample takes
           too long. */

        settle(item, RBL_UNKNOWN, RBL_ERR_UNCONFIRMED, GATE_RECHECK);

    } else if (item->health != NULL || item->confirm != NULL) {
        item_gate_answer(&a, item);
        g = gate_late(&a);
        item_trace(item, "%s", g.why);
        settle(item, g.verdict, g.error, g.recheck);

    } else {
        item_settle(item, RBL_UNKNOWN, late_error(item));
    }

    item_stop(item);
}
