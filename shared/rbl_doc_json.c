/*
 * The JSON back end of the document writer.  Runs of bytes that stand for
 * themselves are found a word at a time and copied whole.
 */

#include "rbl_doc_back.h"
#include "rbl_utf8.h"


#define RBL_JSON_KEY_ROOM  5            /* comma, two quotes, colon, open */
#define RBL_JSON_SHORT     256


static const unsigned char *
rbl_json_run(const unsigned char *p, const unsigned char *end)
{
    uint64_t  w;

    while (end - p >= 8) {
        memcpy(&w, p, 8);

        if ((w & RBL_BYTES_TOP) | RBL_BYTES_BELOW(w, 0x20)
            | RBL_BYTES_EQ(w, '"') | RBL_BYTES_EQ(w, '\\'))
        {
            break;
        }

        p += 8;
    }

    while (p < end && *p >= 0x20 && *p < 0x80 && *p != '"' && *p != '\\') {
        p++;
    }

    return p;
}


static void
rbl_json_escape(rbl_out_t *out, unsigned char c)
{
    char               buf[6];
    const char        *found;
    static const char  plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    static const char  hex[] = "0123456789abcdef";

    buf[0] = '\\';

    found = memchr(plain, c, sizeof(plain) - 1);

    if (found != NULL) {
        buf[1] = letter[found - plain];
        rbl_out_bytes(out, buf, 2);
        return;
    }

    memcpy(buf + 1, "u00", 3);
    buf[4] = hex[c >> 4];
    buf[5] = hex[c & 0x0f];

    rbl_out_bytes(out, buf, 6);
}


void
rbl_json_text(rbl_out_t *out, rbl_str_t s)
{
    size_t                n;
    const unsigned char  *p, *run, *end;

    if (s.n == 0) {
        return;
    }

    p = (const unsigned char *) s.p;
    end = p + s.n;

    while (p < end && !out->failed) {
        run = p;
        p = rbl_json_run(p, end);

        /* valid sequences belong to the run */

        while (p < end && *p >= 0x80 && (n = rbl_utf8_len(p, end)) > 0) {
            p = rbl_json_run(p + n, end);
        }

        rbl_out_bytes(out, run, (size_t) (p - run));

        if (p == end) {
            return;
        }

        if (*p >= 0x80) {
            rbl_out_bytes(out, RBL_DOC_REPLACEMENT, 3);

        } else {
            rbl_json_escape(out, *p);
        }

        p++;
    }
}


/* As rbl_json_open, into room that is known to suffice. */

static char *
rbl_json_head(char *p, const char *key, size_t n, int next, char open)
{
    if (next) {
        *p++ = ',';
    }

    if (key != NULL) {
        *p++ = '"';
        memcpy(p, key, n);
        p += n;
        *p++ = '"';
        *p++ = ':';
    }

    if (open) {
        *p++ = open;
    }

    return p;
}


static int
rbl_json_fits(const rbl_out_t *out, size_t n)
{
    return !out->failed && (size_t) (out->end - out->pos) >= n;
}


void
rbl_json_open(rbl_out_t *out, const char *key, int next, char open)
{
    size_t  n;

    n = key ? strlen(key) : 0;

    if (rbl_json_fits(out, n + RBL_JSON_KEY_ROOM)) {
        out->pos = rbl_json_head(out->pos, key, n, next, open);
        return;
    }

    if (next) {
        rbl_out_char(out, ',');
    }

    if (key != NULL) {
        rbl_out_char(out, '"');
        rbl_out_bytes(out, key, n);
        rbl_out_bytes(out, "\":", 2);
    }

    if (open) {
        rbl_out_char(out, open);
    }
}


/* Most strings need no escape and fit: those are written in one go. */

void
rbl_json_str(rbl_out_t *out, const char *key, int next, rbl_str_t s)
{
    char                 *p;
    size_t                n;
    const unsigned char  *text;

    n = key ? strlen(key) : 0;
    text = (const unsigned char *) s.p;

    if (s.n > 0 && s.n <= RBL_JSON_SHORT
        && rbl_json_fits(out, n + s.n + RBL_JSON_KEY_ROOM + 1)
        && rbl_json_run(text, text + s.n) == text + s.n)
    {
        p = rbl_json_head(out->pos, key, n, next, '"');
        memcpy(p, s.p, s.n);
        p[s.n] = '"';
        out->pos = p + s.n + 1;
        return;
    }

    rbl_json_open(out, key, next, '"');
    rbl_json_text(out, s);
    rbl_out_char(out, '"');
}
