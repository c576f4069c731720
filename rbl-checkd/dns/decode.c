/*
 * What a reply says.  Only messages that dns_screen() has let through come
 * here: every name ends, every record lies inside the message, and its data
 * has the shape of its type.  Names are compared where they stand.
 *
 * Owns nothing and allocates nothing.
 */

#include "wire.h"

#include <string.h>

#define DECODE_CLASS_IN  1

/*
 * Labels that are compared for one reply, at most: the largest sound ones have
 * some 4,000 records with names of ten labels.
 */
#define DECODE_WORK  131072

/* One record: where things are in the message. */
typedef struct {
    size_t    owner, rdata, len;
    unsigned  type, class;
    uint32_t  ttl;
} decode_rr_t;

/* Where a walk along the CNAMEs stands: the name, and its least TTL so far. */
typedef struct {
    const uint8_t  *name;
    size_t          len;
    uint32_t        ttl;
    unsigned        hops;
    unsigned        work;           /* labels compared so far */
    uint8_t         buf[DNS_NAME_MAX];
} decode_chain_t;


static size_t
decode_skip(const uint8_t *msg, size_t off)
{
    while (msg[off] != 0) {
        if (msg[off] >= 192) {
            return off + 2;
        }

        off += msg[off] + 1u;
    }

    return off + 1;
}


/* The label at `off`, or where the pointers there lead. */
static size_t
decode_label(const uint8_t *msg, size_t off)
{
    while (msg[off] >= 192) {
        off = dns_get16(msg + off) & 0x3fff;
    }

    return off;
}


/* The name in full: its length. */
static size_t
decode_name(uint8_t out[DNS_NAME_MAX], const uint8_t *msg, size_t off)
{
    size_t  n, len;

    n = 0;

    for ( ;; ) {
        off = decode_label(msg, off);
        len = msg[off] + 1u;
        memcpy(out + n, msg + off, len);
        n += len;

        if (len == 1) {
            return n;
        }

        off += len;
    }
}


static int
decode_same(const uint8_t *msg, size_t off, const uint8_t *name, size_t len,
    unsigned *work)
{
    size_t  n;

    (*work)++;

    /* A pointer to the question, as nearly every answer has it. */
    if (msg[off] == 0xc0 && msg[off + 1] == DNS_HEADER) {
        return dns_name_equal(msg + DNS_HEADER,
                              decode_skip(msg, DNS_HEADER) - DNS_HEADER,
                              name, len);
    }

    for ( /* void */ ; *work < DECODE_WORK; (*work)++) {
        off = decode_label(msg, off);
        n = msg[off] + 1u;

        if (n > len || !dns_name_equal(msg + off, n, name, n)) {
            return 0;
        }

        if (n == 1) {
            return len == 1;
        }

        off += n;
        name += n;
        len -= n;
    }

    return 0;
}


/* The record at `off`; where the next one begins. */
static size_t
decode_rr(decode_rr_t *rr, const uint8_t *msg, size_t off)
{
    rr->owner = off;
    off = decode_skip(msg, off);
    rr->type = dns_get16(msg + off);
    rr->class = dns_get16(msg + off + 2);
    rr->ttl = dns_get32(msg + off + 4);
    rr->len = dns_get16(msg + off + 8);
    rr->rdata = off + 10;

    /* RFC 2181, 8: a TTL with the top bit set counts as zero. */
    if (rr->ttl & 0x80000000) {
        rr->ttl = 0;
    }

    return rr->rdata + rr->len;
}


static int
decode_is(const uint8_t *msg, const decode_rr_t *rr, unsigned type,
    decode_chain_t *chain)
{
    return rr->type == type && rr->class == DECODE_CLASS_IN
           && decode_same(msg, rr->owner, chain->name, chain->len,
                          &chain->work);
}


static void
decode_txt(dns_answer_t *answer, const uint8_t *p, size_t len, unsigned nth)
{
    size_t  n, room;

    if (nth && answer->txt_len < DNS_TXT_MAX) {
        answer->txt[answer->txt_len++] = '\n';
    }

    for ( /* void */ ; len; p += n, len -= n) {
        n = *p++;
        len--;
        room = DNS_TXT_MAX - answer->txt_len;
        room = n < room ? n : room;
        memcpy(answer->txt + answer->txt_len, p, room);
        answer->txt_len += room;
    }
}


static void
decode_take(dns_answer_t *answer, const uint8_t *msg, const decode_rr_t *rr,
    unsigned nth)
{
    const uint8_t  *p;

    p = msg + rr->rdata;

    switch (rr->type) {

    case DNS_TYPE_TXT:
        decode_txt(answer, p, rr->len, nth);
        break;

    case DNS_TYPE_A:
        if (answer->n_a < DNS_MAX_CODES) {
            answer->a[answer->n_a++] = dns_get32(p);
        }

        break;

    case DNS_TYPE_AAAA:
        if (answer->n_aaaa < DNS_MAX_A) {
            memcpy(&answer->aaaa[answer->n_aaaa++], p, 16);
        }

        break;
    }
}


/* The records of the asked type at the chain's name: how many. */
static unsigned
decode_collect(dns_answer_t *answer, const uint8_t *msg,
    const dns_screen_t *screen, decode_chain_t *chain, unsigned type)
{
    size_t       off;
    unsigned     i, n;
    decode_rr_t  rr;

    n = 0;
    off = screen->at_an;

    for (i = 0; i < screen->an; i++) {
        off = decode_rr(&rr, msg, off);

        if (decode_is(msg, &rr, type, chain)) {
            chain->ttl = rr.ttl < chain->ttl ? rr.ttl : chain->ttl;
            decode_take(answer, msg, &rr, n++);
        }
    }

    return n;
}


/*
 * The answer section holds what was asked for, of another name, or a DNAME
 * that nobody has followed: what the asked name has is not said.
 */
static int
decode_astray(const uint8_t *msg, const dns_screen_t *screen, unsigned type,
    unsigned hops)
{
    size_t       off;
    unsigned     i;
    decode_rr_t  rr;

    off = screen->at_an;

    for (i = 0; i < screen->an; i++) {
        off = decode_rr(&rr, msg, off);

        if (rr.class == DECODE_CLASS_IN
            && (rr.type == type || (rr.type == DNS_RR_DNAME && hops == 0)))
        {
            return 1;
        }
    }

    return 0;
}


/* One CNAME further: 1, or 0 at the end. */
static int
decode_follow(const uint8_t *msg, const dns_screen_t *screen,
    decode_chain_t *chain)
{
    size_t       off;
    unsigned     i;
    decode_rr_t  rr;

    off = screen->at_an;

    for (i = 0; i < screen->an; i++) {
        off = decode_rr(&rr, msg, off);

        if (decode_is(msg, &rr, DNS_RR_CNAME, chain)) {
            chain->ttl = rr.ttl < chain->ttl ? rr.ttl : chain->ttl;
            chain->len = decode_name(chain->buf, msg, rr.rdata);
            chain->name = chain->buf;
            chain->hops++;
            return 1;
        }
    }

    return 0;
}


/*
 * How many labels the zone's name has, the root's among them; 0: it is not the
 * end of the chain's, at a label's border.
 */
static unsigned
decode_within(const uint8_t *msg, size_t zone, decode_chain_t *chain)
{
    size_t    off;
    unsigned  labels;

    for (off = 0; off < chain->len; off += chain->name[off] + 1u) {
        if (decode_same(msg, zone, chain->name + off, chain->len - off,
                        &chain->work))
        {
            break;
        }
    }

    for (labels = 0; off < chain->len; off += chain->name[off] + 1u) {
        labels++;
    }

    return labels;
}


/*
 * RFC 2308: how long "there is nothing" holds.  A reply without answer and
 * with name servers instead of an SOA is a referral: whoever sent it does not
 * know, which must not be taken for "no such record".
 */
static dns_status_t
decode_negative(dns_answer_t *answer, const uint8_t *msg,
    const dns_screen_t *screen, decode_chain_t *chain)
{
    size_t       off;
    uint32_t     ttl, least;
    unsigned     i, labels, referral;
    decode_rr_t  rr;

    referral = 0;
    off = screen->at_ns;

    for (i = 0; i < screen->ns; i++) {
        off = decode_rr(&rr, msg, off);

        if (rr.class != DECODE_CLASS_IN) {
            continue;
        }

        referral |= rr.type == DNS_RR_NS;

        labels = rr.type == DNS_RR_SOA ? decode_within(msg, rr.owner, chain)
                                       : 0;
        if (labels == 0) {
            continue;
        }

        /* That of an alias' target tells nothing of the zone asked. */

        answer->soa = chain->hops == 0 ? labels : 0;

        least = dns_get32(msg + off - 4);
        ttl = least < rr.ttl ? least : rr.ttl;
        answer->ttl = ttl < chain->ttl ? ttl : chain->ttl;
        return answer->status;
    }

    /* AA: whoever answers is the authority. */
    if (referral && answer->status == DNS_NOERROR && !(msg[2] & 0x04)) {
        return DNS_BADREPLY;
    }

    return answer->status;
}


static dns_status_t
decode_chain(dns_answer_t *answer, const uint8_t *msg,
    const dns_screen_t *screen, uint16_t type, decode_chain_t *chain)
{
    unsigned  n;

    for ( ;; ) {
        n = decode_collect(answer, msg, screen, chain, type);

        if (n || !decode_follow(msg, screen, chain)) {
            break;
        }

        /* Too long or a ring: nothing is known about what it would say. */
        if (chain->hops > DNS_CHAIN_MAX) {
            return DNS_BADREPLY;
        }
    }

    if (n == 0) {
        return decode_astray(msg, screen, type, chain->hops) ? DNS_BADREPLY
               : decode_negative(answer, msg, screen, chain);
    }

    answer->ttl = chain->ttl;
    answer->alias = chain->hops != 0;

    /* "No such name", and here are its records: believe neither. */
    return answer->status == DNS_NXDOMAIN ? DNS_BADREPLY : answer->status;
}


dns_status_t
dns_decode(dns_answer_t *answer, const uint8_t *msg,
    const dns_screen_t *screen, const uint8_t *name, size_t len,
    uint16_t type)
{
    dns_status_t    status;
    decode_chain_t  chain;

    chain.name = name;
    chain.len = len;
    chain.ttl = UINT32_MAX;
    chain.hops = 0;
    chain.work = 0;
    status = decode_chain(answer, msg, screen, type, &chain);

    return chain.work < DECODE_WORK ? status : DNS_BADREPLY;
}
