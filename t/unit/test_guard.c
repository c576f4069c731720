/*
 * Batches of new listings with a fake store and health: permitted listings,
 * those that wait for a sample, those at a frozen list.
 */

#include "tap.h"
#include "fake_store.h"

#include "check/verdict/guard.h"

static guard_t         *guard;
static list_t          *list;

static int              told[CALLS], told_to[CALLS];
static unsigned         n_told;
static int              who[CALLS];     /* their addresses are the data */
static guard_wait_t    *waits[CALLS];   /* of these */

static health_done_pt   sampled;        /* NULL: no sample is under way */
static void            *sampled_data;
static unsigned         samples, dropped;
static rbl_family_t     sampled_family;


/* --- health -------------------------------------------------------------- */


const char *const  health_state_names[] = {
    "untried", "good", "blocked", "wildcarding", "down", "unsupported",
    "resolver"
};


health_q_t *
health_ask(health_t *health, const list_t *l, rbl_family_t family,
    uint32_t server, health_need_t need, health_done_pt done, void *data)
{
    (void) health;
    (void) l;
    (void) server;
    (void) need;

    samples++;
    sampled = done;
    sampled_data = data;
    sampled_family = family;

    return (health_q_t *) &sampled;
}


void
health_drop(health_q_t *q)
{
    if (q != NULL) {
        dropped++;
        sampled = NULL;
    }
}


static void
verdict(health_state_t state)
{
    health_done_pt    done = sampled;
    health_verdict_t  v = { .state = state, .sampled = clock_now() };

    sampled = NULL;
    done(sampled_data, &v);
}


/* --- the rest ------------------------------------------------------------ */


static void
on_go(void *data, int go)
{
    told[n_told] = go;
    told_to[n_told++] = (int) ((int *) data - who);
}


static void
forget(int i)
{
    guard_forget(waits[i]);
    waits[i] = NULL;
}


static void
ask(int i)
{
    waits[i] = guard_ask(guard, list, RBL_FAMILY_IPV4, 0, on_go, &who[i]);
}


static void
fresh(void)
{
    char             sid[40];
    static unsigned  serial;

    snprintf(sid, sizeof(sid), "RB%032x", ++serial);
    list_unref(list);
    list = list_make(rbl_str(sid), RBL_STR("rbl"), 0,
                     RBL_STR("list.test"), RBL_STR(""), RBL_FAMILY_IPV4);
    n_told = 0;
    samples = 0;
    n_done = n_calls;
}


/* Were so many called back, all with the same result? */

static int
all_told(unsigned n, int go)
{
    unsigned  i;

    for (i = 0; i < n_told && told[i] == go; i++) { /* void */ }

    return n_told == n && i == n;
}


static void
test_go(void)
{
    int  i;

    fresh();

    for (i = 0; i < 7; i++) {
        guard_count(guard, list);
    }

    run(1.1);
    ok(open_calls() == 0, "clear answers are counted with others");
    ask(0);
    ok(n_told == 0, "no call back from inside");
    ok(open_calls() == 1 && last_call()->argv[0] == 7
       && last_call()->argv[1] == 1, "seven, and one listing");
    ask(1);
    ask(2);
    ok(open_calls() == 1, "one batch at a time");
    reply("OK", "1");
    ok(all_told(1, 1) && told_to[0] == 0, "the first goes");
    ok(open_calls() == 1 && last_call()->argv[0] == 0
       && last_call()->argv[1] == 2, "the others are the next batch");
    reply("OK", "3");
    ok(all_told(3, 1), "and go");

    ask(3);
    run(0.1);
    ask(4);
    ok(open_calls() == 0, "now it is watched more closely");
    run(0.6);
    ok(open_calls() == 1 && last_call()->argv[1] == 2, "in larger batches");
    reply("", "");
    ok(n_told == 3, "without a response of the store nothing is announced");
    ask(5);
    run(0.6);
    ok(open_calls() == 1 && last_call()->argv[1] == 3,
       "it is queried again, for later callers too");
    reply("OK", "3");
    ok(all_told(6, 1), "and they go when it is back");

    n_told = 0;
    ask(0);
    run(0.6);
    away = STORE_AWAY_LONG + 1;
    reply("", "");
    ok(all_told(1, -1), "a partition that is away for longer: not known");
    away = 0;

    fresh();
    for (i = 0; i < 4; i++) {
        guard_count(guard, list);
    }

    ask(0);
    ok(open_calls() == 0, "while many answers come");
    run(0.4);
    ok(open_calls() == 1, "a listing waits for others");
    reply("OK", "0");

    fresh();
    guard_count(guard, list);
    run(2.2);
    ok(open_calls() == 1 && last_call()->argv[0] == 1
       && last_call()->argv[1] == 0, "clear answers alone after a while");
    reply("OK", "0");
}


static void
test_sample(void)
{
    fresh();
    ask(0);
    ask(1);
    reply("FROZEN", "1 10 15 1 0 1234");
    ok(n_told == 0 && samples == 1 && sampled_family == RBL_FAMILY_IPV4,
       "frozen: a sample starts");
    ask(2);
    run(0.6);
    ok(open_calls() == 0, "the store is not queried meanwhile");
    verdict(HEALTH_GOOD);
    ok(open_calls() == 1 && last_call()->script == &rbl_script_list_thaw
       && last_call()->argv[0] == 1234, "passed: this freeze is to end");
    ok(n_told == 0, "they wait for that");
    reply("OK", "900");
    ok(all_told(1, 1), "and go");
    ok(open_calls() == 1 && last_call()->argv[1] == 2, "then the next");
    reply("FROZEN", "1 20 30 1 0 5678");
    verdict(HEALTH_WILDCARDING);
    ok(n_told == 3 && !told[1] && !told[2],
       "wildcarding: no listing is announced");
    ok(open_calls() == 1 && last_call()->script == &rbl_script_list_turn
       && last_call()->argv[2] == 1,
       "it stays frozen: the store gets the reason");
    reply("FROZEN", "0 20 30 0 10 5678");

    ask(3);
    run(0.6);
    reply("FROZEN", "0 20 30 0 9000 5678");
    ok(n_told == 4 && !told[3] && samples == 2,
       "no sample is due: later listings are not announced");
    ask(4);
    run(0.6);
    reply("FROZEN", "0 20 30 1 0 5678");
    verdict(HEALTH_DOWN);
    reply("FROZEN", "0 20 30 0 10 5678");
    ok(n_told == 5 && !told[4], "a list that cannot be queried stays frozen");

    ask(5);
    run(0.6);
    reply("FROZEN", "0 20 30 1 0 5678");
    verdict(HEALTH_GOOD);
    reply("", "");
    ok(n_told == 6 && !told[5], "the store did not get the thaw");
    ask(6);
    run(0.6);
    reply("FROZEN", "0 20 30 1 0 5678");
    verdict(HEALTH_GOOD);
    reply("NONE", "");
    ok(n_told == 7 && told[6], "another daemon has thawed it");
}


static void
test_other(void)
{
    fresh();
    ask(0);
    reply("FROZEN", "0 10 15 0 100 1234");
    ok(n_told == 0 && samples == 0, "another daemon runs a sample");
    ask(1);
    ok(open_calls() == 0, "these wait");
    run(0.6);
    ok(open_calls() == 1 && last_call()->argv[1] == 2, "and query again");
    reply("FROZEN", "0 10 15 0 700 1234");
    ok(n_told == 0, "while it may take so long");
    run(0.6);
    reply("OK", "2");
    ok(all_told(2, 1) && told_to[0] == 0, "the sample passed");

    fresh();
    ask(0);
    reply("FROZEN", "0 10 15 0 100 1234");
    run(0.6);
    reply("FROZEN", "0 10 15 0 5100 1234");
    ok(all_told(1, 0), "the sample failed");

    fresh();
    ask(0);
    reply("FROZEN", "0 10 15 0 -1 1234");
    ok(all_told(1, 0), "there was no sample");
}


static void
on_nested(void *data, int go)
{
    on_go(data, go);
    forget(1);

    if (n_told == 1) {
        ask(2);
    }
}


static void
ask_nested(int i)
{
    waits[i] = guard_ask(guard, list, RBL_FAMILY_IPV4, 0, on_nested, &who[i]);
}


static void
test_forget(void)
{
    fresh();
    ask_nested(0);
    forget(0);
    reply("OK", "1");
    ok(n_told == 0, "a cancelled caller gets no call back");

    ask_nested(3);
    ask_nested(0);
    ask_nested(1);
    reply("OK", "1");
    run(0.4);
    ok(n_told == 1 && open_calls() == 1 && last_call()->argv[1] == 2,
       "from inside a call back one is forgotten and one joins");
    reply("OK", "2");
    ok(n_told == 3 && told_to[1] == 0 && told_to[2] == 2, "the others go");
    ok(open_calls() == 0, "no caller is left");

    ask(0);
    run(0.4);
    reply("FROZEN", "1 10 15 1 0 1234");
    forget(0);
    verdict(HEALTH_GOOD);
    reply("OK", "1");
    ok(n_told == 3, "nor after a sample");
}


int
main(void)
{
    loop = ev_default_loop(0);
    guard = guard_new(loop, NULL, NULL);

    test_go();
    test_sample();
    test_other();
    test_forget();

    fresh();
    ask(0);
    guard_count(guard, list);
    reply("FROZEN", "1 10 15 1 0 1234");
    ask(1);
    guard_free(guard);
    ok(n_told == 0 && dropped == 1,
       "callers that wait at the end get no call back");

    list_unref(list);
    ev_loop_destroy(loop);

    return tap_done();
}
