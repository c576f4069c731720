/*
 * The contract of the query engine: call backs come once, never from inside
 * dns_ask, never after dns_cancel, in any state of the query; nothing leaks.  A
 * resolver runs on the same event loop; the first letter of the name selects
 * its behaviour:
 *
 *     a... answers, m... is mute, t... truncates; its TCP side is mute
 */

#include "tap.h"

#include "dns/engine.h"
#include "dns/wire.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define MANY  200

static struct ev_loop  *loop;
static int              udp, tcp;       /* sockets of the resolver */
static in_port_t        port, closed_port;
static ev_io            server;
static unsigned         called, asking, nested, mixed_up;
static dns_answer_t     last;
static dns_query_t  *query[MANY];


static void
serve(struct ev_loop *l, ev_io *io, int events)
{
    ssize_t                  n;
    uint8_t                  msg[600];
    socklen_t                len;
    struct sockaddr_storage  from;

    (void) l;
    (void) events;

    for ( ;; ) {
        len = sizeof(from);
        n = recvfrom(io->fd, msg, 512, MSG_DONTWAIT, (struct sockaddr *) &from,
                     &len);

        if (n < DNS_HEADER + 1) {
            return;
        }

        msg[2] = 0x81;
        msg[3] = 0x80;

        /* The query has OPT, which the response lacks. */
        n -= 11;
        msg[11] = 0;

        switch (msg[DNS_HEADER + 1]) {

        case 'm':
            continue;

        case 't':
            msg[2] |= 2;
            break;

        default:
            msg[7] = 1;
            memcpy(msg + n, "\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\x7f\0\0\2", 16);
            n += 16;
        }

        (void) sendto(io->fd, msg, (size_t) n, 0, (struct sockaddr *) &from,
                      len);
    }
}


/* A socket on *at, or on any port; -1: the port is in use. */

static int
bound(int type, in_port_t *at)
{
    int                 fd, on = 1;
    socklen_t           len;
    struct sockaddr_in  in = { .sin_family = AF_INET, .sin_port = *at };

    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    fd = socket(AF_INET, type, 0);
    len = sizeof(in);

    if (type == SOCK_STREAM) {
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    }

    if (bind(fd, (struct sockaddr *) &in, sizeof(in)) != 0
        || getsockname(fd, (struct sockaddr *) &in, &len) != 0)
    {
        close(fd);
        return -1;
    }

    *at = in.sin_port;
    return fd;
}


/* One port for both: a free UDP port may be in use for TCP. */

static void
bind_pair(void)
{
    int  tries;

    for (tries = 0; tries < 100; tries++) {
        port = 0;
        udp = bound(SOCK_DGRAM, &port);
        tcp = udp < 0 ? -1 : bound(SOCK_STREAM, &port);

        if (tcp >= 0) {
            return;
        }

        close(udp);
    }

    printf("Bail out! no port on loopback\n");
    exit(1);
}


static void
start_server(void)
{
    int  fd, size = 1024 * 1024;

    bind_pair();
    setsockopt(udp, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
    listen(tcp, 16);

    fd = bound(SOCK_DGRAM, &closed_port);
    close(fd);

    ev_io_init(&server, serve, udp, EV_READ);
    ev_io_start(loop, &server);
}


static dns_config_t
config(in_port_t at)
{
    dns_config_t         conf = { .n_resolvers = 1, .timeout = 2, .tries = 2,
                                  .max_in_flight = 1000, .socket_uses = 1000,
                                  .max_tcp = 1 };
    struct sockaddr_in  *in;

    in = (struct sockaddr_in *) &conf.resolver[0];
    in->sin_family = AF_INET;
    in->sin_port = at;
    in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);

    return conf;
}


static void
on_answer(void *data, const dns_answer_t *answer)
{
    dns_query_t  **own;

    own = data;
    called++;
    nested += asking;

    /* The query must not have been cancelled. */
    mixed_up += *own == NULL;
    *own = NULL;
    last = *answer;
}


static void
on_tick(struct ev_loop *l, ev_timer *timer, int events)
{
    (void) l;
    (void) timer;
    (void) events;
}


/* Runs until the count is reached or 10 seconds have passed. */
static int
run_until(const unsigned *count, unsigned want)
{
    double    end;
    ev_timer  tick;

    end = ev_time() + 10;
    ev_timer_init(&tick, on_tick, 0.02, 0.02);
    ev_timer_start(loop, &tick);

    while (*count < want && ev_time() < end) {
        ev_run(loop, EVRUN_ONCE);
    }

    ev_timer_stop(loop, &tick);
    return *count >= want;
}


/* Runs some more rounds, in which a wrong event could happen. */
static void
run_on(void)
{
    unsigned  rounds;

    for (rounds = 0; rounds < 50; rounds++) {
        ev_run(loop, EVRUN_NOWAIT);
        usleep(500);
    }
}


static int
ask(dns_engine_t *engine, unsigned n, const char *name, dns_done_pt done)
{
    static const dns_payer_t  zone = { .zone = "zone" };

    asking = 1;
    query[n] = dns_ask(engine, name, DNS_TYPE_A, &zone, done,
                          &query[n]);
    asking = 0;

    return query[n] != NULL;
}


static void
cancel(unsigned n)
{
    dns_cancel(query[n]);
    query[n] = NULL;
}


static void
reset(void)
{
    called = nested = mixed_up = 0;
    memset(query, 0, sizeof(query));
}


static void
test_parse(void)
{
    size_t                    i;
    struct sockaddr_in       *in;
    struct sockaddr_in6      *in6;
    struct sockaddr_storage   sa;
    static const char *const  bad[] = {
        "", "@53", "localhost", "127.0.0.1@", "127.0.0.1@0", "127.0.0.1@65536",
        "127.0.0.1@5x", "127.0.0.1:53", "127.0.0", "::1]:53", "[::1", "[::1]5",
        "[::1]:", "[::1]:0", "[127.0.0.1]:53", "[]", "127.0.0.1@-1",
        "1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb:cccc"
    };

    in = (struct sockaddr_in *) &sa;
    in6 = (struct sockaddr_in6 *) &sa;

    ok(dns_server_parse(&sa, "127.0.0.1") == 0 && in->sin_family == AF_INET
       && in->sin_port == htons(53), "an address");
    ok(dns_server_parse(&sa, "127.0.0.1@5353") == 0
       && in->sin_port == htons(5353), "with a port");
    ok(dns_server_parse(&sa, "::1@54") == 0 && in6->sin6_family == AF_INET6
       && in6->sin6_port == htons(54), "IPv6 with a port");
    ok(dns_server_parse(&sa, "[::1]:55") == 0
       && in6->sin6_port == htons(55), "the same in brackets");
    ok(dns_server_parse(&sa, "[::1]") == 0
       && in6->sin6_port == htons(53), "brackets without a port");

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ok(dns_server_parse(&sa, bad[i]) == -1, "not '%s'", bad[i]);
    }
}


static void
test_config(void)
{
    dns_config_t  good, c;

    good = config(port);
#define refused(change)                                                       \
    c = good;                                                                 \
    c.change;                                                                 \
    ok(dns_engine_new(loop, &c) == NULL, "refused: " #change)

    refused(n_resolvers = 0);
    refused(n_resolvers = DNS_MAX_RESOLVERS + 1);
    refused(timeout = 0);
    refused(timeout = NAN);
    refused(tries = 0);
    refused(tries = 6);
    refused(max_in_flight = 0);
    refused(zone_rate = -1);
    refused(zone_rate = NAN);
    refused(socket_uses = 0);
#undef refused
}


static void
test_plain(void)
{
    unsigned               n;
    dns_config_t           conf;
    dns_engine_t          *engine;
    const dns_counters_t  *c;

    reset();
    conf = config(port);
    conf.socket_uses = 7;
    engine = dns_engine_new(loop, &conf);
    c = dns_engine_counters(engine);

    ok(dns_ask(engine, "a..b", DNS_TYPE_A, NULL, on_answer, NULL) == NULL,
       "a bad name");

    for (n = 0; n < MANY; n++) {
        ask(engine, n, "a.example", on_answer);
    }

    ok(called == 0 && c->waiting == MANY,
       "%d queries, no response reported", MANY);
    ok(run_until(&called, MANY), "all responses are reported");
    run_on();
    ok(called == MANY && nested == 0 && mixed_up == 0,
       "once each, none from inside dns_ask");
    ok(last.status == DNS_NOERROR && last.n_a == 1 && last.a[0] == 0x7f000002
       && last.tries == 1 && last.ttl == 60 && last.ms >= 0
       && last.ms < 10000, "the answer");
    ok(c->queries == MANY && c->by_status[DNS_NOERROR] == MANY
       && c->sent == MANY && c->replies == MANY && c->in_flight == 0
       && c->waiting == 0, "the counters");
    dns_engine_free(engine);
}


static unsigned  left;
static dns_engine_t  *chain_engine;


/* Makes the next query from inside the call back. */
static void
on_chain(void *data, const dns_answer_t *answer)
{
    on_answer(data, answer);

    if (--left) {
        ask(chain_engine, left, "a.chain.example", on_chain);
    }
}


static void
test_chain(void)
{
    dns_config_t  conf;

    reset();
    conf = config(port);
    chain_engine = dns_engine_new(loop, &conf);
    left = MANY;
    ask(chain_engine, 0, "a.chain.example", on_chain);
    ok(run_until(&called, MANY) && nested == 0 && mixed_up == 0,
       "queries from call backs");
    dns_engine_free(chain_engine);
}


/* The first call back cancels all other queries. */
static void
on_first(void *data, const dns_answer_t *answer)
{
    unsigned  n;

    on_answer(data, answer);

    for (n = 0; n < MANY; n++) {
        if (query[n]) {
            cancel(n);
        }
    }
}


/* Makes `n` queries for that name; the first call back cancels the rest. */
static void
first_cancels(dns_config_t *conf, const char *name, dns_status_t status,
    const char *what)
{
    unsigned               n;
    dns_engine_t          *engine;
    const dns_counters_t  *c;

    reset();
    engine = dns_engine_new(loop, conf);
    c = dns_engine_counters(engine);

    for (n = 0; n < MANY; n++) {
        ask(engine, n, name, on_first);
    }

    ok(run_until(&called, 1) && last.status == status, "%s: one is reported",
       what);
    run_on();
    ok(called == 1 && c->in_flight == 0 && c->waiting == 0,
       "%s: the cancelled others are not", what);

    /* The engine still works afterwards. */
    ask(engine, 0, name, on_answer);
    ok(run_until(&called, 2) && last.status == status, "%s: and continues",
       what);
    dns_engine_free(engine);
}


static void
test_first_cancels(void)
{
    dns_config_t  conf;

    conf = config(port);
    first_cancels(&conf, "a.example", DNS_NOERROR, "replies in one batch");

    conf.socket_uses = 3;
    first_cancels(&conf, "a.example", DNS_NOERROR, "on retired sockets");

    conf.max_in_flight = 1;
    first_cancels(&conf, "a.example", DNS_NOERROR, "waiting");

    conf.zone_rate = 100;
    first_cancels(&conf, "a.example", DNS_NOERROR, "throttled");

    conf = config(port);
    conf.timeout = 0.05;
    conf.tries = 1;
    first_cancels(&conf, "m.example", DNS_TIMEOUT, "timed out together");

    first_cancels(&conf, "t.example", DNS_TRUNCATED, "waiting for TCP");
    conf.max_tcp = MANY;
    first_cancels(&conf, "t.example", DNS_TRUNCATED, "over TCP");

    conf = config(closed_port);
    first_cancels(&conf, "a.example", DNS_NETWORK, "paused");
    conf.tries = 1;
    first_cancels(&conf, "a.example", DNS_NETWORK, "refused");
}


/*
 * The loop was away while one query ran out of time, and another got a response
 * that is repeated over TCP.  Both are due in one turn, and the response comes
 * first: it does not put off the end of the other.
 */
static void
test_one_turn(void)
{
    dns_config_t   conf;
    dns_engine_t  *engine;

    reset();
    conf = config(port);
    conf.timeout = 0.1;
    conf.tries = 1;
    engine = dns_engine_new(loop, &conf);
    ask(engine, 0, "m.example", on_answer);
    ask(engine, 1, "t.example", on_answer);
    ev_run(loop, EVRUN_NOWAIT);
    usleep(150000);

    ok(run_until(&called, 1) && last.status == DNS_TIMEOUT,
       "a deadline holds, though a response comes in the same turn");
    dns_engine_free(engine);
}


/* Queries are cancelled, and others freed, at every moment of their lives. */
static void
test_moments(void)
{
    unsigned       n, round, moment;
    dns_config_t   conf;
    dns_engine_t  *engine;

    static const char *const  name[] = { "a.x", "m.x", "t.x", "t.y" };

    for (round = 0; round < 2; round++) {
        reset();

        for (moment = 0; moment < 12; moment++) {
            conf = config(round ? closed_port : port);
            conf.timeout = 0.01;
            engine = dns_engine_new(loop, &conf);

            for (n = 0; n < 16; n++) {
                ask(engine, n, name[n % 4], on_answer);
            }

            for (n = 0; n < moment; n++) {
                ev_run(loop, EVRUN_NOWAIT);
                usleep(n > 5 ? 5000 : 0);
            }

            for (n = 0; n < 8; n++) {
                if (query[n]) {
                    cancel(n);
                }
            }

            ev_run(loop, EVRUN_NOWAIT);
            dns_engine_free(engine);
        }

        ok(mixed_up == 0 && nested == 0,
           "cancelled and freed at any moment, port %s",
           round ? "closed" : "open");
    }

    dns_engine_free(NULL);
}


int
main(void)
{
    loop = ev_default_loop(0);
    start_server();

    test_parse();
    test_config();
    test_plain();
    test_chain();
    test_first_cancels();
    test_one_turn();
    test_moments();

    ev_io_stop(loop, &server);
    close(udp);
    close(tcp);
    ev_loop_destroy(loop);

    return tap_done();
}
