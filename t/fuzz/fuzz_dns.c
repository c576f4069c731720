/*
 * Responses of servers (dns/screen.c, dns/wire.c, dns/referral.c,
 * shared/names/rbl_codes.c), read by ldns.  The first byte chooses the queried
 * type, the rest is the message.
 *
 * A response that differs from the query in name, type, class, or in required
 * header fields is never accepted.  An accepted one sets every field of the
 * answer, and the same each time.  Only NOERROR gives data, of the queried type
 * alone, and each address and text is in the message.  A response outside 127/8
 * never lists, nor does one that is not NOERROR.  In any message that the
 * screen accepts, ldns finds each record where the screen found it; a truncated
 * one is refused.  A referral stays in its bounds and gives the same answer.
 */

#include "fuzz.h"
#include "dns/record.h"
#include "dns/referral.h"
#include "rbl_codes.h"

#define NAME  "2.0.0.127.zen.example"

static const uint16_t  asked_types[] = { DNS_TYPE_A, DNS_TYPE_A, DNS_TYPE_TXT,
                                         DNS_TYPE_AAAA, DNS_TYPE_NS,
                                         DNS_TYPE_SOA };


/* A second check of the header: the question is present literally. */
static int
is_reply(rbl_str_t msg, const uint8_t *name, size_t len, unsigned type)
{
    size_t          i;
    const uint8_t  *p = (const uint8_t *) msg.p;

    if (msg.n < DNS_HEADER + len + 4 || !(p[2] & 0x80) || (p[2] & 0x78)
        || p[4] != 0 || p[5] != 1)
    {
        return 0;
    }

    for (i = 0; i < len; i++) {
        if (p[DNS_HEADER + i] != name[i]
            && !((p[DNS_HEADER + i] | 0x20) == name[i]
                 && name[i] >= 'a' && name[i] <= 'z'))
        {
            return 0;
        }
    }

    p += DNS_HEADER + len;

    return p[0] == 0 && p[1] == type && p[2] == 0 && p[3] == 1;
}


/* With one byte changed it no longer answers this query. */
static void
check_others(fuzz_t *f, rbl_str_t msg, const uint8_t *name, size_t len,
    uint16_t type)
{
    size_t      i, at;
    uint8_t    *p;
    rbl_str_t   copy;

    const size_t  tail = DNS_HEADER + len;
    const size_t  spots[] = { 4, 5, tail, tail + 1, tail + 2, tail + 3,
                              DNS_HEADER, DNS_HEADER + 1, tail - 1 };

    fuzz_check(!dns_wire_match((const uint8_t *) msg.p, msg.n, name, len,
                               (uint16_t) (type + 1)));

    for (i = 0; i < sizeof(spots) / sizeof(spots[0]); i++) {
        copy = fuzz_copy(f, msg.p, msg.n);
        p = (uint8_t *) copy.p;
        at = spots[i];
        p[at] ^= 1;
        fuzz_check(!dns_wire_match(p, msg.n, name, len, type));
    }

    copy = fuzz_copy(f, msg.p, msg.n);
    p = (uint8_t *) copy.p;
    p[2] ^= 0x80;
    fuzz_check(!dns_wire_match(p, msg.n, name, len, type));
    p[2] ^= 0x88;
    fuzz_check(!dns_wire_match(p, msg.n, name, len, type));
}


static int
same(const dns_answer_t *a, const dns_answer_t *b)
{
    return a->status == b->status && a->n_a == b->n_a
           && a->n_aaaa == b->n_aaaa && a->txt_len == b->txt_len
           && a->ttl == b->ttl && a->soa == b->soa && a->alias == b->alias
           && memcmp(a->a, b->a, a->n_a * sizeof(a->a[0])) == 0
           && memcmp(a->aaaa, b->aaaa, a->n_aaaa * sizeof(a->aaaa[0])) == 0
           && memcmp(a->txt, b->txt, a->txt_len) == 0;
}


static void
check_answer(const dns_answer_t *a, rbl_str_t msg, unsigned type)
{
    char              text[256];
    unsigned          i, outside;
    uint8_t           b[4];
    uint32_t          serial;
    rbl_codes_t       codes;
    rbl_verdict_t     verdict;
    rbl_lookup_err_t  err;

    fuzz_check(a->status <= DNS_BADREPLY);
    fuzz_check(a->n_a <= DNS_MAX_CODES && a->n_aaaa <= DNS_MAX_A);
    fuzz_check(a->txt_len <= DNS_TXT_MAX && a->ttl <= INT32_MAX);
    fuzz_check(a->n_a == 0 || type == DNS_TYPE_A);
    fuzz_check(a->n_aaaa == 0 || type == DNS_TYPE_AAAA);
    fuzz_check(a->txt_len == 0 || type == DNS_TYPE_TXT);
    fuzz_check(a->status == DNS_NOERROR
               || a->n_a + a->n_aaaa + a->txt_len == 0);
    fuzz_check(a->status <= DNS_NXDOMAIN || (a->ttl == 0 && a->soa == 0));
    fuzz_check(a->soa <= 128 && (a->soa == 0
                                 || a->n_a + a->n_aaaa + a->txt_len == 0));

    outside = 0;

    for (i = 0; i < a->n_a; i++) {
        b[0] = (uint8_t) (a->a[i] >> 24);
        b[1] = (uint8_t) (a->a[i] >> 16);
        b[2] = (uint8_t) (a->a[i] >> 8);
        b[3] = (uint8_t) a->a[i];
        fuzz_check(memmem(msg.p, msg.n, b, 4) != NULL);
        outside |= b[0] != 127;
    }

    for (i = 0; i < a->n_aaaa; i++) {
        fuzz_check(memmem(msg.p, msg.n, &a->aaaa[i], 16) != NULL);
    }

    if (a->has_serial) {
        serial = htonl(a->serial);
        fuzz_check(memmem(msg.p, msg.n, &serial, 4) != NULL);
    }

    memset(&codes, 0, sizeof(codes));
    verdict = rbl_codes_verdict(&codes, a->a, a->n_a, &err, text,
                                sizeof(text));
    fuzz_check(!outside || verdict == RBL_UNKNOWN);
    fuzz_check(verdict != RBL_LISTED
               || (a->status == DNS_NOERROR && a->n_a > 0));
}


/* A record of a type with fields that are read has all of them. */
static void
check_fields(const ldns_rr *rr)
{
    const ldns_rr_descriptor  *form;

    switch (ldns_rr_get_type(rr)) {

    case LDNS_RR_TYPE_A:
    case LDNS_RR_TYPE_AAAA:
    case LDNS_RR_TYPE_TXT:
    case LDNS_RR_TYPE_NS:
    case LDNS_RR_TYPE_CNAME:
    case LDNS_RR_TYPE_DNAME:
    case LDNS_RR_TYPE_SOA:
        form = ldns_rr_descript(ldns_rr_get_type(rr));
        fuzz_check(ldns_rr_rd_count(rr) >= ldns_rr_descriptor_minimum(form));
        break;

    default:
        break;
    }
}


/* ldns reads the records as the screen did. */
static void
check_records(const dns_screen_t *screen)
{
    size_t    off;
    ldns_rr  *rr;
    unsigned  i;
    int       section;

    off = screen->at[DNS_ANSWER];

    for (section = DNS_ANSWER; section <= DNS_ADDITIONAL; section++) {
        fuzz_check(off == screen->at[section]);

        for (i = 0; i < screen->count[section]; i++) {
            rr = dns_rr_read(screen, &off);

            if (rr == NULL) {
                return;
            }

            fuzz_check(ldns_rdf_size(ldns_rr_owner(rr)) <= DNS_NAME_MAX);
            check_fields(rr);
            dns_rr_free(rr);
        }
    }

    fuzz_check(off == screen->n);
}


/* The labels end where the name does. */
static void
check_name(const dns_name_t *name)
{
    size_t  off;

    for (off = 0; name->wire[off]; off += name->wire[off] + 1u) {
        fuzz_check(name->wire[off] < 64 && off < name->len);
    }

    fuzz_check(off + 1 == name->len);
}


static void
check_servers(const dns_referral_t *r, rbl_str_t msg)
{
    unsigned  i, k;

    fuzz_check(r->n_ns <= DNS_MAX_NS && r->n_glue <= DNS_MAX_GLUE);
    fuzz_check((r->n_ns == 0) == (r->zone.len == 0));
    fuzz_check(r->ttl <= INT32_MAX && (r->n_ns || r->n_glue + r->ttl == 0));

    for (i = 0; i < r->n_ns; i++) {
        check_name(&r->ns[i]);

        for (k = 0; k < i; k++) {
            fuzz_check(r->ns[i].len != r->ns[k].len
                       || memcmp(r->ns[i].wire, r->ns[k].wire,
                                 r->ns[i].len) != 0);
        }
    }

    for (i = 0; i < r->n_glue; i++) {
        fuzz_check(r->glue[i].ns < r->n_ns && r->glue[i].ttl <= INT32_MAX);
        fuzz_check(memmem(msg.p, msg.n, r->glue[i].addr,
                          r->glue[i].v6 ? 16 : 4) != NULL);
    }
}


/* The queried name, or the target of its aliases, is in that zone. */
static void
check_zone(const dns_referral_t *r, const dns_name_t *zone,
    const uint8_t *name, size_t len)
{
    if (zone->len == 0) {
        return;
    }

    check_name(zone);

    if (r->target.len) {
        name = r->target.wire;
        len = r->target.len;
    }

    fuzz_check(zone->len <= len
               && dns_name_equal(name + len - zone->len, zone->len,
                                 zone->wire, zone->len));
}


static void
check_referral(const dns_answer_t *a, rbl_str_t msg, const uint8_t *name,
    size_t len, uint16_t type)
{
    int             rc;
    unsigned        n;
    dns_referral_t  r;

    memset(&r, 0xa5, sizeof(r));
    rc = dns_wire_referral(&r, (const uint8_t *) msg.p, msg.n, name, len,
                           type);

    /* The answer may be read without the rest of the message. */
    if (rc != 0) {
        return;
    }

    check_servers(&r, msg);
    check_zone(&r, &r.zone, name, len);
    check_zone(&r, &r.apex, name, len);

    if (r.target.len) {
        check_name(&r.target);
    }

    n = a->n_a + a->n_aaaa + (a->txt_len != 0);
    fuzz_check(n == 0 || r.found);
    fuzz_check(!r.found || a->status != DNS_NXDOMAIN);
    fuzz_check(!a->alias || (r.found && r.target.len));
    fuzz_check(a->soa == 0 || (r.apex.len && !r.found && !r.target.len));
}


static void
try_reply(fuzz_t *f, rbl_str_t msg, const uint8_t *name, size_t len,
    uint16_t type)
{
    const uint8_t  *p = (const uint8_t *) msg.p;
    size_t          cut;
    rbl_str_t       part;
    dns_wire_t      result;
    dns_answer_t    a, b;
    dns_screen_t    screen;

    memset(&a, 0xa5, sizeof(a));
    memset(&b, 0x5a, sizeof(b));
    result = dns_wire_read(&a, p, msg.n, name, len, type);
    fuzz_check(dns_wire_read(&b, p, msg.n, name, len, type) == result);
    fuzz_check(same(&a, &b));
    fuzz_check((result == DNS_WIRE_TC) == ((p[2] & 2) != 0));
    check_answer(&a, msg, type);
    check_referral(&a, msg, name, len, type);

    if (result != DNS_WIRE_DONE) {
        fuzz_check(a.status == DNS_BADREPLY);
        return;
    }

    if (dns_screen(&screen, p, msg.n) != 0) {
        fuzz_check(a.status == DNS_BADREPLY);
        return;
    }

    check_records(&screen);

    /* cut anywhere after the question */

    cut = DNS_HEADER + len + 4;
    cut += msg.n > cut ? p[0] % (msg.n - cut) : 0;

    if (cut < msg.n) {
        part = fuzz_copy(f, p, cut);
        fuzz_check(dns_screen(&screen, (const uint8_t *) part.p, cut) != 0);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_t        f;
    size_t        len;
    uint8_t       name[DNS_NAME_MAX];
    uint16_t      type;
    rbl_str_t     msg;
    dns_screen_t  screen;

    fuzz_init(&f, data, size);
    type = asked_types[fuzz_u8(&f) % 6];
    msg = fuzz_rest(&f);
    len = dns_wire_name(name, NAME);
    fuzz_check(len == sizeof(NAME) + 1);

    (void) dns_screen(&screen, (const uint8_t *) msg.p, msg.n);

    if (dns_wire_match((const uint8_t *) msg.p, msg.n, name, len, type)) {
        fuzz_check(is_reply(msg, name, len, type));
        check_others(&f, msg, name, len, type);
        try_reply(&f, msg, name, len, type);

    } else {
        fuzz_check(!is_reply(msg, name, len, type));
    }

    fuzz_done(&f);

    return 0;
}
