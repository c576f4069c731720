/*
 * TCP, for replies that were truncated: one connection a question, to the
 * resolver that truncated it, with one deadline for the whole exchange and
 * for waiting for a place, of which there are `max_tcp`.  Whatever goes wrong
 * here makes the verdict DNS_TRUNCATED; there is no second try.
 *
 * A dns_tcp_t is owned by its question.
 */

#include "dns_int.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define TCP_HEAD  2


struct dns_tcp_s {
    ev_io            io;
    ev_timer         timer;
    dns_question_t  *q;
    size_t           out_len, out_pos;
    size_t           in_len, in_pos;    /* of the length, then of the reply */
    unsigned         has_len:1;
    uint8_t          out[TCP_HEAD + DNS_QUESTION_MAX];
    uint8_t          in[UINT16_MAX];
};


void
dns_tcp_close(dns_tcp_t *tcp)
{
    dns_engine_t  *engine;

    engine = tcp->q->engine;
    engine->n_tcp--;
    engine->counters.in_flight--;
    tcp->q->tcp = NULL;

    ev_timer_stop(engine->loop, &tcp->timer);
    ev_io_stop(engine->loop, &tcp->io);
    close(tcp->io.fd);
    free(tcp);
}


static void
tcp_failed(dns_tcp_t *tcp)
{
    dns_question_t  *q;

    q = tcp->q;
    q->engine->now = dns_clock();
    dns_tcp_close(tcp);
    link_remove(&q->link);
    dns_finish_later(q, DNS_TRUNCATED);
}


/* The whole reply is there. */
static void
tcp_reply(dns_tcp_t *tcp)
{
    dns_wire_t       result;
    dns_engine_t    *engine;
    dns_question_t  *q;

    q = tcp->q;
    engine = q->engine;

    if (dns_get16(tcp->in) != q->id
        || (!dns_wire_match(tcp->in, tcp->in_len, q->name, q->len, q->type)
            && !dns_wire_denial(tcp->in, tcp->in_len)))
    {
        engine->counters.dropped++;
        tcp_failed(tcp);
        return;
    }

    result = dns_wire_read(&engine->answer, tcp->in, tcp->in_len, q->name,
                           q->len, q->type);

    if (result == DNS_WIRE_TC) {
        tcp_failed(tcp);
        return;
    }

    engine->counters.replies++;
    engine->now = dns_clock();
    dns_tcp_close(tcp);
    link_remove(&q->link);
    dns_finish(q);
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


/* 1: all has been read, 0: more is to come, -1: the exchange has failed. */
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
        tcp_failed(tcp);

    } else if (rc > 0) {
        tcp_reply(tcp);
    }
}


static void
tcp_timer(struct ev_loop *loop, ev_timer *timer, int events)
{
    (void) loop;
    (void) events;

    tcp_failed(timer->data);
}


static int
tcp_connect(dns_resolver_t *r)
{
    int  fd;

    fd = socket(r->sa.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
                0);

    if (fd < 0) {
        return -1;
    }

    if (connect(fd, (struct sockaddr *) &r->sa, r->len) != 0
        && errno != EINPROGRESS)
    {
        close(fd);
        return -1;
    }

    return fd;
}


/* Takes the question over, or -1: no connection or no memory. */
static int
tcp_open(dns_question_t *q, double wait)
{
    int            fd;
    dns_tcp_t     *tcp;
    dns_engine_t  *engine;

    engine = q->engine;
    tcp = calloc(1, sizeof(dns_tcp_t));

    if (tcp == NULL) {
        return -1;
    }

    fd = tcp_connect(&engine->resolver[q->resolver]);

    if (fd < 0 || dns_random(engine, &q->id) != 0) {
        free(tcp);

        if (fd >= 0) {
            close(fd);
        }

        return -1;
    }

    tcp->q = q;
    tcp->in_len = TCP_HEAD;
    tcp->out_len = dns_wire_question(tcp->out + TCP_HEAD, q->id, q->name,
                                     q->len, q->type, !q->no_edns);
    tcp->out[0] = (uint8_t) (tcp->out_len >> 8);
    tcp->out[1] = (uint8_t) tcp->out_len;
    tcp->out_len += TCP_HEAD;

    ev_io_init(&tcp->io, tcp_event, fd, EV_WRITE);
    tcp->io.data = tcp;
    ev_io_start(engine->loop, &tcp->io);
    ev_timer_init(&tcp->timer, tcp_timer, wait, 0.);
    tcp->timer.data = tcp;
    ev_timer_start(engine->loop, &tcp->timer);

    q->tcp = tcp;
    q->state = DNS_TCP;
    link_add(&engine->tcp, &q->link);
    engine->n_tcp++;
    engine->counters.in_flight++;

    return 0;
}


void
dns_tcp_ask(dns_question_t *q)
{
    dns_engine_t  *engine;

    engine = q->engine;
    engine->counters.tcp++;

    if (engine->conf.max_tcp == 0) {
        dns_finish_later(q, DNS_TRUNCATED);
        return;
    }

    q->state = DNS_TCP_WAITING;
    link_add(&engine->tcp_waiting, &q->link);
    dns_wheel_put(q, engine->now + 2 * engine->conf.timeout);
    dns_wake(engine);
}


void
dns_tcp_run(dns_engine_t *engine)
{
    double           wait;
    dns_question_t  *q;

    while (!link_empty(&engine->tcp_waiting)
           && engine->n_tcp < engine->conf.max_tcp)
    {
        q = (dns_question_t *) link_shift(&engine->tcp_waiting);
        wait = q->due - engine->now;
        link_remove(&q->timer);

        if (wait <= 0 || tcp_open(q, wait) != 0) {
            dns_finish_later(q, DNS_TRUNCATED);
        }
    }
}
