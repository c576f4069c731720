/*
 * Batches of queries: each query arrives once and complete, for any number of
 * queries in one message to the kernel; also if the kernel, or the path, takes
 * only one at a time.  A resolver runs on the same event loop; the system calls
 * are replaced here.
 */

#include "tap.h"

#include "dns/engine.h"
#include "dns/wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MANY     150
#define LENGTHS  7                  /* number of name lengths */

static struct ev_loop  *loop;
static int              udp;        /* socket of the resolver */
static in_port_t        port;
static ev_io            server;
static unsigned         arrived, answered, bad;

/* Features that the kernel lacks; calls that used them. */
static int              unknown, unroutable;
static unsigned         messages, cut, refusals, good_before;


int
getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
    if (unknown && level == IPPROTO_UDP && name == UDP_SEGMENT) {
        errno = ENOPROTOOPT;
        return -1;
    }

    return (int) syscall(SYS_getsockopt, fd, level, name, value, len);
}


/* Refuses the first message with segments, and all later ones. */
int
sendmmsg(int fd, struct mmsghdr *msg, unsigned n, int flags)
{
    int       k;
    unsigned  i;

    for (i = 0; unroutable && i < n; i++) {
        if (msg[i].msg_hdr.msg_controllen && good_before-- == 0) {
            good_before = 0;
            n = i;
        }
    }

    if (n == 0) {
        refusals++;
        errno = EIO;
        return -1;
    }

    k = (int) syscall(SYS_sendmmsg, fd, msg, n, flags);

    for (i = 0; k > 0 && i < (unsigned) k; i++) {
        messages++;
        cut += msg[i].msg_hdr.msg_controllen != 0;
    }

    return k;
}


static void
serve(struct ev_loop *l, ev_io *io, int events)
{
    ssize_t             n;
    uint8_t             msg[600];
    socklen_t           len;
    struct sockaddr_in  from;

    (void) l;
    (void) events;

    for ( ;; ) {
        len = sizeof(from);
        n = recvfrom(io->fd, msg, 512, MSG_DONTWAIT, (struct sockaddr *) &from,
                     &len);

        if (n < DNS_HEADER + 11) {
            return;
        }

        /* NXDOMAIN, without the OPT of the query. */
        arrived++;
        msg[2] = 0x81;
        msg[3] = 0x83;
        msg[11] = 0;
        (void) sendto(io->fd, msg, (size_t) n - 11, 0,
                      (struct sockaddr *) &from, len);
    }
}


static void
start_server(void)
{
    int                 size = 1024 * 1024;
    socklen_t           len;
    struct sockaddr_in  in = { .sin_family = AF_INET };

    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    len = sizeof(in);
    udp = socket(AF_INET, SOCK_DGRAM, 0);
    setsockopt(udp, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));

    if (bind(udp, (struct sockaddr *) &in, sizeof(in)) != 0
        || getsockname(udp, (struct sockaddr *) &in, &len) != 0)
    {
        printf("Bail out! no port on loopback\n");
        exit(1);
    }

    port = in.sin_port;
    ev_io_init(&server, serve, udp, EV_READ);
    ev_io_start(loop, &server);
}


static void
on_answer(void *data, const dns_answer_t *answer)
{
    (void) data;

    answered++;
    bad += answer->status != DNS_NXDOMAIN || answer->tries != 1;
}


/* Sends MANY queries, of several lengths in turn, by sockets with so many
   uses. */
static void
run(const char *what, unsigned uses)
{
    char                 name[64];
    double               end;
    unsigned             n;
    dns_config_t         conf = { .n_resolvers = 1, .timeout = 5, .tries = 2,
                                  .max_in_flight = 1000, .max_tcp = 1 };
    dns_engine_t        *engine;
    struct sockaddr_in  *in;

    in = (struct sockaddr_in *) &conf.resolver[0];
    in->sin_family = AF_INET;
    in->sin_port = port;
    in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    conf.socket_uses = uses;
    messages = cut = refusals = arrived = answered = bad = 0;
    engine = dns_engine_new(loop, &conf);

    for (n = 0; n < MANY; n++) {
        snprintf(name, sizeof(name), "q%03u%.*s.example", n,
                 (int) (n % LENGTHS), "abcdefghi");
        dns_ask(engine, name, DNS_TYPE_A, NULL, on_answer, NULL);
    }

    end = ev_time() + 10;

    while (answered < MANY && ev_time() < end) {
        ev_run(loop, EVRUN_ONCE);
    }

    ok(answered == MANY && bad == 0, "%s: all have a response", what);
    ok(arrived == MANY, "%s: each arrived once", what);
    ok(dns_engine_counters(engine)->sent == MANY,
           "%s: so many have been sent", what);
    dns_engine_free(engine);
}


static void
test_whole(void)
{
    run("together", 1000);
    ok(cut > 0 && messages <= 3 * LENGTHS,
       "a length is one message of a batch");

    run("one by one", 1);
    ok(messages == MANY, "a single query is a message");
}


static void
test_unknown(void)
{
    unknown = 1;
    run("a kernel without", 1000);
    ok(cut == 0 && messages == MANY, "nothing is put together");
    unknown = 0;
}


/* One refusal for each socket, since others may use another path. */
static void
test_unroutable(void)
{
    unroutable = 1;
    good_before = 0;
    run("a path without", 1000);
    ok(cut == 0 && messages == MANY, "then each query is a message");
    ok(refusals <= 3, "a socket tries once");

    good_before = 2;
    run("from the third message on", 1000);
    ok(cut == 2 && refusals > 0, "sent messages are not sent again");

    good_before = 0;
    run("sockets that are soon retired", 20);
    ok(refusals > 3, "a new socket tries again");
    unroutable = 0;
}


int
main(void)
{
    loop = ev_loop_new(EVFLAG_AUTO);
    start_server();

    test_whole();
    test_unknown();
    test_unroutable();

    ev_io_stop(loop, &server);
    close(udp);
    ev_loop_destroy(loop);
    return tap_done();
}
