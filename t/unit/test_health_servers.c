/*
 * Samples of names that no list should contain, and the servers of a list in
 * direct mode.
 */

#include "tap.h"

#include "health_ask.h"


static void
test_sample(void)
{
    unsigned          i, found;
    list_t           *list;
    told_t            t = { 0 };
    double            from;
    health_verdict_t  v;

    fresh();
    list = list_of("a.test", V4, "ip");
    world("a.test", 0, W_GOOD, 300);
    from = clock_now();
    v = ask(list, V4, 0, HEALTH_SAMPLE);
    ok(v.state == HEALTH_GOOD && v.sampled >= from && asked == 27,
       "a sample of 22 names with the test points");
    zones[0].way = W_HALF;
    ahead += 1;
    ok(ask(list, V4, 0, HEALTH_BOTH).state == HEALTH_GOOD,
       "half a wildcard may pass the test points");
    ahead += 1;
    ok(ask(list, V4, 0, HEALTH_SAMPLE).state == HEALTH_WILDCARDING,
       "and never a sample");
    ahead += HEALTH_BAD_MIN + 1;
    ok(ask(list, V4, 0, HEALTH_BOTH).state == HEALTH_WILDCARDING,
       "test points alone do not end that");
    zones[0].way = W_GOOD;
    ahead += 2 * HEALTH_BAD_MIN + 1;
    ok(ask(list, V4, 0, HEALTH_BOTH).state == HEALTH_GOOD,
       "a sample is queried with them");

    zones[0].way = W_NETWORK;

    for (i = found = 0; i < 20; i++) {
        ahead += 1;
        asked = 0;
        v = ask(list, V4, 0, HEALTH_SAMPLE);
        found += v.state == HEALTH_GOOD && asked == 49;
        ok(v.state == HEALTH_GOOD && v.sampled == v.passed,
           "one network is listed in earnest");
    }

    ok(found > 5, "a second draw has shown that (%u times)", found);

    zones[0].way = W_GOOD;
    ahead += 1;
    asked = 0;
    for (i = 0; i < 50; i++) {
        put(list, V4, 0, HEALTH_SAMPLE, &t);
    }

    run_until(&t, 50);
    ok(t.n == 50 && asked == 27, "50 callers together share it");
    (void) put(list, V4, 0, HEALTH_SAMPLE, &t);
    ev_run(loop, EVRUN_ONCE);
    list_unref(list);
    health_free(health);
    health = NULL;
    ok(queries == NULL && t.n == 50, "nothing is left of a dropped caller");
}


static void
test_sample_judge(void)
{
    size_t    i;
    unsigned  hit[2];

    static const struct {
        rbl_family_t      family;
        unsigned          hit[2], draws;
        sample_verdict_t  want;
    } cases[] = {
        { V4, { 0, 0 }, 1, SAMPLE_PASSED },
        { V4, { 1, 0 }, 1, SAMPLE_AGAIN },
        { V4, { 3, 0 }, 1, SAMPLE_AGAIN },
        { V4, { 7, 0 }, 1, SAMPLE_WILD },
        { V4, { 1, 0 }, 2, SAMPLE_PASSED },
        { V4, { 1, 1 }, 2, SAMPLE_PASSED },
        { V4, { 1, 2 }, 2, SAMPLE_PASSED },
        { V4, { 1, 6 }, 2, SAMPLE_WILD },
        { V6, { 3, 4 }, 2, SAMPLE_WILD },
        { DOM, { 1, 0 }, 1, SAMPLE_AGAIN },
        { DOM, { 3, 0 }, 1, SAMPLE_WILD },
        { DOM, { 2, 2 }, 2, SAMPLE_PASSED },
        { DOM, { 1, 2 }, 2, SAMPLE_WILD },
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        hit[0] = cases[i].hit[0];
        hit[1] = cases[i].hit[1];
        ok(health_sample_judge(cases[i].family, hit, cases[i].draws)
           == cases[i].want, "networks %x, then %x: %d", hit[0], hit[1],
           cases[i].want);
    }
}


/* Direct mode: each server is judged separately. */

static void
test_servers(void)
{
    unsigned           i;
    list_t            *list, *more[3];
    health_verdict_t   v;

    fresh();
    direct = 1;
    trusts = 3;
    list = list_of("a.test", V4, "ip");
    world("a.test", 0, W_GOOD, 300)->serial = 7;
    zones[0].soa = 3;
    world("a.test", 1, W_EMPTY, 300);
    v = ask(list, V4, 0, HEALTH_BOTH);
    ok(v.state == HEALTH_GOOD && v.has_serial && v.serial == 7,
       "a good server, and its serial");
    ok(ask(list, V4, 1, HEALTH_BOTH).state == HEALTH_DOWN && trusts == 1,
       "the empty one is not used");
    zones[1].way = W_GOOD;
    health_watch(health, list, V4);
    asked = 0;
    ahead += HEALTH_BAD_MIN + 1;
    health_watch(health, list, V4);

    for (i = 0; i < 200 && trusts != 3; i++) {
        ev_run(loop, EVRUN_ONCE);
    }

    ok(trusts == 3 && asked == 5, "it is queried again when it is due");

    for (i = 0; i < 3; i++) {
        more[i] = list_of(i == 0 ? "b.test" : i == 1 ? "c.test" : "d.test",
                          V4, "ip");
        world(more[i]->zone, 0, W_REFUSED, 300);
    }

    for (i = 0; i < 3; i++) {
        ok(ask(more[i], V4, 0, HEALTH_BOTH).state == HEALTH_BLOCKED,
           "refusals are no fault of the network");
        zones[2 + i].way = W_MUTE;
    }

    zones[0].way = zones[1].way = W_MUTE;
    ahead += HEALTH_BAD_MIN + 1;

    for (i = 0; i < 3; i++) {
        v = ask(more[i], V4, 0, HEALTH_BOTH);
        ahead += HEALTH_GATHER;
    }

    ok(ask(list, V4, 0, HEALTH_BOTH).state == HEALTH_RESOLVER,
       "silence of all of them is");
    direct = 0;

    for (i = 0; i < 3; i++) {
        list_unref(more[i]);
    }

    list_unref(list);
}


int
main(void)
{
    loop = ev_default_loop(0);

    test_sample();
    test_sample_judge();
    test_servers();

    health_free(health);
    ev_loop_destroy(loop);

    return tap_done();
}
