/*
 * Reports to other daemons, and to this one after a restart, that a list was
 * wildcarding, or that it has a test point, and the TTL of this.
 */

#include "base/log.h"
#include "health_int.h"

#define EVERY  86400.0                  /* s */


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
    news.age = clock_now() - e->passed;
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
        e->wild_until = till > e->wild_until ? till : e->wild_until;
        e->wild_ttl = 0;
        report(e, HEALTH_NEWS_RECOVERED, 0);
    }
}


void
health_life(health_entry_t *e, int news)
{
    double  now = clock_now();

    if (((e->had_point && !e->lost) || e->deepest != 0)
        && (news || now - e->life_reported >= EVERY))
    {
        e->life_reported = now;
        report(e, HEALTH_NEWS_LIFE, 0);
    }
}


void
health_ttl(health_entry_t *e)
{
    double  now = clock_now();

    if (!dns_direct(e->health->dns)
        && (e->ttl_reported == 0 || e->positive_ttl > e->ttl_told
            || now - e->ttl_reported >= EVERY))
    {
        e->ttl_told = e->positive_ttl;
        e->ttl_reported = now;
        report(e, HEALTH_NEWS_TTL, e->positive_ttl);
    }
}


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
