/*
 * XXH64 and SipHash by their published descriptions.  XXH64 has four lanes of
 * eight octets each, which a processor works on at the same time; what is left
 * over follows.
 */

#include "rbl_hash.h"

#define P1  UINT64_C(0x9e3779b185ebca87)
#define P2  UINT64_C(0xc2b2ae3d27d4eb4f)
#define P3  UINT64_C(0x165667b19e3779f9)
#define P4  UINT64_C(0x85ebca77c2b2ae63)
#define P5  UINT64_C(0x27d4eb2f165667c5)


static inline uint64_t
rotate(uint64_t v, unsigned bits)
{
    return v << bits | v >> (64 - bits);
}


/* Little-endian, whatever the machine is; compilers make one load of it. */

static inline uint64_t
read32(const unsigned char *p)
{
    return (uint64_t) p[0] | (uint64_t) p[1] << 8 | (uint64_t) p[2] << 16
           | (uint64_t) p[3] << 24;
}


static inline uint64_t
read64(const unsigned char *p)
{
    return read32(p) | read32(p + 4) << 32;
}


static inline uint64_t
mix(uint64_t lane, uint64_t v)
{
    return rotate(lane + v * P2, 31) * P1;
}


static inline uint64_t
merge(uint64_t h, uint64_t lane)
{
    return (h ^ mix(0, lane)) * P1 + P4;
}


static uint64_t
lanes(const unsigned char **pos, size_t *n, uint64_t seed)
{
    uint64_t              a, b, c, d, h;
    const unsigned char  *p;

    a = seed + P1 + P2;
    b = seed + P2;
    c = seed;
    d = seed - P1;

    for (p = *pos; *n >= 32; *n -= 32, p += 32) {
        a = mix(a, read64(p));
        b = mix(b, read64(p + 8));
        c = mix(c, read64(p + 16));
        d = mix(d, read64(p + 24));
    }

    *pos = p;

    h = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);

    return merge(merge(merge(merge(h, a), b), c), d);
}


uint64_t
rbl_hash(rbl_str_t s, uint64_t seed)
{
    size_t                n;
    uint64_t              h;
    const unsigned char  *p;

    p = (const unsigned char *) s.p;
    n = s.n;

    h = n >= 32 ? lanes(&p, &n, seed) : seed + P5;
    h += s.n;

    for ( /* void */ ; n >= 8; n -= 8, p += 8) {
        h = rotate(h ^ mix(0, read64(p)), 27) * P1 + P4;
    }

    if (n >= 4) {
        h = rotate(h ^ read32(p) * P1, 23) * P2 + P3;
        p += 4;
        n -= 4;
    }

    for ( /* void */ ; n > 0; n--, p++) {
        h = rotate(h ^ *p * P5, 11) * P1;
    }

    h = (h ^ h >> 33) * P2;
    h = (h ^ h >> 29) * P3;

    return h ^ h >> 32;
}


typedef struct {
    uint64_t  a, b, c, d;
} rbl_sip_t;


static inline void
sip_rounds(rbl_sip_t *s, unsigned n)
{
    uint64_t  a, b, c, d;

    a = s->a;
    b = s->b;
    c = s->c;
    d = s->d;

    while (n-- > 0) {
        a += b;
        c += d;
        b = rotate(b, 13) ^ a;
        d = rotate(d, 16) ^ c;
        a = rotate(a, 32) + d;
        c += b;
        d = rotate(d, 21) ^ a;
        b = rotate(b, 17) ^ c;
        c = rotate(c, 32);
    }

    s->a = a;
    s->b = b;
    s->c = c;
    s->d = d;
}


static inline void
sip_word(rbl_sip_t *s, uint64_t word)
{
    s->d ^= word;
    sip_rounds(s, 2);
    s->a ^= word;
}


rbl_hash_keyed_t
rbl_hash_keyed(rbl_str_t text, const unsigned char key[RBL_HASH_KEY])
{
    size_t                n;
    uint64_t              last;
    rbl_sip_t             s;
    rbl_hash_keyed_t      h;
    const unsigned char  *p;

    s.a = read64(key) ^ UINT64_C(0x736f6d6570736575);
    s.b = read64(key + 8) ^ UINT64_C(0x646f72616e646f6d) ^ 0xee;
    s.c = read64(key) ^ UINT64_C(0x6c7967656e657261);
    s.d = read64(key + 8) ^ UINT64_C(0x7465646279746573);

    p = (const unsigned char *) text.p;

    for (n = text.n; n >= 8; n -= 8, p += 8) {
        sip_word(&s, read64(p));
    }

    last = (uint64_t) text.n << 56;

    while (n > 0) {
        n--;
        last |= (uint64_t) p[n] << (8 * n);
    }

    sip_word(&s, last);

    s.c ^= 0xee;
    sip_rounds(&s, 4);
    h.low = s.a ^ s.b ^ s.c ^ s.d;

    s.b ^= 0xdd;
    sip_rounds(&s, 4);
    h.high = s.a ^ s.b ^ s.c ^ s.d;

    return h;
}
