/*
 * Requests and reports of evidence, with a fake store and health.
 */

#include "tap.h"
#include "fake_store.h"

#include "check/verdict/evidence.h"

static evidence_t       *evidence;
static list_t           *list;

static evidence_known_t  known[CALLS];
static int               told_to[CALLS];
static unsigned          n_told;
static int               who[CALLS];    /* their addresses are the data */
static evidence_wait_t  *waits[CALLS];  /* of these */

static health_news_pt    listener;
static void             *listener_data;


void
health_listen(health_t *health, health_news_pt listen, void *data)
{
    (void) health;

    listener = listen;
    listener_data = data;
}


void
dns_server_text(const dns_engine_t *engine, unsigned resolver,
    char buf[DNS_SERVER_TEXT])
{
    (void) engine;
    snprintf(buf, DNS_SERVER_TEXT, resolver == 127 ? "%u.0.0.1" : "%u",
             resolver);
}


static int  unknown;                    /* the last caller got NULL */


static void
on_evidence(void *data, const evidence_known_t *t)
{
    unknown = t == NULL;

    if (t != NULL) {
        known[n_told] = *t;
    }

    told_to[n_told++] = (int) ((int *) data - who);
}


static void
ask(int i)
{
    evidence_seen_t  seen;

    memset(&seen, 0, sizeof(seen));
    waits[i] = evidence_ask(evidence, list, RBL_FAMILY_IPV4, 7, clock_now() - 2,
                            &seen, on_evidence, &who[i]);
}


static void
test_ask(void)
{
    ask(0);
    ok(n_told == 0 && open_calls() == 1
       && last_call()->script == &rbl_script_zone_ask
       && last_call()->argv[2] == 7 && last_call()->argv[3] >= 2000
       && last_call()->argv[3] < 4000, "the store is queried");
    reply("OK", "0 0 0");
    ok(n_told == 1 && told_to[0] == 0 && known[0].wild_until == 0
       && !known[0].had_point && known[0].soa == 0, "nothing is known");
    ask(1);
    reply("OK", "5000 1 3");
    ok(n_told == 2 && told_to[1] == 1 && known[1].wild_until > clock_now() + 4
       && known[1].wild_until < clock_now() + 6 && known[1].had_point
       && known[1].soa == 3,
       "much is");
    ask(2);
    reply("OK", "-5 0 -1");
    ok(n_told == 3 && known[2].wild_until == 0 && known[2].soa == 0,
       "nonsense is nothing");
}


static void
test_again(void)
{
    double    end;
    unsigned  calls;

    n_told = 0;
    ask(0);
    calls = n_calls;
    reply("", "");
    ok(n_told == 0, "the store is down: no caller gets a reply");

    for (end = clock_now() + 5; n_calls == calls && clock_now() < end; ) {
        run(0.01);
    }

    ok(n_calls == calls + 1, "it is queried again");
    reply("OK", "0 1");
    ok(n_told == 1 && known[0].had_point, "then the callers get one");

    ask(1);
    away = STORE_AWAY_LONG - 1;
    reply("", "");
    ok(n_told == 1, "the partition is away for a moment: no reply");

    end = clock_now() + 5;

    for (calls = n_calls; n_calls == calls && clock_now() < end; ) {
        run(0.01);
    }

    away = STORE_AWAY_LONG + 1;
    reply("", "");
    ok(n_told == 2 && unknown, "it is away for longer: nothing can be known");
    away = 0;
}


static void
test_forget(void)
{
    n_told = 0;
    ask(0);
    evidence_forget(waits[0]);
    ok(open_calls() == 0, "a cancelled query does not wait");
    ask(1);
    reply("", "");
    evidence_forget(waits[1]);
    run(0.4);
    ok(open_calls() == 0 && n_told == 0, "nor is it repeated");
    ask(2);
    ask(3);
    reply("", "");
}


static void
test_news(void)
{
    health_news_t  news = { HEALTH_NEWS_WILDCARD, list, RBL_FAMILY_IPV6, 7, 300,
                            1.5, 1, 4 };

    listener(listener_data, &news);
    ok(last_call()->script == &rbl_script_zone_told
       && last_call()->argv[1] == 300 && last_call()->argv[2] == 0
       && last_call()->argv[3] == 0, "a wildcard is reported");
    reply("OK", "");
    news.what = HEALTH_NEWS_RECOVERED;
    listener(listener_data, &news);
    ok(last_call()->script == &rbl_script_zone_ask && last_call()->argv[2] == 7
       && last_call()->argv[3] == 1500, "the recovery is reported");
    reply("OK", "302000 0 0");
    news.what = HEALTH_NEWS_TTL;
    listener(listener_data, &news);
    ok(last_call()->script == &rbl_script_zone_ask && last_call()->argv[2] == 7
       && last_call()->argv[7] == 300000,
       "the TTL of the test point is reported");
    reply("OK", "0 0 0");
    news.what = HEALTH_NEWS_LIFE;
    listener(listener_data, &news);
    ok(last_call()->script == &rbl_script_zone_told
       && last_call()->argv[1] == 0 && last_call()->argv[2] == 1
       && last_call()->argv[3] == 4, "a test point and a zone, no wildcard");
    reply("OK", "");
}


/* A check that must be repeated tells the TTL, too. */

static void
test_waits(void)
{
    int              any;
    evidence_seen_t  seen;

    for (any = 0; any < 2; any++) {
        memset(&seen, 0, sizeof(seen));
        seen.host = RBL_STR("192.0.2.1");
        seen.at = clock_now();
        seen.waits = (evidence_waits_t) { .n = 2, .wait = { 602, 302 },
                                          .any = any, .ttl = 600 };
        n_told = 0;
        evidence_ask(evidence, list, RBL_FAMILY_IPV4, 127, clock_now(), &seen,
                     on_evidence, &who[0]);
        ok(last_call()->argv[7] == (any ? 600000 : 0)
           && last_call()->argv[8] == any && last_call()->argv[9] == 602000
           && last_call()->argv[10] == 302000,
           "waits through %s resolver", any ? "any" : "the same");
        reply("OK", "0 0 0 5000");
        ok(n_told == 1 && known[0].wait == 5, "the store says how long it is");
    }

    ok(strncmp(last_call()->text[2], "127.0.0.1 ", 10) == 0
       && strlen(last_call()->text[2]) > 10,
       "a resolver of this machine is named with it");
}


int
main(void)
{
    loop = ev_loop_new(0);
    list = list_make(RBL_STR("RB1"), RBL_STR("rbl"), 0, RBL_STR("list.test"),
                     RBL_STR(""), RBL_FAMILY_IPV4);
    evidence = evidence_new(loop, NULL, NULL, (health_t *) &listener);

    test_ask();
    test_again();
    test_news();
    test_waits();
    test_forget();

    evidence_free(evidence);            /* while two requests wait */
    ok(listener == NULL, "it listens no more");
    list_unref(list);
    ev_loop_destroy(loop);

    return tap_done();
}
