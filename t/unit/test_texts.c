/*
 * Bounds of the texts of results: shares of a budget, and how texts are cut.
 */

#include "check/lists/text.h"
#include "check/texts.h"

#include <stdlib.h>

#include "tap.h"


static size_t
cut_sum(const size_t *len, size_t n, size_t cap)
{
    size_t  i, sum;

    for (i = 0, sum = 0; i < n; i++) {
        sum += len[i] < cap ? len[i] : cap;
    }

    return sum;
}


static void
test_share(void)
{
    int                 good;
    size_t              i, k, n, cap, len[400];
    unsigned long long  random;
    static const size_t three[] = { 10, 500, 1000 };

    ok(texts_share(NULL, 0, 100) == 100, "nothing fits");
    ok(texts_share(three, 3, 1510) == 1510, "all of it fits");
    ok(texts_share(three, 3, 1509) == 999, "all but a byte");
    ok(texts_share(three, 3, 300) == 145, "the short one leaves its room");
    ok(texts_share(three, 3, 2) == 0, "no room");

    for (i = 0, random = 1, good = 1; i < 200; i++) {
        for (n = 0; n < 1 + i * 2; n++) {
            random = random * 6364136223846793005ull + 1442695040888963407ull;
            len[n] = random >> 54;
        }

        k = 16 * 1024;
        cap = texts_share(len, n, k);
        good = good && cut_sum(len, n, cap) <= k
               && (cut_sum(len, n, cap + 1) > k || cap == k);
    }

    ok(good, "200 random budgets are used and hold");
}


static void
test_shorten(void)
{
    char       buf[64];
    rbl_str_t  text, cut;

    text = rbl_str("ninebytes");
    cut = check_shorten(buf, 9, text);
    ok(cut.p == text.p && cut.n == 9, "a text that fits is unchanged");
    cut = check_shorten(buf, 8, text);
    ok(rbl_str_is(cut, "nineb\xe2\x80\xa6") && cut.n == 8, "one that does not");
    cut = check_shorten(buf, 3, text);
    ok(rbl_str_is(cut, "\xe2\x80\xa6"), "nothing but the ellipsis");
    cut = check_shorten(buf, 8, rbl_str("1234\xc3\xbc\xc3\xbc"));
    ok(cut.n == 8, "a text of exactly the bound");
    cut = check_shorten(buf, 8, rbl_str("1234\xc3\xbc\xc3\xbcx"));
    ok(rbl_str_is(cut, "1234\xe2\x80\xa6"), "cut between characters");
}


int
main(void)
{
    test_share();
    test_shorten();

    return tap_done();
}
