/*
 * Health of lists: what their controls tell, and who is asked how often.
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
        { W_WILD, "ip", V4, HEALTH_LYING },
        { W_WILD, "name:test", DOM, HEALTH_LYING },
        { W_WILD, NULL, V4, HEALTH_LYING },
        { W_WILD, "ip-positive-only", V4, HEALTH_LYING },
        { W_HIJACK, "ip", V4, HEALTH_LYING },
        { W_HIJACK, "ip-positive-only", V4, HEALTH_LYING },
        { W_RETIRED, NULL, V4, HEALTH_LYING },
        { W_ERROR, "ip", V4, HEALTH_BLOCKED },
        { W_MIXED, "ip", V4, HEALTH_LYING },
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

    /* only the IPv4 test entry is there */

    zones[0].zone = "0.0.127.a.test";
    ok(ask(list, V6, 0, HEALTH_KNOWN).state == HEALTH_UNSUPPORTED,
       "no IPv6 test entry while the IPv4 one is there: unsupported");
    ok(ask(list, V4, 0, HEALTH_KNOWN).state == HEALTH_GOOD,
       "the list is good for IPv4");
    ok(ask(six, V6, 0, HEALTH_KNOWN).state == HEALTH_DOWN,
       "a list of IPv6 only without its test entry is down");

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
    ok(t.n == 50 && asked == 5, "50 who ask together: one run, %u questions",
       asked);

    n = asked;
    ok(ask(list, V4, 0, HEALTH_KNOWN).state == HEALTH_GOOD && asked == n,
       "a good one is kept");
    ok(ask(list, V4, 1, HEALTH_KNOWN).state == HEALTH_DOWN,
       "through another resolver it may be another");

    n = asked;
    t.n = 0;
    for (i = 0; i < 50; i++) {
        put(list, V4, 0, HEALTH_NEGATIVE, &t);
    }

    run_until(&t, 50);
    ok(t.n == 50 && asked == n + 8 && t.v.state == HEALTH_GOOD,
       "50 who want the negative control anew: one run for the first, at once,"
       " and one for the others");

    ahead += HEALTH_KEEP + 1;
    n = asked;
    ok(ask(list, V4, 0, HEALTH_KNOWN).state == HEALTH_GOOD && asked == n + 5,
       "after ten minutes it is asked again");

    zones[0].way = W_EMPTY;
    ok(ask(list, V4, 0, HEALTH_KNOWN).state == HEALTH_GOOD,
       "what was good a moment ago is told");
    ok(ask(list, V4, 0, HEALTH_BOTH).state == HEALTH_DOWN,
       "but not to whom who wants both controls anew");

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


static void
test_fetched(void)
{
    list_t           *list;
    double            from;
    health_verdict_t  v;

    fresh();
    world("a.test", 0, W_GOOD, 300);
    list = list_of("a.test", V4, "ip");

    from = dns_clock();
    v = ask(list, V4, 0, HEALTH_BOTH);
    ok(v.state == HEALTH_GOOD && v.positive >= from && v.negative >= from,
       "from the list itself: fetched now");
    from = dns_clock();
    v = ask(list, V4, 0, HEALTH_BOTH);
    ok(v.positive >= from && dns_clock() - from < 1,
       "and the next time at once");

    fresh();
    world("a.test", 0, W_GOOD, 300)->cached = dns_clock() - 100;
    from = dns_clock();
    v = ask(list, V4, 0, HEALTH_BOTH);
    ok(v.state == HEALTH_GOOD && v.positive < from && v.negative >= from
       && v.expires > from + 190 && v.expires < from + 202,
       "from a cache: when is not known, but when it is fetched again");

    zones[0].way = W_EMPTY;
    ok(ask(list, V4, 0, HEALTH_BOTH).state == HEALTH_GOOD,
       "a dead list with its test entry in a cache looks good");
    ok(ask(list, V4, 0, HEALTH_BOTH).positive < from,
       "but it is no proof of anything");
    ahead += 200;
    ok(ask(list, V4, 0, HEALTH_BOTH).state == HEALTH_DOWN,
       "until it has run out");

    fresh();
    world("a.test", 0, W_GOOD, 300)->cached = dns_clock() - 100;
    v = ask(list, V4, 0, HEALTH_BOTH);
    from = dns_clock();
    ahead += 201;
    v = ask(list, V4, 0, HEALTH_BOTH);
    ok(v.state == HEALTH_GOOD && v.positive > from - 2,
       "it has expired and was fetched again");
    list_unref(list);

    fresh();
    list = list_of("none.test", V4, "none");
    from = dns_clock();
    v = ask(list, V4, 0, HEALTH_BOTH);
    ok(v.state == HEALTH_GOOD && v.negative >= from && v.positive == 0
       && v.unproven && v.unasked && asked == 0,
       "a list without controls is taken at its word, where nothing ends");
    list_unref(list);
}


static void
test_sample(void)
{
    list_t  *list;
    told_t   t = { 0 };

    fresh();
    list = list_of("a.test", V4, "ip-positive-only");
    world("a.test", 0, W_WILD, 300);
    health_sample(health, list, V4, 0, on_told, &t);
    run_until(&t, 1);
    ok(t.n == 1 && t.v.state == HEALTH_LYING, "a sample shows it");
    ok(ask(list, V4, 0, HEALTH_KNOWN).state == HEALTH_LYING,
       "and it is known from then on");

    fresh();
    world("a.test", 0, W_GOOD, 300);
    t.n = 0;
    health_sample(health, list, V4, 0, on_told, &t);
    run_until(&t, 1);
    ok(t.n == 1 && t.v.state == HEALTH_GOOD, "one that does not is good");
    health_drop(health_sample(health, list, V4, 0, on_told, &t));
    health_sample(health, list, V4, 0, on_told, &t);
    list_unref(list);
    health_free(health);
    health = NULL;
    ok(questions == NULL && t.n == 1, "nothing is left of what was dropped");
}


/* What is kept of a time in which the list lied. */

static void
test_lies(void)
{
    list_t            *list, *other;
    zone_t            *z;
    told_t             t = { 0 };
    health_verdict_t   v;

    fresh();
    list = list_of("a.test", V4, "ip");
    z = world("a.test", 0, W_GOOD, 300);
    ok(ask(list, V4, 0, HEALTH_NEGATIVE).lies == 0, "it never lied");
    z->way = W_WILD;
    ahead += 1;
    ok(ask(list, V4, 0, HEALTH_NEGATIVE).state == HEALTH_LYING, "it lies");
    z->way = W_GOOD;
    ahead += HEALTH_BAD_MIN;
    v = ask(list, V4, 0, HEALTH_NEGATIVE);
    ok(v.state == HEALTH_GOOD && v.lies > dns_clock() + 300
       && v.lies < dns_clock() + 304, "it is good, but its lies are kept for"
       " their TTL");
    z->ttl = 10;
    ahead += 1;
    ok(ask(list, V4, 0, HEALTH_NEGATIVE).lies == v.lies, "and not for longer");

    z->way = W_HIJACK;
    z->ttl = 1000;
    ahead += 1;
    ok(ask(list, V4, 0, HEALTH_NEGATIVE).state == HEALTH_LYING, "hijacked");
    z->way = W_GOOD;
    ahead += HEALTH_BAD_MIN;
    ok(ask(list, V4, 0, HEALTH_NEGATIVE).lies == v.lies,
       "that makes no listings that are kept");

    z->way = W_WILD;
    health_sample(health, list, V4, 0, on_told, &t);
    run_until(&t, 1);
    ahead += HEALTH_BAD_MIN + 1;
    z->way = W_GOOD;
    v = ask(list, V4, 0, HEALTH_NEGATIVE);
    ok(v.state == HEALTH_GOOD && v.lies < dns_clock() + 900,
       "a sample has shown a lie, and the controls are in order: it may lie"
       " still");
    t.n = 0;
    ahead += 50;
    health_sample(health, list, V4, 0, on_told, &t);
    run_until(&t, 1);
    ok(t.n == 1 && t.v.state == HEALTH_GOOD && t.v.lies > dns_clock() + 999,
       "until a sample is none");

    other = list_of("a.test", V4, "ip-positive-only");
    inside = 1;
    t.n = 0;
    ahead += 1;
    health_ask(health, list, V4, 0, HEALTH_NEGATIVE, on_told, &t);
    ok(health_look(health, other, V4, 0, &v) == 0, "its rules are others now");
    inside = 0;
    run_until(&t, 1);
    ok(t.n == 1 && t.v.state == HEALTH_GOOD && t.v.lies == 0,
       "who waits for a run that these have ended is told");
    list_unref(list);
    list_unref(other);
}


/* What others are told of, and an own list's test entry. */

static health_news_t  news[8];
static unsigned       n_news;


static void
on_news(void *data, const health_news_t *told)
{
    (void) data;

    if (n_news < 8) {
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
    (void) ask(list, V4, 0, HEALTH_NEGATIVE);
    ok(n_news == 1 && heard(0, HEALTH_NEWS_LIE, V4, 300), "it lies");
    ahead += HEALTH_BAD_MIN;
    (void) ask(list, V4, 0, HEALTH_NEGATIVE);
    ok(n_news == 2 && heard(1, HEALTH_NEWS_LIE, V4, 300), "it lies still");
    health_note_listing(health, list, V4, 0, 200);
    ok(n_news == 2, "what lists a host for no longer is no news");
    health_note_listing(health, list, V4, 0, 900);
    ok(n_news == 3 && heard(2, HEALTH_NEWS_LIE, V4, 900), "for longer it is");
    z->way = W_GOOD;
    ahead += 2 * HEALTH_BAD_MIN;
    (void) ask(list, V4, 0, HEALTH_NEGATIVE);
    ok(n_news == 4 && heard(3, HEALTH_NEWS_TRUTH, V4, 0), "not any more");
    health_note_listing(health, list, V4, 0, 9000);
    ok(n_news == 4, "what it lists then is no lie");
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
    ok(ask(list, V4, 0, HEALTH_BOTH).state == HEALTH_LYING && n_news == 0,
       "an own list that lists everything has no test entry by that");
    z->way = W_EMPTY;
    z->ttl = 300;
    ahead += HEALTH_BAD_MIN + 1;
    v = ask(list, V4, 0, HEALTH_BOTH);
    ok(v.state == HEALTH_GOOD && v.unproven && v.positive == 0 && n_news == 0,
       "it need not have one");
    z->way = W_GOOD;
    ahead += 1;
    v = ask(list, V4, 0, HEALTH_BOTH);
    ok(v.state == HEALTH_GOOD && !v.unproven && n_news == 1
       && heard(0, HEALTH_NEWS_LIFE, V4, 0) && news[0].entry,
       "it has one: that is news");
    ok(v.positive != 0, "and a control");
    ahead += 1;
    ok(ask(list, V4, 0, HEALTH_BOTH).state == HEALTH_GOOD && n_news == 1,
       "told once");
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
    ok(v.state == HEALTH_GOOD && v.dead, "whose zone has gone");
    z->soa = 3;
    ahead += 1;
    ok(!ask(list, DOM, 0, HEALTH_BOTH).dead, "and is there again");
    z->other = 1;
    ahead += 1;
    v = ask(list, DOM, 0, HEALTH_BOTH);
    ok(v.state == HEALTH_GOOD && v.unproven,
       "a machine that is called test is no test entry");
    list_unref(list);
}


/* Without a negative control too. */

static void
test_negative_ttl(void)
{
    list_t            *list;
    zone_t            *z;
    health_verdict_t   v;

    fresh();
    list = list_of("a.test", V4, "ip-positive-only");
    world("a.test", 0, W_GOOD, 300);
    ok(ask(list, V4, 0, HEALTH_BOTH).negative_ttl == 300,
       "how long it keeps that a name is not there");
    list_unref(list);

    fresh();
    list = list_of("a.test", V4, "ip");
    z = world("a.test", 0, W_GOOD, 9000);
    z->soa = 0;
    ok(ask(list, V4, 0, HEALTH_BOTH).ageless, "it has never told an SOA");
    z->soa = 2;
    ahead += 1;
    v = ask(list, V4, 0, HEALTH_BOTH);
    ok(v.negative_ttl == 9000 && v.negative_soa == 2, "as the zone above says");
    ok(!v.ageless, "now it has");
    z->ttl = 100;
    z->soa = 3;
    ahead += 1;
    v = ask(list, V4, 0, HEALTH_BOTH);
    ok(v.negative_ttl == 100 && v.negative_soa == 3,
       "until it is there itself");
    z->ttl = 9000;
    z->soa = 2;
    ahead += 1;
    v = ask(list, V4, 0, HEALTH_BOTH);
    ok(v.negative_ttl == 9000 && v.negative_soa == 2,
       "what its test entry vouches for holds");
    z->cached = dns_clock();
    z->soa = 3;
    z->ttl = 60;
    ahead += 1;
    (void) ask(list, V4, 0, HEALTH_BOTH);
    z->soa = 2;
    ahead += 1;
    v = ask(list, V4, 0, HEALTH_BOTH);
    ok(v.negative_ttl == 60 && v.negative_soa == 3,
       "where that is kept somewhere, it does not");
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
    test_fetched();
    test_sample();
    test_lies();
    test_news();
    test_entry();
    test_negative_ttl();
    test_many();

    health_free(health);
    ev_loop_destroy(loop);

    return tap_done();
}
