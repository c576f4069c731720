/*
 * The decision: every response, with and without a current listing, for every
 * state of the list.  The rules are repeated here as tables.
 */

#include "tap.h"

#include "check/verdict/gate.h"

#include <stdlib.h>

#define NOW  100000.0

#define U  RBL_UNKNOWN
#define C  RBL_CLEAR
#define L  RBL_LISTED
#define S  RBL_SKIPPED

static const char *const  verdicts[] = { "clear", "listed", "unknown",
                                         "skipped" };


static gate_answer_t
answer(rbl_verdict_t raw, int stands)
{
    gate_answer_t  a;

    memset(&a, 0, sizeof(a));
    a.raw = raw;
    a.current = stands;
    a.at = a.now = NOW;
    a.ttl = a.minimum = 300;
    a.soa = 4;

    return a;
}


/* Its test points were queried just now. */

static health_verdict_t
health(health_state_t state)
{
    health_verdict_t  v;

    memset(&v, 0, sizeof(v));
    v.state = state;
    v.passed = v.sampled = NOW + 1;
    v.positive_ttl = 600;
    v.negative_ttl = 300;
    v.negative_soa = 4;
    v.recalled = 1;

    return v;
}


static void
test_need(void)
{
    size_t         i;
    gate_answer_t  a;
    health_need_t  need;

    static const struct {
        rbl_verdict_t  raw;
        int            stands;
        gate_need_t    needs;
        health_need_t  need;
    } cases[] = {
        { U, 0, GATE_NO_VERDICT, HEALTH_KNOWN },
        { U, 1, GATE_NO_VERDICT, HEALTH_KNOWN },
        { S, 1, GATE_NO_VERDICT, HEALTH_KNOWN },
        { C, 0, GATE_AS_KNOWN, HEALTH_KNOWN },
        { C, 1, GATE_NEWS, HEALTH_BOTH },
        { L, 0, GATE_NEWS, HEALTH_SAMPLE },
        { L, 1, GATE_AS_KNOWN, HEALTH_KNOWN },
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        a = answer(cases[i].raw, cases[i].stands);
        ok(gate_need(&a, &need) == cases[i].needs && need == cases[i].need,
           "%s, listed %d: the need", verdicts[cases[i].raw],
           cases[i].stands);
    }

    a = answer(C, 0);
    a.pending = a.doubted = 1;
    ok(gate_need(&a, &need) == GATE_NEWS && need == HEALTH_BOTH,
       "clear after a listing that was not confirmed is confirmed");
}


/* With fresh test points, and an end that was reported long ago. */

static void
test_states(void)
{
    int               raw, stands, state;
    gate_t            g;
    gate_answer_t     a;
    health_verdict_t  v;

    static const struct {
        rbl_verdict_t     want[2][2];       /* clear, listed; new, current */
        rbl_lookup_err_t  error;
    } cases[] = {
        [HEALTH_UNTRIED] = { { { U, U }, { U, U } }, RBL_ERR_UNHEALTHY },
        [HEALTH_GOOD] = { { { C, C }, { L, L } }, RBL_ERR_NONE },
        [HEALTH_BLOCKED] = { { { U, U }, { U, L } }, RBL_ERR_BLOCKED },
        [HEALTH_WILDCARDING] = { { { U, U }, { U, U } }, RBL_ERR_UNHEALTHY },
        [HEALTH_DOWN] = { { { U, U }, { U, L } }, RBL_ERR_UNHEALTHY },
        [HEALTH_UNSUPPORTED] = { { { S, U }, { L, L } },
                                 RBL_ERR_UNCONFIRMED },
        [HEALTH_RESOLVER] = { { { U, U }, { U, U } }, RBL_ERR_RESOLVER },
    };

    for (state = 0; state <= HEALTH_RESOLVER; state++) {
        for (raw = C; raw <= S; raw++) {
            for (stands = 0; stands < 2; stands++) {
                a = answer((rbl_verdict_t) raw, stands);
                a.cleared = NOW - 5000;
                v = health((health_state_t) state);
                g = gate_judge(&a, &v);

                if (raw == U || raw == S) {
                    ok(g.verdict == (rbl_verdict_t) raw && !g.guard
                       && g.recheck == 0, "%s stays so", verdicts[raw]);
                    continue;
                }

                ok(g.verdict == cases[state].want[raw][stands]
                   && g.error == (g.verdict == U ? cases[state].error
                                                 : RBL_ERR_NONE)
                   && g.guard == (g.verdict == L && !stands)
                   && g.recheck == 0,
                   "list %s, %s, stands %d: %s", health_state_names[state],
                   verdicts[raw], stands, verdicts[g.verdict]);
            }
        }
    }
}


/* The responses of a dead list do not count. */

static void
test_dead(void)
{
    gate_t            g;
    gate_answer_t     a;
    health_verdict_t  v;

    v = health(HEALTH_GOOD);
    v.unproven = v.dead = 1;
    a = answer(C, 0);
    ok(gate_judge(&a, &v).error == RBL_ERR_UNHEALTHY,
       "dead: unknown of a host that was not listed there");
    a = answer(C, 1);
    ok(gate_judge(&a, &v).error == RBL_ERR_UNHEALTHY, "no listing ends");
    a = answer(L, 0);
    ok(gate_judge(&a, &v).verdict == L, "though it may list");
    a = answer(L, 1);
    ok(gate_judge(&a, &v).verdict == L, "a current listing stays");

    v.dead = v.recalled = 0;
    a = answer(C, 0);
    g = gate_judge(&a, &v);
    ok(g.verdict == C && g.evidence, "other daemons may know that it is dead");
    v.recalled = 1;
    ok(!gate_judge(&a, &v).evidence, "it requests that at intervals");
}


static void
test_listing(void)
{
    gate_t            g;
    gate_answer_t     a;
    health_verdict_t  v;

    a = answer(L, 0);
    v = health(HEALTH_GOOD);
    v.passed = NOW - 0.1;
    g = gate_judge(&a, &v);
    ok(g.verdict == U && g.error == RBL_ERR_UNCONFIRMED && !g.guard,
       "a new listing, the test points are older: nothing");
    v.passed = NOW;
    ok(gate_judge(&a, &v).guard, "as old as the response: to the guard");
    v.sampled = NOW - 0.1;
    ok(gate_judge(&a, &v).error == RBL_ERR_UNCONFIRMED,
       "the sample is older: nothing");
    a.own = 1;
    ok(gate_judge(&a, &v).error == RBL_ERR_UNCONFIRMED,
       "nor at an own list");
    v.unproven = 1;
    ok(gate_judge(&a, &v).guard, "which has none if it has no test point");
    a.own = v.unproven = 0;
    v.sampled = NOW;
    v.wild_until = NOW + 299;
    ok(gate_judge(&a, &v).guard, "fetched after the end of a wildcard");
    v.wild_until = NOW + 300;
    g = gate_judge(&a, &v);
    ok(g.verdict == U && g.error == RBL_ERR_UNHEALTHY && !g.guard
       && g.recheck == 301, "it may be of the wildcard: nothing; when they have"
       " expired the list is queried again");
    v.wild_until = NOW + 1e6;
    ok(gate_judge(&a, &v).recheck == GATE_RECHECK_MAX, "but within an hour");
    a.current = 1;
    v.passed = v.sampled = 0;
    ok(gate_judge(&a, &v).verdict == L, "a current listing needs none");
}


/*
 * The end of a listing in resolver mode.  A cache keeps the test point for 600
 * s and a negative response for 300 s.  Seconds from now; 0: does not apply.
 */

static void
test_end(void)
{
    size_t            i;
    gate_t            g;
    gate_answer_t     a;
    health_verdict_t  v;

    static const struct {
        const char  *name;
        double       cleared, recovered;
        uint32_t     ttl, minimum;      /* of the response */
        double       since, alive, fresh;
    } cases[] = {
        { "seen first: all waits start", 0, 0, 300, 300, -0.1, 602, 302 },
        { "though the list has recovered since", 0, -100, 300, 300, -0.1, 602,
          302 },
        { "seen again: earlier waits count", -700, 0, 300, 300, 0, 602,
          302 },
        { "whatever is left of the TTL", -700, 0, 10, 300, 0, 602, 302 },
        /* a second more: a wait that began as the list recovered counts */
        { "the list failed since: no earlier wait counts", -700, -100, 300,
          300, -101, 602, 302 },
        { "the response has a longer TTL", -700, 0, 900, 300, 0, 602, 902 },
        { "or its SOA record has", -700, 0, 300, 900, 0, 602, 902 },
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        a = answer(C, 1);
        a.at = NOW - 0.1;
        a.cleared = cases[i].cleared != 0 ? NOW + cases[i].cleared : 0;
        a.ttl = cases[i].ttl;
        a.minimum = cases[i].minimum;
        v = health(HEALTH_GOOD);
        v.recovered = cases[i].recovered != 0 ? NOW + cases[i].recovered : 0;
        g = gate_judge(&a, &v);
        ok(g.verdict == C && g.evidence && !g.guard && g.waits.n == 2
           && g.waits.wait[0] == cases[i].alive
           && g.waits.wait[1] == cases[i].fresh
           && g.waits.since == (cases[i].since != 0 ? NOW + cases[i].since
                                                    : 0),
           "the end of a listing: %s", cases[i].name);
    }

    a = answer(C, 1);
    v = health(HEALTH_GOOD);
    v.passed = NOW - 1;
    g = gate_judge(&a, &v);
    ok(g.error == RBL_ERR_UNCONFIRMED && !g.evidence
       && g.recheck >= GATE_RECHECK,
       "the test points are older than the response");
    v.passed = NOW;
    a.cleared = NOW - GATE_UNPROVEN;
    g = gate_judge(&a, &v);
    ok(g.verdict == C && !g.evidence, "for a day: the listing has ended");
    a.cleared = 0;
    a.soa = 3;
    g = gate_judge(&a, &v);
    ok(g.error == RBL_ERR_UNCONFIRMED && !g.evidence && g.recheck > 300
       && g.recheck < 301, "from the zone above: no end");
    a = answer(C, 1);
    a.addresses = 1;
    a.soa = a.minimum = 0;
    ok(gate_judge(&a, &v).waits.wait[1] == 602,
       "a code that is no listing: kept as long as the test point");
    a = answer(C, 1);
    v.positive_ttl = v.negative_ttl = 0;
    a.ttl = a.minimum = 0;
    g = gate_judge(&a, &v);
    ok(g.verdict == C && !g.evidence, "nothing is ever kept: at once");
    a.minimum = 1;
    g = gate_judge(&a, &v);
    ok(g.evidence && g.waits.n == 2 && g.waits.wait[1] == 3,
       "a second is enough to wait");
}


/* A list without a positive test point of the family. */

static void
test_unproven(void)
{
    gate_t            g;
    gate_answer_t     a;
    health_verdict_t  v;

    v = health(HEALTH_UNSUPPORTED);
    a = answer(C, 1);
    ok(gate_judge(&a, &v).error == RBL_ERR_UNCONFIRMED,
       "the end is not confirmed");
    a.cleared = NOW - GATE_UNPROVEN + 1;
    g = gate_judge(&a, &v);
    ok(g.verdict == U && g.recheck == 0, "for less than a day: nothing");
    a.cleared = NOW - GATE_UNPROVEN;
    ok(gate_judge(&a, &v).verdict == C, "for a day: the listing has ended");

    v = health(HEALTH_GOOD);
    v.unproven = 1;
    a = answer(C, 1);
    a.cleared = NOW - GATE_UNPROVEN + 1;
    ok(gate_judge(&a, &v).error == RBL_ERR_UNCONFIRMED,
       "the end of a listing takes a day");
    a.cleared = NOW - GATE_UNPROVEN;
    g = gate_judge(&a, &v);
    ok(g.verdict == C && g.evidence && !g.guard,
       "and that no daemon has seen a test point");
    v.state = HEALTH_DOWN;
    ok(gate_judge(&a, &v).error == RBL_ERR_UNCONFIRMED,
       "while its servers are down the day continues");
    v.state = HEALTH_WILDCARDING;
    ok(gate_judge(&a, &v).error == RBL_ERR_UNHEALTHY,
       "a wildcarding list ends it");
}


/* Evidence of other daemons, or of this one before a restart. */

static void
test_evidence(void)
{
    gate_t            g, news;
    evidence_known_t  known = { 0, 0, 0, 0 };
    gate_answer_t     a;
    health_verdict_t  v;

    a = answer(L, 0);
    v = health(HEALTH_GOOD);
    news = gate_judge(&a, &v);
    ok(news.evidence, "a new listing requests it");
    g = gate_evidence(&a, &news, &known);
    ok(g.verdict == L && g.guard && !g.evidence, "nothing: on to the guard");
    known.wild_until = NOW + 299;
    ok(gate_evidence(&a, &news, &known).guard,
       "fetched after the end of a wildcard");
    known.wild_until = NOW + 300;
    g = gate_evidence(&a, &news, &known);
    ok(g.verdict == U && g.error == RBL_ERR_UNHEALTHY && !g.guard
       && g.recheck == 301, "it may be of the wildcard");
    a = answer(L, 1);
    ok(!gate_judge(&a, &v).evidence, "a current listing needs no evidence");

    a = answer(C, 0);
    news.waits.n = 0;
    g = gate_evidence(&a, &news, &known);
    ok(g.verdict == C && !g.guard && !g.evidence, "a wildcard ends no listing");
    known.soa = 5;
    ok(gate_evidence(&a, &news, &known).error == RBL_ERR_UNHEALTHY,
       "denied by the zone above, the list's zone does not exist");
    known.soa = 4;
    ok(gate_evidence(&a, &news, &known).verdict == C,
       "denied by its own, it exists");
    known.had_point = 1;
    ok(gate_evidence(&a, &news, &known).error == RBL_ERR_UNHEALTHY,
       "a list that had a test point, and has none, is dead");
}


/*
 * A cache may have a listing from a moment in which the list was wildcarding
 * and its test points were not queried: the listing is checked again after its
 * TTL.
 */

static void
test_twice(void)
{
    gate_t            g, news;
    evidence_known_t  known = { 0, 0, 0, 0 };
    gate_answer_t     a;
    health_verdict_t  v;

    a = answer(L, 0);
    a.addresses = 1;
    v = health(HEALTH_GOOD);
    g = gate_judge(&a, &v);
    ok(g.verdict == L && g.evidence && g.waits.n == 1 && g.waits.wait[0] == 602
       && g.waits.since == NOW,
       "the largest TTL known, and slack");
    a.pending = 1;
    ok(gate_judge(&a, &v).waits.since == 0,
       "if the last check saw it, too, its wait counts");
    v.recovered = NOW - 5;
    ok(gate_judge(&a, &v).waits.since == 0,
       "though the list was silent meanwhile");
    a.ttl = 900;
    ok(gate_judge(&a, &v).waits.wait[0] == 902, "or that of the response");
    a.once = 1;
    ok(gate_judge(&a, &v).waits.n == 0, "a single check does not wait");
    a.once = 0;
    a.ttl = a.minimum = v.positive_ttl = 0;
    ok(gate_judge(&a, &v).waits.n == 0,
       "a response without a TTL is in no cache");

    news = g;
    known.wait = 602;
    g = gate_evidence(&a, &news, &known);
    ok(g.verdict == U && g.error == RBL_ERR_UNCONFIRMED && !g.guard
       && g.recheck > 602 && g.recheck < 603, "seen first: later again");
    known.wait = 1;
    g = gate_evidence(&a, &news, &known);
    ok(g.verdict == U && g.recheck >= GATE_RECHECK_MIN && g.recheck < 3,
       "too soon");
    known.wait = 0;
    g = gate_evidence(&a, &news, &known);
    ok(g.verdict == L && g.guard && !g.evidence, "long enough");
    known.wild_until = NOW + 1;
    ok(gate_evidence(&a, &news, &known).error == RBL_ERR_UNHEALTHY,
       "and it may still be one of another time");

    a = answer(C, 1);
    a.cleared = NOW - 700;
    v = health(HEALTH_GOOD);
    news = gate_judge(&a, &v);
    known = (evidence_known_t) { .wild_until = NOW + 1, .had_point = 1,
                                 .soa = 9 };
    known.wait = 302;
    g = gate_evidence(&a, &news, &known);
    ok(g.verdict == U && g.error == RBL_ERR_UNCONFIRMED && !g.evidence
       && g.recheck > 302 && g.recheck < 303, "the end of a listing: later"
       " again");
    known.wait = 0;
    g = gate_evidence(&a, &news, &known);
    ok(g.verdict == C && !g.guard && !g.evidence, "long enough, and evidence"
       " of its test point does not matter if it passes");
}


/* --- direct mode --------------------------------------------------------- */

/* g good, w wildcarding, d down, r refusing, n the network, x dead, u has no
   test point, o good by an old test, m good by an old sample, b the name was
   queried before the test points */

static gate_vote_t
vote(const char *s)
{
    gate_vote_t  v;

    memset(&v, 0, sizeof(v));
    v.health = health(*s == 'w' ? HEALTH_WILDCARDING : *s == 'd' ? HEALTH_DOWN
                      : *s == 'r' ? HEALTH_BLOCKED : *s == 'n'
                      ? HEALTH_RESOLVER : HEALTH_GOOD);
    v.health.dead = *s == 'x';
    v.health.unproven = *s == 'x' || *s == 'u';
    v.health.passed = *s == 'o' ? NOW - 1 : NOW;
    v.health.sampled = *s == 'm' ? NOW - 1 : NOW;
    v.health.sent = NOW + 1;
    v.sent = *s == 'b' ? NOW : NOW + 1;
    v.raw = s[1] == 'L' ? L : s[1] == 'C' ? C : U;
    v.has_serial = s[2] != '\0';
    v.serial = v.has_serial ? (uint32_t) strtoul(s + 2, NULL, 10) : 0;

    return v;
}


static void
test_votes(void)
{
    size_t         i;
    unsigned       n;
    gate_t         g;
    gate_vote_t    votes[3];
    gate_answer_t  a;

    /* the response and the votes: server, its response, its serial */

    static const struct {
        const char        *name;
        rbl_verdict_t      raw;
        const char        *votes[3];
        rbl_verdict_t      want;
        rbl_lookup_err_t   error;
    } cases[] = {
        { "one server", L, { "gL" }, L, 0 },
        { "one server, an end", C, { "gC" }, C, 0 },
        { "all agree", L, { "gL1", "gL2", "gL" }, L, 0 },
        { "all agree on the end", C, { "gC1", "gC2" }, C, 0 },
        { "the other one is wildcarding", C, { "gC1", "wL2" }, C, 0 },
        { "only the one that is wildcarding lists it", L, { "gC1", "wL2" }, C,
          0 },
        { "the other one is empty", L, { "gL1", "dC2" }, L, 0 },
        { "the empty one reports the end", C, { "gL1", "dC2" }, L, 0 },
        { "the other one refuses", L, { "gL", "r-" }, L, 0 },
        { "the other one does not respond", C, { "gC", "g-" }, C, 0 },
        { "newer data", L, { "gL8", "gC7" }, L, 0 },
        { "newer data is different", L, { "gL7", "gC8" }, C, 0 },
        { "newer data ends it", C, { "gL7", "gC8" }, C, 0 },
        { "newer data keeps it", C, { "gL8", "gC7" }, L, 0 },
        { "RFC 1982: 5 is newer than 4294967290", L, { "gL5",
          "gC4294967290" }, L, 0 },
        { "half of the circle is no order", L, { "gL0", "gC2147483648" }, U,
          RBL_ERR_DISAGREE },
        { "equal serials", L, { "gL7", "gC7" }, U, RBL_ERR_DISAGREE },
        { "equal serials, an end", C, { "gL7", "gC7" }, U, RBL_ERR_DISAGREE },
        { "an unknown serial", L, { "gL7", "gC" }, U, RBL_ERR_DISAGREE },
        { "one of three has the newest", L, { "gL9", "gC7", "gL7" }, L, 0 },
        { "or its newest is as new", L, { "gL9", "gC9", "gL7" }, U,
          RBL_ERR_DISAGREE },
        { "all are wildcarding", L, { "wL", "wL" }, U, RBL_ERR_UNHEALTHY },
        { "all are empty", C, { "dC", "dC" }, U, RBL_ERR_UNHEALTHY },
        { "all refuse", L, { "r-", "r-" }, U, RBL_ERR_BLOCKED },
        { "the network", C, { "n-", "n-" }, U, RBL_ERR_RESOLVER },
        { "dead", C, { "xC" }, U, RBL_ERR_UNHEALTHY },
        { "dead, and lists", L, { "xL" }, L, 0 },
        { "its test points are older", L, { "oL" }, U, RBL_ERR_UNCONFIRMED },
        { "its sample is older", L, { "mL" }, U, RBL_ERR_UNCONFIRMED },
        { "an end needs no sample", C, { "mC" }, C, 0 },
        { "queried before its test points", L, { "bL" }, U,
          RBL_ERR_UNCONFIRMED },
        { "an end, queried before the test points", C, { "bC" }, U,
          RBL_ERR_UNCONFIRMED },
        { "the other one is queried after them", C, { "bC", "gL" }, L, 0 },
        { "no response to the name", L, { "g-" }, U, RBL_ERR_UNCONFIRMED },
        { "no servers", L, { NULL }, U, RBL_ERR_UNCONFIRMED },
        { "no test point: an end takes a day", C, { "uC" }, U,
          RBL_ERR_UNCONFIRMED },
        { "but not a listing", L, { "uL" }, L, 0 },
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (n = 0; n < 3 && cases[i].votes[n] != NULL; n++) {
            votes[n] = vote(cases[i].votes[n]);
        }

        a = answer(cases[i].raw, cases[i].raw == C);
        g = gate_votes(&a, votes, n, NOW);
        ok(g.verdict == cases[i].want && g.error == cases[i].error
           && g.guard == (g.verdict == L && cases[i].raw == L),
           "direct: %s, %s: %s %s", verdicts[cases[i].raw], cases[i].name,
           verdicts[g.verdict], rbl_lookup_err_names[g.error]);
    }

    votes[0] = vote("uC");
    a = answer(C, 1);
    a.cleared = NOW - GATE_UNPROVEN;
    g = gate_votes(&a, votes, 1, NOW);
    ok(g.verdict == C && g.evidence, "direct: after a day, if others agree");
}


static void
test_late(void)
{
    gate_t         g;
    gate_answer_t  a;

    a = answer(C, 1);
    g = gate_late(&a);
    ok(g.verdict == U && g.error == RBL_ERR_UNCONFIRMED && g.recheck > 0,
       "too late for the end of a listing");
    a = answer(C, 0);
    g = gate_late(&a);
    ok(g.verdict == U && g.error == RBL_ERR_UNHEALTHY && g.recheck == 0,
       "too late for a response that changes nothing");
    a = answer(L, 0);
    g = gate_late(&a);
    ok(g.verdict == U && g.error == RBL_ERR_UNCONFIRMED && g.recheck > 0
       && !g.guard, "too late for a new listing");
    a = answer(L, 1);
    g = gate_late(&a);
    ok(g.verdict == U && g.error == RBL_ERR_UNHEALTHY && g.recheck == 0,
       "too late for a current one");
}


int
main(void)
{
    test_need();
    test_states();
    test_dead();
    test_listing();
    test_end();
    test_unproven();
    test_evidence();
    test_twice();
    test_votes();
    test_late();

    return tap_done();
}
