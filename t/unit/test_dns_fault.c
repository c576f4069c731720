/*
 * The network changes under the sockets of the engine: for each error that a
 * send or a receive may have, and for datagrams that vanish, the next query
 * gets a response, by a new socket where the old ones are of no use.  A
 * resolver runs on the same event loop; the system calls are replaced here.
 */

#include "tap.h"

#include "dns/engine.h"
#include "dns/wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FDS      1024
#define WARM     1000               /* queries that open all sockets, at most */
#define SOCKETS  8                  /* of a resolver (DNS_POOL) */

static struct ev_loop  *loop;
static int              udp;        /* socket of the resolver */
static in_port_t        port;
static ev_io            server;
static unsigned         answered;
static dns_status_t     status;

/* Sockets that have sent; those of them that are broken, and how: -1: what they
   send vanishes. */
static char             used[FDS], broken[FDS];
static int              send_error, receive_error;
static unsigned         failures, by_new;


int
sendmmsg(int fd, struct mmsghdr *msg, unsigned n, int flags)
{
    used[fd] = 1;

    if (broken[fd] && send_error != 0) {
        failures++;

        if (send_error == -1) {
            return (int) n;
        }

        errno = send_error;
        return -1;
    }

    by_new += !broken[fd];
    return (int) syscall(SYS_sendmmsg, fd, msg, n, flags);
}


/* Its number may be used again. */
int
close(int fd)
{
    if (fd >= 0 && fd < FDS) {
        used[fd] = broken[fd] = 0;
    }

    return (int) syscall(SYS_close, fd);
}


int
recvmmsg(int fd, struct mmsghdr *msg, unsigned n, int flags,
    struct timespec *timeout)
{
    char     c;

    if (broken[fd] && receive_error != 0) {
        failures++;
        (void) recv(fd, &c, 1, MSG_DONTWAIT);
        errno = receive_error;
        return -1;
    }

    return (int) syscall(SYS_recvmmsg, fd, msg, n, flags, timeout);
}


static void
serve(struct ev_loop *l, ev_io *io, int events)
{
    ssize_t             n;
    size_t              question;
    uint8_t             msg[600];
    socklen_t           len;
    struct sockaddr_in  from;

    (void) l;
    (void) events;

    for ( ;; ) {
        len = sizeof(from);
        n = recvfrom(io->fd, msg, 512, MSG_DONTWAIT, (struct sockaddr *) &from,
                     &len);

        if (n < DNS_HEADER) {
            return;
        }

        /* NXDOMAIN, without the OPT that the query may have. */
        question = (size_t) n - (msg[11] ? 11 : 0);
        msg[2] = 0x81;
        msg[3] = 0x83;
        msg[11] = 0;
        (void) sendto(io->fd, msg, question, 0, (struct sockaddr *) &from,
                      len);
    }
}


static void
start_server(void)
{
    socklen_t           len;
    struct sockaddr_in  in = { .sin_family = AF_INET };

    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    len = sizeof(in);
    udp = socket(AF_INET, SOCK_DGRAM, 0);

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
    status = answer->status;
}


/* Its status; -1: it did not end. */
static int
ask(dns_engine_t *engine)
{
    double    end;
    unsigned  before;

    before = answered;
    dns_ask(engine, "a.example", DNS_TYPE_A, NULL, on_answer, NULL);
    end = ev_time() + 20;

    while (answered == before && ev_time() < end) {
        ev_run(loop, EVRUN_ONCE);
    }

    return answered == before ? -1 : (int) status;
}


static unsigned
sockets_used(void)
{
    unsigned  fd, n;

    for (fd = 0, n = 0; fd < FDS; fd++) {
        n += used[fd];
    }

    return n;
}


static dns_engine_t *
warm_engine(void)
{
    unsigned             n;
    dns_config_t         conf = { .n_resolvers = 1, .timeout = 0.3, .tries = 2,
                                  .max_in_flight = 100, .max_tcp = 1,
                                  .socket_uses = 1000 };
    dns_engine_t        *engine;
    struct sockaddr_in  *in;

    in = (struct sockaddr_in *) &conf.resolver[0];
    in->sin_family = AF_INET;
    in->sin_port = port;
    in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    engine = dns_engine_new(loop, &conf);

    memset(used, 0, sizeof(used));
    memset(broken, 0, sizeof(broken));
    send_error = receive_error = 0;

    for (n = 0; n < WARM && sockets_used() < SOCKETS; n++) {
        if (ask(engine) != DNS_NXDOMAIN) {
            printf("Bail out! the resolver does not respond\n");
            exit(1);
        }
    }

    memcpy(broken, used, sizeof(broken));
    failures = by_new = 0;

    return engine;
}


/* All sockets that are open have this error from now on. */
static void
test_error(int error, const char *name)
{
    dns_engine_t  *engine;

    engine = warm_engine();
    send_error = error;
    ok(ask(engine) == DNS_NXDOMAIN && failures > 0 && by_new > 0,
       "%s when it is sent: a new socket sends the query", name);
    failures = 0;
    ok(ask(engine) == DNS_NXDOMAIN && failures == 0,
       "%s when it is sent: the old sockets are not used again", name);
    dns_engine_free(engine);

    /* By then the address may be back. */
    engine = warm_engine();
    receive_error = error;
    ok(ask(engine) == DNS_NXDOMAIN && failures > 0,
       "%s when it is received: a new socket repeats the query", name);
    failures = 0;
    ok(ask(engine) == DNS_NXDOMAIN && failures == 0,
       "%s when it is received: the old sockets are not used again", name);
    dns_engine_free(engine);
}


static void
test_errors(void)
{
    size_t  i;

    static const struct {
        int          error;
        const char  *name;
    } t[] = {
        { EINVAL, "EINVAL" }, { EADDRNOTAVAIL, "EADDRNOTAVAIL" },
        { ENETUNREACH, "ENETUNREACH" }, { EHOSTUNREACH, "EHOSTUNREACH" },
        { ENETDOWN, "ENETDOWN" }, { EHOSTDOWN, "EHOSTDOWN" },
        { ENODEV, "ENODEV" }, { ENXIO, "ENXIO" }, { ENONET, "ENONET" },
        { EPERM, "EPERM" }, { EACCES, "EACCES" }, { EPROTO, "EPROTO" },
        { EMSGSIZE, "EMSGSIZE" }, { EIO, "EIO" }, { EPIPE, "EPIPE" },
        { EBADF, "EBADF" }
    };

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        test_error(t[i].error, t[i].name);
    }
}


/* The translation at a router is gone: no error, and no response. */
static void
test_silence(void)
{
    unsigned       i, lost;
    dns_engine_t  *engine;

    engine = warm_engine();
    send_error = -1;

    for (i = lost = 0; i < 16; i++) {
        lost += ask(engine) != DNS_NXDOMAIN;
    }

    ok(lost == 0 && failures > 0,
       "queries that vanish are repeated by a socket that works");
    dns_engine_free(engine);
}


/* These say nothing about the socket. */
static void
test_passing(void)
{
    size_t         i;
    dns_engine_t  *engine;

    static const int  errors[] = { ENOBUFS, ENOMEM, EAGAIN, EINTR,
                                   ECONNREFUSED };

    for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        engine = warm_engine();
        send_error = errors[i];
        ok(ask(engine) == DNS_NETWORK && by_new == 0,
           "error %s: no new socket is tried", strerror(errors[i]));
        send_error = 0;
        ok(ask(engine) == DNS_NXDOMAIN,
           "error %s: the sockets are used again", strerror(errors[i]));
        dns_engine_free(engine);
    }
}


int
main(void)
{
    loop = ev_loop_new(EVFLAG_AUTO);
    start_server();

    test_errors();
    test_silence();
    test_passing();

    ev_io_stop(loop, &server);
    close(udp);
    ev_loop_destroy(loop);
    return tap_done();
}
