/*
 * Direct mode: lists that cannot be reached, and when DNS is at fault.
 */

#include "tap.h"

#include "health_ask.h"

#define LISTS  4

static list_t      *list[LISTS];
static const char  *names[] = { "a.test", "b.test", "c.test", "d.test" };


static health_dns_kind_t
dns_kind(void)
{
    health_dns_t  dns;

    health_dns(health, &dns);

    return dns.kind;
}


/* Time passes, and all that is under way ends. */

static void
turn(double seconds)
{
    unsigned  i;

    ahead += seconds;

    for (i = 0; i < 2000 && ev_run(loop, EVRUN_ONCE); i++) { /* void */ }
}


/* The state of the list as counters and metrics get it; -1: not known. */

static int
shown(const list_t *l)
{
    int             state;
    size_t          at;
    health_known_t  known;

    for (at = 0, state = -1; health_each(health, &at, &known); /* void */) {
        if (strcmp(known.zone, l->zone) == 0) {
            state = state == HEALTH_UNREACHABLE ? state : (int) known.state;
        }
    }

    return state;
}


static void
direct_world(way_t way)
{
    size_t  i;

    fresh();
    direct = 1;
    n_servers = 2;
    resolvers = DNS_NOERROR;

    for (i = 0; i < LISTS; i++) {
        world(names[i], 0, way, 300);
        world(names[i], 1, way, 300);
    }
}


static void
unfound(size_t n, dns_status_t search)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        (void) health_unfound(health, list[i], search);
    }
}


/* The number of lists, the failure of the search, the resolvers' own response,
   and the result. */

static void
test_unfound(void)
{
    size_t  i, k;

    static const struct {
        size_t             lists;
        dns_status_t       search, resolvers;
        health_dns_kind_t  dns;
        const char        *what;
    } cases[] = {
        { 3, DNS_TIMEOUT, DNS_TIMEOUT, HEALTH_DNS_RESOLVER,
          "a silent resolver is at fault, not three lists" },
        { 3, DNS_REFUSED, DNS_REFUSED, HEALTH_DNS_RESOLVER,
          "a resolver that refuses is at fault, not three lists" },
        { 3, DNS_SERVFAIL, DNS_NOERROR, HEALTH_DNS_RESOLVER,
          "a resolver that fails for three owners is at fault" },
        { 3, DNS_NETWORK, DNS_NETWORK, HEALTH_DNS_RESOLVER,
          "a resolver without a network is at fault" },
        { 4, DNS_NXDOMAIN, DNS_NOERROR, HEALTH_DNS_WORKS,
          "zones that do not exist are no fault of DNS" },
        { 4, DNS_NOERROR, DNS_NOERROR, HEALTH_DNS_WORKS,
          "zones without usable servers are no fault of DNS" },
        { 4, DNS_NXDOMAIN, DNS_NXDOMAIN, HEALTH_DNS_RESOLVER,
          "a resolver that denies all names is at fault" },
        { 1, DNS_NOERROR, DNS_NXDOMAIN, HEALTH_DNS_RESOLVER,
          "a resolver that denies all names is at fault, with one list, too" },
        { 2, DNS_SERVFAIL, DNS_NOERROR, HEALTH_DNS_WORKS,
          "two lists are at fault while the resolver answers" },
        { 2, DNS_TIMEOUT, DNS_TIMEOUT, HEALTH_DNS_RESOLVER,
          "two lists are not at fault if the resolver is silent" },
        { 1, DNS_REFUSED, DNS_REFUSED, HEALTH_DNS_RESOLVER,
          "one list is not at fault if the resolver refuses" },
    };

    for (k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        direct_world(W_GOOD);
        n_servers = 0;
        resolvers = cases[k].resolvers;
        unfound(cases[k].lists, cases[k].search);
        ok(shown(list[0]) == HEALTH_UNREACHABLE,
           "%s: a list is shown as unreachable at once", cases[k].what);
        turn(1);
        turn(0);
        ok(dns_kind() == cases[k].dns, "%s", cases[k].what);
        ok(shown(list[0]) == (cases[k].dns != HEALTH_DNS_WORKS
                              ? HEALTH_RESOLVER : HEALTH_UNREACHABLE),
           "%s: so the list is shown", cases[k].what);

        n_servers = 2;

        for (i = 0; i < cases[k].lists; i++) {
            health_heard(health, list[i], V4, 0, DNS_NXDOMAIN);
        }

        ok(shown(list[0]) == -1, "%s: after a response it is unreachable no"
           " longer", cases[k].what);
        turn(HEALTH_DNS_SURE + 1);
        health_heard(health, list[0], V4, 0, DNS_NXDOMAIN);
        ok(dns_kind() == HEALTH_DNS_WORKS, "%s: DNS works again after ten"
           " seconds", cases[k].what);
    }
}


/* All have name servers, and these are silent. */

static void
test_silent(void)
{
    size_t            i;
    health_verdict_t  v;

    direct_world(W_GOOD);

    for (i = 0; i < LISTS; i++) {
        (void) ask(list[i], V4, 0, HEALTH_KNOWN);
    }

    turn(20);

    for (i = 0; i < n_zones; i++) {
        zones[i].way = W_MUTE;
    }

    v = ask(list[0], V4, 0, HEALTH_BOTH);
    turn(0);
    ok(v.state == HEALTH_RESOLVER && dns_kind() == HEALTH_DNS_UDP,
       "DNS is at fault if no name server answers and the resolver does");

    zones[0].way = W_REFUSED;
    health_heard(health, list[0], V4, 0, DNS_REFUSED);
    ok(dns_kind() == HEALTH_DNS_UDP && shown(list[1]) != HEALTH_RESOLVER,
       "the first response ends the blame, and not yet the report");
    turn(HEALTH_DNS_SURE / 2);
    health_heard(health, list[0], V4, 0, DNS_REFUSED);
    ok(dns_kind() == HEALTH_DNS_UDP, "five seconds are not enough");

    turn(20);
    zones[0].way = W_MUTE;
    for (i = 0; i < 3; i++) {
        health_test(health, list[i], V4, 0);
    }

    turn(1);
    ok(shown(list[0]) == HEALTH_RESOLVER && dns_kind() == HEALTH_DNS_UDP,
       "silence begins again within one report");
    turn(HEALTH_DNS_SURE + 1);
    health_heard(health, list[0], V4, 0, DNS_NOERROR);
    ok(dns_kind() == HEALTH_DNS_UDP, "the ten seconds begin again");
    turn(HEALTH_DNS_SURE + 1);
    health_heard(health, list[0], V4, 0, DNS_NOERROR);
    ok(dns_kind() == HEALTH_DNS_WORKS, "DNS works after ten seconds");

    direct_world(W_TRUNCATED);
    for (i = 0; i < 3; i++) {
        health_test(health, list[i], V4, 0);
    }

    turn(1);
    turn(0);
    ok(dns_kind() == HEALTH_DNS_TCP,
       "TCP is at fault if all responses are truncated over it");

    direct_world(W_MUTE);
    resolvers = DNS_TIMEOUT;
    for (i = 0; i < 3; i++) {
        health_test(health, list[i], V4, 0);
    }

    turn(1);
    turn(0);
    ok(dns_kind() == HEALTH_DNS_RESOLVER,
       "the resolver is at fault if it is silent, too");
}


/* A list comes and goes while others respond. */

static void
test_one(void)
{
    int     i;
    size_t  k;

    direct_world(W_GOOD);

    for (k = 1; k < LISTS; k++) {
        (void) ask(list[k], V4, 0, HEALTH_KNOWN);
    }

    for (i = 0; i < 5; i++) {
        n_servers = 0;
        unfound(1, DNS_SERVFAIL);
        turn(1);
        ok(shown(list[0]) == HEALTH_UNREACHABLE
           && dns_kind() == HEALTH_DNS_WORKS
           && shown(list[1]) == HEALTH_GOOD,
           "only the list that goes is unreachable, time %d", i);
        n_servers = 2;
        health_heard(health, list[0], V4, 0, DNS_NXDOMAIN);
        ok(shown(list[0]) == -1, "it is back, time %d", i);
        turn(60);
    }
}


/* The only two lists: one goes just after the other has responded. */

static void
test_two(void)
{
    direct_world(W_GOOD);
    (void) ask(list[1], V4, 0, HEALTH_KNOWN);
    turn(2);
    zones[2].way = zones[3].way = W_MUTE;
    resolvers = DNS_TIMEOUT;
    n_servers = 0;
    unfound(1, DNS_TIMEOUT);
    turn(1);
    ok(dns_kind() == HEALTH_DNS_WORKS && shown(list[0]) == HEALTH_UNREACHABLE,
       "one of two lists is at fault if the other has just responded");
    turn(20);
    unfound(1, DNS_TIMEOUT);
    turn(1);
    turn(0);
    ok(dns_kind() == HEALTH_DNS_RESOLVER,
       "later the silent resolver is at fault");
}


/* A list whose servers the operator gave answers, perhaps on this machine. */

static void
test_given(void)
{
    size_t            i;
    list_t           *given;
    health_verdict_t  v;

    given = list_of("given.test", V4, "ip");
    given->n_servers = 1;

    direct_world(W_GOOD);
    world("given.test", 0, W_GOOD, 300);
    v = ask(given, V4, 0, HEALTH_KNOWN);
    ok(v.state == HEALTH_GOOD, "a list with given servers is good");
    n_servers = 0;
    resolvers = DNS_TIMEOUT;

    for (i = 0; i < 3; i++) {
        (void) health_unfound(health, list[i], DNS_TIMEOUT);
        health_heard(health, given, V4, 0, DNS_NOERROR);
    }

    turn(1);
    health_heard(health, given, V4, 0, DNS_NOERROR);
    turn(0);
    ok(dns_kind() == HEALTH_DNS_RESOLVER && shown(list[0]) == HEALTH_RESOLVER,
       "its responses do not hide that the resolver is silent");
    ok(shown(given) == HEALTH_GOOD, "the list itself stays good");
    v = ask(given, V4, 0, HEALTH_BOTH);
    ok(v.state == HEALTH_GOOD && dns_kind() == HEALTH_DNS_RESOLVER,
       "its test points pass, and DNS does not work");
    ok(health_quiet(health) > 0.5, "it is no list that idle daemons wait for");

    turn(HEALTH_BAD_MIN + 1);
    zones[n_zones - 1].way = W_MUTE;
    health_test(health, given, V4, 0);
    turn(1);
    ok(shown(given) == HEALTH_DOWN, "it is down by its own fault");
    zones[n_zones - 1].way = W_GOOD;
    health_test(health, given, V4, 0);
    turn(HEALTH_BAD_MIN + 1);
    health_test(health, given, V4, 0);
    turn(1);
    ok(shown(given) == HEALTH_GOOD, "it is good again");

    n_servers = 2;
    health_heard(health, list[0], V4, 0, DNS_NOERROR);
    ok(shown(list[1]) == HEALTH_UNTRIED,
       "another list is not known after the first response");
    turn(HEALTH_DNS_SURE + 1);
    health_heard(health, given, V4, 0, DNS_NOERROR);
    ok(dns_kind() == HEALTH_DNS_RESOLVER, "its response does not end the"
       " report");
    health_heard(health, list[0], V4, 0, DNS_NOERROR);
    ok(dns_kind() == HEALTH_DNS_WORKS, "DNS works when another list responds");

    direct_world(W_MUTE);
    world("given.test", 0, W_GOOD, 300);
    for (i = 0; i < 3; i++) {
        health_test(health, list[i], V4, 0);
        (void) ask(given, V4, 0, HEALTH_KNOWN);
    }

    turn(1);
    turn(0);
    ok(dns_kind() == HEALTH_DNS_UDP && shown(given) == HEALTH_GOOD,
       "nor do they hide that port 53 is closed");
    ahead += HEALTH_SEARCHED;
    health_heard(health, given, V4, 0, DNS_NOERROR);
    turn(HEALTH_DNS_SURE + 1);
    health_heard(health, given, V4, 0, DNS_NOERROR);
    ok(dns_kind() == HEALTH_DNS_WORKS,
       "without other lists in use, its responses count");

    direct_world(W_GOOD);
    n_servers = 0;
    resolvers = DNS_TIMEOUT;
    health_heard(health, given, V4, 0, DNS_NOERROR);
    (void) health_unfound(health, list[0], DNS_TIMEOUT);
    turn(1);
    turn(0);
    ok(dns_kind() == HEALTH_DNS_RESOLVER,
       "a response just before the first search does not count either");

    direct_world(W_GOOD);
    world("given.test", 0, W_MUTE, 300);
    resolvers = DNS_TIMEOUT;
    health_test(health, given, V4, 0);
    turn(1);
    turn(0);
    ok(dns_kind() == HEALTH_DNS_RESOLVER,
       "as the only list it is judged like any other");
    list_unref(given);
}


/* A list that was silent for long responds to a check. */

static void
test_back(void)
{
    unsigned  i;

    direct_world(W_GOOD);
    (void) ask(list[0], V4, 0, HEALTH_KNOWN);
    zones[0].way = W_MUTE;

    for (i = 0; i < 6; i++) {
        turn(HEALTH_BAD_MAX);
        health_heard(health, list[1], V4, 0, DNS_NXDOMAIN);
        health_test(health, list[0], V4, 0);
    }

    turn(1);
    ok(shown(list[0]) == HEALTH_DOWN, "a silent list is down");
    zones[0].way = W_GOOD;
    health_heard(health, list[0], V4, 0, DNS_NXDOMAIN);
    turn(1);
    ok(shown(list[0]) == HEALTH_DOWN,
       "its test points are not queried again and again");
    turn(HEALTH_BAD_MIN);
    health_heard(health, list[0], V4, 0, DNS_NXDOMAIN);
    turn(1);
    ok(shown(list[0]) == HEALTH_GOOD, "it is good soon after a response");
}


/* Lists of one owner fail, and those of one account. */

static void
test_owners(void)
{
    size_t       i, k;
    list_t      *l;
    static const char  *zone[2][3] = {
        { "x.one.test", "y.one.test", "z.one.test" },
        { "x.test", "y.test", "z.test" }
    };

    for (k = 0; k < 2; k++) {
        direct_world(W_GOOD);
        n_servers = 0;

        for (i = 0; i < 3; i++) {
            l = list_of(zone[k][i], V4, k == 0 ? "ip" : NULL);
            (void) health_unfound(health, l, DNS_SERVFAIL);
            list_unref(l);
        }

        turn(1);
        turn(0);
        ok(dns_kind() == HEALTH_DNS_WORKS, k == 0
           ? "DNS is not at fault if three lists of one owner fail"
           : "DNS is not at fault if three lists of one account fail");
    }
}


int
main(void)
{
    size_t  i;

    loop = ev_default_loop(0);

    for (i = 0; i < LISTS; i++) {
        list[i] = list_of(names[i], V4, "ip");
    }

    test_unfound();
    test_silent();
    test_one();
    test_two();
    test_given();
    test_back();
    test_owners();

    for (i = 0; i < LISTS; i++) {
        list_unref(list[i]);
    }

    health_free(health);
    ev_loop_destroy(loop);

    return tap_done();
}
