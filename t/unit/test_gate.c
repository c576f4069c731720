/*
 * The gate: every answer, with and without a listing that stands, for every
 * state of the list, and for controls that are old or new.  The rules are
 * written down here a second time, in other words: what must be so for an
 * answer to change anything.
 */

#include "tap.h"

#include "check/gate.h"

#define NOW  10000.0

static const char *const  verdicts[] = { "clear", "listed", "unknown",
                                         "skipped" };


static gate_answer_t
answer(rbl_verdict_t raw, int stands)
{
    gate_answer_t  a = { raw, stands, 0, NOW, NOW, 300, 4, 0 };

    return a;
}


static health_verdict_t
health(health_state_t state)
{
    health_verdict_t  v;

    memset(&v, 0, sizeof(v));
    v.state = state;
    v.negative = v.positive = NOW + 1;
    v.negative_ttl = 300;
    v.negative_soa = 4;
    v.expires = NOW + 100;

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
        int            stands, needs;
        health_need_t  need;
    } cases[] = {
        { RBL_UNKNOWN, 0, 0, HEALTH_KNOWN },
        { RBL_UNKNOWN, 1, 0, HEALTH_KNOWN },
        { RBL_SKIPPED, 1, 0, HEALTH_KNOWN },
        { RBL_CLEAR, 0, 1, HEALTH_KNOWN },
        { RBL_CLEAR, 1, 1, HEALTH_BOTH },
        { RBL_LISTED, 0, 1, HEALTH_NEGATIVE },
        { RBL_LISTED, 1, 1, HEALTH_KNOWN },
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        a = answer(cases[i].raw, cases[i].stands);
        need = HEALTH_KNOWN;
        ok(gate_need(&a, &need) == cases[i].needs && need == cases[i].need,
           "%s, stands %d: what it needs", verdicts[cases[i].raw],
           cases[i].stands);
    }
}


/* With fresh controls. */

static void
test_states(void)
{
    int               raw, stands, state;
    gate_t            g;
    gate_answer_t     a;
    health_verdict_t  v;

#define U  RBL_UNKNOWN
#define C  RBL_CLEAR
#define L  RBL_LISTED
#define S  RBL_SKIPPED

    static const struct {
        rbl_verdict_t     want[2][2];       /* clear, listed; new, stands */
        rbl_lookup_err_t  error;
    } cases[] = {
        [HEALTH_UNTRIED] = { { { U, U }, { U, U } }, RBL_ERR_UNHEALTHY },
        [HEALTH_GOOD] = { { { C, C }, { L, L } }, RBL_ERR_NONE },
        [HEALTH_BLOCKED] = { { { U, U }, { U, L } }, RBL_ERR_BLOCKED },
        [HEALTH_LYING] = { { { U, U }, { U, U } }, RBL_ERR_UNHEALTHY },
        [HEALTH_DOWN] = { { { U, U }, { U, L } }, RBL_ERR_UNHEALTHY },
        [HEALTH_UNSUPPORTED] = { { { S, U }, { L, L } },
                                 RBL_ERR_UNCONFIRMED },
        [HEALTH_RESOLVER] = { { { U, U }, { U, U } }, RBL_ERR_RESOLVER },
    };

    for (state = 0; state <= HEALTH_RESOLVER; state++) {
        for (raw = RBL_CLEAR; raw <= RBL_SKIPPED; raw++) {
            for (stands = 0; stands < 2; stands++) {
                a = answer((rbl_verdict_t) raw, stands);
                v = health((health_state_t) state);
                g = gate_judge(&a, &v);

                if (raw == RBL_UNKNOWN || raw == RBL_SKIPPED) {
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


static void
test_listing(void)
{
    gate_t            g;
    gate_answer_t     a;
    health_verdict_t  v;

    a = answer(RBL_LISTED, 0);
    v = health(HEALTH_GOOD);
    v.negative = NOW - 0.1;
    g = gate_judge(&a, &v);
    ok(g.verdict == RBL_UNKNOWN && g.error == RBL_ERR_UNHEALTHY && !g.guard,
       "a new listing, the negative control is older: nothing");
    v.negative = 0;
    ok(gate_judge(&a, &v).verdict == RBL_UNKNOWN, "there was none: nothing");
    v.negative = NOW;
    ok(gate_judge(&a, &v).guard, "as old as the answer: to the guard");
    v.lies = NOW + 299;
    ok(gate_judge(&a, &v).guard, "it lied, but the answer was fetched since");
    v.lies = NOW + 300;
    g = gate_judge(&a, &v);
    ok(g.verdict == RBL_UNKNOWN && g.error == RBL_ERR_UNHEALTHY && !g.guard
       && g.recheck == 301, "it may be one of its lies: nothing, and when they"
       " are gone it is asked again");
    v.lies = NOW + 1e6;
    ok(gate_judge(&a, &v).recheck == GATE_RECHECK_MAX, "but within an hour");
    a.stands = 1;
    v.negative = v.positive = 0;
    ok(gate_judge(&a, &v).verdict == RBL_LISTED,
       "a listing that stands needs no new control");
}


static void
test_delisting(void)
{
    size_t            i;
    gate_t            g;
    gate_answer_t     a;
    health_verdict_t  v;

    /* seconds from now; 0: not so */

    static const struct {
        const char  *name;
        double       positive, cleared, recovered;
        uint32_t     ttl, whole;        /* of the answer */
        double       expires;
        int          clear;
        double       recheck;
    } cases[] = {
        { "the test entry was fetched after it", 0.5, 0, 0, 300, 300, 100,
          1, 0 },
        { "when is not known", 0, 0, 0, 300, 300, 100, 0, 3 },
        { "nor later", 0, -10, 0, 300, 300, 100, 0, 301 },
        { "before it", -0.5, 0, 0, 300, 300, 100, 0, 3 },
        { "before it, nothing is kept", -10, -5, 0, 0, 0, 0, 0, 30 },
        { "before it, but after it first was so", -50, -100, 0, 300, 300, 100,
          1, 0 },
        { "before it first was so", -150, -100, 0, 300, 300, 100, 0, 301 },
        { "it first was so while the list was dead", -50, -100, -20, 300, 300,
          100, 0, 301 },
        { "the list came back before", -50, -100, -70, 300, 300, 100, 1, 0 },
        { "the answer is from before the test entry", -50, -200, 0, 100, 300,
          250, 0, 251 },
        { "the answer is hardly older", -50, -200, 0, 245, 300, 250, 1, 0 },
        { "the answer is old, the test entry new", 0.5, -1, 0, 100, 300, 300,
          0, 301 },
        { "the answer is as old as the listing's end", 0.5, -200, 0, 100, 300,
          50, 0, 101 },
        { "no TTL of the answer is known", 0.5, 0, 0, 0, 0, 100, 1, 0 },
        { "its TTL is not the list's", 0.5, -10, 0, 50, 2, 1, 0, 51 },
        { "and not known to be", 0.5, -10, 0, 50, 0, 1, 0, 51 },
        { "though that has been so for long", 0.5, -86000, 0, 50, 2, 1, 0, 51 },
        { "but for a day", 0.5, -86400, 0, 50, 2, 1, 1, 0 },
        { "a second more is none", 0.5, 0, 0, 301, 300, 100, 1, 0 },
        { "never sooner than this", 0, -1, 0, 0, 0, 0.2, 0, 2 },
        { "never later", 0, -1, 0, 0, 0, 90000, 0, 3600 },
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        a = answer(RBL_CLEAR, 1);
        a.cleared = cases[i].cleared != 0 ? NOW + cases[i].cleared : 0;
        a.ttl = cases[i].ttl;
        v = health(HEALTH_GOOD);
        v.positive = cases[i].positive != 0 ? NOW + cases[i].positive : 0;
        v.recovered = cases[i].recovered != 0 ? NOW + cases[i].recovered : 0;
        v.negative_ttl = cases[i].whole;
        v.expires = cases[i].expires != 0 ? NOW + cases[i].expires : 0;
        g = gate_judge(&a, &v);

        ok(g.verdict == (cases[i].clear ? RBL_CLEAR : RBL_UNKNOWN)
           && g.error == (cases[i].clear ? RBL_ERR_NONE
                                         : RBL_ERR_UNCONFIRMED)
           && g.recheck > cases[i].recheck - 0.01
           && g.recheck < cases[i].recheck + 0.01,
           "the end of a listing: %s (%.1f)", cases[i].name, g.recheck);
    }

    a = answer(RBL_CLEAR, 1);
    a.at = NOW - 60;
    v = health(HEALTH_GOOD);
    v.positive = NOW - 30;
    v.negative_ttl = 300;
    a.ttl = 240;
    ok(gate_judge(&a, &v).verdict == RBL_UNKNOWN,
       "an answer of our own cache is as old as it is");
    v.positive = NOW - 52;
    ok(gate_judge(&a, &v).verdict == RBL_CLEAR, "but may be good enough");
}


/* Whose answer it is that would end a listing. */

static void
test_whose(void)
{
    gate_answer_t     a;
    health_verdict_t  v;

    v = health(HEALTH_GOOD);
    a = answer(RBL_CLEAR, 1);
    a.soa = 5;
    ok(gate_judge(&a, &v).verdict == RBL_CLEAR, "a part of the list's zone");
    a.soa = 3;
    a.cleared = NOW - 10;
    ok(gate_judge(&a, &v).error == RBL_ERR_UNCONFIRMED,
       "the zone above the list's has said so: it was gone then");
    a.soa = 0;
    ok(gate_judge(&a, &v).error == RBL_ERR_UNCONFIRMED, "or nobody knows who");
    v.negative_soa = 0;
    ok(gate_judge(&a, &v).verdict == RBL_CLEAR, "as always of this list");
    v.ageless = 1;
    ok(gate_judge(&a, &v).error == RBL_ERR_UNCONFIRMED,
       "as of all lists through that resolver: how old is it?");
    ok(gate_judge(&a, &v).recheck == 0, "no sooner it will tell");
    a.soa = 4;
    ok(gate_judge(&a, &v).verdict == RBL_CLEAR, "but here it does");
    a.soa = 0;
    a.addresses = 1;
    v.positive_ttl = 300;
    ok(gate_judge(&a, &v).verdict == RBL_CLEAR, "as a TTL does");
    a.addresses = 0;
    a.cleared = NOW - GATE_UNPROVEN;
    ok(gate_judge(&a, &v).verdict == RBL_CLEAR, "a day tells, too");
    v.ageless = 0;
    v.negative_soa = 4;
    ok(gate_judge(&a, &v).verdict == RBL_CLEAR, "in the end it counts");

    a = answer(RBL_CLEAR, 1);
    a.addresses = 1;
    a.soa = 0;
    v.positive_ttl = 300;
    ok(gate_judge(&a, &v).verdict == RBL_CLEAR, "a code that is no listing");
    a.ttl = 2000;
    a.cleared = NOW - 10;
    ok(gate_judge(&a, &v).error == RBL_ERR_UNCONFIRMED,
       "with another TTL than the test entry's");
    a.cleared = NOW - GATE_UNPROVEN;
    ok(gate_judge(&a, &v).verdict == RBL_CLEAR, "counts in the end too");
    a.ttl = 10;
    ok(gate_judge(&a, &v).verdict == RBL_CLEAR, "and one that is old");
}


/* A list without a test entry of the family. */

static void
test_unproven(void)
{
    gate_t            g;
    gate_answer_t     a;
    health_verdict_t  v;

    v = health(HEALTH_UNSUPPORTED);
    a = answer(RBL_CLEAR, 1);
    a.told = a.at = NOW * 10;
    ok(gate_judge(&a, &v).error == RBL_ERR_UNCONFIRMED, "it has ended");
    a.cleared = a.told - GATE_UNPROVEN + 1;
    g = gate_judge(&a, &v);
    ok(g.verdict == RBL_UNKNOWN && g.recheck == 0,
       "it is said for less than a day: nothing");
    a.cleared = a.told - GATE_UNPROVEN;
    ok(gate_judge(&a, &v).verdict == RBL_CLEAR, "for a day: it has ended");

    a = answer(RBL_LISTED, 0);
    v.negative = NOW - 1;
    ok(gate_judge(&a, &v).verdict == RBL_UNKNOWN,
       "a listing needs a new negative control");

    v = health(HEALTH_GOOD);
    v.unproven = 1;
    v.positive = 0;
    a = answer(RBL_CLEAR, 0);
    ok(gate_judge(&a, &v).verdict == RBL_CLEAR && !gate_judge(&a, &v).trust,
       "no test entry is known: clear where nothing stands");
    a = answer(RBL_CLEAR, 1);
    a.told = a.at = NOW * 10;
    a.cleared = a.told - GATE_UNPROVEN + 1;
    ok(gate_judge(&a, &v).error == RBL_ERR_UNCONFIRMED,
       "the end of a listing takes a day");
    a.cleared = a.told - GATE_UNPROVEN;
    g = gate_judge(&a, &v);
    ok(g.verdict == RBL_CLEAR && g.trust && !g.guard,
       "and that nobody has seen a test entry");
    v.state = HEALTH_DOWN;
    ok(gate_judge(&a, &v).error == RBL_ERR_UNCONFIRMED,
       "when its servers are away the day goes on");
    v.state = HEALTH_LYING;
    ok(gate_judge(&a, &v).error == RBL_ERR_UNHEALTHY, "when it lies it is"
       " over");
    v.state = HEALTH_GOOD;
    v.dead = 1;
    ok(gate_judge(&a, &v).error == RBL_ERR_UNHEALTHY, "where there was one,"
       " nothing ends");
    a = answer(RBL_LISTED, 0);
    ok(gate_judge(&a, &v).verdict == RBL_LISTED, "though it may list");
}


/* What other daemons have found, or this one before it was started. */

static void
test_trust(void)
{
    gate_t            g;
    trust_told_t      told = { 0, 0, 0 };
    gate_answer_t     a;
    health_verdict_t  v;

    a = answer(RBL_LISTED, 0);
    v = health(HEALTH_GOOD);
    ok(gate_judge(&a, &v).trust, "a new listing asks for it");
    g = gate_trust(&a, &told);
    ok(g.verdict == RBL_LISTED && g.guard && !g.trust,
       "nothing: on to the guard");
    told.lies = NOW + 299;
    ok(gate_trust(&a, &told).guard, "it lied, the answer was fetched since");
    told.lies = NOW + 300;
    g = gate_trust(&a, &told);
    ok(g.verdict == RBL_UNKNOWN && g.error == RBL_ERR_UNHEALTHY && !g.guard
       && g.recheck == 301, "it lied, the answer may be from then");
    a = answer(RBL_LISTED, 1);
    ok(!gate_judge(&a, &v).trust, "a listing that stands needs no trust");

    a = answer(RBL_CLEAR, 1);
    ok(!gate_judge(&a, &v).trust, "nor an end that a test entry confirms");
    g = gate_trust(&a, &told);
    ok(g.verdict == RBL_CLEAR && !g.guard && !g.trust,
       "lies make no end of a listing");
    told.soa = 5;
    ok(gate_trust(&a, &told).error == RBL_ERR_UNHEALTHY,
       "where the zone above says it, the list's is gone");
    told.soa = 4;
    ok(gate_trust(&a, &told).verdict == RBL_CLEAR, "where its own does, it is"
       " there");
    told.entry = 1;
    g = gate_trust(&a, &told);
    ok(g.verdict == RBL_UNKNOWN && g.error == RBL_ERR_UNHEALTHY,
       "a list that had a test entry, and has none, is dead");
}


static void
test_late(void)
{
    gate_t         g;
    gate_answer_t  a;

    a = answer(RBL_CLEAR, 1);
    g = gate_late(&a);
    ok(g.verdict == RBL_UNKNOWN && g.error == RBL_ERR_UNCONFIRMED
       && g.recheck > 0, "too late for the end of a listing");
    a = answer(RBL_CLEAR, 0);
    g = gate_late(&a);
    ok(g.verdict == RBL_UNKNOWN && g.error == RBL_ERR_UNHEALTHY
       && g.recheck == 0, "too late for an answer that changes nothing");
    a = answer(RBL_LISTED, 0);
    g = gate_late(&a);
    ok(g.verdict == RBL_UNKNOWN && g.error == RBL_ERR_UNHEALTHY && !g.guard,
       "too late for a listing");
}


int
main(void)
{
    test_need();
    test_states();
    test_listing();
    test_delisting();
    test_whose();
    test_unproven();
    test_trust();
    test_late();

    return tap_done();
}
