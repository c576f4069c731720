/*
 * Health of lists: whether a list or its resolver is to blame, and the
 * consequences of a response that does not count.
 */

#include "tap.h"

#include "health_ask.h"


/* A list that never had a test point does not need it. */

static way_t
own_way(way_t way, int i)
{
    return way == W_NODATA && i == 3 ? W_EMPTY : W_GOOD;
}


static void
test_resolver(void)
{
    int               i;
    list_t           *list[4];
    told_t            t[4];
    unsigned          n;
    const char       *names[] = { "a.test", "b.test", "c.test", "d.test" };
    static const way_t  ways[] = { W_MUTE, W_NODATA, W_HIJACK };
    unsigned          w;
    health_verdict_t  v;

    for (i = 0; i < 4; i++) {
        list[i] = list_of(names[i], V4, i == 3 ? NULL : "ip");
    }

    for (w = 0; w < 3; w++) {
        fresh();
        for (i = 0; i < 4; i++) {
            world(names[i], 0, own_way(ways[w], i), 300);
            world(names[i], 1, W_GOOD, 300);
            ask(list[i], V4, 0, HEALTH_KNOWN);
        }

        ahead += HEALTH_KEEP / 2;
        zones[0].way = ways[w];
        v = ask(list[0], V4, 0, HEALTH_BOTH);
        ok(health_bad(v.state), "way %d, one list: it is the list", ways[w]);
        ok(ask(list[1], V4, 0, HEALTH_KNOWN).state == HEALTH_GOOD,
           "way %d: another list stays good", ways[w]);

        zones[0].way = W_GOOD;
        ahead += HEALTH_BAD_MIN + 1;
        ok(ask(list[0], V4, 0, HEALTH_KNOWN).state == HEALTH_GOOD,
           "way %d: it is back", ways[w]);

        ahead += 10;
        for (i = 0; i < 8; i += 2) {
            zones[i].way = ways[w] == W_NODATA && i == 6 ? W_EMPTY : ways[w];
        }

        v = ask(list[1], V4, 0, HEALTH_BOTH);
        ok(v.state == HEALTH_RESOLVER, "way %d, all lists: the resolver",
           ways[w]);
        n = asked;
        ok(ask(list[0], V4, 0, HEALTH_KNOWN).state == HEALTH_RESOLVER
           && ask(list[3], V4, 0, HEALTH_BOTH).state == HEALTH_RESOLVER
           && asked == n, "way %d: of every list, at once", ways[w]);
        ok(ask(list[0], V4, 1, HEALTH_KNOWN).state == HEALTH_GOOD,
           "way %d: another resolver is not concerned", ways[w]);

        ahead += HEALTH_LOST_MIN + 1;
        ok(ask(list[3], V4, 0, HEALTH_KNOWN).state == HEALTH_RESOLVER,
           "way %d: it is still to blame", ways[w]);

        for (i = 0; i < 8; i++) {
            zones[i].way = W_GOOD;
        }

        ahead += HEALTH_LOST_MIN * 2 + 1;
        memset(t, 0, sizeof(t));
        for (i = 0; i < 4; i++) {
            put(list[i], V4, 0, HEALTH_KNOWN, &t[i]);
        }

        for (i = 0; i < 4; i++) {
            run_until(&t[i], 1);
        }

        ahead += HEALTH_LOST_MAX + 1;
        ok(ask(list[3], V4, 0, HEALTH_KNOWN).state == HEALTH_GOOD
           && ask(list[0], V4, 0, HEALTH_KNOWN).state == HEALTH_GOOD,
           "way %d: it is good again, and the lists with it", ways[w]);
    }

    for (i = 0; i < 4; i++) {
        list_unref(list[i]);
    }
}


/* After a response that is no verdict the test points are queried, but not each
   time. */

static void
test_doubt(void)
{
    unsigned          n;
    list_t           *list;
    health_verdict_t  v;

    fresh();
    world("a.test", 0, W_GOOD, 300);
    list = list_of("a.test", V4, "ip");
    (void) ask(list, V4, 0, HEALTH_KNOWN);
    zones[0].way = W_SERVFAIL;

    n = asked;
    health_doubt(health, list, V4, 0);
    ahead += HEALTH_BAD_MIN / 2;
    health_doubt(health, list, V4, 0);
    ok(asked == n,
       "a list whose test points were just queried is not in doubt");

    ahead += HEALTH_BAD_MIN;
    health_doubt(health, list, V4, 0);
    health_doubt(health, list, V4, 0);
    v = ask(list, V4, 0, HEALTH_KNOWN);
    ok(asked == n + 5 && v.state == HEALTH_DOWN, "later it is: one run");

    fresh();
    health_retry_after(health, 1);
    world("a.test", 0, W_GOOD, 300);
    (void) ask(list, V4, 0, HEALTH_KNOWN);
    zones[0].way = W_SERVFAIL;
    ahead += 1.5;
    n = asked;
    health_doubt(health, list, V4, 0);
    v = ask(list, V4, 0, HEALTH_KNOWN);
    ok(asked == n + 5 && v.state == HEALTH_DOWN,
       "sooner with a shorter retry of bad lists");

    list_unref(list);
}


/* The good lists must have responded before the resolver is blamed. */

static void
test_heard(void)
{
    size_t        i, k;
    list_t       *list[5];
    told_t        t[4];
    const char   *names[] = { "a.test", "b.test", "c.test", "d.test",
                              "e.test" };

    static const struct {
        way_t        way;
        double       slow;      /* time of the slowest response */
        const char  *what;
    } cases[] = {
        { W_MUTE, 1.5, "after those that are slow" },
        { W_NODATA, 0, "though only its negative test point is known" }
    };

    for (i = 0; i < 5; i++) {
        list[i] = list_of(names[i], V4, "ip");
    }

    for (k = 0; k < 2; k++) {
        fresh();
        for (i = 0; i < 5; i++) {
            world(names[i], 0, W_GOOD, 300);
            (void) ask(list[i], V4, 0, HEALTH_KNOWN);
        }

        ahead += HEALTH_KEEP / 2;
        if (cases[k].slow == 0) {
            (void) ask(list[4], V4, 0, HEALTH_BOTH);
        }

        memset(t, 0, sizeof(t));
        zones[3].held = 1;
        for (i = 0; i < 4; i++) {
            zones[i].way = cases[k].way;
            (void) put(list[i], V4, 0, HEALTH_BOTH, &t[i]);
        }

        for (i = 0; i < 20; i++) {
            ev_run(loop, EVRUN_ONCE);
        }

        ahead += cases[k].slow;
        zones[3].held = 0;
        for (i = 0; i < 4; i++) {
            run_until(&t[i], 1);
            ok(t[i].v.state == HEALTH_DOWN, "of five lists four fail, the other"
               " is heard %s: it is list %zu", cases[k].what, i);
        }

        ok(ask(list[4], V4, 0, HEALTH_KNOWN).state == HEALTH_GOOD,
           "the other one is good");
    }

    for (i = 0; i < 5; i++) {
        list_unref(list[i]);
    }
}


/* Failures may be quick while a good response needs its time. */

static void
test_late(void)
{
    size_t        i;
    list_t       *list[4];
    told_t        t[4];
    const char   *names[] = { "a.test", "b.test", "c.test", "d.test" };

    fresh();
    memset(t, 0, sizeof(t));

    for (i = 0; i < 4; i++) {
        list[i] = list_of(names[i], V4, "ip");
        world(names[i], 0, i < 3 ? W_SERVFAIL : W_GOOD, 300);
    }

    for (i = 0; i < 3; i++) {
        (void) put(list[i], V4, 0, HEALTH_KNOWN, &t[i]);
    }

    for (i = 0; i < 20; i++) {
        ev_run(loop, EVRUN_NOWAIT);
    }

    (void) put(list[3], V4, 0, HEALTH_KNOWN, &t[3]);
    run_until(&t[3], 1);
    ok(t[3].v.state == HEALTH_GOOD, "three lists fail, then one is good");

    for (i = 0; i < 3; i++) {
        run_until(&t[i], 1);
        ok(t[i].v.state == HEALTH_DOWN, "it was not the resolver: %s",
           names[i]);
    }

    for (i = 0; i < 4; i++) {
        list_unref(list[i]);
    }
}


/*
 * The fourth list is a local copy, which the resolver serves: the operator gave
 * its servers.  It is good at first, as the others are.
 */

static void
test_given(void)
{
    size_t             i, k;
    list_t            *list[4];
    health_verdict_t   v;
    const char        *names[] = { "a.test", "b.test", "c.test",
                                   "copy.test" };

    static const struct {
        way_t           others, copy;
        health_state_t  is, copy_is;
        const char     *what;
    } cases[] = {
        { W_SERVFAIL, W_GOOD, HEALTH_RESOLVER, HEALTH_GOOD,
          "the resolver has no network" },
        { W_MUTE, W_GOOD, HEALTH_RESOLVER, HEALTH_GOOD,
          "the resolver waits for its network" },
        { W_NODATA, W_GOOD, HEALTH_RESOLVER, HEALTH_GOOD,
          "the resolver removes addresses" },
        { W_MUTE, W_MUTE, HEALTH_RESOLVER, HEALTH_RESOLVER,
          "the resolver is dead" },
        { W_REFUSED, W_REFUSED, HEALTH_RESOLVER, HEALTH_RESOLVER,
          "the resolver refuses" },
        { W_GOOD, W_MUTE, HEALTH_GOOD, HEALTH_DOWN, "the copy is dead" }
    };

    for (i = 0; i < 4; i++) {
        list[i] = list_of(names[i], V4, "ip");
        list[i]->n_servers = i == 3;
    }

    for (k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        fresh();
        for (i = 0; i < 4; i++) {
            world(names[i], 0, W_GOOD, 300);
            (void) ask(list[i], V4, 0, HEALTH_KNOWN);
        }

        ahead += HEALTH_KEEP / 2;
        for (i = 0; i < 4; i++) {
            zones[i].way = i == 3 ? cases[k].copy : cases[k].others;
        }

        v = ask(list[3], V4, 0, HEALTH_BOTH);
        ok(v.state == cases[k].copy_is, "%s: the copy is asked first",
           cases[k].what);
        v = ask(list[0], V4, 0, HEALTH_BOTH);
        ok(v.state == cases[k].is, "%s: another list", cases[k].what);
        v = ask(list[3], V4, 0, HEALTH_BOTH);
        ok(v.state == cases[k].copy_is, "%s: the copy is asked again",
           cases[k].what);
        ok(ask(list[1], V4, 0, HEALTH_KNOWN).state == cases[k].is,
           "%s: the copy changes nothing for other lists", cases[k].what);

        ahead += HEALTH_BAD_MIN + HEALTH_LOST_MAX + 1;
        for (i = 0; i < 4; i++) {
            zones[i].way = W_GOOD;
        }

        ok(ask(list[0], V4, 0, HEALTH_KNOWN).state == HEALTH_GOOD
           && ask(list[3], V4, 0, HEALTH_KNOWN).state == HEALTH_GOOD,
           "%s: all is good again", cases[k].what);
    }

    for (i = 0; i < 4; i++) {
        list_unref(list[i]);
    }
}


int
main(void)
{
    loop = ev_default_loop(0);

    test_resolver();
    test_doubt();
    test_heard();
    test_late();
    test_given();

    health_free(health);
    ev_loop_destroy(loop);

    return tap_done();
}
