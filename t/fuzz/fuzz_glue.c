/*
 * Referrals of the servers of a zone above (dns/referral.c, dns/find.c).  The
 * first byte chooses that zone, the rest is the response to a query for the
 * name servers of NAME.
 *
 * A referral that is followed leads to a zone which is below the zone of its
 * sender and has NAME, so that no referral from there leads to it again.  Glue
 * counts only for a name inside of the zone, and only if its address is public.
 */

#include "fuzz.h"
#include "dns/dns_int.h"

#define NAME  "2.0.0.127.zen.example"

static const char *const  above[] = { "", "example", "zen.example",
                                      "127.zen.example" };


/* A second check of names: by their text, which has no dots in labels. */
static int
ends_with(const dns_name_t *name, const dns_name_t *zone)
{
    size_t  at, n;

    for (at = 0; at + zone->len < name->len; at += n) {
        n = name->wire[at] + 1u;
    }

    return at + zone->len == name->len
           && memcmp(name->wire + at, zone->wire, zone->len) == 0;
}


/* An IPv6 address may have one of IPv4 inside (RFC 4291, 2.5.5.2; RFC 6052). */
static int
is_private(const dns_glue_t *glue)
{
    int             v6 = glue->v6;
    const uint8_t  *b = glue->addr;

    static const uint8_t  mapped[12] = { [10] = 0xff, [11] = 0xff };
    static const uint8_t  nat64[12] = { 0, 0x64, 0xff, 0x9b };

    if (v6 && (memcmp(b, mapped, sizeof(mapped)) == 0
               || memcmp(b, nat64, sizeof(nat64)) == 0))
    {
        b += sizeof(mapped);
        v6 = 0;
    }

    if (v6) {
        return (b[0] & 0xe0) != 0x20;
    }

    return b[0] == 0 || b[0] == 10 || b[0] == 127 || b[0] >= 224
           || (b[0] == 172 && (b[1] & 0xf0) == 16)
           || (b[0] == 192 && b[1] == 168) || (b[0] == 169 && b[1] == 254);
}


static void
check_glue(const dns_referral_t *r)
{
    unsigned                 i;
    const dns_glue_t        *glue;
    struct sockaddr_storage  sa;

    static const dns_config_t  conf;

    for (i = 0; i < r->n_glue; i++) {
        glue = &r->glue[i];
        fuzz_check(glue->ns < r->n_ns);
        fuzz_check(dns_referral_inside(r, glue->ns)
                   == ends_with(&r->ns[glue->ns], &r->zone));
        dns_host_address(&sa, glue->addr, glue->v6);
        fuzz_check(!is_private(glue) || !dns_host_public(&conf, &sa));
    }
}


static void
try_referral(rbl_str_t msg, const dns_name_t *from, const dns_name_t *want)
{
    dns_referral_t  r;

    memset(&r, 0xa5, sizeof(r));

    if (dns_wire_referral(&r, (const uint8_t *) msg.p, msg.n, want->wire,
                          want->len, DNS_TYPE_NS)
        != 0)
    {
        return;
    }

    check_glue(&r);

    if (dns_referral_below(&r, from)) {
        fuzz_check(r.n_ns > 0 && r.n_ns <= DNS_MAX_NS);
        fuzz_check(ends_with(&r.zone, from) && r.zone.len > from->len);
        fuzz_check(ends_with(want, &r.zone));
        fuzz_check(!dns_referral_below(&r, &r.zone));
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_t       f;
    rbl_str_t    msg;
    dns_name_t   from, want;
    const char  *zone;

    fuzz_init(&f, data, size);
    zone = above[fuzz_u8(&f) % 4];
    from.wire[0] = 0;
    from.len = *zone == '\0' ? 1 : (uint8_t) dns_wire_name(from.wire, zone);
    want.len = (uint8_t) dns_wire_name(want.wire, NAME);
    msg = fuzz_rest(&f);

    if (dns_wire_match((const uint8_t *) msg.p, msg.n, want.wire, want.len,
                       DNS_TYPE_NS))
    {
        try_referral(msg, &from, &want);
    }

    fuzz_done(&f);

    return 0;
}
