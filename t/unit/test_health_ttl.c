/*
 * Health of lists: reports and times that the waits of other daemons, and those
 * through other resolvers, depend on.
 */

#include "tap.h"

#include "health_ask.h"

static unsigned  n_ttl;                 /* reports of the test point's TTL */
static uint32_t  last_ttl;


static void
on_news(void *data, const health_news_t *news)
{
    (void) data;

    if (news->what == HEALTH_NEWS_TTL) {
        n_ttl++;
        last_ttl = news->ttl;
    }
}


/* The largest TTL of the test point, once a day. */

static void
test_ttl(void)
{
    size_t  i;
    list_t  *list;
    zone_t  *z;

    static const struct {
        const char  *name;
        double       after;
        uint32_t     ttl, reported;
        int          way, report;
    } cases[] = {
        { "first seen", 0, 200, 200, W_GOOD, 1 },
        { "the rest of the same", 50, 150, 0, W_GOOD, 0 },
        { "a larger one", 1, 300, 300, W_GOOD, 1 },
        { "an empty list", 1, 300, 0, W_EMPTY, 0 },
        { "a day later: the largest", 86401, 100, 300, W_GOOD, 1 },
    };

    fresh();
    n_ttl = 0;
    health_listen(health, on_news, NULL);
    list = list_of("a.test", V4, "ip");
    z = world("a.test", 0, W_GOOD, 0);

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ahead += cases[i].after;
        z->ttl = cases[i].ttl;
        z->way = cases[i].way;
        n_ttl = last_ttl = 0;
        (void) ask(list, V4, 0, HEALTH_BOTH);
        ok(n_ttl == (unsigned) cases[i].report
           && last_ttl == cases[i].reported,
           "the TTL of the test point is reported: %s", cases[i].name);
    }

    list_unref(list);
}


/* A failure through one resolver concerns news through another. */

static void
test_recovery(void)
{
    list_t            *list;
    zone_t            *z;
    health_verdict_t   v;

    fresh();
    list = list_of("a.test", V4, "ip");
    z = world("a.test", 0, W_GOOD, 300);
    (void) world("a.test", 1, W_GOOD, 300);
    ok(ask(list, V4, 1, HEALTH_BOTH).recovered == 0, "it has not failed");
    z->way = W_EMPTY;
    (void) ask(list, V4, 0, HEALTH_BOTH);
    z->way = W_GOOD;
    ahead += HEALTH_BAD_MIN + 1;
    v = ask(list, V4, 0, HEALTH_BOTH);
    ok(v.state == HEALTH_GOOD && v.recovered != 0,
       "through one resolver it has recovered");
    ok(ask(list, V4, 1, HEALTH_BOTH).recovered == v.recovered,
       "which counts for what comes through the other, too");
    list_unref(list);
}


int
main(void)
{
    loop = ev_default_loop(0);

    test_ttl();
    test_recovery();

    health_free(health);
    ev_loop_destroy(loop);

    return tap_done();
}
