/*
 * UDP: attempts (flights), and the sockets that they leave by.
 *
 * A query has room for the flights of all its attempts; each is in the id table
 * of its socket.
 *
 * Every server has a pool of connected sockets, so that the kernel drops
 * datagrams from other addresses and reports closed ports.  A batch of queries
 * (batch.c) leaves by one socket of the pool, chosen at random; a retry never
 * uses the socket of the attempt before.  After `socket_uses` queries a socket
 * is retired: it sends nothing more, and is closed when it has no more flights.
 *
 * The network may change under a socket: its address, the route, a translation
 * at a router.  All sockets of a server are retired when the kernel reports an
 * error of the path, and the query leaves by a new one at once.  A retry after
 * a timeout leaves by a socket that has had a response since the query began,
 * or by a new one.
 *
 * The pool or the list of retired sockets owns the sockets.
 */

#include "base/xalloc.h"
#include "dns_int.h"

#include <errno.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define POOL_FEW   2                /* sockets per server of a zone; DNS_POOL
                                       per resolver in use */
#define RETIRED    64               /* retired sockets that wait for their last
                                       responses */
#define SOCKETS    2048             /* sockets of servers of zones; no more than
                                       half of the process's limit of open
                                       files */
#define RECV_SIZE  4096             /* longer responses use TCP */
#define ID_SLOTS   1024             /* per resolver; powers of two */
#define ID_FEW     64

#define SOCKET_BUFFER   (1024 * 1024)
#define SOCKET_MAX_IDS  32768
#define SOCKET_DRAWS    32

#define SERVER_IDLE        60.0     /* s without a query */
#define SERVER_IDLE_SHORT  5.0      /* the same if sockets are scarce */

/* Buffers of recvmmsg; allocated once. */
struct dns_inbox_s {
    struct mmsghdr   msg[DNS_BATCH];
    struct iovec     iov[DNS_BATCH];
    uint8_t          in[DNS_BATCH][RECV_SIZE];
};

/* The meaning of an error of a socket.  The kernel reports the fate of a
   datagram at the next call, which is a send or a receive. */
typedef enum {
    FAULT_BUSY = 0,             /* passes; the socket is good */
    FAULT_CLOSED,               /* the server does not listen */
    FAULT_PATH                  /* this socket no longer reaches it, a new one
                                   may; also any unknown error */
} udp_fault_t;


/* --- flights -------------------------------------------------------------- */

/* The link to the flight with that id, or to the NULL where it would be. */
static dns_flight_t **
flight_find(dns_socket_t *s, unsigned id)
{
    dns_flight_t  **at;

    at = &s->ids[id % s->n_ids];

    while (*at && (*at)->id != id) {
        at = &(*at)->id_next;
    }

    return at;
}


/*
 * Sets the end of a flight, and the time when it is overdue.  That is up to a
 * quarter later at random (by the id): queries that were lost together, since
 * they overloaded the other side, are not repeated together.
 */
static void
flight_deadline(dns_query_t *q, const dns_server_t *r, uint16_t id)
{
    double         wait, end;
    unsigned       i;
    dns_engine_t  *engine;

    engine = q->engine;
    end = engine->now + engine->rest[q->attempt];
    q->expires = end > q->expires ? end : q->expires;

    if (q->attempt + 1u >= engine->conf.tries) {
        dns_wheel_put(q, q->expires);
        return;
    }

    wait = dns_server_wait(r, q->class);

    for (i = 0; i < q->attempt; i++) {
        wait *= 1.5;
    }

    dns_wheel_put(q, engine->now + wait * (1 + id / 262144.));
}


/* Starts a flight on this socket, with an id that is free there. */
static dns_flight_t *
flight_begin(dns_query_t *q, dns_socket_t *s, uint16_t id)
{
    unsigned       counted;
    dns_flight_t  *f, **at;

    counted = dns_flight_at(q, s->server) == NULL;

    /* There is a slot for each attempt, and one more attempt is left. */
    for (f = q->flight; f->socket != NULL; f++) { /* void */ }

    f->q = q;
    f->socket = s;
    f->id = id;
    f->sent = q->engine->now;
    f->counted = counted & 1;
    f->edns = q->edns;
    f->id_next = NULL;

    at = flight_find(s, id);
    *at = f;
    s->n++;
    s->uses++;
    s->server->in_flight += counted;
    s->server->counters.sent++;
    flight_deadline(q, s->server, id);

    if (q->open++ == 0) {
        dns_pace_on_wire(q);
    }

    return f;
}


/* Finds another flight of the query at this server to be counted. */
static void
flight_uncount(dns_flight_t *f, dns_server_t *r)
{
    dns_flight_t  *other;

    if (!f->counted) {
        return;
    }

    f->counted = 0;
    other = dns_flight_at(f->q, r);

    if (other != NULL) {
        other->counted = 1;
    } else {
        r->in_flight--;
    }
}


void
dns_flight_end(dns_flight_t *f)
{
    dns_socket_t    *s;
    dns_flight_t   **at;
    dns_query_t     *q;

    s = f->socket;
    q = f->q;
    at = flight_find(s, f->id);
    *at = f->id_next;
    f->socket = NULL;
    q->open--;
    flight_uncount(f, s->server);

    if (q->open == 0) {
        dns_pace_off_wire(q);
    }

    if (--s->n == 0 && s->retired) {
        s->engine->reap = 1;
    }
}


/* --- errors --------------------------------------------------------------- */

/* Unless it is known to pass, an error is one of the path: the address that the
   socket is bound to, its interface, the route, or a firewall. */
static udp_fault_t
udp_fault(int error)
{
    switch (error) {

    case EAGAIN:
    case EINTR:
    case ENOBUFS:
    case ENOMEM:
        return FAULT_BUSY;

    case ECONNREFUSED:
        return FAULT_CLOSED;

    default:
        return FAULT_PATH;
    }
}


static void
socket_retire(dns_socket_t *s)
{
    dns_server_t  *r;

    r = s->server;
    r->pool[s->slot] = NULL;
    s->retired = 1;
    link_add(&r->retired, &s->link);
    r->n_retired++;
    s->engine->reap |= s->n == 0;
}


void
dns_udp_retire(dns_server_t *r)
{
    unsigned  i;

    for (i = 0; i < DNS_POOL; i++) {
        if (r->pool[i] != NULL) {
            socket_retire(r->pool[i]);
        }
    }
}


/* Takes the flight off the wire, and starts the next attempt unless it is under
   way. */
static void
socket_lost(dns_flight_t *f)
{
    dns_query_t     *q;
    dns_server_t  *r;

    q = f->q;
    r = f->socket->server;
    dns_trace_query_at(q, r, "cannot be reached");
    dns_flight_end(f);
    q->refused |= (uint8_t) (1u << dns_set_at(q->set, r));

    if (q->state == DNS_ON_WIRE) {
        link_remove(&q->link);
        dns_query_lost(q, DNS_NETWORK);
    }
}


/* Repeats the attempt, once in the life of a query. */
static void
socket_again(dns_flight_t *f)
{
    dns_query_t  *q;

    q = f->q;

    if (q->moved || q->state != DNS_ON_WIRE) {
        socket_lost(f);
        return;
    }

    dns_trace_query_at(q, f->socket->server, "gets the query by a new socket");
    dns_flight_end(f);
    q->moved = 1;
    q->stay = 1;
    link_remove(&q->link);
    dns_pace_queue(q, 1);
}


/* No query on this socket will get a response. */
static void
socket_dead(dns_socket_t *s)
{
    unsigned  i;

    if (s->n) {
        dns_server_lost(s->server, 1);
    }

    for (i = 0; i < s->n_ids && s->n; i++) {
        while (s->ids[i]) {
            socket_lost(s->ids[i]);
        }
    }
}


/* `n` flights could not be sent, because of that error. */
static void
socket_unsent(dns_socket_t *s, int error, dns_flight_t **f, unsigned n)
{
    unsigned      i;
    udp_fault_t   fault;
    void        (*end)(dns_flight_t *f) = socket_lost;

    fault = udp_fault(error);

    /* It concerns all queries of the socket; these are in its table. */
    if (fault == FAULT_CLOSED) {
        socket_dead(s);
        return;
    }

    if (fault == FAULT_PATH) {
        dns_udp_retire(s->server);
        end = socket_again;
    }

    for (i = 0; i < n; i++) {
        end(f[i]);
    }
}


void
dns_udp_flush(dns_engine_t *engine)
{
    unsigned        n;
    dns_flight_t  **unsent;
    dns_socket_t   *s;

    s = dns_batch_socket(engine->batch);

    if (s == NULL) {
        return;
    }

    n = dns_batch_send(engine->batch, &unsent);

    if (n) {
        socket_unsent(s, errno, unsent, n);
    }
}


/* --- responses ------------------------------------------------------------ */

/* The attempt that the response belongs to; NULL: none. */
static dns_flight_t *
socket_match(dns_socket_t *s, const uint8_t *msg, size_t n)
{
    dns_flight_t    *f;
    dns_query_t     *q;

    f = n < DNS_HEADER ? NULL : *flight_find(s, dns_get16(msg));

    if (f == NULL || dns_wire_denial(msg, n)) {
        return f;
    }

    q = f->q;

    return dns_wire_match(msg, n, q->name, q->len, q->type)
           && !dns_case_mismatch(f, msg + DNS_HEADER) ? f : NULL;
}


/* `cut`: the datagram is longer than the buffer. */
static void
socket_reply(dns_socket_t *s, const uint8_t *msg, size_t n, int cut)
{
    unsigned         mixed;
    dns_wire_t       result;
    dns_engine_t    *engine;
    dns_flight_t    *f;
    dns_query_t     *q;

    engine = s->engine;
    f = socket_match(s, msg, n);

    if (f == NULL) {
        engine->counters.dropped++;
        dns_trace_dropped(s->server);
        return;
    }

    q = f->q;
    mixed = f->mixed;
    engine->counters.replies++;
    s->heard = engine->now;
    dns_server_heard(f);
    dns_class_heard(q);
    dns_flight_end(f);
    q->at = (uint8_t) dns_set_at(q->set, s->server);
    q->slot = s->slot;

    result = cut ? DNS_WIRE_TC : dns_read(q, msg, n);
    dns_trace_reply(q, msg, result, engine->now - f->sent);
    dns_query_answered(q, result, mixed);
}


/*
 * Reads at most one batch for each event, so that a busy socket does not delay
 * the others.  Call backs run inside this function; sockets remain until
 * dns_udp_reap().
 */
static void
socket_read(struct ev_loop *loop, ev_io *io, int events)
{
    int            i, n;
    dns_inbox_t   *inbox;
    dns_socket_t  *s;

    (void) loop;
    (void) events;

    s = io->data;
    inbox = s->engine->inbox;
    n = recvmmsg(io->fd, inbox->msg, DNS_BATCH, MSG_DONTWAIT, NULL);
    s->engine->now = clock_now();

    if (n < 0) {
        if (udp_fault(errno) == FAULT_PATH && !s->retired) {
            dns_udp_retire(s->server);
        }

        if (udp_fault(errno) != FAULT_BUSY) {
            socket_dead(s);
        }

        return;
    }

    for (i = 0; i < n; i++) {
        socket_reply(s, inbox->in[i], inbox->msg[i].msg_len,
                     inbox->msg[i].msg_hdr.msg_flags & MSG_TRUNC);
    }
}


/* --- sending -------------------------------------------------------------- */

/* A kernel without UDP_SEGMENT would send all queries as one. */
static int
socket_segments(int fd)
{
    int        size;
    socklen_t  len;

    len = sizeof(size);
    return getsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &size, &len) == 0;
}


static dns_socket_t *
socket_open(dns_engine_t *engine, dns_server_t *r, unsigned slot)
{
    int            fd, size;
    unsigned       n;
    dns_socket_t  *s;

    if (!r->recursive && engine->n_sockets >= engine->max_sockets) {
        return NULL;
    }

    n = r->recursive ? ID_SLOTS : ID_FEW;
    s = xcalloc(1, sizeof(dns_socket_t) + n * sizeof(dns_flight_t *));
    fd = socket(r->sa.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        free(s);
        return NULL;
    }

    /* A system limit may make the buffers smaller, which is harmless. */
    size = SOCKET_BUFFER;
    (void) setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
    (void) setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));

    if (connect(fd, (struct sockaddr *) &r->sa, dns_address_len(&r->sa))
        != 0)
    {
        close(fd);
        free(s);
        return NULL;
    }

    engine->n_sockets += !r->recursive;
    s->n_ids = n;
    s->engine = engine;
    s->heard = engine->now;
    s->server = r;
    s->slot = (uint8_t) slot;
    s->segments = socket_segments(fd);
    ev_io_init(&s->io, socket_read, fd, EV_READ);
    s->io.data = s;
    ev_io_start(engine->loop, &s->io);

    return s;
}


/* Is this a retry, and has the socket been silent since the query began? */
static int
socket_silent(const dns_query_t *q, const dns_socket_t *s)
{
    return q->timed_out && s->heard < q->first
           && q->engine->now - s->heard >= dns_server_wait(s->server, NULL);
}


static int
socket_usable(const dns_query_t *q, const dns_socket_t *s)
{
    return s->uses < q->engine->conf.socket_uses && s->n < SOCKET_MAX_IDS
           && !socket_silent(q, s);
}


/* The socket of a pool slot, replaced by a new one if it is not usable. */
static dns_socket_t *
socket_slot(const dns_query_t *q, dns_server_t *r, unsigned slot)
{
    dns_socket_t  *s, *old;
    dns_engine_t  *engine;

    engine = q->engine;
    old = r->pool[slot];

    if (old && (socket_usable(q, old) || r->n_retired >= RETIRED)) {
        return old;
    }

    s = socket_open(engine, r, slot);

    if (s == NULL) {
        return old;
    }

    if (old) {
        socket_retire(old);
    }

    r->pool[slot] = s;
    return s;
}


/* Draws an id that is free on this socket. */
static int
socket_draw(dns_socket_t *s, uint16_t *id)
{
    unsigned  i;

    if (s->n >= SOCKET_MAX_IDS) {
        return -1;
    }

    for (i = 0; i < SOCKET_DRAWS; i++) {
        if (dns_random(s->engine, id) != 0) {
            return -1;
        }

        if (*flight_find(s, *id) == NULL) {
            return 0;
        }
    }

    return -1;
}


/* The socket for this query: that of the batch, unless it is unsuitable. */
static dns_socket_t *
socket_choose(dns_query_t *q, unsigned n)
{
    uint16_t         any;
    unsigned         slot, pool;
    dns_engine_t    *engine;
    dns_socket_t    *s;
    dns_server_t  *r;

    engine = q->engine;
    r = q->set->server[n];
    s = dns_batch_socket(engine->batch);

    if (s && s->server == r && socket_usable(q, s)
        && (q->sends == 0 || q->at != n || q->slot != s->slot))
    {
        return s;
    }

    dns_udp_flush(engine);

    if (dns_random(engine, &any) != 0) {
        return NULL;
    }

    pool = r->recursive ? DNS_POOL : POOL_FEW;
    slot = any % pool;

    if (q->sends && q->at == n && q->slot == slot) {
        slot = (slot + 1) % pool;
    }

    return socket_slot(q, r, slot);
}


void
dns_udp_send(dns_query_t *q, unsigned n)
{
    uint16_t         id;
    dns_engine_t    *engine;
    dns_flight_t    *f;
    dns_socket_t    *s;

    engine = q->engine;
    s = socket_choose(q, n);
    q->at = (uint8_t) n;

    if (s == NULL || socket_draw(s, &id) != 0) {
        q->refused |= (uint8_t) (1u << n);
        dns_trace_query_at(q, dns_at(q), "cannot be sent to: no socket");
        dns_query_lost(q, DNS_NETWORK);
        return;
    }

    q->edns = dns_server_edns(q, n) & 1;
    f = flight_begin(q, s, id);
    dns_case_begin(f);
    q->slot = s->slot;
    q->state = DNS_ON_WIRE;
    q->stay = 0;
    q->sends++;
    q->first = q->first != 0 ? q->first : engine->now;
    link_add(&engine->wire, &q->link);
    dns_trace_sent(q, 0, q->edns);

    if (dns_batch_add(engine->batch, f)) {
        dns_udp_flush(engine);
    }
}


/* --- the end of sockets --------------------------------------------------- */

static void
socket_close(dns_socket_t *s)
{
    s->engine->n_sockets -= !s->server->recursive;
    ev_io_stop(s->engine->loop, &s->io);
    close(s->io.fd);
    free(s);
}


/* Closes the server's retired sockets without flights. */
static void
socket_reap(dns_server_t *r)
{
    link_t        *link, *next;
    dns_socket_t  *s;

    for (link = r->retired.next; link != &r->retired; link = next) {
        next = link->next;
        s = (dns_socket_t *) link;

        if (s->n == 0) {
            link_remove(link);
            r->n_retired--;
            socket_close(s);
        }
    }
}


void
dns_udp_reap(dns_engine_t *engine)
{
    unsigned       i;
    dns_server_t  *r;

    if (!engine->reap) {
        return;
    }

    engine->reap = 0;

    for (i = 0; i < DNS_SERVERS; i++) {
        for (r = engine->server[i]; r != NULL; r = r->next) {
            socket_reap(r);
        }
    }
}


/* Closes all sockets of a server without flights. */
static void
socket_close_all(dns_server_t *r)
{
    link_t    *link;
    unsigned   i;

    for (i = 0; i < DNS_POOL; i++) {
        if (r->pool[i]) {
            socket_close(r->pool[i]);
            r->pool[i] = NULL;
        }
    }

    while (!link_empty(&r->retired)) {
        link = link_shift(&r->retired);
        r->n_retired--;
        socket_close((dns_socket_t *) link);
    }
}


static int
socket_busy(const dns_server_t *r)
{
    unsigned  i;

    for (i = 0; i < DNS_POOL; i++) {
        if (r->pool[i] != NULL && r->pool[i]->n != 0) {
            return 1;
        }
    }

    return !link_empty(&r->retired);
}


/* For servers without a query in the last `idle` seconds, or for all. */
static void
server_sweep(dns_engine_t *engine, double idle, int all)
{
    unsigned        i;
    dns_server_t  **at, *r;

    for (i = 0; i < DNS_SERVERS; i++) {
        at = &engine->server[i];

        while ((r = *at) != NULL) {
            if (!all && (r->recursive || engine->now - r->used < idle
                         || socket_busy(r)))
            {
                at = &r->next;
                continue;
            }

            socket_close_all(r);

            if (!all && r->refs) {
                at = &r->next;
                continue;
            }

            *at = r->next;
            free(r);
        }
    }
}


void
dns_udp_sweep(dns_engine_t *engine)
{
    server_sweep(engine, engine->n_sockets > engine->max_sockets / 2
                         ? SERVER_IDLE_SHORT : SERVER_IDLE, 0);
}


void
dns_udp_init(dns_engine_t *engine)
{
    unsigned       i;
    dns_inbox_t   *inbox;
    struct rlimit  open;

    engine->max_sockets = SOCKETS;

    if (getrlimit(RLIMIT_NOFILE, &open) == 0
        && open.rlim_cur / 2 < SOCKETS)
    {
        engine->max_sockets = (unsigned) open.rlim_cur / 2;
    }

    inbox = xcalloc(1, sizeof(dns_inbox_t));

    for (i = 0; i < DNS_BATCH; i++) {
        inbox->iov[i].iov_base = inbox->in[i];
        inbox->iov[i].iov_len = RECV_SIZE;
        inbox->msg[i].msg_hdr.msg_iov = &inbox->iov[i];
        inbox->msg[i].msg_hdr.msg_iovlen = 1;
    }

    engine->inbox = inbox;
    engine->batch = dns_batch_new();
}


void
dns_udp_free(dns_engine_t *engine)
{
    server_sweep(engine, 0, 1);
    free(engine->inbox);
    dns_batch_free(engine->batch);
}
