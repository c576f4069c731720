/*
 * The letters of a zone in capitals and small ones by chance (0x20,
 * draft-vixie-dnsext-dns0x20): a reply that has the question in other letters
 * is not the server's.
 *
 * Not every server keeps the letters, and one may find a name in small ones
 * only.  So a server is on trial, by a test point now and then, until it has
 * found one by such a question and kept its letters.  What it does not find on
 * trial is asked again in small letters, and only that counts.  From then on
 * replies in other letters are dropped.  A server that fails its trial, or of
 * which some replies were dropped (it may have been replaced, or be several
 * machines), or that trials tell nothing about, is left alone for some time.
 *
 * Only letters of the zone's name are changed: a server that finds its zone
 * need not find other names in any letters.  What confirms news (a question to
 * one server that is no probe) is in small ones, so that no verdict depends on
 * them, where several machines stand behind one address.  Resolvers, and
 * servers that the operator names, are asked in small letters, too.
 */

#include "dns_int.h"

#include <string.h>

#define CASE_TRIALS  8              /* that may tell nothing */
#define CASE_EVERY   1.0            /* s between them */
#define CASE_LOST    3              /* replies in other letters, or trials
                                       without a reply */
#define CASE_REST    86400.0        /* s, of a server that has failed */
#define CASE_PAUSE   600.0          /* and of one that nothing is known of */


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
case_mixes(const dns_question_t *q)
{
    const dns_server_t  *r = dns_at(q);

    if (q->set->recursive || q->set->given || q->small
        || (q->fixed && !q->probe))
    {
        return 0;
    }

    return r->case_keeps || (q->probe && q->engine->now >= r->case_next);
}


void
dns_case_begin(dns_flight_t *f)
{
    uint16_t         a, b;
    dns_server_t    *r = f->socket->server;
    dns_question_t  *q = f->q;

    f->mixed = case_mixes(q) && dns_random(q->engine, &a) == 0
               && dns_random(q->engine, &b) == 0;
    q->case_trial = f->mixed && !r->case_keeps;

    if (f->mixed) {
        f->letters = (uint32_t) a << 16 | b;
    }

    if (q->case_trial) {
        r->case_rests = 0;
        r->case_next = q->engine->now + CASE_EVERY;
    }
}


void
dns_case_mix(uint8_t *name, const dns_flight_t *f)
{
    size_t                 i, n;
    const dns_question_t  *q = f->q;

    if (q->len < q->set->apex.len) {
        return;
    }

    name += q->len - q->set->apex.len;
    n = q->set->apex.len;

    for (i = 0; i < n; i++) {
        if (name[i] >= 'a' && name[i] <= 'z' && (f->letters >> i % 32 & 1)) {
            name[i] -= 'a' - 'A';
        }
    }
}


static int
case_kept(const dns_flight_t *f, const uint8_t *name)
{
    uint8_t                sent[DNS_NAME_MAX];
    const dns_question_t  *q = f->q;

    memcpy(sent, q->name, q->len);
    dns_case_mix(sent, f);

    return memcmp(sent, name, q->len) == 0;
}


int
dns_case_foreign(const dns_flight_t *f, const uint8_t *name)
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
case_small(dns_question_t *q, unsigned why)
{
    q->small = 1;
    q->small_why = why & 3;
    q->small_at = q->at;
}


/* What a reply to small letters tells of the trial before. */

static void
case_second(dns_question_t *q, int found)
{
    dns_server_t  *r = dns_at(q);

    if (q->small_at != q->at) {
        return;                     /* another server's */
    }

    if (q->small_why == DNS_CASE_LOST) {
        if (++r->case_lost == CASE_LOST) {
            case_rest(r, CASE_REST);
        }

    } else if (q->small_why == DNS_CASE_TRIED) {
        if (found) {
            case_rest(r, CASE_REST);

        } else if (++r->case_trials == CASE_TRIALS) {
            case_rest(r, CASE_PAUSE);
        }
    }

    q->small_why = DNS_CASE_NONE;
}


int
dns_case_again(dns_question_t *q, unsigned mixed)
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

    dns_trace_query_at(q, r, "is asked again in small letters");
    case_small(q, r->case_rests ? DNS_CASE_NONE : DNS_CASE_TRIED);

    return 1;
}


void
dns_case_overdue(dns_question_t *q)
{
    if (q->case_trial) {
        q->case_trial = 0;
        case_small(q, DNS_CASE_LOST);
    }
}
