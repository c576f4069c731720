/*
 * A pacing class that is freed is in no list, although its last query waited
 * for a TCP slot; nor is its owner.
 */

#include "tap.h"

#include "dns/dns_int.h"

#include <arpa/inet.h>

#define NAMES  8192                 /* classes; far more than slots */

static dns_engine_t  *engine;


static void
on_answer(void *data, const dns_answer_t *answer)
{
    (void) data;
    (void) answer;
}


static dns_query_t *
ask(const char *zone, uint64_t account)
{
    dns_payer_t  payer;

    memset(&payer, 0, sizeof(payer));
    payer.zone = zone;
    payer.account = account;
    engine->now += 1;

    return dns_ask(engine, "a.test", DNS_TYPE_A, &payer, on_answer, NULL);
}


/* A query of that account waits for TCP, then it is cancelled. */
static void
wait_for_tcp(uint64_t account)
{
    dns_query_t  *q;

    q = ask("first.test", account);
    dns_query_leave(q);
    dns_tcp_ask(q);
    dns_cancel(q);
    dns_pace_run(engine);
}


/* Queries of others, whose classes and owners take all slots. */
static void
fill(void)
{
    char      zone[32];
    unsigned  i;

    for (i = 0; i < NAMES; i++) {
        snprintf(zone, sizeof(zone), "n%u.test", i);
        dns_cancel(ask(zone, 1000 + i));
        dns_cancel(ask(zone, 0));
        dns_pace_run(engine);
    }
}


int
main(void)
{
    dns_config_t         conf;
    struct ev_loop      *loop;
    struct sockaddr_in  *sin;

    loop = ev_loop_new(0);
    memset(&conf, 0, sizeof(conf));
    conf.n_resolvers = 1;
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
    ok(engine != NULL, "an engine");

    wait_for_tcp(0);
    wait_for_tcp(7);
    ok(!link_empty(&engine->system.tcp_ready)
       && !link_empty(&engine->tcp_owners),
       "the queries waited for a TCP slot");
    fill();
    ok(link_empty(&engine->system.tcp_ready), "a class that is freed does not"
       " wait any longer");
    ok(link_empty(&engine->tcp_owners),
       "an owner that is freed does not wait either");
    dns_tcp_run(engine);

    dns_engine_free(engine);
    ev_loop_destroy(loop);

    return tap_done();
}
