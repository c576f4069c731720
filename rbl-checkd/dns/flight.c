/*
 * Flights: attempts that may still get a response.  A query has room for all
 * its attempts; each is in the id table of its socket.
 */

#include "dns_int.h"


dns_flight_t **
dns_flight_find(dns_socket_t *s, unsigned id)
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


dns_flight_t *
dns_flight_begin(dns_query_t *q, dns_socket_t *s, uint16_t id)
{
    unsigned       i, counted;
    dns_flight_t  *f, **at;

    counted = 1;

    for (i = 0; i < q->engine->conf.tries; i++) {
        f = &q->flight[i];

        if (f->socket != NULL && f->socket->server == s->server) {
            counted = 0;
        }
    }

    /* There is a slot for each attempt, and one more attempt is left. */

    for (f = q->flight; f->socket != NULL; f++) { /* void */ }

    f->q = q;
    f->socket = s;
    f->id = id;
    f->sent = q->engine->now;
    f->counted = counted;
    f->edns = q->edns;
    f->id_next = NULL;

    at = dns_flight_find(s, id);
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
    unsigned       i;
    dns_flight_t  *other;

    if (!f->counted) {
        return;
    }

    f->counted = 0;

    for (i = 0; i < f->q->engine->conf.tries && f->q->open; i++) {
        other = &f->q->flight[i];

        if (other->socket != NULL && other->socket->server == r) {
            other->counted = 1;
            return;
        }
    }

    r->in_flight--;
}


void
dns_flight_end(dns_flight_t *f)
{
    dns_socket_t    *s;
    dns_flight_t   **at;
    dns_query_t     *q;

    s = f->socket;
    q = f->q;
    at = dns_flight_find(s, f->id);
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
