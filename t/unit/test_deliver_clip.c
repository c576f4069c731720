/* Texts cut between characters, in the unit of a service. */

#include "base/buf.h"
#include "deliver/message/clip.h"

#include "tap.h"

#define UML   "\xc3\xa4"                /* 2 octets, 1 unit of UTF-16 */
#define EURO  "\xe2\x82\xac"            /* 3 octets, 1 */
#define FACE  "\xf0\x9f\x98\x80"        /* 4 octets, 2 */
#define DOTS  CLIP_ELLIPSIS


static void
test_length(void)
{
    size_t  i;

    static const struct {
        const char  *text;
        size_t       octets, chars, utf16;
    } t[] = {
        { "", 0, 0, 0 },
        { "abc", 3, 3, 3 },
        { "a" UML, 3, 2, 2 },
        { EURO EURO, 6, 2, 2 },
        { FACE, 4, 1, 2 },
        { "a" FACE UML, 7, 3, 4 },
        { "a\xff" "b", 3, 3, 3 },
        { "\xe2\x82", 2, 2, 2 }
    };

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        ok(clip_length(rbl_str(t[i].text), CLIP_OCTETS) == t[i].octets
           && clip_length(rbl_str(t[i].text), CLIP_CHARS) == t[i].chars
           && clip_length(rbl_str(t[i].text), CLIP_UTF16) == t[i].utf16,
           "length of \"%s\"", t[i].text);
    }
}


static void
test_out(void)
{
    size_t     i;
    rbl_buf_t  buf;

    static const struct {
        const char   *text;
        size_t        max;
        clip_unit_t   unit;
        const char   *out;
    } t[] = {
        { "abc", 3, CLIP_CHARS, "abc" },
        { "abcd", 3, CLIP_CHARS, "ab" DOTS },
        { "abcd", 1, CLIP_CHARS, DOTS },
        { "abcd", 0, CLIP_CHARS, "" },
        { "", 0, CLIP_CHARS, "" },
        { UML UML UML, 2, CLIP_CHARS, UML DOTS },
        { UML UML UML, 6, CLIP_OCTETS, UML UML UML },
        { UML UML UML, 5, CLIP_OCTETS, UML DOTS },
        { UML UML UML, 4, CLIP_OCTETS, DOTS },
        { UML UML UML, 2, CLIP_OCTETS, UML },
        { "ab" FACE, 3, CLIP_CHARS, "ab" FACE },
        { "ab" FACE, 4, CLIP_UTF16, "ab" FACE },
        { "ab" FACE, 3, CLIP_UTF16, "ab" DOTS },
        { "a" FACE "bc", 4, CLIP_UTF16, "a" FACE DOTS },
        { FACE FACE, 3, CLIP_UTF16, FACE DOTS },
        { FACE FACE, 2, CLIP_UTF16, DOTS },
        { "\xff\xff\xff", 2, CLIP_CHARS, "\xff" DOTS }
    };

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        rbl_buf_init(&buf);
        clip_out(&buf.out, rbl_str(t[i].text), t[i].max, t[i].unit);
        ok(rbl_str_is(rbl_buf_str(&buf), t[i].out), "case %zu", i);
        ok(clip_length(rbl_buf_str(&buf), t[i].unit) <= t[i].max,
           "case %zu is short enough", i);
        rbl_buf_free(&buf);
    }
}


int
main(void)
{
    test_length();
    test_out();

    return tap_done();
}
