/*
 * Replies of resolvers (dns/screen.c, dns/wire.c, shared/rbl_codes.c).  The
 * first octet chooses the asked type, the rest is the message as it came.
 *
 * A reply that differs from the question in name, type, class, or in what the
 * header must be is never taken for its answer.  What is taken sets every
 * field of the answer and the same each time; only NOERROR brings data, of the
 * asked type alone, and each address stands in the message.  An answer outside
 * 127/8 never lists, nor does one that is not NOERROR.  In whatever the screen
 * lets through, ldns finds the same; cut short it stays out.
 */

#include "fuzz.h"
#include "dns/wire.h"
#include "ldns_read.h"
#include "rbl_codes.h"

#define NAME  "2.0.0.127.zen.example"

static const uint16_t  asked_types[] = { DNS_TYPE_A, DNS_TYPE_A, DNS_TYPE_TXT,
                                         DNS_TYPE_AAAA };


/* The question stands there in so many words: a second look at the header. */
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


/* One octet another: not this question's answer any more. */
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

    memset(&codes, 0, sizeof(codes));
    verdict = rbl_codes_verdict(&codes, a->a, a->n_a, &err, text,
                                sizeof(text));
    fuzz_check(!outside || verdict == RBL_UNKNOWN);
    fuzz_check(verdict != RBL_LISTED
               || (a->status == DNS_NOERROR && a->n_a > 0));
}


/* ldns looks into the data of types that nobody reads here. */
static int
has_unread(rbl_str_t msg)
{
    size_t  i;

    static const char  types[][2] = {
        { 0, DNS_RR_OPT }, { 0, DNS_RR_DS }, { 0, DNS_RR_RRSIG },
        { 0, DNS_RR_NSEC }, { 0, DNS_RR_NSEC3 }
    };

    for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (memmem(msg.p, msg.n, types[i], 2) != NULL) {
            return 1;
        }
    }

    return 0;
}


/* What ldns finds, where there is something to be found. */
static void
check_reference(const dns_answer_t *a, rbl_str_t msg, const uint8_t *name,
    size_t len, uint16_t type, unsigned rcode)
{
    dns_answer_t  ref;

    /* It may have been given up as too much work. */
    if (a->status == DNS_BADREPLY && msg.n > 1024) {
        return;
    }

    if (rcode != DNS_RCODE_NOERROR && rcode != DNS_RCODE_NXDOMAIN) {
        return;
    }

    memset(&ref, 0, sizeof(ref));
    ref.status = rcode == DNS_RCODE_NOERROR ? DNS_NOERROR : DNS_NXDOMAIN;

    if (ldns_read(&ref, (const uint8_t *) msg.p, msg.n, name, len, type)
        != 0)
    {
        fuzz_check(has_unread(msg));
        return;
    }

    if (ref.status == DNS_BADREPLY) {
        memset(&ref, 0, sizeof(ref));
        ref.status = DNS_BADREPLY;
    }

    fuzz_check(same(a, &ref));
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

    if (result != DNS_WIRE_DONE) {
        fuzz_check(a.status == DNS_BADREPLY);
        return;
    }

    if (dns_screen(&screen, p, msg.n) != 0) {
        fuzz_check(a.status == DNS_BADREPLY);
        return;
    }

    check_reference(&a, msg, name, len, type, screen.rcode);

    /* cut anywhere behind the question */

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
    type = asked_types[fuzz_u8(&f) % 4];
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
