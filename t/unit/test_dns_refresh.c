/*
 * Validity of the servers of a zone, with a simulated search (find.c) and
 * clock: between five minutes and a day; in the last fifth they are searched
 * again, and no query waits.  If the search fails, they stay in use, unless the
 * zone is gone.
 */

#include "tap.h"

#include "dns/dns_int.h"

#include <arpa/inet.h>

static dns_engine_t    *engine;
static dns_zone_t      *zone;
static dns_payer_t      payer;
static int              sought;         /* searches started, and under way */
static int              seeking;
static dns_find_t      *const  search = (dns_find_t *) &seeking;


dns_find_t *
dns_find_new(dns_zone_t *z)
{
    (void) z;

    sought++;
    seeking = 1;

    return search;
}


void
dns_find_free(dns_find_t *find)
{
    if (find != NULL) {
        seeking = 0;
    }
}


static void
on_answer(void *data, const dns_answer_t *answer)
{
    (void) data;
    (void) answer;
}


/* Does a query now wait for the search?  Otherwise it is sent to
   127.0.0.<last>. */

static int
waits(unsigned *last)
{
    int              w;
    dns_query_t     *q;

    q = dns_ask(engine, "1.2.0.192.list.test", DNS_TYPE_A, &payer, on_answer,
                NULL);
    w = q->state == DNS_SEEKING;
    *last = q->set == NULL ? 0 : ntohl(((struct sockaddr_in *)
                                &q->set->server[0]->sa)->sin_addr.s_addr)
                                & 255;
    dns_cancel(q);

    return w;
}


/* Ends the search: a server at 127.0.0.<last>, or nothing if that is 0. */

static void
found(unsigned last, uint32_t ttl, int gone)
{
    struct sockaddr_in       sin = { .sin_family = AF_INET };
    struct sockaddr_storage  sa;

    sin.sin_port = htons(53);
    sin.sin_addr.s_addr = htonl(0x7f000000 + last);
    memset(&sa, 0, sizeof(sa));
    memcpy(&sa, &sin, sizeof(sin));
    seeking = 0;
    dns_zone_found(zone, &sa, last != 0, &zone->wire, ttl, gone);
}


/* Advances the clock of the zone. */

static void
pass(double seconds)
{
    zone->refresh -= seconds;
    zone->expires -= seconds;
    zone->retry -= seconds;
}


static void
test_first(void)
{
    unsigned  last;

    ok(waits(&last) && sought == 1, "the first query waits for a search");
    ok(waits(&last) && sought == 1, "the next for the same one");
    found(1, 600, 0);
    ok(!waits(&last) && last == 1 && sought == 1, "found: nothing to wait for");
    pass(0.79 * 600);
    ok(!waits(&last) && sought == 1, "it holds for most of its TTL");
}


static void
test_refresh(void)
{
    unsigned  last;

    pass(0.02 * 600);
    ok(!waits(&last) && last == 1 && sought == 2,
       "in the last fifth the servers are looked up again, and no query waits");
    ok(!waits(&last) && sought == 2, "by one search");
    found(2, 600, 0);
    ok(!waits(&last) && last == 2 && sought == 2, "other servers are used");
}


static void
test_bounds(void)
{
    unsigned  last;

    pass(600);
    ok(waits(&last) && sought == 3, "over: the query waits");
    found(2, 1, 0);
    pass(200);
    ok(!waits(&last) && sought == 3, "a TTL of a second: five minutes");
    pass(101);
    ok(waits(&last) && sought == 4, "and no more");
    found(2, 4000000, 0);
    pass(69000);
    ok(!waits(&last) && sought == 4, "a TTL of weeks");
    pass(200);
    ok(!waits(&last) && sought == 5, "a day");
    found(2, 600, 0);
}


static void
test_lost(void)
{
    unsigned  last;

    pass(599);
    (void) waits(&last);
    found(0, 0, 0);
    ok(!waits(&last) && last == 2 && sought == 6,
       "not found again: the old ones are used");
    pass(5.1);
    ok(!waits(&last) && last == 2 && sought == 7,
       "expired: they still are, and looked up again after a pause");
    found(0, 0, 0);
    pass(5.1);
    ok(!waits(&last) && sought == 7, "the pause grows");
    pass(5);
    ok(!waits(&last) && sought == 8, "and ends");
    found(0, 0, 1);
    ok(!waits(&last) && last == 0,
       "the parent has no such zone: no server is used");
    pass(1000);
    ok(waits(&last) && sought == 9, "it may come back");
    found(3, 600, 0);
    ok(!waits(&last) && last == 3, "it is back");
}


int
main(void)
{
    dns_config_t         conf;
    struct ev_loop      *loop;
    struct sockaddr_in  *sin;

    loop = ev_loop_new(0);
    memset(&conf, 0, sizeof(conf));
    conf.direct = conf.n_resolvers = 1;
    sin = (struct sockaddr_in *) &conf.resolver[0];
    sin->sin_family = AF_INET;
    sin->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sin->sin_port = htons(9);
    conf.timeout = 1;
    conf.tries = 1;
    conf.max_in_flight = 10;
    conf.socket_uses = 1000;
    conf.max_tcp = 10;

    engine = dns_engine_new(loop, &conf);
    payer.zone = "list.test";
    zone = dns_zone_of(engine, &payer);
    ok(engine != NULL && zone != NULL, "an engine, and a zone");

    test_first();
    test_refresh();
    test_bounds();
    test_lost();

    dns_engine_free(engine);
    ev_loop_destroy(loop);

    return tap_done();
}
