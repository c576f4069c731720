/*
 * XXH64 against its published values, and what an ETag needs of it.
 */

#include "rbl_hash.h"
#include "tap.h"


static const struct {
    const char  *text;
    uint64_t     want;
} known[] = {
    { "", UINT64_C(0xef46db3751d8e999) },
    { "a", UINT64_C(0xd24ec4f1a98c6e5b) },
    { "abc", UINT64_C(0x44bc2cf5ad770999) },
    { "Nobody inspects the spammish repetition",
      UINT64_C(0xfbcea83c8a378bf1) },
};


/* SipHash-2-4 of the octets 0, 1, 2 ... with the key 0 to 15. */

static const struct {
    size_t    n;
    uint64_t  low, high;
} keyed[] = {
    { 0, UINT64_C(0xe6a825ba047f81a3), UINT64_C(0x930255c71472f66d) },
    { 1, UINT64_C(0x44af996bd8c187da), UINT64_C(0x45fc229b11597634) },
    { 15, UINT64_C(0x11a8b03399e99354), UINT64_C(0xd9c3cf970fec087e) },
};


static void
test_keyed(void)
{
    char              text[16];
    size_t            i;
    rbl_str_t         s;
    unsigned char     key[RBL_HASH_KEY];
    rbl_hash_keyed_t  h, other;

    for (i = 0; i < sizeof(key); i++) {
        key[i] = (unsigned char) i;
        text[i] = (char) i;
    }

    s.p = text;

    for (i = 0; i < sizeof(keyed) / sizeof(keyed[0]); i++) {
        s.n = keyed[i].n;
        h = rbl_hash_keyed(s, key);
        ok(h.low == keyed[i].low && h.high == keyed[i].high,
           "%zu octets with a key", s.n);
    }

    key[15] ^= 1;
    other = rbl_hash_keyed(s, key);
    ok(other.low != h.low && other.high != h.high, "with another key");
}


/* Every bit of every octet counts, at each length; at none is more read. */

static void
test_bits(void)
{
    int        good;
    char       text[80];
    size_t     n, i;
    unsigned   bit;
    uint64_t   h;
    rbl_str_t  s;

    good = 1;
    memset(text, 'x', sizeof(text));

    for (n = 0; n < sizeof(text); n++) {
        s.p = text + sizeof(text) - n;
        s.n = n;
        h = rbl_hash(s, 0);

        for (i = sizeof(text) - n; i < sizeof(text); i++) {
            for (bit = 1; bit < 256; bit <<= 1) {
                text[i] = (char) (text[i] ^ (int) bit);
                good &= rbl_hash(s, 0) != h;
                text[i] = (char) (text[i] ^ (int) bit);
            }
        }

        good &= rbl_hash(s, 0) == h && rbl_hash(s, 1) != h;
    }

    ok(good, "a bit or a seed that differs is seen");
}


int
main(void)
{
    size_t  i;

    for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        ok(rbl_hash(rbl_str(known[i].text), 0) == known[i].want, "\"%s\"",
           known[i].text);
    }

    test_bits();
    test_keyed();

    return tap_done();
}
