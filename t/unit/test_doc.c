/*
 * The document writer: both formats, escaping of hostile texts, wrong nesting,
 * and sinks with windows of any size.
 */

#include "base/buf.h"
#include "rbl_doc.h"
#include "tap.h"

#include <stdlib.h>


#define BYTES(lit)  ((rbl_str_t) { (lit), sizeof(lit) - 1 })
#define N(a)        (sizeof(a) / sizeof((a)[0]))
#define XML_HEAD    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
#define FFFD        "\xef\xbf\xbd"
#define PLACES      52                  /* limit of a text in octets */


typedef struct {
    rbl_out_t   out;
    char        block[4096];
    size_t      size;
} windows_t;


static int
windows_more(rbl_out_t *out)
{
    windows_t  *w;

    w = (windows_t *) out;

    if (out->pos + w->size > w->block + sizeof(w->block)) {
        return -1;
    }

    out->end = out->pos + w->size;

    return 0;
}


static void
windows_init(windows_t *w, size_t size)
{
    memset(&w->out, 0, sizeof(w->out));
    w->size = size;
    w->out.pos = w->out.end = w->block;
    w->out.more = windows_more;
}


static void
write_all(rbl_out_t *out, rbl_format_t format)
{
    rbl_doc_t  d;

    rbl_doc_begin(&d, out, format);
    rbl_doc_int(&d, "status_code", 200);
    rbl_doc_z(&d, "status_message", "OK <&> \"\\\" \x01 \xc3\xa9 \xff.");
    rbl_doc_array(&d, "data");
    rbl_doc_object(&d, NULL);
    rbl_doc_int_str(&d, "count", -12);
    rbl_doc_bool(&d, "yes", 1);
    rbl_doc_bool(&d, "no", 0);
    rbl_doc_array(&d, "none");
    rbl_doc_close(&d);
    rbl_doc_object(&d, "empty");
    rbl_doc_close(&d);
    rbl_doc_close(&d);
    rbl_doc_z(&d, NULL, "text");
    rbl_doc_int(&d, NULL, 0);
    rbl_doc_array(&d, NULL);
    rbl_doc_bool(&d, NULL, 0);
    rbl_doc_close(&d);
    rbl_doc_close(&d);
    rbl_doc_text_open(&d, "parts");
    rbl_doc_text_part(&d, RBL_STR("a\""));
    rbl_doc_text_part(&d, RBL_STR(","));
    rbl_doc_text_part(&d, RBL_STR(""));
    rbl_doc_text_part(&d, RBL_STR("<b"));
    rbl_doc_text_close(&d);
    rbl_doc_z(&d, "last", "");
    rbl_doc_end(&d);
}


static const char *const  wanted[] = {
    "{\"status_code\":200,"
    "\"status_message\":\"OK <&> \\\"\\\\\\\" \\u0001 \xc3\xa9 " FFFD ".\","
    "\"data\":[{\"count\":\"-12\",\"yes\":true,\"no\":false,\"none\":[],"
    "\"empty\":{}},\"text\",0,[false]],\"parts\":\"a\\\",<b\",\"last\":\"\"}",

    XML_HEAD "<response><status_code>200</status_code>"
    "<status_message>OK &lt;&amp;&gt; \"\\\" " FFFD " \xc3\xa9 " FFFD "."
    "</status_message>"
    "<data><item><count>-12</count><yes>true</yes><no>false</no><none></none>"
    "<empty></empty></item><item>text</item><item>0</item>"
    "<item><item>false</item></item></data><parts>a\",&lt;b</parts>"
    "<last></last></response>"
};


static void
test_windows(void)
{
    int        f, good;
    size_t     size, n;
    windows_t  w;

    for (f = RBL_JSON; f <= RBL_XML; f++) {
        n = strlen(wanted[f]);
        good = 1;

        for (size = 1; size <= n + 1; size++) {
            windows_init(&w, size);
            write_all(&w.out, (rbl_format_t) f);

            good &= !w.out.failed && (size_t) (w.out.pos - w.block) == n
                    && memcmp(w.block, wanted[f], n) == 0;
        }

        ok(good, "format %d in windows of any size", f);

        windows_init(&w, n);
        write_all(&w.out, (rbl_format_t) f);
        is_str(((rbl_str_t) { w.block, (size_t) (w.out.pos - w.block) }),
               wanted[f], "document");
    }
}


static const struct {
    rbl_str_t    in;
    const char  *json, *xml;
} texts[] = {
    { BYTES(""), "", "" },
    { BYTES("/"), "/", "/" },
    { BYTES("\b\f\n\r\t"), "\\b\\f\\n\\r\\t", FFFD FFFD "\n&#13;\t" },
    { BYTES("\0"), "\\u0000", FFFD },
    { BYTES("\x1f\x7f"), "\\u001f\x7f", FFFD "\x7f" },
    { BYTES("]]>"), "]]>", "]]&gt;" },
    { BYTES("\xc2\x80\xdf\xbf"), "\xc2\x80\xdf\xbf", "\xc2\x80\xdf\xbf" },
    { BYTES("\xe2\x80\xa8"), "\xe2\x80\xa8", "\xe2\x80\xa8" },
    { BYTES("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
    { BYTES("\xef\xbf\xbd"), FFFD, FFFD },
    { BYTES("\xef\xbf\xbe"), "\xef\xbf\xbe", FFFD },
    { BYTES("a\xef\xbf\xbf" "b"), "a\xef\xbf\xbf" "b", "a" FFFD "b" },
    { BYTES("\x80"), FFFD, FFFD },
    { BYTES("\xc0\x80"), FFFD FFFD, FFFD FFFD },
    { BYTES("\xe0\x80\x80"), FFFD FFFD FFFD, FFFD FFFD FFFD },
    { BYTES("\xed\xa0\x80"), FFFD FFFD FFFD, FFFD FFFD FFFD },
    { BYTES("\xf4\x90\x80\x80"), FFFD FFFD FFFD FFFD, FFFD FFFD FFFD FFFD },
    { BYTES("\xc3"), FFFD, FFFD },
    { BYTES("\xe2\x82"), FFFD FFFD, FFFD FFFD },
    { BYTES("\xc3<"), FFFD "<", FFFD "&lt;" },
    { BYTES("\xc3\""), FFFD "\\\"", FFFD "\"" },
    { BYTES("1234567\"1234567\\12345678&2345678<123456>"),
      "1234567\\\"1234567\\\\12345678&2345678<123456>",
      "1234567\"1234567\\12345678&amp;2345678&lt;123456&gt;" },
    { BYTES("12345678\n12345678\x01"), "12345678\\n12345678\\u0001",
      "12345678\n12345678" FFFD },
};


static void
test_texts(void)
{
    char       want[256];
    size_t     i;
    rbl_doc_t  d;
    rbl_buf_t  b;

    rbl_buf_init(&b);

    for (i = 0; i < N(texts); i++) {
        rbl_buf_reset(&b);
        rbl_doc_begin(&d, &b.out, RBL_JSON);
        rbl_doc_str(&d, "v", texts[i].in);
        rbl_doc_end(&d);
        snprintf(want, sizeof(want), "{\"v\":\"%s\"}", texts[i].json);
        is_str(rbl_buf_str(&b), want, "text as JSON");

        rbl_buf_reset(&b);
        rbl_doc_begin(&d, &b.out, RBL_XML);
        rbl_doc_str(&d, "v", texts[i].in);
        rbl_doc_end(&d);
        snprintf(want, sizeof(want), XML_HEAD "<response><v>%s</v></response>",
                 texts[i].xml);
        is_str(rbl_buf_str(&b), want, "text as XML");
    }

    rbl_buf_free(&b);
}


/* Every byte at every position of texts of n octets, compared with a plain
   loop. */

static int
text_places(size_t n)
{
    int            good;
    char           in[PLACES], *copy, want[64];
    size_t         at;
    unsigned       c;
    rbl_doc_t      d;
    rbl_buf_t      b;

    rbl_buf_init(&b);
    good = 1;

    for (c = 0; c < 256; c++) {
        for (at = 0; at < n; at++) {
            memset(in, 'x', n);
            in[at] = (char) c;
            copy = malloc(n);
            memcpy(copy, in, n);

            rbl_buf_reset(&b);
            rbl_doc_begin(&d, &b.out, RBL_JSON);
            rbl_doc_str(&d, "v", (rbl_str_t) { copy, n });
            rbl_doc_end(&d);
            free(copy);

            if (c >= 0x80) {
                snprintf(want, sizeof(want), FFFD);
            } else if (c == '"' || c == '\\') {
                snprintf(want, sizeof(want), "\\%c", c);
            } else if (c < 0x20 && memchr("\b\f\n\r\t", (int) c, 5)) {
                snprintf(want, sizeof(want), "\\%c",
                         c == '\b' ? 'b' : c == '\f' ? 'f' : c == '\n' ? 'n'
                         : c == '\r' ? 'r' : 't');
            } else if (c < 0x20) {
                snprintf(want, sizeof(want), "\\u%04x", c);
            } else {
                snprintf(want, sizeof(want), "%c", c);
            }

            good &= rbl_buf_str(&b).n == 8 + n - 1 + strlen(want)
                    && memcmp(b.base + 6 + at, want, strlen(want)) == 0
                    && b.base[5] == '"';
        }
    }

    rbl_buf_free(&b);

    return good;
}


static void
test_places(void)
{
    int     good;
    size_t  n;

    good = 1;

    for (n = 1; n <= PLACES; n++) {
        good &= text_places(n);
    }

    ok(good, "every byte at every place");
}


static void
nest(rbl_doc_t *d, unsigned n)
{
    while (n-- > 0) {
        rbl_doc_object(d, "k");
    }
}


static void
test_misuse(void)
{
    int        i;
    rbl_doc_t  d;
    rbl_buf_t  b;

    rbl_buf_init(&b);

    for (i = 0; i < 11; i++) {
        rbl_buf_reset(&b);
        rbl_doc_begin(&d, &b.out, i & 1 ? RBL_XML : RBL_JSON);

        switch (i) {
        case 0: rbl_doc_close(&d); break;
        case 1: rbl_doc_array(&d, "a"); rbl_doc_end(&d); break;
        case 2: rbl_doc_end(&d); rbl_doc_end(&d); break;
        case 3: rbl_doc_end(&d); rbl_doc_int(&d, "a", 1); break;
        case 4: rbl_doc_int(&d, NULL, 1); break;
        case 5: rbl_doc_array(&d, "a"); rbl_doc_int(&d, "a", 1); break;
        case 6: nest(&d, RBL_DOC_DEPTH); break;
        case 7: rbl_doc_text_part(&d, RBL_STR("a")); break;
        case 8: rbl_doc_text_close(&d); break;
        case 9: rbl_doc_text_open(&d, "a"); rbl_doc_int(&d, "b", 1); break;
        case 10: rbl_doc_text_open(&d, "a"); rbl_doc_end(&d); break;
        }

        ok(b.out.failed, "misuse %d", i);
    }

    rbl_buf_reset(&b);
    rbl_doc_begin(&d, &b.out, RBL_JSON);
    nest(&d, RBL_DOC_DEPTH - 1);

    for (i = 0; i < RBL_DOC_DEPTH - 1; i++) {
        rbl_doc_close(&d);
    }

    rbl_doc_end(&d);
    ok(!b.out.failed, "the deepest that is allowed");

    rbl_buf_free(&b);
}


/* Values that are already encoded. */

static void
test_ready(void)
{
    rbl_buf_t  b;
    rbl_doc_t  d;

    rbl_buf_init(&b);
    rbl_doc_begin(&d, &b.out, RBL_JSON);
    rbl_doc_array(&d, "data");
    rbl_doc_json(&d, NULL, RBL_STR("{\"a\":\"1\"}"));
    rbl_doc_json(&d, NULL, RBL_STR("[]"));
    rbl_doc_close(&d);
    rbl_doc_json(&d, "more", RBL_STR("{}"));
    rbl_doc_int(&d, "n", 2);
    rbl_doc_end(&d);
    is_str(rbl_buf_str(&b),
           "{\"data\":[{\"a\":\"1\"},[]],\"more\":{},\"n\":2}",
           "values that are ready");

    rbl_doc_begin(&d, &b.out, RBL_JSON);
    rbl_doc_json(&d, NULL, RBL_STR("{}"));
    ok(b.out.failed, "one without a key in an object");

    rbl_buf_reset(&b);
    rbl_doc_begin(&d, &b.out, RBL_XML);
    rbl_doc_json(&d, "more", RBL_STR("{}"));
    ok(b.out.failed, "one in XML");

    rbl_buf_free(&b);
}


int
main(void)
{
    test_windows();
    test_texts();
    test_places();
    test_misuse();
    test_ready();

    return tap_done();
}
