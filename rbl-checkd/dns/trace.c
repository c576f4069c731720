/*
 * The lines of the trace (trace.h), and those of queries and responses.
 */

#include "dns_int.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TRACE_PART       1024       /* bytes of a part before it is escaped */
#define TRACE_ADDRESSES  16
#define TRACE_NS         8
#define TRACE_LABEL      63         /* octets: a key is at most one label */


/* --- lines ---------------------------------------------------------------- */

static void
trace_put(dns_trace_line_t *line, const void *p, size_t n)
{
    if (n > sizeof(line->s) - line->n) {
        line->cut = 1;
    }

    if (!line->cut) {
        memcpy(line->s + line->n, p, n);
        line->n += n;
    }
}


/* `also`: another character to be escaped, or 0. */
static void
trace_escape(dns_trace_line_t *line, const void *bytes, size_t n, char also)
{
    char                  hex[8];
    const unsigned char  *p, *end;

    p = bytes;
    end = p + n;

    for ( /* void */ ; p < end; p++) {
        if (*p >= 0x20 && *p < 0x7f && *p != '\\' && *p != also) {
            trace_put(line, p, 1);

        } else {
            snprintf(hex, sizeof(hex), "\\x%02x", *p);
            trace_put(line, hex, 4);
        }
    }
}


void
dns_trace_vadd(dns_trace_line_t *line, const char *fmt, va_list ap)
{
    int   n;
    char  part[TRACE_PART];

    n = vsnprintf(part, sizeof(part), fmt, ap);

    if (n < 0) {
        return;
    }

    if ((size_t) n < sizeof(part)) {
        trace_escape(line, part, (size_t) n, 0);

    } else {
        trace_escape(line, part, sizeof(part) - 1, 0);
        line->cut = 1;
    }
}


void
dns_trace_begin(dns_trace_line_t *line)
{
    line->n = 0;
    line->cut = 0;
}


void
dns_trace_add(dns_trace_line_t *line, const char *fmt, ...)
{
    va_list  ap;

    va_start(ap, fmt);
    dns_trace_vadd(line, fmt, ap);
    va_end(ap);
}


void
dns_trace_end(const dns_engine_t *engine, dns_trace_line_t *line)
{
    if (line->cut) {
        line->n -= line->n < TRACE_LABEL ? line->n : TRACE_LABEL;
        line->cut = 0;
        trace_put(line, "...", 3);
    }

    engine->conf.trace(engine->conf.trace_data, line->s, line->n);
}


void
dns_trace(const dns_engine_t *engine, const char *fmt, ...)
{
    va_list           ap;
    dns_trace_line_t  line;

    if (!dns_tracing(engine)) {
        return;
    }

    dns_trace_begin(&line);
    va_start(ap, fmt);
    dns_trace_vadd(&line, fmt, ap);
    va_end(ap);
    dns_trace_end(engine, &line);
}


/* --- parts ---------------------------------------------------------------- */

static void
trace_name(dns_trace_line_t *line, const uint8_t *wire, size_t len)
{
    size_t  at;

    if (len <= 1) {
        trace_put(line, ".", 1);
    }

    for (at = 0; at + 1 < len; at += wire[at] + 1u) {
        if (at != 0) {
            trace_put(line, ".", 1);
        }

        trace_escape(line, wire + at + 1, wire[at], '.');
    }
}


static void
trace_type(dns_trace_line_t *line, unsigned type)
{
    static const char *const  names[] = {
        [DNS_TYPE_A] = "A",
        [DNS_TYPE_NS] = "NS",
        [DNS_TYPE_SOA] = "SOA",
        [DNS_TYPE_TXT] = "TXT",
        [DNS_TYPE_AAAA] = "AAAA"
    };

    if (type < sizeof(names) / sizeof(names[0]) && names[type] != NULL) {
        dns_trace_add(line, " %s", names[type]);
    } else {
        dns_trace_add(line, " TYPE%u", type);
    }
}


/* IPv4 addresses in host order: up to TRACE_ADDRESSES, then the number of the
   others. */
static void
trace_addresses(dns_trace_line_t *line, const uint32_t *a, unsigned n)
{
    unsigned  i;

    for (i = 0; i < n && i < TRACE_ADDRESSES; i++) {
        dns_trace_add(line, " %u.%u.%u.%u", a[i] >> 24, a[i] >> 16 & 255,
                      a[i] >> 8 & 255, a[i] & 255);
    }

    if (i < n) {
        dns_trace_add(line, " and %u more", n - i);
    }
}


static void
trace_servers(dns_trace_line_t *line, const struct sockaddr_storage *sa,
    unsigned n)
{
    char      text[DNS_SERVER_TEXT];
    unsigned  i;

    for (i = 0; i < n; i++) {
        dns_address_text(&sa[i], text);
        dns_trace_add(line, " %s", text);
    }
}


/* A TXT that was cut on reading may end within a key. */
static void
trace_txt(dns_trace_line_t *line, const dns_answer_t *answer)
{
    size_t  n;

    n = answer->txt_len;
    n -= n == DNS_TXT_MAX ? TRACE_LABEL : 0;
    trace_put(line, ", TXT \"", 7);
    trace_escape(line, answer->txt, n, '"');
    trace_put(line, "\"", 1);

    if (n < answer->txt_len) {
        trace_put(line, "...", 3);
    }
}


/* A response without a record of the queried type: shows its other records. */
static void
trace_referral(dns_trace_line_t *line, const dns_engine_t *engine)
{
    unsigned               i;
    const dns_answer_t    *answer = &engine->answer;
    const dns_referral_t  *referral = &engine->referral;

    if (answer->status == DNS_NOERROR
        && answer->n_a + answer->n_aaaa + answer->txt_len == 0
        && !(engine->referred && referral->found))
    {
        dns_trace_add(line, ", no data");
    }

    if (!engine->referred) {
        return;
    }

    if (referral->target.len) {
        dns_trace_add(line, ", CNAME ");
        trace_name(line, referral->target.wire, referral->target.len);
    }

    if (referral->apex.len) {
        dns_trace_add(line, ", SOA of ");
        trace_name(line, referral->apex.wire, referral->apex.len);
    }

    if (referral->n_ns) {
        dns_trace_add(line, ", NS of ");
        trace_name(line, referral->zone.wire, referral->zone.len);
    }

    for (i = 0; i < referral->n_ns && i < TRACE_NS; i++) {
        dns_trace_add(line, " ");
        trace_name(line, referral->ns[i].wire, referral->ns[i].len);
    }

    if (i < referral->n_ns) {
        dns_trace_add(line, " and %u more", referral->n_ns - i);
    }
}


static void
trace_data(dns_trace_line_t *line, const dns_answer_t *answer)
{
    char      text[INET6_ADDRSTRLEN];
    unsigned  i;

    if (answer->n_a) {
        dns_trace_add(line, ",");
        trace_addresses(line, answer->a, answer->n_a);
    }

    for (i = 0; i < answer->n_aaaa && i < TRACE_ADDRESSES; i++) {
        if (inet_ntop(AF_INET6, &answer->aaaa[i], text, sizeof(text))) {
            dns_trace_add(line, "%s %s", i == 0 ? "," : "", text);
        }
    }

    if (answer->txt_len) {
        trace_txt(line, answer);
    }

    if (answer->has_serial) {
        dns_trace_add(line, ", serial %u", answer->serial);
    }

    if (answer->soa) {
        dns_trace_add(line, ", MINIMUM %u s", answer->minimum);
    }

    dns_trace_add(line, ", TTL %u s", answer->ttl);
}


static const char *
trace_rcode(unsigned rcode)
{
    static const char *const  names[] = {
        "NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"
    };

    return rcode < sizeof(names) / sizeof(names[0]) ? names[rcode]
                                                    : "another RCODE";
}


const char *
dns_trace_status(dns_status_t status)
{
    static const char *const  names[] = {
        [DNS_NOERROR] = "NOERROR",
        [DNS_NXDOMAIN] = "NXDOMAIN",
        [DNS_SERVFAIL] = "SERVFAIL",
        [DNS_REFUSED] = "REFUSED",
        [DNS_BADREPLY] = "no usable response",
        [DNS_TIMEOUT] = "timeout",
        [DNS_TRUNCATED] = "truncated, and no whole response over TCP",
        [DNS_NETWORK] = "no server can be reached",
        [DNS_UNFOUND] = "the name servers of the zone are not known"
    };

    return names[status];
}


/* --- events --------------------------------------------------------------- */

/* "query NAME TYPE" */
static void
trace_begin(dns_trace_line_t *line, const char *what, const dns_query_t *q)
{
    dns_trace_begin(line);
    dns_trace_add(line, "%s ", what);
    trace_name(line, q->name, q->len);
    trace_type(line, q->type);
}


void
dns_trace_query(const dns_query_t *q, const char *fmt, ...)
{
    va_list           ap;
    dns_trace_line_t  line;

    if (q->engine->conf.trace == NULL) {
        return;
    }

    trace_begin(&line, "query", q);
    dns_trace_add(&line, ": ");
    va_start(ap, fmt);
    dns_trace_vadd(&line, fmt, ap);
    va_end(ap);
    dns_trace_end(q->engine, &line);
}


void
dns_trace_query_at(const dns_query_t *q, const dns_server_t *r,
    const char *text)
{
    char  server[DNS_SERVER_TEXT];

    if (q->engine->conf.trace == NULL) {
        return;
    }

    dns_address_text(&r->sa, server);
    dns_trace_query(q, "server %s %s", server, text);
}


void
dns_trace_sent(const dns_query_t *q, int tcp, int edns)
{
    dns_trace_line_t  line;

    if (q->engine->conf.trace == NULL) {
        return;
    }

    trace_begin(&line, "query", q);
    dns_trace_add(&line, " to");
    trace_servers(&line, &dns_at(q)->sa, 1);
    dns_trace_add(&line, " over %s, %s, %s, attempt %u", tcp ? "TCP" : "UDP",
                  q->set->recursive ? "RD" : "no RD",
                  edns ? "EDNS" : "no EDNS", q->sends);
    dns_trace_end(q->engine, &line);
}


void
dns_trace_reply(const dns_query_t *q, const uint8_t *msg,
    dns_wire_t result, double took)
{
    unsigned             rcode;
    dns_engine_t        *engine;
    dns_trace_line_t     line;
    const dns_answer_t  *answer;

    engine = q->engine;

    if (engine->conf.trace == NULL) {
        return;
    }

    answer = &engine->answer;
    rcode = msg[3] & 0x0f;
    trace_begin(&line, "response", q);
    dns_trace_add(&line, " from");
    trace_servers(&line, &dns_at(q)->sa, 1);
    dns_trace_add(&line, " after %.1f ms: %s%s", took * 1000,
                  trace_rcode(rcode),
                  msg[2] & 0x04 ? ", authoritative" : "");

    if (result == DNS_WIRE_TC) {
        dns_trace_add(&line, ", truncated");

    } else if (answer->status == DNS_NOERROR
               || answer->status == DNS_NXDOMAIN)
    {
        trace_referral(&line, engine);
        trace_data(&line, answer);

    } else if (rcode == DNS_RCODE_NOERROR || rcode == DNS_RCODE_NXDOMAIN) {
        dns_trace_add(&line, ", malformed");
    }

    dns_trace_end(engine, &line);
}


void
dns_trace_dropped(const dns_server_t *r)
{
    char  server[DNS_SERVER_TEXT];

    dns_address_text(&r->sa, server);
    dns_trace(r->engine,
              "response from %s dropped: it matches no query in flight",
              server);
}


void
dns_trace_zone(const dns_engine_t *engine, const dns_name_t *name,
    const char *text, const struct sockaddr_storage *sa, unsigned n)
{
    dns_trace_line_t  line;

    if (engine->conf.trace == NULL) {
        return;
    }

    dns_trace_begin(&line);
    dns_trace_add(&line, "name servers of ");
    trace_name(&line, name->wire, name->len);
    dns_trace_add(&line, ": %s", text);
    trace_servers(&line, sa, n);
    dns_trace_end(engine, &line);
}
