/*
 * Mixed case in queries (0x20, draft-vixie-dnsext-dns0x20): the letters of the
 * zone's name are in upper or lower case at random.  A forged response has to
 * match them.
 *
 * A server may return the name in another case, or find it in lower case only.
 * The engine therefore tries mixed case, with at least one capital letter, with
 * a test point, now and then.  A name without letters is never tried.  If the
 * response has the same case and finds the test point, all further queries
 * have mixed case, and responses in another case are dropped.  If the response
 * finds nothing, the engine repeats the query in lower case, and only the
 * second response counts.  A server gets lower case for a day if it fails the
 * trial, or if three of its responses were dropped: another server may have
 * taken its place, or several machines share its address.
 *
 * Only the name of the zone is changed: a server that ignores case in its zone
 * may not ignore it in the other labels.  Confirmations (queries to one server
 * that are no probes) have lower case, so that no verdict depends on the case.
 * So have queries to resolvers and to servers that the operator names.
 */

#include "dns_int.h"

#include <string.h>

#define CASE_TRIALS  8              /* trials without a result, then a pause */
#define CASE_EVERY   1.0            /* s between trials */
#define CASE_LOST    3              /* dropped responses, or trials without a
                                       response */
#define CASE_REST    86400.0        /* s in lower case after a failure */
#define CASE_PAUSE   600.0          /* s in lower case without a result */


static void
case_rest(dns_server_t *r, double rest)
{
    r->case_keeps = 0;
    r->case_rests = 1;
    r->case_trials = 0;
    r->case_lost = 0;
    r->case_next = r->engine->now + rest;
}


static int
case_mixes(const dns_query_t *q)
{
    const dns_server_t  *r = dns_at(q);

    if (q->set->recursive || q->set->given || q->lower
        || (q->fixed && !q->probe))
    {
        return 0;
    }

    return r->case_keeps || (q->probe && q->engine->now >= r->case_next);
}


static int
case_small(uint8_t c)
{
    return c >= 'a' && c <= 'z';
}


/* The place of a letter in the name of the zone, by chance; -1: it has none. */
static int
case_letter(const dns_query_t *q, unsigned chance)
{
    unsigned           i, n;
    const dns_name_t  *apex = &q->set->apex;

    for (i = n = 0; i < apex->len; i++) {
        n += case_small(apex->wire[i]) != 0;
    }

    if (n == 0) {
        return -1;
    }

    n = chance % n;

    for (i = 0; !case_small(apex->wire[i]) || n-- != 0; i++) { /* void */ }

    return (int) i;
}


void
dns_case_begin(dns_flight_t *f)
{
    int              letter;
    uint16_t         a, b, c;
    dns_server_t    *r = f->socket->server;
    dns_query_t     *q = f->q;

    f->mixed = 0;
    q->case_trial = 0;

    if (!case_mixes(q) || dns_random(q->engine, &a) != 0
        || dns_random(q->engine, &b) != 0 || dns_random(q->engine, &c) != 0)
    {
        return;
    }

    letter = case_letter(q, c);

    if (letter < 0) {
        return;
    }

    f->mixed = 1;
    f->upper = (uint32_t) a << 16 | b;
    q->case_trial = !r->case_keeps;

    if (q->case_trial) {
        f->upper |= UINT32_C(1) << letter % 32;
        r->case_rests = 0;
        r->case_next = q->engine->now + CASE_EVERY;
    }
}


void
dns_case_mix(uint8_t *name, const dns_flight_t *f)
{
    size_t                 i, n;
    const dns_query_t     *q = f->q;

    if (q->len < q->set->apex.len) {
        return;
    }

    name += q->len - q->set->apex.len;
    n = q->set->apex.len;

    for (i = 0; i < n; i++) {
        if (case_small(name[i]) && (f->upper >> i % 32 & 1)) {
            name[i] -= 'a' - 'A';
        }
    }
}


static int
case_kept(const dns_flight_t *f, const uint8_t *name)
{
    uint8_t                sent[DNS_NAME_MAX];
    const dns_query_t     *q = f->q;

    memcpy(sent, q->name, q->len);
    dns_case_mix(sent, f);

    return memcmp(sent, name, q->len) == 0;
}


int
dns_case_mismatch(const dns_flight_t *f, const uint8_t *name)
{
    dns_server_t  *r = f->socket->server;

    if (!f->mixed) {
        return 0;
    }

    if (case_kept(f, name)) {
        return 0;
    }

    if (!r->case_keeps) {
        case_rest(r, CASE_REST);
        return 0;
    }

    if (++r->case_lost == CASE_LOST) {
        case_rest(r, CASE_REST);
    }

    return 1;
}


static void
case_lower(dns_query_t *q, unsigned why)
{
    q->lower = 1;
    q->lower_why = why & 3;
    q->lower_at = q->at;
}


/* A query in lower case got a response, which is the result of the preceding
   trial. */

static void
case_second(dns_query_t *q, int found)
{
    dns_server_t  *r = dns_at(q);

    if (q->lower_at != q->at) {
        return;                     /* from another server */
    }

    if (q->lower_why == DNS_CASE_LOST) {
        if (++r->case_lost == CASE_LOST) {
            case_rest(r, CASE_REST);
        }

    } else if (q->lower_why == DNS_CASE_TRIED) {
        if (found) {
            case_rest(r, CASE_REST);

        } else if (++r->case_trials == CASE_TRIALS) {
            case_rest(r, CASE_PAUSE);
        }
    }

    q->lower_why = DNS_CASE_NONE;
}


int
dns_case_again(dns_query_t *q, unsigned mixed)
{
    int                  found;
    dns_server_t        *r = dns_at(q);
    const dns_answer_t  *answer = &q->engine->answer;

    found = answer->status == DNS_NOERROR
            && answer->n_a + answer->n_aaaa + answer->txt_len != 0;

    if (!mixed) {
        case_second(q, found);
        return 0;
    }

    if (r->case_keeps) {
        return 0;
    }

    if (found) {
        r->case_keeps = !r->case_rests;
        r->case_lost = 0;
        return 0;
    }

    dns_trace_query_at(q, r, "gets the query again in lower case");
    case_lower(q, r->case_rests ? DNS_CASE_NONE : DNS_CASE_TRIED);

    return 1;
}


void
dns_case_overdue(dns_query_t *q)
{
    if (q->case_trial) {
        q->case_trial = 0;
        case_lower(q, DNS_CASE_LOST);
    }
}
