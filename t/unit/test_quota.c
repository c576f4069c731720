/*
 * Callers that wait for a list's quota, and the tokens in hand, with a fake
 * store that replies when the test tells it to.
 */

#include "tap.h"
#include "fake_store.h"

#include "check/lookup/quota_int.h"

static quota_t         *quota;
static list_t           list;

static quota_answer_t   told[CALLS];
static int              told_to[CALLS];
static unsigned         n_told;
static int              who[CALLS];     /* their addresses are the data */
static quota_wait_t    *waits[CALLS];   /* of these */


static health_done_pt   probe;
static void            *probe_data;
static unsigned         dropped;
static int              vouched;
static unsigned         through;        /* bits of the resolvers in use */


/* --- health -------------------------------------------------------------- */


health_q_t *
health_ask(health_t *health, const list_t *l, rbl_family_t family,
    unsigned resolver, health_need_t need, health_done_pt done, void *data)
{
    (void) health;
    (void) l;
    (void) family;
    (void) need;

    through |= 1u << resolver;
    probe = done;
    probe_data = data;

    return (health_q_t *) &probe;
}


void
health_drop(health_q_t *q)
{
    dropped += q != NULL;
}


uint32_t
health_server_next(const health_t *health, const list_t *l, uint32_t resolver)
{
    (void) health;
    (void) l;

    return (resolver + 1) % 2;
}


int
health_vouches(const health_t *health, uint32_t resolver, const list_t *l,
    double since)
{
    (void) health;
    (void) resolver;
    (void) l;
    (void) since;

    return vouched;
}


/* --- the rest ------------------------------------------------------------ */


static void
on_answer(void *data, quota_answer_t answer)
{
    told[n_told] = answer;
    told_to[n_told++] = (int) ((int *) data - who);
}


/* Runs until so many were called back; 1: they were. */

static int
wait_told(unsigned n, double seconds)
{
    double  end = clock_now() + seconds;

    while (n_told < n && clock_now() < end) {
        run(0.001);
    }

    return n_told >= n;
}


static quota_answer_t
take(int i, double patience)
{
    return quota_take(quota, &list, patience, on_answer, &who[i],
                      &waits[i]);
}


static void
fresh(int64_t rate, int64_t day)
{
    static unsigned  serial;

    snprintf(list.sid, sizeof(list.sid), "RB%032x", ++serial);
    list.zone = (char *) "list.test";
    list.rate = rate;
    list.day_quota = day;
    n_told = 0;
    n_done = n_calls;
}


static void
test_unlimited(void)
{
    int       i, go = 0;
    unsigned  before;

    fresh(0, 0);
    before = n_calls;

    for (i = 0; i < 1000; i++) {
        go += take(0, 1) == QUOTA_GO;
    }

    ok(go == 1000 && n_calls == before, "no limits: the store is not queried");
    ok(quota_left(quota, &list) == -1, "and no number is left");

    fresh(1, 1);
    list.custom = 1;
    ok(take(0, 1) == QUOTA_GO, "an account's own list has no limits");
    quota_response(quota, &list, QUOTA_RESPONSE_BLOCKED, 0);
    ok(take(0, 1) == QUOTA_GO && open_calls() == 0, "and does not back off");
    list.custom = 0;
}


static void
test_order(void)
{
    int       i, in_order = 1;
    unsigned  calls;

    fresh(0, 1000);
    calls = n_calls;

    for (i = 0; i < 10; i++) {
        ok(take(i, 5) == QUOTA_WAIT, "%d waits", i);
    }

    run(0.02);
    ok(n_calls == calls + 1, "one call is in flight for all that wait");
    ok(last_call()->argv[2] == 1000, "it has the quota");
    ok(n_told == 0, "no call back before the reply of the store");

    reply("OK", "4 0 2000 996");
    ok(n_told == 4 && open_calls() == 1, "four go, the rest is requested");
    ok(last_call()->argv[0] == 6 + 1, "and somewhat more");
    ok(quota_left(quota, &list) == 996, "the rest is known");
    ok(take(10, 5) == QUOTA_WAIT, "a later one does not go first");
    reply("OK", "9 0 2000 987");
    ok(n_told == 11, "then all have their call back");

    for (i = 0; i < 11; i++) {
        in_order &= told_to[i] == i && told[i] == QUOTA_GO;
    }

    ok(in_order, "to go, in the order in which they came");
    calls = n_calls;
    ok(take(0, 5) == QUOTA_GO && take(0, 5) == QUOTA_GO && n_calls == calls,
       "tokens in hand go without the store");
    ok(take(0, 5) == QUOTA_WAIT && n_calls == calls + 1, "these were all");
    quota_forget(waits[0]);
}


static void
test_rate(void)
{
    int     i;
    double  began, took;

    fresh(50, 0);

    for (i = 0; i < 20; i++) {
        take(i, 5);
    }

    began = clock_now();
    reply("OK", "20 100 500 -1");
    ok(n_told == 0, "their turn has not come");
    ok(wait_told(1, 1) && clock_now() - began >= 0.1, "then the first goes");
    ok(wait_told(20, 2), "one by one");
    took = clock_now() - began;
    ok(took >= 0.1 + 19 / 50., "not before their time: %.3f", took);

    fresh(50, 0);
    take(0, 5);
    reply("OK", "5 0 500 -1");
    ok(n_told == 1 && take(1, 5) == QUOTA_WAIT, "nor one in hand");
    ok(wait_told(2, 1), "it comes by itself");
    ok(open_calls() == 0, "without the store");
}


static void
test_expiry(void)
{
    unsigned  calls;

    fresh(0, 1000);
    take(0, 5);
    reply("OK", "100 0 500 900");
    ok(take(1, 5) == QUOTA_GO, "a token in hand");
    run(0.55);
    calls = n_calls;
    ok(take(2, 5) == QUOTA_WAIT, "is not spent after its time");
    run(0.01);
    ok(n_told == 1 && n_calls == calls + 1, "the store is queried");
    quota_forget(waits[2]);

    fresh(0, 1000);
    take(0, 5);
    run(0.55);
    reply("OK", "100 0 500 900");
    ok(n_told == 0, "late tokens are lost");
    run(0.01);
    ok(open_calls() == 1, "and requested again");
    reply("OK", "1 0 2000 900");
    ok(n_told == 1 && told[0] == QUOTA_GO, "which helps");
}


static void
test_patience(void)
{
    fresh(0, 1000);
    take(0, 0.05);
    take(1, 5);
    ok(wait_told(1, 1) && told_to[0] == 0 && told[0] == QUOTA_USED_UP,
       "no response in time");
    reply("", "");
    run(0.02);
    ok(n_told == 1 && open_calls() == 0, "a store that is down grants nothing");
    run(0.6);
    ok(open_calls() == 1, "it is queried again");
    reply("USED", "60000 0 0 0");
    ok(n_told == 1, "no call back from inside a reply");
    ok(wait_told(2, 1) && told[1] == QUOTA_USED_UP, "used up");
    ok(quota_left(quota, &list) == 0, "nothing is left");
    ok(take(2, 5) == QUOTA_USED_UP && open_calls() == 0, "known for a while");
    run(1.05);
    ok(take(2, 5) == QUOTA_WAIT && open_calls() == 1, "and requested again");
    reply("USED", "300 0 0 0");
    run(0.5);
    ok(n_told == 2 && open_calls() == 1,
       "a patient caller waits for the end of the day");
    reply("OK", "1 0 2000 999");
    ok(n_told == 3 && told[2] == QUOTA_GO, "and may go then");

    fresh(10, 0);
    take(0, 0.5);
    take(1, 9);
    reply("LATE", "2000 0 0 0");
    ok(wait_told(1, 1) && told_to[0] == 0 && told[0] == QUOTA_USED_UP,
       "too late for the one, not for the other");
    quota_forget(waits[1]);
    run(1.1);
    ok(open_calls() == 0 && n_told == 1,
       "a cancelled caller causes no request");

    fresh(0, 1000);
    take(0, 9);
    away = STORE_AWAY_LONG + 1;
    reply("", "");
    ok(wait_told(1, 1) && told[0] == QUOTA_USED_UP,
       "a partition that is away for longer grants nothing, and none waits");
    away = 0;
}


static void
test_backoff(void)
{
    unsigned  calls;

    fresh(0, 0);
    quota_response(quota, &list, QUOTA_RESPONSE_ANSWER, 0);
    ok(open_calls() == 0, "a good answer of a good list");
    quota_response(quota, &list, QUOTA_RESPONSE_BLOCKED, 0);
    calls = n_calls;
    quota_response(quota, &list, QUOTA_RESPONSE_BLOCKED, 0);
    ok(n_calls == calls && open_calls() == 1, "a refusal is reported once");
    ok(take(0, 1) == QUOTA_BLOCKED, "and counts at once");
    reply("OK", "500 1 1 0");
    ok(take(0, 1) == QUOTA_BLOCKED, "for the time of the store");
    run(0.55);
    ok(take(0, 1) == QUOTA_GO, "and no longer");
    quota_response(quota, &list, QUOTA_RESPONSE_ANSWER, 0);
    ok(open_calls() == 1 && last_call()->argv[0] == 0,
       "then a good answer is reported");
    reply("OK", "0 0 0 0");
    quota_response(quota, &list, QUOTA_RESPONSE_ANSWER, 0);
    ok(open_calls() == 0, "once");

    fresh(10, 0);
    take(0, 9);
    reply("BLOCKED", "60000 2 0 0");
    ok(wait_told(1, 1) && told[0] == QUOTA_BLOCKED,
       "another daemon is blocked");
    ok(take(0, 9) == QUOTA_BLOCKED, "it holds here too");
    quota_response(quota, &list, QUOTA_RESPONSE_ANSWER, 0);
    reply("OK", "0 0 0 0");
    ok(take(0, 9) == QUOTA_WAIT, "a response to a test point ends it");
    reply("", "");
    quota_response(quota, &list, QUOTA_RESPONSE_BLOCKED, 0);
    reply("", "");
    ok(wait_told(2, 1) && told[1] == QUOTA_BLOCKED,
       "a refusal counts even if the store is down");
    ok(take(0, 9) == QUOTA_BLOCKED, "for all later callers");
}


/* The list refuses, or the resolver: only a refusal of the list is reported to
   other daemons. */

static void
test_refused(void)
{
    quota_list_t  *ql;

    fresh(0, 0);
    quota_response(quota, &list, QUOTA_RESPONSE_REFUSED, 1);
    ok(take(0, 1) == QUOTA_BLOCKED && open_calls() == 0,
       "the resolver may have refused: it counts here alone");
    run(0.1);
    ok(open_calls() == 1 && last_call()->script == &rbl_script_list_grant,
       "the store is queried for the state of the fleet");
    reply("OK", "0 0 0 -1");
    ok(take(0, 1) == QUOTA_BLOCKED, "unknown there: it counts all the same");
    quota_response(quota, &list, QUOTA_RESPONSE_ANSWER, 1);
    ok(open_calls() == 0 && take(0, 1) == QUOTA_BLOCKED,
       "an answer to an earlier query ends nothing");
    vouched = 1;
    run(0.1);
    ok(open_calls() == 1 && last_call()->script == &rbl_script_list_told
       && last_call()->argv[0] == 1, "once one is, the fleet is notified");
    reply("OK", "60000 1 1 0");

    fresh(0, 0);
    quota_response(quota, &list, QUOTA_RESPONSE_REFUSED, 1);
    ok(open_calls() == 1 && last_call()->argv[0] == 1, "or at once");
    reply("OK", "60000 1 1 0");

    fresh(0, 0);
    vouched = 0;
    quota_response(quota, &list, QUOTA_RESPONSE_REFUSED, 1);
    quota_response(quota, &list, QUOTA_RESPONSE_BLOCKED, 1);
    ok(open_calls() == 1 && last_call()->argv[0] == 1,
       "or where the list itself has refused");
    reply("OK", "60000 1 1 0");
    quota_response(quota, &list, QUOTA_RESPONSE_ANSWER, 0);
    ok(open_calls() == 1 && last_call()->argv[0] == 0, "it answers again");
    ql = sidmap_find(&quota->lists, rbl_str(list.sid));
    ql->refused = QUOTA_GO;
    quota_response(quota, &list, QUOTA_RESPONSE_BLOCKED, 0);
    ok(open_calls() == 1, "and refuses while that is reported");
    reply("OK", "0 0 0 0");
    ok(open_calls() == 1 && last_call()->argv[0] == 1,
       "then this is reported too");
    reply("OK", "60000 1 1 0");
    ok(take(0, 1) == QUOTA_BLOCKED, "and it counts all the while");
}


/* Probed while a caller waits; only new results count. */

static void
test_probe(void)
{
    health_verdict_t  v = { .state = HEALTH_GOOD };

    quota_probe_after(quota, 60);
    ok(quota->probe_every == 60 && quota->look.ev.repeat == 10,
       "the store is queried every ten seconds, test points as configured");
    quota_probe_after(quota, 0.2);
    ok(quota->probe_every == 0.2 && quota->look.ev.repeat == 0.2,
       "and sooner where these are");
    timer_every(&quota->look, 0.05, 0.05);
    run(0.2);                           /* calls left by other tests */

    fresh(0, 0);
    probe = NULL;
    quota_response(quota, &list, QUOTA_RESPONSE_BLOCKED, 0);
    reply("OK", "60000 1 1");
    run(0.4);
    ok(probe == NULL, "no caller needs it");
    ok(take(0, 9) == QUOTA_BLOCKED, "one caller does");
    run(0.1);
    ok(probe != NULL, "the test points are queried");
    ok(last_call()->script == &rbl_script_list_grant, "and the store");
    reply("BLOCKED", "60000 1");

    probe(probe_data, &v);
    ok(open_calls() == 0, "passed, but without a new answer");
    take(0, 9);
    run(0.1);
    reply("BLOCKED", "60000 1");
    probe = NULL;
    run(0.2);
    take(0, 9);
    run(0.1);
    reply("BLOCKED", "60000 1");
    ok(probe != NULL, "queried again");
    v.passed = clock_now();
    v.state = HEALTH_BLOCKED;
    probe(probe_data, &v);
    ok(open_calls() == 0, "it still refuses");

    probe = NULL;
    run(0.2);
    take(0, 9);
    run(0.1);
    reply("BLOCKED", "60000 1");
    v.passed = clock_now();
    v.state = HEALTH_GOOD;
    probe(probe_data, &v);
    ok(open_calls() == 1 && last_call()->script == &rbl_script_list_told
       && last_call()->argv[0] == 0, "then the block ends");
    reply("OK", "0 0 0");
    ok(take(0, 9) == QUOTA_GO, "and queries go out");
    ok(through == 3, "each resolver had its turn");

    quota_response(quota, &list, QUOTA_RESPONSE_BLOCKED, 0);
    reply("OK", "60000 1 1");
    run(0.2);
    take(0, 9);
    run(0.1);
}


/* The call back takes a token, and forgets the caller that would be next. */

static quota_answer_t  nested;


static void
on_nested(void *data, quota_answer_t answer)
{
    on_answer(data, answer);
    quota_forget(waits[1]);

    if (n_told == 1) {
        nested = take(2, 5);
    }
}


static void
test_nested(void)
{
    fresh(0, 1000);
    quota_take(quota, &list, 5, on_nested, &who[0], &waits[0]);
    quota_take(quota, &list, 5, on_nested, &who[1], &waits[1]);
    reply("OK", "3 0 2000 900");
    ok(n_told == 1 && nested == QUOTA_GO, "one goes, one is forgotten");

    fresh(0, 1000);
    quota_take(quota, &list, 5, on_nested, &who[0], &waits[0]);
    quota_take(quota, &list, 5, on_nested, &who[1], &waits[1]);
    reply("USED", "60000 0 0 0");
    run(0.05);
    ok(n_told == 1 && told[0] == QUOTA_USED_UP && nested == told[0],
       "the same when it is used up");

    fresh(0, 1000);
    take(0, 5);
    take(1, 5);
}


int
main(void)
{
    loop = ev_default_loop(0);
    list.refs = 1;
    quota = quota_new(loop, NULL, (health_t *) &list);

    test_unlimited();
    test_order();
    test_rate();
    test_expiry();
    test_patience();
    test_backoff();
    test_nested();
    test_probe();
    test_refused();

    quota_free(quota);
    ok(dropped == 1, "runs of test points are dropped at the end");
    ev_loop_destroy(loop);

    return tap_done();
}
