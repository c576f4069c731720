/*
 * Conversion of a message into a mail (deliver/message.c, mime.c).  The first
 * byte gives the kind of the rest: the raw record of an event, a stored
 * message, a header's text, a body.
 *
 * A confirmation can be read again, with its code, which can be hidden.  A
 * message that can be read can be made again, with no more hosts.  A header is
 * whole lines of printable ASCII, each but the first beginning with a space,
 * none longer than allowed in a mail; a body is lines of at most 76 characters,
 * and decodes to the text.
 */

#include "fuzz.h"
#include "base/buf.h"
#include "deliver/message/message.h"
#include "deliver/message/mime.h"


static void
try_event(rbl_str_t raw)
{
    char         text[64];
    rbl_buf_t    buf;
    message_t    m;
    rbl_event_t  event;

    if (rbl_event_decode(&event, raw) != RBL_OK) {
        return;
    }

    rbl_buf_init(&buf);

    if (rbl_str_is(event.type, MESSAGE_CONFIRM)
        && message_event(&buf.out, &event, &rbl_timezone_utc) == RBL_OK)
    {
        fuzz_check(message_read(&m, rbl_buf_str(&buf)) == RBL_OK);
        fuzz_check(rbl_str_eq(m.code, event.code));
        fuzz_check(memmem(m.text.p, m.text.n, m.code.p, m.code.n) != NULL);
        message_free(&m);

        snprintf(text, sizeof(text), "<%.*s>", (int) event.code.n,
                 event.code.p);
        message_hide_code(text, rbl_buf_str(&buf));
        fuzz_check(strspn(text, "<*>") == strlen(text));
    }

    rbl_buf_free(&buf);
}


static void
try_message(rbl_str_t json)
{
    rbl_buf_t  buf;
    message_t  m, again;

    if (message_read(&m, json) != RBL_OK) {
        return;
    }

    rbl_buf_init(&buf);
    message_trigger(&buf.out, &m);
    fuzz_check(message_read(&again, rbl_buf_str(&buf)) == RBL_OK);
    fuzz_check(again.n_hosts <= m.n_hosts && again.listed == m.listed);
    fuzz_check(rbl_str_is(again.type, MESSAGE_TRIGGER));
    message_free(&again);
    message_free(&m);
    rbl_buf_free(&buf);
}


/* Checks for printable lines with CR LF; returns the length of the longest. */

static size_t
check_lines(rbl_str_t s)
{
    size_t  i, col, longest;

    col = 0;
    longest = 0;

    for (i = 0; i < s.n; i++) {
        if (s.p[i] == '\r') {
            fuzz_check(i + 1 < s.n && s.p[i + 1] == '\n');
            longest = col > longest ? col : longest;
            col = 0;
            i++;
            continue;
        }

        fuzz_check((s.p[i] >= ' ' && s.p[i] <= '~') || s.p[i] == '\t');
        col++;
    }

    fuzz_check(col == 0);

    return longest;
}


static void
try_header(rbl_str_t text)
{
    size_t     i;
    rbl_buf_t  buf;
    rbl_str_t  out;

    rbl_buf_init(&buf);
    mime_header(&buf.out, "Subject", text);
    out = rbl_buf_str(&buf);

    fuzz_check(check_lines(out) <= 998);
    fuzz_check(out.n >= 11 && memcmp(out.p, "Subject: ", 9) == 0);

    for (i = 0; i + 2 < out.n; i++) {
        fuzz_check(out.p[i] != '\n' || (out.p[i + 1] == ' '
                                        && out.p[i + 2] != '\r'));
    }

    rbl_buf_free(&buf);
}


static int
hex(char c)
{
    return c <= '9' ? c - '0' : c - 'A' + 10;
}


static void
try_body(rbl_str_t text)
{
    size_t     i, n;
    rbl_buf_t  buf;
    rbl_str_t  s;

    rbl_buf_init(&buf);
    mime_quoted_printable(&buf.out, text);
    s = rbl_buf_str(&buf);
    fuzz_check(check_lines(s) <= 76);

    for (i = 0, n = 0; i < s.n; i++) {
        if (s.p[i] == '=' && s.p[i + 1] == '\r') {
            i += 2;

        } else if (s.p[i] == '=') {
            fuzz_check(n < text.n && (unsigned char) text.p[n++]
                       == hex(s.p[i + 1]) * 16 + hex(s.p[i + 2]));
            i += 2;

        } else if (s.p[i] == '\r') {
            fuzz_check(n == text.n || text.p[n++] == '\n');
            i++;

        } else {
            fuzz_check(n < text.n && text.p[n++] == s.p[i]);
        }
    }

    fuzz_check(n == text.n);
    rbl_buf_free(&buf);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_t    f;
    unsigned  kind;

    fuzz_init(&f, data, size);
    kind = fuzz_u8(&f) % 4;

    if (kind == 0) {
        try_event(fuzz_rest(&f));

    } else if (kind == 1) {
        try_message(fuzz_rest(&f));

    } else if (kind == 2) {
        try_header(fuzz_rest(&f));

    } else {
        try_body(fuzz_rest(&f));
    }

    fuzz_done(&f);

    return 0;
}
