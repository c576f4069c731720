/*
 * Zones, their servers, and what a response of one of these means.
 *
 * The engine searches a zone (find.c) when a query needs its servers.  The
 * result is valid for its TTL, between ZONE_LEAST and ZONE_MOST seconds.  In
 * the last part of that time, and when all servers fail, the zone is searched
 * again in the background.  While a search finds nothing the last known servers
 * stay in use.
 *
 * Zones belong to an account, or to the system, whose budgets pay for the
 * search: no account waits for the search of another.
 *
 * A response of an authoritative server counts if it is authoritative and from
 * the zone.  A referral to a zone below is followed.  Any other response is
 * lame and treated as SERVFAIL.  A server does not resolve an alias that leaves
 * its zones; the resolvers are queried for the target.
 *
 * The table owns the zones; queries refer to them.
 */

#include "base/xalloc.h"
#include "dns_int.h"
#include "rbl_hash.h"

#include <stdlib.h>
#include <string.h>

#define ZONE_LEAST     300.0
#define ZONE_MOST      86400.0
#define ZONE_REFRESH   0.8          /* part of the validity before a new
                                       search */
#define ZONE_KEEP      86400.0      /* s, without a query */
#define ZONE_OWN       20000        /* limit for zones of accounts' lists */

#define ZONE_WAIT_MIN  5.0          /* s until the next search */
#define ZONE_WAIT_MAX  300.0
#define ZONE_WAIT_LOST  20.0        /* the longest, if the resolvers failed */


/* --- zones ---------------------------------------------------------------- */

static dns_zone_t **
zone_slot(dns_engine_t *engine, uint64_t account, const char *name)
{
    uint64_t  hash;

    hash = rbl_hash(rbl_str(name), engine->seed) ^ account;

    return &engine->zone[hash % DNS_ZONES];
}


static dns_zone_t *
zone_find(dns_engine_t *engine, uint64_t account, const char *name)
{
    dns_zone_t  *z;

    z = *zone_slot(engine, account, name);

    while (z != NULL
           && (z->account != account || strcmp(z->name, name) != 0))
    {
        z = z->next;
    }

    return z;
}


/* NULL: no valid name, or too many. */
static dns_zone_t *
zone_get(dns_engine_t *engine, uint64_t account, const char *name,
    unsigned referred)
{
    size_t        n, len;
    uint8_t       wire[DNS_NAME_MAX];
    dns_zone_t  **at, *z;

    z = zone_find(engine, account, name);

    if (z != NULL) {
        return z;
    }

    len = dns_wire_name(wire, name);
    n = strlen(name) + 1;

    if (len == 0 || (account != 0 && engine->n_zones >= ZONE_OWN)) {
        return NULL;
    }

    z = xcalloc(1, sizeof(dns_zone_t) + n);
    z->engine = engine;
    z->account = account;
    z->wire.len = (uint8_t) len;
    memcpy(z->wire.wire, wire, len);
    memcpy(z->name, name, n);
    z->referred = referred & 1;
    link_init(&z->waiting);

    at = zone_slot(engine, account, name);
    z->next = *at;
    *at = z;
    engine->n_zones += account != 0;

    return z;
}


static int
zone_is_given(const dns_zone_t *z, const dns_payer_t *payer)
{
    unsigned  i;

    if (z->set == NULL || !z->set->given || z->set->n != payer->n_servers) {
        return 0;
    }

    for (i = 0; i < payer->n_servers; i++) {
        if (!dns_address_same(&z->set->server[i]->sa, &payer->server[i])) {
            return 0;
        }
    }

    return 1;
}


/* Replaces the set, and with it the state of the servers. */
static void
zone_set(dns_zone_t *z, dns_set_t *set)
{
    unsigned    i, at;
    dns_set_t  *old;

    old = z->set;

    for (i = 0; old != NULL && i < set->n; i++) {
        at = dns_set_at(old, set->server[i]);

        if (at < old->n) {
            set->distrusted |= (uint8_t) ((old->distrusted >> at & 1) << i);
            set->lame[i] = old->lame[at];
        }
    }

    dns_set_put(old);
    z->set = set;
}


static void
zone_give(dns_zone_t *z, const dns_payer_t *payer)
{
    dns_set_t  *set;

    if (zone_is_given(z, payer)) {
        return;
    }

    set = dns_set_new(z->engine, z->account, payer->server, payer->n_servers,
                      &z->wire);
    set->given = 1;
    dns_trace_zone(z->engine, &z->wire, "given by the operator:",
                   payer->server, payer->n_servers);
    zone_set(z, set);
}


dns_zone_t *
dns_zone_of(dns_engine_t *engine, const dns_payer_t *payer)
{
    dns_zone_t  *z;

    z = zone_get(engine, payer->account,
                 payer->name ? payer->name : payer->zone, 0);

    if (z == NULL) {
        return NULL;
    }

    if (payer->n_servers) {
        zone_give(z, payer);

    } else if (z->set != NULL && z->set->given) {
        /* The payer no longer gives servers. */
        dns_set_put(z->set);
        z->set = NULL;
    }

    return z;
}


int
dns_zone_join(dns_query_t *q, const dns_payer_t *payer)
{
    dns_zone_t  *z;

    /* The loop may have slept for long. */
    q->engine->now = clock_now();
    z = dns_zone_of(q->engine, payer);

    if (z == NULL) {
        return -1;
    }

    z->refs++;
    z->used = q->engine->now;
    q->zone = z;
    q->set = z->set ? dns_set_ref(z->set) : NULL;

    return 0;
}


void
dns_zone_leave(dns_query_t *q)
{
    if (q->zone != NULL) {
        q->zone->refs--;
        q->zone = NULL;
    }
}


/* --- the search for servers ----------------------------------------------- */

/* -1: not permitted now. */
static int
zone_seek(dns_zone_t *z)
{
    if (z->find == NULL) {
        if (z->engine->now < z->retry) {
            return -1;
        }

        z->find = dns_find_new(z);
    }

    return 0;
}


/*
 * Servers were found for the zone to which a server has referred the query, if
 * one has.  Are they those of no zone below its own, it is lame.
 */
static void
zone_referred(dns_query_t *q, const dns_set_t *set)
{
    if (q->from != NULL && set->apex.len <= q->from->apex.len) {
        dns_trace_query_at(q, q->from->server[q->from_at],
                           "is lame: there is no zone where it refers to");
        q->from->lame[q->from_at] = q->engine->now + DNS_LAME;
    }
}


/* Continues with the servers that the zone has now. */
static void
zone_go(dns_query_t *q)
{
    dns_zone_t  *z;

    z = q->zone;

    if (z->set == NULL) {
        q->search = z->search;
        dns_finish_later(q, DNS_UNFOUND);
        return;
    }

    zone_referred(q, z->set);

    if (!q->fixed) {
        dns_set_put(q->set);
        q->set = dns_set_ref(z->set);
    }

    dns_pace_queue(q, 0);
}


void
dns_zone_ask(dns_query_t *q)
{
    double       now;
    dns_zone_t  *z;

    z = q->zone;
    now = z->engine->now;

    if (z->set != NULL && (z->set->given || now < z->refresh)) {
        zone_go(q);
        return;
    }

    /* No query waits if the present servers are valid, or no search may
       start. */
    if (zone_seek(z) != 0
        || (z->set != NULL && (now < z->expires || z->wait > 0 || q->fixed)))
    {
        zone_go(q);
        return;
    }

    q->state = DNS_SEEKING;
    link_add(&z->waiting, &q->link);
}


static int
zone_same(const dns_set_t *a, const dns_set_t *b)
{
    unsigned  i;

    for (i = 0; i < a->n && dns_set_at(b, a->server[i]) < b->n; i++) {
        /* void */
    }

    return i == a->n && a->n == b->n
           && dns_name_equal(a->apex.wire, a->apex.len, b->apex.wire,
                             b->apex.len);
}


static double
zone_pause(double wait)
{
    wait *= 2;
    wait = wait > ZONE_WAIT_MIN ? wait : ZONE_WAIT_MIN;

    return wait < ZONE_WAIT_MAX ? wait : ZONE_WAIT_MAX;
}


static void
zone_take(dns_zone_t *z, dns_set_t *set, uint32_t ttl)
{
    double  holds;

    if (z->set != NULL && zone_same(z->set, set)) {
        dns_set_put(set);

    } else {
        zone_set(z, set);
        z->doubt_wait = 0;
    }

    holds = ttl;
    holds = holds > ZONE_LEAST ? holds : ZONE_LEAST;
    holds = holds < ZONE_MOST ? holds : ZONE_MOST;
    z->refresh = z->engine->now + holds * ZONE_REFRESH;
    z->expires = z->engine->now + holds;
    z->wait = 0;
    z->retry = 0;
    z->search = DNS_NOERROR;
}


static void
zone_missed(dns_zone_t *z, dns_status_t search)
{
    z->wait = zone_pause(z->wait);

    if (!dns_answered(search) && z->wait > ZONE_WAIT_LOST) {
        z->wait = ZONE_WAIT_LOST;
    }

    z->retry = z->engine->now + z->wait;
    z->search = search;

    if (search == DNS_NXDOMAIN && z->set != NULL
        && z->engine->now >= z->expires)
    {
        dns_set_put(z->set);
        z->set = NULL;
    }
}


void
dns_zone_found(dns_zone_t *z, const struct sockaddr_storage *sa, unsigned n,
    const dns_name_t *apex, uint32_t ttl, dns_status_t search)
{
    link_t  waiting;

    z->find = NULL;
    z->engine->now = clock_now();

    /* Meanwhile the payer may have given servers. */
    if (z->set == NULL || !z->set->given) {
        if (n != 0) {
            zone_take(z, dns_set_new(z->engine, z->account, sa, n, apex), ttl);
        } else {
            zone_missed(z, search);
        }
    }

    link_init(&waiting);
    link_move(&waiting, &z->waiting);

    while (!link_empty(&waiting)) {
        zone_go((dns_query_t *) link_shift(&waiting));
    }
}


/* Is there a trusted server that neither failed last nor is lame? */
static int
zone_serves(const dns_zone_t *z)
{
    unsigned  i;

    for (i = 0; i < z->set->n; i++) {
        if (z->set->server[i]->fails == 0
            && z->set->lame[i] <= z->engine->now
            && !(z->set->distrusted >> i & 1))
        {
            return 1;
        }
    }

    return 0;
}


void
dns_zone_done(const dns_query_t *q, dns_status_t status)
{
    double       now;
    dns_zone_t  *z;

    z = q->zone;

    if (z == NULL || q->set->given || q->set != z->set) {
        return;
    }

    /* If all servers are distrusted, the zone may have moved. */
    if ((status == DNS_NOERROR || status == DNS_NXDOMAIN)
        && dns_set_trusted(z->set))
    {
        z->doubt_wait = 0;
        return;
    }

    now = z->engine->now;

    if (now >= z->doubt && !zone_serves(z)) {
        z->doubt_wait = zone_pause(z->doubt_wait);
        z->doubt = now + z->doubt_wait;
        (void) zone_seek(z);
    }
}


void
dns_zone_retry(dns_engine_t *engine)
{
    unsigned     i;
    dns_zone_t  *z;

    for (i = 0; i < DNS_ZONES; i++) {
        for (z = engine->zone[i]; z != NULL; z = z->next) {
            z->retry = z->wait = z->doubt = z->doubt_wait = 0;
        }
    }
}


/* --- responses ------------------------------------------------------------ */

/*
 * The text of a name in lower case (the response may have the mixed case of the
 * query).  -1: lists have no such names.
 */
static int
zone_text(char out[DNS_NAME_MAX], const dns_name_t *name)
{
    unsigned  at, i, c, len;

    if (name->len < 2) {
        return -1;
    }

    for (at = 0; (len = name->wire[at]) != 0; at += len + 1) {
        for (i = 1; i <= len; i++) {
            c = name->wire[at + i];
            c += c - 'A' < 26u ? 'a' - 'A' : 0;

            if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'
                  || c == '_'))
            {
                return -1;
            }

            out[at + i - 1] = (char) c;
        }

        out[at + len] = '.';
    }

    out[at - 1] = '\0';
    return 0;
}


/* Continues with the servers of the zone below.  0, or -1: the referral is
   unusable. */
static int
zone_refer(dns_query_t *q, const dns_name_t *below)
{
    char         name[DNS_NAME_MAX];
    dns_zone_t  *z;

    if (q->depth == DNS_DEPTH || zone_text(name, below) != 0) {
        return -1;
    }

    z = zone_get(q->engine, q->class->owner->account, name, 1);

    if (z == NULL) {
        return -1;
    }

    dns_trace_query(q, "follows a referral to the zone %s", name);
    dns_query_leave(q);

    q->origin = q->depth++ ? q->origin : dns_at(q)->id;
    dns_zone_leave(q);
    dns_set_put(q->from);
    q->from = q->set;
    q->from_at = q->at;
    q->zone = z;
    z->refs++;
    z->used = q->engine->now;
    q->set = NULL;
    q->at = 0;
    q->attempt = 0;
    q->refused = q->unable = 0;
    q->fixed = q->stay = q->no_edns = q->failed = q->timed_out = 0;
    q->lower = q->lower_why = 0;
    dns_zone_ask(q);

    return 0;
}


static int
judge_lame(dns_query_t *q, const char *why)
{
    dns_trace_query_at(q, dns_at(q), why);
    dns_answer_clear(&q->engine->answer, DNS_SERVFAIL);

    return 0;
}


/* The response for the target of an alias; `answer` is engine->answer. */
static void
judge_target(void *data, const dns_answer_t *told)
{
    dns_answer_t    *answer;
    dns_query_t     *q;

    (void) told;

    q = data;
    q->sub = NULL;
    link_remove(&q->link);

    answer = &q->engine->answer;
    answer->soa = 0;
    answer->has_serial = 0;
    answer->alias = answer->n_a + answer->n_aaaa != 0 || answer->txt_len != 0;
    answer->ttl = q->sub_ttl < answer->ttl ? q->sub_ttl : answer->ttl;

    /* The resolvers were silent, not the list. */
    if (answer->status == DNS_TIMEOUT || answer->status == DNS_NETWORK) {
        answer->status = DNS_SERVFAIL;
    }

    dns_trace_query(q, "takes the response to its alias' target: %s",
                    dns_trace_status(answer->status));
    dns_finish(q);
}


static void
judge_alias(dns_query_t *q)
{
    const dns_referral_t  *referral;

    referral = &q->engine->referral;
    q->sub_ttl = referral->target_ttl;
    q->sub = dns_ask_look(q->engine, NULL, q->class->owner->account,
                          &referral->target, q->type, judge_target, q);
    dns_trace_query(q,
                    "is an alias out of the zone; the resolver is queried for"
                    " its target");
    dns_query_leave(q);
    q->state = DNS_ALIAS;
    link_add(&q->engine->wire, &q->link);
}


static int
judge_refer(dns_query_t *q)
{
    const dns_referral_t  *referral;

    referral = &q->engine->referral;

    if (!q->engine->referred || referral->found || referral->target.len
        || referral->zone.len <= q->set->apex.len || q->set->given
        || !dns_name_within(&referral->zone, &q->set->apex))
    {
        return judge_lame(q, "is lame: its response is not authoritative");
    }

    return zone_refer(q, &referral->zone) == 0
           ? 1 : judge_lame(q, "is lame: its referral leads nowhere");
}


static int
judge_authority(dns_query_t *q)
{
    const dns_referral_t  *referral;

    referral = &q->engine->referral;

    if (q->engine->referred && !referral->found) {
        if (referral->target.len
            && (!referral->apex.len
                || !dns_name_within(&referral->apex, &q->set->apex)))
        {
            judge_alias(q);
            return 1;
        }

        /* A referral of the parent or the root: the server does not know the
           zone. */
        if (!q->set->given && referral->apex.len
            && !dns_name_within(&referral->apex, &q->set->apex))
        {
            return judge_lame(q, "is lame: its SOA is of a zone above the"
                               " list's");
        }
    }

    q->set->lame[q->at] = 0;
    return 0;
}


int
dns_zone_judge(dns_query_t *q)
{
    dns_answer_t  *answer;

    answer = &q->engine->answer;

    if (q->set->recursive || answer->status == DNS_SERVFAIL
        || answer->status == DNS_REFUSED)
    {
        return 0;
    }

    /* The search for name servers follows referrals itself. */
    if (q->look) {
        answer->status = q->engine->referred && answer->status == DNS_BADREPLY
                         ? DNS_NOERROR : answer->status;
        return 0;
    }

    if (!answer->aa) {
        return judge_refer(q);
    }

    return answer->status == DNS_BADREPLY ? 0 : judge_authority(q);
}


/* --- servers, for the code that judges them ------------------------------- */

unsigned
dns_servers(dns_engine_t *engine, const dns_payer_t *payer,
    uint32_t ids[DNS_MAX_SERVERS])
{
    unsigned          i;
    dns_zone_t       *z;
    const dns_set_t  *set;

    set = engine->resolvers;

    if (engine->conf.direct && payer != NULL) {
        z = dns_zone_of(engine, payer);
        set = z == NULL ? NULL : z->set;
    }

    for (i = 0; set != NULL && i < set->n; i++) {
        ids[i] = set->server[i]->id;
    }

    return i;
}


void
dns_server_trust(dns_engine_t *engine, const dns_payer_t *payer,
    uint32_t server, int trusted)
{
    unsigned     at;
    dns_zone_t  *z;

    if (!engine->conf.direct || payer == NULL) {
        return;
    }

    z = dns_zone_of(engine, payer);
    at = z == NULL || z->set == NULL ? 0 : dns_set_at_id(z->set, server);

    if (z == NULL || z->set == NULL || at == z->set->n) {
        return;
    }

    z->set->distrusted &= (uint8_t) ~(1u << at);
    z->set->distrusted |= (uint8_t) (!trusted << at);
}


/* --- the end of zones ----------------------------------------------------- */

void
dns_zone_stop(dns_engine_t *engine)
{
    unsigned     i;
    dns_zone_t  *z;

    for (i = 0; i < DNS_ZONES; i++) {
        for (z = engine->zone[i]; z != NULL; z = z->next) {
            dns_find_free(z->find);
            z->find = NULL;
        }
    }
}


static void
zone_drop(dns_zone_t *z)
{
    z->engine->n_zones -= z->account != 0;
    dns_find_free(z->find);
    dns_list_free(&z->waiting);
    dns_set_put(z->set);
    free(z);
}


void
dns_zone_sweep(dns_engine_t *engine, int all)
{
    unsigned      i;
    dns_zone_t  **at, *z;

    for (i = 0; i < DNS_ZONES; i++) {
        at = &engine->zone[i];

        while ((z = *at) != NULL) {
            if (!all && (z->refs || z->find
                         || engine->now - z->used < ZONE_KEEP))
            {
                at = &z->next;
                continue;
            }

            *at = z->next;
            zone_drop(z);
        }
    }
}
