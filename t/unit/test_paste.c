/* Lines that people paste: what is a host, what is a name, what is neither. */

#include "rbl_paste.h"

#include "tap.h"

#include <stdlib.h>

#define MAX  512


static const struct {
    const char  *line;
    const char  *want;          /* "KIND VALUE|NAME" of each host, with "/"
                                   between them; "": none */
} lines[] = {

    /* one host */
    { "192.0.2.10", "A 192.0.2.10|" },
    { "  192.0.2.10 \r", "A 192.0.2.10|" },
    { "2001:DB8::1", "A 2001:DB8::1|" },
    { "192.0.2.0/24", "S 192.0.2.0/24|" },
    { "192.0.2.1/24", "S 192.0.2.1/24|" },
    { "192.0.2.0/255.255.255.0", "S 192.0.2.0/255.255.255.0|" },
    { "Example.com.", "D Example.com.|" },
    { "\xef\xbb\xbf" "192.0.2.3", "A 192.0.2.3|" },
    { "192.0.2.4\xe2\x80\x8b", "A 192.0.2.4|" },
    { "\xc2\xa0" "192.0.2.5\xc2\xa0", "A 192.0.2.5|" },

    /* comments */
    { "", "" },
    { "  \t ", "" },
    { "# our mail servers", "" },
    { "; zone", "" },
    { "// 192.0.2.12", "" },
    { "#", "" },
    { "192.0.2.10 # mx1", "A 192.0.2.10|" },
    { "192.0.2.10#mx1", "A 192.0.2.10|" },
    { "192.0.2.10 mx1 # old: 192.0.2.9", "A 192.0.2.10|mx1" },
    { "192.0.2.11\t; mx2.example.com", "A 192.0.2.11|mx2.example.com" },
    { "192.0.2.11,\"a # b\" # c", "A 192.0.2.11|a # b" },

    /* quotes and brackets */
    { "\"192.0.2.10\"", "A 192.0.2.10|" },
    { "'example.com'", "D example.com|" },
    { "[2001:db8::2]", "A 2001:db8::2|" },
    { "<192.0.2.1>", "A 192.0.2.1|" },
    { "(192.0.2.1)", "A 192.0.2.1|" },
    { "[\"192.0.2.10\", \"192.0.2.11\"]", "A 192.0.2.10|/A 192.0.2.11|" },
    { "[2001:db8::1] [2001:db8::2]", "A 2001:db8::1|/A 2001:db8::2|" },
    { "[2001:db8::2] mx", "A 2001:db8::2|mx" },
    { "\"192.0.2.10", "N \"192.0.2.10|" },
    { "[192.0.2.10", "N [192.0.2.10|" },
    { "[192.0.2.10>", "N [192.0.2.10>|" },

    /* names */
    { "192.0.2.13 mx4.example.com", "A 192.0.2.13|mx4.example.com" },
    { "192.0.2.10 mx1.example.com mx1", "A 192.0.2.10|mx1.example.com mx1" },
    { "192.0.2.10   Main mail  server", "A 192.0.2.10|Main mail  server" },
    { "192.0.2.0/24 reject", "S 192.0.2.0/24|reject" },
    { "example.com REJECT", "D example.com|REJECT" },
    { "Main server 192.0.2.1", "A 192.0.2.1|Main server" },
    { "192.0.2.10,mx1.example.com", "A 192.0.2.10|mx1.example.com" },
    { "192.0.2.10,mx1.example.com,yes", "A 192.0.2.10|mx1.example.com" },
    { "mx1.example.com,192.0.2.10", "A 192.0.2.10|mx1.example.com" },
    { "mx1;192.0.2.10", "A 192.0.2.10|mx1" },
    { "192.0.2.11,\"mx2, Frankfurt\"", "A 192.0.2.11|mx2, Frankfurt" },
    { "\"192.0.2.10\";\"gateway\";\"2024.01.31\"", "A 192.0.2.10|gateway" },
    { "192.0.2.10\tmail one\tx", "A 192.0.2.10|mail one" },
    { "192.0.2.10,,name", "A 192.0.2.10|name" },
    { "192.0.2.10,", "A 192.0.2.10|" },
    { ",192.0.2.10", "A 192.0.2.10|" },
    { "example.com,Our shop", "D example.com|Our shop" },
    { "192.0.2.1 Bob's", "A 192.0.2.1|Bob's" },

    /* several hosts */
    { "192.0.2.10,192.0.2.11", "A 192.0.2.10|/A 192.0.2.11|" },
    { "192.0.2.10; 192.0.2.11 ;192.0.2.12, 192.0.2.13",
      "A 192.0.2.10|/A 192.0.2.11|/A 192.0.2.12|/A 192.0.2.13|" },
    { "192.0.2.10 192.0.2.11", "A 192.0.2.10|/A 192.0.2.11|" },
    { "example.com example.org", "D example.com|/D example.org|" },
    { "example.com,example.org", "D example.com|/D example.org|" },
    { "192.0.2.1,example.com,192.0.2.0/29",
      "A 192.0.2.1|/D example.com|/S 192.0.2.0/29|" },

    /* no hosts: the whole line, to be refused */
    { "ip,label", "N ip,label|" },
    { "nonsense", "N nonsense|" },
    { "two words", "N two words|" },
    { "a b.test", "N a b.test|" },
    { "192.0.2.010", "N 192.0.2.010|" },
    { "192.0.2.1O", "N 192.0.2.1O|" },
    { "192.0.2.256", "N 192.0.2.256|" },
    { "192,0,2,1", "N 192,0,2,1|" },
    { "192.0.2.10-192.0.2.20", "N 192.0.2.10-192.0.2.20|" },
    { "192.0.2.10 - 192.0.2.20", "N 192.0.2.10 - 192.0.2.20|" },
    { "192.0.2.10-20", "N 192.0.2.10-20|" },
    { "192.0.2.*", "N 192.0.2.*|" },
    { "192.0.2.x", "N 192.0.2.x|" },
    { "192.0.2.0 /29", "N 192.0.2.0 /29|" },
    { "192.0.2.0 255.255.255.0", "N 192.0.2.0 255.255.255.0|" },
    { "192.0.2.1,old,192.0.2.9", "N 192.0.2.1,old,192.0.2.9|" },
    { "192.0.2.1:25", "N 192.0.2.1:25|" },
    { "[2001:db8::1]:25", "N [2001:db8::1]:25|" },
    { "2001:db8::3%eth0", "N 2001:db8::3%eth0|" },
    { "https://example.com/x", "N https://example.com/x|" },
    { "user@example.com", "N user@example.com|" },
    { "*.example.com", "N *.example.com|" },
    { "!192.0.2.1", "N !192.0.2.1|" },
    { "example.c0m", "N example.c0m|" },
};


static void
write_out(char *buf, size_t size, const rbl_paste_t *out, size_t n)
{
    size_t             i, len;
    static const char  letters[] = "NASD";

    for (i = len = 0; i < n && len < size; i++) {
        len += (size_t) snprintf(buf + len, size - len, "%s%c %.*s|%.*s",
                                 i > 0 ? "/" : "", letters[out[i].kind],
                                 (int) out[i].value.n, out[i].value.p,
                                 (int) out[i].name.n,
                                 out[i].name.n ? out[i].name.p : "");
    }

    buf[n > 0 ? strlen(buf) : 0] = '\0';
}


/* 10,000 hosts in one line, and 10,000 lines, half of them wrong. */

static void
test_many(void)
{
    char         *line, text[64];
    size_t        i, n, good, bad, room = 10000 * 16 + 1;
    rbl_paste_t  *out, one[16];

    line = malloc(room);

    for (i = n = 0; i < 10000; i++) {
        n += (size_t) snprintf(line + n, room - n, "%s192.0.%zu.%zu",
                               i > 0 ? "," : "", i / 256, i % 256);
    }

    out = malloc(rbl_paste_most((rbl_str_t) { line, n }) * sizeof(*out));
    ok(rbl_paste_line(out, (rbl_str_t) { line, n }) == 10000
       && out[9999].kind == RBL_PASTE_ADDRESS,
       "a line of 10,000 addresses loses none");

    free(out);
    free(line);

    for (i = good = bad = 0; i < 10000; i++) {
        snprintf(text, sizeof(text), i % 2 ? "192.0.%zu.1, name %zu"
                                           : "192.0.%zu.256, name %zu",
                 i / 256, i);
        n = rbl_paste_line(one, rbl_str(text));
        good += n == 1 && one[0].kind == RBL_PASTE_ADDRESS;
        bad += n == 1 && one[0].kind == RBL_PASTE_NONE
               && rbl_str_is(one[0].value, text);
    }

    ok(good == 5000 && bad == 5000,
       "of 10,000 lines 5,000 are hosts, and the others are told whole");
}


int
main(void)
{
    char         buf[1024];
    size_t       i, n;
    rbl_str_t    line;
    rbl_paste_t  out[MAX];

    for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        line = rbl_str(lines[i].line);
        buf[0] = '\0';
        n = rbl_paste_line(out, line);
        write_out(buf, sizeof(buf), out, n);
        ok(strcmp(buf, lines[i].want) == 0 && n <= rbl_paste_most(line),
           "the line '%s' is \"%s\"", lines[i].line, lines[i].want);

        if (strcmp(buf, lines[i].want) != 0) {
            printf("# got %s\n", buf);
        }
    }

    test_many();

    return tap_done();
}
