/*
 * The entries of health: each a list, a family and a server.  Those used
 * least lately go when there are too many.
 *
 * This file reports to other daemons, and to this one after a restart, that a
 * list was wildcarding, or that it has a test point, and the TTL of this.  The
 * evidence of other daemons comes by health_recall().
 */

#include "base/log.h"
#include "base/xalloc.h"
#include "health_int.h"
#include "rbl_hash.h"

#include <stdlib.h>

#define REPORT_EVERY    86400.0         /* s */
#define DISAGREE_EVERY  600.0           /* s */
#define WATCH_EVERY     5.0             /* s */


static const char *
key_of(const list_t *list)
{
    return list->custom ? list->zone : list->sid;
}


static size_t
slot_of(const list_t *list, rbl_family_t family, uint32_t server)
{
    uint64_t  seed = list->account + family * 31 + server;

    return (size_t) rbl_hash(rbl_str(key_of(list)), seed) & (HEALTH_SLOTS - 1);
}


void
health_entry_free(health_entry_t *e)
{
    health_t         *health = e->health;
    health_entry_t  **at;

    at = &health->slot[slot_of(e->list, e->family, e->server)];
    while (*at != e) {
        at = &(*at)->next;
    }

    *at = e->next;
    link_remove(&e->use);

    health->lost -= e->server == HEALTH_NO_SERVER;
    health->all[e->index] = health->all[--health->n];
    health->all[e->index]->index = e->index;

    health_run_stop(e);
    timer_stop(&e->timer);
    list_unref(e->list);
    free(e);
}


static void
make_room(health_t *health)
{
    link_t          *l, *newer;
    health_entry_t  *e;

    for (l = health->used.next;
         l != &health->used && health->n >= HEALTH_ENTRIES; l = newer)
    {
        newer = l->next;
        e = link_of(l, health_entry_t, use);

        if (!e->run.open && e->suspect == 0 && link_empty(&e->waiting)) {
            health_entry_free(e);
        }
    }

    if (health->n == health->room) {
        health->room = health->room ? health->room * 2 : 64;
        health->all = xrealloc(health->all,
                               health->room * sizeof(health_entry_t *));
    }
}


static void
on_timer(void *data)
{
    health_entry_t  *e = data;

    if (e->run.open) {
        health_run_over(e);

    } else {
        health_serve(e);
    }
}


static int
same_codes(const rbl_codes_t *a, const rbl_codes_t *b)
{
    unsigned  i;

    if (a->n != b->n) {
        return 0;
    }

    for (i = 0; i < a->n; i++) {
        if (a->rule[i].cls != b->rule[i].cls || a->rule[i].lo != b->rule[i].lo
            || a->rule[i].hi != b->rule[i].hi
            || a->rule[i].mask != b->rule[i].mask
            || a->rule[i].bit != b->rule[i].bit)
        {
            return 0;
        }
    }

    return 1;
}


/* A newer table's list takes the place of the one that is known. */
static void
entry_list(health_entry_t *e, list_t *list)
{
    list_t    *old = e->list;
    unsigned   again = 0;

    if (old == list) {
        return;
    }

    e->list = list_ref(list);

    if (strcmp(old->zone, list->zone) != 0
        || strcmp(old->control, list->control) != 0
        || strcmp(old->ask != NULL ? old->ask : "",
                  list->ask != NULL ? list->ask : "") != 0
        || !same_codes(old->codes, list->codes))
    {
        again = e->run.open;
        health_run_stop(e);
        e->checked = e->retry = e->wait = 0;
        e->v.passed = e->v.sampled = e->v.wild_until = 0;
        e->v.positive_ttl = e->v.negative_ttl = e->v.negative_soa = 0;
        e->tried = e->recalled = 0;
        e->wild_ttl = e->deepest = 0;
        e->wild = e->had_point = e->lost = 0;
    }

    health_points(e);
    list_unref(old);

    if (again) {                        /* others may wait for its end */
        health_run(e, 0);
    }
}


health_entry_t *
health_entry_find(health_t *health, const list_t *list, rbl_family_t family,
    uint32_t server)
{
    health_entry_t  *e;

    for (e = health->slot[slot_of(list, family, server)]; e != NULL;
         e = e->next)
    {
        if (e->family == family && e->server == server
            && e->list->custom == list->custom
            && e->list->account == list->account
            && strcmp(key_of(e->list), key_of(list)) == 0)
        {
            return e;
        }
    }

    return NULL;
}


health_entry_t *
health_entry(health_t *health, const list_t *list, rbl_family_t family,
    uint32_t server)
{
    unsigned         group;
    list_t          *shared;
    health_entry_t  *e, **slot;

    shared = (list_t *) list;           /* its count of references changes */
    e = health_entry_find(health, list, family, server);

    if (e != NULL) {
        entry_list(e, shared);
        link_remove(&e->use);
        link_add(&health->used, &e->use);
        return e;
    }

    group = dns_direct(health->dns) ? 0 : server;

    if (group >= DNS_MAX_RESOLVERS) {
        return NULL;
    }

    make_room(health);
    e = xcalloc(1, sizeof(health_entry_t));
    e->health = health;
    e->list = list_ref(shared);
    e->family = family;
    e->server = server;
    e->group = group;
    link_init(&e->waiting);
    health_points(e);
    e->since = clock_now();
    timer_init(&e->timer, health->loop, on_timer, e);

    health->lost += server == HEALTH_NO_SERVER;
    e->index = health->n;
    health->all[health->n++] = e;
    slot = &health->slot[slot_of(list, family, server)];
    e->next = *slot;
    *slot = e;
    link_add(&health->used, &e->use);

    return e;
}


/* --- news ----------------------------------------------------------------- */

void
health_listen(health_t *health, health_news_pt listen, void *data)
{
    health->listen = listen;
    health->listener = data;
}


static void
report(const health_entry_t *e, health_news_what_t what, uint32_t ttl)
{
    health_news_t  news;

    if (e->health->listen == NULL) {
        return;
    }

    news.what = what;
    news.list = e->list;
    news.family = e->family;
    news.server = e->server;
    news.ttl = ttl;
    news.age = clock_now() - e->v.passed;
    news.has_point = e->had_point && !e->lost;
    news.soa = e->deepest;
    e->health->listen(e->health->listener, &news);
}


void
health_wild_listing(health_entry_t *e, uint32_t ttl)
{
    ttl = ttl < HEALTH_WILD_MAX ? ttl : HEALTH_WILD_MAX;
    e->wild_ttl = ttl > e->wild_ttl ? ttl : e->wild_ttl;
}


/* Not where the resolver is at fault: other daemons use other resolvers. */
void
health_report_wild(const health_entry_t *e)
{
    if (e->wild_ttl != 0) {
        report(e, HEALTH_NEWS_WILDCARD, e->wild_ttl);
    }
}


void
health_note_listing(health_t *health, const list_t *list,
    rbl_family_t family, uint32_t server, uint32_t ttl)
{
    health_entry_t  *e;

    e = health_entry(health, list, family, server);

    if (e != NULL && e->state == HEALTH_WILDCARDING && ttl > e->wild_ttl) {
        health_wild_listing(e, ttl);
        health_report_wild(e);
    }
}


void
health_wild_over(health_entry_t *e)
{
    double  till;

    if (e->wild_ttl != 0) {
        till = clock_now() + e->wild_ttl + HEALTH_WILD_SLACK;
        e->v.wild_until = till > e->v.wild_until ? till : e->v.wild_until;
        e->wild_ttl = 0;
        report(e, HEALTH_NEWS_RECOVERED, 0);
    }
}


void
health_life(health_entry_t *e, int news)
{
    double  now = clock_now();

    if (((e->had_point && !e->lost) || e->deepest != 0)
        && (news || now - e->news.life >= REPORT_EVERY))
    {
        e->news.life = now;
        report(e, HEALTH_NEWS_LIFE, 0);
    }
}


void
health_ttl(health_entry_t *e)
{
    double  now = clock_now();

    if (!dns_direct(e->health->dns)
        && (e->news.ttl_at == 0 || e->v.positive_ttl > e->news.ttl
            || now - e->news.ttl_at >= REPORT_EVERY))
    {
        e->news.ttl = e->v.positive_ttl;
        e->news.ttl_at = now;
        report(e, HEALTH_NEWS_TTL, e->v.positive_ttl);
    }
}


/* --- servers of a list ---------------------------------------------------- */

void
health_hear(health_entry_t *e)
{
    int          mute;
    char         server[DNS_SERVER_TEXT];
    dns_payer_t  payer;

    payer = list_payer(e->list, 0);
    mute = dns_mute(e->health->dns, &payer);

    if (mute == e->mute) {
        return;
    }

    e->mute = mute & 1;
    e->mute_since = clock_now();

    dns_server_text(e->health->dns, e->server, server);
    log_notice("list %s, %s, server %s: %s", e->list->zone,
               list_family_name(e->family), server, mute
               ? "its queries time out while others get responses; single"
                 " queries probe it"
               : "its queries get responses again");
}


void
health_recall(health_t *health, const list_t *list, rbl_family_t family,
    uint32_t server, int had_point, unsigned soa)
{
    health_entry_t  *e;

    e = health_entry(health, list, family, server);
    if (e == NULL) {
        return;
    }

    e->recalled = clock_now();
    e->deepest = soa > e->deepest ? soa : e->deepest;

    if (had_point && !e->had_point && !names_must(e->list)) {
        e->had_point = e->lost = 1;
        health_points(e);
    }
}


int
health_disagree(health_t *health, const list_t *list, rbl_family_t family,
    uint32_t server)
{
    double           now = clock_now();
    health_entry_t  *e;

    e = health_entry(health, list, family, server);

    if (e == NULL || (e->disagreed != 0 && now - e->disagreed < DISAGREE_EVERY))
    {
        return 0;
    }

    e->disagreed = now;

    return 1;
}


static void
watch_one(health_t *health, const list_t *list, rbl_family_t family,
    uint32_t server, double now)
{
    health_entry_t  *e;

    e = health_entry(health, list, family, server);

    if (e == NULL) {
        return;
    }

    e->watched = now;

    if (health_bad(e->state) && now >= e->retry && !e->run.open
        && e->suspect == 0 && health_resolver_go(e, now))
    {
        health_run(e, 0);
    }
}


void
health_watch(health_t *health, const list_t *list, rbl_family_t family)
{
    double           now = clock_now();
    uint32_t         id[DNS_MAX_SERVERS];
    unsigned         i, n;
    dns_payer_t      payer;
    health_entry_t  *e;

    payer = list_payer(list, 0);
    n = dns_direct(health->dns) ? dns_servers(health->dns, &payer, id) : 0;
    e = n != 0 ? health_entry(health, list, family, id[0]) : NULL;

    if (e == NULL || (e->watched != 0 && now - e->watched < WATCH_EVERY)) {
        return;
    }

    for (i = 0; i < n; i++) {
        watch_one(health, list, family, id[i], now);
    }
}
