/* Keys are hidden in untrusted texts. */

#include "check/lists/text.h"
#include "tap.h"

#include <string.h>

#define MAX_KEYS  3

static const struct {
    const char  *text, *keys[MAX_KEYS], *want;
    int          cut;
} cases[] = {
    { "nothing here", { "k3y" }, "nothing here", 0 },
    { "", { "k3y" }, "", 0 },
    { "k3y", { "k3y" }, "{key}", 0 },
    { "a K3Y.z, k3Y", { "k3y" }, "a {key}.z, {key}", 0 },
    { "a k3y", { "K3Y" }, "a {key}", 0 },
    { "xk3yx", { "k3y" }, "x{key}x", 0 },

    /* several: a shorter key leaves no rest of a longer one */
    { "one two", { "two", "one" }, "{key} {key}", 0 },
    { "abcdef", { "abc", "abcdef" }, "{key}", 0 },
    { "abcdefg", { "abc", "abcdef" }, "{key}g", 0 },

    /* no rest of a key that overlaps another */
    { "-abaxaba", { "aba" }, "-{key}x{key}", 0 },
    { "-ababa-", { "aba" }, "-{key}-", 0 },
    { "abcd", { "abc", "bcd" }, "{key}", 0 },
    { "k3yk3y", { "k3y" }, "{key}", 0 },

    /* the replacement of a key is not searched */
    { "key", { "key" }, "{key}", 0 },
    { "e", { "e" }, "{key}", 0 },

    /* no keys, empty ones */
    { "text", { "" }, "text", 0 },
    { "text", { NULL }, "text", 0 },

    /* the end of a text that was cut */
    { "the k3", { "k3y" }, "the k3", 0 },
    { "the k3", { "k3y" }, "the {key}", 1 },
    { "the K", { "k3y" }, "the {key}", 1 },
    { "the k4", { "k3y" }, "the k4", 1 },
    { "the k3y", { "k3y" }, "the {key}", 1 }
};


static size_t
take_keys(rbl_str_t *keys, size_t nth)
{
    size_t  n;

    for (n = 0; n < MAX_KEYS && cases[nth].keys[n] != NULL; n++) {
        keys[n] = rbl_str(cases[nth].keys[n]);
    }

    return n;
}


int
main(void)
{
    char       buf[64];
    size_t     i, n;
    rbl_str_t  keys[MAX_KEYS], text;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        n = take_keys(keys, i);
        n = hide_keys(buf, sizeof(buf), rbl_str(cases[i].text), keys, n,
                      cases[i].cut, RBL_STR("{key}"));
        is_str(((rbl_str_t) { buf, n }), cases[i].want, cases[i].text);
    }

    text = (rbl_str_t) { "a\0k3y\0", 6 };
    keys[0] = RBL_STR("k3y");
    n = hide_keys(buf, sizeof(buf), text, keys, 1, 0, RBL_STR("{key}"));
    ok(n == 8 && memcmp(buf, "a\0{key}\0", 8) == 0, "beside NUL");

    memset(buf, 'x', sizeof(buf));
    n = hide_keys(buf, 6, RBL_STR("ab k3y"), keys, 1, 0, RBL_STR("{key}"));
    is_str(((rbl_str_t) { buf, n }), "ab ", "no half of it");
    ok(buf[6] == 'x', "nothing behind the buffer");

    n = hide_keys(buf, sizeof(buf), RBL_STR("k3y?K3Y"), keys, 1, 0,
                  RBL_STR("****"));
    is_str(((rbl_str_t) { buf, n }), "****?****",
           "the caller's mark stands for the key");

    return tap_done();
}
