/*
 * Health of lists: the results of test points, and the intervals of their
 * queries.
 */

#include "tap.h"

#include "health_ask.h"


static void
test_states(void)
{
    size_t            i;
    list_t           *list;
    health_verdict_t  v;

    static const struct {
        way_t           way;
        const char     *control;
        rbl_family_t    family;
        health_state_t  want;
    } cases[] = {
        { W_GOOD, "ip", V4, HEALTH_GOOD },
        { W_GOOD, "ip", V6, HEALTH_GOOD },
        { W_GOOD, "name:test", DOM, HEALTH_GOOD },
        { W_GOOD, "ip-positive-only", V4, HEALTH_GOOD },
        { W_GOOD, NULL, V4, HEALTH_GOOD },
        { W_GOOD, "none", V4, HEALTH_GOOD },
        { W_EMPTY, "ip", V4, HEALTH_DOWN },
        { W_EMPTY, "ip", V6, HEALTH_DOWN },
        { W_EMPTY, "name:test", DOM, HEALTH_DOWN },
        { W_EMPTY, "ip", DOM, HEALTH_DOWN },
        { W_EMPTY, "ip-positive-only", V4, HEALTH_DOWN },
        { W_EMPTY, NULL, V4, HEALTH_GOOD },
        { W_NODATA, "ip", V4, HEALTH_DOWN },
        { W_MUTE, "ip", V4, HEALTH_DOWN },
        { W_MUTE, NULL, V4, HEALTH_DOWN },
        { W_MUTE, "none", V4, HEALTH_GOOD },
        { W_SERVFAIL, "ip", V4, HEALTH_DOWN },
        { W_REFUSED, "ip", V4, HEALTH_BLOCKED },
        { W_REFUSED, NULL, V4, HEALTH_BLOCKED },
        { W_WILD, "ip", V4, HEALTH_WILDCARDING },
        { W_WILD, "name:test", DOM, HEALTH_WILDCARDING },
        { W_WILD, NULL, V4, HEALTH_WILDCARDING },
        { W_WILD, "ip-positive-only", V4, HEALTH_WILDCARDING },
        { W_HIJACK, "ip", V4, HEALTH_WILDCARDING },
        { W_HIJACK, "ip-positive-only", V4, HEALTH_WILDCARDING },
        { W_RETIRED, NULL, V4, HEALTH_WILDCARDING },
        { W_ERROR, "ip", V4, HEALTH_BLOCKED },
        { W_MIXED, "ip", V4, HEALTH_WILDCARDING },
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fresh();
        world("a.test", 0, cases[i].way, 300);
        list = list_of("a.test", V4 | V6 | DOM, cases[i].control);
        v = ask(list, cases[i].family, 0, HEALTH_KNOWN);
        ok(v.state == cases[i].want, "way %d, control %s, family %d: %s",
           cases[i].way, cases[i].control != NULL ? cases[i].control : "-",
           cases[i].family, health_state_names[cases[i].want]);
        list_unref(list);
    }
}


static void
test_unsupported(void)
{
    list_t  *list, *six;

    fresh();
    world("2.0.0.127.a.test", 0, W_GOOD, 300);
    list = list_of("a.test", V4 | V6, "ip");
    six = list_of("six.test", V6, "ip");

    /* only the IPv4 test point exists */

    zones[0].zone = "0.0.127.a.test";
    ok(ask(list, V6, 0, HEALTH_KNOWN).state == HEALTH_UNSUPPORTED,
       "no IPv6 test point while the IPv4 one is there: unsupported");
    ok(ask(list, V4, 0, HEALTH_KNOWN).state == HEALTH_GOOD,
       "the list is good for IPv4");
    ok(ask(six, V6, 0, HEALTH_KNOWN).state == HEALTH_DOWN,
       "a list of IPv6 only without its test point is down");

    list_unref(list);
    list_unref(six);
}


static void
test_cache(void)
{
    int           i;
    list_t       *list;
    told_t        t = { 0 };
    unsigned      n;
    health_q_t   *q;

    fresh();
    world("a.test", 0, W_GOOD, 300);
    list = list_of("a.test", V4, "ip");

    for (i = 0; i < 50; i++) {
        put(list, V4, 0, HEALTH_KNOWN, &t);
    }

    q = put(list, V4, 0, HEALTH_KNOWN, &t);
    health_drop(q);
    run_until(&t, 50);
    ok(t.n == 50 && asked == 5, "50 callers together: one run, %u queries",
       asked);

    n = asked;
    ok(ask(list, V4, 0, HEALTH_KNOWN).state == HEALTH_GOOD && asked == n,
       "a good one is kept");
    ok(ask(list, V4, 1, HEALTH_KNOWN).state == HEALTH_DOWN,
       "through another resolver it may be another");

    n = asked;
    t.n = 0;
    for (i = 0; i < 50; i++) {
        put(list, V4, 0, HEALTH_BOTH, &t);
    }

    run_until(&t, 50);
    ok(t.n == 50 && asked == n + 5 && t.v.state == HEALTH_GOOD,
       "50 requests for test points share one run");

    ahead += HEALTH_KEEP + 1;
    n = asked;
    ok(ask(list, V4, 0, HEALTH_KNOWN).state == HEALTH_GOOD && asked == n + 5,
       "after ten minutes it is queried again");

    zones[0].way = W_EMPTY;
    ok(ask(list, V4, 0, HEALTH_KNOWN).state == HEALTH_GOOD,
       "a recent good state is returned");
    ok(ask(list, V4, 0, HEALTH_BOTH).state == HEALTH_DOWN,
       "but not to a caller that needs new queries");

    n = asked;
    ok(ask(list, V4, 0, HEALTH_BOTH).state == HEALTH_DOWN && asked == n,
       "a bad one is left alone");
    ahead += HEALTH_BAD_MIN + 1;
    ok(ask(list, V4, 0, HEALTH_KNOWN).state == HEALTH_DOWN && asked == n + 5,
       "for half a minute");
    ahead += HEALTH_BAD_MIN + 1;
    ok(ask(list, V4, 0, HEALTH_KNOWN).state == HEALTH_DOWN && asked == n + 5,
       "then for longer");
    ahead += HEALTH_BAD_MIN + 1;
    zones[0].way = W_GOOD;
    ok(ask(list, V4, 0, HEALTH_KNOWN).state == HEALTH_GOOD, "it comes back");

    list_unref(list);
}


/* The time of the last pass, and how long caches keep its responses. */

static void
test_passes(void)
{
    list_t           *list;
    double            from;
    health_verdict_t  v;

    fresh();
    world("a.test", 0, W_GOOD, 300);
    list = list_of("a.test", V4, "ip");
    from = clock_now();
    v = ask(list, V4, 0, HEALTH_BOTH);
    ok(v.state == HEALTH_GOOD && v.passed >= from
       && v.sampled == 0, "it has passed now");
    ok(v.positive_ttl == 300, "the largest TTL of its test point");
    zones[0].cached = clock_now() - 100;
    ahead += 1;
    ok(ask(list, V4, 0, HEALTH_BOTH).positive_ttl == 300,
       "less in a cache changes nothing");
    zones[0].cached = 0;
    zones[0].ttl = 200000;
    ahead += 1;
    v = ask(list, V4, 0, HEALTH_BOTH);
    ok(v.positive_ttl == HEALTH_TTL_MAX,
       "nothing is kept for longer than a day");
    zones[0].way = W_EMPTY;
    from = v.passed;
    ahead += 1;
    v = ask(list, V4, 0, HEALTH_BOTH);
    ok(v.state == HEALTH_DOWN && v.passed == from, "none that it fails");
    list_unref(list);

    fresh();
    list = list_of("none.test", V4, "none");
    from = clock_now();
    v = ask(list, V4, 0, HEALTH_SAMPLE);
    ok(v.state == HEALTH_GOOD && v.passed >= from && v.sampled >= from
       && v.unproven && v.unasked && asked == 0,
       "a list without test points is trusted, and no listing ends");
    list_unref(list);
}


/* The data about a time in which the list was wildcarding. */

static void
test_wildcarding(void)
{
    list_t            *list, *other;
    zone_t            *z;
    told_t             t = { 0 };
    health_verdict_t   v;

    fresh();
    list = list_of("a.test", V4, "ip");
    z = world("a.test", 0, W_GOOD, 300);
    ok(ask(list, V4, 0, HEALTH_BOTH).wild_until == 0, "never wildcarding");
    z->way = W_WILD;
    ahead += 1;
    ok(ask(list, V4, 0, HEALTH_BOTH).state == HEALTH_WILDCARDING, "now it is");
    z->way = W_GOOD;
    ahead += HEALTH_BAD_MIN;
    v = ask(list, V4, 0, HEALTH_BOTH);
    ok(v.state == HEALTH_GOOD && v.wild_until > clock_now() + 300
       && v.wild_until < clock_now() + 304,
       "it is good, and caches may keep such responses for their TTL");
    z->ttl = 10;
    ahead += 1;
    ok(ask(list, V4, 0, HEALTH_BOTH).wild_until == v.wild_until,
       "and not for longer");

    z->way = W_HIJACK;
    z->ttl = 1000;
    ahead += 1;
    ok(ask(list, V4, 0, HEALTH_BOTH).state == HEALTH_WILDCARDING, "hijacked");
    z->way = W_GOOD;
    ahead += HEALTH_BAD_MIN;
    ok(ask(list, V4, 0, HEALTH_BOTH).wild_until == v.wild_until,
       "no listing is cached for that");

    z->way = W_WILD;
    ahead += 1;
    put(list, V4, 0, HEALTH_SAMPLE, &t);
    run_until(&t, 1);
    ahead += HEALTH_BAD_MIN + 1;
    z->way = W_GOOD;
    v = ask(list, V4, 0, HEALTH_BOTH);
    ok(v.state == HEALTH_GOOD && v.wild_until > clock_now() + 999,
       "a sample shows a wildcard as well");

    other = list_of("a.test", V4, "ip-positive-only");
    inside = 1;
    t.n = 0;
    ahead += 1;
    health_ask(health, list, V4, 0, HEALTH_BOTH, on_told, &t);
    ok(health_look(health, other, V4, 0, &v) == 0, "its rules are others now");
    inside = 0;
    run_until(&t, 1);
    ok(t.n == 1 && t.v.state == HEALTH_GOOD && t.v.wild_until == 0,
       "a caller that waits for a run cut by new rules is called back");
    list_unref(list);
    list_unref(other);
}


/* Reports to other daemons, and the test point of an own list. */

static health_news_t  news[8];
static unsigned       n_news;


static void
on_news(void *data, const health_news_t *told)
{
    (void) data;

    if (told->what != HEALTH_NEWS_TTL && n_news < 8) {
        news[n_news++] = *told;
    }
}


static int
heard(unsigned i, health_news_what_t what, rbl_family_t family, uint32_t ttl)
{
    return i < n_news && news[i].what == what && news[i].family == family
           && news[i].ttl == ttl;
}


static void
test_news(void)
{
    list_t  *list;
    zone_t  *z;

    fresh();
    n_news = 0;
    health_listen(health, on_news, NULL);
    list = list_of("a.test", V4, "ip");
    z = world("a.test", 0, W_GOOD, 300);
    (void) ask(list, V4, 0, HEALTH_BOTH);
    ok(n_news == 0, "a list that is as it must be is no news");
    z->way = W_WILD;
    ahead += 1;
    (void) ask(list, V4, 0, HEALTH_BOTH);
    ok(n_news == 1 && heard(0, HEALTH_NEWS_WILDCARD, V4, 300), "a wildcard");
    ahead += HEALTH_BAD_MIN;
    (void) ask(list, V4, 0, HEALTH_BOTH);
    ok(n_news == 2 && heard(1, HEALTH_NEWS_WILDCARD, V4, 300), "still");
    health_note_listing(health, list, V4, 0, 200);
    ok(n_news == 2, "a shorter TTL is no news");
    health_note_listing(health, list, V4, 0, 900);
    ok(n_news == 3 && heard(2, HEALTH_NEWS_WILDCARD, V4, 900), "a longer TTL");
    z->way = W_GOOD;
    ahead += 2 * HEALTH_BAD_MIN;
    (void) ask(list, V4, 0, HEALTH_BOTH);
    ok(n_news == 4 && heard(3, HEALTH_NEWS_RECOVERED, V4, 0), "recovered");
    health_note_listing(health, list, V4, 0, 9000);
    ok(n_news == 4, "its later listings are accepted");
    list_unref(list);
}


static void
test_entry(void)
{
    list_t            *list;
    zone_t            *z;
    health_verdict_t   v;

    fresh();
    n_news = 0;
    health_listen(health, on_news, NULL);
    list = list_of("a.test", V4, NULL);
    z = world("a.test", 0, W_WILD, 0);
    ok(ask(list, V4, 0, HEALTH_BOTH).state == HEALTH_WILDCARDING && n_news == 0,
       "an own list that lists everything has no test point by that");
    z->way = W_EMPTY;
    z->ttl = 300;
    ahead += HEALTH_BAD_MIN + 1;
    v = ask(list, V4, 0, HEALTH_BOTH);
    ok(v.state == HEALTH_GOOD && v.unproven && n_news == 0,
       "it need not have one");
    z->way = W_GOOD;
    ahead += 1;
    v = ask(list, V4, 0, HEALTH_BOTH);
    ok(v.state == HEALTH_GOOD && !v.unproven && n_news == 1
       && heard(0, HEALTH_NEWS_LIFE, V4, 0) && news[0].has_point,
       "it has one: that is news");
    ahead += 1;
    ok(ask(list, V4, 0, HEALTH_BOTH).state == HEALTH_GOOD && n_news == 1,
       "reported once");
    ahead += 86401;
    ok(ask(list, V4, 0, HEALTH_BOTH).state == HEALTH_GOOD && n_news == 2,
       "a day");
    z->way = W_EMPTY;
    ahead += 1;
    v = ask(list, V4, 0, HEALTH_BOTH);
    ok(v.state == HEALTH_GOOD && v.dead,
       "without it the list is dead from then on, where something would end");
    z->way = W_GOOD;
    ahead += 1;
    ok(!ask(list, V4, 0, HEALTH_BOTH).dead, "until it is there again");
    list_unref(list);

    fresh();
    list = list_of("a.test", DOM, NULL);
    z = world("a.test", 0, W_EMPTY, 300);
    z->soa = 3;
    v = ask(list, DOM, 0, HEALTH_BOTH);
    ok(v.state == HEALTH_GOOD && v.unproven && !v.dead, "one of domains");
    z->soa = 2;
    ahead += 1;
    v = ask(list, DOM, 0, HEALTH_BOTH);
    ok(v.state == HEALTH_GOOD && v.dead, "its zone does not exist");
    z->soa = 3;
    ahead += 1;
    ok(!ask(list, DOM, 0, HEALTH_BOTH).dead, "and is there again");
    z->other = 1;
    ahead += 1;
    v = ask(list, DOM, 0, HEALTH_BOTH);
    ok(v.state == HEALTH_GOOD && v.unproven,
       "a machine that is called test is no test point");
    list_unref(list);
}


/* The same without a negative test point. */

static void
test_negative_ttl(void)
{
    list_t            *list, *other;
    zone_t            *z, *y;
    health_verdict_t   v;

    fresh();
    list = list_of("a.test", V4, "ip-positive-only");
    world("a.test", 0, W_GOOD, 300)->soa = 3;
    ok(ask(list, V4, 0, HEALTH_BOTH).negative_ttl == 300,
       "the TTL of its negative answers");
    list_unref(list);

    fresh();
    list = list_of("a.test", V4, "ip");
    other = list_of("b.test", V4, "ip");
    z = world("a.test", 0, W_GOOD, 300);
    y = world("b.test", 0, W_GOOD, 300);
    z->soa = y->soa = 0;
    ok(ask(list, V4, 0, HEALTH_BOTH).negative_ttl == HEALTH_NONE_MAX,
       "a resolver that hides every SOA may keep it for an hour");
    y->soa = 3;
    (void) ask(other, V4, 0, HEALTH_BOTH);
    ahead += 1;
    ok(ask(list, V4, 0, HEALTH_BOTH).negative_ttl == 5,
       "where another list has one it does not");
    z->ttl = 9000;
    z->soa = 2;
    ahead += 1;
    v = ask(list, V4, 0, HEALTH_BOTH);
    ok(v.negative_ttl == HEALTH_NONE_MAX && v.negative_soa == 2,
       "no cache keeps it for longer than an hour");
    z->ttl = 100;
    z->soa = 3;
    ahead += 1;
    v = ask(list, V4, 0, HEALTH_BOTH);
    ok(v.negative_ttl == 100 && v.negative_soa == 3,
       "the value of its own zone");
    z->ttl = 3000;
    z->soa = 2;
    ahead += 1;
    v = ask(list, V4, 0, HEALTH_BOTH);
    ok(v.negative_ttl == 3000 && v.negative_soa == 3,
       "an answer of the zone above does not replace that");
    list_unref(list);
    list_unref(other);
}


/*
 * A run begins while the start of another one is scheduled.  The timer of that
 * must not end the run before the list has responded.
 */

static void
test_timer(void)
{
    double   end;
    list_t  *list;
    told_t   t = { 0 };
    zone_t  *z;

    fresh();
    list = list_of("a.test", V4, "ip");
    z = world("a.test", 0, W_EMPTY, 300);
    z->held = 1;
    put(list, V4, 0, HEALTH_BOTH, &t);
    health_doubt(health, list, V4, 0);
    ok(asked > 0, "a run has started");

    for (end = clock_now() + 0.05; clock_now() < end; ) {
        ev_run(loop, EVRUN_ONCE);
    }

    ok(t.n == 0, "no verdict before the list has responded");
    z->held = 0;
    run_until(&t, 1);
    ok(t.v.state == HEALTH_DOWN, "the verdict follows from the responses");
    list_unref(list);
}


/*
 * The test points of an account's lists wait for its budget one list after the
 * other; all at once, none of them would be complete in the time of a check.
 */

static void
test_budget(void)
{
    double   end;
    list_t  *list;
    told_t   t = { 0 };

    fresh();
    list = list_of("a.test", V4, "ip");
    list->custom = 1;
    list->account = 1;
    world("a.test", 0, W_GOOD, 300);
    behind = 0.02;
    put(list, V4, 0, HEALTH_SAMPLE, &t);

    for (end = clock_now() + 0.1; clock_now() < end; ) {
        ev_run(loop, EVRUN_ONCE);
    }

    ok(asked == 0, "no query while the account's budget is used up");
    behind = 0;
    run_until(&t, 1);
    ok(t.v.state == HEALTH_GOOD, "then the test points are queried");
    list_unref(list);
}


static void
test_many(void)
{
    int              i;
    char             zone[32];
    size_t           at = 0, n = 0;
    list_t          *list;
    health_known_t   known;

    fresh();
    for (i = 0; i < HEALTH_ENTRIES + 500; i++) {
        snprintf(zone, sizeof(zone), "z%d.test", i);
        list = list_of(zone, V4, NULL);
        ask(list, V4, 0, HEALTH_KNOWN);
        list_unref(list);
    }

    while (health_each(health, &at, &known)) {
        n += known.state == HEALTH_GOOD;
    }

    ok(n == HEALTH_ENTRIES, "%zu entries are kept, and no more", n);
}


int
main(void)
{
    loop = ev_default_loop(0);

    test_states();
    test_unsupported();
    test_cache();
    test_passes();
    test_wildcarding();
    test_news();
    test_entry();
    test_negative_ttl();
    test_timer();
    test_budget();
    test_many();

    health_free(health);
    ev_loop_destroy(loop);

    return tap_done();
}
