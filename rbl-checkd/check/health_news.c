/*
 * What a list has shown that is not to be forgotten: that it lied, and that it
 * has a test entry.
 */

#include "health_int.h"

#define ENTRY_EVERY  86400.0            /* s */


void
health_listen(health_t *health, health_news_pt listen, void *data)
{
    health->listen = listen;
    health->listener = data;
}


static void
tell(const health_entry_t *e, health_news_what_t what, uint32_t ttl)
{
    health_news_t  news;

    if (e->health->listen == NULL) {
        return;
    }

    news.what = what;
    news.list = e->list;
    news.family = e->family;
    news.resolver = e->resolver;
    news.ttl = ttl;
    e->health->listen(e->health->listener, &news);
}


void
health_lie(health_entry_t *e, uint32_t ttl)
{
    ttl = ttl < HEALTH_LIE_MAX ? ttl : HEALTH_LIE_MAX;
    e->lied = ttl > e->lied ? ttl : e->lied;

    if (ttl != 0) {
        tell(e, HEALTH_NEWS_LIE, ttl);
    }
}


void
health_truth(health_entry_t *e)
{
    double  till;

    if (e->lied != 0) {
        till = dns_clock() + e->lied + HEALTH_LIE_SLACK;
        e->lies = till > e->lies ? till : e->lies;
        e->lied = 0;
        tell(e, HEALTH_NEWS_TRUTH, 0);
    }
}


void
health_has_entry(health_entry_t *e)
{
    double  now = dns_clock();

    if (!e->entry || now - e->entry_told >= ENTRY_EVERY) {
        e->entry_told = now;
        tell(e, HEALTH_NEWS_ENTRY, 0);
    }

    e->entry = 1;
    health_controls(e);
}
