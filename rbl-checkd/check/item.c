/*
 * One list of a check, except for item_gate.c, which judges the responses:
 *
 *     query -> response -> the gate (health) -> evidence of other daemons ->
 *     the guard, for a new listing -> TXT of a listing
 *
 * For a current listing the TXT is queried together with the address: most
 * listings last, and the check need not wait for the list twice.
 *
 * The item owns what is under way for it: queries, its request for health or
 * evidence, its place at the guard.  A verdict is final: a TXT that does not
 * come changes nothing.
 */

#include "base/xalloc.h"
#include "check/lists/text.h"
#include "rbl_query.h"
#include "check_int.h"

#include <stdlib.h>
#include <string.h>

#define AGAIN_MAX  2                    /* limit of other servers to be
                                           queried */


static int
is_fresh(const item_t *item)
{
    return (item->check->how & CHECK_FRESH) != 0;
}


/* Only a listing has a reason. */

static void
drop_reason(item_t *item)
{
    lookup_cancel(item->reason);
    item->reason = NULL;
    free(item->result.reason);
    item->result.reason = NULL;
}


void
item_settle(item_t *item, rbl_verdict_t verdict, rbl_lookup_err_t error)
{
    item_trace(item, "verdict: %s%s%s", rbl_verdict_names[verdict],
               error != RBL_ERR_NONE ? ", error " : "",
               rbl_lookup_err_names[error]);
    item->result.verdict = verdict;
    item->result.error = error;
    item->check->verdicts[verdict]++;

    if (verdict != RBL_LISTED) {
        drop_reason(item);
    }
}


/* --- the reason --------------------------------------------------------- */

/*
 * The list's key is hidden (at most five bytes for one of the text).  Reasons
 * of custom lists are cut here: checks in flight hold them all.
 */

static void
keep_reason(item_t *item, const dns_answer_t *answer)
{
    char       text[CHECK_REASON_MAX], cut[CHECK_REASON_MAX + 1];
    char       safe[5 * DNS_TXT_MAX];
    size_t     n, cap;
    rbl_str_t  kept, key;

    key = list_key(item->result.list);
    n = hide_keys(safe, sizeof(safe),
                  (rbl_str_t) { answer->txt, answer->txt_len }, &key, 1,
                  answer->txt_len == DNS_TXT_MAX,
                  rbl_zone_slot(rbl_str(item->result.list->zone)));
    n = check_clean(text, sizeof(text), (rbl_str_t) { safe, n });
    cap = item->result.list->custom ? item->check->own_text : n;
    kept = check_shorten(cut, cap < sizeof(text) ? cap : sizeof(text),
                         (rbl_str_t) { text, n });

    item->result.reason = kept.n != 0 ? xstrndup(kept.p, kept.n) : NULL;
}


static void
on_reason(void *data, const lookup_answer_t *lookup)
{
    item_t              *item = data;
    const dns_answer_t  *answer = lookup->answer;

    item->reason = NULL;
    item->reasoned = 1;

    /* An alias may lead from an account's own zone to any text in the DNS. */

    if (answer != NULL && answer->status == DNS_NOERROR
        && answer->txt_len != 0
        && !(answer->alias && item->result.list->custom))
    {
        keep_reason(item, answer);
    }

    if (item->result.verdict == RBL_LISTED) {
        check_item_done(item);
    }
}


void
item_reason(item_t *item, const names_t *name)
{
    check_t  *check = item->check;

    if (item->reason != NULL || item->reasoned) {
        return;
    }

    item->reason = lookup_ask(check->env->lookup, item->result.list, name->s,
                              DNS_TYPE_TXT, check->patience, is_fresh(item),
                              on_reason, item);
    item->reasoned = item->reason == NULL;
}


void
item_announce(item_t *item)
{
    names_t            names[NAMES_MAX];
    rbl_lookup_err_t   error;

    item_settle(item, RBL_LISTED, RBL_ERR_NONE);

    /* makes the names of the address queries once more */

    (void) names_make(names, item->result.list, &item->check->host, &error);
    item_reason(item, &names[item->gate]);

    if (item->reasoned) {
        check_item_done(item);
    }
}


/* --- answers ------------------------------------------------------------ */

/*
 * An account chooses its own list's zone and the host, and so the name that is
 * queried.  An address outside 127/8 does not come from a list; it may come
 * from the site's own DNS, so it is not shown.
 */

void
item_keep_codes(item_t *item, const part_t *p)
{
    check_result_t    *r = &item->result;
    rbl_lookup_err_t   error;

    r->ttl = p->ttl;
    r->n_codes = 0;
    r->means[0] = '\0';

    if (r->list->custom && p->error == RBL_ERR_HIJACKED) {
        return;
    }

    (void) rbl_codes_verdict(r->list->codes, p->a, p->n_a, &error, r->means,
                             sizeof(r->means));
    r->weight = rbl_codes_weight(r->list->codes, p->a, p->n_a,
                                 r->list->weight);
    memcpy(r->codes, p->a, p->n_a * sizeof(p->a[0]));
    r->n_codes = p->n_a;
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

    item_keep_codes(item, &item->part[at]);

    if (item->n > 1) {
        item_trace(item, "of the host's names the %s one decides: %s",
                   at == 0 ? "whole" : "registered",
                   rbl_verdict_names[item->part[at].raw]);
    }

    item->gate = item->part[at].raw == RBL_CLEAR ? 0 : at;
    item_at_gate(item);
}


static void
add_code(part_t *p, uint32_t a)
{
    unsigned  i;

    for (i = 0; i < p->n_a; i++) {
        if (p->a[i] == a) {
            return;
        }
    }

    p->a[p->n_a++] = a;
}


/* If there are more than can be shown: those that list the host go first. */

static void
choose_codes(part_t *p, const dns_answer_t *answer)
{
    int                 others;
    char                text[8];
    unsigned            i;
    rbl_verdict_t       verdict;
    rbl_lookup_err_t    error;
    const rbl_codes_t  *codes = p->item->result.list->codes;

    for (others = 0; others < 2; others++) {
        for (i = 0; i < answer->n_a && p->n_a < CHECK_CODES_MAX; i++) {
            verdict = rbl_codes_verdict(codes, &answer->a[i], 1, &error, text,
                                        sizeof(text));

            if (others == (verdict != RBL_LISTED)) {
                add_code(p, answer->a[i]);
            }
        }
    }
}


static void
judge_addresses(part_t *p, const dns_answer_t *answer)
{
    char           text[8];
    const list_t  *list = p->item->result.list;

    p->raw = rbl_codes_verdict(list->codes, answer->a, answer->n_a,
                               &p->error, text, sizeof(text));

    p->n_a = 0;

    if (answer->n_a > CHECK_CODES_MAX) {
        choose_codes(p, answer);
        return;
    }

    p->n_a = answer->n_a;
    memcpy(p->a, answer->a, p->n_a * sizeof(p->a[0]));
}


void
item_judge(part_t *p, const dns_answer_t *answer)
{
    static const rbl_lookup_err_t  errors[] = {
        [DNS_SERVFAIL] = RBL_ERR_SERVFAIL,
        [DNS_REFUSED] = RBL_ERR_REFUSED,
        [DNS_BADREPLY] = RBL_ERR_BADREPLY,
        [DNS_TIMEOUT] = RBL_ERR_TIMEOUT,
        [DNS_TRUNCATED] = RBL_ERR_TRUNCATED,
        [DNS_NETWORK] = RBL_ERR_NETWORK,
        [DNS_UNFOUND] = RBL_ERR_SERVFAIL
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


/* A server that was not queried has no name. */

static void
trace_part(const part_t *p, const lookup_answer_t *lookup)
{
    check_t     *check = p->item->check;
    const char  *error = rbl_lookup_err_names[p->error];
    const char  *means = rbl_verdict_names[p->raw];

    if (lookup->answer == NULL || lookup->answer->status == DNS_UNFOUND) {
        item_trace(p->item, "no response: %s, error %s", means, error);
        return;
    }

    trace_server(check->env->dns, p->item->result.list, check->family,
                 p->server, "the response says %s%s%s", means,
                 p->error != RBL_ERR_NONE ? ", error " : "", error);
}


/* The health of the list learns of the response, or of its absence. */

static void
part_health(part_t *p, const lookup_answer_t *lookup)
{
    item_t              *item = p->item;
    health_t            *health = item->check->env->health;
    const list_t        *list = item->result.list;
    const dns_answer_t  *answer = lookup->answer;

    if (answer->status == DNS_UNFOUND) {
        item->result.health = health_unfound(health, list,
                                              answer->search);

        if (item->result.health == HEALTH_RESOLVER) {
            p->error = RBL_ERR_RESOLVER;
        }

        return;
    }

    if (!lookup->kept) {
        health_heard(health, list, item->check->family, p->server,
                     answer->status);
    }

    if (p->raw == RBL_UNKNOWN) {
        health_doubt(health, list, item->check->family, p->server);
    }
}


static void
on_addresses(void *data, const lookup_answer_t *lookup)
{
    part_t              *p = data;
    item_t              *item = p->item;
    const dns_answer_t  *answer = lookup->answer;

    p->query = NULL;
    p->at = lookup->at;
    p->received = clock_now();

    if (answer == NULL) {
        p->raw = RBL_UNKNOWN;
        p->error = lookup->error;

    } else {
        p->ttl = answer->ttl;
        p->soa = answer->soa;
        p->minimum = p->soa != 0 ? answer->minimum : 0;
        p->server = answer->server;
        item_judge(p, answer);

        if (answer->ms > item->result.ms) {
            item->result.ms = answer->ms;
        }

        part_health(p, lookup);
    }

    trace_part(p, lookup);

    if (--item->open == 0) {
        all_answered(item);
    }
}


/* --- queries ------------------------------------------------------------ */

/* The zone of an old record may be forbidden by now. */

static int
may_ask(const item_t *item, const names_t *names, int n)
{
    int                i;
    rbl_str_t          under;
    const char        *why;
    const rbl_own_t   *own = item->check->env->own;

    if (own == NULL || !item->result.list->custom) {
        return 1;
    }

    for (i = 0; i < n; i++) {
        if (!rbl_own_ok(own, (rbl_str_t) { names[i].s, names[i].n }, &under,
                        &why))
        {
            return 0;
        }
    }

    return 1;
}


/* 0: all of them; -1: none. */

static int
ask_names(item_t *item, const names_t *names, unsigned n, int fresh)
{
    part_t    *p;
    check_t   *check = item->check;
    unsigned   i;

    for (i = 0; i < n; i++) {
        p = &item->part[i];
        memset(p, 0, sizeof(part_t));
        p->item = item;
        p->query = lookup_ask(check->env->lookup, item->result.list,
                                 names[i].s, DNS_TYPE_A, check->patience,
                                 fresh, on_addresses, p);
        if (p->query == NULL) {
            item_stop(item);
            return -1;
        }

        item->n = i + 1;
        item->open++;
    }

    return 0;
}


/* Has the list another server than those that are known to fail? */

static int
others(const item_t *item)
{
    uint32_t          id[DNS_MAX_SERVERS];
    unsigned          i, n;
    check_t          *check = item->check;
    dns_payer_t       payer;
    health_verdict_t  v;

    payer = list_payer(item->result.list, 0);
    n = dns_servers(check->env->dns, &payer, id);

    for (i = 0; i < n; i++) {
        if (!health_look(check->env->health, item->result.list, check->family,
                         id[i], &v)
            || !health_bad(v.state))
        {
            return 1;
        }
    }

    return 0;
}


int
item_again(item_t *item)
{
    names_t            names[NAMES_MAX];
    rbl_lookup_err_t   error;

    if (!dns_direct(item->check->env->dns) || item->again >= AGAIN_MAX
        || !others(item))
    {
        return 0;
    }

    item->again++;
    item_trace(item, "the server fails, so its response is discarded; another"
               " server is queried");
    (void) names_make(names, item->result.list, &item->check->host, &error);

    return ask_names(item, names, item->n, 1) == 0;
}


int
item_ask(item_t *item)
{
    int                n;
    check_t           *check = item->check;
    names_t            names[NAMES_MAX];
    rbl_lookup_err_t   error;

    if (item->result.list->families == 0) {     /* its rules are not known */
        item_trace(item, "the rules for its codes are not known");
        item_settle(item, RBL_UNKNOWN, RBL_ERR_UNHEALTHY);
        return 1;
    }

    n = names_make(names, item->result.list, &check->host, &error);
    if (n == 0) {
        item_trace(item, "not queried: %s", error != RBL_ERR_NONE
                   ? "the name would be too long" : "the list does not take the"
                   " host, or it has no key");
        item_settle(item, error == RBL_ERR_NONE ? RBL_SKIPPED : RBL_UNKNOWN,
                    error);
        return 1;
    }

    if (!may_ask(item, names, n)) {
        item_settle(item, RBL_UNKNOWN, RBL_ERR_NAME);
        return 1;
    }

    if (ask_names(item, names, (unsigned) n, is_fresh(item)) != 0) {
        item_settle(item, RBL_UNKNOWN, RBL_ERR_NAME);
        return 1;
    }

    item_trace(item, "queried for %s%s%s", names[0].s, n > 1 ? " and " : "",
               n > 1 ? names[1].s : "");

    if (item->current && item->same_zone && n == 1) {
        item_reason(item, &names[0]);
    }

    return 0;
}


void
item_stop(item_t *item)
{
    unsigned  i;

    for (i = 0; i < NAMES_MAX; i++) {
        lookup_cancel(item->part[i].query);
        item->part[i].query = NULL;
    }

    lookup_cancel(item->reason);
    item->reason = NULL;
    health_drop(item->health);
    item->health = NULL;
    item_confirm_stop(item);

    evidence_forget(item->evidence);
    item->evidence = NULL;
    guard_forget(item->guarded);
    item->guarded = NULL;
}
