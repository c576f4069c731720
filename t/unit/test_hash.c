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

    return tap_done();
}
