/*
 * The step after an attempt: another attempt, or the verdict.  All rules for
 * this are here.
 *
 * An overdue attempt is followed by the next, and may still get a response.  A
 * query ends with the first good response; with a failure when no other
 * attempt is under way; or with a timeout.
 */

#include "dns_int.h"


/* Ends all attempts. */
void
dns_try_end(dns_query_t *q)
{
    unsigned       i;
    dns_flight_t  *f;

    for (i = 0; i < q->engine->conf.tries && q->open; i++) {
        f = &q->flight[i];

        if (f->socket != NULL) {
            dns_flight_end(f);
        }
    }

    link_remove(&q->timer);
}


/* The same, and blames the servers that did not respond. */
static void
try_end_lost(dns_query_t *q)
{
    unsigned        i;
    dns_flight_t   *f;
    dns_engine_t   *engine;

    engine = q->engine;

    for (i = 0; i < engine->conf.tries && dns_tells(q); i++) {
        f = &q->flight[i];

        if (f->socket != NULL) {
            dns_server_lost(f->socket->server, 0);
        }
    }

    dns_try_end(q);
}


/*
 * Blames the servers of open flights: after so many seconds, or, when another
 * server has responded, if their response was overdue.
 */
static void
try_blame(dns_query_t *q, double after)
{
    double           wait;
    unsigned         i;
    dns_flight_t    *f;
    dns_engine_t    *engine;
    dns_server_t  *r;

    engine = q->engine;

    for (i = 0; i < engine->conf.tries && dns_tells(q); i++) {
        f = &q->flight[i];

        if (f->socket == NULL) {
            continue;
        }

        r = f->socket->server;
        wait = after;

        if (wait == 0) {
            if (r == dns_at(q)) {
                continue;
            }

            wait = dns_server_wait(r, NULL);
        }

        if (engine->now - f->sent >= wait) {
            dns_server_lost(r, 0);
        }
    }
}


/* The last attempt is over, and none is under way. */
static void
try_give_up(dns_query_t *q)
{
    dns_try_end(q);
    link_remove(&q->link);
    dns_finish_later(q, q->failed ? q->status
                        : q->timed_out ? DNS_TIMEOUT : DNS_NETWORK);
}


/* Continues to wait for the attempts under way, if there are any. */
static void
try_wait(dns_query_t *q)
{
    if (q->open == 0) {
        try_give_up(q);
        return;
    }

    q->state = DNS_ON_WIRE;
    link_add(&q->engine->wire, &q->link);
    dns_wheel_put(q, q->expires);
}


void
dns_try_lost(dns_query_t *q, dns_status_t why)
{
    q->attempt++;
    q->stay = 0;

    if (q->attempt >= q->engine->conf.tries) {
        try_wait(q);
        return;
    }

    /* No server is left to be queried at once; a server may be restarting. */
    if (why == DNS_NETWORK && dns_set_all(q, q->refused | q->unable)) {
        q->refused = 0;
        q->state = DNS_PAUSED;
        link_add(&q->engine->wire, &q->link);
        dns_wheel_put(q, q->engine->now + DNS_PAUSE);
        return;
    }

    dns_pace_queue(q, 1);
}


/* On the wire: the next attempt is due, or the last has timed out. */
static void
try_overdue(dns_query_t *q)
{
    dns_engine_t    *engine;
    dns_server_t  *r;

    engine = q->engine;
    r = dns_at(q);
    dns_trace_query_at(q, r, "has not responded in time");
    q->timed_out = 1;
    engine->counters.timeouts++;
    dns_server_overdue(q);
    dns_case_overdue(q);
    link_remove(&q->link);

    if (q->set->lame[q->at] < engine->now + DNS_LATE) {
        q->set->lame[q->at] = engine->now + DNS_LATE;
    }

    if (q->attempt + 1u >= engine->conf.tries) {
        try_end_lost(q);
        try_give_up(q);
        return;
    }

    try_blame(q, engine->period[q->attempt]);
    dns_try_lost(q, DNS_TIMEOUT);
}


void
dns_try_due(dns_query_t *q)
{
    switch (q->state) {

    case DNS_ON_WIRE:
        try_overdue(q);
        break;

    case DNS_WAITING:
        try_end_lost(q);
        dns_pace_alone(q);
        break;

    case DNS_PAUSED:
        link_remove(&q->link);
        dns_pace_queue(q, 1);
        break;

    default:
        link_remove(&q->link);
        dns_finish_later(q, DNS_TRUNCATED);
    }
}


void
dns_try_leave(dns_query_t *q)
{
    if (q->state == DNS_WAITING) {
        dns_pace_unqueue(q);
    } else {
        link_remove(&q->link);
    }
}


/* SERVFAIL or REFUSED may concern one server only. */
static int
try_elsewhere(dns_query_t *q)
{
    q->unable |= (uint8_t) (1u << q->at);
    q->set->lame[q->at] = q->engine->now + DNS_LAME;
    dns_trace_query_at(q, dns_at(q), "is avoided for a minute");

    if (dns_set_all(q, q->unable)) {
        return 0;
    }

    if (q->state == DNS_WAITING) {
        return 1;
    }

    if (q->attempt + 1u >= q->engine->conf.tries) {
        return 0;
    }

    link_remove(&q->link);
    dns_try_lost(q, q->status);
    return 1;
}


static void
try_failed(dns_query_t *q)
{
    q->status = q->engine->answer.status;
    q->failed = 1;

    if (q->status == DNS_SERVFAIL || q->status == DNS_REFUSED) {
        if (try_elsewhere(q)) {
            return;
        }
    }

    if (q->open) {
        return;
    }

    dns_try_leave(q);
    dns_finish(q);
}


/* Repeats the query to the same server. */
static void
try_repeat(dns_query_t *q)
{
    q->stay = 1;
    dns_try_leave(q);
    dns_pace_queue(q, 1);
}


void
dns_try_answered(dns_query_t *q, dns_wire_t result, unsigned mixed)
{
    if (result == DNS_WIRE_TC) {
        dns_try_leave(q);
        dns_try_end(q);
        dns_tcp_ask(q);
        return;
    }

    if (result == DNS_WIRE_NO_EDNS && !q->no_edns) {
        q->no_edns = 1;
        try_repeat(q);
        return;
    }

    if (result == DNS_WIRE_DONE && dns_case_again(q, mixed)) {
        try_repeat(q);
        return;
    }

    if (dns_direct_judge(q)) {
        return;
    }

    if (q->engine->answer.status != DNS_NOERROR
        && q->engine->answer.status != DNS_NXDOMAIN)
    {
        try_failed(q);
        return;
    }

    try_blame(q, 0);
    dns_try_leave(q);
    dns_finish(q);
}
