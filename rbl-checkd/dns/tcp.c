/*
 * TCP, for truncated responses: one connection for each query, to the server
 * that truncated.  There are `max_tcp` slots.  A query waits for a slot as
 * long as all its attempts could have taken.  Its exchange then has the same
 * time, but no more than TCP_TRIES first attempts.  Any failure of TCP makes
 * the verdict DNS_TRUNCATED; there is no second attempt.
 *
 * Slots are shared: system lists go first, in turn, each with its share; then
 * accounts with own lists in turn, each with its share over all its lists, and
 * each of its lists in turn (pace.c).
 *
 * A dns_tcp_t is owned by its query.
 */

#include "base/xalloc.h"
#include "dns_int.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define TCP_HEAD   2
#define TCP_TRIES  2


struct dns_tcp_s {
    ev_io            io;
    loop_timer_t     timer;
    dns_query_t     *q;
    double           began;
    size_t           out_len, out_pos;
    size_t           in_len, in_pos;    /* octets of the length, then of the
                                           response */
    unsigned         has_len:1;
    uint8_t          out[TCP_HEAD + DNS_QUESTION_MAX];
    uint8_t          in[UINT16_MAX];
};


/* Limits each system list, so that a few lists that hang leave slots to the
   others. */
static int
tcp_full(const dns_class_t *class)
{
    unsigned  share;

    share = class->owner->engine->conf.max_tcp / DNS_TCP_SHARE;
    return class->owner->account == 0 && dns_class_limited(class)
           && class->n_tcp >= (share ? share : 1);
}


/* Puts the class into the ready list if it has waiting queries. */
static void
tcp_ready(dns_class_t *class)
{
    dns_owner_t   *owner;
    dns_engine_t  *engine;

    owner = class->owner;
    engine = owner->engine;

    if (!link_empty(&class->tcp_queue) && link_empty(&class->tcp_link)
        && !tcp_full(class))
    {
        link_add(&owner->tcp_ready, &class->tcp_link);
    }

    if (owner->account != 0 && !link_empty(&owner->tcp_ready)
        && link_empty(&owner->tcp_link))
    {
        link_add(&engine->tcp_owners, &owner->tcp_link);
    }

    engine->tcp_wake = 1;
    dns_wake(engine);
}


void
dns_tcp_close(dns_tcp_t *tcp)
{
    dns_class_t   *class;
    dns_engine_t  *engine;

    engine = tcp->q->engine;
    class = tcp->q->class;
    engine->n_tcp--;
    engine->own_tcp -= class->owner->account != 0;
    class->owner->n_tcp--;
    class->n_tcp--;
    tcp_ready(class);
    engine->counters.in_flight--;
    tcp->q->tcp = NULL;

    timer_stop(&tcp->timer);
    ev_io_stop(engine->loop, &tcp->io);
    close(tcp->io.fd);
    free(tcp);
}


static void
tcp_failed(dns_tcp_t *tcp, const char *why)
{
    dns_query_t     *q;

    q = tcp->q;
    dns_trace_query_at(q, dns_at(q), why);
    q->engine->now = clock_now();
    dns_tcp_close(tcp);
    link_remove(&q->link);
    dns_finish_later(q, DNS_TRUNCATED);
}


/* The response is complete. */
static void
tcp_reply(dns_tcp_t *tcp)
{
    dns_wire_t       result;
    dns_engine_t    *engine;
    dns_query_t     *q;

    q = tcp->q;
    engine = q->engine;

    if (dns_get16(tcp->in) != q->id
        || (!dns_wire_match(tcp->in, tcp->in_len, q->name, q->len, q->type)
            && !dns_wire_denial(tcp->in, tcp->in_len)))
    {
        engine->counters.dropped++;
        tcp_failed(tcp, "sent another response over TCP");
        return;
    }

    result = dns_read(q, tcp->in, tcp->in_len);
    dns_trace_reply(q, tcp->in, result, clock_now() - tcp->began);

    if (result == DNS_WIRE_TC) {
        tcp_failed(tcp, "truncated its response over TCP");
        return;
    }

    engine->counters.replies++;
    engine->now = clock_now();
    dns_tcp_close(tcp);
    link_remove(&q->link);

    if (!dns_zone_judge(q)) {
        dns_finish(q);
    }
}


/* -1: the exchange has failed. */
static int
tcp_write(dns_tcp_t *tcp)
{
    ssize_t        n;
    dns_engine_t  *engine;

    n = send(tcp->io.fd, tcp->out + tcp->out_pos, tcp->out_len - tcp->out_pos,
             MSG_NOSIGNAL);

    if (n < 0) {
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    }

    tcp->out_pos += (size_t) n;

    if (tcp->out_pos == tcp->out_len) {
        engine = tcp->q->engine;
        ev_io_stop(engine->loop, &tcp->io);
        ev_io_set(&tcp->io, tcp->io.fd, EV_READ);
        ev_io_start(engine->loop, &tcp->io);
    }

    return 0;
}


/* 1: the response is complete, 0: more is to come, -1: the exchange has
   failed. */
static int
tcp_read(dns_tcp_t *tcp)
{
    ssize_t  n;

    n = recv(tcp->io.fd, tcp->in + tcp->in_pos, tcp->in_len - tcp->in_pos, 0);

    if (n < 0) {
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    }

    if (n == 0) {
        return -1;
    }

    tcp->in_pos += (size_t) n;

    if (tcp->in_pos < tcp->in_len) {
        return 0;
    }

    if (tcp->has_len) {
        return 1;
    }

    tcp->has_len = 1;
    tcp->in_len = dns_get16(tcp->in);
    tcp->in_pos = 0;

    return tcp->in_len < DNS_HEADER ? -1 : 0;
}


static void
tcp_event(struct ev_loop *loop, ev_io *io, int events)
{
    int         rc;
    dns_tcp_t  *tcp;

    (void) loop;

    tcp = io->data;
    rc = events & EV_WRITE ? tcp_write(tcp) : tcp_read(tcp);

    if (rc < 0) {
        tcp_failed(tcp, "closed or refused the connection over TCP");

    } else if (rc > 0) {
        tcp_reply(tcp);
    }
}


static void
tcp_timer(void *data)
{
    tcp_failed(data, "has not responded in time over TCP");
}


static int
tcp_connect(dns_server_t *r)
{
    int  fd;

    fd = socket(r->sa.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
                0);

    if (fd < 0) {
        return -1;
    }

    if (connect(fd, (struct sockaddr *) &r->sa, dns_address_len(&r->sa)) != 0
        && errno != EINPROGRESS)
    {
        close(fd);
        return -1;
    }

    return fd;
}


/* Starts an exchange for the query, or -1: no connection. */
static int
tcp_open(dns_query_t *q, double wait)
{
    int            fd, edns;
    dns_tcp_t     *tcp;
    dns_engine_t  *engine;

    engine = q->engine;
    fd = dns_random(engine, &q->id) == 0 ? tcp_connect(dns_at(q)) : -1;

    if (fd < 0) {
        return -1;
    }

    tcp = xcalloc(1, sizeof(dns_tcp_t));
    tcp->q = q;
    tcp->began = clock_now();
    tcp->in_len = TCP_HEAD;
    edns = q->edns && !q->no_edns && !dns_at(q)->plain;
    tcp->out_len = dns_wire_query(tcp->out + TCP_HEAD, q->id, q->name,
                                     q->len, q->type,
                                     (edns ? DNS_QUERY_EDNS : 0)
                                     | (q->set->recursive ? DNS_QUERY_RD
                                                          : 0));
    tcp->out[0] = (uint8_t) (tcp->out_len >> 8);
    tcp->out[1] = (uint8_t) tcp->out_len;
    tcp->out_len += TCP_HEAD;

    ev_io_init(&tcp->io, tcp_event, fd, EV_WRITE);
    tcp->io.data = tcp;
    ev_io_start(engine->loop, &tcp->io);
    timer_init(&tcp->timer, engine->loop, tcp_timer, tcp);
    timer_in(&tcp->timer, wait);

    dns_trace_sent(q, 1, edns);
    q->tcp = tcp;
    q->state = DNS_TCP;
    link_add(&engine->tcp, &q->link);
    engine->n_tcp++;
    engine->own_tcp += q->class->owner->account != 0;
    q->class->owner->n_tcp++;
    q->class->n_tcp++;
    engine->counters.in_flight++;

    return 0;
}


void
dns_tcp_ask(dns_query_t *q)
{
    double         wait;
    dns_engine_t  *engine;

    engine = q->engine;
    engine->counters.tcp++;

    if (engine->conf.max_tcp == 0) {
        dns_finish_later(q, DNS_TRUNCATED);
        return;
    }

    wait = TCP_TRIES * engine->conf.timeout;
    wait = engine->rest[0] > wait ? engine->rest[0] : wait;
    q->state = DNS_TCP_WAITING;
    link_add(&q->class->tcp_queue, &q->link);
    dns_wheel_put(q, engine->now + wait);
    tcp_ready(q->class);
}


/* The next query of the owner; NULL: none waits. */
static dns_query_t *
tcp_next(dns_owner_t *owner)
{
    dns_class_t     *class;
    dns_query_t     *q;

    while (!link_empty(&owner->tcp_ready)) {
        class = link_of(link_shift(&owner->tcp_ready), dns_class_t, tcp_link);

        if (link_empty(&class->tcp_queue) || tcp_full(class)) {
            continue;
        }

        q = (dns_query_t *) link_shift(&class->tcp_queue);

        if (!link_empty(&class->tcp_queue)) {
            link_add(&owner->tcp_ready, &class->tcp_link);
        }

        return q;
    }

    return NULL;
}


/* Gives the owner a slot if its share permits.  1: it took one. */
static int
tcp_serve(dns_owner_t *owner)
{
    double           wait, most;
    dns_engine_t    *engine;
    dns_query_t     *q;

    engine = owner->engine;
    q = dns_owner_tcp_room(owner) ? tcp_next(owner) : NULL;

    if (q == NULL) {
        return 0;
    }

    wait = q->due - engine->now;
    most = TCP_TRIES * engine->conf.timeout;
    link_remove(&q->timer);

    if (wait <= 0 || tcp_open(q, wait < most ? wait : most) != 0) {
        dns_finish_later(q, DNS_TRUNCATED);
    }

    return 1;
}


void
dns_tcp_run(dns_engine_t *engine)
{
    link_t        waiting;
    dns_owner_t  *owner;

    if (!engine->tcp_wake) {
        return;
    }

    engine->tcp_wake = 0;

    while (tcp_serve(&engine->system)) { /* void */ }

    /* An owner that was served goes behind the others. */

    link_init(&waiting);

    while (!link_empty(&engine->tcp_owners)) {
        owner = link_of(link_shift(&engine->tcp_owners), dns_owner_t,
                        tcp_link);

        if (tcp_serve(owner)) {
            link_add(&engine->tcp_owners, &owner->tcp_link);

        } else if (!link_empty(&owner->tcp_ready)) {
            link_add(&waiting, &owner->tcp_link);
        }
    }

    link_move(&engine->tcp_owners, &waiting);
}
