/*
 * News in resolver mode: do the waits go on through any resolver, or only
 * through the same one?
 */

#include "tap.h"

#include "check/verdict/gate.h"

#define NOW  100000.0


static gate_answer_t
answer(rbl_verdict_t raw)
{
    gate_answer_t  a;

    memset(&a, 0, sizeof(a));
    a.raw = raw;
    a.current = raw == RBL_CLEAR;
    a.at = a.now = NOW;
    a.ttl = a.minimum = 300;
    a.soa = 4;

    return a;
}


/* Its test points were queried just now. */

static health_verdict_t
health(void)
{
    health_verdict_t  v;

    memset(&v, 0, sizeof(v));
    v.state = HEALTH_GOOD;
    v.passed = v.sampled = NOW + 1;
    v.positive_ttl = 600;
    v.negative_ttl = 300;
    v.negative_soa = 4;
    v.keeps_soa = 1;

    return v;
}


/*
 * The gate knows how long any cache may keep a response if this shows MINIMUM
 * as the list has it, and if no TTL reaches the limits of caches.  Otherwise
 * the waits go on through the same resolver only.
 */

static void
test_any(void)
{
    size_t            i;
    gate_t            g;
    gate_answer_t     a;
    health_verdict_t  v;

    static const struct {
        const char  *name;
        int          any;
        unsigned     keeps_soa:1, addresses:1;
        unsigned     soa;               /* of response and list */
        uint32_t     minimum, negative_ttl, positive_ttl;
    } cases[] = {
        { "a resolver that keeps SOA records", 1, 1, 0, 4, 300, 300, 600 },
        { "a resolver that may not keep them", 0, 0, 0, 4, 300, 300, 600 },
        { "a response with an address", 0, 1, 1, 4, 300, 300, 600 },
        { "a response without an SOA record", 0, 1, 0, 0, 300, 300, 600 },
        { "no TTL of negative responses", 1, 1, 0, 4, 0, 0, 600 },
        { "MINIMUM just below an hour", 1, 1, 0, 4, 3599, 300, 600 },
        { "MINIMUM of an hour", 0, 1, 0, 4, 3600, 300, 600 },
        { "MINIMUM of an hour with the test points", 0, 1, 0, 4, 300, 3600,
          600 },
        { "a test point for nearly a day", 1, 1, 0, 4, 300, 300, 86399 },
        { "a test point for a day", 0, 1, 0, 4, 300, 300, 86400 },
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        a = answer(RBL_CLEAR);
        a.addresses = cases[i].addresses;
        a.soa = cases[i].soa;
        a.minimum = cases[i].minimum;
        v = health();
        v.keeps_soa = cases[i].keeps_soa;
        v.negative_soa = cases[i].soa;
        v.negative_ttl = cases[i].negative_ttl;
        v.positive_ttl = cases[i].positive_ttl;
        g = gate_judge(&a, &v);
        ok(g.waits.n == 2 && g.waits.any == cases[i].any,
           "an end through %s resolver: %s", cases[i].any ? "any" : "the same",
           cases[i].name);
    }
}


/* A daemon that has just started does not begin waits again. */

static void
test_start(void)
{
    gate_t            g;
    gate_answer_t     a;
    health_verdict_t  v;

    a = answer(RBL_CLEAR);
    v = health();
    v.keeps_soa = 0;
    v.soa_asked = 1;
    g = gate_judge(&a, &v);
    ok(g.error == RBL_ERR_UNCONFIRMED && !g.evidence && g.recheck < 2,
       "an end while the resolver is being measured: a moment later again");
    v.keeps_soa = 1;
    g = gate_judge(&a, &v);
    ok(g.waits.n == 2 && g.waits.any && g.waits.ttl == 600,
       "another list has shown that it keeps SOA records: the waits go on");
    v.keeps_soa = v.soa_asked = 0;
    g = gate_judge(&a, &v);
    ok(g.waits.n == 2 && !g.waits.any,
       "it is not known in the end: through the same resolver");
}


static void
test_listing(void)
{
    gate_t            g;
    gate_answer_t     a;
    health_verdict_t  v;

    a = answer(RBL_LISTED);
    v = health();
    g = gate_judge(&a, &v);
    ok(g.waits.n == 1 && !g.waits.any,
       "a new listing is seen again through the same resolver");
}


int
main(void)
{
    test_any();
    test_start();
    test_listing();

    return tap_done();
}
